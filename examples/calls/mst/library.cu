/* How mst finds the lightest edges, and joins trees. */
#include "mst.h"

DEVICE_FUNCTION int tree_of(const Forest &forest, int node)
{
	return forest.tree[node];
}

DEVICE_FUNCTION Offer make_offer(const Graph &graph, int place)
{
	return (Offer)graph.weight[place] << (PLACE_BITS + ID_BITS) | (Offer)graph.id[place] << PLACE_BITS |
	       (Offer)place;
}

DEVICE_FUNCTION bool leads_out(const Graph &graph, const Forest &forest, int tree, int place)
{
	return tree_of(forest, graph.to[place]) != tree;
}

DEVICE_FUNCTION Offer lighter(const Graph &graph, const Forest &forest, int tree, int place, Offer best)
{
	Offer offer = make_offer(graph, place);
	return offer < best && leads_out(graph, forest, tree, place) ? offer : best;
}

DEVICE_FUNCTION void propose(const Graph &graph, const Forest &forest, int node)
{
	int tree = tree_of(forest, node);
	Offer best = NO_OFFER;
	for (int place = graph.first[node]; place < graph.first[node + 1]; place++)
		best = lighter(graph, forest, tree, place, best);
	if (best < forest.best[tree])
		atomicMin(&forest.best[tree], best);
}

DEVICE_FUNCTION int place_of(Offer offer)
{
	return (int)(offer & ((1ull << PLACE_BITS) - 1));
}

/* Two trees may choose the same edge: then the one with the smaller root stays. */
DEVICE_FUNCTION bool stays(const Graph &graph, const Forest &forest, int root, int other, int place)
{
	return graph.id[place_of(forest.best[other])] == graph.id[place] && root < other;
}

DEVICE_FUNCTION void join(const Graph &graph, const Forest &forest, int root)
{
	if (forest.best[root] == NO_OFFER)
		return;
	int place = place_of(forest.best[root]), other = tree_of(forest, graph.to[place]);
	forest.chosen[graph.id[place]] = 1;
	if (stays(graph, forest, root, other, place))
		return;
	forest.link[root] = other;
	atomicAdd(forest.joined, 1);
}

DEVICE_FUNCTION int next_up(const Forest &forest, int root)
{
	return forest.link[root];
}

DEVICE_FUNCTION int find_root(const Forest &forest, int node)
{
	int root = tree_of(forest, node);
	for (int up = next_up(forest, root); up != root; up = next_up(forest, root))
		root = up;
	return root;
}
