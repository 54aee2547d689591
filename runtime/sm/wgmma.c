/*
 * Products of warpgroups (wgmma) in time. What a product gives is computed at issue (runtime/exec/exec_wgmma.c); here
 * is when it is there. Each of the four warps issues it for itself. When the last one has come, the product stands in
 * line for the tensor cores of all four schedulers, behind those of other warpgroups that came before. It holds them
 * for its multiply-adds, or for as long as shared memory needs to deliver its factors, 128 bytes a cycle, whichever is
 * longer; shared memory is taken for that share. Its result is there a tail of cycles behind its multiply-adds, in
 * order.
 *
 * Issue goes on at once, until too many products wait for their slots: more may where each adds to the one before. A
 * wait (WARPGROUP.WAIT) holds its warp until the result of the last product of the group is there.
 *
 * FlashGPU-Sim, docs/cluster_noc/calibration.md and PARAMETERS.md (H200, H100): a product of N columns whose factors
 * are in shared memory takes N / 2 + 66 cycles alone, 64 with one in registers; 4 and 9 cycles an issue; 6, 5 and 8 in
 * line. Luo et al., arXiv 2402.13499 and 2501.12084: full rate from N = 64 on, 18 cycles a product at N = 8.
 *
 * Cost: O(1) an instruction.
 */
#include <string.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "lib/arena.h"
#include "lib/bits.h"
#include "runtime/memory/memory.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/wgmma.h"

void hd_wgmma_init(struct hd_wgmma *products, const struct hd_config *config, uint32_t warps, uint32_t ctas,
		   struct hd_arena *arena)
{
	products->issue[0] = (uint32_t)config->wgmma_issue_ss;
	products->issue[1] = (uint32_t)config->wgmma_issue_rs;
	products->queue[0] = (uint32_t)config->wgmma_queue_ss;
	products->queue[1] = (uint32_t)config->wgmma_queue_rs;
	products->tail[0] = (uint32_t)config->lat_wgmma_ss;
	products->tail[1] = (uint32_t)config->lat_wgmma_rs;
	products->chain = (uint32_t)config->wgmma_chain;
	products->ports = config->wgmma_ports == HD_WGMMA_PORTS_SHARED;
	products->warps = HD_ARENA_NEW_SPARSE(arena, struct hd_wgmma_warp, warps);
	products->groups = HD_ARENA_NEW_SPARSE(arena, struct hd_wgmma_group, ctas * HD_WG_BLOCK_GROUPS);
}

/* By the block's place: a warp's may be another block's before the rest of its group has ended. */
static struct hd_wgmma_group *group_of(const struct hd_wgmma *products, const struct hd_warp *warp)
{
	const struct hd_cta *cta = warp->cta;
	return &products->groups[(cta - cta->sm->ctas) * HD_WG_BLOCK_GROUPS + warp->index / HD_WG_WARPS];
}

void hd_wgmma_begin(struct hd_wgmma *products, const struct hd_warp *warp)
{
	if (!products->used)
		return;
	memset(&products->warps[warp->id], 0, sizeof *products->warps);
	if (warp->index % HD_WG_WARPS == 0)
		memset(group_of(products, warp), 0, sizeof *products->groups);
}

static uint32_t kind_of(const struct hd_dinst *inst)
{
	return hd_mod_get(inst->inst.mods, HD_MOD_WGA);
}

/* The warp arrives at its next product. True: the other three have come to it, too, so it has begun. */
static bool arrive_at_product(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct hd_wgmma_group *group = group_of(&sm->products, warp);
	uint32_t number = ++group->issued[warp->index % HD_WG_WARPS];
	for (uint32_t i = 0; i < HD_WG_WARPS; i++)
		if (group->issued[i] < number)
			return false;
	group->begun++;
	group->dst = inst->inst.dst;
	hd_sm_counters(sm, warp)->wgmma++;
	return true;
}

/* The next warp of the group, from place *at on, that waited for a product that has begun; NULL: there is none. Clears
 * the warp's product_wait, and moves *at behind it. */
static struct hd_warp *next_released(const struct hd_sm *sm, const struct hd_warp *last, uint32_t *at)
{
	const struct hd_wgmma_group *group = group_of(&sm->products, last);
	for (uint32_t first = last->index / HD_WG_WARPS * HD_WG_WARPS; *at < HD_WG_WARPS;) {
		struct hd_warp *warp = last->cta->warps[first + (*at)++];
		if (warp->cta != last->cta || !warp->product_wait ||
		    sm->products.warps[warp->id].awaited > group->begun)
			continue;
		warp->product_wait = false;
		return warp;
	}
	return NULL;
}

static bool is_wait(const struct hd_dinst *inst)
{
	uint32_t mode = hd_mod_get(inst->inst.mods, HD_MOD_WGMODE);
	return mode == HD_WG_WAIT || mode == HD_WG_SERIALIZE;
}

/* A WARPGROUP that is no wait. */
static void note(struct hd_wgmma *products, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct hd_wgmma_warp *own = &products->warps[warp->id];
	if (hd_mod_get(inst->inst.mods, HD_MOD_WGMODE) == HD_WG_COMMIT)
		own->last[++own->groups % HD_WG_GROUPS] = group_of(products, warp)->issued[warp->index % HD_WG_WARPS];
}

/* The product that a wait is for; 0: none. */
static uint32_t product_of(const struct hd_wgmma_warp *own, const struct hd_dinst *wait)
{
	uint32_t left = wait->inst.x;
	return own->groups > left ? own->last[(own->groups - left) % HD_WG_GROUPS] : 0;
}

/* ---- waiting */

static void suspend(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t product, bool result,
		    uint64_t now)
{
	struct hd_wgmma_warp *own = &sm->products.warps[warp->id];
	own->inst = inst;
	own->awaited = product;
	own->wants_result = result;
	own->since = now;
	warp->product_wait = true;
	hd_warp_set_wait(sm, warp, HD_STALL_tensor);
}

/* The warps that waited for a product of which all have come now. */
static void wake_group(struct hd_sm *sm, const struct hd_warp *last, const struct hd_wgmma_group *group, uint64_t now)
{
	struct hd_warp *warp;
	for (uint32_t i = 0; (warp = next_released(sm, last, &i));) {
		const struct hd_wgmma_warp *own = &sm->products.warps[warp->id];
		uint64_t at = own->wants_result ? group->done[own->awaited % HD_WG_KEPT] : now + 1;
		hd_warp_continue(sm, warp, now, hd_later(at, now + 1), HD_STALL_tensor);
	}
}

/* ---- products */

/*
 * The accumulator's registers take turns with other reads, spread over the product's slot: so many accesses of the
 * ports of a partition have room in it, and the others share what is left.
 */
static void share_ports(struct hd_sm *sm, const struct hd_dinst *inst, uint32_t taken)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	uint64_t columns = UINT64_C(8) * (hd_mod_get(inst->inst.mods, HD_MOD_WGN) + 1);
	uint64_t words = hd_mod_get(inst->inst.mods, HD_MOD_WGACC) == HD_WG_ACC_F16 ? columns / 4 : columns / 2;
	uint64_t reads = HD_WG_WARPS * words / shape->parts;
	uint64_t room = (uint64_t)taken * shape->banks * shape->read_ports * HD_TICKS / shape->busy;
	uint64_t left = room > reads ? room - reads : 1;
	sm->products.read_busy = shape->busy * room / left;
	sm->products.ports_until = sm->products.free;
}

/* The slot of the product that has begun. */
static void take_slot(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
		      struct hd_wgmma_group *group, uint64_t now)
{
	struct hd_wgmma *products = &sm->products;
	uint64_t begin = hd_later(products->free, now), before = group->done[(group->begun - 1) % HD_WG_KEPT];
	uint32_t taken = hd_larger(inst->shared_cycles, inst->tensor_cycles);
	group->done[group->begun % HD_WG_KEPT] =
		hd_later(begin + inst->tensor_cycles + products->tail[kind_of(inst)], before);
	products->begin[products->count++ % HD_WG_KEPT] = begin;
	products->free = begin + taken;
	if (products->ports)
		share_ports(sm, inst, taken);
	hd_sm_counters(sm, warp)->wgmma_cycles += taken;
	hd_lsu_claim_shared(sm->lsu, now, begin, inst->shared_cycles, sm->grid_of[warp->id], inst);
}

/* From when on another product may be issued, after so many that are in line at most. */
static uint64_t has_room(const struct hd_wgmma *products, uint32_t most)
{
	return products->count >= most ? products->begin[(products->count - most) % HD_WG_KEPT] : 0;
}

static void issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_wgmma *products = &sm->products;
	struct hd_wgmma_group *group = group_of(products, warp);
	uint32_t kind = kind_of(inst);
	bool chained = group->begun && group->dst == inst->inst.dst;
	uint32_t most = chained ? products->chain : products->queue[kind];
	if (arrive_at_product(sm, warp, inst)) {
		take_slot(sm, warp, inst, group, now);
		wake_group(sm, warp, group, now);
	}
	uint32_t number = group->issued[warp->index % HD_WG_WARPS];
	if (number > group->begun && number - group->begun >= most)
		suspend(sm, warp, inst, number - most + 1, false, now);
	else
		hd_warp_continue(sm, warp, now, hd_later(now + products->issue[kind], has_room(products, most)),
				 HD_STALL_tensor);
}

static void wait_for(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_wgmma *products = &sm->products;
	const struct hd_wgmma_group *group = group_of(products, warp);
	uint32_t product = product_of(&products->warps[warp->id], inst);
	if (product > group->begun) {
		suspend(sm, warp, inst, product, true, now);
		return;
	}
	bool kept = product && group->begun - product < HD_WG_KEPT;
	hd_warp_continue(sm, warp, now, hd_later(kept ? group->done[product % HD_WG_KEPT] : 0, now + 1),
			 HD_STALL_tensor);
}

uint32_t hd_wgmma_come(const struct hd_sm *sm, const struct hd_warp *warp)
{
	const struct hd_wgmma_group *group = group_of(&sm->products, warp);
	uint32_t come = 0;
	for (uint32_t i = 0; i < HD_WG_WARPS; i++)
		come += group->issued[i] >= sm->products.warps[warp->id].awaited;
	return come;
}

void hd_wgmma_start(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	sm->products.used = true;
	if (inst->inst.op == HD_OP_WGMMA) {
		issue(sm, warp, inst, now);
		return;
	}
	if (is_wait(inst)) {
		wait_for(sm, warp, inst, now);
		return;
	}
	note(&sm->products, warp, inst);
	hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
}

/* ---- without timing */

static void arrive(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	uint32_t at = 0;
	if (!arrive_at_product(sm, warp, inst))
		return;
	while (next_released(sm, warp, &at))
		;
}

void hd_wgmma_follow(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct hd_wgmma_warp *own = &sm->products.warps[warp->id];
	sm->products.used = true;
	if (inst->inst.op == HD_OP_WGMMA) {
		arrive(sm, warp, inst);
	} else if (is_wait(inst)) {
		own->inst = inst;
		own->awaited = product_of(own, inst);
		warp->product_wait = own->awaited > group_of(&sm->products, warp)->begun;
	} else {
		note(&sm->products, warp, inst);
	}
}
