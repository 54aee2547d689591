/*
 * What the coalescing report means for the author of a kernel, in one sentence: for remarks, `heddle info` and notes of
 * `heddle check`. Constant time.
 */
#include <stdio.h>

#include "heddle/metadata.h"

enum { LANES = 32, SECTOR = 32 };

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

bool hd_meta_access_advice(const struct hd_meta_access *access, char *text, size_t size)
{
	if (access->conflicts_least > 1) {
		snprintf(text, size,
			 "each warp %s one bank of shared memory %u times here%s%s%s; pad the rows by an element",
			 verb(access), access->conflicts_least, access->lane_stride ? " (lanes are " : "",
			 access->lane_stride ? access->lane_stride : "", access->lane_stride ? " bytes apart)" : "");
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
