/*
 * Predication before scheduling: a short side of a branch that reads constant memory runs under the branch's predicate,
 * and what is behind it joins the block. The reads of many sides in a row are then under way together, where
 * if-conversion (if_conversion.c), which comes after the order is fixed, leaves each waiting for the one before. ptxas
 * 13 is seen to do so: of 31 such sides it keeps seven reads under way, each under a predicate of its own. Nothing is
 * read that the branch would not have read. Switch: without=predicated-constants
 *
 * Needs registers without PHIs, before they are allocated, and room for what lives longer: only where few are live.
 * Linear but for liveness.
 */
#include <stdlib.h>

#include "heddle/opcodes.h"
#include "passes/mir/live.h"
#include "passes/opt/sides.h"

struct predicator {
	struct hd_mfunc *func;
	uint32_t *ways_in; /* edges into each block */
	struct hd_live live;
	bool any;
};

/* A triangle: `block` ends in a branch around `side` to `join`, under a predicate or its opposite. */
struct triangle {
	uint32_t side, join, guard;
	bool guard_not; /* the side runs where the predicate is false */
};

/* It writes a register alone, and reads no predicate. */
static bool is_convertible(const struct hd_minst *inst)
{
	return hd_side_may_guard(inst) && !(hd_opinfo[inst->op].effects & (HD_FX_READ_PREDS | HD_FX_STORE)) &&
	       inst->pdst == HD_MREG_PT && !inst->extra_count && inst->dst.words && hd_mreg_is_virtual(inst->dst.id);
}

/* Whether the side reads constants, no other memory, and goes on at `join`. */
static bool is_triangle(const struct predicator *p, uint32_t id, uint32_t join)
{
	const struct hd_mblock *side = &p->func->blocks.data[id];
	uint32_t constants = 0;
	if (hd_side_behind(p->func, p->ways_in, id) != join)
		return false;
	for (uint32_t i = 0; i + 1 < side->insts.len; i++) {
		const struct hd_minst *inst = &side->insts.data[i];
		if (!is_convertible(inst) || (hd_minst_is_global_load(inst) && inst->op != HD_OP_LDCX))
			return false;
		constants += inst->op == HD_OP_LDCX;
	}
	return constants;
}

static bool find_triangle(const struct predicator *p, uint32_t id, struct triangle *triangle)
{
	const struct hd_minst *fork = hd_side_fork(&p->func->blocks.data[id]);
	for (unsigned way = 0; fork && way < 2; way++) {
		uint32_t side = fork[way].ref, join = fork[!way].ref;
		if (side == id || join == id || !is_triangle(p, side, join))
			continue;
		*triangle = (struct triangle){side, join, fork->guard, way ? !fork->guard_not : fork->guard_not};
		return true;
	}
	return false;
}

static bool is_live_into(const struct predicator *p, struct hd_mreg reg, uint32_t block)
{
	uint32_t word = hd_live_word(&p->live, reg);
	for (uint32_t i = p->live.in_start[block]; i < p->live.in_start[block + 1]; i++)
		if (p->live.in[i] >= word && p->live.in[i] < word + reg.words)
			return true;
	return false;
}

/* Arithmetic whose result only the side reads runs unguarded: it is ready before the predicate is. */
static void take_in(struct predicator *p, struct hd_mblock *block, const struct triangle *triangle)
{
	struct hd_mblock *side = &p->func->blocks.data[triangle->side];
	for (uint32_t i = 0; i + 1 < side->insts.len; i++) {
		struct hd_minst inst = side->insts.data[i];
		bool kept = is_live_into(p, inst.dst, triangle->join);
		if (kept || hd_minst_effects(&inst)) {
			inst.guard = triangle->guard;
			inst.guard_not = triangle->guard_not;
			inst.covers = !kept;
		}
		hd_vec_push(&block->insts, inst);
	}
	side->insts.data[0] = side->insts.data[side->insts.len - 1]; /* no longer reached */
	side->insts.len = 1;
	p->ways_in[triangle->side] = 0;
}

static void convert(struct predicator *p, uint32_t id, const struct triangle *triangle)
{
	struct hd_mblock *block = &p->func->blocks.data[id], *join = &p->func->blocks.data[triangle->join];
	struct hd_minst branch = block->insts.data[block->insts.len - 1];
	block->insts.len -= 2;
	take_in(p, block, triangle);
	if (--p->ways_in[triangle->join] > 1) {
		branch.ref = triangle->join;
		hd_vec_push(&block->insts, branch);
		return;
	}
	for (uint32_t i = 0; i < join->insts.len; i++)
		hd_vec_push(&block->insts, join->insts.data[i]);
	hd_vec_clear(&join->insts); /* no longer reached */
	branch.ref = triangle->join;
	hd_vec_push(&join->insts, branch);
	p->ways_in[triangle->join] = 0;
}

/* The most words that are live between blocks. */
static uint32_t most_live(const struct predicator *p)
{
	uint32_t most = 0;
	for (uint32_t id = 0; id < p->func->blocks.len; id++) {
		uint32_t words = p->live.in_start[id + 1] - p->live.in_start[id];
		most = words > most ? words : most;
	}
	return most;
}

/* One side alone has no other's read to be under way with: if-conversion sees to it. */
static void convert_all(struct predicator *p)
{
	struct triangle triangle, next;
	for (uint32_t id = 0; id < p->func->blocks.len; id++) {
		bool row = false;
		while ((!id || p->ways_in[id]) && find_triangle(p, id, &triangle)) {
			if (!row && (p->ways_in[triangle.join] != 2 || !find_triangle(p, triangle.join, &next)))
				break;
			row = p->any = true;
			convert(p, id, &triangle);
		}
	}
}

int hd_predicated_constants_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct predicator p = {.func = func};
	struct hd_arena arena;
	bool some = false;
	for (uint32_t id = 0; id < func->blocks.len && !some; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len && !some; i++)
			some = func->blocks.data[id].insts.data[i].op == HD_OP_LDCX;
	if (!some || !hd_switch_is_on(func->without, HD_SWITCH_PREDICATED_CONSTANTS))
		return 0;
	hd_arena_init(&arena);
	p.ways_in = hd_side_ways_in(func);
	hd_live_compute(func, &arena, &p.live);
	if (most_live(&p) <= hd_mfunc_cap(func) / 2)
		convert_all(&p);
	free(p.ways_in);
	hd_arena_release(&arena);
	if (!p.any)
		return 0;
	hd_mfunc_rebuild_edges(func);
	return hd_prune_run(func, diag);
}
