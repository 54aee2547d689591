/*
 * What policies hear of loads: loads.c. For SMs with the hooks for that.
 */
#ifndef HD_RUNTIME_SM_LOADS_H
#define HD_RUNTIME_SM_LOADS_H

#include <stdint.h>

#include "runtime/core/hazard.h"

struct hd_dinst;
struct hd_sm;
struct hd_warp;

struct hd_loads {
	struct hd_hazard *unused; /* by hd_warp.id: registers that were loaded, and not used yet */
};

/* hd_lsu_watch.miss. `sm`: a struct hd_sm. */
void hd_loads_missed(void *sm, uint32_t token, uint64_t now);
/* The warp issues an instruction. */
void hd_loads_used(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* The warp waits for memory before its next instruction. */
void hd_loads_awaited(struct hd_sm *sm, struct hd_warp *warp);

#endif
