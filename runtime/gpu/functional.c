/*
 * Execution without timing. The SMs keep blocks and warps as always (dispatch.c, barrier.c), and the executor is the
 * same (hd_warp_execute_turn); what is missing is everything that asks when.
 *
 * A block runs to its end before the next one begins, its warps one after the other from barrier to barrier. Where
 * warps wait for others by looking at memory (loops that lib/object/spins.c names, sleeps) they go on in turns, and
 * so do blocks: one whose warps all did so stays where it is, others and one new block run, and it gets its next turn.
 * So as many blocks are resident as wait, at most as many as the GPU has room for. Blocks come in the order of their
 * numbers, of grids in that of priority and submission.
 *
 * What is counted of each instruction is added up by its place and made counters of when the grid ends.
 *
 * Cost: tens of nanoseconds a warp instruction; O(program) a launch.
 */
#include "runtime/gpu/functional.h"

#include "runtime/exec/exec.h"
#include "runtime/exec/remote.h"
#include "runtime/exec/turn.h"
#include "runtime/gpu/run.h"
#include "runtime/sm/cluster.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/registers.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/wgmma.h"

enum {
	TURN = 1 << 18, /* instructions of a warp, and of a block, after which others run, whatever they do */
	/* And branches back of loops that may wait for others: in a block's first turn, and when it has waited. */
	FIRST_SPINS = 256,
	MORE_SPINS = 32,
};

struct hd_functional {
	struct hd_gpu *gpu;
	HD_VEC(struct hd_cta *) waiting; /* resident blocks that had their turn and want another one */
	uint32_t next;			 /* of these, in this round */
	uint32_t fresh;			 /* blocks that may begin in this round */
	uint32_t spins;			 /* of each warp's turn */
	HD_VEC(uint64_t) counts;	 /* of the program's instructions: how often each was executed */
	uint8_t counted;		 /* slot of the grid that these are of */
};

struct hd_functional *hd_functional_new(struct hd_gpu *gpu)
{
	struct hd_functional *functional = hd_xcalloc(1, sizeof *functional);
	functional->gpu = gpu;
	return functional;
}

void hd_functional_free(struct hd_functional *functional)
{
	if (!functional)
		return;
	hd_vec_release(&functional->waiting);
	hd_vec_release(&functional->counts);
	free(functional);
}

static bool has_timing(const struct hd_policy_hooks *hooks)
{
#define X(subject, hook)         \
	if (hooks->subject.hook) \
		return true;
	HD_HOOK_LIST(X)
#undef X
	return hooks->allocation.quota || hooks->alarm || hooks->gpu_tick;
}

int hd_functional_check(const struct hd_gpu *gpu, struct hd_diag *diag)
{
	const struct hd_sim_options *options = &gpu->options;
	const char *what = options->max_cycles		       ? "--max-cycles"
			   : options->sample		       ? "--sample"
			   : options->trace && *options->trace ? "--trace"
							       : NULL;
	if (what)
		return hd_error(diag, HD_NOWHERE, "--functional cannot be combined with %s: it has no cycles", what);
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (has_timing(gpu->policies[i].hooks))
			return hd_error(diag, HD_NOWHERE,
					"--functional: policy '%s' needs timing (run without --functional, or under "
					"another policy, such as baseline)",
					gpu->policies[i].policy->name);
	return 0;
}

/* ---- counting */

static void count_role(struct hd_counters *counters, uint8_t role, uint64_t times)
{
	switch (role) {
	case HD_ROLE_CALLEE_SAVE: counters->callee_saves += times; break;
	case HD_ROLE_CALLEE_RESTORE: counters->callee_restores += times; break;
	case HD_ROLE_SPILL_STORE: counters->spill_stores += times; break;
	case HD_ROLE_SPILL_LOAD: counters->spill_loads += times; break;
	default: break;
	}
}

static void count_inst(struct hd_counters *counters, const struct hd_dinst *inst, uint64_t times)
{
	counters->register_reads += inst->bank_count * times;
	counters->register_writes += inst->write_count * times;
	switch (inst->pipe) {
#define X(name, interval, units, counter)       \
	case HD_PIPE_##name:                    \
		counters->counter += times; \
		break;
		HD_PIPE_LIST(X)
#undef X
	default: counters->control_instructions += times; break;
	}
	hd_count_products(counters, inst, times);
	count_role(counters, inst->inst.role, times);
}

/* Where what is executed for a grid is counted. */
static struct hd_counters *counters_of(const struct hd_gpu *gpu, uint8_t slot)
{
	return &gpu->sms[0]->counted[slot];
}

void hd_functional_count(struct hd_functional *functional)
{
	const struct hd_gpu *gpu = functional->gpu;
	struct hd_counters *counters = counters_of(gpu, functional->counted);
	for (uint32_t pc = 0; pc < functional->counts.len; pc++) {
		uint64_t *count = &functional->counts.data[pc];
		if (*count)
			count_inst(counters, &gpu->program.code.data[pc], *count);
		*count = 0;
	}
}

/* The grid whose instructions follow. */
static void count_for(struct hd_functional *functional, uint8_t slot)
{
	if (functional->counted != slot)
		hd_functional_count(functional);
	functional->counted = slot;
}

void hd_functional_begin(struct hd_functional *functional)
{
	uint32_t have = functional->counts.len, want = functional->gpu->program.code.len;
	hd_vec_clear(&functional->waiting);
	functional->next = functional->fresh = 0;
	for (; have < want; have++)
		hd_vec_push(&functional->counts, 0);
}

/* ---- a block's turn */

/* Does anything look at each instruction? */
static bool is_watched(const struct hd_gpu *gpu)
{
	return gpu->watched & HD_WATCH_STEPS;
}

/* What the warp did last needs somebody else. True: it cannot go on now. */
static bool attend(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	const struct hd_effect *effect = &sm->effect;
	bool in_cluster = warp->cta->cluster != NULL;
	if (effect->warp_done) {
		warp->state = HD_WARP_DONE;
		hd_sm_warp_done(sm, warp, now);
		if (in_cluster)
			hd_clusters_note(sm->gpu->run);
		return true;
	}
	if (effect->event == HD_EVENT_CLUSTER) {
		if (in_cluster)
			hd_clusters_note(sm->gpu->run);
		hd_cluster_barrier(sm, warp, inst, effect->mask, now);
	}
	if (effect->event == HD_EVENT_BARRIER)
		hd_barrier_arrive(sm, warp, inst, effect->mask, now);
	if (effect->event == HD_EVENT_RESIZE)
		hd_registers_resize(sm, warp, inst, now);
	if (effect->event == HD_EVENT_ARRIVES)
		hd_mbarrier_after_copies(sm, warp, inst, now);
	if (effect->event == HD_EVENT_WGMMA)
		hd_wgmma_follow(sm, warp, inst);
	return warp->state != HD_WARP_RUNNING || warp->product_wait || effect->event == HD_EVENT_FAULT;
}

/* Of which there were `most` left before. */
static void add_run(const struct hd_gpu *gpu, uint8_t slot, const struct hd_warp_turn *run, uint64_t most)
{
	struct hd_counters *counters = counters_of(gpu, slot);
	counters->warp_instructions += most - run->left;
	counters->thread_instructions += run->lanes;
	counters->calls += run->calls;
	counters->divergent_branches += run->diverged;
	counters->yields += run->yields;
	counters->global_instructions += run->accesses[HD_MEM_GLOBAL];
	counters->shared_instructions += run->accesses[HD_MEM_SHARED] + run->accesses[HD_MEM_REMOTE];
	counters->local_instructions += run->accesses[HD_MEM_LOCAL];
}

/* As hd_warp_execute_turn, where something looks at each instruction. */
static const struct hd_dinst *run_watched(struct hd_sm *sm, struct hd_warp *warp, struct hd_warp_turn *run)
{
	const struct hd_dinst *inst;
	do {
		inst = &sm->gpu->program.code.data[warp->pc];
		sm->exec->endless = false;
		hd_sm_execute(sm, warp, inst);
		sm->exec->now++;
		HD_TELL(sm->gpu, issued, sm->gpu, inst, &sm->effect);
	} while (!hd_run_note(run, inst, &sm->effect, warp->pc) && !sm->exec->endless);
	return inst;
}

/* Keeps L2 as it would be, for what has time behind it. */
static void touch(void *context, const struct hd_dinst *inst, const struct hd_effect *effect)
{
	if (effect->space == HD_MEM_GLOBAL)
		hd_memory_touch(context, effect->address, effect->mask, inst->effects & (HD_FX_STORE | HD_FX_ATOMIC));
}

/* Until the warp has ended, waits at a barrier or has had its turn. True: it had its turn. */
static bool warp_turn(struct hd_functional *functional, struct hd_sm *sm, struct hd_warp *warp)
{
	struct hd_gpu *gpu = functional->gpu;
	struct hd_warp_turn run = {.code = gpu->program.code.data,
				   .counts = functional->counts.data,
				   .left = TURN,
				   .spins = functional->spins,
				   .touch = gpu->sampling ? touch : NULL,
				   .context = gpu->memory};
	uint8_t slot = warp->cta->grid->slot;
	bool stops = false;
	sm->exec->now = gpu->now;
	sm->exec->endless = false;
	while (!stops && run.left && run.spins) {
		const struct hd_dinst *inst = is_watched(gpu) ? run_watched(sm, warp, &run)
							      : hd_warp_execute_turn(sm->exec, warp, &sm->effect, &run);
		stops = attend(sm, warp, inst, sm->exec->now);
		if (!stops && gpu->watched_alone && sm->exec->endless) /* who watches needs the turns of others */
			break;
	}
	gpu->now += TURN - run.left;
	sm->now = gpu->now;
	add_run(gpu, slot, &run, TURN);
	return !stops;
}

static bool is_here(const struct hd_cta *cta, uint32_t index)
{
	const struct hd_warp *warp = cta->warps[index];
	return warp->cta == cta && warp->index == index && warp->state != HD_WARP_FREE;
}

/* One pass over the warps. True: some had their turn, and nothing else happened. */
static bool block_pass(struct hd_functional *functional, struct hd_sm *sm, struct hd_cta *cta, bool *any)
{
	struct hd_gpu *gpu = functional->gpu;
	bool waits = true;
	*any = false;
	for (uint32_t i = 0; i < cta->warp_count && cta->used && !gpu->error; i++) {
		if (!is_here(cta, i) || cta->warps[i]->state != HD_WARP_RUNNING || cta->warps[i]->product_wait)
			continue;
		*any = true;
		waits &= warp_turn(functional, sm, cta->warps[i]);
	}
	return *any && waits;
}

/* The blocks of a cluster have their turn together. */
static bool cluster_turn(struct hd_functional *functional, struct hd_cluster *cluster)
{
	struct hd_gpu *gpu = functional->gpu;
	uint64_t began = gpu->now;
	bool any = true, waits = false;
	while (any && !waits && cluster->left && !gpu->error && !gpu->interrupted && gpu->now - began < TURN) {
		any = false;
		waits = true;
		for (uint32_t rank = 0; rank < cluster->size && !gpu->error; rank++) {
			struct hd_cta *cta = cluster->ctas[rank];
			bool here;
			bool only_turns = block_pass(functional, cta->sm, cta, &here);
			waits &= only_turns || !here;
			any |= here;
		}
	}
	if (cluster->left)
		return any;
	hd_clusters_retire(gpu->run, gpu->now);
	return false;
}

/* Until the block has ended, none of its warps can go on, or all that can have had their turns. True: it wants another
 * turn. */
static bool block_turn(struct hd_functional *functional, struct hd_cta *cta)
{
	struct hd_gpu *gpu = functional->gpu;
	uint64_t began = gpu->now;
	bool any = true, waits = false;
	count_for(functional, cta->grid->slot);
	if (cta->cluster)
		return cluster_turn(functional, cta->cluster);
	while (any && !waits && cta->used && !gpu->error && !gpu->interrupted && gpu->now - began < TURN)
		waits = block_pass(functional, cta->sm, cta, &any);
	return cta->used && any;
}

/* ---- blocks */

/* Whose next block begins: NULL when all have begun. */
static struct hd_grid *head_grid(const struct hd_gpu *gpu)
{
	struct hd_grid *head = NULL;
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		struct hd_grid *grid = gpu->grids.data[i];
		if (grid->running && grid->cta_next < grid->cta_total && (!head || grid->priority < head->priority))
			head = grid;
	}
	return head;
}

/* The next block, on the first SM that has room. NULL: there is none, or no room. */
static struct hd_cta *begin_block(struct hd_functional *functional)
{
	struct hd_gpu *gpu = functional->gpu;
	struct hd_grid *grid = head_grid(gpu);
	if (grid && grid->clusters)
		return hd_clusters_begin(gpu->run, grid, gpu->now);
	for (uint32_t i = 0; grid && i < gpu->sm_count; i++)
		if (hd_sm_has_room(gpu->sms[i], grid))
			return hd_sm_launch_cta(gpu->sms[i], grid, grid->cta_next++, gpu->now);
	return NULL;
}

static void run_fresh(struct hd_functional *functional, struct hd_cta *cta)
{
	functional->fresh--;
	functional->spins = FIRST_SPINS;
	if (block_turn(functional, cta))
		hd_vec_push(&functional->waiting, cta);
}

static void run_waiting(struct hd_functional *functional)
{
	uint32_t at = functional->next;
	functional->spins = MORE_SPINS;
	if (block_turn(functional, functional->waiting.data[at])) {
		functional->next++;
		return;
	}
	hd_vec_remove(&functional->waiting, at);
}

/* ---- a stretch of a block that began with time */

/* A turn that may end in the middle of the warp's way. True: it has gone some of it. */
static bool skip_turn(struct hd_functional *functional, struct hd_sm *sm, struct hd_warp *warp, struct hd_way *way)
{
	struct hd_gpu *gpu = functional->gpu;
	uint32_t most = way->left < TURN ? (uint32_t)way->left : TURN;
	if (!most || way->out)
		return false;
	struct hd_warp_turn run = {.code = gpu->program.code.data,
				   .counts = functional->counts.data,
				   .left = most,
				   .spins = UINT32_MAX,
				   .touch = touch,
				   .context = gpu->memory,
				   .own = way->own,
				   .own_count = way->own_count,
				   .inside = way->inside,
				   .inside_count = way->inside_count};
	uint8_t slot = warp->cta->grid->slot;
	sm->exec->now = gpu->now + way->gone;
	sm->exec->endless = false;
	const struct hd_dinst *inst =
		is_watched(gpu) ? run_watched(sm, warp, &run) : hd_warp_execute_turn(sm->exec, warp, &sm->effect, &run);
	way->gone += most - run.left;
	way->left -= most - run.left;
	add_run(gpu, slot, &run, most);
	bool stops = attend(sm, warp, inst, gpu->now);
	way->out = warp->state == HD_WARP_FREE || (!stops && hd_run_has_left(&run, warp->pc));
	return run.left < most;
}

void hd_functional_skip(struct hd_functional *functional, struct hd_cta *cta, struct hd_way *ways)
{
	const struct hd_gpu *gpu = functional->gpu;
	bool any = true;
	count_for(functional, cta->grid->slot);
	while (any) {
		any = false;
		for (uint32_t i = 0; i < cta->warp_count && cta->used && !gpu->error && !gpu->interrupted; i++)
			if (is_here(cta, i) && cta->warps[i]->state == HD_WARP_RUNNING)
				any |= skip_turn(functional, cta->sm, cta->warps[i], &ways[cta->warps[i]->id]);
	}
}

struct hd_sm *hd_functional_turn(struct hd_functional *functional)
{
	for (uint32_t tries = 0; tries < 2; tries++) {
		struct hd_cta *cta = functional->fresh ? begin_block(functional) : NULL;
		if (cta) {
			run_fresh(functional, cta);
			return cta->sm;
		}
		if (functional->next < functional->waiting.len) {
			struct hd_sm *sm = functional->waiting.data[functional->next]->sm;
			run_waiting(functional);
			return sm;
		}
		functional->next = 0; /* the round is over: twice as many in the next */
		functional->fresh = functional->waiting.len + 1;
	}
	return NULL;
}
