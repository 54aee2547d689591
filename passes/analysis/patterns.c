/*
 * Proves register patterns by forward abstract interpretation of machine code over
 * affine values of the thread index (gpu-multiprogramming-lin, 2.3.3 "Architectural State
 * Compression"). Needs liveness with its divergent branches.
 *
 * A write while lanes that still need registers wait elsewhere makes a register random: it has new
 * values in some lanes and old ones in others. Lanes that wait with nothing live, such as those that an
 * early exit sent to the end, do not count. A write under a branch that only some warps take
 * makes it local; such branches are found from the predicates' own values, in rounds.
 */
#include "passes/analysis/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

enum { MOST_ROUNDS = 8 };

static const struct hd_value random_value = {.kind = HD_VALUE_RANDOM};

struct state {
	const struct hd_patterns *patterns;
	const struct hd_flow *flow;
	struct hd_value *values; /* at the instruction that is looked at */
	bool *enters_local;      /* of each block: its branch is not the same for the CTA */
	bool apart, local;       /* of the block at hand */
};

/* ---- values */

static struct hd_factor known(int32_t value)
{
	return (struct hd_factor){value, true};
}

static bool is_zero(struct hd_factor factor)
{
	return factor.known && factor.value == 0;
}

static struct hd_value uniform(bool local)
{
	return (struct hd_value){.kind = HD_VALUE_AFFINE, .local = local, .x = known(0), .y = known(0),
				 .rows = known(0), .z = known(0)};
}

static struct hd_value constant(uint32_t number)
{
	struct hd_value value = uniform(false);
	value.base = known((int32_t)number);
	return value;
}

static bool is_cta_uniform(const struct hd_value *value)
{
	return hd_value_is_uniform_in_group(value) && !value->local && is_zero(value->y) && is_zero(value->rows) &&
	       is_zero(value->z);
}

uint32_t hd_value_dimensions(const struct hd_value *value)
{
	bool flat = is_zero(value->y) && value->x.known && value->rows.known && value->x.value == value->rows.value;
	if (value->kind != HD_VALUE_AFFINE || value->local)
		return 0;
	if (hd_value_is_uniform_in_group(value) && flat)
		return is_zero(value->z) ? 3 : 2;
	return flat ? 2 : 1;
}

static struct hd_factor add_factors(struct hd_factor a, struct hd_factor b)
{
	return a.known && b.known ? known((int32_t)((uint32_t)a.value + (uint32_t)b.value)) : (struct hd_factor){0};
}

static struct hd_factor scale(struct hd_factor a, struct hd_factor by)
{
	if (is_zero(a) || is_zero(by))
		return known(0);
	return a.known && by.known ? known((int32_t)((uint32_t)a.value * (uint32_t)by.value)) : (struct hd_factor){0};
}

static struct hd_value add(struct hd_value a, struct hd_value b)
{
	if (a.kind != HD_VALUE_AFFINE || b.kind != HD_VALUE_AFFINE)
		return random_value;
	return (struct hd_value){
		.kind = HD_VALUE_AFFINE, .local = a.local || b.local, .base = add_factors(a.base, b.base),
		.x = add_factors(a.x, b.x), .y = add_factors(a.y, b.y), .rows = add_factors(a.rows, b.rows),
		.z = add_factors(a.z, b.z),
	};
}

static struct hd_value scaled(struct hd_value a, struct hd_factor by)
{
	return (struct hd_value){
		.kind = a.kind, .local = a.local, .base = scale(a.base, by), .x = scale(a.x, by), .y = scale(a.y, by),
		.rows = scale(a.rows, by), .z = scale(a.z, by),
	};
}

/* Something of which only uniformity is known: what it depends on stays, with unknown factors. */
static struct hd_value mixed(const struct hd_value *sources, uint32_t count)
{
	struct hd_value value = uniform(false);
	for (uint32_t i = 0; i < count; i++) {
		if (!hd_value_is_uniform_in_group(&sources[i]))
			return random_value;
		value.local |= sources[i].local;
		value.y.known &= is_zero(sources[i].y) && is_zero(sources[i].rows);
		value.z.known &= is_zero(sources[i].z);
	}
	return value;
}

/* A factor that differs from group to group makes the product a stride of a group only. */
static struct hd_value multiply(struct hd_value a, struct hd_value b)
{
	if (a.kind != HD_VALUE_AFFINE || b.kind != HD_VALUE_AFFINE)
		return random_value;
	if (!is_cta_uniform(&b)) {
		struct hd_value swap = a;
		a = b;
		b = swap;
	}
	if (is_cta_uniform(&b)) {
		struct hd_value product = scaled(a, b.base);
		if (b.is_ntid_x && is_zero(a.x) && is_zero(a.rows) && is_zero(a.z)) {
			product.rows = a.y;
			product.y = known(0);
		}
		return product;
	}
	if (hd_value_is_uniform_in_group(&a) && hd_value_is_uniform_in_group(&b))
		return mixed((struct hd_value[]){a, b}, 2);
	if (!hd_value_is_uniform_in_group(&a) && !hd_value_is_uniform_in_group(&b))
		return random_value;
	struct hd_value product = uniform(true);
	product.x.known = false;
	return product;
}

static struct hd_factor join_factors(struct hd_factor a, struct hd_factor b)
{
	return a.known && b.known && a.value == b.value ? a : (struct hd_factor){0};
}

/* Either of them, the same one for all lanes. */
static struct hd_value join(struct hd_value a, struct hd_value b)
{
	if (a.kind == HD_VALUE_UNSEEN || b.kind == HD_VALUE_UNSEEN)
		return a.kind == HD_VALUE_UNSEEN ? b : a;
	if (a.kind == HD_VALUE_RANDOM || b.kind == HD_VALUE_RANDOM)
		return random_value;
	return (struct hd_value){
		.kind = HD_VALUE_AFFINE, .local = a.local || b.local, .is_ntid_x = a.is_ntid_x && b.is_ntid_x,
		.base = join_factors(a.base, b.base), .x = join_factors(a.x, b.x), .y = join_factors(a.y, b.y),
		.rows = join_factors(a.rows, b.rows), .z = join_factors(a.z, b.z),
	};
}

static bool same_factor(struct hd_factor a, struct hd_factor b)
{
	return a.known == b.known && (!a.known || a.value == b.value);
}

static bool same(const struct hd_value *a, const struct hd_value *b)
{
	return a->kind == b->kind && a->local == b->local && a->is_ntid_x == b->is_ntid_x && same_factor(a->base, b->base) &&
	       same_factor(a->x, b->x) && same_factor(a->y, b->y) && same_factor(a->rows, b->rows) && same_factor(a->z, b->z);
}

/* ---- operands */

static struct hd_value register_value(const struct state *state, uint32_t reg)
{
	if (reg >= HD_RZ)
		return constant(0);
	return reg < state->patterns->registers ? state->values[reg] : random_value;
}

static struct hd_value predicate_value(const struct state *state, uint32_t pred)
{
	uint32_t number = pred & ~(uint32_t)HD_PRED_NOT;
	return number == HD_PT ? constant(1) : state->values[state->patterns->registers + number];
}

static struct hd_value bank_value(uint32_t x)
{
	struct hd_value value = uniform(false);
	value.is_ntid_x = x == HD_CONST_X(0, HD_CB_NTID_X);
	return value;
}

/* The low word of an operand, modifiers applied. */
static struct hd_value operand(const struct state *state, const struct hd_inst *inst, enum hd_slot slot)
{
	static const uint8_t negated[] = {0, HD_NEG_A, HD_NEG_B, HD_NEG_C};
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	bool x_is_b = inst->xkind == HD_X_IMM_B || inst->xkind == HD_X_CONST_B;
	bool x_is_c = inst->xkind == HD_X_IMM_C || inst->xkind == HD_X_CONST_C;
	struct hd_value value = register_value(state, regs[slot]);
	if ((slot == HD_SLOT_B && x_is_b) || (slot == HD_SLOT_C && x_is_c))
		value = inst->xkind == HD_X_IMM_B || inst->xkind == HD_X_IMM_C ? constant(inst->x) : bank_value(inst->x);
	return inst->srcmods & negated[slot] ? scaled(value, known(-1)) : value;
}

/* Uniform if every register and predicate that goes in is. */
static struct hd_value from_sources(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value sources[16];
	uint32_t count = 0;
	const uint8_t regs[] = {inst->a, inst->b, inst->c}, preds[] = {inst->psrc, inst->psrc2};
	for (unsigned i = 0; i < 3; i++) {
		uint32_t words = hd_op_width((enum hd_op)inst->op, inst->mods, HD_SLOT_A + i);
		for (uint32_t w = 0; w < words && regs[i] < HD_RZ; w++)
			sources[count++] = register_value(state, regs[i] + w);
	}
	for (unsigned i = 0; i < 2; i++)
		sources[count++] = predicate_value(state, preds[i]);
	return mixed(sources, count);
}

/* ---- instructions */

static struct hd_value special(enum hd_sr which)
{
	struct hd_value value = uniform(false);
	switch (which) {
	case HD_SR_TID_X: value.x = known(1); value.base = known(0); return value;
	case HD_SR_TID_Y: value.y = known(1); value.base = known(0); return value;
	case HD_SR_TID_Z: value.z = known(1); value.base = known(0); return value;
	case HD_SR_LANEID: value.x = known(1); value.local = true; return value;
	case HD_SR_CTAID_X: case HD_SR_CTAID_Y: case HD_SR_CTAID_Z: case HD_SR_NWARPID: case HD_SR_NSMID:
	case HD_SR_SMID: case HD_SR_GRIDID: return value;
	case HD_SR_LANEMASK_EQ: case HD_SR_LANEMASK_LT: case HD_SR_LANEMASK_LE: case HD_SR_LANEMASK_GT:
	case HD_SR_LANEMASK_GE: return random_value;
	default: return uniform(true); /* the warp's number, and times */
	}
}

/* Lanes that load from one address together get one value, unless the memory is each thread's own. */
static struct hd_value loaded(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value value = from_sources(state, inst);
	if (inst->op != HD_OP_LDG && inst->op != HD_OP_LDS && inst->op != HD_OP_LDC)
		return random_value;
	value.local |= value.kind == HD_VALUE_AFFINE && inst->op != HD_OP_LDC;
	return value;
}

static struct hd_value selected(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value which = predicate_value(state, inst->psrc);
	struct hd_value value = join(operand(state, inst, HD_SLOT_A), operand(state, inst, HD_SLOT_B));
	if (!hd_value_is_uniform_in_group(&which))
		return random_value;
	value.local |= value.kind == HD_VALUE_AFFINE && !is_cta_uniform(&which);
	return value;
}

static struct hd_value shifted(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value by = operand(state, inst, HD_SLOT_B), value = operand(state, inst, HD_SLOT_A);
	if (value.kind != HD_VALUE_AFFINE || !by.base.known || !is_cta_uniform(&by) || (uint32_t)by.base.value >= 32)
		return from_sources(state, inst);
	return scaled(value, known((int32_t)(1u << by.base.value)));
}

static struct hd_value lea(const struct state *state, const struct hd_inst *inst)
{
	uint32_t by = hd_mod_get(inst->mods, HD_MOD_SHAMT);
	struct hd_value value = operand(state, inst, HD_SLOT_A);
	return add(scaled(value, known((int32_t)(1u << by))), operand(state, inst, HD_SLOT_B));
}

/* The low word of the result. */
static struct hd_value result(const struct state *state, const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_S2R:
	case HD_OP_CS2R:
		return special((enum hd_sr)hd_mod_get(inst->mods, HD_MOD_SR));
	case HD_OP_MOV:
		return operand(state, inst, HD_SLOT_B);
	case HD_OP_SEL:
		return selected(state, inst);
	case HD_OP_IADD3:
		if (hd_mod_get(inst->mods, HD_MOD_EX))
			return from_sources(state, inst);
		return add(add(operand(state, inst, HD_SLOT_A), operand(state, inst, HD_SLOT_B)),
			   operand(state, inst, HD_SLOT_C));
	case HD_OP_IMAD:
	case HD_OP_IMAD_WIDE:
		return add(multiply(operand(state, inst, HD_SLOT_A), operand(state, inst, HD_SLOT_B)),
			   operand(state, inst, HD_SLOT_C));
	case HD_OP_SHL:
		return shifted(state, inst);
	case HD_OP_LEA:
		return lea(state, inst);
	case HD_OP_VOTE:
		return uniform(true);
	default:
		if (hd_opinfo[inst->op].effects & HD_FX_LOAD)
			return loaded(state, inst);
		return hd_opinfo[inst->op].effects ? random_value : from_sources(state, inst);
	}
}

/* What lanes and warps that do not execute the write, or not now, make of it. */
static struct hd_value settled(const struct state *state, const struct hd_inst *inst, struct hd_value old, struct hd_value new)
{
	struct hd_value guard = predicate_value(state, inst->guard);
	bool everyone = inst->guard == HD_PT;
	if (state->apart || !hd_value_is_uniform_in_group(&guard))
		return random_value;
	if (!everyone)
		new = join(old, new);
	new.local |= new.kind == HD_VALUE_AFFINE && (state->local || (!everyone && !is_cta_uniform(&guard)));
	if (new.local)
		new.is_ntid_x = false;
	return new;
}

static void step(struct state *state, uint32_t inst)
{
	const struct hd_inst *code = &state->flow->function->insts[inst];
	uint32_t registers = state->patterns->registers;
	struct hd_flow_effects effects;
	hd_flow_effects(state->flow, inst, &effects);
	bool call = hd_opinfo[code->op].effects & HD_FX_CALL;
	struct hd_value low = call ? random_value : result(state, code);
	/* Only moved bits keep their form in the high words; sums carry between them. */
	struct hd_value high = call || hd_opinfo[code->op].effects & ~HD_FX_LOAD ? random_value : from_sources(state, code);
	if (hd_opinfo[code->op].effects & HD_FX_LOAD || code->op == HD_OP_CS2R)
		high = low;
	struct hd_value pred = code->op == HD_OP_VOTE ? uniform(true) : high;
	HD_REGSET_FOREACH(&effects.writes, reg)
		if (reg < registers)
			state->values[reg] = settled(state, code, state->values[reg], reg == code->dst ? low : high);
	for (uint32_t p = 0; p < HD_MAX_PREDS; p++)
		if (effects.writes.preds >> p & 1)
			state->values[registers + p] = settled(state, code, state->values[registers + p], pred);
}

/* ---- blocks */

static size_t row(const struct hd_patterns *patterns)
{
	return patterns->registers + HD_MAX_PREDS;
}

static void load_block(struct state *state, uint32_t block)
{
	const struct hd_patterns *patterns = state->patterns;
	memcpy(state->values, patterns->start + block * row(patterns), sizeof(*state->values) * row(patterns));
	state->apart = patterns->apart[block];
	state->local = patterns->local[block];
}

/* Returns whether some successor learnt something. */
static bool visit(struct state *state, uint32_t block)
{
	const struct hd_graph *graph = &state->flow->graph;
	bool changed = false;
	load_block(state, block);
	for (uint32_t i = state->flow->blocks[block].first; i <= hd_flow_last(state->flow, block); i++)
		step(state, i);
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
		struct hd_value *to = state->patterns->start + graph->succ[e] * row(state->patterns);
		for (size_t v = 0; v < row(state->patterns); v++) {
			struct hd_value joined = join(to[v], state->values[v]);
			changed |= !same(&joined, &to[v]);
			to[v] = joined;
		}
	}
	return changed;
}

static void interpret(struct state *state)
{
	const struct hd_flow *flow = state->flow;
	memset(state->patterns->start, 0, sizeof(struct hd_value) * row(state->patterns) * flow->block_count);
	for (size_t v = 0; v < row(state->patterns); v++)
		state->patterns->start[v] = random_value;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < flow->rpo_count; i++)
			changed |= visit(state, flow->rpo[i]);
	}
}

/* ---- blocks that not everyone runs */

static bool is_empty(const struct hd_regset *set)
{
	return hd_regset_equal(set, &(struct hd_regset){0});
}

/* Nobody who waits for `side` of the branch at the end of `block` needs anything. */
static bool is_alone(const struct hd_flow *flow, uint32_t block, uint32_t side, uint32_t meets)
{
	const struct hd_graph *graph = &flow->graph;
	struct hd_regset need = meets == HD_NO_NODE ? flow->returns : flow->live_in[meets];
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
		if (graph->succ[e] != side)
			hd_regset_union(&need, &flow->live_in[graph->succ[e]]);
	return is_empty(&need);
}

struct flood {
	const struct hd_flow *flow;
	uint32_t *stamp; /* of each block: the meeting point, + 2, for which it was marked last */
	HD_VEC(uint32_t) work;
};

static void flood_from(struct flood *flood, uint32_t block, uint32_t meets, bool *marks)
{
	const struct hd_graph *graph = &flood->flow->graph;
	hd_vec_push(&flood->work, block);
	while (flood->work.len) {
		uint32_t at = hd_vec_pop(&flood->work);
		if (at == meets || flood->stamp[at] == meets + 2)
			continue;
		flood->stamp[at] = meets + 2;
		marks[at] = true;
		for (uint32_t e = graph->succ_start[at]; e < graph->succ_start[at + 1]; e++)
			hd_vec_push(&flood->work, graph->succ[e]);
	}
}

static int compare_ranks(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return *left < *right ? -1 : *left > *right;
}

/*
 * Marks what runs between the branches in `which` and their meeting points while somebody waits with live registers. By
 * meeting point, so that each block is marked once for each.
 */
static void mark_between(const struct hd_flow *flow, const bool *which, bool *marks)
{
	const struct hd_graph *graph = &flow->graph;
	struct flood flood = {.flow = flow, .stamp = hd_xcalloc(flow->block_count + 1, sizeof(uint32_t))};
	uint64_t *branches = hd_xcalloc(flow->block_count + 1, sizeof(*branches));
	uint32_t count = 0;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		uint32_t reconv = flow->function->insts[hd_flow_last(flow, b)].reconv;
		uint32_t meets = reconv < flow->function->inst_count ? flow->block_of[reconv] : HD_NO_NODE;
		if (which[b])
			branches[count++] = (uint64_t)meets << 32 | b;
	}
	qsort(branches, count, sizeof(*branches), compare_ranks);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t b = (uint32_t)branches[i], meets = (uint32_t)(branches[i] >> 32);
		for (uint32_t e = graph->succ_start[b]; e < graph->succ_start[b + 1]; e++)
			if (!is_alone(flow, b, graph->succ[e], meets))
				flood_from(&flood, graph->succ[e], meets, marks);
	}
	hd_vec_release(&flood.work);
	free(flood.stamp);
	free(branches);
}

/* Branches that do not send the whole CTA one way; returns whether there are more than before. */
static bool find_local_branches(struct state *state)
{
	const struct hd_flow *flow = state->flow;
	bool more = false;
	for (uint32_t i = 0; i < flow->rpo_count; i++) {
		uint32_t b = flow->rpo[i], last = hd_flow_last(flow, b);
		const struct hd_inst *inst = &flow->function->insts[last];
		if (state->enters_local[b] || flow->graph.succ_start[b + 1] - flow->graph.succ_start[b] < 2)
			continue;
		load_block(state, b);
		for (uint32_t k = flow->blocks[b].first; k < last; k++)
			step(state, k);
		struct hd_value way = inst->op == HD_OP_BRX ? register_value(state, inst->a) : predicate_value(state, inst->guard);
		state->enters_local[b] = !is_cta_uniform(&way);
		more |= state->enters_local[b];
	}
	return more;
}

static void solve(struct state *state)
{
	const struct hd_flow *flow = state->flow;
	interpret(state);
	for (unsigned round = 0; find_local_branches(state); round++) {
		if (round == MOST_ROUNDS) /* enough: any of them may be */
			for (uint32_t b = 0; b < flow->block_count; b++)
				state->enters_local[b] = true;
		mark_between(flow, state->enters_local, state->patterns->local);
		interpret(state);
	}
}

void hd_patterns_compute(struct hd_patterns *patterns, const struct hd_liveness *liveness, struct hd_arena *arena)
{
	const struct hd_flow *flow = liveness->flow;
	struct state state = {.patterns = patterns, .flow = flow};
	*patterns = (struct hd_patterns){.liveness = liveness, .registers = flow->function->registers};
	patterns->start = HD_ARENA_NEW(arena, struct hd_value, row(patterns) * flow->block_count);
	patterns->apart = HD_ARENA_NEW(arena, bool, flow->block_count);
	patterns->local = HD_ARENA_NEW(arena, bool, flow->block_count);
	if (!flow->block_count)
		return;
	state.values = hd_xcalloc(row(patterns), sizeof(*state.values));
	state.enters_local = hd_xcalloc(flow->block_count, sizeof(*state.enters_local));
	mark_between(flow, liveness->divergent, patterns->apart);
	solve(&state);
	free(state.values);
	free(state.enters_local);
}

void hd_patterns_before(const struct hd_patterns *patterns, uint32_t inst, struct hd_value *values)
{
	const struct hd_flow *flow = patterns->liveness->flow;
	struct state state = {.patterns = patterns, .flow = flow, .values = values};
	uint32_t block = flow->block_of[inst];
	load_block(&state, block);
	for (uint32_t i = flow->blocks[block].first; i < inst; i++)
		step(&state, i);
}
