/*
 * btree: looks for keys in a B+ tree, a block a key: its threads compare the keys of a node, and the one that finds the
 * place says which node is next. Every level is a wait for memory.
 */
#include <limits.h>

#include "../grids/grids.h"

#define ORDER 128 /* children of a node, and threads of a block */

/* Keys of a node and, of its children, the numbers of nodes; in the last level the values. */
struct Node {
	int keys[ORDER + 1]; /* child i has keys from keys[i] to below keys[i + 1] */
	int children[ORDER];
};

__global__ void find(const Node *nodes, int levels, const int *wanted, int *values)
{
	__shared__ int next;
	int key = wanted[blockIdx.x], lane = threadIdx.x;
	if (lane == 0)
		next = 0;
	for (int level = 0; level < levels; level++) {
		__syncthreads();
		const Node *node = &nodes[next];
		bool here = key >= node->keys[lane] && key < node->keys[lane + 1];
		__syncthreads();
		if (here && level < levels - 1)
			next = node->children[lane];
		else if (here)
			values[blockIdx.x] = node->keys[lane] == key ? node->children[lane] : -1;
	}
}

struct Tree {
	Node *nodes;
	int used, levels;
};

/* A tree of full nodes over the sorted keys from..to, `levels` high; its root's number. Value of a key: its index. */
static int grow(Tree *tree, const int *keys, int from, int to, int levels)
{
	int number = tree->used++, share = 1;
	for (int i = 1; i < levels; i++)
		share *= ORDER;
	for (int i = 0; i <= ORDER; i++) {
		long at = from + (long)i * share;
		tree->nodes[number].keys[i] = at < to ? keys[at] : INT_MAX;
	}
	for (int i = 0; i < ORDER && from + (long)i * share < to; i++) {
		int start = from + i * share, end = start + share < to ? start + share : to;
		int child = levels == 1 ? start : grow(tree, keys, start, end, levels - 1);
		tree->nodes[number].children[i] = child;
		if (end == to && to != start + share)
			break;
	}
	return number;
}

static int by_value(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "btree [keys [searches]]   (default 40000 keys, 8000 searches)"};
	int n = size_argument(arguments, 1, 40000, 1 << 22), searches = size_argument(arguments, 2, 8000, 1 << 20),
	    levels = 1;
	for (long reach = ORDER; reach < n; reach *= ORDER)
		levels++;
	int *keys = host_array<int>(n), *wanted = host_array<int>(searches), *values = host_array<int>(searches);
	unsigned seed = 23;
	for (int i = 0; i < n; i++)
		keys[i] = 3 * i + (int)(next_random(&seed) >> 4) % 3;
	for (int i = 0; i < searches; i++)
		wanted[i] = (int)(next_random(&seed) >> 4) % (3 * n - keys[0]) + keys[0];
	Tree tree = {host_array<Node>(n / ORDER + n / ORDER / ORDER + 2 + levels), 0, levels};
	grow(&tree, keys, 0, n, levels);
	int *dvalues = device_array<int>(searches);

	find<<<searches, ORDER>>>(device_copy(tree.nodes, tree.used), levels, device_copy(wanted, searches), dvalues);
	CHECK_LAUNCH();

	for (int i = 0; i < searches; i++) {
		const int *found = (const int *)bsearch(&wanted[i], keys, n, sizeof *keys, by_value);
		values[i] = found ? (int)(found - keys) : -1;
	}
	Verdict verdict = {"btree", 0};
	compare(&verdict, "value", dvalues, values, searches);
	return conclude(verdict, "%d keys in %d nodes, %d levels, %d searches", n, tree.used, levels, searches);
}
