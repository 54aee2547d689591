/*
 * One function's flow: blocks and their graph, the registers of each instruction with the ABI's
 * share, and live registers at block ends by backward data flow over 255 registers and 7
 * predicates. Needs a verified struct hd_function; linear in the code, its jump tables and the
 * depth of its loops. Where lanes reconverge behind a branch stands in the branch (passes/graph/reconvergence.c).
 *
 * Liveness is that of one thread (gpu-multiprogramming-lin, 2.3.2 "the traditional liveness
 * analysis without considering thread divergence"); liveness.c adds divergence.
 */
#include "passes/analysis/flow.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "lib/vec.h"
#include "passes/graph/dataflow.h"

/* ---- blocks and their graph */

bool hd_flow_leaves(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].effects & (HD_FX_RET | HD_FX_EXIT) || inst->op == HD_OP_TRAP;
}

static void find_blocks(struct hd_flow *flow, struct hd_arena *arena)
{
	uint32_t count = flow->function->inst_count;
	struct hd_bitset leaders = hd_function_leaders(flow->function, arena);
	flow->blocks = HD_ARENA_NEW(arena, struct hd_flow_block, hd_bitset_count(&leaders) + 1);
	flow->block_of = HD_ARENA_NEW(arena, uint32_t, count);
	for (uint32_t i = 0; i < count; i++) {
		if (hd_bitset_has(&leaders, i))
			flow->blocks[flow->block_count++].first = i;
		flow->block_of[i] = flow->block_count - 1;
		flow->blocks[flow->block_count - 1].count++;
	}
}

struct edges {
	HD_VEC(struct hd_edge) list;
};

/* Appends the edges from `block`; `seen` keeps a jump table's repeats out. */
static void find_successors(const struct hd_flow *flow, uint32_t block, uint32_t *seen, struct edges *edges)
{
	uint32_t few[2], last = hd_flow_last(flow, block);
	uint32_t count = hd_inst_successors(flow->function, last, few, 2), *list = few;
	if (count > 2) {
		list = hd_xmalloc(count * sizeof(*list));
		hd_inst_successors(flow->function, last, list, count);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t to = flow->block_of[list[i]];
		if (seen[to] == block + 1)
			continue;
		seen[to] = block + 1;
		hd_vec_push(&edges->list, (struct hd_edge){block, to});
	}
	if (list != few)
		free(list);
}

static void build_graph(struct hd_flow *flow, struct hd_arena *arena)
{
	uint32_t *seen = hd_xcalloc(flow->block_count + 1, sizeof(*seen));
	struct edges edges = {0};
	for (uint32_t b = 0; b < flow->block_count; b++)
		find_successors(flow, b, seen, &edges);
	free(seen);
	hd_graph_build(&flow->graph, arena, flow->block_count, flow->block_count ? 0 : HD_NO_NODE, edges.list.data,
		       edges.list.len);
	hd_vec_release(&edges.list);
}

static void analyse_graph(struct hd_flow *flow, struct hd_arena *arena)
{
	flow->rpo_count = hd_graph_rpo(&flow->graph, arena, &flow->rpo);
	flow->position = HD_ARENA_NEW(arena, uint32_t, flow->block_count);
	memset(flow->position, 0xff, sizeof(*flow->position) * flow->block_count);
	for (uint32_t i = 0; i < flow->rpo_count; i++)
		flow->position[flow->rpo[i]] = i;
	flow->idom = hd_graph_dominators(&flow->graph, arena);
	flow->idom_depth = hd_dominator_depths(flow->idom, flow->block_count, arena);
	hd_graph_loops(&flow->graph, flow->idom, arena, &flow->loops);
	hd_flow_estimate(flow, arena);
}

/* ---- what instructions read and write */

struct hd_regset hd_flow_caller_saved(const struct hd_abi *abi)
{
	struct hd_regset set = {.preds = HD_ALL_PREDS};
	for (uint32_t reg = 0; reg < HD_MAX_REGS; reg++)
		if (reg != abi->stack_pointer && !hd_abi_is_saved(abi, reg))
			hd_regset_add(&set, reg);
	return set;
}

static void add_callees(struct hd_flow_call *call, const struct hd_call_site *site, const struct hd_flow_facts *facts)
{
	for (uint32_t c = 0; c < site->callee_count; c++) {
		const struct hd_flow_summary *callee = &facts->summaries[site->callees[c]];
		hd_regset_union(&call->reads, &callee->uses);
		hd_regset_subtract(&call->kills, &callee->through);
	}
}

/* A helper reads and writes what it names, as an instruction does. */
static struct hd_flow_call helper_call(uint32_t inst, const struct hd_flow_summary *helper)
{
	struct hd_flow_call call = {.inst = inst, .helper = true, .reads = helper->uses};
	call.writes = call.kills = helper->writes;
	hd_regset_subtract(&call.kills, &helper->through);
	return call;
}

static struct hd_flow_call call_of(const struct hd_flow *flow, uint32_t inst, const struct hd_call_site *site,
				   const struct hd_flow_facts *facts)
{
	struct hd_flow_call call = {.inst = inst, .writes = flow->clobbered, .kills = flow->clobbered};
	if (site && site->callee_count == 1 && facts->summaries[site->callees[0]].helper)
		return helper_call(inst, &facts->summaries[site->callees[0]]);
	if (flow->function->insts[inst].op == HD_OP_SYSCALL) {
		call.reads = hd_service_reads(flow->function->insts[inst].x);
		return call;
	}
	if (site)
		add_callees(&call, site, facts);
	if (!site || site->unknown || !site->callee_count)
		hd_regset_add_run(&call.reads, flow->abi->first_arg, flow->abi->arg_count);
	hd_regset_add(&call.reads, flow->abi->stack_pointer);
	return call;
}

static void find_calls(struct hd_flow *flow, const struct hd_flow_facts *facts, struct hd_arena *arena)
{
	const struct hd_inst *insts = flow->function->insts;
	uint32_t next = 0;
	HD_VEC(struct hd_flow_call) calls = {0};
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		const struct hd_call_site *site = NULL;
		if (!(hd_opinfo[insts[i].op].effects & HD_FX_CALL))
			continue;
		while (facts && next < facts->site_count && facts->sites[next].inst < i)
			next++;
		if (facts && next < facts->site_count && facts->sites[next].inst == i)
			site = &facts->sites[next];
		hd_vec_push(&calls, call_of(flow, i, site, facts));
	}
	flow->call_count = calls.len;
	flow->calls = HD_ARENA_NEW(arena, struct hd_flow_call, calls.len);
	if (calls.len)
		memcpy(flow->calls, calls.data, sizeof(*flow->calls) * calls.len);
	hd_vec_release(&calls);
}

static const struct hd_flow_call *call_at(const struct hd_flow *flow, uint32_t inst)
{
	uint32_t at;
	HD_BISECT(at, 0, flow->call_count, flow->calls[at].inst < inst);
	return &flow->calls[at];
}

/* Callee-saved registers and the stack pointer are the caller's: it reads them after every return. */
static void find_returns(struct hd_flow *flow, const struct hd_flow_facts *facts)
{
	const struct hd_abi *abi = flow->abi;
	uint32_t limit = facts ? facts->registers : HD_MAX_REGS;
	flow->returns = (struct hd_regset){0};
	if (flow->function->kernel)
		return;
	if (facts)
		flow->returns = facts->results;
	else
		hd_regset_add_run(&flow->returns, abi->first_result, abi->result_count);
	for (uint32_t reg = 0; reg < HD_MAX_REGS && reg < limit; reg++)
		if (hd_abi_is_saved(abi, reg))
			hd_regset_add(&flow->returns, reg);
	hd_regset_add(&flow->returns, abi->stack_pointer);
}

static void add_call_effects(const struct hd_flow *flow, uint32_t inst, struct hd_flow_effects *effects)
{
	const struct hd_flow_call *call = call_at(flow, inst);
	hd_regset_union(&effects->reads, &call->reads);
	hd_regset_union(&effects->writes, &call->writes);
	effects->kills = call->kills;
}

bool hd_flow_calls(const struct hd_flow *flow, uint32_t inst)
{
	return hd_opinfo[flow->function->insts[inst].op].effects & HD_FX_CALL && !call_at(flow, inst)->helper;
}

/* Written places by a bit each: registers in order, then the predicates. */
enum { COVERED_PREDICATES = 0x80 };

static void add_covered(uint8_t covered, const struct hd_regset *writes, struct hd_regset *covers)
{
	uint8_t bit = 1;
	HD_REGSET_FOREACH (writes, reg) {
		if (covered & bit & ~COVERED_PREDICATES)
			hd_regset_add(covers, reg);
		bit = (uint8_t)(bit << 1);
	}
	if (covered & COVERED_PREDICATES)
		covers->preds |= writes->preds;
}

void hd_flow_effects(const struct hd_flow *flow, uint32_t inst, struct hd_flow_effects *effects)
{
	const struct hd_inst *code = &flow->function->insts[inst];
	unsigned fx = hd_opinfo[code->op].effects;
	hd_inst_reads(code, &effects->reads);
	hd_inst_writes(code, &effects->writes);
	effects->kills = effects->writes;
	if (fx & HD_FX_WRITE_PREDS) /* which ones, the mask says */
		effects->kills.preds = code->xkind == HD_X_IMM_B ? code->x & HD_ALL_PREDS : 0;
	if (fx & HD_FX_CALL)
		add_call_effects(flow, inst, effects);
	if (fx & HD_FX_RET)
		hd_regset_union(&effects->reads, &flow->returns);
	if (code->guard != HD_PT)
		effects->kills = (struct hd_regset){0};
	effects->covers = effects->kills;
	if (flow->covered[inst])
		add_covered(flow->covered[inst], &effects->writes, &effects->covers);
}

void hd_flow_live_effects(const struct hd_flow *flow, uint32_t inst, struct hd_flow_effects *effects)
{
	hd_flow_effects(flow, inst, effects);
	if (flow->awaited)
		hd_regset_union(&effects->reads, &flow->awaited[inst]);
}

/* ---- guarded code */

/*
 * Which lanes need a register or predicate at some point of a block: none, those of a guard whose predicate keeps its
 * value until they read, or any. A guarded write gives its lanes a value; the others still need the old one, if they
 * need any. Going backwards, two writes under a predicate and its inverse thus end what was there before.
 */
enum { NO_LANE = 0x80, ANY_LANE = 0x81, PLACES = HD_MAX_REGS + HD_MAX_PREDS };
struct lanes {
	uint8_t needed[PLACES]; /* the guard, or one of the above */
};

static bool is_guarded(const struct hd_inst *inst)
{
	return inst->guard != HD_PT && !(hd_opinfo[inst->op].effects &
					 (HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT | HD_FX_WRITE_PREDS));
}

static bool has_guarded(const struct hd_flow *flow, uint32_t block)
{
	bool guarded = false;
	for (uint32_t i = flow->blocks[block].first; i <= hd_flow_last(flow, block) && !guarded; i++)
		guarded = is_guarded(&flow->function->insts[i]);
	return guarded;
}

typedef void (*place_visitor)(struct lanes *lanes, unsigned place, uint8_t guard);

static void visit_places(struct lanes *lanes, const struct hd_regset *set, uint8_t guard, place_visitor visit)
{
	HD_REGSET_FOREACH (set, reg)
		visit(lanes, reg, guard);
	for (uint32_t left = set->preds; left; left &= left - 1)
		visit(lanes, HD_MAX_REGS + (unsigned)__builtin_ctz(left), guard);
}

static void write_place(struct lanes *lanes, unsigned place, uint8_t guard)
{
	uint8_t *needed = &lanes->needed[place];
	if (guard == HD_PT || *needed == guard)
		*needed = NO_LANE;
	else if (*needed == ANY_LANE)
		*needed = guard ^ HD_PRED_NOT;
}

static void read_place(struct lanes *lanes, unsigned place, uint8_t guard)
{
	uint8_t *needed = &lanes->needed[place];
	if (guard == HD_PT || place == HD_MAX_REGS + (guard & ~(unsigned)HD_PRED_NOT))
		*needed = ANY_LANE;
	else
		*needed = *needed == NO_LANE || *needed == guard ? guard : ANY_LANE;
}

/* The predicates have other values before here. */
static void change_predicates(struct lanes *lanes, uint8_t preds)
{
	for (unsigned place = 0; preds && place < PLACES; place++)
		if (lanes->needed[place] < NO_LANE && preds >> (lanes->needed[place] & ~(unsigned)HD_PRED_NOT) & 1)
			lanes->needed[place] = ANY_LANE;
}

static void set_lanes(struct lanes *lanes, const struct hd_regset *needed)
{
	for (unsigned place = 0; place < PLACES; place++) {
		bool any =
			place < HD_MAX_REGS ? hd_regset_has(needed, place) : needed->preds >> (place - HD_MAX_REGS) & 1;
		lanes->needed[place] = any ? ANY_LANE : NO_LANE;
	}
}

static struct hd_regset needed_places(const struct lanes *lanes)
{
	struct hd_regset needed = {0};
	for (unsigned place = 0; place < HD_MAX_REGS; place++)
		if (lanes->needed[place] != NO_LANE)
			hd_regset_add(&needed, place);
	for (unsigned p = 0; p < HD_MAX_PREDS; p++)
		needed.preds |= (uint8_t)((lanes->needed[HD_MAX_REGS + p] != NO_LANE) << p);
	return needed;
}

static void step_lanes(const struct hd_flow *flow, uint32_t inst, struct lanes *lanes)
{
	const struct hd_inst *code = &flow->function->insts[inst];
	struct hd_flow_effects effects;
	hd_flow_live_effects(flow, inst, &effects);
	uint8_t guard = is_guarded(code) ? code->guard : HD_PT;
	visit_places(lanes, guard == HD_PT ? &effects.kills : &effects.writes, guard, write_place);
	change_predicates(lanes, effects.writes.preds);
	visit_places(lanes, &effects.reads, guard, read_place);
}

/* What is needed before a block when `after` is needed behind it. */
static struct hd_regset needed_before(const struct hd_flow *flow, uint32_t block, const struct hd_regset *after)
{
	struct lanes lanes;
	set_lanes(&lanes, after);
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first;)
		step_lanes(flow, i, &lanes);
	return needed_places(&lanes);
}

/* What a guarded instruction writes and lanes outside of its guard do not need: bits as in add_covered. */
static uint8_t covered_places(const struct lanes *lanes, const struct hd_inst *inst)
{
	struct hd_regset writes;
	uint8_t covered = 0, bit = 1;
	if (!is_guarded(inst))
		return 0;
	hd_inst_writes(inst, &writes);
	HD_REGSET_FOREACH (&writes, reg) {
		if (lanes->needed[reg] == NO_LANE || lanes->needed[reg] == inst->guard)
			covered |= bit & ~COVERED_PREDICATES;
		bit = (uint8_t)(bit << 1);
	}
	if (writes.preds) { /* one: is_guarded */
		uint8_t needed = lanes->needed[HD_MAX_REGS + __builtin_ctz(writes.preds)];
		if (needed == NO_LANE || needed == inst->guard)
			covered |= COVERED_PREDICATES;
	}
	return covered;
}

static void cover_block(struct hd_flow *flow, uint32_t block)
{
	struct lanes lanes;
	set_lanes(&lanes, &flow->live_out[block]);
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first;) {
		flow->covered[i] = covered_places(&lanes, &flow->function->insts[i]);
		step_lanes(flow, i, &lanes);
	}
}

/* ---- live registers */

void hd_flow_live_before(const struct hd_flow *flow, uint32_t inst, struct hd_regset *live)
{
	struct hd_flow_effects effects;
	hd_flow_live_effects(flow, inst, &effects);
	hd_regset_subtract(live, &effects.covers);
	hd_regset_union(live, &effects.reads);
}

/* Sets of the solver have the registers first, then the predicates. */
enum { FIRST_PREDICATE = 256, SET_BITS = FIRST_PREDICATE + HD_MAX_PREDS, SET_WORDS = FIRST_PREDICATE / 64 + 1 };

static void put_set(uint64_t *row, const struct hd_regset *set)
{
	memcpy(row, set->regs, sizeof(set->regs));
	row[SET_WORDS - 1] = set->preds;
}

static struct hd_regset get_set(const uint64_t *row)
{
	struct hd_regset set = {.preds = (uint8_t)row[SET_WORDS - 1]};
	memcpy(set.regs, row, sizeof(set.regs));
	return set;
}

/* A block as one step: live before is `uses` and what is live after but not in `kills`. */
struct block_step {
	struct hd_regset uses, kills;
};

static struct block_step guarded_step(const struct hd_flow *flow, uint32_t block)
{
	struct hd_regset none = {0}, all = {.preds = HD_ALL_PREDS};
	hd_regset_add_run(&all, 0, HD_MAX_REGS);
	struct block_step step = {.uses = needed_before(flow, block, &none), .kills = all};
	struct hd_regset through = needed_before(flow, block, &all);
	hd_regset_subtract(&step.kills, &through);
	return step;
}

static struct block_step step_of(const struct hd_flow *flow, uint32_t block)
{
	struct block_step step = {0};
	if (has_guarded(flow, block))
		return guarded_step(flow, block);
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first;) {
		struct hd_flow_effects effects;
		hd_flow_live_effects(flow, i, &effects);
		hd_regset_subtract(&step.uses, &effects.kills);
		hd_regset_union(&step.uses, &effects.reads);
		hd_regset_union(&step.kills, &effects.kills);
	}
	return step;
}

void hd_flow_solve(struct hd_flow *flow)
{
	struct hd_dataflow live;
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	hd_dataflow_init(&live, &flow->graph, SET_BITS, true, false, &scratch);
	live.rpo = flow->rpo;
	live.rpo_count = flow->rpo_count;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		struct block_step step = step_of(flow, b);
		put_set(live.adds + (size_t)b * SET_WORDS, &step.uses);
		put_set(live.ends + (size_t)b * SET_WORDS, &step.kills);
	}
	hd_dataflow_solve(&live);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		flow->live_in[b] = get_set(live.before + (size_t)b * SET_WORDS);
		flow->live_out[b] = get_set(live.after + (size_t)b * SET_WORDS);
	}
	hd_arena_release(&scratch);
	for (uint32_t b = 0; b < flow->block_count; b++)
		if (has_guarded(flow, b))
			cover_block(flow, b);
}

/* ---- as a whole */

void hd_flow_build(struct hd_flow *flow, const struct hd_function *function, const struct hd_abi *abi,
		   struct hd_arena *arena)
{
	*flow = (struct hd_flow){.function = function, .abi = abi, .clobbered = hd_flow_caller_saved(abi)};
	find_blocks(flow, arena);
	build_graph(flow, arena);
	analyse_graph(flow, arena);
	flow->live_in = HD_ARENA_NEW(arena, struct hd_regset, flow->block_count);
	flow->live_out = HD_ARENA_NEW(arena, struct hd_regset, flow->block_count);
	flow->covered = HD_ARENA_NEW(arena, uint8_t, function->inst_count + 1);
	hd_flow_find_awaited(flow, arena);
}

void hd_flow_assume(struct hd_flow *flow, const struct hd_flow_facts *facts, struct hd_arena *arena)
{
	find_calls(flow, facts, arena);
	find_returns(flow, facts);
}
