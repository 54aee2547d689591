/*
 * Who may have written what a register or predicate holds: found backwards through the blocks of finished code, until
 * each path has met an instruction that writes it for certain.
 *
 * Cost: linear in the code between, for each question.
 */
#ifndef HD_PASSES_ANALYSIS_WRITERS_H
#define HD_PASSES_ANALYSIS_WRITERS_H

#include "lib/arena.h"
#include "lib/bitset.h"
#include "passes/analysis/flow.h"

enum { HD_WRITERS_PREDICATE = 256 }; /* in place of a register: predicate 0 */

/* For any number of questions about one function. */
struct hd_writers_search {
	const struct hd_flow *flow;
	uint32_t *queue; /* room for every block */
	struct hd_bitset seen;
	int64_t left; /* instructions to look at */
};

/* Nothing is left to look at: the last search has ended where it was, and no answer of this one counts. */
static inline bool hd_writers_search_is_done(const struct hd_writers_search *search)
{
	return search->left <= 0;
}

struct hd_writers {
	uint32_t count, one, other; /* some two of them */
	uint64_t sum;		    /* the same for the same ones */
	bool entry;		    /* or the function's caller has written it */
};

/* False: no more of them. */
typedef bool hd_writer_visit(void *context, uint32_t inst);

/* What it needs comes from the arena. */
struct hd_writers_search hd_writers_search_new(const struct hd_flow *flow, int64_t left, struct hd_arena *arena);

/* Those of `reg` before `inst`. They are looked for from the begin of block `from` on, which dominates the
 * instruction's; HD_NO_NODE: from anywhere. Sets `entry`. False: `visit` has returned false. */
bool hd_writers_visit(struct hd_writers_search *search, uint32_t inst, unsigned reg, uint32_t from,
		      hd_writer_visit *visit, void *context, bool *entry);
struct hd_writers hd_writers_find(struct hd_writers_search *search, uint32_t inst, unsigned reg, uint32_t from);

/* Forwards: visits what may follow the instruction, each once. A path ends where `visit` returns false. */
void hd_writers_follow(struct hd_writers_search *search, uint32_t inst, hd_writer_visit *visit, void *context);

static inline bool hd_writers_is_sole(const struct hd_writers *writers)
{
	return writers->count == 1 && !writers->entry;
}

#endif
