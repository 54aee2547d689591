/*
 * Claims on one physical register, in a sorted array: binary search to look up, a move of
 * the tail to insert. Allocation goes forwards over the code, so insertions are mostly at
 * the end.
 */
#include "passes/mir/claims.h"

static uint32_t seek(const struct hd_track *track, uint32_t from, uint32_t position)
{
	uint32_t at;
	HD_BISECT(at, from, track->claims.len, track->claims.data[at].end <= position);
	return at;
}

uint32_t hd_track_meet(const struct hd_track *track, uint32_t from, uint32_t start, uint32_t end)
{
	uint32_t at = seek(track, from, start);
	return at < track->claims.len && track->claims.data[at].start < end ? at : track->claims.len;
}

bool hd_track_is_free(const struct hd_track *track, const struct hd_segment *segments, uint32_t count)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < count; i++) {
		at = seek(track, at, segments[i].start);
		if (at == track->claims.len)
			return true;
		if (track->claims.data[at].start < segments[i].end)
			return false;
	}
	return true;
}

void hd_track_claim(struct hd_track *track, const struct hd_segment *segments, uint32_t count, uint32_t owner)
{
	for (uint32_t i = 0; i < count; i++) {
		struct hd_claim claim = {segments[i].start, segments[i].end, owner};
		hd_vec_insert(&track->claims, seek(track, 0, segments[i].start), claim);
	}
}

void hd_track_drop(struct hd_track *track, const struct hd_segment *segments, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		hd_vec_remove(&track->claims, seek(track, 0, segments[i].start));
}

void hd_track_fix(struct hd_track *track, uint32_t start, uint32_t end)
{
	hd_vec_push(&track->claims, (struct hd_claim){start, end, HD_OWNER_FIXED});
}

static int compare(const void *left, const void *right)
{
	const struct hd_claim *a = left, *b = right;
	return a->start < b->start ? -1 : a->start > b->start;
}

void hd_track_settle(struct hd_track *track)
{
	uint32_t kept = 0;
	struct hd_claim *claims = track->claims.data;
	if (!track->claims.len)
		return;
	qsort(claims, track->claims.len, sizeof(*claims), compare);
	for (uint32_t i = 1; i < track->claims.len; i++) {
		if (claims[i].start > claims[kept].end)
			claims[++kept] = claims[i];
		else if (claims[i].end > claims[kept].end)
			claims[kept].end = claims[i].end;
	}
	track->claims.len = kept + 1;
}
