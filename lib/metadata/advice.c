/*
 * What the coalescing report means for the author of a kernel, in one sentence: for remarks, `heddle info` and notes of
 * `heddle check`; and which accesses say the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "heddle/metadata.h"

enum { LANES = 32, SECTOR = 32, HALF_ROW = 32 };

static const char *verb(const struct hd_meta_access *access)
{
	static const char *const verbs[] = {
		[HD_ACCESS_LOAD] = "reads", [HD_ACCESS_STORE] = "writes", [HD_ACCESS_ATOMIC] = "updates"};
	return verbs[access->kind];
}

/* Sectors of neighbouring lanes that lie side by side, from the beginning of a sector on. */
static uint32_t least_sectors(const struct hd_meta_access *access)
{
	return (access->bytes * LANES + SECTOR - 1) / SECTOR;
}

static bool stride_is_bytes(const struct hd_meta_access *access)
{
	return access->stride_known && (access->stride == access->bytes || access->stride == -(int64_t)access->bytes);
}

/* Members of small elements: neighbouring lanes still share sectors. */
static bool is_interleaved(const struct hd_meta_access *access)
{
	return access->stride_known && access->stride > -SECTOR && access->stride < SECTOR;
}

static void print_sectors(char *text, size_t size, const struct hd_meta_access *access)
{
	uint32_t few = least_sectors(access);
	char stride[96] = "";
	if (access->lane_stride)
		snprintf(stride, sizeof(stride), " (lanes are %s bytes apart)", access->lane_stride);
	if (stride_is_bytes(access))
		snprintf(text, size,
			 "each warp %s %u sectors here, one more than the data fill; align the first element",
			 verb(access), access->sectors_least);
	else
		snprintf(text, size, "each warp %s %u sectors here%s, %u would do; %s", verb(access),
			 access->sectors_least, stride, few,
			 is_interleaved(access) ? "keep each member in an array of its own" : "transpose the index");
}

/* What makes conflicts go: what padding is the cause of, more padding does not mend. */
static void print_remedy(char *text, size_t size, const struct hd_meta_access *access)
{
	uint32_t elements = (uint32_t)abs(access->row_step) / access->bytes;
	if (access->stride_known && access->stride > -HALF_ROW && access->stride < HALF_ROW)
		snprintf(text, size, "keep each member in an array of its own");
	else if (access->row_step > 0 && elements == 1)
		snprintf(text, size, "pad the rows by an element");
	else if (access->row_step > 0)
		snprintf(text, size, "pad the rows by %u elements", elements);
	else if (access->row_step < 0)
		snprintf(text, size,
			 "the padding of the rows is the cause: rows shorter by %u element%s have no conflict",
			 elements, elements == 1 ? "" : "s");
	else
		snprintf(text, size, "let the lanes of a warp differ in the bank");
}

static void print_conflicts(char *text, size_t size, const struct hd_meta_access *access)
{
	char remedy[128];
	print_remedy(remedy, sizeof(remedy), access);
	snprintf(text, size, "each warp %s one bank of shared memory %u times here%s%s%s; %s", verb(access),
		 access->conflicts_least, access->lane_stride ? " (lanes are " : "",
		 access->lane_stride ? access->lane_stride : "", access->lane_stride ? " bytes apart)" : "", remedy);
}

bool hd_meta_access_advice(const struct hd_meta_access *access, char *text, size_t size)
{
	if (access->conflicts_least > 1) {
		print_conflicts(text, size, access);
		return true;
	}
	if (access->sectors_least > least_sectors(access)) {
		print_sectors(text, size, access);
		return true;
	}
	if (access->space == HD_ACCESS_GLOBAL && !access->sectors_most && access->lane_stride &&
	    !access->stride_known) {
		snprintf(text, size,
			 "lanes are %s bytes apart here: each warp %s up to 32 sectors; transpose the index",
			 access->lane_stride, verb(access));
		return true;
	}
	return false;
}

/* ------------------------------------------------------------------ accesses that say the same */

#define DIFFER(member)                                          \
	do {                                                    \
		if (a->member != b->member)                     \
			return a->member < b->member ? -1 : 1;  \
	} while (0)

static int compare(const struct hd_meta_access *a, const struct hd_meta_access *b)
{
	const char *files[2] = {a->source.file ? a->source.file : "", b->source.file ? b->source.file : ""};
	int order = strcmp(files[0], files[1]);
	if (order)
		return order;
	DIFFER(source.line);
	DIFFER(kind);
	DIFFER(space);
	DIFFER(bytes);
	DIFFER(sectors_least);
	DIFFER(sectors_most);
	DIFFER(conflicts_least);
	DIFFER(conflicts_most);
	DIFFER(row_step);
	DIFFER(stride_known);
	DIFFER(stride);
	return 0;
}

static int by_likeness(const void *left, const void *right)
{
	const struct hd_meta_access *a = *(const struct hd_meta_access *const *)left,
				    *b = *(const struct hd_meta_access *const *)right;
	int order = compare(a, b);
	return order ? order : (a > b) - (a < b); /* of one array: in its order */
}

uint32_t *hd_meta_access_copies(const struct hd_meta_affine *affine, struct hd_arena *arena)
{
	uint32_t count = affine->access_count, *copies = HD_ARENA_NEW(arena, uint32_t, count);
	const struct hd_meta_access **order = HD_ARENA_NEW(arena, const struct hd_meta_access *, count);
	for (uint32_t i = 0; i < count; i++)
		order[i] = &affine->accesses[i];
	if (count)
		qsort(order, count, sizeof(*order), by_likeness);
	for (uint32_t i = 0, first = 0; i < count; i++) {
		/* Nothing is known of where an access without a line comes from. */
		if (!order[i]->source.line || compare(order[first], order[i]) != 0)
			first = i;
		copies[order[first] - affine->accesses]++;
	}
	return copies;
}
