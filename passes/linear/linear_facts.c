/*
 * What the analyses of registers say of linear versions, for R2D2 together with LTRF, Lin's context switching or
 * Malekeh: calls, register-intervals, preemption points, dead operands and reuse tags of each main stream. The same
 * rows compute them, on the program in which kernels are their main streams. Functions that these call are as they are:
 * what is said of them is about callers' original code.
 *
 * Streams are straight and run once; nothing is said of them. Cost: that of these rows, once more, where there is a
 * linear version at all.
 */
#include <string.h>

#include "heddle/figures.h"
#include "passes/pass.h"

static const enum hd_pass_id rows[] = {HD_PASS_CALLGRAPH, HD_PASS_STACKDEPTH, HD_PASS_FLOW, HD_PASS_LIVENESS,
				       HD_PASS_INTERVALS, HD_PASS_PREEMPT,    HD_PASS_REUSE};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

/* ------------------------------------------------------------------ places in the body */

static void move_intervals(struct hd_meta_interval *intervals, uint32_t count, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++) {
		intervals[i].entry_pc += by;
		for (uint32_t p = 0; p < intervals[i].pc_count; p++)
			intervals[i].pcs[p] += by;
	}
}

static void move_points(struct hd_meta_point *points, uint32_t count, uint32_t by)
{
	for (uint32_t i = 0; i < count; i++) {
		points[i].pc += by;
		points[i].loop_pc += points[i].loop_pc == UINT32_MAX ? 0 : by;
	}
}

/* `each` elements an instruction, 0 for those of the streams. */
static uint8_t *behind_streams(const uint8_t *values, uint32_t count, uint32_t streams, uint32_t each,
			       struct hd_arena *arena)
{
	uint8_t *all = HD_ARENA_NEW(arena, uint8_t, (size_t)each *(streams + count));
	memcpy(all + (size_t)each * streams, values, (size_t)each * count);
	return all;
}

static struct hd_meta_reuse *moved_reuse(const struct hd_meta_reuse *of, uint32_t streams, struct hd_arena *arena)
{
	struct hd_meta_reuse *reuse = HD_ARENA_NEW(arena, struct hd_meta_reuse, 1);
	*reuse = *of;
	reuse->tags = behind_streams(of->tags, of->tag_count, streams, 1, arena);
	reuse->exact = behind_streams(of->exact, of->tag_count, streams, 4, arena);
	reuse->tag_count = streams + of->tag_count;
	return reuse;
}

/* ------------------------------------------------------------------ the row */

static struct hd_meta_linear_version facts_of(struct hd_unit *unit, const struct hd_linear *linear)
{
	uint32_t streams = linear->start[HD_STREAM_MAIN], by = streams * HD_INST_BYTES;
	const struct hd_meta_function *depths = hd_pass_result(unit, HD_PASS_STACKDEPTH);
	struct hd_meta_function main = depths[linear->kernel]; /* of that its calls */
	hd_intervals_describe(unit, linear->kernel, &main);
	hd_preempt_describe(unit, linear->kernel, &main);
	hd_reuse_describe(unit, linear->kernel, &main);
	move_intervals(main.intervals, main.interval_count, by);
	move_points(main.points, main.point_count, by);
	for (uint32_t i = 0; i < main.barrier_count; i++)
		main.barriers[i].pc += by;
	for (uint32_t i = 0; i < main.call_count; i++)
		main.calls[i].pc += by;
	for (uint32_t i = 0; i < main.divergent_pc_count; i++)
		main.divergent_pcs[i] += by;
	return (struct hd_meta_linear_version){
		.intervals = main.intervals,
		.interval_count = main.interval_count,
		.points = main.points,
		.point_count = main.point_count,
		.barriers = main.barriers,
		.barrier_count = main.barrier_count,
		.calls = main.calls,
		.call_count = main.call_count,
		.divergent_pcs = main.divergent_pcs,
		.divergent_pc_count = main.divergent_pc_count,
		.dead_operands = behind_streams(main.dead_operands, main.dead_operand_count, streams, 1, &unit->arena),
		.dead_operand_count = streams + main.dead_operand_count,
		.reuse = moved_reuse(main.reuse, streams, &unit->arena),
	};
}

static int compute_rows(struct hd_unit *unit)
{
	for (unsigned i = 0; i < ROWS; i++) {
		const struct hd_pass *pass = &hd_passes[rows[i]];
		if (pass->compute(unit) || (unit->options.check && pass->verify && pass->verify(unit)))
			return -1;
	}
	return 0;
}

/* The functions of the program, main streams in place of the kernels that have them. */
static struct hd_function *with_main_streams(struct hd_unit *unit)
{
	const struct hd_function *mains = hd_pass_result(unit, HD_PASS_LINEAR);
	uint32_t count = unit->object.function_count;
	struct hd_function *functions = HD_ARENA_NEW(&unit->arena, struct hd_function, count);
	for (uint32_t f = 0; f < count; f++)
		functions[f] = mains[f].inst_count ? mains[f] : unit->object.functions[f];
	return functions;
}

int hd_linear_facts_run(struct hd_unit *unit)
{
	uint32_t count = unit->object.linear_count;
	struct hd_meta_linear_version *facts = HD_ARENA_NEW(&unit->arena, struct hd_meta_linear_version, count);
	struct hd_function *functions = unit->object.functions;
	const char *profile = unit->options.profile;
	void *results[ROWS];
	unit->results[HD_PASS_LINEAR_FACTS] = facts;
	if (!count)
		return 0;
	for (unsigned i = 0; i < ROWS; i++)
		results[i] = unit->results[rows[i]];
	unit->object.functions = with_main_streams(unit);
	unit->options.profile = NULL; /* it counted the original code */
	int status = compute_rows(unit);
	for (uint32_t i = 0; i < count && !status; i++)
		facts[i] = facts_of(unit, &unit->object.linears[i]);
	unit->options.profile = profile;
	unit->object.functions = functions;
	for (unsigned i = 0; i < ROWS; i++)
		unit->results[rows[i]] = results[i];
	return status;
}

/* The row LINEAR has described the version itself. */
void hd_linear_facts_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts)
{
	const struct hd_meta_linear_version *results = hd_pass_result(unit, HD_PASS_LINEAR_FACTS);
	const struct hd_linear *linear = hd_object_linear(&unit->object, function);
	if (!linear)
		return;
	const struct hd_meta_linear_version *from = &results[linear - unit->object.linears];
	struct hd_meta_linear_version *to = facts->linear_version;
	to->intervals = from->intervals;
	to->interval_count = from->interval_count;
	to->points = from->points;
	to->point_count = from->point_count;
	to->barriers = from->barriers;
	to->barrier_count = from->barrier_count;
	to->calls = from->calls;
	to->call_count = from->call_count;
	to->divergent_pcs = from->divergent_pcs;
	to->divergent_pc_count = from->divergent_pc_count;
	to->dead_operands = from->dead_operands;
	to->dead_operand_count = from->dead_operand_count;
	to->reuse = from->reuse;
}
