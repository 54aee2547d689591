/*
 * Profile feedback for analyses that weigh paths (malekeh's reuse distance). The document is the
 * statistics of `heddle run`, one run's or {"runs": [...]} with several, whose counts add up:
 *
 *   "profile": {"functions": [{"name": "_Z1kPf", "executed": [640, 640, ...],
 *                              "branches": [{"pc": 48, "taken": 620, "fell_through": 20}, ...]}]}
 *
 * `executed` has a count of warp instructions for each instruction; a divergent branch counts as
 * taken and as fallen through. Several functions of one name, of several modules, are told apart by
 * their length. Linear in the document.
 */
#include "passes/analysis/profile.h"
#include "heddle/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

struct hd_profile {
	json_t *document;
};

struct hd_profile *hd_profile_read(const char *path, struct hd_diag *diag)
{
	json_error_t error;
	json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!document) {
		hd_error(diag, (struct hd_loc){.file = path, .line = error.line > 0 ? (uint32_t)error.line : 0},
			 "profile: %s", error.text);
		return NULL;
	}
	const json_t *runs = json_object_get(document, "runs");
	const json_t *run = json_is_array(runs) ? json_array_get(runs, 0) : document;
	if (!json_is_array(json_object_get(json_object_get(run, "profile"), "functions"))) {
		hd_error(diag, (struct hd_loc){.file = path},
			 "the statistics have no 'profile'; 'heddle run --profile --stats FILE' writes one");
		json_decref(document);
		return NULL;
	}
	struct hd_profile *profile = hd_xcalloc(1, sizeof(*profile));
	profile->document = document;
	return profile;
}

void hd_profile_free(struct hd_profile *profile)
{
	if (profile)
		json_decref(profile->document);
	free(profile);
}

struct counts {
	const struct hd_flow *flow;
	double *executed;	      /* of each instruction */
	double *taken, *fell_through; /* of each block's last instruction */
	bool found;
};

static double count_of(const json_t *number)
{
	double value = json_number_value(number);
	return value > 0 ? value : 0;
}

static void add_branch(struct counts *counts, const json_t *branch)
{
	double inst = count_of(json_object_get(branch, "pc")) / HD_INST_BYTES;
	if (inst >= counts->flow->function->inst_count)
		return;
	uint32_t block = counts->flow->block_of[(uint32_t)inst];
	counts->taken[block] += count_of(json_object_get(branch, "taken"));
	counts->fell_through[block] += count_of(json_object_get(branch, "fell_through"));
}

static void add_function(struct counts *counts, const json_t *function)
{
	const struct hd_function *code = counts->flow->function;
	const char *name = json_string_value(json_object_get(function, "name"));
	const json_t *executed = json_object_get(function, "executed"), *branch;
	size_t i;
	if (!name || strcmp(name, code->name) != 0 || json_array_size(executed) != code->inst_count)
		return;
	counts->found = true;
	for (i = 0; i < code->inst_count; i++)
		counts->executed[i] += count_of(json_array_get(executed, i));
	json_array_foreach(json_object_get(function, "branches"), i, branch) add_branch(counts, branch);
}

static void add_run(struct counts *counts, const json_t *run)
{
	const json_t *function;
	size_t i;
	json_array_foreach(json_object_get(json_object_get(run, "profile"), "functions"), i, function)
		add_function(counts, function);
}

static void add_document(struct counts *counts, const json_t *document)
{
	const json_t *runs = json_object_get(document, "runs"), *run;
	size_t i;
	if (!json_is_array(runs))
		add_run(counts, document);
	json_array_foreach(runs, i, run) add_run(counts, run);
}

/* A branch's own counts where it has them; otherwise its successors', which other edges may share. */
static double weight_of(const struct counts *counts, uint32_t block, uint32_t successor)
{
	const struct hd_flow *flow = counts->flow;
	uint32_t last = hd_flow_last(flow, block), first = flow->blocks[successor].first;
	const struct hd_inst *inst = &flow->function->insts[last];
	if (inst->op != HD_OP_BRA || inst->guard == HD_PT)
		return counts->executed[first];
	return (inst->x == first ? counts->taken[block] : 0) + (last + 1 == first ? counts->fell_through[block] : 0);
}

static void weigh_block(const struct counts *counts, uint32_t block, struct hd_reuse_weights *weights)
{
	const struct hd_graph *graph = &counts->flow->graph;
	uint32_t first = graph->succ_start[block], end = graph->succ_start[block + 1];
	double sum = 0;
	for (uint32_t e = first; e < end; e++)
		sum += weights->probability[e] = weight_of(counts, block, graph->succ[e]);
	for (uint32_t e = first; e < end; e++)
		weights->probability[e] = sum > 0 ? weights->probability[e] / sum : 0;
}

static void weigh(const struct counts *counts, double entries, struct hd_reuse_weights *weights)
{
	const struct hd_flow *flow = counts->flow;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		weights->frequency[b] = counts->executed[flow->blocks[b].first] / entries;
		weigh_block(counts, b, weights);
	}
	weights->profiled = true;
}

bool hd_profile_weights(const struct hd_profile *profile, const struct hd_flow *flow, struct hd_reuse_weights *weights,
			struct hd_arena *arena)
{
	struct counts counts = {.flow = flow};
	counts.executed = hd_xcalloc(flow->function->inst_count + 1, sizeof(double));
	counts.taken = hd_xcalloc(flow->block_count + 1, sizeof(double));
	counts.fell_through = hd_xcalloc(flow->block_count + 1, sizeof(double));
	add_document(&counts, profile->document);
	double entries = counts.found ? counts.executed[0] : 0;
	if (entries > 0) {
		hd_reuse_estimate(flow, weights, arena);
		weigh(&counts, entries, weights);
	}
	free(counts.executed);
	free(counts.taken);
	free(counts.fell_through);
	return entries > 0;
}
