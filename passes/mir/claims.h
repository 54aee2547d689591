/*
 * What one physical register (or predicate, or stack slot) holds over the linear order:
 * disjoint segments, ascending, each with its owner. Look-up is logarithmic.
 */
#ifndef HD_PASSES_MIR_CLAIMS_H
#define HD_PASSES_MIR_CLAIMS_H

#include "passes/mir/live.h"

#define HD_OWNER_FIXED UINT32_MAX /* calls, arguments, reserved registers: cannot be moved */

struct hd_claim {
	uint32_t start, end, owner;
};
struct hd_track {
	HD_VEC(struct hd_claim) claims;
};

/* Index of the first claim that meets [start, end) at or after index `from`; claims.len when there is none. */
uint32_t hd_track_meet(const struct hd_track *track, uint32_t from, uint32_t start, uint32_t end);
bool hd_track_is_free(const struct hd_track *track, const struct hd_segment *segments, uint32_t count);
void hd_track_claim(struct hd_track *track, const struct hd_segment *segments, uint32_t count, uint32_t owner);
void hd_track_drop(struct hd_track *track, const struct hd_segment *segments, uint32_t count);

/* Adds a fixed claim out of order; hd_track_settle then sorts and joins them. */
void hd_track_fix(struct hd_track *track, uint32_t start, uint32_t end);
void hd_track_settle(struct hd_track *track);

#endif
