/*
 * What --verify had to check: of the places that the metadata makes claims about, those that a run came to. A place is
 * an instruction, or a set of them of which one is enough. Functions that never ran are counted apart.
 */
#include "runtime/verify/coverage.h"
#include "runtime/core/gpu.h"

#include "heddle/figures.h"

enum kind { INSTRUCTIONS, CALLS, SAVES, INTERVALS, STRANDS, POINTS, SWITCHES, DEAD, REUSE, BRANCHES, ACCESSES, KINDS };
static const char *const keys[KINDS] = {"instructions",	      "calls",	    "register_saves",
					"register_intervals", "strands",    "preemption_points",
					"switch_points",      "last_reads", "reuse_distances",
					"branches",	      "accesses"};

struct tally {
	uint64_t checked[KINDS], stated[KINDS];
};

static bool reached(const struct hd_pfunction *function, uint32_t pc)
{
	return pc / HD_INST_BYTES < function->count && function->verified[pc / HD_INST_BYTES];
}

static void count(struct tally *tally, enum kind kind, bool checked)
{
	tally->stated[kind]++;
	tally->checked[kind] += checked;
}

static void count_intervals(struct tally *tally, enum kind kind, const struct hd_pfunction *function,
			    const struct hd_meta_interval *list, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		bool any = false;
		for (uint32_t p = 0; p < list[i].pc_count && !any; p++)
			any = reached(function, list[i].pcs[p]);
		count(tally, kind, any);
	}
}

static void count_instructions(struct tally *tally, const struct hd_pfunction *function)
{
	const struct hd_meta_function *meta = function->meta;
	const struct hd_meta_reuse *reuse = meta->reuse;
	for (uint32_t i = 0; i < function->count; i++) {
		bool claim = false;
		for (uint32_t slot = 0; slot < 4 && reuse && i < reuse->tag_count; slot++)
			claim = claim || reuse->exact[4 * i + slot] != HD_REUSE_NO_CLAIM;
		count(tally, INSTRUCTIONS, function->verified[i]);
		if (i < meta->dead_operand_count && meta->dead_operands[i])
			count(tally, DEAD, function->verified[i]);
		if (claim)
			count(tally, REUSE, function->verified[i]);
	}
}

static void count_function(struct tally *tally, const struct hd_pfunction *function)
{
	const struct hd_meta_function *meta = function->meta;
	count_instructions(tally, function);
	count_intervals(tally, INTERVALS, function, meta->intervals, meta->interval_count);
	count_intervals(tally, STRANDS, function, meta->strands, meta->strand_count);
	for (uint32_t i = 0; i < meta->call_count; i++)
		count(tally, CALLS, reached(function, meta->calls[i].pc));
	for (uint32_t i = 0; i < meta->save_count; i++)
		count(tally, SAVES, reached(function, meta->saves[i].pc));
	for (uint32_t i = 0; i < meta->point_count; i++)
		count(tally, POINTS, reached(function, meta->points[i].pc));
	for (uint32_t i = 0; i < meta->switch_count; i++)
		count(tally, SWITCHES, reached(function, meta->switches[i].pc));
	for (uint32_t i = 0; meta->affine && i < meta->affine->branch_count; i++)
		count(tally, BRANCHES, reached(function, meta->affine->branches[i].pc));
	for (uint32_t i = 0; meta->affine && i < meta->affine->access_count; i++)
		count(tally, ACCESSES, reached(function, meta->affine->accesses[i].pc));
}

static bool ran(const struct hd_pfunction *function)
{
	for (uint32_t i = 0; i < function->count; i++)
		if (function->verified[i])
			return true;
	return false;
}

static void add(json_t *object, const char *key, uint64_t checked, uint64_t stated)
{
	json_object_set_new(object, key,
			    json_pack("{s:I,s:I}", "checked", (json_int_t)checked, "stated", (json_int_t)stated));
}

json_t *hd_verify_json(const struct hd_gpu *gpu)
{
	struct tally tally = {0};
	uint64_t functions = 0, functions_run = 0;
	for (uint32_t f = 0; f < gpu->program.functions.len; f++) {
		const struct hd_pfunction *function = &gpu->program.functions.data[f];
		if (!function->meta || !function->verified)
			continue;
		functions++;
		if (!ran(function))
			continue;
		functions_run++;
		count_function(&tally, function);
	}
	json_t *object = json_object();
	add(object, "functions", functions_run, functions);
	for (enum kind kind = 0; kind < KINDS; kind++)
		add(object, keys[kind], tally.checked[kind], tally.stated[kind]);
	return object;
}
