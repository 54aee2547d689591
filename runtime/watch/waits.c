/*
 * What the watchdog says of a grid that it stops: for each place and reason how many warps wait there, and what the
 * first of them waits for: a word of memory that it reads again and again, a barrier and how many have arrived, what a
 * policy keeps from it, memory, a fence. Blocks that have not begun are told, too.
 *
 * Needs probe.c for the warps that loop. Cost: O(warps * groups), once.
 */
#include "runtime/watch/waits.h"

#include <inttypes.h>

#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/sync.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/registers.h"
#include "runtime/sm/sm.h"
#include "runtime/watch/probe.h"

enum { MOST_GROUPS = 24 };

enum kind { SPINS, HELD, BARRIER, SYNC, FENCE, PRODUCT, COPIES, SLEEPS, MEMORY, READY, OTHER };

struct group {
	enum kind kind;
	uint32_t pc, reason; /* reason: enum hd_stall of OTHER */
	uint32_t count;
	uint32_t after_call; /* of the first's innermost call; HD_PC_NONE */
	const struct hd_warp *first;
};

static uint32_t pc_of(const struct hd_gpu *gpu, const struct hd_dinst *inst)
{
	return (uint32_t)(inst - gpu->program.code.data);
}

static bool is_held(const struct hd_warp *warp)
{
	return warp->held || warp->slot == HD_NO_SLOT;
}

static struct group classify(const struct hd_gpu *gpu, const struct hd_probe *probe, const struct hd_warp *warp)
{
	const struct hd_sm *sm = warp->cta->sm;
	const struct hd_parked *parked = &sm->barriers.parked[warp->id];
	const struct hd_probe_warp *seen = probe ? hd_probe_of(probe, warp) : NULL;
	struct group group = {.kind = OTHER, .pc = warp->pc, .reason = warp->wait_reason, .first = warp};
	group.after_call = hd_probe_after_call(warp);
	if (seen && seen->recurred) {
		group.kind = SPINS;
		group.pc = seen->read ? seen->read_pc : seen->pc;
		group.after_call = seen->after_call;
		if (gpu->program.code.data[group.pc].inst.op == HD_OP_SYNCS_WAIT)
			group.kind = SYNC;
	} else if (warp->state == HD_WARP_BARRIER) { /* also where a policy has switched it out since */
		group.kind = BARRIER;
		group.pc = pc_of(gpu, parked->inst);
	} else if (warp->product_wait && (gpu->functional || !is_held(warp))) {
		group.kind = PRODUCT;
		group.pc = pc_of(gpu, hd_warp_at(sm, warp));
	} else if (gpu->functional) {
		group.kind = READY;
	} else if (is_held(warp)) {
		group.kind = HELD;
	} else if (warp->sync_wait) {
		group.kind = SYNC;
		group.pc = pc_of(gpu, sm->mbarriers.suspended[warp->id].inst);
	} else if (warp->fence_wait) {
		group.kind = FENCE;
		group.pc = pc_of(gpu, parked->inst);
	} else if (warp->bulk_wait) {
		group.kind = COPIES;
		group.pc = pc_of(gpu, hd_warp_at(sm, warp));
	} else if (warp->outstanding || warp->injection.outstanding) {
		group.kind = MEMORY;
	} else if (warp->wait_reason == HD_WAIT_READY) {
		group.kind = READY;
	} else if (warp->wait_reason == HD_STALL_control && warp->next_issue > gpu->now + 1000) {
		group.kind = SLEEPS;
	}
	if (group.kind != OTHER)
		group.reason = 0;
	return group;
}

/* ---- in words */

static void describe_spin(const struct hd_gpu *gpu, const struct hd_probe_warp *seen, char *text, size_t size)
{
	uint32_t value;
	const void *memory = seen->space == HD_MEM_GLOBAL && seen->read
				     ? hd_devmem_at(gpu->devmem, seen->address, sizeof value)
				     : NULL;
	if (!seen->read) {
		snprintf(text, size, "spinning in a loop that reads no memory that others write");
	} else if (memory) {
		memcpy(&value, memory, sizeof value);
		snprintf(text, size, "spinning: the word at 0x%" PRIx64 " stays 0x%x", seen->address, value);
	} else {
		snprintf(text, size, "spinning: %s at 0x%" PRIx64 " does not change",
			 seen->space == HD_MEM_SHARED ? "shared memory" : "memory", seen->address);
	}
}

static void describe_barrier(const struct hd_warp *warp, char *text, size_t size)
{
	const struct hd_cta *cta = warp->cta;
	const struct hd_parked *parked = &cta->sm->barriers.parked[warp->id];
	uint32_t id = parked->barrier, expected = cta->barriers[id].expected;
	if (parked->inst->inst.op == HD_OP_USETMAXREG) {
		snprintf(text, size, "waiting for %u registers (setmaxnreg), where the block's pool has %u",
			 hd_registers_wanted(warp, parked->inst) * HD_WARP_LANES, cta->pool * HD_WARP_LANES);
		return;
	}
	if (parked->inst->inst.op == HD_OP_ACQBULK) {
		snprintf(text, size, "waiting for the end of the kernels before (griddepcontrol.wait)");
		return;
	}
	if (parked->inst->inst.op == HD_OP_CGABAR_WAIT) {
		snprintf(text, size, "at its cluster's barrier");
		return;
	}
	if (!expected)
		expected = (cta->warp_count - cta->warps_done) * HD_WARP_LANES;
	snprintf(text, size, "at barrier %u, where %u of %u warps have arrived", id,
		 cta->barriers[id].arrived / HD_WARP_LANES, expected / HD_WARP_LANES);
}

/* Of the first of its lanes. One that spins is told again and again that the phase is not over. */
static void describe_sync(const struct hd_gpu *gpu, const struct group *group, char *text, size_t size)
{
	const struct hd_warp *warp = group->first;
	uint32_t lanes = warp->sync_wait ? warp->cta->sm->mbarriers.suspended[warp->id].mask : warp->active;
	uint32_t address, parity;
	uint64_t word = hd_sync_word(warp, &gpu->program.code.data[group->pc],
				     lanes ? (uint32_t)__builtin_ctz(lanes) : 0, &address, &parity);
	struct hd_mbarrier barrier = hd_mbarrier_of(word);
	snprintf(text, size,
		 "at the barrier at shared address 0x%x, for the end of its phase of parity %u: %u of %u arrivals and "
		 "%d bytes are still to come",
		 address, parity, barrier.pending, barrier.expected, barrier.bytes);
}

static void describe_held(const struct hd_gpu *gpu, const struct hd_warp *warp, char *text, size_t size)
{
	char why[200];
	snprintf(text, size, "kept from issuing by the policy");
	HD_HOOKED (gpu, self, observation.why_held)
		if (self->hooks->observation.why_held(self, warp, why, sizeof why))
			snprintf(text, size, "kept from issuing by policy %s: %s", self->policy->name, why);
}

static void describe(const struct hd_gpu *gpu, const struct hd_probe *probe, const struct group *group, char *text,
		     size_t size)
{
	switch (group->kind) {
	case SPINS: describe_spin(gpu, hd_probe_of(probe, group->first), text, size); break;
	case BARRIER: describe_barrier(group->first, text, size); break;
	case SYNC: describe_sync(gpu, group, text, size); break;
	case HELD: describe_held(gpu, group->first, text, size); break;
	case FENCE: snprintf(text, size, "at a memory fence"); break;
	case PRODUCT:
		snprintf(text, size, "at products of a warpgroup (wgmma), to which %u of %u warps have come",
			 hd_wgmma_come(group->first->cta->sm, group->first), (unsigned)HD_WG_WARPS);
		break;
	case COPIES: snprintf(text, size, "waiting for copies in bulk"); break;
	case SLEEPS: snprintf(text, size, "asleep until cycle %" PRIu64, group->first->next_issue); break;
	case MEMORY: snprintf(text, size, "waiting for memory"); break;
	case READY: snprintf(text, size, gpu->functional ? "computing" : "ready to issue"); break;
	default:
		snprintf(text, size, "%s", group->reason < HD_STALL_COUNT ? hd_stall_help[group->reason] : "waiting");
		break;
	}
}

/* ", called from FILE:LINE". */
static void describe_caller(const struct hd_gpu *gpu, const struct group *group, char *text, size_t size)
{
	struct hd_loc loc = group->after_call != HD_PC_NONE ? hd_place_of(gpu, group->after_call - 1) : HD_NOWHERE;
	*text = '\0';
	if (loc.file)
		snprintf(text, size, ", called from %s:%u", loc.file, loc.line);
}

static void print_group(const struct hd_gpu *gpu, const struct hd_probe *probe, const struct group *group)
{
	char text[320], where[160] = "", caller[320];
	struct hd_loc loc = hd_place_of(gpu, group->pc);
	const uint32_t *block = group->first->cta->index;
	if (!loc.file && group->pc < gpu->program.code.len) {
		const struct hd_pfunction *function =
			&gpu->program.functions.data[gpu->program.code.data[group->pc].function];
		snprintf(where, sizeof where, " in %s+0x%x", function->name,
			 (group->pc - function->first) * HD_INST_BYTES);
	}
	describe(gpu, probe, group, text, sizeof text);
	describe_caller(gpu, group, caller, sizeof caller);
	hd_note(gpu->options.diag, loc, "%u warp%s%s %s (%swarp %u of block (%u,%u,%u)%s)", group->count,
		group->count == 1 ? "" : "s", where, text, group->count == 1 ? "" : "the first: ", group->first->index,
		block[0], block[1], block[2], caller);
}

void hd_waits_report(const struct hd_gpu *gpu, const struct hd_probe *probe)
{
	struct group groups[MOST_GROUPS];
	uint32_t count = 0, others = 0;
	if (!gpu->options.diag)
		return;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t id = 0; id < sm->warp_count; id++) {
			if (sm->warps[id].state == HD_WARP_FREE)
				continue;
			struct group new = classify(gpu, probe, &sm->warps[id]);
			uint32_t g = 0;
			while (g < count &&
			       (groups[g].kind != new.kind || groups[g].pc != new.pc || groups[g].reason != new.reason))
				g++;
			if (g == count && count < MOST_GROUPS)
				groups[count++] = new;
			if (g < count)
				groups[g].count++;
			else
				others++;
		}
	}
	for (uint32_t g = 0; g < count; g++)
		print_group(gpu, probe, &groups[g]);
	if (others)
		hd_note(gpu->options.diag, HD_NOWHERE, "%u warps at other places", others);
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		const struct hd_grid *grid = gpu->grids.data[i];
		if (grid->running && (grid->cta_next < grid->cta_total || grid->requeued.len))
			hd_note(gpu->options.diag, HD_NOWHERE, "%" PRIu64 " of %" PRIu64 " blocks have not begun%s",
				grid->cta_total - grid->cta_next + grid->requeued.len, grid->cta_total,
				count ? ": the SMs have no room until others end" : "");
	}
}
