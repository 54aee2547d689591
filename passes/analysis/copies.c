/*
 * Copies in bulk in flight while their warps work (copies.h).
 *
 * A copy is in flight from the instruction that starts it until its thread waits for its barrier. Whatever is not
 * proven below is unproven. So is each wait that may fail and go on: proven is only what stands behind a loop that
 * repeats one wait, for one barrier, until it succeeds.
 *
 * A wait is ahead where all paths from some copy reach work behind the wait in the same turn of the loop, and none of
 * them waits for the copy. Either the copy is started behind the wait, or the wait is for a barrier that provably
 * differs. Branches may pass the copy by only on the thread's number or on the loop's bound.
 *
 * A wait in a loop that starts no copies may be ahead by those of other warps (roles.h).
 *
 * A wait is serial where every copy of the function is waited for, at one address that is a number, on all paths from
 * the copy to work behind the wait.
 *
 * Addresses are sums (sums.h), which are compared within a turn.
 */
#include "passes/analysis/copies.h"

#include "heddle/opcodes.h"
#include "lib/bitset.h"
#include "passes/analysis/roles.h"

enum {
	MOST = 64, /* copies, and waits; functions with more are unproven */
	SCANS = 64 /* of the whole code; then all is unproven */
};

struct copies {
	const struct hd_flow *flow;
	struct hd_arena arena;
	uint8_t *steps; /* by instruction, enum hd_copy_step */
	struct hd_copy_site *starts, *waits;
	uint32_t start_count, wait_count;
	struct hd_turns turns;
	uint64_t *flying;      /* by block, at its begin: copies that may be in flight */
	uint64_t *killed;      /* by edge */
	uint32_t *first_start; /* by block: its first copy; HD_NO_NODE: it starts none */
	struct hd_bitset more; /* blocks from whose begin a copy may still be started */
	bool calls, arrives, odd;
	struct hd_writers_search search; /* what it has left holds for all of the analysis */
};

/* ---------------------------------------------------------------- starts and waits */

static enum hd_copy_step step_of(const struct hd_flow *flow, uint32_t inst)
{
	const struct hd_inst *code = &flow->function->insts[inst];
	const struct hd_opinfo *info = &hd_opinfo[code->op];
	if (hd_starts_bulk_load(code))
		return HD_COPY_START;
	if (code->op == HD_OP_SYNCS_WAIT)
		return HD_COPY_WAIT;
	if (hd_flow_calls(flow, inst))
		return HD_COPY_CALL;
	if (info->effects & HD_FX_BARRIER || code->op == HD_OP_WARPSYNC || code->op == HD_OP_CGABAR_WAIT)
		return HD_COPY_SYNC;
	bool accesses = info->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC) && info->space != HD_AT_CONST &&
			info->space != HD_AT_LOCAL;
	bool computes = info->pipe == HD_PIPE_FP32 || info->pipe == HD_PIPE_FP64 || info->pipe == HD_PIPE_SFU ||
			info->pipe == HD_PIPE_TENSOR || code->op == HD_OP_WGMMA;
	return accesses || computes ? HD_COPY_WORK : HD_COPY_NOTHING;
}

bool hd_starts_bulk_load(const struct hd_inst *inst)
{
	uint32_t way = hd_mod_get(inst->mods, HD_MOD_BULK);
	return inst->op == HD_OP_UTMALDG || (inst->op == HD_OP_UBLKCP && (way == HD_BULK_G2S || way == HD_BULK_S2S));
}

/* Someone arrives at a barrier who may have waited for a copy before. */
static bool arrives(const struct hd_inst *code)
{
	uint32_t what = hd_mod_get(code->mods, HD_MOD_SYNCSOP);
	return code->op == HD_OP_ARRIVES ||
	       (code->op == HD_OP_SYNCS && what != HD_SYNCS_INIT && what != HD_SYNCS_INVAL &&
		what != HD_SYNCS_ARRIVE_TX && what != HD_SYNCS_EXPECT_TX);
}

static void find_steps(struct copies *copies)
{
	const struct hd_flow *flow = copies->flow;
	uint32_t count = flow->function->inst_count;
	copies->steps = HD_ARENA_NEW(&copies->arena, uint8_t, count);
	for (uint32_t i = 0; i < count; i++) {
		bool reached = flow->position[flow->block_of[i]] != HD_NO_NODE;
		copies->steps[i] = reached ? step_of(flow, i) : HD_COPY_NOTHING;
		copies->start_count += copies->steps[i] == HD_COPY_START;
		copies->wait_count += copies->steps[i] == HD_COPY_WAIT;
		copies->calls |= copies->steps[i] == HD_COPY_CALL;
		copies->arrives |= arrives(&flow->function->insts[i]);
	}
	for (uint32_t l = 0; l < flow->loops.count; l++)
		copies->odd |= flow->loops.loops[l].irreducible;
}

static void find_sites(struct copies *copies)
{
	const struct hd_flow *flow = copies->flow;
	uint32_t starts = 0, waits = 0;
	copies->starts = HD_ARENA_NEW(&copies->arena, struct hd_copy_site, copies->start_count);
	copies->waits = HD_ARENA_NEW(&copies->arena, struct hd_copy_site, copies->wait_count);
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		const struct hd_inst *code = &flow->function->insts[i];
		if (copies->steps[i] != HD_COPY_START && copies->steps[i] != HD_COPY_WAIT)
			continue;
		struct hd_copy_site site = {.inst = i,
					    .block = flow->block_of[i],
					    .loop = flow->loops.loop_of[flow->block_of[i]]};
		if (copies->steps[i] == HD_COPY_WAIT)
			site.address = hd_sum_plus(hd_sum_of(&copies->search, i, code->a), code->x);
		else if (code->op == HD_OP_UTMALDG || hd_mod_get(code->mods, HD_MOD_BULK) == HD_BULK_G2S)
			site.address = hd_sum_of(&copies->search, i, code->a + 3u);
		*(copies->steps[i] == HD_COPY_WAIT ? &copies->waits[waits++] : &copies->starts[starts++]) = site;
	}
}

static bool writes_in_loop(struct copies *copies, const struct hd_loop *loop, unsigned reg)
{
	for (uint32_t n = 0; reg != HD_RZ && n < loop->node_count; n++) {
		const struct hd_flow_block *block = &copies->flow->blocks[loop->nodes[n]];
		for (uint32_t i = block->first; i < block->first + block->count; i++) {
			struct hd_flow_effects effects;
			hd_flow_effects(copies->flow, i, &effects);
			copies->search.left--;
			if (hd_regset_has(&effects.writes, reg))
				return true;
		}
	}
	return false;
}

/* The loop of the wait has nothing else, is left only behind the wait, and only where the wait succeeded. */
static bool only_waits(struct copies *copies, const struct hd_copy_site *wait, const struct hd_loop *loop)
{
	const struct hd_flow *flow = copies->flow;
	const struct hd_graph *graph = &flow->graph;
	uint32_t number = (uint32_t)(loop - flow->loops.loops), last = hd_flow_last(flow, wait->block);
	const struct hd_inst *code = &flow->function->insts[wait->inst], *branch = &flow->function->insts[last];
	for (uint32_t n = 0; n < loop->node_count; n++) {
		uint32_t block = loop->nodes[n];
		for (uint32_t i = flow->blocks[block].first; i <= hd_flow_last(flow, block); i++)
			if (copies->steps[i] != HD_COPY_NOTHING && i != wait->inst)
				return false;
		for (uint32_t k = graph->succ_start[block]; k < graph->succ_start[block + 1]; k++)
			if (block != wait->block && !hd_flow_in_loop(flow, graph->succ[k], number))
				return false;
	}
	for (uint32_t i = wait->inst + 1; i < last; i++) {
		struct hd_flow_effects effects;
		hd_flow_effects(flow, i, &effects);
		if (effects.writes.preds >> code->pdst & 1)
			return false;
	}
	if (branch->op != HD_OP_BRA || (branch->guard & ~HD_PRED_NOT) != code->pdst || code->pdst == HD_PT)
		return false;
	/* The branch is taken back on failure, or out on success. */
	return hd_flow_in_loop(flow, flow->block_of[branch->x], number) == ((branch->guard & HD_PRED_NOT) != 0) &&
	       graph->succ_start[wait->block + 1] - graph->succ_start[wait->block] == 2;
}

static void find_clean_waits(struct copies *copies)
{
	const struct hd_flow *flow = copies->flow;
	for (uint32_t w = 0; w < copies->wait_count; w++) {
		struct hd_copy_site *wait = &copies->waits[w];
		const struct hd_inst *code = &flow->function->insts[wait->inst];
		if (wait->loop == HD_NO_NODE || code->guard != HD_PT)
			continue;
		const struct hd_loop *loop = &flow->loops.loops[wait->loop];
		wait->clean = only_waits(copies, wait, loop) && !writes_in_loop(copies, loop, code->a) &&
			      !writes_in_loop(copies, loop, code->b);
		if (wait->clean)
			wait->loop = loop->parent;
	}
}

/* ---------------------------------------------------------------- paths */

static bool ends_in(const struct copies *copies, uint32_t block, uint32_t at)
{
	return hd_dominates(copies->turns.ends, copies->turns.end_depth, at, block);
}

/* A wait by other threads than the copy's could come before what its own threads wait for. */
static bool all_in_line(const struct copies *copies, const struct hd_copy_site *start)
{
	for (uint32_t w = 0; w < copies->wait_count; w++)
		if (!hd_flow_precedes(copies->flow, copies->waits[w].block, start->block) &&
		    !ends_in(copies, start->block, copies->waits[w].block))
			return false;
	return true;
}

/* ---------------------------------------------------------------- ahead */

struct lead {
	struct copies *copies;
	const struct hd_copy_site *start, *wait;
	bool works, fails;
};

static const struct hd_copy_site *wait_at(const struct copies *copies, uint32_t inst)
{
	uint32_t w = 0;
	while (copies->waits[w].inst != inst)
		w++;
	return &copies->waits[w];
}

static bool visit_lead(void *context, uint32_t inst)
{
	struct lead *lead = context;
	struct copies *copies = lead->copies;
	const struct hd_flow *flow = copies->flow;
	uint32_t block = flow->block_of[inst];
	const struct hd_inst *code = &flow->function->insts[inst];
	if (lead->fails)
		return false;
	if (inst == flow->blocks[flow->loops.loops[lead->start->loop].header].first || hd_flow_leaves(code) ||
	    copies->steps[inst] == HD_COPY_SYNC || copies->steps[inst] == HD_COPY_CALL) {
		lead->fails = true;
		return false;
	}
	if (copies->steps[inst] == HD_COPY_WAIT) {
		const struct hd_copy_site *wait = wait_at(copies, inst);
		bool behind = wait != lead->wait && hd_flow_precedes(copies->flow, lead->wait->block, block);
		lead->fails = behind || copies->arrives || !hd_sum_is_other(&wait->address, &lead->start->address);
		return !lead->fails;
	}
	copies->search.left -= copies->steps[inst] == HD_COPY_WORK ? flow->idom_depth[block] / 16 : 0;
	if (copies->steps[inst] == HD_COPY_WORK && code->guard == HD_PT && block != lead->wait->block &&
	    hd_flow_precedes(copies->flow, lead->wait->block, block)) {
		lead->works = true;
		return false;
	}
	return true;
}

static bool is_ahead(struct copies *copies, const struct hd_copy_site *wait)
{
	for (uint32_t s = 0; s < copies->start_count; s++) {
		const struct hd_copy_site *start = &copies->starts[s];
		if (wait->loop == HD_NO_NODE || start->loop != wait->loop ||
		    copies->flow->function->insts[start->inst].guard != HD_PT || !start->in_line)
			continue;
		struct lead lead = {.copies = copies, .start = start, .wait = wait};
		hd_writers_follow(&copies->search, start->inst, visit_lead, &lead);
		if (lead.works && !lead.fails && hd_turns_come_to(&copies->turns, start->block, wait->loop))
			return true;
	}
	return false;
}

/* Other warps bring what the wait is for, and may be ahead. */
static bool is_fed(struct copies *copies, const struct hd_copy_site *wait)
{
	struct hd_roles roles = {.turns = &copies->turns,
				 .steps = copies->steps,
				 .starts = copies->starts,
				 .waits = copies->waits,
				 .start_count = copies->start_count,
				 .wait_count = copies->wait_count};
	return hd_roles_feed(&roles, wait);
}

/* ---------------------------------------------------------------- serial */

/* Copies for which each thread waits on all paths, at an address that is a number. */
static void find_kills(struct copies *copies)
{
	for (uint32_t w = 0; w < copies->wait_count; w++)
		for (uint32_t s = 0; copies->waits[w].clean && s < copies->start_count; s++) {
			struct hd_copy_site *wait = &copies->waits[w], *start = &copies->starts[s];
			if (!wait->address.term && hd_sum_is_same(&wait->address, &start->address) &&
			    ends_in(copies, start->block, wait->block))
				wait->kills |= UINT64_C(1) << s;
		}
}

static bool spread_block(struct copies *copies, uint32_t block)
{
	const struct hd_graph *graph = &copies->flow->graph;
	uint64_t flying = copies->flying[block];
	bool changed = false;
	for (uint32_t s = 0; s < copies->start_count; s++)
		if (copies->starts[s].block == block)
			flying |= UINT64_C(1) << s;
	for (uint32_t k = graph->succ_start[block]; k < graph->succ_start[block + 1]; k++) {
		uint64_t *to = &copies->flying[graph->succ[k]], now = *to | (flying & ~copies->killed[k]);
		changed |= now != *to;
		*to = now;
	}
	return changed;
}

static void find_flying(struct copies *copies)
{
	const struct hd_flow *flow = copies->flow;
	const struct hd_graph *graph = &flow->graph;
	copies->flying = HD_ARENA_NEW(&copies->arena, uint64_t, flow->block_count);
	copies->killed = HD_ARENA_NEW(&copies->arena, uint64_t, graph->edges);
	for (uint32_t w = 0; w < copies->wait_count; w++) {
		uint32_t block = copies->waits[w].block, loop = flow->loops.loop_of[block];
		for (uint32_t k = graph->succ_start[block]; copies->waits[w].clean && k < graph->succ_start[block + 1];
		     k++)
			if (!hd_flow_in_loop(flow, graph->succ[k], loop))
				copies->killed[k] |= copies->waits[w].kills;
	}
	for (bool changed = true; changed && !hd_writers_search_is_done(&copies->search);) {
		changed = false;
		for (uint32_t i = 0; i < flow->rpo_count; i++)
			changed |= spread_block(copies, flow->rpo[i]);
		copies->search.left -= flow->rpo_count;
	}
	copies->first_start = HD_ARENA_NEW(&copies->arena, uint32_t, flow->block_count);
	memset(copies->first_start, 0xff, flow->block_count * sizeof(*copies->first_start));
	for (uint32_t s = copies->start_count; s-- > 0;)
		copies->first_start[copies->starts[s].block] = copies->starts[s].inst;
	copies->more = hd_bitset_new(&copies->arena, flow->block_count);
	uint32_t queued = 0;
	for (uint32_t s = 0; s < copies->start_count; s++)
		if (!hd_bitset_has(&copies->more, copies->starts[s].block)) {
			hd_bitset_add(&copies->more, copies->starts[s].block);
			copies->search.queue[queued++] = copies->starts[s].block;
		}
	for (uint32_t i = 0; i < queued; i++)
		for (uint32_t k = graph->pred_start[copies->search.queue[i]];
		     k < graph->pred_start[copies->search.queue[i] + 1]; k++)
			if (!hd_bitset_has(&copies->more, graph->pred[k])) {
				hd_bitset_add(&copies->more, graph->pred[k]);
				copies->search.queue[queued++] = graph->pred[k];
			}
}

struct lull {
	struct copies *copies;
	const struct hd_copy_site *wait;
	struct hd_bitset *early; /* instructions before the next barrier of the block */
	bool works, fails;
};

static bool visit_early(void *context, uint32_t inst)
{
	struct lull *lull = context;
	enum hd_copy_step step = lull->copies->steps[inst];
	const struct hd_inst *code = &lull->copies->flow->function->insts[inst];
	bool all = code->op == HD_OP_BAR && code->guard == HD_PT && code->xkind == HD_X_NONE && code->b == HD_RZ &&
		   code->c == HD_RZ && hd_mod_get(code->mods, HD_MOD_BARMODE) != HD_BAR_ARV;
	hd_bitset_add(lull->early, inst);
	lull->fails |= step == HD_COPY_START;
	return step != HD_COPY_WAIT && step != HD_COPY_START && !all;
}

static bool visit_lull(void *context, uint32_t inst)
{
	struct lull *lull = context;
	struct copies *copies = lull->copies;
	uint32_t block = copies->flow->block_of[inst];
	if (copies->steps[inst] == HD_COPY_WORK) {
		bool later = !hd_bitset_has(lull->early, inst) && hd_bitset_has(&copies->more, block);
		lull->works = true;
		copies->search.left -= later ? copies->turns.end_depth[block] / 16 : 0;
		lull->fails |= copies->flying[block] || inst > copies->first_start[block] ||
			       (later && !ends_in(copies, lull->wait->block, block));
	}
	return copies->steps[inst] != HD_COPY_WAIT;
}

/* Each copy is waited for before, or by this wait. */
static bool awaits_all(const struct copies *copies, const struct hd_copy_site *wait)
{
	uint64_t done = 0;
	for (uint32_t w = 0; w < copies->wait_count; w++)
		if (&copies->waits[w] == wait || hd_flow_precedes(copies->flow, copies->waits[w].block, wait->block))
			done |= copies->waits[w].kills;
	return done == UINT64_MAX >> (MOST - copies->start_count);
}

/* `early` is empty, and is so again behind it. */
static bool is_serial(struct copies *copies, const struct hd_copy_site *wait, struct hd_bitset *early)
{
	struct lull lull = {.copies = copies, .wait = wait, .early = early};
	if (!awaits_all(copies, wait))
		return false;
	hd_writers_follow(&copies->search, wait->inst, visit_early, &lull);
	if (!lull.fails)
		hd_writers_follow(&copies->search, wait->inst, visit_lull, &lull);
	copies->search.left -= early->bits / 64;
	hd_bitset_clear(early);
	return lull.works && !lull.fails;
}

/* ---------------------------------------------------------------- verdicts */

struct judged {
	const struct copies *copies;
	bool more, works; /* copies are started behind the wait; there is work up to the next wait */
};

static bool visit_more(void *context, uint32_t inst)
{
	struct judged *judged = context;
	judged->more |= judged->copies->steps[inst] == HD_COPY_START;
	return !judged->more;
}

static bool visit_work(void *context, uint32_t inst)
{
	struct judged *judged = context;
	enum hd_copy_step step = judged->copies->steps[inst];
	judged->works |= step == HD_COPY_WORK || step == HD_COPY_CALL;
	return step != HD_COPY_WAIT && !judged->works;
}

static void judge(struct copies *copies, const struct hd_copy_site *wait, struct hd_bitset *early,
		  struct hd_copies *result)
{
	struct judged judged = {.copies = copies};
	hd_writers_follow(&copies->search, wait->inst, visit_more, &judged);
	if (judged.more || wait->loop != HD_NO_NODE)
		hd_writers_follow(&copies->search, wait->inst, visit_work, &judged);
	if (!judged.works)
		return;
	bool open = copies->calls || copies->odd || !wait->clean;
	/* A loop that only waits takes what other warps bring. */
	bool ahead = !open && (judged.more ? is_ahead(copies, wait) : is_fed(copies, wait));
	bool serial = !open && judged.more && !ahead && is_serial(copies, wait, early);
	result->ahead += ahead;
	result->serial += serial;
	result->unproven += !ahead && !serial;
}

static void judge_all(struct copies *copies, struct hd_copies *result)
{
	const struct hd_flow *flow = copies->flow;
	struct hd_bitset early = hd_bitset_new(&copies->arena, flow->function->inst_count);
	copies->turns.ends = hd_graph_post_dominators(&flow->graph, &copies->arena);
	copies->turns.end_depth = hd_dominator_depths(copies->turns.ends, flow->block_count, &copies->arena);
	copies->search = hd_writers_search_new(flow, (int64_t)SCANS * flow->function->inst_count, &copies->arena);
	copies->turns.search = &copies->search;
	find_sites(copies);
	find_clean_waits(copies);
	for (uint32_t i = 0; i < copies->start_count; i++)
		copies->starts[i].in_line = all_in_line(copies, &copies->starts[i]);
	find_kills(copies);
	find_flying(copies);
	for (uint32_t w = 0; w < copies->wait_count && !hd_writers_search_is_done(&copies->search); w++)
		judge(copies, &copies->waits[w], &early, result);
	if (hd_writers_search_is_done(&copies->search))
		*result = (struct hd_copies){.unproven = copies->wait_count};
}

struct hd_copies hd_flow_copies(const struct hd_flow *flow, bool elsewhere)
{
	struct hd_copies result = {0};
	struct copies copies = {.flow = flow};
	uint32_t starts = 0, waits = 0;
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		starts += hd_starts_bulk_load(&flow->function->insts[i]);
		waits += flow->function->insts[i].op == HD_OP_SYNCS_WAIT;
	}
	if (!waits || (!starts && !elsewhere))
		return result;
	if (elsewhere || starts > MOST || waits > MOST)
		return (struct hd_copies){.unproven = waits};
	hd_arena_init(&copies.arena);
	find_steps(&copies);
	if (copies.start_count && copies.wait_count)
		judge_all(&copies, &result);
	hd_arena_release(&copies.arena);
	return result;
}
