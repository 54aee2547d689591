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
		uint32_t at = seek(track, 0, segments[i].start), tail = track->claims.len - at;
		hd_vec_push(&track->claims, (struct hd_claim){0});
		struct hd_claim *place = &track->claims.data[at];
		memmove(place + 1, place, tail * sizeof(*place));
		*place = (struct hd_claim){segments[i].start, segments[i].end, owner};
	}
}

void hd_track_drop(struct hd_track *track, const struct hd_segment *segments, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = seek(track, 0, segments[i].start);
		struct hd_claim *place = &track->claims.data[at];
		track->claims.len--;
		memmove(place, place + 1, (track->claims.len - at) * sizeof(*place));
	}
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
