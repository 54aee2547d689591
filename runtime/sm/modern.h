/*
 * The second model of operands, operands = modern: modern.c.
 */
#ifndef HD_RUNTIME_SM_MODERN_H
#define HD_RUNTIME_SM_MODERN_H

#include <stdint.h>

struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* hd_operands_read of this model. */
uint64_t hd_modern_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* The same of an instruction with `plain_read`, where no policy renames registers. */
uint64_t hd_modern_read_plainly(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
				uint64_t now);
/* hd_operands_write of this model. `written`: the cycle at which the bank has the result. */
uint64_t hd_modern_write(const struct hd_dinst *inst, uint64_t now, uint64_t written);
/* Empties the reuse cache. */
void hd_modern_forget(struct hd_sm *sm);

#endif
