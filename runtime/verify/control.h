/* What --verify watches of control bits, under core = modern: each warp's results and reads under way. */
#ifndef HD_RUNTIME_VERIFY_CONTROL_H
#define HD_RUNTIME_VERIFY_CONTROL_H

#include <stdint.h>

struct hd_dinst;
struct hd_sm;
struct hd_warp;

void hd_verify_control_begin(struct hd_warp *warp);
void hd_verify_control_release(struct hd_warp *warp);
/* Before the warp's instruction executes, in cycle sm->exec->now; reports the two that are too close. */
void hd_verify_control_before(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst);
/* It has, and begins its reads and its result at `start`. */
void hd_verify_control_issued(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
			      uint64_t start);
void hd_verify_control_written(struct hd_warp *warp, const struct hd_dinst *inst);

#endif
