/*
 * btree: looks for keys in a B+ tree, a block a key: its threads compare the keys of a node, and the one that finds the
 * place says which node is next. Every level is a wait for memory. As in the published program a node has room for 256
 * children and is half full, and what a block has to know, its key and its place, is in global memory, where each thread reads
 * it again on each level.
 */
#include <limits.h>

#include "../grids/grids.h"

#define ORDER 256          /* children of a node, and threads of a block */
#define FILLED (ORDER / 2) /* of these: nodes split in halves when keys come in order */

/* Keys of a node and, of its children, the numbers of nodes; in the last level of records. */
struct Node {
	int children[ORDER];
	int keys[ORDER + 1]; /* child i has keys from keys[i] to below keys[i + 1] */
};

/* Where a search is: the node of this level and of the next one. */
struct Place {
	long now, next;
};

__global__ void find(const Node *nodes, long used, long last, Place *places, const int *wanted, const int *records, int *values)
{
	int lane = threadIdx.x, search = blockIdx.x;
	for (int level = 0; level < last; level++) {
		const Node *node = &nodes[places[search].now];
		if (node->keys[lane] <= wanted[search] && node->keys[lane + 1] > wanted[search] && node->children[lane] < used)
			places[search].next = node->children[lane];
		__syncthreads();
		if (lane == 0)
			places[search].now = places[search].next;
		__syncthreads();
	}
	const Node *leaf = &nodes[places[search].now];
	if (leaf->keys[lane] == wanted[search])
		values[search] = records[leaf->children[lane]];
}

struct Tree {
	Node *nodes;
	int used, levels;
};

/* A tree over the sorted keys from..to, `levels` high; its root's number. A key's record: its index. */
static int grow(Tree *tree, const int *keys, int from, int to, int levels)
{
	int number = tree->used++, share = 1;
	for (int i = 1; i < levels; i++)
		share *= FILLED;
	for (int i = 0; i <= ORDER; i++) {
		long at = from + (long)i * share;
		tree->nodes[number].keys[i] = at < to ? keys[at] : INT_MAX;
	}
	for (int i = 0; i < FILLED && from + (long)i * share < to; i++) {
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
	Arguments arguments = {argc, argv, "btree [keys [searches]]   (default 40000 keys, 4000 searches)"};
	int n = size_argument(arguments, 1, 40000, 1 << 22), searches = size_argument(arguments, 2, 4000, 1 << 20),
	    levels = 1;
	for (long reach = FILLED; reach < n; reach *= FILLED)
		levels++;
	int *keys = host_array<int>(n), *wanted = host_array<int>(searches), *values = host_array<int>(searches);
	unsigned seed = 23;
	for (int i = 0; i < n; i++)
		keys[i] = 3 * i + (int)(next_random(&seed) >> 4) % 3;
	for (int i = 0; i < searches; i++)
		wanted[i] = (int)(next_random(&seed) >> 4) % (3 * n - keys[0]) + keys[0];
	Tree tree = {host_array<Node>(n / FILLED + n / FILLED / FILLED + 2 + levels), 0, levels};
	grow(&tree, keys, 0, n, levels);
	int *records = host_array<int>(n);
	for (int i = 0; i < n; i++)
		records[i] = 7 * i;
	Place *places = host_array<Place>(searches);
	memset(places, 0, searches * sizeof *places);
	memset(values, -1, searches * sizeof *values);
	int *dvalues = device_copy(values, searches);

	find<<<searches, ORDER>>>(device_copy(tree.nodes, tree.used), tree.used, levels - 1, device_copy(places, searches),
				  device_copy(wanted, searches), device_copy(records, n), dvalues);
	CHECK_LAUNCH();

	for (int i = 0; i < searches; i++) {
		const int *found = (const int *)bsearch(&wanted[i], keys, n, sizeof *keys, by_value);
		values[i] = found ? records[found - keys] : -1;
	}
	Verdict verdict = {"btree", 0};
	compare(&verdict, "value", dvalues, values, searches);
	return conclude(verdict, "%d keys in %d nodes, %d levels, %d searches", n, tree.used, levels, searches);
}
