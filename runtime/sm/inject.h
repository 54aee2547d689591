/*
 * What policies do with warps: inject.c.
 */
#ifndef HD_RUNTIME_SM_INJECT_H
#define HD_RUNTIME_SM_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"
#include "runtime/core/program.h"
#include "runtime/core/warp.h"

struct hd_config;
struct hd_scheduler;
struct hd_sm;

struct hd_injector {
	struct hd_dinst insts[HD_INJECT_KINDS]; /* what a warp issues for a policy */
};

/* Keeps a warp off the schedulers, whatever else it waits for, until it is resumed. */
HD_API void hd_warp_hold(struct hd_sm *sm, struct hd_warp *warp);
/* The same for a short time: it keeps its place among the active warps of a two-level scheduler, and its lost slots are
 * the policy's. */
HD_API void hd_warp_pause(struct hd_sm *sm, struct hd_warp *warp);
/* Ends these, and a stop, and brings it back when it is suspended (context.h): false: there is no room, it stays away.
 */
HD_API bool hd_warp_resume(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
/*
 * Has the warp issue these before its next instruction, which waits until loads among them are back. For hooks about
 * an instruction of this warp (call, call_return, memory_access), or before it is resumed. At most HD_MAX_INJECTED
 * wait.
 */
HD_API void hd_warp_inject(struct hd_warp *warp, const struct hd_injected *access);

/* ---- for the SM */

void hd_inject_init(struct hd_sm *sm, const struct hd_config *config);
void hd_inject_issue(struct hd_sm *sm, struct hd_scheduler *scheduler, struct hd_warp *warp, uint64_t now);
void hd_inject_complete(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
static inline const struct hd_dinst *hd_injected_inst(const struct hd_injector *injector, const struct hd_warp *warp)
{
	return &injector->insts[warp->injection.queue[0].kind];
}

#endif
