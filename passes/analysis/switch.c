/*
 * Switch points of one function (gpu-multiprogramming-lin, 3.6.6), from its liveness: the first instruction that needs
 * a register which a global load is still to bring, and barriers at which warps wait. These are where a warp stalls for
 * long; a design that switches warps gives each context the size of the largest of them.
 *
 *   - a register is loading from a load of global memory (or of a generic address, or an atomic with a result) to the
 *     first instruction on the thread's way that reads or overwrites it, since that is the one which waits. Calls and
 *     returns do not wait; calls of helpers and services do, for what these read;
 *   - what is loading is kept live or not, and as 128 bytes: the reply is written at its place. Lanes that wait
 *     elsewhere may have any load under way whose register they need;
 *   - registers with a proven pattern take a word or two for each group of threads (2.3.3), the rest 128 bytes.
 *
 * A helper (heddle/object.h) has none: to the program it is an instruction. Needs LIVENESS and PATTERNS. Linear in the
 * code times the depth of its loops.
 */
#include "passes/analysis/switch.h"
#include "heddle/opcodes.h"

#include "lib/vec.h"
#include "passes/analysis/preempt.h"

enum { LANES = 32, ROW_BYTES = 128, WORD_BYTES = 4 };

struct walk {
	const struct hd_flow *flow;
	const struct hd_switch_facts *facts;
	struct hd_regset *entries; /* of callees; may be NULL */
};

static bool loads_global(const struct hd_inst *inst)
{
	return hd_op_loads_device(inst->op);
}

static bool calls_program(const struct hd_flow *flow, uint32_t inst)
{
	enum hd_op op = flow->function->insts[inst].op;
	return (op == HD_OP_CALL || op == HD_OP_CALLI) && hd_flow_calls(flow, inst);
}

struct hd_regset hd_switch_loaded(const struct hd_function *function)
{
	struct hd_regset loaded = {0};
	for (uint32_t i = 0; i < function->inst_count; i++) {
		struct hd_regset writes;
		hd_inst_writes(&function->insts[i], &writes);
		if (loads_global(&function->insts[i]))
			hd_regset_union(&loaded, &writes);
	}
	loaded.preds = 0;
	return loaded;
}

/* What the instruction waits for, and what is settled behind it for certain. */
static void waits_for(const struct hd_flow *flow, uint32_t inst, struct hd_regset *needs, struct hd_regset *settles)
{
	const struct hd_inst *code = &flow->function->insts[inst];
	struct hd_regset writes;
	hd_inst_reads(code, needs);
	hd_inst_writes(code, &writes);
	hd_regset_union(needs, &writes);
	*settles = *needs;
	if (!(hd_opinfo[code->op].effects & HD_FX_CALL) || calls_program(flow, inst))
		return;
	struct hd_flow_effects effects;
	hd_flow_effects(flow, inst, &effects);
	hd_regset_union(needs, &effects.reads);
	hd_regset_union(settles, &effects.kills);
}

static const struct hd_call_site *site_at(const struct hd_switch_facts *facts, uint32_t inst)
{
	uint32_t at;
	HD_BISECT(at, 0, facts->site_count, facts->sites[at].inst < inst);
	return at < facts->site_count && facts->sites[at].inst == inst ? &facts->sites[at] : NULL;
}

/* What a call makes of what is loading; its callees find that when they begin. */
static void pass_call(const struct walk *walk, uint32_t inst, struct hd_regset *loading)
{
	const struct hd_call_site *site = site_at(walk->facts, inst);
	struct hd_regset behind = {0};
	for (uint32_t c = 0; site && c < site->callee_count; c++) {
		hd_regset_union(&behind, &walk->facts->loading[site->callees[c]].exit);
		if (walk->entries)
			hd_regset_union(&walk->entries[site->callees[c]], loading);
	}
	if (!site || site->unknown || site->external) {
		hd_regset_union(&behind, loading);
		hd_regset_add_run(&behind, 0, walk->facts->registers);
	}
	*loading = behind;
}

static void pass(const struct walk *walk, uint32_t inst, struct hd_regset *loading)
{
	const struct hd_inst *code = &walk->flow->function->insts[inst];
	struct hd_regset needs, settles, writes;
	waits_for(walk->flow, inst, &needs, &settles);
	hd_regset_subtract(loading, &settles);
	if (calls_program(walk->flow, inst))
		pass_call(walk, inst, loading);
	if (loads_global(code)) {
		hd_inst_writes(code, &writes);
		hd_regset_union(loading, &writes);
	}
	loading->preds = 0;
}

struct hd_regset hd_switch_flow(const struct hd_flow *flow, const struct hd_switch_facts *facts,
				struct hd_regset *before, struct hd_regset *entries)
{
	struct walk walk = {flow, facts, entries};
	struct hd_regset exit = {0};
	hd_regset_union(&before[0], &facts->entry);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < flow->rpo_count; i++) {
			uint32_t block = flow->rpo[i], last = hd_flow_last(flow, block);
			struct hd_regset loading = before[block];
			for (uint32_t at = flow->blocks[block].first; at <= last; at++)
				pass(&walk, at, &loading);
			for (uint32_t s = flow->graph.succ_start[block]; s < flow->graph.succ_start[block + 1]; s++)
				changed |= hd_regset_union(&before[flow->graph.succ[s]], &loading);
			if (flow->function->insts[last].op == HD_OP_RET)
				hd_regset_union(&exit, &loading);
		}
	}
	return exit;
}

/* ---- points */

/* Whether a point is in front of the instruction, and of which kind; a barrier is one whatever it needs. */
static bool is_point(const struct hd_flow *flow, uint32_t inst, const struct hd_regset *loading,
		     enum hd_switch_kind *kind)
{
	struct hd_regset needs, settles;
	*kind = hd_waits_at(&flow->function->insts[inst]) ? HD_SWITCH_BARRIER : HD_SWITCH_LOAD;
	waits_for(flow, inst, &needs, &settles);
	hd_regset_intersect(&needs, loading);
	return *kind == HD_SWITCH_BARRIER || hd_regset_count(&needs);
}

/* The points of a block, with what is loading there; NULL: only how many. */
static uint32_t points_of_block(const struct walk *walk, uint32_t block, const struct hd_regset *before,
				struct hd_switch_point *points)
{
	struct hd_regset loading = *before;
	uint32_t count = 0;
	for (uint32_t i = walk->flow->blocks[block].first; i <= hd_flow_last(walk->flow, block); i++) {
		enum hd_switch_kind kind;
		if (is_point(walk->flow, i, &loading, &kind)) {
			if (points)
				points[count] = (struct hd_switch_point){.inst = i, .kind = kind, .loading = loading};
			count++;
		}
		pass(walk, i, &loading);
	}
	return count;
}

/* What lanes need that wait elsewhere may be on its way to them. */
static void measure_point(const struct hd_liveness *liveness, const struct walk *walk, const struct hd_regset *live,
			  struct hd_switch_point *point)
{
	uint32_t block = liveness->flow->block_of[point->inst];
	uint32_t at = point->inst - liveness->flow->blocks[block].first;
	point->live = live[at];
	point->live_divergent = hd_liveness_diverged_before(liveness, point->inst, &live[at], &live[at + 1]);
	struct hd_regset none = {0}, waiting = hd_liveness_diverged(liveness, block, &none), behind = point->loading;
	if (liveness->flow->function->insts[point->inst].op == HD_OP_CALLI) { /* of lanes that are back from a callee */
		pass(walk, point->inst, &behind);
		hd_regset_intersect(&behind, &live[at + 1]);
		hd_regset_union(&point->loading, &behind);
		/* What these need may be under way to lanes that wait elsewhere and do not need it. */
		hd_regset_union(&waiting, &live[at + 1]);
	}
	hd_regset_intersect(&waiting, &walk->facts->loaded);
	hd_regset_union(&point->loading, &waiting);
	point->loading.preds = 0;
}

static void list_points(struct hd_switch_points *switching, const struct walk *walk, const struct hd_regset *before,
			struct hd_arena *scratch, struct hd_arena *arena)
{
	const struct hd_flow *flow = walk->flow;
	uint32_t total = 0;
	for (uint32_t b = 0; b < flow->block_count; b++)
		total += points_of_block(walk, b, &before[b], NULL);
	switching->points = HD_ARENA_NEW(arena, struct hd_switch_point, total);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		struct hd_switch_point *first = switching->points + switching->point_count;
		uint32_t count = points_of_block(walk, b, &before[b], first);
		struct hd_regset *live = HD_ARENA_NEW(scratch, struct hd_regset, flow->blocks[b].count + 1);
		if (count)
			hd_liveness_block(switching->liveness, b, live);
		for (uint32_t i = 0; i < count; i++)
			measure_point(switching->liveness, walk, live, &first[i]);
		switching->point_count += count;
	}
}

uint32_t hd_switch_bytes(const struct hd_switch_point *point, uint32_t group)
{
	struct hd_regset kept = point->live_divergent;
	hd_regset_union(&kept, &point->loading);
	uint32_t bytes = (hd_regset_count(&kept) - point->pattern_count) * ROW_BYTES;
	for (uint32_t i = 0; i < point->pattern_count; i++)
		bytes += (point->patterns[i].strided ? 2 : 1) * WORD_BYTES * (LANES / group);
	return bytes;
}

static void find_patterns(struct hd_switch_points *switching, struct hd_arena *scratch, struct hd_arena *arena)
{
	struct hd_patterns patterns;
	struct hd_pattern_cursor cursor;
	if (!switching->point_count)
		return;
	hd_patterns_compute(&patterns, switching->liveness, scratch);
	hd_pattern_cursor_init(&cursor, &patterns, scratch);
	for (uint32_t i = 0; i < switching->point_count; i++) {
		struct hd_switch_point *point = &switching->points[i];
		struct hd_regset settled = point->live_divergent;
		hd_regset_subtract(&settled, &point->loading);
		/* Warps of a block are at places of their own. */
		point->patterns =
			hd_pattern_cursor_list(&cursor, point->inst, &settled, false, &point->pattern_count, arena);
	}
}

void hd_switch_compute(struct hd_switch_points *switching, const struct hd_liveness *liveness,
		       const struct hd_switch_facts *facts, struct hd_arena *arena)
{
	const struct hd_flow *flow = liveness->flow;
	struct walk walk = {flow, facts, NULL};
	struct hd_arena scratch;
	*switching = (struct hd_switch_points){.liveness = liveness};
	if (flow->function->helper || !flow->function->inst_count)
		return;
	hd_arena_init(&scratch);
	struct hd_regset *before = HD_ARENA_NEW(&scratch, struct hd_regset, flow->block_count);
	hd_switch_flow(flow, facts, before, NULL);
	list_points(switching, &walk, before, &scratch, arena);
	find_patterns(switching, &scratch, arena);
	for (uint32_t i = 0; i < switching->point_count; i++) {
		struct hd_switch_point *point = &switching->points[i];
		point->bytes = hd_switch_bytes(point, LANES);
		if (point->bytes > switching->bytes)
			switching->bytes = point->bytes;
	}
	hd_arena_release(&scratch);
}
