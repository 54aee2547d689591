/*
 * Whether warps have what their next instructions want: scoreboard.c.
 */
#ifndef HD_RUNTIME_SM_SCOREBOARD_H
#define HD_RUNTIME_SM_SCOREBOARD_H

struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* Decides the state of a warp from its next instruction and what is pending. */
void hd_warp_evaluate(struct hd_sm *sm, struct hd_warp *warp);
/* The operands of the warp's next instruction, into the host's cache. */
void hd_warp_prefetch(const struct hd_warp *warp, const struct hd_dinst *inst);

#endif
