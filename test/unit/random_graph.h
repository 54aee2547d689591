/*
 * Random numbers and graphs for tests, the same ones for the same seed.
 */
#ifndef HD_TEST_UNIT_RANDOM_GRAPH_H
#define HD_TEST_UNIT_RANDOM_GRAPH_H

#include "passes/graph/graph.h"

/* A number below `bound`, which is not 0; advances the state. */
uint32_t random_below(uint64_t *state, uint32_t bound);

enum { RANDOM_GRAPH_NODES = 14 };

/* 1 to RANDOM_GRAPH_NODES nodes and up to three times as many edges: loops, several paths into them, nodes that nothing
 * reaches, endless ones. The entry is node 0, or any with `any_entry`. */
struct hd_graph random_graph(uint64_t *state, bool any_entry, struct hd_arena *arena);

#endif
