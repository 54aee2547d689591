/*
 * What must hold of register-intervals and strands, recomputed from the code and the map from
 * instructions to subgraphs (ltrf-asplos18, 3.1 and 3.3): every instruction is in exactly one,
 * which is entered at one place, needs at most N registers and ends where it must; and of two
 * register-intervals none is left that Algorithm 2 would merge. Linear in the code.
 */
#include "passes/analysis/intervals.h"

#include <stdlib.h>

struct check {
	const struct hd_subgraphs *subgraphs;
	struct hd_regset *sets; /* of each subgraph, from its instructions */
	uint32_t *insts;
	uint32_t *before; /* the one subgraph that leads here; HD_NO_NODE: none seen; itself: several */
	const char *wrong;
};

static void note(struct check *check, bool holds, const char *otherwise)
{
	if (!holds && !check->wrong)
		check->wrong = otherwise;
}

static void check_inst(struct check *check, uint32_t inst)
{
	const struct hd_subgraphs *subgraphs = check->subgraphs;
	uint32_t id = subgraphs->of[inst];
	struct hd_regset set = hd_subgraph_registers(&subgraphs->flow->function->insts[inst]);
	bool call = hd_flow_calls(subgraphs->flow, inst);
	if (id >= subgraphs->count) {
		note(check, false, "an instruction is in no subgraph");
		return;
	}
	note(check, call == subgraphs->list[id].call, "a call is not on its own");
	hd_regset_union(&check->sets[id], &set);
	check->insts[id]++;
}

static void check_edge(struct check *check, uint32_t from_inst, uint32_t to_inst)
{
	const struct hd_subgraphs *subgraphs = check->subgraphs;
	uint32_t from = subgraphs->of[from_inst], to = subgraphs->of[to_inst];
	if (from == to) { /* a strand whose end branches back to its entry is entered again */
		note(check, !hd_subgraph_ends(subgraphs, from_inst) || subgraphs->list[to].entry == to_inst,
		     "a subgraph goes on where it has to end");
		return;
	}
	note(check, subgraphs->list[to].entry == to_inst, "a subgraph is entered at two places");
	check->before[to] = check->before[to] == HD_NO_NODE || check->before[to] == from ? from : to;
}

static void check_edges(struct check *check)
{
	const struct hd_flow *flow = check->subgraphs->flow;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		uint32_t last = hd_flow_last(flow, b);
		for (uint32_t i = flow->blocks[b].first; i < last; i++)
			check_edge(check, i, i + 1);
		for (uint32_t e = flow->graph.succ_start[b]; e < flow->graph.succ_start[b + 1]; e++)
			check_edge(check, last, flow->blocks[flow->graph.succ[e]].first);
	}
}

/* The function's entry and code that nothing reaches are where Algorithm 2 starts. */
static bool is_root(const struct hd_flow *flow, uint32_t inst)
{
	return !inst || flow->position[flow->block_of[inst]] == HD_NO_NODE;
}

static bool may_merge(const struct check *check, uint32_t id)
{
	const struct hd_subgraphs *subgraphs = check->subgraphs;
	const struct hd_subgraph *to = &subgraphs->list[id];
	uint32_t before = check->before[id];
	if (subgraphs->kind != HD_REGISTER_INTERVALS || is_root(subgraphs->flow, to->entry) || before == HD_NO_NODE ||
	    before == id)
		return false;
	struct hd_regset set = to->set;
	hd_regset_union(&set, &subgraphs->list[before].set);
	return !to->call && !subgraphs->list[before].call && hd_regset_count(&set) <= subgraphs->limit;
}

static void check_subgraph(struct check *check, uint32_t id)
{
	const struct hd_subgraphs *subgraphs = check->subgraphs;
	const struct hd_subgraph *subgraph = &subgraphs->list[id];
	note(check, subgraphs->of[subgraph->entry] == id, "a subgraph does not have its entry");
	note(check, !id || subgraphs->list[id - 1].entry < subgraph->entry, "subgraphs are not in order");
	note(check, subgraph->inst_count == check->insts[id], "a subgraph's instructions are not counted right");
	note(check, !subgraph->call || subgraph->inst_count == 1, "a call is not on its own");
	note(check, hd_regset_equal(&subgraph->set, &check->sets[id]), "a working set is not that of the instructions");
	note(check, hd_regset_count(&subgraph->set) <= subgraphs->limit, "a working set is too large");
	note(check, hd_regset_within(&subgraph->live_in, &subgraph->set), "a register is live in that is not used");
	note(check, !may_merge(check, id), "two register-intervals could be one");
}

const char *hd_subgraphs_wrong(const struct hd_subgraphs *subgraphs)
{
	struct check check = {.subgraphs = subgraphs};
	check.sets = hd_xcalloc(subgraphs->count + 1, sizeof(*check.sets));
	check.insts = hd_xcalloc(subgraphs->count + 1, sizeof(*check.insts));
	check.before = hd_xcalloc(subgraphs->count + 1, sizeof(*check.before));
	for (uint32_t id = 0; id < subgraphs->count; id++)
		check.before[id] = HD_NO_NODE;
	for (uint32_t i = 0; i < subgraphs->flow->function->inst_count; i++)
		check_inst(&check, i);
	if (!check.wrong)
		check_edges(&check);
	for (uint32_t id = 0; id < subgraphs->count && !check.wrong; id++)
		check_subgraph(&check, id);
	free(check.sets);
	free(check.insts);
	free(check.before);
	return check.wrong;
}
