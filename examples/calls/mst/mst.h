/* mst: minimum spanning trees. */
#ifndef MST_H
#define MST_H

#include "../graph.h"

typedef unsigned long long Offer; /* weight, edge id, place of the edge: the smallest is the lightest edge */
#define NO_OFFER (~0ull)
#define PLACE_BITS 26
#define ID_BITS 26 /* ids order edges of the same weight, so that there is one answer */

/* The trees so far. */
struct Forest {
	int *tree;	       /* of each node: the tree's root */
	int *link;	       /* of each root: the tree that it joins in this round, or itself */
	Offer *best;	       /* of each root: the lightest edge out of the tree */
	unsigned char *chosen; /* by edge id: in the result */
	int *joined;	       /* trees in this round */
};

/* Offers the node's lightest edge out of its tree to the root. */
DEVICE_FUNCTION void propose(const Graph &graph, const Forest &forest, int node);
/* The root's tree joins the one that its lightest edge leads to. */
DEVICE_FUNCTION void join(const Graph &graph, const Forest &forest, int root);
/* The node's tree after all have joined. */
DEVICE_FUNCTION int find_root(const Forest &forest, int node);

#endif
