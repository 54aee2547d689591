/*
 * Findings of the analyses, one remark each at its place in the source: the deepest chain of calls, the point of most
 * live registers, spills, divergent regions that widen a preemption mask, accesses that are not coalesced, and what
 * keeps a block from being restarted. Linear in the code, but for divergent regions: branches times the blocks that
 * they enclose.
 *
 * Papers: cars-hpca24, III-A (chains); gpu-multiprogramming-lin, 2.3.2 and 2.4.1 (live registers, masks), 2.2.2.
 */
#include <string.h>

#include "heddle/figures.h"
#include "passes/affine/affine_remarks.h"
#include "passes/analysis/idempotence.h"
#include "passes/analysis/preempt.h"
#include "passes/remark.h"

/* ---- the deepest chain of calls */

static const struct hd_meta_call *find_call(const struct hd_meta_function *caller, const char *callee)
{
	for (uint32_t i = 0; i < caller->call_count; i++)
		for (uint32_t c = 0; c < caller->calls[i].callee_count; c++)
			if (!strcmp(caller->calls[i].callees[c], callee))
				return &caller->calls[i];
	return NULL;
}

static void chain_link(struct hd_remark *remark, const struct hd_meta_function *caller, const char *callee)
{
	const struct hd_metadata *metadata = &remark->to->unit->metadata;
	const struct hd_meta_function *facts = hd_metadata_find(metadata, callee);
	const struct hd_meta_call *call = caller ? find_call(caller, callee) : NULL;
	hd_remark_text(remark, caller ? " -> " : "");
	hd_remark_value(remark, caller ? "Callee" : "Caller", "%s", facts ? facts->demangled : callee);
	if (call && call->source.file)
		hd_remark_text(remark, " (%s:%u)", call->source.file, call->source.line);
	if (facts)
		hd_remark_text(remark, " FRU %u", facts->fru);
}

static void deepest_chain(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_meta_function *facts = remarks->facts[function], *caller = NULL;
	const struct hd_meta_call *call =
		facts->chain_count > 1 ? find_call(facts, facts->high_watermark_chain[1]) : NULL;
	struct hd_remark remark;
	if (!call ||
	    !hd_remark_begin(&remark, remarks, HD_PASS_STACKDEPTH, "DeepestChain", function, call->pc / HD_INST_BYTES))
		return;
	hd_remark_text(&remark, "deepest chain of calls, ");
	hd_remark_value(&remark, "MaxStackDepth", "%u", facts->max_stack_depth);
	hd_remark_text(&remark, " registers: ");
	for (uint32_t i = 0; i < facts->chain_count; i++) {
		chain_link(&remark, caller, facts->high_watermark_chain[i]);
		caller = hd_metadata_find(&remarks->unit->metadata, facts->high_watermark_chain[i]);
	}
	hd_remark_end(&remark);
}

/* ---- live registers */

static void most_live(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_liveness *liveness =
		&((const struct hd_liveness *)hd_pass_result(remarks->unit, HD_PASS_LIVENESS))[function];
	uint32_t inst = liveness->most.inst;
	struct hd_remark remark;
	if (!liveness->most.live || !hd_remark_begin(&remark, remarks, HD_PASS_LIVENESS, "MostLive", function, inst))
		return;
	struct hd_regset live = hd_liveness_before(liveness, inst);
	hd_remark_text(&remark, "most live registers of ");
	hd_remark_subject(&remark, function, ", ");
	hd_remark_value(&remark, "MaxLive", "%u", liveness->most.live);
	hd_remark_text(&remark, " at pc ");
	hd_remark_value(&remark, "Pc", "%04x", inst * HD_INST_BYTES);
	hd_remark_text(&remark, ": ");
	hd_remark_registers(&remark, "Value", function, inst, &live);
	hd_remark_end(&remark);
}

/* ---- spills */

static void spill_store(struct hd_remarks *remarks, uint32_t function, uint32_t inst)
{
	const struct hd_inst *store = &remarks->unit->object.functions[function].insts[inst];
	uint32_t bytes = hd_op_access_bytes(store->op, store->mods);
	struct hd_regset spilled = {0};
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_LOWER, "Spill", function, inst))
		return;
	hd_regset_add_run(&spilled, store->c, bytes / 4);
	hd_remark_text(&remark, "spill: ");
	hd_remark_value(&remark, "Bytes", "%u", bytes);
	hd_remark_text(&remark, " bytes are stored at pc ");
	hd_remark_value(&remark, "Pc", "%04x", inst * HD_INST_BYTES);
	hd_remark_text(&remark, ": ");
	hd_remark_registers(&remark, "Value", function, inst, &spilled);
	hd_remark_end(&remark);
}

/* Loads of one place in the source that stand together are one finding. */
static uint32_t spill_loads(struct hd_remarks *remarks, uint32_t function, uint32_t inst)
{
	const struct hd_function *code = &remarks->unit->object.functions[function];
	const char *place = hd_remark_place_text(remarks, function, inst);
	struct hd_remark remark;
	uint32_t bytes = 0, end = inst;
	for (; end < code->inst_count && (end == inst || !strcmp(hd_remark_place_text(remarks, function, end), place));
	     end++)
		if (code->insts[end].role == HD_ROLE_SPILL_LOAD)
			bytes += hd_op_access_bytes(code->insts[end].op, code->insts[end].mods);
		else if (code->insts[end].role == HD_ROLE_SPILL_STORE)
			break;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_LOWER, "Reload", function, inst))
		return end;
	hd_remark_text(&remark, "spill: ");
	hd_remark_value(&remark, "Bytes", "%u", bytes);
	hd_remark_text(&remark, " bytes are loaded back from pc ");
	hd_remark_value(&remark, "Pc", "%04x", inst * HD_INST_BYTES);
	hd_remark_text(&remark, " on");
	hd_remark_end(&remark);
	return end;
}

static void spills(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_function *code = &remarks->unit->object.functions[function];
	for (uint32_t i = 0, next; i < code->inst_count; i = next) {
		next = i + 1;
		if (code->insts[i].role == HD_ROLE_SPILL_STORE)
			spill_store(remarks, function, i);
		else if (code->insts[i].role == HD_ROLE_SPILL_LOAD)
			next = spill_loads(remarks, function, i);
	}
}

/* ---- divergent regions */

/* The preemption point whose mask the lanes waiting at a branch widen most, and by which registers. */
struct widened {
	const struct hd_point *point;
	struct hd_regset more;
	uint32_t points;
};

static struct widened find_widened(const struct hd_preempt *preempt, uint32_t branch, struct hd_arena *arena)
{
	const struct hd_flow *flow = preempt->liveness->flow;
	struct hd_bitset region = hd_bitset_new(arena, flow->block_count);
	struct hd_regset needed = hd_liveness_region(preempt->liveness, branch, &region);
	struct widened widened = {0};
	for (uint32_t i = 0; i < preempt->point_count; i++) {
		const struct hd_point *point = &preempt->points[i];
		struct hd_regset more = needed;
		hd_regset_intersect(&more, &point->live_divergent);
		hd_regset_subtract(&more, &point->live);
		if (!hd_bitset_has(&region, flow->block_of[point->inst]) || !hd_regset_count(&more))
			continue;
		widened.points++;
		if (!widened.point || hd_regset_count(&more) > hd_regset_count(&widened.more)) {
			widened.point = point;
			widened.more = more;
		}
	}
	return widened;
}

static void divergent_region(struct hd_remarks *remarks, uint32_t function, const struct hd_flow *flow, uint32_t block,
			     const struct widened *widened)
{
	const struct hd_point *point = widened->point;
	uint32_t branch = hd_flow_last(flow, block);
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_PREEMPT, "DivergentRegion", function, branch))
		return;
	hd_remark_text(&remark, "lanes that wait for others at this divergent branch widen the mask of ");
	hd_remark_value(&remark, "Points", "%u", widened->points);
	hd_remark_text(&remark, " preemption point%s, most at ", widened->points == 1 ? "" : "s");
	hd_remark_value(&remark, "Point", "%s", hd_remark_place_text(remarks, function, point->inst));
	hd_remark_text(&remark, " by ");
	hd_remark_value(&remark, "Registers", "%u", hd_regset_count(&widened->more));
	hd_remark_text(&remark, " register%s (", hd_regset_count(&widened->more) == 1 ? "" : "s");
	hd_remark_value(&remark, "Live", "%u", hd_regset_count(&point->live));
	hd_remark_text(&remark, " live in a thread there, ");
	hd_remark_value(&remark, "LiveDivergent", "%u", hd_regset_count(&point->live_divergent));
	hd_remark_text(&remark, " in the mask): ");
	hd_remark_registers(&remark, "Value", function, branch, &widened->more);
	hd_remark_end(&remark);
}

static void divergent_regions(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_preempt *preempt =
		&((const struct hd_preempt *)hd_pass_result(remarks->unit, HD_PASS_PREEMPT))[function];
	const struct hd_flow *flow = preempt->liveness->flow;
	for (uint32_t b = 0; b < flow->block_count && preempt->point_count; b++) {
		if (!preempt->liveness->divergent[b])
			continue;
		struct widened widened = find_widened(preempt, b, &remarks->arena);
		if (widened.point)
			divergent_region(remarks, function, flow, b, &widened);
	}
}

/* ---- restarting */

static void restart_break(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_meta_function *facts = remarks->facts[function];
	const struct hd_meta_idempotence *why = facts->idempotence;
	struct hd_remark remark;
	if (!facts->kernel || !why || why->why == HD_BREAK_NONE)
		return;
	bool here = why->at.function && !strcmp(why->at.function, facts->name);
	if (!hd_remark_begin(&remark, remarks, HD_PASS_IDEMPOTENCE, "NotRestartable", function,
			     here ? why->at.pc / HD_INST_BYTES : HD_REMARK_FUNCTION))
		return;
	char *text = hd_idempotence_text(why, facts->name);
	hd_remark_text(&remark, "blocks of ");
	hd_remark_subject(&remark, function, " cannot be restarted: ");
	hd_remark_value(&remark, "Reason", "%s", text);
	hd_remark_end(&remark);
	free(text);
}

void hd_remark_findings(struct hd_remarks *remarks, uint32_t function)
{
	deepest_chain(remarks, function);
	most_live(remarks, function);
	spills(remarks, function);
	divergent_regions(remarks, function);
	hd_access_remarks(remarks, function);
	restart_break(remarks, function);
}
