/*
 * The search of writers.h.
 */
#include "passes/analysis/writers.h"

#include "lib/hash.h"

struct hd_writers_search hd_writers_search_new(const struct hd_flow *flow, int64_t left, struct hd_arena *arena)
{
	return (struct hd_writers_search){.flow = flow,
					  .queue = HD_ARENA_NEW(arena, uint32_t, flow->block_count + 1),
					  .seen = hd_bitset_new(arena, flow->block_count),
					  .left = left};
}

static bool has(const struct hd_regset *set, unsigned reg)
{
	return reg >= HD_WRITERS_PREDICATE ? set->preds >> (reg - HD_WRITERS_PREDICATE) & 1 : hd_regset_has(set, reg);
}

/* What is asked, and where the answers go. */
struct question {
	unsigned reg;
	hd_writer_visit *visit;
	void *context;
	bool stopped;
};

/* In the instructions of a block before `end`, the last one first. Whether none before the block's counts any more. */
static bool look_in(struct hd_writers_search *search, struct question *question, uint32_t block, uint32_t end)
{
	const struct hd_flow *flow = search->flow;
	for (uint32_t inst = end; inst-- > flow->blocks[block].first && search->left-- > 0;) {
		struct hd_flow_effects effects;
		hd_flow_effects(flow, inst, &effects);
		if (!has(&effects.writes, question->reg))
			continue;
		question->stopped = !question->visit(question->context, inst);
		if (question->stopped || has(&effects.kills, question->reg))
			return true;
	}
	return false;
}

bool hd_writers_visit(struct hd_writers_search *search, uint32_t inst, unsigned reg, uint32_t from,
		      hd_writer_visit *visit, void *context, bool *entry)
{
	const struct hd_graph *graph = &search->flow->graph;
	struct question question = {.reg = reg, .visit = visit, .context = context};
	uint32_t block = search->flow->block_of[inst], queued = 0;
	hd_bitset_clear(&search->seen);
	*entry = false;
	bool done = look_in(search, &question, block, inst);
	for (uint32_t i = 0; !question.stopped; block = search->queue[i++]) {
		if (i)
			done = look_in(search, &question, block, hd_flow_last(search->flow, block) + 1);
		*entry |= !done && block == 0;
		done |= block == from;
		for (uint32_t k = graph->pred_start[block]; !done && k < graph->pred_start[block + 1]; k++)
			if (!hd_bitset_has(&search->seen, graph->pred[k])) {
				hd_bitset_add(&search->seen, graph->pred[k]);
				search->queue[queued++] = graph->pred[k];
			}
		if (i == queued)
			break;
	}
	return !question.stopped;
}

struct answer {
	struct hd_writers writers;
	unsigned reg;
};

static bool add_writer(void *context, uint32_t inst)
{
	struct answer *answer = context;
	answer->writers.other = answer->writers.one;
	answer->writers.one = inst;
	answer->writers.count++;
	answer->writers.sum += hd_hash_mix(hd_hash_mix(0, inst), answer->reg);
	return true;
}

struct hd_writers hd_writers_find(struct hd_writers_search *search, uint32_t inst, unsigned reg, uint32_t from)
{
	struct answer answer = {.reg = reg};
	bool entry;
	hd_writers_visit(search, inst, reg, from, add_writer, &answer, &entry);
	answer.writers.entry = entry;
	return answer.writers;
}

void hd_writers_follow(struct hd_writers_search *search, uint32_t inst, hd_writer_visit *visit, void *context)
{
	const struct hd_flow *flow = search->flow;
	const struct hd_graph *graph = &flow->graph;
	uint32_t block = flow->block_of[inst], first = inst + 1, queued = 0;
	hd_bitset_clear(&search->seen);
	for (uint32_t i = 0;; block = search->queue[i++], first = flow->blocks[block].first) {
		bool on = true;
		for (uint32_t at = first; on && at <= hd_flow_last(flow, block) && search->left-- > 0; at++)
			on = visit(context, at);
		for (uint32_t k = graph->succ_start[block]; on && k < graph->succ_start[block + 1]; k++)
			if (!hd_bitset_has(&search->seen, graph->succ[k])) {
				hd_bitset_add(&search->seen, graph->succ[k]);
				search->queue[queued++] = graph->succ[k];
			}
		if (i == queued)
			break;
	}
}
