/*
 * Proves register patterns by forward abstract interpretation of machine code over
 * affine values of the thread index (gpu-multiprogramming-lin, 2.3.3 "Architectural State
 * Compression"). Needs liveness with its divergent branches.
 *
 * A write while lanes wait elsewhere that still need the register makes it random: it has new values
 * in some lanes and old ones in others. Those who wait without need of it, such as lanes that have
 * left the loop whose counter it is, do not count: they write it before they read it again. A write
 * under a branch that only some warps take makes it local in the same way; such branches are
 * found from the predicates' own values, in rounds. In all of this a value is that of the lanes that
 * run; of registers that waiting lanes need, what is written between the branch and the place where its
 * lanes reconverge may already be old or new in them.
 */
#include "passes/analysis/patterns.h"
#include "heddle/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include "passes/analysis/spread.h"

enum { MOST_ROUNDS = 8 };

struct state {
	const struct hd_patterns *patterns;
	const struct hd_flow *flow;
	uint32_t *values;	       /* at the instruction that is looked at */
	bool *enters_local;	       /* of each block: its branch is not the same for the CTA */
	bool *due;		       /* of each block: something at its start is new */
	struct hd_regset apart, local; /* of the block at hand */
};

/* ---- operands */

static struct hd_value register_value(const struct state *state, uint32_t reg)
{
	if (reg >= HD_RZ)
		return hd_value_constant(0);
	return reg < state->patterns->registers ? state->patterns->table->values.data[state->values[reg]]
						: hd_value_random;
}

static struct hd_value predicate_value(const struct state *state, uint32_t pred)
{
	uint32_t number = pred & ~(uint32_t)HD_PRED_NOT;
	uint32_t at = state->patterns->registers + number;
	return number == HD_PT ? hd_value_constant(1) : state->patterns->table->values.data[state->values[at]];
}

static struct hd_value bank_value(uint32_t x)
{
	struct hd_value value = hd_value_uniform(false);
	value.is_ntid_x = x == HD_CONST_X(0, HD_CB_NTID_X);
	return value;
}

static struct hd_value x_value(const struct hd_inst *inst)
{
	if (hd_x_is_uniform(inst->xkind))
		return hd_value_uniform(true);
	return hd_x_is_immediate(inst->xkind) ? hd_value_constant(inst->x) : bank_value(inst->x);
}

/* The low word of an operand, modifiers applied. */
static struct hd_value operand(const struct state *state, const struct hd_inst *inst, enum hd_slot slot)
{
	static const uint8_t negated[] = {0, HD_NEG_A, HD_NEG_B, HD_NEG_C};
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	struct hd_value value = register_value(state, regs[slot]);
	if ((slot == HD_SLOT_B && hd_x_in_b(inst->xkind)) || (slot == HD_SLOT_C && hd_x_in_c(inst->xkind)))
		value = x_value(inst);
	return inst->srcmods & negated[slot] ? hd_value_scaled(value, hd_factor_known(-1)) : value;
}

/* Uniform if every register and predicate that goes in is. */
static struct hd_value from_sources(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value sources[16];
	uint32_t count = 0;
	const uint8_t regs[] = {inst->a, inst->b, inst->c}, preds[] = {inst->psrc, inst->psrc2};
	for (unsigned i = 0; i < 3; i++) {
		if (regs[i] >= HD_RZ)
			continue;
		uint32_t words = hd_op_width(inst->op, inst->mods, HD_SLOT_A + i);
		for (uint32_t w = 0; w < words; w++) {
			sources[count] = register_value(state, regs[i] + w);
			if (sources[count++].kind == HD_VALUE_RANDOM)
				return hd_value_random;
		}
	}
	for (unsigned i = 0; i < 2; i++)
		sources[count++] = predicate_value(state, preds[i]);
	return hd_value_mixed(sources, count);
}

/* ---- instructions */

static struct hd_value special(enum hd_sr which)
{
	struct hd_value value = hd_value_uniform(false);
	switch (which) {
	case HD_SR_TID_X:
		value.x = hd_factor_known(1);
		value.base = hd_factor_known(0);
		return value;
	case HD_SR_TID_Y:
		value.y = hd_factor_known(1);
		value.base = hd_factor_known(0);
		return value;
	case HD_SR_TID_Z:
		value.z = hd_factor_known(1);
		value.base = hd_factor_known(0);
		return value;
	case HD_SR_LANEID:
		value.x = hd_factor_known(1);
		value.local = true;
		return value;
	case HD_SR_CTAID_X:
	case HD_SR_CTAID_Y:
	case HD_SR_CTAID_Z:
	case HD_SR_CLUSTERID_X:
	case HD_SR_CLUSTERID_Y:
	case HD_SR_CLUSTERID_Z:
	case HD_SR_CLUSTER_CTAID_X:
	case HD_SR_CLUSTER_CTAID_Y:
	case HD_SR_CLUSTER_CTAID_Z:
	case HD_SR_CLUSTER_CTARANK:
	case HD_SR_NWARPID:
	case HD_SR_NSMID:
	case HD_SR_SMID:
	case HD_SR_GRIDID: return value;
	case HD_SR_LANEMASK_EQ:
	case HD_SR_LANEMASK_LT:
	case HD_SR_LANEMASK_LE:
	case HD_SR_LANEMASK_GT:
	case HD_SR_LANEMASK_GE: return hd_value_random;
	default: return hd_value_uniform(true); /* the warp's number, and times */
	}
}

/* Lanes that load from one address together get one value, unless the memory is each thread's own. */
static struct hd_value loaded(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value value = from_sources(state, inst);
	if (inst->op != HD_OP_LDG && inst->op != HD_OP_LDS && inst->op != HD_OP_LDC && inst->op != HD_OP_LDCX)
		return hd_value_random;
	value.local |= value.kind == HD_VALUE_AFFINE && inst->op != HD_OP_LDC;
	return value;
}

static struct hd_value selected(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value which = predicate_value(state, inst->psrc);
	struct hd_value value = hd_value_join(operand(state, inst, HD_SLOT_A), operand(state, inst, HD_SLOT_B));
	if (!hd_value_is_uniform_in_group(&which))
		return hd_value_random;
	value.local |= value.kind == HD_VALUE_AFFINE && !hd_value_is_cta_uniform(&which);
	return value;
}

static struct hd_value shifted(const struct state *state, const struct hd_inst *inst)
{
	struct hd_value by = operand(state, inst, HD_SLOT_B), value = operand(state, inst, HD_SLOT_A);
	if (value.kind != HD_VALUE_AFFINE || !by.base.known || !hd_value_is_cta_uniform(&by) ||
	    (uint32_t)by.base.value >= 32)
		return from_sources(state, inst);
	return hd_value_scaled(value, hd_factor_known((int32_t)(1u << by.base.value)));
}

static struct hd_value lea(const struct state *state, const struct hd_inst *inst)
{
	uint32_t by = hd_mod_get(inst->mods, HD_MOD_SHAMT);
	struct hd_value value = operand(state, inst, HD_SLOT_A);
	return hd_value_add(hd_value_scaled(value, hd_factor_known((int32_t)(1u << by))),
			    operand(state, inst, HD_SLOT_B));
}

/* The same for all lanes of a mask. */
static struct hd_value vote(const struct state *state, const struct hd_inst *inst)
{
	if (hd_mod_get(inst->mods, HD_MOD_MEMBERS) != HD_MEMBERS_MASK)
		return hd_value_uniform(true);
	struct hd_value mask = operand(state, inst, HD_SLOT_B);
	return hd_value_is_uniform_in_group(&mask) ? hd_value_uniform(true) : hd_value_random;
}

/* The low word of the result. */
static struct hd_value result(const struct state *state, const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_S2R:
	case HD_OP_CS2R: return special((enum hd_sr)hd_mod_get(inst->mods, HD_MOD_SR));
	case HD_OP_MOV: return operand(state, inst, HD_SLOT_B);
	case HD_OP_SEL: return selected(state, inst);
	case HD_OP_IADD3:
		if (hd_mod_get(inst->mods, HD_MOD_EX))
			return from_sources(state, inst);
		return hd_value_add(hd_value_add(operand(state, inst, HD_SLOT_A), operand(state, inst, HD_SLOT_B)),
				    operand(state, inst, HD_SLOT_C));
	case HD_OP_IMAD:
	case HD_OP_IMAD_WIDE:
		return hd_value_add(hd_value_multiply(operand(state, inst, HD_SLOT_A), operand(state, inst, HD_SLOT_B)),
				    operand(state, inst, HD_SLOT_C));
	case HD_OP_SHL: return shifted(state, inst);
	case HD_OP_LEA: return lea(state, inst);
	case HD_OP_VOTE: return vote(state, inst);
	default:
		if (hd_opinfo[inst->op].effects & HD_FX_LOAD)
			return loaded(state, inst);
		return hd_opinfo[inst->op].effects ? hd_value_random : from_sources(state, inst);
	}
}

/* What lanes and warps that do not execute the write, or not now, make of it: `apart` and `local` say whether they need
 * it. */
static void write_value(const struct state *state, const struct hd_inst *inst, uint32_t *to, struct hd_value value,
			bool apart, bool local)
{
	struct hd_value_table *table = state->patterns->table;
	bool everyone = inst->guard == HD_PT;
	if (apart || value.kind == HD_VALUE_RANDOM) {
		*to = HD_NUMBER_RANDOM;
		return;
	}
	if (!everyone) {
		struct hd_value guard = predicate_value(state, inst->guard);
		value = hd_value_join(table->values.data[*to], value);
		if (!hd_value_is_uniform_in_group(&guard))
			value = hd_value_random;
		local |= !hd_value_is_cta_uniform(&guard);
	}
	value.local |= value.kind == HD_VALUE_AFFINE && local;
	value.is_ntid_x &= !value.local;
	*to = hd_value_number(table, value);
}

static void write_values(struct state *state, const struct hd_inst *inst, const struct hd_regset *writes,
			 const struct hd_value *low, const struct hd_value *high)
{
	uint32_t registers = state->patterns->registers;
	const struct hd_value *pred = inst->op == HD_OP_VOTE ? low : high;
	HD_REGSET_FOREACH (writes, reg)
		if (reg < registers)
			write_value(state, inst, &state->values[reg], reg == inst->dst ? *low : *high,
				    hd_regset_has(&state->apart, reg), hd_regset_has(&state->local, reg));
	for (uint32_t left = writes->preds; left; left &= left - 1) {
		uint32_t p = (uint32_t)__builtin_ctz(left);
		write_value(state, inst, &state->values[registers + p], *pred, state->apart.preds >> p & 1,
			    state->local.preds >> p & 1);
	}
}

/* A helper computes what it writes on each path out of what it reads. */
static struct hd_value helped(const struct state *state, const struct hd_regset *reads)
{
	struct hd_value sources[HD_ABI_FIRST_SAVED];
	uint32_t count = 0;
	HD_REGSET_FOREACH (reads, reg) {
		sources[count] = register_value(state, reg);
		if (sources[count++].kind == HD_VALUE_RANDOM)
			return hd_value_random;
	}
	return hd_value_mixed(sources, count);
}

static void step_call(struct state *state, uint32_t inst)
{
	const struct hd_inst *code = &state->flow->function->insts[inst];
	struct hd_value value = hd_value_random;
	struct hd_flow_effects call;
	hd_flow_effects(state->flow, inst, &call);
	if (!hd_flow_calls(state->flow, inst))
		value = helped(state, &call.reads);
	hd_regset_subtract(&call.writes, &call.kills);
	write_values(state, code, &call.kills, &value, &value);
	/* The others it may leave as they are, for all lanes that it gives the same to. */
	HD_REGSET_FOREACH (&call.writes, reg) {
		struct hd_value either = hd_value_join(register_value(state, reg), value);
		struct hd_regset one = {0};
		hd_regset_add(&one, reg);
		write_values(state, code, &one, &either, &either);
	}
	write_values(state, code, &(struct hd_regset){.preds = call.writes.preds}, &hd_value_random, &hd_value_random);
}

static void step(struct state *state, uint32_t inst)
{
	const struct hd_inst *code = &state->flow->function->insts[inst];
	unsigned effects = hd_opinfo[code->op].effects;
	if (effects & HD_FX_CALL) {
		step_call(state, inst);
		return;
	}
	struct hd_regset writes;
	hd_inst_writes(code, &writes);
	if (!writes.preds && !(writes.regs[0] | writes.regs[1] | writes.regs[2] | writes.regs[3]))
		return;
	if (code->linear) { /* not a register's value */
		write_values(state, code, &writes, &hd_value_random, &hd_value_random);
		return;
	}
	struct hd_value low = result(state, code), high = low;
	bool more = writes.preds || hd_op_width(code->op, code->mods, HD_SLOT_DST) > 1;
	/* Only moved bits keep their form in the high words; sums carry between them. */
	if (more && !(effects & HD_FX_LOAD) && code->op != HD_OP_CS2R)
		high = effects ? hd_value_random : from_sources(state, code);
	write_values(state, code, &writes, &low, &high);
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

/* Returns whether something is new there. */
static bool join_into(const struct state *state, uint32_t block)
{
	const struct hd_patterns *patterns = state->patterns;
	uint32_t *to = patterns->start + block * row(patterns);
	bool changed = false;
	for (size_t v = 0; v < row(patterns); v++) {
		if (to[v] == state->values[v] || to[v] == HD_NUMBER_RANDOM)
			continue;
		uint32_t joined = hd_value_join_numbers(patterns->table, to[v], state->values[v]);
		changed |= joined != to[v];
		to[v] = joined;
	}
	return changed;
}

/* Whether the branch at the end of the block, where `state` is, may send a part of the CTA on another path. */
static bool goes_apart(const struct state *state, uint32_t block)
{
	const struct hd_inst *inst = &state->flow->function->insts[hd_flow_last(state->flow, block)];
	struct hd_value where =
		inst->op == HD_OP_BRX ? register_value(state, inst->a) : predicate_value(state, inst->guard);
	return !hd_value_is_cta_uniform(&where);
}

/* Returns whether some successor learnt something. */
static bool visit(struct state *state, uint32_t block)
{
	const struct hd_graph *graph = &state->flow->graph;
	bool changed = false;
	state->due[block] = false;
	load_block(state, block);
	for (uint32_t i = state->flow->blocks[block].first; i <= hd_flow_last(state->flow, block); i++)
		step(state, i);
	if (graph->succ_start[block + 1] - graph->succ_start[block] > 1)
		state->enters_local[block] = goes_apart(state, block);
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
		if (join_into(state, graph->succ[e]))
			changed = state->due[graph->succ[e]] = true;
	return changed;
}

static void interpret(struct state *state)
{
	const struct hd_flow *flow = state->flow;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < flow->rpo_count; i++)
			if (state->due[flow->rpo[i]])
				changed |= visit(state, flow->rpo[i]);
	}
}

/* ---- blocks that not everyone runs */

struct between {
	const struct hd_flow *flow;
	struct hd_regset *writes;	  /* of each block */
	struct hd_regset *result, *moved; /* of each block; `moved` may be NULL */
};

/* What those on `side` need themselves does not count, unlike in liveness.c. */
static struct hd_regset needed(void *context, uint32_t block, uint32_t side, uint32_t reconv)
{
	const struct hd_flow *flow = ((const struct between *)context)->flow;
	const struct hd_graph *graph = &flow->graph;
	struct hd_regset need = reconv == HD_NO_NODE ? flow->returns : flow->live_in[reconv];
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
		if (graph->succ[e] != side)
			hd_regset_union(&need, &flow->live_in[graph->succ[e]]);
	return need;
}

static void collect(void *context, const uint32_t *region, uint32_t count, const struct hd_regset *sets)
{
	const struct between *between = context;
	struct hd_regset written = {0};
	for (uint32_t i = 0; i < count; i++)
		hd_regset_union(&written, &between->writes[region[i]]);
	for (uint32_t i = 0; i < count; i++) {
		struct hd_regset both = sets[region[i]];
		hd_regset_union(&between->result[region[i]], &both);
		hd_regset_intersect(&both, &written);
		if (between->moved)
			hd_regset_union(&between->moved[region[i]], &both);
	}
}

static void mark_between(const struct hd_flow *flow, const bool *which, struct hd_regset *result,
			 struct hd_regset *moved)
{
	struct between between = {.flow = flow, .result = result, .moved = moved};
	between.writes = hd_xcalloc(flow->block_count + 1, sizeof(*between.writes));
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		struct hd_flow_effects effects;
		hd_flow_effects(flow, i, &effects);
		hd_regset_union(&between.writes[flow->block_of[i]], &effects.writes);
	}
	hd_spread(flow, which, &(struct hd_spread){needed, collect, &between});
	free(between.writes);
}

static uint32_t count_set(const bool *set, uint32_t count)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += set[i];
	return sum;
}

/* Marks what is between the branches known to be local; the blocks of which more is known are due again, from what they
 * had: more marks make no value more certain. */
static void mark_local(struct state *state, struct hd_regset *before)
{
	const struct hd_flow *flow = state->flow;
	struct hd_regset *local = state->patterns->local;
	memcpy(before, local, sizeof(*local) * flow->block_count);
	mark_between(flow, state->enters_local, local, NULL);
	for (uint32_t b = 0; b < flow->block_count; b++)
		state->due[b] = !hd_regset_equal(&before[b], &local[b]);
}

/* Values, then the branches that do not send the whole CTA on one path, in turn. */
static void solve(struct state *state)
{
	const struct hd_flow *flow = state->flow;
	uint32_t known = 0, *first = state->patterns->start;
	struct hd_regset *before = hd_xcalloc(flow->block_count, sizeof(*before));
	memset(first, 0, sizeof(*first) * row(state->patterns) * flow->block_count);
	for (size_t v = 0; v < row(state->patterns); v++)
		first[v] = HD_NUMBER_RANDOM;
	memset(state->due, true, flow->rpo_count ? flow->block_count : 0);
	interpret(state);
	for (unsigned round = 0; count_set(state->enters_local, flow->block_count) > known; round++) {
		if (round == MOST_ROUNDS) /* enough: any of them may be */
			memset(state->enters_local, true, flow->block_count);
		known = count_set(state->enters_local, flow->block_count);
		mark_local(state, before);
		interpret(state);
	}
	free(before);
}

void hd_patterns_compute(struct hd_patterns *patterns, const struct hd_liveness *liveness, struct hd_arena *arena)
{
	const struct hd_flow *flow = liveness->flow;
	struct state state = {.patterns = patterns, .flow = flow};
	*patterns = (struct hd_patterns){.liveness = liveness, .registers = hd_function_rows(flow->function)};
	patterns->table = hd_value_table_new(arena);
	patterns->start = HD_ARENA_NEW(arena, uint32_t, row(patterns) * flow->block_count);
	patterns->apart = HD_ARENA_NEW(arena, struct hd_regset, flow->block_count);
	patterns->moved = HD_ARENA_NEW(arena, struct hd_regset, flow->block_count);
	patterns->local = HD_ARENA_NEW(arena, struct hd_regset, flow->block_count);
	if (!flow->block_count)
		return;
	state.values = hd_xcalloc(row(patterns), sizeof(*state.values));
	state.enters_local = hd_xcalloc(flow->block_count, sizeof(*state.enters_local));
	state.due = hd_xcalloc(flow->block_count, sizeof(*state.due));
	mark_between(flow, liveness->divergent, patterns->apart, patterns->moved);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		if (!hd_bitset_has(&liveness->scattered, b))
			continue;
		patterns->apart[b].preds = HD_ALL_PREDS;
		hd_regset_add_run(&patterns->apart[b], 0, HD_MAX_REGS);
	}
	solve(&state);
	free(state.values);
	free(state.enters_local);
	free(state.due);
}

/* ---- reading the result */

static struct state state_at(const struct hd_pattern_cursor *cursor)
{
	const struct hd_patterns *patterns = cursor->patterns;
	return (struct state){.patterns = patterns, .flow = patterns->liveness->flow, .values = cursor->values};
}

static void enter(struct hd_pattern_cursor *cursor, struct state *state, uint32_t block)
{
	load_block(state, block);
	cursor->block = block;
	cursor->inst = state->flow->blocks[block].first;
}

void hd_pattern_cursor_init(struct hd_pattern_cursor *cursor, const struct hd_patterns *patterns,
			    struct hd_arena *arena)
{
	*cursor = (struct hd_pattern_cursor){.patterns = patterns,
					     .values = HD_ARENA_NEW(arena, uint32_t, row(patterns))};
	struct state state = state_at(cursor);
	enter(cursor, &state, 0);
}

void hd_pattern_cursor_seek(struct hd_pattern_cursor *cursor, uint32_t inst)
{
	struct state state = state_at(cursor);
	uint32_t block = state.flow->block_of[inst];
	if (block != cursor->block || inst < cursor->inst)
		enter(cursor, &state, block);
	state.apart = cursor->patterns->apart[block];
	state.local = cursor->patterns->local[block];
	for (; cursor->inst < inst; cursor->inst++)
		step(&state, cursor->inst);
}

struct hd_value hd_pattern_cursor_value(const struct hd_pattern_cursor *cursor, uint32_t reg)
{
	const struct hd_patterns *patterns = cursor->patterns;
	if (reg >= patterns->registers || hd_regset_has(&patterns->moved[cursor->block], reg) ||
	    hd_regset_has(&patterns->liveness->waiting, reg) ||
	    (hd_bitset_has(&patterns->liveness->scattered, cursor->block) &&
	     hd_regset_has(&patterns->liveness->around[cursor->block], reg)))
		return hd_value_random;
	return patterns->table->values.data[cursor->values[reg]];
}

struct hd_meta_pattern *hd_pattern_cursor_list(struct hd_pattern_cursor *cursor, uint32_t inst,
					       const struct hd_regset *registers, bool by_block, uint32_t *count,
					       struct hd_arena *arena)
{
	struct hd_meta_pattern *list = HD_ARENA_NEW(arena, struct hd_meta_pattern, hd_regset_count(registers));
	hd_pattern_cursor_seek(cursor, inst);
	*count = 0;
	HD_REGSET_FOREACH (registers, reg) {
		struct hd_value value = hd_pattern_cursor_value(cursor, reg);
		if (value.kind != HD_VALUE_AFFINE)
			continue;
		list[(*count)++] = (struct hd_meta_pattern){
			.reg = (uint8_t)reg,
			.strided = !hd_value_is_uniform_in_group(&value),
			.stride_known = value.x.known,
			.stride = value.x.known ? value.x.value : 0,
			.dimensions = by_block ? hd_value_dimensions(&value) : 0,
		};
	}
	return list;
}
