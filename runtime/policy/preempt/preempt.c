/*
 * Preemption of single SMs by lightweight context switching (gpu-multiprogramming-lin, chapter 2), by running blocks to
 * their end (drain), by killing and running them again (flush), and by whichever of these suits a block (integrated).
 *
 * A request comes to one SM after the other at a fixed interval, while the others run on, and the SM goes on with its
 * own blocks as soon as these have left (2.5.1); or it comes with a grid of higher priority, for the SMs on which its
 * blocks have no room, and those that left come back when it has no block there any more. The SM starts no other block
 * meanwhile.
 *
 * Switching: warps run on to a preemption point, or stop at once (naive); at barriers they wait as they are. When a
 * warp has nothing under way its registers leave, those that its mask names, compressed by the patterns of their
 * values; when those of the block have left, its shared memory and its SIMT stacks follow. All of that is traffic of
 * low priority past L1 (2.4.3). Coming back: registers, shared memory, stacks.
 *
 * What the paper leaves open and how it is read:
 *
 *   barriers    a warp that waits at a point's barrier has stopped; at another barrier it has when all others of its
 *               block have, since nobody would complete it. Arrivals stay with the block
 *   diverged    lanes that have not exited wait elsewhere; calls are no divergence. What a warp whose paths made way
 *               for others needs is not known: all of its registers are saved
 *   a second    request while one is under way on the SM is dropped and counted
 *   progress    of a block: its instructions by those of its grid's blocks that ended on the SM, on average
 *   flushing    not again before a block of the grid has ended on the SM: else fast requests would keep it for ever
 *   in place    the stack always leaves, and the block its slots with it (2.3.1). Where no block can come back, since
 *               one holds registers and another shared memory, one lets go of what it has, at once
 *   shares      (ours) see share.c
 *   slices      (ours) kernels on their way have an SM in turns, by the same means
 *
 * Cost: O(1) an instruction; O(warps of a block) when one stops.
 */
#include "runtime/policy/preempt/preempt.h"

#include <string.h>

#include "heddle/config.h"
#include "lib/hash.h"

#define LOOK_AGAIN 100 /* cycles */
#define BOTH (HD_PART_REGISTERS | HD_PART_SHARED)

/* ---- the machine */

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	static const char *const known[] = {"", "naive", "live", "block", "in-place"};
	(void)config;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(parameter, known[i]) && (!*parameter || policy->parameters))
			return 0;
	if (!policy->parameters)
		return hd_error(diag, HD_NOWHERE, "policy '%s' takes no parameter", policy->name);
	return hd_error(diag, HD_NOWHERE, "policy 'preempt': expected %s, not '%s'", policy->parameters, parameter);
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct preempt_gpu *preempt = preempt_gpu_of(self, gpu);
	const char *name = self->policy->name;
	bool naive = !strcmp(self->parameter, "naive"), live = !strcmp(self->parameter, "live");
	preempt->mechanism = !strcmp(name, "drain")	   ? PREEMPT_DRAIN
			     : !strcmp(name, "flush")	   ? PREEMPT_FLUSH
			     : !strcmp(name, "integrated") ? PREEMPT_INTEGRATED
							   : PREEMPT_SWITCH;
	preempt->saving = naive				      ? PREEMPT_OCCUPIED
			  : live			      ? PREEMPT_LIVE
			  : !strcmp(self->parameter, "block") ? PREEMPT_BY_BLOCK
							      : PREEMPT_COMPRESSED;
	preempt->at_once = naive;
	preempt->marked = !naive && (preempt->mechanism == PREEMPT_SWITCH || preempt->mechanism == PREEMPT_INTEGRATED);
	preempt->in_place = !strcmp(self->parameter, "in-place");
	preempt->interval = (uint64_t)hd_policy_setting(self, gpu, PREEMPT_INTERVAL);
	preempt->seed = (uint64_t)hd_policy_setting(self, gpu, PREEMPT_SEED);
	preempt->slice = (uint64_t)hd_policy_setting(self, gpu, PREEMPT_SLICE);
	preempt->most = (uint64_t)hd_policy_setting(self, gpu, PREEMPT_MOST);
	preempt->latency = (uint32_t)hd_policy_setting(self, gpu, PREEMPT_LATENCY);
	preempt->beyond = (uint64_t)hd_policy_setting(self, gpu, PREEMPT_BEYOND);
	gpu->kills |= preempt->mechanism == PREEMPT_FLUSH || preempt->mechanism == PREEMPT_INTEGRATED;
	gpu->counts_blocks = true; /* an SM is a grid's that has some left, as many as it may have */
	if (hd_policy_shares(gpu)) {
		bool moves = !preempt->slice && preempt->mechanism != PREEMPT_DRAIN;
		preempt->interval = 0;
		preempt->share_cycles = moves ? (uint64_t)hd_policy_setting(self, gpu, PREEMPT_SHARE) : 0;
	}
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct preempt_sm *mine = preempt_sm_of(self, gpu->sms[i]);
		mine->registers.total = gpu->config->registers / HD_WARP_LANES;
		mine->shared.total = gpu->config->shared_bytes;
		mine->grid = HD_MAX_GRIDS;
	}
}

/* ---- requests in time */

/* The SMs in turns, one at each multiple of the interval. */
static uint64_t next_turn(const struct preempt_gpu *preempt, const struct hd_sm *sm, uint64_t now)
{
	uint64_t turn = preempt->interval * sm->gpu->sm_count, first = preempt->interval * (sm->id + 1);
	return now < first ? first : first + ((now - first) / turn + 1) * turn;
}

/* As often, and at any time. */
static uint64_t random_request(const struct preempt_gpu *preempt, const struct hd_sm *sm, struct preempt_sm *mine,
			       uint64_t now)
{
	uint64_t turn = preempt->interval * sm->gpu->sm_count;
	uint64_t random = hd_hash_mix(hd_hash_mix(preempt->seed, sm->id), mine->drawn++);
	return now + 1 + random % (2 * turn - 1);
}

static void set_request(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	const struct preempt_gpu *preempt = preempt_gpu_of(self, sm->gpu);
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	if (mine->alarmed || !preempt->interval)
		return;
	uint64_t next = preempt->seed ? random_request(preempt, sm, mine, now) : next_turn(preempt, sm, now);
	if (next > preempt->most)
		return;
	mine->alarmed = true;
	hd_policy_at(self, sm, next, preempt_about(PREEMPT_REQUEST, 0));
}

static void set_share(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	const struct preempt_gpu *preempt = preempt_gpu_of(self, sm->gpu);
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	if (!preempt->share_cycles || mine->shares || !sm->resident_ctas)
		return;
	mine->shares = true;
	hd_policy_at(self, sm, now + preempt->share_cycles, preempt_about(PREEMPT_SHARES, 0));
}

static void look_soon(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	if (!mine->looks)
		hd_policy_at(self, sm, now + 1, preempt_about(PREEMPT_LOOK, 0));
	mine->looks = true;
}

/* ---- blocks leave */

static bool is_leaving(const struct preempt_cta *block)
{
	return block->phase == PREEMPT_STOPS || block->phase == PREEMPT_LEAVES || block->phase == PREEMPT_ENDS;
}

/* ---- what happens to a block */

/* 0 to 1 and more; 0 where nothing is known. */
static double progress_of(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_cta *cta)
{
	const struct preempt_sm *mine = preempt_sm_of(self, sm);
	uint64_t retired = mine->retired[cta->grid->slot], issued = mine->issued[cta->grid->slot];
	return issued ? (double)preempt_cta_of(self, cta)->issued * (double)retired / (double)issued : 0;
}

/* Blocks are not killed again and again: between two times one has ended. */
static bool may_flush(const struct preempt_sm *mine, uint32_t slot)
{
	return mine->flushed[slot] <= mine->retired[slot];
}

static enum preempt_mechanism mechanism_for(const struct hd_policy_handle *self, const struct hd_sm *sm,
					    const struct hd_cta *cta)
{
	enum preempt_mechanism mechanism = preempt_gpu_of(self, sm->gpu)->mechanism;
	bool restarts = hd_grid_restarts(cta->grid) && may_flush(preempt_sm_of(self, sm), cta->grid->slot);
	if (mechanism == PREEMPT_FLUSH && !restarts)
		return PREEMPT_DRAIN;
	if (mechanism != PREEMPT_INTEGRATED)
		return mechanism;
	double progress = progress_of(self, sm, cta);
	if (progress > hd_policy_setting(self, sm->gpu, PREEMPT_DRAIN_ABOVE))
		return PREEMPT_DRAIN;
	bool early = progress < hd_policy_setting(self, sm->gpu, PREEMPT_FLUSH_BELOW);
	return restarts && early ? PREEMPT_FLUSH : PREEMPT_SWITCH;
}

void preempt_take(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint8_t parts,
		  uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	struct preempt_cta *block = preempt_cta_of(self, cta);
	enum preempt_mechanism how = mechanism_for(self, sm, cta);
	mine->leaving++;
	mine->owner = cta->grid->slot;
	block->parts = parts;
	block->stream = block->sent = block->stack_bytes = 0;
	block->phase_from = 0;
	block->phase = how == PREEMPT_SWITCH ? PREEMPT_STOPS : PREEMPT_ENDS;
	if (how == PREEMPT_SWITCH) {
		preempt_stop_block(self, sm, cta, now);
	} else if (how == PREEMPT_FLUSH) {
		mine->flushing |= UINT32_C(1) << cta->grid->slot;
		preempt_counts_of(mine, cta)->flushed_blocks++;
		preempt_counts_of(mine, cta)->lost_cycles += now - cta->start_cycle;
		hd_cta_requeue(sm, cta, now);
	} else {
		preempt_counts_of(mine, cta)->drained_blocks++;
	}
}

/* ---- requests */

/* Those that have a place, and whose grid is not more urgent. */
bool preempt_may_leave(const struct hd_cta *cta, int least)
{
	return cta->used && !cta->killed && !(cta->away & HD_PART_SLOT) && cta->grid->priority >= least;
}

void preempt_begin(const struct hd_policy_handle *self, struct hd_sm *sm, uint32_t grid, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	mine->state = PREEMPT_OUT;
	mine->grid = grid;
	mine->requested = mine->stopped = now;
	mine->leaving = 1; /* until all of them are under way */
}

static void note_flushes(struct preempt_sm *mine)
{
	for (uint32_t slot = 0; slot < HD_MAX_GRIDS; slot++)
		if (mine->flushing >> slot & 1)
			mine->flushed[slot] = mine->retired[slot] + 1;
	mine->flushing = 0;
}

void preempt_begun(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	note_flushes(preempt_sm_of(self, sm));
	preempt_one_less(self, sm, now);
}

static void request(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	const int all = INT32_MIN;
	struct hd_cta *any = NULL;
	for (uint32_t i = 0; i < sm->cta_count && !any; i++)
		any = preempt_may_leave(&sm->ctas[i], all) ? &sm->ctas[i] : NULL;
	if (mine->state != PREEMPT_IDLE || !any) {
		uint32_t slot = any ? any->grid->slot : mine->owner;
		++*(mine->state != PREEMPT_IDLE ? &mine->counts[slot].dropped : &mine->counts[slot].idle);
		return;
	}
	preempt_begin(self, sm, HD_MAX_GRIDS, now);
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (preempt_may_leave(&sm->ctas[i], all))
			preempt_take(self, sm, &sm->ctas[i], HD_PART_REGISTERS | HD_PART_SHARED, now);
	preempt_begun(self, sm, now);
}

static bool has_blocks_left(const struct hd_grid *grid)
{
	return grid->cta_next < grid->cta_total || grid->requeued.len;
}

/* Blocks that the grid has left could start here, if others left. */
bool preempt_can_start(const struct hd_sm *sm, const struct hd_grid *grid)
{
	bool known = sm->resident_ctas < sm->cta_count && sm->resident_warps + grid->block_warps <= sm->warp_count;
	return known && has_blocks_left(grid);
}

/* Blocks of the grid that have left this SM. */
uint32_t preempt_count_away(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < sm->cta_count; i++)
		count += sm->ctas[i].used && sm->ctas[i].grid == grid &&
			 preempt_cta_of(self, &sm->ctas[i])->phase == PREEMPT_GONE;
	return count;
}

/* How many more blocks of the grid the SM is to have in a place. */
static uint32_t wanted(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct hd_sm_grid *mine = &sm->grids[grid->slot];
	uint64_t left = grid->cta_total - grid->cta_next, share = grid->cta_share < left ? grid->cta_share : left;
	uint32_t most = mine->limit > mine->placed ? mine->limit - mine->placed : 0;
	share += preempt_count_away(self, sm, grid);
	return (uint32_t)(share < most ? share : most);
}

/* The parts that block `index` gives up, beside slots and stacks. */
static uint8_t parts_of(const struct preempt_gpu *preempt, uint64_t registers, uint64_t shared, uint32_t index)
{
	if (!preempt->in_place)
		return HD_PART_REGISTERS | HD_PART_SHARED;
	return (registers >> index & 1 ? HD_PART_REGISTERS : 0) | (shared >> index & 1 ? HD_PART_SHARED : 0);
}

/* Blocks of grids that are not more urgent than `least` leave for this one. False: there are none. */
static bool make_room(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid, int least,
		      uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	uint32_t count = wanted(self, sm, grid), victims = 0, shared_bytes = sm->grids[grid->slot].shared_per_cta;
	bool fewest = hd_policy_setting(self, sm->gpu, PREEMPT_FEWEST) != 0;
	uint64_t registers = preempt_table_victims(&mine->registers, count, preempt_rows_of(sm, grid), fewest);
	uint64_t shared = preempt_table_victims(&mine->shared, count, shared_bytes, fewest);
	for (uint32_t i = 0; i < sm->cta_count; i++)
		victims += sm->ctas[i].grid != grid && preempt_may_leave(&sm->ctas[i], least);
	if (!victims)
		return false;
	preempt_begin(self, sm, grid->slot, now);
	for (uint32_t i = 0; i < sm->cta_count; i++)
		if (sm->ctas[i].grid != grid && preempt_may_leave(&sm->ctas[i], least))
			preempt_take(self, sm, &sm->ctas[i],
				     parts_of(preempt_gpu_of(self, sm->gpu), registers, shared, i), now);
	preempt_begun(self, sm, now);
	return true;
}

static bool is_busy(const struct preempt_sm *mine)
{
	return mine->state == PREEMPT_OUT || mine->state == PREEMPT_BACK;
}

static void request_for(const struct hd_policy_handle *self, struct hd_sm *sm, uint32_t slot, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	const struct hd_grid *grid = sm->grids[slot].grid;
	if (!grid || !grid->running || !has_blocks_left(grid))
		return;
	if (is_busy(mine)) /* after what is under way */
		hd_policy_at(self, sm, now + LOOK_AGAIN, preempt_about(PREEMPT_FOR_GRID, slot));
	else if (!hd_sm_has_room(sm, grid))
		make_room(self, sm, grid, grid->priority + 1, now);
	else if (mine->state == PREEMPT_AWAY)
		mine->grid = slot; /* those that are away do not take it */
}

/* ---- time slices */

static void set_turn(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t at)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	if (!preempt_gpu_of(self, sm->gpu)->slice || mine->sliced || !sm->resident_ctas)
		return;
	hd_policy_at(self, sm, at, preempt_about(PREEMPT_TURN, 0));
	mine->sliced = true;
}

/* The SM is the next grid's that has something to do on it. */
static void take_turn(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	for (uint32_t i = 1; i < HD_MAX_GRIDS; i++) {
		uint32_t slot = (mine->turn + i) % HD_MAX_GRIDS;
		const struct hd_grid *grid = sm->grids[slot].grid;
		if (!grid || !grid->running || (!preempt_can_start(sm, grid) && !preempt_count_away(self, sm, grid)))
			continue;
		mine->turn = slot;
		make_room(self, sm, grid, grid->priority, now);
		break;
	}
}

static void end_slice(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	bool busy = is_busy(mine);
	mine->sliced = false;
	if (!busy)
		take_turn(self, sm, now);
	set_turn(self, sm, now + (busy ? LOOK_AGAIN : preempt_gpu_of(self, sm->gpu)->slice));
}

/* Whether it is another grid's time slice, which has blocks left for it. */
static bool is_others_turn(const struct preempt_sm *mine, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct hd_grid *turn = sm->grids[mine->turn].grid;
	return mine->sliced && turn && turn != grid && turn->running && preempt_can_start(sm, turn) &&
	       turn->priority <= grid->priority;
}

/* ---- blocks come back */

/* The SM is the grid's for which others left as long as that has blocks there, or some left that could start. */
static bool is_wanted(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct preempt_sm *mine,
		      const struct hd_cta *cta)
{
	if (preempt_gpu_of(self, sm->gpu)->share_cycles && preempt_share_keeps_away(self, sm, cta))
		return true;
	const struct hd_grid *grid = mine->grid < HD_MAX_GRIDS ? sm->grids[mine->grid].grid : NULL;
	if (!grid || !grid->running || grid == cta->grid)
		return false;
	return sm->grids[grid->slot].placed || preempt_can_start(sm, grid);
}

void preempt_look_for_room(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	if (mine->state != PREEMPT_AWAY && mine->state != PREEMPT_BACK)
		return;
	struct hd_cta *holder = NULL;
	uint32_t waiting = 0;
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		struct hd_cta *cta = &sm->ctas[i];
		if (!cta->used || preempt_cta_of(self, cta)->phase != PREEMPT_GONE || is_wanted(self, sm, mine, cta))
			continue;
		if (preempt_bring_back(self, sm, cta, now)) {
			mine->state = PREEMPT_BACK;
			continue;
		}
		waiting++;
		if (!holder && (preempt_cta_of(self, cta)->parts & BOTH) != BOTH)
			holder = cta;
	}
	if (mine->state == PREEMPT_AWAY && !sm->places.placed_ctas && waiting && holder)
		preempt_let_go(self, sm, holder);
	if (mine->state == PREEMPT_AWAY && !sm->places.placed_ctas && !mine->looks) {
		hd_policy_at(self, sm, now + LOOK_AGAIN, preempt_about(PREEMPT_LOOK, 0));
		mine->looks = true; /* others may have taken the blocks that it waits for */
	}
}

void preempt_finish_request(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	struct preempt_counts *counts = &mine->counts[mine->owner];
	counts->requests++;
	counts->drain_cycles += mine->stopped - mine->requested;
	counts->spill_cycles += mine->away ? now - mine->stopped : 0;
	counts->preempt_cycles += now - mine->requested;
	counts->longest = now - mine->requested > counts->longest ? now - mine->requested : counts->longest;
	mine->left = now;
	mine->state = mine->away ? PREEMPT_AWAY : PREEMPT_IDLE;
	if (mine->away && mine->grid == HD_MAX_GRIDS)
		preempt_look_for_room(self, sm, now);
	else if (mine->away)
		look_soon(self, sm, now);
	hd_sm_request_dispatch(sm);
}

/* ---- the rest of the hooks */

static void on_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	uint32_t index = (uint32_t)arg;
	switch ((enum preempt_what)(arg >> PREEMPT_WHAT_SHIFT)) {
	case PREEMPT_REQUEST:
		mine->alarmed = false;
		request(self, sm, now);
		set_request(self, sm, now);
		break;
	case PREEMPT_FOR_GRID: request_for(self, sm, index, now); break;
	case PREEMPT_TURN: end_slice(self, sm, now); break;
	case PREEMPT_LOOK:
		mine->looks = false;
		preempt_look_for_room(self, sm, now);
		break;
	case PREEMPT_SHARES:
		mine->shares = false;
		preempt_share_look(self, sm, now);
		set_share(self, sm, now);
		break;
	case PREEMPT_REGISTERS: preempt_send_registers(self, sm, &sm->warps[index]); break; /* when compressed */
	case PREEMPT_SHARED:
	case PREEMPT_STACKS: break; /* of transfers alone */
	}
}

/* While blocks leave, are away or come back, no other starts but those of the grid that they leave for. */
static uint32_t quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct preempt_sm *mine = preempt_sm_of(self, sm);
	if (preempt_gpu_of(self, sm->gpu)->share_cycles && mine->grid == HD_MAX_GRIDS)
		return preempt_share_quota(self, sm);
	bool theirs = mine->state == PREEMPT_IDLE || (mine->state == PREEMPT_AWAY && mine->grid == grid->slot);
	return theirs && !is_others_turn(mine, sm, grid) ? UINT32_MAX : 0;
}

static void cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	preempt_take_ranges(self, sm, cta, HD_PART_REGISTERS | HD_PART_SHARED);
	set_request(self, sm, sm->now);
	set_turn(self, sm, sm->now + preempt_gpu_of(self, sm->gpu)->slice);
	set_share(self, sm, sm->now);
}

static void forget(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	preempt_table_free(&mine->registers, (uint32_t)(cta - sm->ctas));
	preempt_table_free(&mine->shared, (uint32_t)(cta - sm->ctas));
	if (is_leaving(preempt_cta_of(self, cta))) {
		preempt_cta_of(self, cta)->phase = PREEMPT_HERE;
		mine->stopped = sm->now;
		preempt_one_less(self, sm, sm->now);
	}
	if (mine->state == PREEMPT_AWAY || mine->state == PREEMPT_BACK)
		look_soon(self, sm, sm->now);
}

static void cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	struct preempt_cta *block = preempt_cta_of(self, cta);
	mine->retired[cta->grid->slot]++;
	mine->issued[cta->grid->slot] += block->issued;
	if (block->phase == PREEMPT_STOPS || block->phase == PREEMPT_LEAVES)
		preempt_counts_of(mine, cta)->drained_blocks++; /* it had no point any more before its end */
	forget(self, sm, cta);
}

static void cta_kill(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	forget(self, sm, cta);
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	(void)inst, (void)effect, (void)now;
	preempt_cta_of(self, warp->cta)->issued++;
}

static void grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	bool others = false;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		others |= gpu->grids.data[i]->running && gpu->grids.data[i]->priority > grid->priority;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct preempt_sm *mine = preempt_sm_of(self, gpu->sms[i]);
		memset(&mine->counts[grid->slot], 0, sizeof(mine->counts[grid->slot]));
		mine->retired[grid->slot] = mine->issued[grid->slot] = mine->flushed[grid->slot] = 0;
		if (others)
			hd_policy_at(self, gpu->sms[i], gpu->now + 1, preempt_about(PREEMPT_FOR_GRID, grid->slot));
	}
}

static void grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	preempt_sum_counts(self, gpu, grid, &preempt_gpu_of(self, gpu)->total);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct preempt_sm *mine = preempt_sm_of(self, gpu->sms[i]);
		if (gpu->running) { /* others may have their place now */
			if (mine->state == PREEMPT_AWAY || mine->state == PREEMPT_BACK)
				look_soon(self, gpu->sms[i], gpu->now);
			continue;
		}
		mine->alarmed = mine->looks = mine->sliced = mine->shares = false;
		mine->state = PREEMPT_IDLE;
		mine->grid = HD_MAX_GRIDS;
		mine->leaving = mine->away = mine->returning = mine->moving = 0;
		mine->registers.count = mine->shared.count = 0;
	}
}

static const struct hd_policy_setting settings[] = {
	[PREEMPT_INTERVAL] = {"interval",
			      "cycles between preemption requests, to one SM after the other; 0: no requests, as with "
			      "policies that share SMs (2.5.1)",
			      10000, 0, 1e12},
	[PREEMPT_SEED] = {"seed",
			  "seed for requests at random times, at the same rate; 0: to one SM after the other (ours)", 0,
			  0, 4294967295.0},
	[PREEMPT_MOST] = {"most", "cycle after which no requests are made (2.5.1)", 200e6, 0, 1e15},
	[PREEMPT_SLICE] =
		{"slice",
		 "time slice: cycles after which an SM passes to another grid in flight; 0: no time slices (ours)", 0,
		 0, 1e12},
	[PREEMPT_LATENCY] = {"compressor_latency", "latency of the pipelined compressor, cycles (2.3.3)", 2, 0, 1000},
	[PREEMPT_FEWEST] = {"fewest",
			    "in-place: 1: as few blocks as possible leave; 0: the first ones of the table (2.3.1)", 0,
			    0, 1},
	[PREEMPT_DRAIN_ABOVE] = {"drain_above",
				 "integrated: blocks beyond this part of their instructions are drained (assumed)", 0.8,
				 0, 1e9},
	[PREEMPT_FLUSH_BELOW] = {"flush_below",
				 "integrated: blocks before this part of their instructions are flushed (assumed)", 0.2,
				 0, 1e9},
	[PREEMPT_SHARE] = {"share_cycles",
			   "with a policy that gives kernels shares of an SM: cycles between checks for blocks beyond "
			   "their share (ours)",
			   200, 1, 1e12},
	[PREEMPT_BEYOND] = {"beyond_share",
			    "with a policy that gives kernels shares of an SM: cycles after which absent blocks return "
			    "although their kernel has its share (ours)",
			    100000, 1, 1e12},
	{0},
};

const struct hd_policy_hooks hd_hooks_preempt = {
	.moves = true,
	.own_quota = true,
	.facts = true,
	.several_grids = true,
	.spare_warps = 64,
	.spare_ctas = 32,
	.gpu_bytes = sizeof(struct preempt_gpu),
	.sm_bytes = sizeof(struct preempt_sm),
	.cta_bytes = sizeof(struct preempt_cta),
	.warp_bytes = sizeof(struct preempt_warp),
	.settings = settings,
	.configure = configure,
	.start = start,
	.decode = preempt_decode,
	.issue.fetch = preempt_fetch,
	.issue.code_place = preempt_code_place,
	.grid_begin = grid_begin,
	.allocation.quota = quota,
	.allocation.cta_launch = cta_launch,
	.allocation.cta_retire = cta_retire,
	.contexts.cta_kill = cta_kill,
	.contexts.stopped = preempt_stopped,
	.contexts.drained = preempt_drained,
	.issue.barrier_wait = preempt_barrier_wait,
	.allocation.warp_done = preempt_warp_done,
	.issue.issued = issued,
	.alarm = on_alarm,
	.grid_end = grid_end,
	.observation.why_held = preempt_why_held,
	.observation.report = preempt_report,
	.observation.reported = preempt_reported,
};
