/*
 * Heaviest chains in a call graph (cars-hpca24, III-A): MaxStackDepth, call depth and stack
 * bytes are the same question with different weights. Components are visited callees first,
 * so each edge is looked at once; inside a cycle of n functions the heaviest simple path takes
 * n * 2^n steps, and from HD_CHAIN_EXACT functions up all of them are counted instead, which
 * no path exceeds.
 */
#include "passes/analysis/chain.h"

#include <stdlib.h>
#include <string.h>

enum { STOP = 0xff };

/* One component while it is being worked on; members have local slots. */
struct cycle {
	struct hd_chain *chain;
	const struct hd_graph *calls;
	const uint32_t *weight, *component, *members;
	uint32_t count;
	uint32_t *slot;	 /* of each function, valid for members */
	uint64_t *memo;	 /* [slot << count | mask]: depth + 1, 0 unknown */
	uint8_t *choice; /* where the path goes from there, STOP: out of the component */
	struct hd_arena *arena;
};

/* The best function outside the component that `node` calls. */
static uint32_t best_exit(const struct cycle *cycle, uint32_t node)
{
	const struct hd_graph *calls = cycle->calls;
	uint32_t best = HD_NO_NODE;
	for (uint32_t e = calls->succ_start[node]; e < calls->succ_start[node + 1]; e++) {
		uint32_t callee = calls->succ[e];
		if (cycle->component[callee] == cycle->component[node])
			continue;
		uint64_t depth = cycle->chain->depth[callee];
		if (best == HD_NO_NODE || depth > cycle->chain->depth[best] ||
		    (depth == cycle->chain->depth[best] && callee < best))
			best = callee;
	}
	return best;
}

static uint64_t depth_of(const struct hd_chain *chain, uint32_t node)
{
	return node == HD_NO_NODE ? 0 : chain->depth[node];
}

/* Heaviest simple path from member `slot` that avoids the members in `mask`. */
static uint64_t search(struct cycle *cycle, uint32_t slot, uint32_t mask)
{
	const struct hd_graph *calls = cycle->calls;
	uint32_t node = cycle->members[slot], state = slot << cycle->count | mask;
	uint8_t choice = STOP;
	if (cycle->memo[state])
		return cycle->memo[state] - 1;
	uint64_t best = depth_of(cycle->chain, best_exit(cycle, node));
	for (uint32_t e = calls->succ_start[node]; e < calls->succ_start[node + 1]; e++) {
		uint32_t callee = calls->succ[e];
		if (cycle->component[callee] != cycle->component[node] || mask >> cycle->slot[callee] & 1)
			continue;
		uint32_t to = cycle->slot[callee];
		uint64_t depth = search(cycle, to, mask | 1u << to);
		if (depth > best || (depth == best && choice != STOP && to < choice)) {
			best = depth;
			choice = (uint8_t)to;
		}
	}
	cycle->choice[state] = choice;
	cycle->memo[state] = best + cycle->weight[node] + 1;
	return cycle->memo[state] - 1;
}

static void follow(struct cycle *cycle, uint32_t start)
{
	struct hd_chain *chain = cycle->chain;
	uint32_t node = cycle->members[start], mask = 1u << start, slot = start, len = 0;
	uint32_t *piece = HD_ARENA_NEW(cycle->arena, uint32_t, cycle->count);
	for (;;) {
		uint8_t choice = cycle->choice[slot << cycle->count | mask];
		piece[len++] = cycle->members[slot];
		if (choice == STOP)
			break;
		slot = choice;
		mask |= 1u << slot;
	}
	chain->piece[node] = piece;
	chain->piece_count[node] = len;
	chain->next[node] = best_exit(cycle, cycle->members[slot]);
}

static void solve_exactly(struct cycle *cycle, uint64_t *depth)
{
	size_t states = (size_t)cycle->count << cycle->count;
	cycle->memo = hd_xcalloc(states, sizeof(*cycle->memo));
	cycle->choice = hd_xcalloc(states, sizeof(*cycle->choice));
	for (uint32_t i = 0; i < cycle->count; i++) {
		depth[i] = search(cycle, i, 1u << i);
		follow(cycle, i);
	}
	free(cycle->memo);
	free(cycle->choice);
}

/* Every member counts once, and the best chain out of any of them. The members share one list, each beginning with
 * itself. */
static void solve_bounded(struct cycle *cycle, uint64_t *depth)
{
	struct hd_chain *chain = cycle->chain;
	uint64_t sum = 0;
	uint32_t best = HD_NO_NODE;
	for (uint32_t i = 0; i < cycle->count; i++) {
		uint32_t exit = best_exit(cycle, cycle->members[i]);
		sum += cycle->weight[cycle->members[i]];
		if (depth_of(chain, exit) > depth_of(chain, best) || best == HD_NO_NODE)
			best = exit;
	}
	for (uint32_t i = 0; i < cycle->count; i++) {
		uint32_t node = cycle->members[i];
		uint32_t *piece = HD_ARENA_NEW(cycle->arena, uint32_t, cycle->count);
		memcpy(piece, cycle->members, sizeof(*piece) * cycle->count);
		memmove(piece + 1, piece, sizeof(*piece) * i);
		piece[0] = node;
		chain->piece[node] = piece;
		chain->piece_count[node] = cycle->count;
		chain->next[node] = best;
		depth[i] = sum + depth_of(chain, best);
	}
}

static void solve(struct cycle *cycle)
{
	uint64_t *depth = hd_xcalloc(cycle->count, sizeof(*depth));
	for (uint32_t i = 0; i < cycle->count; i++)
		cycle->slot[cycle->members[i]] = i;
	if (cycle->count <= HD_CHAIN_EXACT)
		solve_exactly(cycle, depth);
	else
		solve_bounded(cycle, depth);
	for (uint32_t i = 0; i < cycle->count; i++)
		cycle->chain->depth[cycle->members[i]] = depth[i];
	free(depth);
}

/* Functions grouped by component, ascending inside each; `start` has an entry more than there are components. */
static uint32_t *group(const uint32_t *component, uint32_t nodes, uint32_t count, struct hd_arena *arena,
		       uint32_t **start)
{
	uint32_t *members = HD_ARENA_NEW(arena, uint32_t, nodes), *at = HD_ARENA_NEW(arena, uint32_t, count + 1);
	for (uint32_t n = 0; n < nodes; n++)
		at[component[n] + 1]++;
	for (uint32_t c = 0; c < count; c++)
		at[c + 1] += at[c];
	*start = HD_ARENA_NEW(arena, uint32_t, count + 1);
	memcpy(*start, at, sizeof(*at) * (count + 1));
	for (uint32_t n = 0; n < nodes; n++)
		members[at[component[n]]++] = n;
	return members;
}

void hd_chain_compute(struct hd_chain *chain, const struct hd_graph *calls, const uint32_t *weight,
		      struct hd_arena *arena)
{
	uint32_t *component, count = hd_graph_components(calls, arena, &component), *start;
	uint32_t *members = group(component, calls->nodes, count, arena, &start);
	struct cycle cycle = {.chain = chain, .calls = calls, .weight = weight, .component = component, .arena = arena};
	cycle.slot = HD_ARENA_NEW(arena, uint32_t, calls->nodes);
	chain->depth = HD_ARENA_NEW(arena, uint64_t, calls->nodes);
	chain->piece = HD_ARENA_NEW(arena, uint32_t *, calls->nodes);
	chain->piece_count = HD_ARENA_NEW(arena, uint32_t, calls->nodes);
	chain->next = HD_ARENA_NEW(arena, uint32_t, calls->nodes);
	for (uint32_t c = 0; c < count; c++) {
		cycle.members = members + start[c];
		cycle.count = start[c + 1] - start[c];
		solve(&cycle);
	}
}

uint32_t hd_chain_list(const struct hd_chain *chain, uint32_t from, struct hd_arena *arena, uint32_t **list)
{
	uint32_t len = 0;
	for (uint32_t at = from; at != HD_NO_NODE; at = chain->next[at])
		len += chain->piece_count[at];
	*list = HD_ARENA_NEW(arena, uint32_t, len);
	len = 0;
	for (uint32_t at = from; at != HD_NO_NODE; at = chain->next[at]) {
		memcpy(*list + len, chain->piece[at], sizeof(**list) * chain->piece_count[at]);
		len += chain->piece_count[at];
	}
	return len;
}

uint32_t *hd_chain_reachable_max(const struct hd_graph *calls, const uint32_t *value, struct hd_arena *arena)
{
	uint32_t *component, count = hd_graph_components(calls, arena, &component), *start;
	uint32_t *members = group(component, calls->nodes, count, arena, &start);
	uint32_t *result = HD_ARENA_NEW(arena, uint32_t, calls->nodes);
	for (uint32_t c = 0; c < count; c++) {
		uint32_t largest = 0;
		for (uint32_t i = start[c]; i < start[c + 1]; i++) {
			uint32_t node = members[i];
			largest = value[node] > largest ? value[node] : largest;
			for (uint32_t e = calls->succ_start[node]; e < calls->succ_start[node + 1]; e++)
				if (result[calls->succ[e]] > largest)
					largest = result[calls->succ[e]];
		}
		for (uint32_t i = start[c]; i < start[c + 1]; i++)
			result[members[i]] = largest;
	}
	return result;
}
