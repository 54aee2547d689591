/*
 * reuse: near/far tags of register operands (malekeh, 3.2 and 4). Works on the finished machine
 * code with its flow; the distances are reuse_distance.c's, called functions' lengths go in where
 * their calls stand. Branches are weighed by the estimate of flow.h, or by a run's counts
 * (parameter profile=, profile.c).
 *
 *   near   read again within less than RTHLD instructions, on the mean of the paths on which it is
 *          read, and these are at least half of all
 *   far    every other value that may be read again
 *   dead   not read again: an infinite distance, and far for the hardware's one bit
 *
 * The paper gives neither RTHLD nor what to do where only some paths read; a value that is more
 * likely dropped than read should not keep a slot. Linear in the code beside the distances.
 *
 * RTHLD's default is 16. Read hits, in %, of the caches in the collector units over the examples on
 * rtx2060-third: instructions in the order in which the engine issues them and results in the order in
 * which they come back, 2 units of 8 slots for each scheduler, replacement and writes as in
 * section 4 (but the oldest far value goes, not a random one), the unit of another warp flushed and taken
 * at once (that is, STHLD 0). The last three rows are means, too:
 *
 *   RTHLD          2     4     6     8    12    16    20    24    32    64  none
 *   vecadd      43.7  67.8  62.8  62.8  62.8  62.8  62.8  62.8  62.8  62.8  62.8
 *   matmul      31.2  42.0  41.4  41.4  42.3  43.1  44.3  46.4  44.0  43.4  43.3
 *   nbody       45.2  61.2  78.9  79.0  82.2  82.2  82.2  82.2  82.2  81.6  81.6
 *   reduce      37.4  59.9  59.1  58.9  59.1  59.1  59.1  59.1  59.1  59.1  59.1
 *   histogram   34.2  66.4  65.6  65.3  65.4  65.4  65.4  65.4  65.4  65.4  65.4
 *   bfs         83.2  97.4  99.6  99.6  99.6  99.6  99.6  99.6  99.6  99.6  99.6
 *   fib         58.7  71.0  86.1  85.9  86.0  86.1  86.2  86.2  86.2  86.2  87.5
 *   shapes      55.2  75.4  87.8  87.9  91.9  91.9  91.9  82.1  82.1  82.1  82.1
 *   mean        48.6  67.7  72.7  72.6  73.6  73.8  73.9  73.0  72.7  72.5  72.7
 *   profiled    48.6  67.6  72.6  72.7  73.8  74.2  74.4  73.4  73.1  73.0  72.9
 *   4 units     54.3  75.0  80.2  80.0  81.6  81.8  82.1  81.3  80.9  80.8  81.0
 *   writes        33    64    76    78    79    79    80    83    85    87    87
 *
 * "none" tags every value near that is read again; "writes" is the share of results that go into the
 * caches. 12 to 20 are level within 0.6 points and 20 is best by 0.1 to 0.3; from 24 on slots fill with values
 * that come back too late. 16 gives up that little to stay clear of the edge. A model of the cache on eight
 * small programs, not the timing of the design: to be measured again with it.
 */
#include "passes/analysis/reuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/analysis/profile.h"
#include "passes/pass.h"
#include "passes/remark.h"

#define UNKNOWN_CALL 50.0 /* instructions of a call whose callee is not here */

/* ---- one function */

void hd_reuse_estimate(const struct hd_flow *flow, struct hd_reuse_weights *weights, struct hd_arena *arena)
{
	weights->frequency = HD_ARENA_NEW(arena, double, flow->block_count);
	weights->probability = HD_ARENA_NEW(arena, double, flow->graph.edges);
	weights->profiled = false;
	for (uint32_t b = 0; b < flow->block_count; b++)
		weights->frequency[b] = flow->blocks[b].frequency;
	hd_flow_probabilities(flow, weights->probability);
}

/* 1, 2, 3-4, 5-8, ... and the last takes the rest. */
static unsigned bucket_of(double distance)
{
	unsigned bucket = 0;
	for (double most = 1; bucket + 1 < HD_REUSE_BUCKETS && distance > most + 0.5; most *= 2)
		bucket++;
	return bucket;
}

static void count_operand(struct hd_meta_reuse *facts, const struct hd_reuse_distance *operand, bool near)
{
	if (operand->chance <= 0) {
		facts->dead++;
		return;
	}
	facts->near += near;
	facts->far += !near;
	facts->histogram[bucket_of(operand->distance)]++;
}

void hd_reuse_tag(struct hd_reuse *reuse, uint32_t rthld, struct hd_arena *arena)
{
	const struct hd_function *function = reuse->flow->function;
	struct hd_meta_reuse *facts = &reuse->facts;
	*facts = (struct hd_meta_reuse){.rthld = rthld, .profiled = reuse->weights.profiled};
	facts->tag_count = function->inst_count;
	facts->tags = HD_ARENA_NEW(arena, uint8_t, function->inst_count);
	facts->exact = hd_reuse_claims(reuse->flow, arena);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		for (unsigned slot = HD_SLOT_DST; slot <= HD_SLOT_C; slot++) {
			const struct hd_reuse_distance *operand = &reuse->operands[i][slot];
			if (!hd_reuse_has(&function->insts[i], slot))
				continue;
			bool near = hd_reuse_is_near(operand, rthld);
			facts->tags[i] |= (uint8_t)(near << slot);
			count_operand(facts, operand, near);
		}
	}
}

/* ---- the program */

/* The mean of the possible callees; of a cycle one iteration counts, as everywhere (cars-hpca24, III-C). */
static double length_of(const struct hd_call_site *site, const struct hd_reuse *results)
{
	double sum = 0;
	if (site->unknown || !site->callee_count)
		return UNKNOWN_CALL;
	for (uint32_t c = 0; c < site->callee_count; c++)
		sum += results[site->callees[c]].length;
	return sum / site->callee_count;
}

static double *call_lengths(const struct hd_unit *unit, uint32_t index, const struct hd_reuse *results)
{
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	const struct hd_flow *flow = results[index].flow;
	double *lengths = hd_xcalloc(flow->call_count + 1, sizeof(*lengths));
	uint32_t site = calls->site_start[index], end = calls->site_start[index + 1];
	for (uint32_t c = 0; c < flow->call_count; c++) {
		while (site < end && calls->sites[site].inst < flow->calls[c].inst)
			site++;
		if (site < end && calls->sites[site].inst == flow->calls[c].inst)
			lengths[c] = length_of(&calls->sites[site], results);
	}
	return lengths;
}

static void compute_one(struct hd_unit *unit, const struct hd_profile *profile, uint32_t index,
			struct hd_reuse *results)
{
	struct hd_reuse *reuse = &results[index];
	if (!profile || !hd_profile_weights(profile, reuse->flow, &reuse->weights, &unit->arena))
		hd_reuse_estimate(reuse->flow, &reuse->weights, &unit->arena);
	double *lengths = call_lengths(unit, index, results);
	hd_reuse_distances(reuse, lengths, &unit->arena);
	hd_reuse_tag(reuse, unit->options.rthld, &unit->arena);
	free(lengths);
}

/* Callees first: components are numbered in that order. */
static void compute_all(struct hd_unit *unit, const struct hd_profile *profile, struct hd_reuse *results)
{
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	uint32_t count = unit->object.function_count, *start = hd_xcalloc(calls->component_count + 1, sizeof(*start)),
		 *order = hd_xcalloc(count + 1, sizeof(*order));
	for (uint32_t f = 0; f < count; f++)
		start[calls->component[f] + 1]++;
	for (uint32_t c = 0; c < calls->component_count; c++)
		start[c + 1] += start[c];
	for (uint32_t f = 0; f < count; f++)
		order[start[calls->component[f]]++] = f;
	for (uint32_t i = 0; i < count; i++)
		compute_one(unit, profile, order[i], results);
	free(start);
	free(order);
}

int hd_reuse_run(struct hd_unit *unit)
{
	const struct hd_flow *flows = hd_pass_result(unit, HD_PASS_FLOW);
	uint32_t count = unit->object.function_count;
	struct hd_reuse *results = HD_ARENA_NEW(&unit->arena, struct hd_reuse, count);
	struct hd_profile *profile = NULL;
	if (unit->options.profile && !(profile = hd_profile_read(unit->options.profile, unit->diag)))
		return -1;
	for (uint32_t f = 0; f < count; f++)
		results[f].flow = &flows[f];
	compute_all(unit, profile, results);
	hd_profile_free(profile);
	unit->results[HD_PASS_REUSE] = results;
	return 0;
}

/* ---- printing */

static void print_operand(FILE *out, const struct hd_reuse *reuse, uint32_t inst, enum hd_slot slot)
{
	static const char *const names[] = {"dst", "a", "b", "c"};
	const struct hd_inst *code = &reuse->flow->function->insts[inst];
	const struct hd_reuse_distance *operand = &reuse->operands[inst][slot];
	const uint8_t regs[] = {code->dst, code->a, code->b, code->c};
	if (!hd_reuse_has(code, slot))
		return;
	fprintf(out, " %s R%u ", names[slot], regs[slot]);
	if (operand->chance <= 0) {
		fputs("dead", out);
		return;
	}
	fprintf(out, "%.4g", (double)operand->distance);
	if (operand->chance < 0.9995f)
		fprintf(out, " (%.3g)", (double)operand->chance);
	fputs(hd_reuse_is_near(operand, reuse->facts.rthld) ? " near" : " far", out);
}

static void print_function(FILE *out, const struct hd_reuse *reuse)
{
	const struct hd_function *function = reuse->flow->function;
	const struct hd_meta_reuse *facts = &reuse->facts;
	fprintf(out, "%s %s: rthld %u%s, near %u, far %u, dead %u, distances", function->kernel ? "kernel" : "function",
		function->name, facts->rthld, facts->profiled ? ", profiled" : "", facts->near, facts->far,
		facts->dead);
	for (unsigned b = 0; b < HD_REUSE_BUCKETS; b++)
		fprintf(out, " %u", facts->histogram[b]);
	fputc('\n', out);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		fprintf(out, "  %04x %s", i * HD_INST_BYTES, hd_opinfo[function->insts[i].op].name);
		for (unsigned slot = HD_SLOT_DST; slot <= HD_SLOT_C; slot++)
			print_operand(out, reuse, i, slot);
		fputc('\n', out);
	}
}

void hd_reuse_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_reuse *results = hd_pass_result(unit, HD_PASS_REUSE);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		print_function(out, &results[f]);
}

/* ---- verifying */

/* Whether a register of the operand may be read after instruction `inst`, by liveness. */
static bool is_live_after(const struct hd_flow *flow, uint32_t inst, enum hd_slot slot, const struct hd_regset *live)
{
	const struct hd_inst *code = &flow->function->insts[inst];
	const uint8_t regs[] = {code->dst, code->a, code->b, code->c};
	struct hd_flow_effects effects;
	hd_flow_effects(flow, inst, &effects);
	unsigned width = hd_op_width(code->op, code->mods, slot);
	for (uint32_t reg = regs[slot]; reg < regs[slot] + width && reg < HD_RZ; reg++)
		if (hd_regset_has(live, reg) && (slot == HD_SLOT_DST || !hd_regset_has(&effects.covers, reg)))
			return true;
	return false;
}

static const char *operand_is_wrong(const struct hd_reuse *reuse, uint32_t inst, enum hd_slot slot,
				    const struct hd_regset *live)
{
	const struct hd_reuse_distance *operand = &reuse->operands[inst][slot];
	bool read = operand->chance > 0;
	if (!hd_reuse_has(&reuse->flow->function->insts[inst], slot))
		return NULL;
	if (!(operand->chance >= 0 && operand->chance <= 1) || !isfinite(operand->distance))
		return "a chance is none";
	if (read && operand->distance < 0.99f)
		return "a register is read again before the next instruction";
	bool may = is_live_after(reuse->flow, inst, slot, live);
	uint8_t claim = reuse->facts.exact[4 * inst + slot];
	if (claim == HD_REUSE_NEVER ? may
				    : claim && !reuse->weights.profiled && fabsf(operand->distance - claim) > 0.01f)
		return "what is certain is not what is expected";
	if (read > may || (read < may && !reuse->weights.profiled))
		return "what is dead is not what liveness says";
	return NULL;
}

static const char *block_is_wrong(const struct hd_reuse *reuse, uint32_t block)
{
	const struct hd_flow *flow = reuse->flow;
	struct hd_regset live = flow->live_out[block];
	const char *wrong = NULL;
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first && !wrong;) {
		for (unsigned slot = HD_SLOT_DST; slot <= HD_SLOT_C && !wrong; slot++)
			wrong = operand_is_wrong(reuse, i, slot, &live);
		hd_flow_live_before(flow, i, &live);
	}
	return wrong;
}

static const char *what_is_wrong(const struct hd_reuse *reuse)
{
	const struct hd_meta_reuse *facts = &reuse->facts;
	uint32_t sum = 0, near = 0;
	for (unsigned b = 0; b < HD_REUSE_BUCKETS; b++)
		sum += facts->histogram[b];
	for (uint32_t i = 0; i < facts->tag_count; i++)
		near += (uint32_t)__builtin_popcount(facts->tags[i]);
	if (sum != facts->near + facts->far || near != facts->near)
		return "the counts do not add up";
	const char *wrong = NULL;
	for (uint32_t i = 0; i < reuse->flow->rpo_count && !wrong; i++)
		wrong = block_is_wrong(reuse, reuse->flow->rpo[i]);
	return wrong;
}

int hd_reuse_verify_unit(struct hd_unit *unit)
{
	const struct hd_reuse *results = hd_pass_result(unit, HD_PASS_REUSE);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const char *wrong = what_is_wrong(&results[f]);
		if (wrong)
			return hd_error(unit->diag, HD_NOWHERE, "reuse of '%s': %s", results[f].flow->function->name,
					wrong);
	}
	return 0;
}

/* ---- metadata and remarks */

void hd_reuse_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts)
{
	struct hd_reuse *results = hd_pass_result(unit, HD_PASS_REUSE);
	facts->reuse = &results[function].facts;
}

void hd_reuse_remark(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_meta_reuse *facts = remarks->facts[function]->reuse;
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_REUSE, "Reuse", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": register operands near ");
	hd_remark_value(&remark, "Near", "%u", facts->near);
	hd_remark_text(&remark, ", far ");
	hd_remark_value(&remark, "Far", "%u", facts->far);
	hd_remark_text(&remark, ", dead ");
	hd_remark_value(&remark, "Dead", "%u", facts->dead);
	hd_remark_text(&remark, ", RTHLD ");
	hd_remark_value(&remark, "RTHLD", "%u", facts->rthld);
	hd_remark_text(&remark, facts->profiled ? ", profiled" : ", estimated");
	hd_remark_end(&remark);
}
