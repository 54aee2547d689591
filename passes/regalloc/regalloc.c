/*
 * Register allocation: rounds of live intervals, assignment (assign.c, several strategies of
 * which the cheapest is kept) and spilling (spill.c) until everything has a register within
 * the function's limit. Where more is live than there are registers, live ranges are split
 * before anything is assigned (split.c), so that spilling only mends the rest. Values live
 * across calls only fit registers that the callee leaves alone, since calls claim the others
 * (ipra.c); what one instruction can rematerialise is not kept across calls.
 *
 * Needs machine IR out of SSA. Each round is near linear; the rounds are few, because a
 * register is spilled at most twice.
 */
#include "passes/regalloc/regalloc.h"
#include "heddle/opcodes.h"

#include <math.h>

#include "passes/mir/register_budgets.h"
#include "passes/regalloc/ipra.h"

#define MANY_INSTS 30000u /* above this one strategy is tried, for compile time */
#define MAX_ROUNDS 64u
#define LOOP_SPREAD 8u /* registers beyond the bound over which values of loops rest, as ptxas is seen to do */
#define LOOP_WISHES 3u /* and that they take for the sake of a bank */

struct hd_piece *hd_regalloc_piece(struct hd_regalloc *allocator, uint32_t vreg)
{
	while (allocator->pieces.len <= vreg || allocator->pieces.len < allocator->func->vregs.len)
		hd_vec_push(&allocator->pieces, (struct hd_piece){HD_SPLIT_WHOLE, HD_NO_REG, 0, HD_NO_REG});
	return &allocator->pieces.data[vreg];
}

typedef void (*inst_step)(struct hd_regalloc *allocator, struct hd_mblock *block, struct hd_minst *inst);

static void for_each_inst(struct hd_regalloc *allocator, inst_step step)
{
	struct hd_mfunc *func = allocator->func;
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++)
			step(allocator, &func->blocks.data[id], &func->blocks.data[id].insts.data[i]);
}

/* ---- values that can be rematerialised ---- */

static bool is_register(const struct hd_regalloc *allocator, struct hd_mreg reg)
{
	return reg.words && reg.id != HD_RZ && reg.id != hd_mfunc_frame_base(allocator->func);
}

/* Makes one word from nothing that registers hold. */
static bool is_rematerialisable(const struct hd_regalloc *allocator, const struct hd_minst *inst)
{
	if (inst->op >= HD_OP_LIMIT || inst->dst.words != 1 || !hd_mreg_is_virtual(inst->dst.id) || inst->extra_count)
		return false;
	if (inst->role != HD_ROLE_PLAIN || hd_mreg_is_pred(allocator->func, inst->dst.id))
		return false;
	if (is_register(allocator, inst->a) || is_register(allocator, inst->b) || is_register(allocator, inst->c))
		return false;
	if (inst->pdst != HD_MREG_PT || inst->psrc != HD_MREG_PT || inst->psrc2 != HD_MREG_PT)
		return false;
	if (hd_x_is_uniform(inst->xkind))
		return false; /* which others may take over */
	if (inst->op == HD_OP_LDC)
		return true;
	if (inst->op == HD_OP_S2R)
		return hd_mod_get(inst->mods, HD_MOD_SR) <= HD_SR_LANEMASK_GE;
	return hd_opinfo[inst->op].effects == 0;
}

/* The instruction that alone defines each word. */
struct word_defs {
	struct hd_regalloc *allocator;
	const struct hd_minst *inst;
	const struct hd_minst **of; /* by word */
	uint8_t *count;
};

static void note_word_def(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct word_defs *defs = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t word = hd_live_word(&defs->allocator->intervals.live, *reg);
	for (uint32_t end = word + reg->words; word < end; word++) {
		defs->of[word] = defs->inst;
		defs->count[word] += defs->count[word] < 2;
	}
}

static void find_word_defs(struct word_defs *defs)
{
	struct hd_mfunc *func = defs->allocator->func;
	uint32_t words = defs->allocator->intervals.live.words;
	defs->of = HD_ARENA_NEW(&defs->allocator->arena, const struct hd_minst *, words + 1);
	defs->count = HD_ARENA_NEW(&defs->allocator->arena, uint8_t, words + 1);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			defs->inst = &func->blocks.data[id].insts.data[i];
			hd_minst_visit(func, &func->blocks.data[id].insts.data[i], note_word_def, defs);
		}
}

static bool is_made_alone(const struct word_defs *defs, uint32_t vreg)
{
	const struct hd_live *live = &defs->allocator->intervals.live;
	bool wide = hd_switch_is_on(defs->allocator->func->without, HD_SWITCH_REMADE_PAIRS);
	if (live->base[vreg + 1] - live->base[vreg] > 1 && !wide)
		return false;
	for (uint32_t word = live->base[vreg]; word < live->base[vreg + 1]; word++)
		if (defs->count[word] != 1 || !is_rematerialisable(defs->allocator, defs->of[word]))
			return false;
	return true;
}

static void find_remats(struct hd_regalloc *allocator)
{
	const struct hd_live *live = &allocator->intervals.live;
	struct word_defs defs = {.allocator = allocator};
	find_word_defs(&defs);
	hd_vec_clear(&allocator->remats);
	for (uint32_t vreg = 0; vreg < allocator->func->vregs.len; vreg++) {
		struct hd_piece *piece = hd_regalloc_piece(allocator, vreg);
		piece->remat = HD_NO_REG;
		if (piece->slot != HD_NO_REG || !is_made_alone(&defs, vreg))
			continue; /* with a slot: a piece of something that is defined elsewhere too */
		piece->remat = allocator->remats.len;
		for (uint32_t word = live->base[vreg]; word < live->base[vreg + 1]; word++)
			hd_vec_push(&allocator->remats, *defs.of[word]);
	}
}

/* ---- weights ---- */

struct weigh {
	struct hd_regalloc *allocator;
	double frequency;
};

static void add_cost(void *context, struct hd_mreg *reg, bool is_def)
{
	struct weigh *weigh = context;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	bool remade = weigh->allocator->pieces.data[vreg].remat != HD_NO_REG;
	if (!remade)
		weigh->allocator->cost[vreg] += weigh->frequency;
	else if (!is_def)
		weigh->allocator->cost[vreg] +=
			reg->words * weigh->frequency / 4; /* a move, where others need a load */
}

static void step_cost(struct hd_regalloc *allocator, struct hd_mblock *block, struct hd_minst *inst)
{
	struct weigh weigh = {allocator, block->frequency > 1e-6 ? block->frequency : 1e-6};
	hd_minst_visit(allocator->func, inst, add_cost, &weigh);
}

static bool meets_call(const struct hd_live_intervals *intervals, struct hd_segment segment)
{
	uint32_t call; /* descending: first call before the segment's end */
	HD_BISECT(call, 0, intervals->calls.len, 2 * intervals->calls.data[call] + 1 >= segment.end);
	return call < intervals->calls.len && segment.start < 2 * intervals->calls.data[call] + 1;
}

static void compute_weights(struct hd_regalloc *allocator)
{
	uint32_t count = allocator->func->vregs.len;
	const struct hd_live_intervals *intervals = &allocator->intervals;
	allocator->weight = HD_ARENA_NEW(&allocator->arena, double, count + 1);
	allocator->cost = HD_ARENA_NEW(&allocator->arena, double, count + 1);
	allocator->crosses = HD_ARENA_NEW(&allocator->arena, bool, count + 1);
	for_each_inst(allocator, step_cost);
	for (uint32_t vreg = 0; vreg < count; vreg++) {
		uint32_t length = 0, longest = 0;
		for (uint32_t w = intervals->live.base[vreg]; w < intervals->live.base[vreg + 1]; w++) {
			for (uint32_t s = intervals->segment_start[w]; s < intervals->segment_start[w + 1]; s++) {
				struct hd_segment segment = intervals->segments[s];
				length += segment.end - segment.start;
				longest = segment.end - segment.start > longest ? segment.end - segment.start : longest;
				allocator->crosses[vreg] |= meets_call(intervals, segment);
			}
		}
		bool tiny = allocator->pieces.data[vreg].split == HD_SPLIT_TINY || longest <= 2 ||
			    hd_mreg_is_range(allocator->func, vreg);
		allocator->weight[vreg] = tiny ? INFINITY : allocator->cost[vreg] / (length + 8);
	}
}

/* ---- hints ---- */

struct hint_builder {
	struct hd_regalloc *allocator;
	HD_VEC(struct hd_hint) hints;
};

static void add_hint(struct hint_builder *builder, double frequency, struct hd_mreg own, struct hd_mreg partner)
{
	if (!hd_mreg_is_virtual(own.id) || partner.id == HD_RZ || partner.id == HD_MREG_PT)
		return;
	struct hd_hint hint = {frequency, own.id - HD_MREG_VIRTUAL, partner.id, (int32_t)partner.sub - own.sub};
	hd_vec_push(&builder->hints, hint);
}

static int compare_hints(const void *left, const void *right)
{
	const struct hd_hint *a = left, *b = right;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->frequency != b->frequency)
		return a->frequency < b->frequency ? 1 : -1;
	if (a->reg != b->reg)
		return a->reg < b->reg ? -1 : 1;
	return a->shift < b->shift ? -1 : a->shift > b->shift;
}

static void collect_hints(struct hint_builder *builder)
{
	struct hd_mfunc *func = builder->allocator->func;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		const struct hd_mblock *block = &func->blocks.data[id];
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			if (inst->op != HD_OP_COPY)
				continue;
			bool pred = inst->pdst != HD_MREG_PT;
			struct hd_mreg dst = pred ? (struct hd_mreg){inst->pdst, 0, 1} : inst->dst;
			struct hd_mreg src = pred ? (struct hd_mreg){inst->psrc, 0, 1} : inst->b;
			add_hint(builder, block->frequency, dst, src);
			add_hint(builder, block->frequency, src, dst);
		}
	}
	for (uint32_t vreg = 0; vreg < func->vregs.len; vreg++)
		if (func->vregs.data[vreg].hint != UINT32_MAX)
			add_hint(builder, 0, (struct hd_mreg){HD_MREG_VIRTUAL + vreg, 0, 1},
				 (struct hd_mreg){func->vregs.data[vreg].hint, 0, 1});
}

static void compute_hints(struct hd_regalloc *allocator)
{
	struct hint_builder builder = {.allocator = allocator};
	uint32_t count = allocator->func->vregs.len;
	collect_hints(&builder);
	if (builder.hints.len)
		qsort(builder.hints.data, builder.hints.len, sizeof(struct hd_hint), compare_hints);
	allocator->hint_start = HD_ARENA_NEW(&allocator->arena, uint32_t, count + 2);
	allocator->hints = HD_ARENA_NEW(&allocator->arena, struct hd_hint, builder.hints.len + 1);
	for (uint32_t i = 0; i < builder.hints.len; i++) {
		allocator->hints[i] = builder.hints.data[i];
		allocator->hint_start[builder.hints.data[i].owner + 1]++;
	}
	for (uint32_t vreg = 0; vreg < count; vreg++)
		allocator->hint_start[vreg + 1] += allocator->hint_start[vreg];
	hd_vec_release(&builder.hints);
}

/* ---- registers that are taken ---- */

static const struct hd_minst *inst_at(const struct hd_regalloc *allocator, uint32_t index)
{
	const struct hd_live_intervals *intervals = &allocator->intervals;
	uint32_t id = intervals->order[hd_live_intervals_block(intervals, 2 * index)];
	return &allocator->func->blocks.data[id].insts.data[index - intervals->first[id]];
}

static void fix_call(struct hd_regalloc *allocator, uint32_t call)
{
	struct hd_clobbers set = hd_clobbers_of_call(allocator->func, inst_at(allocator, call));
	for (uint32_t reg = 0; reg < HD_MREG_PT; reg++)
		if (hd_clobbers_has(&set, reg))
			hd_track_fix(&allocator->tracks[reg], 2 * call + 1, 2 * call + 2);
}

/* Registers that threads have not got between two positions. */
static void fix_beyond(struct hd_regalloc *allocator, uint32_t budget, uint32_t start, uint32_t end)
{
	for (uint32_t reg = hd_budget_cap(allocator->func, budget); reg < allocator->cap && start < end; reg++)
		hd_track_fix(&allocator->tracks[reg], start, end);
}

/* What is read by an instruction that takes registers away may have been in these, what is written behind one that
 * gives some may be in them. */
static void fix_budgets(struct hd_regalloc *allocator)
{
	const struct hd_live_intervals *intervals = &allocator->intervals;
	const uint32_t *at_entry = hd_budgets_at_entry(allocator->func, &allocator->arena);
	for (uint32_t i = 0; at_entry && i < intervals->order_count; i++) {
		uint32_t id = intervals->order[i], first = intervals->first[id], from = 2 * first, now = at_entry[id];
		const struct hd_mblock *block = &allocator->func->blocks.data[id];
		for (uint32_t k = 0; k < block->insts.len; k++) {
			uint32_t next = hd_budget_behind(&block->insts.data[k], now);
			if (next == now)
				continue;
			fix_beyond(allocator, now, from, 2 * (first + k) + 1);
			from = 2 * (first + k) + 1;
			now = next;
		}
		fix_beyond(allocator, now, from, 2 * (first + block->insts.len));
	}
}

static void fix_tracks(struct hd_regalloc *allocator)
{
	const struct hd_live_intervals *intervals = &allocator->intervals;
	uint32_t stack = allocator->func->abi->stack_pointer, base = hd_mfunc_frame_base(allocator->func),
		 end = 2 * intervals->inst_count + 2;
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++)
		hd_vec_clear(&allocator->tracks[reg].claims);
	for (uint32_t i = 0; i < intervals->fixed.len; i++) {
		const struct hd_fixed *fixed = &intervals->fixed.data[i];
		if (fixed->reg != stack && fixed->reg != base)
			hd_track_fix(&allocator->tracks[fixed->reg], fixed->segment.start, fixed->segment.end);
	}
	hd_track_fix(&allocator->tracks[stack], 0, end);
	if (allocator->func->dynamic_stack)
		hd_track_fix(&allocator->tracks[base], 0, end);
	for (uint32_t i = 0; i < intervals->calls.len; i++)
		fix_call(allocator, intervals->calls.data[i]);
	fix_budgets(allocator);
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++)
		hd_track_settle(&allocator->tracks[reg]);
}

static void count_segment(int32_t *change, struct hd_segment segment)
{
	change[segment.start]++;
	change[segment.end]--;
}

static void compute_bound(struct hd_regalloc *allocator)
{
	const struct hd_live_intervals *intervals = &allocator->intervals;
	const struct hd_mfunc *func = allocator->func;
	uint32_t positions = 2 * intervals->inst_count + 3;
	int32_t *change = HD_ARENA_NEW(&allocator->arena, int32_t, positions), live = 0, most = 0;
	for (uint32_t vreg = 0; vreg < func->vregs.len; vreg++) {
		if (!func->vregs.data[vreg].words)
			continue;
		for (uint32_t w = intervals->live.base[vreg]; w < intervals->live.base[vreg + 1]; w++)
			for (uint32_t s = intervals->segment_start[w]; s < intervals->segment_start[w + 1]; s++)
				count_segment(change, intervals->segments[s]);
	}
	for (uint32_t i = 0; i < intervals->fixed.len; i++)
		if (intervals->fixed.data[i].reg < HD_RZ && intervals->fixed.data[i].reg != func->abi->stack_pointer)
			count_segment(change, intervals->fixed.data[i].segment);
	for (uint32_t i = 0; i < positions; i++) {
		live += change[i];
		most = live > most ? live : most;
	}
	allocator->bound = (uint32_t)most + 1 + func->dynamic_stack; /* R1 is kept */
}

static void note_loop(void *context, struct hd_mreg *reg, bool is_def)
{
	bool *in_loop = context;
	if (is_def && hd_mreg_is_virtual(reg->id))
		in_loop[reg->id - HD_MREG_VIRTUAL] = true;
}

static void step_loop(struct hd_regalloc *allocator, struct hd_mblock *block, struct hd_minst *inst)
{
	if (block->loop_depth)
		hd_minst_visit(allocator->func, inst, note_loop, allocator->in_loop);
}

/* So many registers beyond the bound, for values of loops, of those that cost no occupancy. */
static uint32_t beyond_bound(const struct hd_regalloc *allocator, uint32_t count)
{
	bool spread = hd_switch_is_on(allocator->func->without, HD_SWITCH_SPREAD_LOOP_VALUES);
	return spread && allocator->bound + count < allocator->free ? allocator->bound + count : allocator->free;
}

static void compute_free(struct hd_regalloc *allocator)
{
	const struct hd_live_intervals *intervals = &allocator->intervals;
	const struct hd_mfunc *func = allocator->func;
	uint32_t step = hd_mfunc_occupancy_step(func, allocator->bound);
	allocator->free = step < allocator->cap ? step : allocator->cap;
	allocator->near = beyond_bound(allocator, LOOP_SPREAD);
	allocator->wishes = beyond_bound(allocator, LOOP_WISHES);
	allocator->in_loop = HD_ARENA_NEW(&allocator->arena, bool, func->vregs.len + 1);
	for_each_inst(allocator, step_loop);
	allocator->reads_late = HD_ARENA_NEW(&allocator->arena, bool, intervals->inst_count + 1);
	bool rest = hd_switch_is_on(func->without, HD_SWITCH_OPERAND_REST);
	for (uint32_t i = 0; rest && i < intervals->order_count; i++) {
		uint32_t id = intervals->order[i];
		for (uint32_t k = 0; k < func->blocks.data[id].insts.len; k++) {
			unsigned op = func->blocks.data[id].insts.data[k].op;
			allocator->reads_late[intervals->first[id] + k] =
				op < HD_OP_LIMIT && hd_opinfo[op].effects & (HD_FX_LOAD | HD_FX_STORE);
		}
	}
}

static void prepare(struct hd_regalloc *allocator)
{
	hd_arena_init(&allocator->arena);
	hd_live_intervals_compute(allocator->func, &allocator->arena, &allocator->intervals);
	find_remats(allocator);
	compute_weights(allocator);
	compute_hints(allocator);
	fix_tracks(allocator);
	compute_bound(allocator);
	compute_free(allocator);
	allocator->bank = hd_banks_choose(allocator->func, &allocator->arena);
}

static void finish_round(struct hd_regalloc *allocator)
{
	hd_live_intervals_release(&allocator->intervals);
	hd_arena_release(&allocator->arena);
}

/* ---- choosing ---- */

static bool is_better(const struct hd_assignment *a, const struct hd_assignment *b)
{
	bool a_fails = a->failed != HD_NO_REG, b_fails = b->failed != HD_NO_REG;
	if (a_fails != b_fails)
		return b_fails;
	if (a->spill_cost != b->spill_cost)
		return a->spill_cost < b->spill_cost;
	return a->highest < b->highest;
}

static struct hd_assignment assign_best(struct hd_regalloc *allocator)
{
	struct hd_assignment best;
	hd_regalloc_assign(allocator, HD_BY_START, &best);
	bool perfect = !best.spilled.len && best.failed == HD_NO_REG &&
		       (best.highest <= allocator->bound || best.highest <= allocator->free);
	if (perfect || (allocator->intervals.inst_count > MANY_INSTS && best.failed == HD_NO_REG))
		return best;
	for (unsigned strategy = HD_BY_START + 1; strategy < HD_STRATEGY_COUNT; strategy++) {
		struct hd_assignment other;
		hd_regalloc_assign(allocator, (enum hd_strategy)strategy, &other);
		struct hd_assignment *worse = is_better(&other, &best) ? &best : &other;
		hd_vec_release(&worse->spilled);
		if (worse == &best)
			best = other;
	}
	return best;
}

/* Before the first round: what can be rematerialised for less than a register saved is not kept across calls. */
static bool drop_across_calls(struct hd_regalloc *allocator)
{
	HD_VEC(uint32_t) dropped = {0};
	for (uint32_t vreg = 0; vreg < allocator->func->vregs.len; vreg++)
		if (allocator->crosses[vreg] && allocator->pieces.data[vreg].remat != HD_NO_REG &&
		    allocator->func->vregs.data[vreg].words == 1 && allocator->cost[vreg] <= 2)
			hd_vec_push(&dropped, vreg);
	bool any = dropped.len != 0;
	if (any)
		hd_regalloc_spill(allocator, dropped.data, dropped.len);
	hd_vec_release(&dropped);
	return any;
}

/* ---- the result ---- */

struct rename {
	const struct hd_mfunc *func;
	const uint32_t *reg;
};

static void rename_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct rename *rename = context;
	(void)is_def;
	reg->id = (hd_mreg_is_virtual(reg->id) ? rename->reg[reg->id - HD_MREG_VIRTUAL] : reg->id) + reg->sub;
	reg->sub = 0;
}

static void apply(struct hd_regalloc *allocator, const struct hd_assignment *assignment)
{
	struct hd_mfunc *func = allocator->func;
	struct rename rename = {func, assignment->reg};
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[id].insts.data[i], rename_operand, &rename);
}

static int report(const struct hd_mfunc *func, struct hd_diag *diag)
{
	return hd_error(diag, HD_NOWHERE, "%s: cannot allocate registers within a limit of %u", func->name,
			func->max_registers);
}

/* Before the first spill of a function whose spills may be in shared memory: a register for their address, one that
 * helpers leave alone. Whether there is one less now. */
static bool keep_base(struct hd_regalloc *allocator)
{
	struct hd_mspills *spills = &allocator->func->spills;
	if (!spills->words || spills->base != HD_NO_REG || allocator->cap <= HD_ABI_FIRST_SAVED)
		return false;
	spills->base = --allocator->cap;
	return true;
}

/* One round; `again` says whether code was rewritten, so that another one is needed. */
static int run_round(struct hd_regalloc *allocator, bool *again)
{
	*again = false;
	prepare(allocator);
	bool crowded = !allocator->split && allocator->bound > allocator->cap;
	if ((allocator->round == 0 && drop_across_calls(allocator)) || (crowded && keep_base(allocator))) {
		*again = true;
		finish_round(allocator);
		return 0;
	}
	if (!allocator->split) {
		allocator->split = true;
		*again = hd_regalloc_split(allocator);
		if (*again) {
			finish_round(allocator);
			return 0;
		}
	}
	struct hd_assignment best = assign_best(allocator);
	int status = best.failed == HD_NO_REG ? 0 : -1;
	if (status == 0 && best.spilled.len && keep_base(allocator)) {
		*again = true;
	} else if (status == 0 && best.spilled.len) {
		*again = true;
		hd_regalloc_spill(allocator, best.spilled.data, best.spilled.len);
	} else if (status == 0) {
		apply(allocator, &best);
	}
	hd_vec_release(&best.spilled);
	finish_round(allocator);
	return status;
}

int hd_regalloc_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct hd_regalloc *allocator = hd_xcalloc(1, sizeof(*allocator));
	allocator->func = func;
	allocator->cap = hd_mfunc_cap(func);
	int status = 0;
	bool again = true;
	for (; again && !status && allocator->round < MAX_ROUNDS; allocator->round++)
		status = run_round(allocator, &again);
	if (status || again)
		status = report(func, diag);
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++)
		hd_vec_release(&allocator->tracks[reg].claims);
	hd_vec_release(&allocator->pieces);
	hd_vec_release(&allocator->remats);
	free(allocator);
	return status;
}
