/*
 * The part of --verify that checks the register analyses (verify_analyses.c), for verify.c, which calls it
 * for warps that have a shadow.
 */
#ifndef HD_RUNTIME_VERIFY_H
#define HD_RUNTIME_VERIFY_H

#include "runtime/engine/exec.h"

/* Lanes in which a register or predicate must not be read before it is written. */
struct hd_poison {
	uint32_t regs[256];
	uint32_t preds[8];
};

/* Before an instruction of `function`, which may lack metadata, and after one. */
void hd_verify_analyses_before(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			       struct hd_poison *poison);
void hd_verify_poison_written(struct hd_poison *poison, uint32_t mask, const struct hd_hazard *writes);
/* The lanes return from a call. */
void hd_verify_poison_dropped(struct hd_poison *poison, uint32_t mask);

#endif
