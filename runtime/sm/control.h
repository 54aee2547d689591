/*
 * Issue by control bits, where core = modern: control.c.
 */
#ifndef HD_RUNTIME_SM_CONTROL_H
#define HD_RUNTIME_SM_CONTROL_H

#include <stdint.h>

struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* Decides from control bits whether the warp's next instruction may issue. */
void hd_control_evaluate(struct hd_sm *sm, struct hd_warp *warp);
/* The instruction has issued. It begins its reads and its result at cycle `start`. */
void hd_control_issued(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
		       uint64_t start);
/* The instruction's result has been written. */
void hd_control_written(struct hd_warp *warp, const struct hd_dinst *inst);
/* The instruction's sources have been read. */
void hd_control_read(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* A new warp: nothing is under way. */
void hd_control_begin(struct hd_warp *warp);

#endif
