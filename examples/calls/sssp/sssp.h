/* sssp: shortest paths from one node. */
#ifndef SSSP_H
#define SSSP_H

#include "../graph.h"

#define FAR 0x3fffffff

/* What a round works on. */
struct Round {
	int *distance;
	unsigned char *active, *next;
	int *changes; /* nodes that became active */
};

/* Offers the node's neighbours the way through it. */
DEVICE_FUNCTION void relax_node(const Graph &graph, const Round &round, int node);

#endif
