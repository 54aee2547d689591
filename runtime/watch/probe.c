/*
 * Proves that a grid can never go on, by a look at it for some thousand cycles. A warp whose registers, predicates,
 * SIMT stack and local memory are what they were when it was at the same instruction before goes round for ever, as
 * long as the memory that it shares does not change. When no store or atomic operation changed a word, no warp began or
 * ended, nothing was read that differs each time (clocks, services), and every warp either went round so or did not
 * issue at all, then nothing will ever happen. Without timing only barriers keep warps from executing: one that is not
 * at any and had no turn during the look says nothing. Loops that merely compute for long never meet this, since
 * something in their registers counts; nor do waits with a time limit or a counter of turns, of which nothing is said
 * here.
 *
 * States are noted at steps back (branches, returns and whatever else leads to a lower pc; no loop is without one), the
 * 1st, 2nd, 4th, 8th, ..., and compared at the same pc after that (Brent's cycle detection, 1980), as hashes: first of
 * one lane, and where that is the same of all. Where lanes of a warp make way for others (yield.c), the state must
 * recur after each of the waiting paths has had its turn. Votes at barriers are an input: they must be the same each
 * time.
 *
 * Needs yield.c. Cost: nothing while no look is taken; in a look some ten
 * nanoseconds an instruction. A look ends with the first word that changes.
 */
#include "runtime/watch/probe.h"

#include "lib/object/spins.h"

#include "lib/hash.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/sm.h"

static const struct hd_watcher probe_watcher;

static struct hd_probe *probe_new(const struct hd_gpu *gpu)
{
	size_t slots = gpu->sms[0]->warp_count, count = slots * gpu->sm_count;
	struct hd_probe *probe = hd_xcalloc(1, sizeof(*probe) + count * sizeof(*probe->warps));
	probe->slots = (uint32_t)slots;
	return probe;
}

static void count_warps(const struct hd_gpu *gpu, uint64_t *started, uint64_t *gone)
{
	*started = *gone = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		*started += gpu->sms[i]->dispatch.launches;
		*gone += gpu->sms[i]->dispatch.launches - gpu->sms[i]->resident_warps;
	}
}

struct hd_probe *hd_probe_begin(struct hd_gpu *gpu)
{
	struct hd_watcher_handle *self = hd_watcher_find(gpu, &probe_watcher);
	if (!self)
		self = hd_watcher_add(gpu, &probe_watcher, NULL);
	if (!self->state)
		self->state = probe_new(gpu);
	struct hd_probe *probe = self->state;
	probe->since = gpu->now;
	probe->moved = false;
	count_warps(gpu, &probe->started, &probe->gone);
	memset(probe->warps, 0, probe->slots * gpu->sm_count * sizeof(*probe->warps));
	hd_watcher_sleep(gpu, self, false);
	return probe;
}

void hd_probe_free(struct hd_gpu *gpu)
{
	struct hd_watcher_handle *self = hd_watcher_find(gpu, &probe_watcher);
	if (!self)
		return;
	hd_watcher_sleep(gpu, self, true);
	free(self->state);
	self->state = NULL;
}

/* Something is no function of registers and memory, or others can see it: the look is over. */
static void moved(struct hd_gpu *gpu)
{
	struct hd_watcher_handle *self = hd_watcher_find(gpu, &probe_watcher);
	((struct hd_probe *)self->state)->moved = true;
	hd_watcher_sleep(gpu, self, true);
}

const struct hd_probe_warp *hd_probe_of(const struct hd_probe *probe, const struct hd_warp *warp)
{
	return &probe->warps[(size_t)warp->cta->sm->id * probe->slots + warp->id];
}

/* NULL: it is none of the grid's own (a twin, a stream of a linear version). */
static struct hd_probe_warp *find_warp(struct hd_probe *probe, const struct hd_warp *warp)
{
	const struct hd_sm *sm = warp->cta->sm;
	if (!sm || &sm->warps[warp->id] != warp)
		return NULL;
	return &probe->warps[(size_t)sm->id * probe->slots + warp->id];
}

uint32_t hd_probe_after_call(const struct hd_warp *warp)
{
	uint32_t i = warp->stack.len;
	while (i-- > 0)
		if (warp->stack.data[i].call_return != HD_PC_NONE)
			return warp->stack.data[i].call_return;
	return HD_PC_NONE;
}

/* ---- states */

static uint32_t sample_of(const struct hd_warp *warp)
{
	uint32_t lane = warp->active ? (uint32_t)__builtin_ctz(warp->active) : 0, rows = warp->cta->grid->register_rows;
	uint64_t hash = hd_hash_mix(warp->active, warp->stack.len);
	for (uint32_t reg = 0; reg < rows; reg++)
		hash = hd_hash_mix(hash, warp->regs[reg][lane]);
	return (uint32_t)(hash ^ hash >> 32);
}

static uint64_t state_of(const struct hd_warp *warp)
{
	uint64_t hash = hd_hash_mix(warp->active, warp->live);
	for (uint32_t i = 0; i < warp->stack.len; i++) {
		const struct hd_simt *entry = &warp->stack.data[i];
		bool top = i + 1 == warp->stack.len; /* whose pc is the warp's */
		hash = hd_hash_mix(hash, (uint64_t)(top ? warp->pc : entry->pc) << 32 | entry->reconv);
		hash = hd_hash_mix(hash, (uint64_t)entry->mask << 32 | entry->call_return);
	}
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		hash = hd_hash_mix(hash, warp->preds[pred]);
	for (uint32_t reg = 0; reg < HD_MAX_UREGS; reg++)
		hash = hd_hash_mix(hash, warp->uregs[reg]);
	for (uint32_t reg = 0; reg < warp->cta->grid->register_rows; reg++)
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane += 2)
			hash = hd_hash_mix(hash, (uint64_t)warp->regs[reg][lane] << 32 | warp->regs[reg][lane + 1]);
	return hash;
}

static void note(struct hd_probe_warp *seen, const struct hd_warp *warp, bool may_yield)
{
	seen->pc = warp->pc;
	seen->turns = warp->turns;
	seen->may_yield = may_yield;
	seen->sample = sample_of(warp);
	seen->state = state_of(warp);
	seen->local = 0;
	seen->read = false;
	seen->after_call = hd_probe_after_call(warp);
	seen->next = 2 * seen->steps;
}

/* All paths that wait for those that loop have had their turn. */
static bool all_had_turns(const struct hd_probe_warp *seen, const struct hd_warp *warp)
{
	return !seen->may_yield || warp->turns - seen->turns > warp->stack.len;
}

static void step_back(const struct hd_gpu *gpu, struct hd_probe_warp *seen, const struct hd_warp *warp, bool spins)
{
	bool may_yield = spins && hd_simt_may_yield(gpu, warp);
	seen->may_yield |= may_yield;
	if (++seen->steps >= seen->next)
		note(seen, warp, may_yield);
	else if (warp->pc == seen->pc && !seen->local && sample_of(warp) == seen->sample && all_had_turns(seen, warp) &&
		 state_of(warp) == seen->state)
		seen->recurred = true;
}

static void follow(const struct hd_gpu *gpu, struct hd_probe_warp *seen, const struct hd_warp *warp,
		   const struct hd_dinst *inst, uint32_t pc, const struct hd_effect *effect)
{
	if (effect->event == HD_EVENT_MEMORY && inst->effects & HD_FX_LOAD && effect->space != HD_MEM_LOCAL &&
	    effect->mask) {
		seen->read = true;
		seen->read_pc = pc;
		seen->after_call = hd_probe_after_call(warp);
		seen->space = effect->space;
		seen->address = effect->address[__builtin_ctz(effect->mask)];
	}
	if (effect->event == HD_EVENT_WAIT) {
		seen->read = true;
		seen->read_pc = pc;
		seen->after_call = hd_probe_after_call(warp);
		seen->space = HD_MEM_SHARED;
	}
	if (warp->pc <= pc)
		step_back(gpu, seen, warp, inst->spins != HD_SPIN_NEVER);
}

static void execute_after(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			  const struct hd_dinst *inst, uint32_t pc, const struct hd_effect *effect)
{
	struct hd_probe_warp *seen = find_warp(self->state, warp);
	if (!seen)
		return;
	if (!seen->recurred && effect->event != HD_EVENT_FAULT && !effect->warp_done)
		follow(sm->gpu, seen, warp, inst, pc, effect);
	/* It came back to a state and has read no memory that others write. */
	sm->exec->endless = seen->recurred && !seen->read;
}

/* ---- memory */

static void changed(const struct hd_watcher_handle *self, struct hd_exec *exec, const uint8_t *host, const void *old,
		    uint32_t bytes)
{
	const struct hd_warp *warp = exec->warp;
	struct hd_probe_warp *seen = find_warp(self->state, warp);
	const uint8_t *before = old;
	size_t local = (size_t)HD_WARP_LANES * warp->cta->grid->local_bytes;
	if (!memcmp(host, old, bytes))
		return;
	bool own = warp->local && host >= warp->local && host < warp->local + local;
	if (!own) {
		moved(exec->gpu);
		return;
	}
	if (!seen)
		return;
	/* What is put back cancels out. Where the bytes lie does not matter for that. */
	for (uint32_t i = 0; i < bytes; i++) {
		uint64_t place = hd_hash_mix((uint64_t)(host + i - warp->local), 1);
		seen->local ^= hd_hash_mix(place, before[i]) ^ hd_hash_mix(place, host[i]);
	}
}

static void store_before(const struct hd_watcher_handle *self, struct hd_exec *exec, uintptr_t base,
			 const uint64_t *offset, uint32_t bytes)
{
	struct hd_probe *probe = self->state;
	HD_FOR_LANES (lane, exec->mask)
		memcpy(probe->old[lane], (const uint8_t *)(base + offset[lane]), bytes);
}

static void store_after(const struct hd_watcher_handle *self, struct hd_exec *exec, uintptr_t base,
			const uint64_t *offset, uint32_t bytes)
{
	const struct hd_probe *probe = self->state;
	HD_FOR_LANES (lane, exec->mask)
		if (!self->asleep)
			changed(self, exec, (const uint8_t *)(base + offset[lane]), probe->old[lane], bytes);
}

static void unrepeatable(const struct hd_watcher_handle *self, struct hd_gpu *gpu)
{
	(void)self;
	moved(gpu);
}

/* ---- barriers */

static void note_vote(const struct hd_watcher_handle *self, struct hd_gpu *gpu, const struct hd_warp *warp, bool result,
		      uint32_t value)
{
	struct hd_probe_warp *seen = find_warp(self->state, warp);
	if (!seen)
		return;
	if (seen->voted[result] && seen->vote[result] != value)
		moved(gpu);
	seen->voted[result] = true;
	seen->vote[result] = value;
}

/* Of some warps of the block: who votes together may be others each time. */
static void vote(const struct hd_watcher_handle *self, struct hd_gpu *gpu, const struct hd_warp *warp, bool whole,
		 uint32_t value)
{
	note_vote(self, gpu, warp, false, value);
	if (!whole)
		moved(gpu);
}

static void vote_result(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_warp *warp,
			const struct hd_dinst *inst, uint32_t mask, uint32_t value)
{
	(void)inst;
	(void)mask;
	note_vote(self, gpu, warp, true, value);
}

static const struct hd_watcher probe_watcher = {
	.name = "probe",
	.alone = true,
	.execute_after = execute_after,
	.changed = changed,
	.store_before = store_before,
	.store_after = store_after,
	.unrepeatable = unrepeatable,
	.vote = vote,
	.vote_result = vote_result,
};

/* ---- the verdict */

/* Neither on the way to something nor executing. */
static bool is_waiting(const struct hd_gpu *gpu, const struct hd_warp *warp, uint64_t since)
{
	if (gpu->functional)
		return warp->state != HD_WARP_RUNNING;
	bool sleeps = warp->state == HD_WARP_RUNNING && !warp->held && warp->next_issue > gpu->now;
	return warp->last_issue < since && !sleeps;
}

enum hd_probe_verdict hd_probe_end(struct hd_probe *probe, struct hd_gpu *gpu, uint64_t waiting)
{
	uint64_t started, gone, warps = 0;
	hd_watcher_sleep(gpu, hd_watcher_find(gpu, &probe_watcher), true);
	count_warps(gpu, &started, &gone);
	if (probe->moved || started != probe->started || gone != probe->gone)
		return HD_PROBE_MOVED;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t id = 0; id < sm->warp_count; id++) {
			const struct hd_warp *warp = &sm->warps[id];
			if (warp->state == HD_WARP_FREE)
				continue;
			warps++;
			if (!hd_probe_of(probe, warp)->recurred && !is_waiting(gpu, warp, waiting))
				return HD_PROBE_UNKNOWN;
		}
	}
	return warps ? HD_PROBE_STUCK : HD_PROBE_UNKNOWN;
}
