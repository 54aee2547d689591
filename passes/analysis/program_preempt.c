/*
 * The row PREEMPT: preemption points of every function of a unit, callees first, because a
 * caller's drain distance goes through them and its loops must know whether they wait at a barrier.
 * Also what the metadata, the printer and the remarks say about points and liveness. Linear in the code.
 *
 * Paper: gpu-multiprogramming-lin, 2.4.1.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "passes/analysis/preempt.h"
#include "passes/pass.h"
#include "passes/remark.h"

/* ---- the row */

static bool has_barrier(const struct hd_function *function)
{
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (hd_waits_at(&function->insts[i]))
			return true;
	return false;
}

/* A function waits when it or something that it may call has a barrier; twice, for the cycles. */
static bool *find_waiting(const struct hd_unit *unit, const struct hd_callgraph *calls, const uint32_t *order,
			  struct hd_arena *arena)
{
	uint32_t count = unit->object.function_count;
	bool *waits = HD_ARENA_NEW(arena, bool, count),
	     *component = HD_ARENA_NEW(arena, bool, calls->component_count + 1);
	for (uint32_t f = 0; f < count; f++)
		component[calls->component[f]] |= has_barrier(&unit->object.functions[f]);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t f = order[i];
		for (uint32_t e = calls->graph.succ_start[f]; e < calls->graph.succ_start[f + 1]; e++)
			component[calls->component[f]] |= component[calls->component[calls->graph.succ[e]]];
	}
	for (uint32_t f = 0; f < count; f++)
		waits[f] = component[calls->component[f]];
	return waits;
}

int hd_preempt_run(struct hd_unit *unit)
{
	const struct hd_liveness *liveness = hd_pass_result(unit, HD_PASS_LIVENESS);
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	uint32_t count = unit->object.function_count;
	struct hd_preempt *results = HD_ARENA_NEW(&unit->arena, struct hd_preempt, count);
	struct hd_drain *drains = HD_ARENA_NEW(&unit->arena, struct hd_drain, count);
	uint32_t *order = hd_callgraph_order(calls, count, false, &unit->arena);
	bool *waits = find_waiting(unit, calls, order, &unit->arena);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t f = order[i], first = calls->site_start[f];
		struct hd_preempt_callees callees = {calls->sites + first, calls->site_start[f + 1] - first, drains,
						     waits};
		hd_preempt_compute(&results[f], &liveness[f], unit->options.preempt_every, &callees, &unit->arena);
		drains[f] = results[f].drain;
	}
	unit->results[HD_PASS_PREEMPT] = results;
	return 0;
}

/* ---- metadata */

static uint32_t loop_pc(const struct hd_flow *flow, uint32_t loop)
{
	return loop == HD_NO_NODE ? UINT32_MAX : flow->blocks[flow->loops.loops[loop].header].first * HD_INST_BYTES;
}

static struct hd_meta_point point_facts(const struct hd_flow *flow, const struct hd_point *point)
{
	return (struct hd_meta_point){
		.pc = point->inst * HD_INST_BYTES,
		.kind = point->kind,
		.loop_pc = loop_pc(flow, point->loop),
		.live = hd_flow_registers(&point->live),
		.live_divergent = hd_flow_registers(&point->live_divergent),
		.mask = hd_preempt_mask(&point->live),
		.mask_divergent = hd_preempt_mask(&point->live_divergent),
		.patterns = point->patterns,
		.pattern_count = point->pattern_count,
	};
}

static void liveness_facts(const struct hd_liveness *liveness, struct hd_meta_function *facts, struct hd_arena *arena)
{
	facts->max_live = liveness->most.live;
	facts->max_live_pc = liveness->most.inst * HD_INST_BYTES;
	facts->max_live_divergent = liveness->most_divergent.live;
	facts->max_live_divergent_pc = liveness->most_divergent.inst * HD_INST_BYTES;
	facts->divergent_branches = liveness->divergent_branches;
	facts->uniform_branches = liveness->uniform_branches;
	facts->divergent_pcs = HD_ARENA_NEW(arena, uint32_t, liveness->divergent_branches);
	for (uint32_t b = 0; b < liveness->flow->block_count; b++)
		if (liveness->divergent[b])
			facts->divergent_pcs[facts->divergent_pc_count++] =
				hd_flow_last(liveness->flow, b) * HD_INST_BYTES;
	facts->register_reads = liveness->reads;
	facts->dead_reads = liveness->dead_reads;
	facts->dead_warp_reads = liveness->dead_in_warp_reads;
	facts->dead_operand_count = liveness->flow->function->inst_count;
	facts->dead_operands = HD_ARENA_NEW(arena, uint8_t, facts->dead_operand_count);
	for (uint32_t i = 0; i < facts->dead_operand_count; i++)
		facts->dead_operands[i] = liveness->dead_in_warp[i] & (HD_DEAD_A | HD_DEAD_B | HD_DEAD_C);
}

/* Liveness and preemption. */
void hd_preempt_describe(struct hd_unit *unit, uint32_t index, struct hd_meta_function *facts)
{
	const struct hd_preempt *results = hd_pass_result(unit, HD_PASS_PREEMPT), *preempt = &results[index];
	struct hd_arena *arena = &unit->arena;
	liveness_facts(preempt->liveness, facts, arena);
	facts->preempt_every = unit->options.preempt_every;
	facts->drain_instructions = preempt->drain.worst > UINT32_MAX ? UINT32_MAX : (uint32_t)preempt->drain.worst;
	facts->drain_bounded = preempt->drain.bounded;
	facts->point_count = preempt->point_count;
	facts->points = HD_ARENA_NEW(arena, struct hd_meta_point, preempt->point_count);
	for (uint32_t i = 0; i < preempt->point_count; i++)
		facts->points[i] = point_facts(preempt->liveness->flow, &preempt->points[i]);
	facts->barrier_count = preempt->barrier_count;
	facts->barriers = HD_ARENA_NEW(arena, struct hd_meta_barrier, preempt->barrier_count);
	for (uint32_t i = 0; i < preempt->barrier_count; i++) {
		const struct hd_barrier *barrier = &preempt->barriers[i];
		facts->barriers[i] =
			(struct hd_meta_barrier){barrier->inst * HD_INST_BYTES, hd_flow_registers(&barrier->live)};
	}
}

/* ---- printing */

static void print_pattern(FILE *out, const struct hd_meta_pattern *pattern)
{
	fprintf(out, " R%u %s", pattern->reg, pattern->strided ? "strided" : "uniform");
	if (pattern->strided && pattern->stride_known)
		fprintf(out, " by %d", pattern->stride);
	if (pattern->dimensions)
		fprintf(out, " through %u-D blocks", pattern->dimensions);
}

static void print_point(FILE *out, const struct hd_flow *flow, const struct hd_point *point)
{
	fprintf(out, "  %04x %s", point->inst * HD_INST_BYTES, point->kind == HD_PREEMPT_BAR ? "bar.pp" : "pp");
	if (point->loop != HD_NO_NODE)
		fprintf(out, " loop %04x", loop_pc(flow, point->loop));
	fprintf(out, " mask %014llx live ", (unsigned long long)hd_preempt_mask(&point->live));
	hd_regset_print(out, &point->live);
	fprintf(out, "\n    divergent mask %014llx live ", (unsigned long long)hd_preempt_mask(&point->live_divergent));
	hd_regset_print(out, &point->live_divergent);
	fputs("\n    patterns", out);
	for (uint32_t i = 0; i < point->pattern_count; i++) {
		fputs(i ? "," : "", out);
		print_pattern(out, &point->patterns[i]);
	}
	fputs(point->pattern_count ? "\n" : " none\n", out);
}

void hd_preempt_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_preempt *results = hd_pass_result(unit, HD_PASS_PREEMPT);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const struct hd_preempt *preempt = &results[f];
		const struct hd_function *function = preempt->liveness->flow->function;
		fprintf(out, "%s %s: points %u, barriers %u, drain %lld%s\n", function->kernel ? "kernel" : "function",
			function->name, preempt->point_count, preempt->barrier_count, (long long)preempt->drain.worst,
			preempt->drain.bounded ? "" : " and more");
		for (uint32_t i = 0; i < preempt->point_count; i++)
			print_point(out, preempt->liveness->flow, &preempt->points[i]);
	}
}

/* ---- verifying */

static const char *wrong_with_point(const struct hd_point *point)
{
	if (!hd_regset_within(&point->live, &point->live_divergent))
		return "the divergent live set lacks a live register";
	HD_REGSET_FOREACH (&point->live, reg)
		if (!(hd_preempt_mask(&point->live) >> (reg < 53 ? reg : 53) & 1))
			return "the mask lacks a live register";
	return NULL;
}

static bool is_point(const struct hd_preempt *preempt, uint32_t inst)
{
	uint32_t at;
	HD_BISECT(at, 0, preempt->point_count, preempt->points[at].inst < inst);
	return at < preempt->point_count && preempt->points[at].inst == inst;
}

/* A loop has one point at most that is there for it, and not beside a barrier that is none. */
static const char *wrong_with_loops(const struct hd_preempt *preempt)
{
	const struct hd_flow *flow = preempt->liveness->flow;
	const char *wrong = NULL;
	uint8_t *found = hd_xcalloc(flow->loops.count + 1, 1);
	for (uint32_t i = 0; i < preempt->point_count; i++) {
		const struct hd_point *point = &preempt->points[i];
		if (point->loop != HD_NO_NODE && found[point->loop]++)
			wrong = "a loop has two points";
		if (point->loop != HD_NO_NODE && point->kind == HD_PREEMPT_BAR)
			found[point->loop] = 2;
	}
	for (uint32_t i = 0; i < preempt->barrier_count; i++) {
		uint32_t loop = flow->loops.loop_of[flow->block_of[preempt->barriers[i].inst]];
		if (loop != HD_NO_NODE && found[loop] == 1 && !is_point(preempt, preempt->barriers[i].inst))
			wrong = "a loop with a barrier has its point elsewhere";
	}
	free(found);
	return wrong;
}

int hd_preempt_verify_unit(struct hd_unit *unit)
{
	const struct hd_preempt *results = hd_pass_result(unit, HD_PASS_PREEMPT);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const char *wrong = wrong_with_loops(&results[f]);
		for (uint32_t i = 0; i < results[f].point_count && !wrong; i++)
			wrong = wrong_with_point(&results[f].points[i]);
		if (wrong)
			return hd_error(unit->diag, HD_NOWHERE, "preemption points of '%s': %s",
					unit->object.functions[f].name, wrong);
	}
	return 0;
}

/* ---- remarks */

static void remark_points(struct hd_remarks *remarks, uint32_t function, const struct hd_preempt *preempt)
{
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_PREEMPT, "Preempt", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": preemption points ");
	hd_remark_value(&remark, "Points", "%u", preempt->point_count);
	hd_remark_text(&remark, ", at most ");
	hd_remark_value(&remark, "Drain", "%lld%s", (long long)preempt->drain.worst,
			preempt->drain.bounded ? "" : " or more");
	hd_remark_text(&remark, " instructions apart");
	hd_remark_end(&remark);
}

static void remark_point(struct hd_remarks *remarks, uint32_t function, const struct hd_point *point)
{
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_PREEMPT, "PreemptionPoint", function, point->inst))
		return;
	hd_remark_value(&remark, "Kind", point->kind == HD_PREEMPT_BAR ? "bar.pp" : "pp");
	hd_remark_text(&remark, " at pc ");
	hd_remark_value(&remark, "Pc", "%04x", point->inst * HD_INST_BYTES);
	hd_remark_text(&remark, ": live registers ");
	hd_remark_value(&remark, "Live", "%u", hd_regset_count(&point->live));
	hd_remark_text(&remark, ", under divergence ");
	hd_remark_value(&remark, "LiveDivergent", "%u", hd_regset_count(&point->live_divergent));
	hd_remark_end(&remark);
}

void hd_preempt_remarks(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_preempt *preempt =
		&((const struct hd_preempt *)hd_pass_result(remarks->unit, HD_PASS_PREEMPT))[function];
	remark_points(remarks, function, preempt);
	for (uint32_t i = 0; i < preempt->point_count; i++)
		remark_point(remarks, function, &preempt->points[i]);
}
