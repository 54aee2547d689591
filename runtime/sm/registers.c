/*
 * Registers that the warps of a block hand on (USETMAXREG, PTX's setmaxnreg). All begin with what the kernel is
 * allocated. What a warp gives up goes to the block's pool, from which others take; the SM's register file does not
 * notice, and occupancy stays what it is. A warp that wants more than the pool has waits, and goes on as soon as there
 * is enough; of several the one with the lowest number first. An ended warp's registers stay its own until the block
 * ends: PTX does not say that the pool gets them.
 *
 * A warp that can never have enough is a fault at once, not only when the watchdog looks: what the pool has and what
 * all others could still give up, by the code that they may come to (hd_pfunction.least), is less than it wants.
 *
 * setmaxnreg_latency is a guess: nothing about its cost is published.
 *
 * Cost: O(1) a change, O(warps of the block) where one waits.
 */
#include "runtime/sm/registers.h"

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/exec/fault.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

static bool is_of(const struct hd_cta *cta, const struct hd_warp *warp)
{
	return warp->cta == cta && (warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER);
}

bool hd_registers_awaited(const struct hd_sm *sm, const struct hd_warp *warp)
{
	return warp->state == HD_WARP_BARRIER && sm->barriers.parked[warp->id].inst->inst.op == HD_OP_USETMAXREG;
}

static bool waits(const struct hd_sm *sm, const struct hd_cta *cta, const struct hd_warp *warp)
{
	return warp->cta == cta && hd_registers_awaited(sm, warp);
}

uint32_t hd_registers_wanted(const struct hd_warp *warp, const struct hd_dinst *inst)
{
	return inst->inst.x - warp->registers;
}

static void go_on(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	if (!sm->gpu->functional)
		hd_warp_continue(sm, warp, now, now + (uint64_t)sm->gpu->config->setmaxnreg_latency,
				 HD_STALL_registers);
}

/* If the pool has enough. */
static bool take(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst)
{
	uint32_t wanted = hd_registers_wanted(warp, inst);
	if (wanted > warp->cta->pool)
		return false;
	warp->cta->pool -= wanted;
	warp->registers = (uint16_t)inst->inst.x;
	hd_sm_counters(sm, warp)->registers_moved += (uint64_t)wanted * HD_WARP_LANES;
	return true;
}

/* ---- in vain */

/* The fewest registers that code gives which a warp may come to; those it has where it comes to none that takes any. */
static uint32_t least_of(const struct hd_gpu *gpu, const struct hd_warp *warp)
{
	uint32_t least = warp->registers;
	for (uint32_t i = 0; i < warp->stack.len; i++) {
		uint32_t pc = i + 1 == warp->stack.len ? warp->pc : warp->stack.data[i].pc;
		if (pc >= gpu->program.code.len)
			continue;
		const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[pc].function];
		uint32_t there = function->least ? function->least[pc - function->first] : least;
		least = there < least ? there : least;
	}
	return least;
}

/* What others could still give up, of a thread each. */
static uint32_t promised(const struct hd_gpu *gpu, const struct hd_cta *cta, const struct hd_warp *but)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < cta->warp_count; i++)
		if (is_of(cta, cta->warps[i]) && cta->warps[i] != but)
			sum += cta->warps[i]->registers - least_of(gpu, cta->warps[i]);
	return sum;
}

static void check(struct hd_sm *sm, struct hd_warp *warp)
{
	const struct hd_cta *cta = warp->cta;
	const struct hd_dinst *inst = sm->barriers.parked[warp->id].inst;
	uint32_t wanted = hd_registers_wanted(warp, inst), others = promised(sm->gpu, cta, warp);
	if (cta->pool + others >= wanted)
		return;
	hd_gpu_fault(sm->gpu, warp, (uint32_t)(inst - sm->gpu->program.code.data), 0, HD_SIM_TIMEOUT,
		     "setmaxnreg.inc to %u waits for ever: warp %u wants %u registers more, its block's pool has %u, "
		     "and other warps give up %u at most",
		     inst->inst.x, warp->index, wanted * HD_WARP_LANES, cta->pool * HD_WARP_LANES,
		     others * HD_WARP_LANES);
}

/* Those that wait have what they want, or may have it some time. */
static void serve(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = cta->warps[i];
		if (!waits(sm, cta, warp) || !take(sm, warp, sm->barriers.parked[warp->id].inst))
			continue;
		warp->state = HD_WARP_RUNNING;
		go_on(sm, warp, now);
	}
	hd_registers_warp_done(sm, cta);
}

void hd_registers_warp_done(struct hd_sm *sm, struct hd_cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count && cta->waits_for_registers; i++)
		if (waits(sm, cta, cta->warps[i]))
			check(sm, cta->warps[i]);
}

void hd_registers_resize(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_cta *cta = warp->cta;
	if (inst->inst.x <= warp->registers) {
		cta->pool += warp->registers - inst->inst.x;
		warp->registers = (uint16_t)inst->inst.x;
		go_on(sm, warp, now);
		serve(sm, cta, now);
		return;
	}
	if (take(sm, warp, inst)) {
		go_on(sm, warp, now);
		return;
	}
	sm->barriers.parked[warp->id] = (struct hd_parked){inst, UINT32_MAX, 0};
	warp->state = HD_WARP_BARRIER;
	cta->waits_for_registers = true;
	if (!sm->gpu->functional)
		hd_warp_set_wait(sm, warp, HD_STALL_registers);
	check(sm, warp);
}
