/*
 * tree: look-ups in a B+ tree of order 256, a block each, whose threads compare all keys of a node at once, level by level: of
 * single keys, and of both ends of ranges. The tree is what insertion of rising keys leaves, nodes that are half full.
 */
#include "../calls/common.h"
#include <limits.h>

#define ORDER 256
#define HALF (ORDER / 2)

struct Node {
	int place;
	int children[ORDER + 1];
	int keys[ORDER + 1]; /* rising; those behind the last are INT_MAX */
	bool leaf;
	int count;
};

struct Tree {
	Node *nodes; /* the root first */
	int count, height;
};

__global__ void find_keys(int height, const Node *nodes, long count, const int *values, long *current, long *next, const int *wanted,
			  int *found)
{
	int lane = threadIdx.x, query = blockIdx.x;
	for (int level = 0; level < height; level++) {
		if (nodes[current[query]].keys[lane] <= wanted[query] && nodes[current[query]].keys[lane + 1] > wanted[query]) {
			int child = nodes[next[query]].children[lane];
			if (child < count)
				next[query] = child;
		}
		__syncthreads();
		if (lane == 0)
			current[query] = next[query];
		__syncthreads();
	}
	if (nodes[current[query]].keys[lane] == wanted[query])
		found[query] = values[nodes[current[query]].children[lane]];
}

__global__ void find_ranges(int height, const Node *nodes, long count, long *current, long *next, long *last, long *last_next,
			    const int *from, const int *to, int *start, int *length)
{
	int lane = threadIdx.x, query = blockIdx.x;
	for (int level = 0; level < height; level++) {
		if (nodes[current[query]].keys[lane] <= from[query] && nodes[current[query]].keys[lane + 1] > from[query]) {
			int child = nodes[current[query]].children[lane];
			if (child < count)
				next[query] = child;
		}
		if (nodes[last[query]].keys[lane] <= to[query] && nodes[last[query]].keys[lane + 1] > to[query]) {
			int child = nodes[last[query]].children[lane];
			if (child < count)
				last_next[query] = child;
		}
		__syncthreads();
		if (lane == 0) {
			current[query] = next[query];
			last[query] = last_next[query];
		}
		__syncthreads();
	}
	if (nodes[current[query]].keys[lane] == from[query])
		start[query] = nodes[current[query]].children[lane];
	__syncthreads();
	if (nodes[last[query]].keys[lane] == to[query])
		length[query] = nodes[last[query]].children[lane] - start[query] + 1;
}

/* The tree of keys 0 to `keys` - 1; children of leaves are their places. */
static Tree build(int keys)
{
	int levels[8], height = 0, total = 0;
	for (int nodes = blocks_for(keys, HALF);; nodes = blocks_for(nodes, HALF)) {
		levels[height++] = nodes;
		total += nodes;
		if (nodes == 1)
			break;
	}
	Tree tree = {host_array<Node>(total), total, height - 1};
	int below = keys, first_below = 0, first = total; /* from the leaves, which stand last, to the root */
	for (int level = 0; level < height; first_below = first, below = levels[level], level++) {
		first -= levels[level];
		int keys_below = 1; /* that a child stands for */
		for (int i = 0; i < level; i++)
			keys_below *= HALF;
		for (int i = 0; i < levels[level]; i++) {
			Node *node = &tree.nodes[first + i];
			node->place = first + i, node->leaf = level == 0;
			node->count = min(HALF, below - i * HALF);
			for (int key = 0; key <= ORDER; key++) {
				bool there = key < node->count;
				node->keys[key] = there ? (i * HALF + key) * keys_below : INT_MAX;
				node->children[key] = there ? first_below + i * HALF + key : total;
			}
		}
	}
	return tree;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "tree [keys]   (default 20000; queries: a hundredth, 6 of 10 as many ranges)"};
	int keys = size_argument(arguments, 1, 20000, 1 << 24), queries = max(keys / 100, 1), ranges = max(6 * queries / 10, 1);
	Tree tree = build(keys);
	int *values = host_array<int>(keys), *wanted = host_array<int>(queries), *from = host_array<int>(ranges);
	int *to = host_array<int>(ranges), *got = host_array<int>(queries), *got_length = host_array<int>(ranges);
	unsigned seed = 1;
	for (int i = 0; i < keys; i++)
		values[i] = (int)next_random(&seed);
	for (int i = 0; i < queries; i++)
		wanted[i] = (int)(next_random(&seed) % keys);
	for (int i = 0; i < ranges; i++)
		from[i] = (int)(next_random(&seed) % keys), to[i] = min(from[i] + 3000, keys - 1);
	Node *nodes = device_copy(tree.nodes, tree.count);
	int *dvalues = device_copy(values, keys), *dwanted = device_copy(wanted, queries), *found = device_array<int>(queries);
	int *dfrom = device_copy(from, ranges), *dto = device_copy(to, ranges), *start = device_array<int>(ranges);
	int *length = device_array<int>(ranges);
	long *places[6];
	for (int i = 0; i < 6; i++)
		places[i] = device_array<long>(queries);
	find_keys<<<queries, ORDER>>>(tree.height, nodes, tree.count, dvalues, places[0], places[1], dwanted, found);
	CHECK_LAUNCH();
	find_ranges<<<ranges, ORDER>>>(tree.height, nodes, tree.count, places[2], places[3], places[4], places[5], dfrom, dto, start,
				       length);
	CHECK_LAUNCH();

	Verdict verdict = {"tree", 0};
	copy_back(got, found, queries);
	for (int i = 0; i < queries; i++)
		if (got[i] != values[wanted[i]])
			differs(&verdict, "key %d: %d, not %d", wanted[i], got[i], values[wanted[i]]);
	copy_back(got, start, ranges);
	copy_back(got_length, length, ranges);
	for (int i = 0; i < ranges; i++)
		if (got[i] != from[i] || got_length[i] != to[i] - from[i] + 1)
			differs(&verdict, "range %d: %d and %d, not %d and %d", i, got[i], got_length[i], from[i], to[i] - from[i] + 1);
	return conclude(verdict, "%d keys, %d and %d queries", keys, queries, ranges);
}
