/*
 * Reuse distances of one function (malekeh, 3.2 and 4: "reuse distance ... computed by the compiler").
 * Needs its flow and branch probabilities; costs edges x registers x (2 + nesting of loops).
 *
 * Inside a block the next read or write of a register is known. Beyond it, one register at a time,
 * two unknowns stand at the start of each block b: the chance C(b) that the register is read before
 * it is written, and D(b), the mean distance to that read with other paths counted as 0. Then
 *
 *   the block reads it first, at offset k:  C = 1, D = k
 *   the block writes it first:              C = 0, D = 0
 *   neither:  C = sum p(s) C(s),  D = sum p(s) D(s) + length(b) C   over successors s
 *
 * and the expected distance is D / C. The equations are solved backwards, blocks in reverse of
 * reverse post-order. A loop that leaves the register alone would take as many sweeps as it runs
 * iterations; therefore the probability q that an iteration leads to the next one without touching
 * the register, and the mean length m of such an iteration, are worked out first, inner loops before
 * outer ones, and the value at the header jumps to the limit of the geometric series. Reducible
 * flow is then solved by one sweep for each level of nesting and one more; in irreducible flow
 * q is too small by the edges that enter the cycle elsewhere, and sweeps go on until little changes.
 *
 * A read counts whether or not the instruction's guard holds, for the collector fetches the
 * operand all the same; a guarded write ends a value where lanes outside the guard do not need it. Calls and returns
 * read what the ABI passes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/opcodes.h"
#include "lib/vec.h"
#include "passes/analysis/reuse.h"

#define LEAST_LEAVING 1e-9 /* bound on 1 - q, for loops that never end */
#define TOLERANCE 1e-5	   /* relative change of D and C that is still followed up */
#define MOST_SWEEPS 64	   /* for irreducible flow */

enum { NOTHING, READ, WRITE };

/* What a block does first with a register. */
struct event {
	uint32_t block;
	float offset;
	uint8_t reg, kind;
};

/* An operand after which its block does not touch the register again. */
struct tail {
	uint32_t inst;
	uint8_t reg, slot;
};

/* Records in order of their register; of register r: start[r] .. start[r + 1]. */
struct index {
	uint32_t start[HD_MAX_REGS + 1];
};

struct series {
	double q, m;
};

struct solver {
	struct hd_reuse *reuse;
	const struct hd_flow *flow;
	const double *probability;
	double *at;	/* of each instruction: distance from the start of its block */
	double *length; /* of each block */
	HD_VEC(struct event) events;
	HD_VEC(struct tail) tails;
	struct index event_index, tail_index;
	/* for the register at hand */
	uint8_t *kind;		    /* of each block */
	double *chance, *mean;	    /* C and D of each block */
	double *back, *back_length; /* scratch of the series: zero outside */
	struct series *untouched;   /* of each loop: for a register that it does not touch */
	struct series *series;
	bool *touched;
	uint32_t *headed; /* loop that a block heads, or HD_NO_NODE */
};

/* ---- inside blocks */

/* Registers of a warpgroup's product that are in flight behind it have no distance. */
static bool is_in_flight(const struct hd_inst *inst, enum hd_slot slot)
{
	bool registers = inst->op == HD_OP_WGMMA && hd_mod_get(inst->mods, HD_MOD_WGA) == HD_WG_REGISTERS;
	return inst->op == HD_OP_WGMMA &&
	       (slot == HD_SLOT_DST || slot == HD_SLOT_C || (slot == HD_SLOT_A && registers));
}

bool hd_reuse_has(const struct hd_inst *inst, enum hd_slot slot)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	if (is_in_flight(inst, slot))
		return false;
	return regs[slot] != HD_RZ && hd_op_width(inst->op, inst->mods, slot) && !hd_lr_takes(inst->linear, slot);
}

static uint8_t slot_register(const struct hd_inst *inst, enum hd_slot slot)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	return regs[slot];
}

static void place_instructions(struct solver *solver, const double *call_length)
{
	const struct hd_flow *flow = solver->flow;
	uint32_t call = 0;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		double at = 0;
		for (uint32_t i = flow->blocks[b].first; i <= hd_flow_last(flow, b); i++) {
			solver->at[i] = at;
			at += 1;
			if (call < flow->call_count && flow->calls[call].inst == i) {
				at += call_length ? call_length[call] : 0;
				call++;
			}
		}
		solver->length[b] = at;
	}
}

/* A value is reused soonest where a read is likelier than not, then where it is nearer. */
static bool sooner(const struct hd_reuse_distance *a, const struct hd_reuse_distance *b)
{
	bool likely = a->chance >= 0.5f;
	if (likely != (b->chance >= 0.5f))
		return likely;
	return a->chance > 0 && (b->chance <= 0 || a->distance < b->distance);
}

static void offer(struct solver *solver, uint32_t inst, unsigned slot, double chance, double mean)
{
	struct hd_reuse_distance *operand = &solver->reuse->operands[inst][slot];
	struct hd_reuse_distance found = {(float)chance, chance > 0 ? (float)(mean / chance) : 0};
	if (sooner(&found, operand))
		*operand = found;
}

/* Next touch of each register, going from the end of a block to its start. */
struct next {
	uint8_t kind[HD_MAX_REGS];
	double at[HD_MAX_REGS];
	struct hd_regset touched;
};

static void resolve_register(struct solver *solver, uint32_t inst, unsigned slot, uint32_t reg, const struct next *next)
{
	if (next->kind[reg] == READ)
		offer(solver, inst, slot, 1, next->at[reg] - solver->at[inst]);
	else if (next->kind[reg] == NOTHING)
		hd_vec_push(&solver->tails, (struct tail){inst, (uint8_t)reg, (uint8_t)slot});
}

static void resolve_operands(struct solver *solver, uint32_t i, const struct hd_flow_effects *effects,
			     const struct next *next)
{
	const struct hd_inst *inst = &solver->flow->function->insts[i];
	for (unsigned slot = HD_SLOT_DST; slot <= HD_SLOT_C; slot++) {
		uint32_t first = slot_register(inst, slot);
		if (first >= HD_RZ)
			continue;
		unsigned width = hd_op_width(inst->op, inst->mods, slot);
		for (uint32_t reg = first; reg < first + width && reg < HD_RZ; reg++)
			if (slot == HD_SLOT_DST || !hd_regset_has(&effects->covers, reg))
				resolve_register(solver, i, slot, reg, next);
	}
}

static void set_next(struct next *next, const struct hd_regset *set, uint8_t kind, double at)
{
	hd_regset_union(&next->touched, set);
	HD_REGSET_FOREACH (set, reg) {
		next->kind[reg] = kind;
		next->at[reg] = at;
	}
}

/* What the block does first, known at its start. */
static void add_events(struct solver *solver, uint32_t block, const struct next *next)
{
	HD_REGSET_FOREACH (&next->touched, reg)
		hd_vec_push(&solver->events,
			    (struct event){block, (float)next->at[reg], (uint8_t)reg, next->kind[reg]});
}

static void resolve_block(struct solver *solver, uint32_t block)
{
	const struct hd_flow *flow = solver->flow;
	struct next next;
	memset(next.kind, NOTHING, sizeof(next.kind));
	next.touched = (struct hd_regset){0};
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first;) {
		struct hd_flow_effects effects;
		hd_flow_effects(flow, i, &effects);
		resolve_operands(solver, i, &effects, &next);
		set_next(&next, &effects.covers, WRITE, solver->at[i]);
		set_next(&next, &effects.reads, READ, solver->at[i]);
	}
	add_events(solver, block, &next);
}

/* ---- records by register */

static void begin_index(struct index *index)
{
	for (uint32_t reg = 0; reg < HD_MAX_REGS; reg++)
		index->start[reg + 1] += index->start[reg];
}

static void sort_events(struct solver *solver)
{
	struct event *sorted = hd_xcalloc(solver->events.len + 1, sizeof(*sorted));
	struct index *index = &solver->event_index, at;
	for (uint32_t i = 0; i < solver->events.len; i++)
		index->start[solver->events.data[i].reg + 1]++;
	begin_index(index);
	at = *index;
	for (uint32_t i = 0; i < solver->events.len; i++)
		sorted[at.start[solver->events.data[i].reg]++] = solver->events.data[i];
	free(solver->events.data);
	solver->events.data = sorted;
}

static void sort_tails(struct solver *solver)
{
	struct tail *sorted = hd_xcalloc(solver->tails.len + 1, sizeof(*sorted));
	struct index *index = &solver->tail_index, at;
	for (uint32_t i = 0; i < solver->tails.len; i++)
		index->start[solver->tails.data[i].reg + 1]++;
	begin_index(index);
	at = *index;
	for (uint32_t i = 0; i < solver->tails.len; i++)
		sorted[at.start[solver->tails.data[i].reg]++] = solver->tails.data[i];
	free(solver->tails.data);
	solver->tails.data = sorted;
}

/* ---- loops */

static double at_most(double value, double most)
{
	return value < most ? value : most;
}

/* The sum of a series of iterations that start `once`; the lengths that go with it are *mean. */
static double whole_series(const struct series *series, double once, double *mean)
{
	double leaving = fmax(1 - series->q, LEAST_LEAVING), chance = at_most(once / leaving, 1);
	*mean = (*mean + series->m * chance) / leaving;
	return chance;
}

/* q and m of a loop whose inner loops are done. Blocks that touch the register lead nowhere. */
static struct series series_of(struct solver *solver, uint32_t index)
{
	const struct hd_loop *loop = &solver->flow->loops.loops[index];
	const struct hd_graph *graph = &solver->flow->graph;
	struct series result = {0};
	for (uint32_t n = loop->node_count; n-- > 0;) {
		uint32_t block = loop->nodes[n], inner = solver->headed[block];
		double chance = 0, mean = 0;
		for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
			bool again = graph->succ[e] == loop->header;
			chance += solver->probability[e] * (again ? 1 : solver->back[graph->succ[e]]);
			mean += solver->probability[e] * (again ? 0 : solver->back_length[graph->succ[e]]);
		}
		mean += chance * solver->length[block];
		if (solver->kind[block] != NOTHING)
			chance = mean = 0;
		else if (inner != HD_NO_NODE && inner != index)
			chance = whole_series(&solver->series[inner], chance, &mean);
		solver->back[block] = chance;
		solver->back_length[block] = mean;
		result = (struct series){at_most(chance, 1), mean};
	}
	for (uint32_t n = 0; n < loop->node_count; n++)
		solver->back[loop->nodes[n]] = solver->back_length[loop->nodes[n]] = 0;
	return result;
}

static void find_headers(struct solver *solver)
{
	const struct hd_loops *loops = &solver->flow->loops;
	memset(solver->headed, 0xff, sizeof(*solver->headed) * solver->flow->block_count);
	for (uint32_t l = 0; l < loops->count; l++)
		solver->headed[loops->loops[l].header] = l;
	for (uint32_t l = loops->count; l-- > 0;)
		solver->untouched[l] = solver->series[l] = series_of(solver, l);
}

static void find_series(struct solver *solver, const struct event *events, uint32_t count)
{
	const struct hd_loops *loops = &solver->flow->loops;
	for (uint32_t l = 0; l < loops->count; l++) {
		solver->touched[l] = false;
		solver->series[l] = solver->untouched[l];
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t l = loops->loop_of[events[i].block]; l != HD_NO_NODE && !solver->touched[l];
		     l = loops->loops[l].parent)
			solver->touched[l] = true;
	for (uint32_t l = loops->count; l-- > 0;)
		if (solver->touched[l])
			solver->series[l] = series_of(solver, l);
}

/* ---- between blocks */

static void after_block(const struct solver *solver, uint32_t block, double *chance, double *mean)
{
	const struct hd_graph *graph = &solver->flow->graph;
	*chance = *mean = 0;
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
		*chance += solver->probability[e] * solver->chance[graph->succ[e]];
		*mean += solver->probability[e] * solver->mean[graph->succ[e]];
	}
}

/* From what the last sweep left at the header to the limit of going round and round. */
static void jump(const struct solver *solver, uint32_t block, double *chance, double *mean)
{
	const struct series *series = &solver->series[solver->headed[block]];
	double leaving = fmax(1 - series->q, LEAST_LEAVING), was = solver->chance[block];
	*chance = fmax(at_most((*chance - series->q * was) / leaving, 1), 0);
	*mean += series->m * (*chance - was);
	*mean = fmax((*mean - series->q * solver->mean[block]) / leaving, 0);
}

/* Returns whether its values changed by more than is tolerated. */
static bool visit(struct solver *solver, uint32_t block)
{
	double chance, mean;
	if (solver->kind[block] != NOTHING)
		return false; /* set before the first sweep */
	after_block(solver, block, &chance, &mean);
	mean += solver->length[block] * chance;
	if (solver->headed[block] != HD_NO_NODE)
		jump(solver, block, &chance, &mean);
	bool changed = fabs(chance - solver->chance[block]) > TOLERANCE * chance ||
		       fabs(mean - solver->mean[block]) > TOLERANCE * mean;
	solver->chance[block] = chance;
	solver->mean[block] = mean;
	return changed;
}

static void solve_register(struct solver *solver, const struct event *events, uint32_t count)
{
	const struct hd_flow *flow = solver->flow;
	memset(solver->kind, NOTHING, flow->block_count);
	memset(solver->chance, 0, sizeof(*solver->chance) * flow->block_count);
	memset(solver->mean, 0, sizeof(*solver->mean) * flow->block_count);
	for (uint32_t i = 0; i < count; i++) {
		solver->kind[events[i].block] = events[i].kind;
		solver->chance[events[i].block] = events[i].kind == READ;
		solver->mean[events[i].block] = events[i].kind == READ ? events[i].offset : 0;
	}
	find_series(solver, events, count);
	bool changed = true;
	for (uint32_t sweep = 0; changed && sweep < MOST_SWEEPS; sweep++) {
		changed = false;
		for (uint32_t i = flow->rpo_count; i-- > 0;)
			changed |= visit(solver, flow->rpo[i]);
	}
}

static void resolve_tails(struct solver *solver, const struct tail *tails, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t block = solver->flow->block_of[tails[i].inst];
		double chance, mean;
		after_block(solver, block, &chance, &mean);
		mean += (solver->length[block] - solver->at[tails[i].inst]) * chance;
		offer(solver, tails[i].inst, tails[i].slot, at_most(chance, 1), mean);
	}
}

/* A register that no block reads before writing it is dead after every tail. */
static bool is_read(const struct event *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (events[i].kind == READ)
			return true;
	return false;
}

static void solve(struct solver *solver)
{
	for (uint32_t reg = 0; reg < HD_MAX_REGS; reg++) {
		uint32_t first = solver->event_index.start[reg], tail = solver->tail_index.start[reg];
		uint32_t count = solver->event_index.start[reg + 1] - first;
		uint32_t tails = solver->tail_index.start[reg + 1] - tail;
		if (!tails || !is_read(solver->events.data + first, count))
			continue;
		solve_register(solver, solver->events.data + first, count);
		resolve_tails(solver, solver->tails.data + tail, tails);
	}
}

void hd_reuse_distances(struct hd_reuse *reuse, const double *call_length, struct hd_arena *arena)
{
	const struct hd_flow *flow = reuse->flow;
	uint32_t count = flow->function->inst_count;
	struct solver solver = {.reuse = reuse, .flow = flow, .probability = reuse->weights.probability};
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	solver.at = HD_ARENA_NEW(&scratch, double, count);
	solver.length = HD_ARENA_NEW(&scratch, double, flow->block_count);
	solver.kind = HD_ARENA_NEW(&scratch, uint8_t, flow->block_count);
	solver.chance = HD_ARENA_NEW(&scratch, double, flow->block_count);
	solver.mean = HD_ARENA_NEW(&scratch, double, flow->block_count);
	solver.back = HD_ARENA_NEW(&scratch, double, flow->block_count);
	solver.back_length = HD_ARENA_NEW(&scratch, double, flow->block_count);
	solver.untouched = HD_ARENA_NEW(&scratch, struct series, flow->loops.count);
	solver.series = HD_ARENA_NEW(&scratch, struct series, flow->loops.count);
	solver.touched = HD_ARENA_NEW(&scratch, bool, flow->loops.count);
	solver.headed = HD_ARENA_NEW(&scratch, uint32_t, flow->block_count);
	reuse->operands = hd_arena_alloc(arena, sizeof(*reuse->operands) * count);
	place_instructions(&solver, call_length);
	for (uint32_t i = 0; i < flow->rpo_count; i++)
		resolve_block(&solver, flow->rpo[i]);
	sort_events(&solver);
	sort_tails(&solver);
	find_headers(&solver);
	solve(&solver);
	for (uint32_t b = 0; b < flow->block_count; b++)
		reuse->length += reuse->weights.frequency[b] * solver.length[b];
	hd_vec_release(&solver.events);
	hd_vec_release(&solver.tails);
	hd_arena_release(&scratch);
}
