/*
 * sssp: shortest paths from node 0 in a random graph, after Bellman and Ford: in each round the nodes whose distance
 * improved in the one before offer their neighbours a way. Calls: relax_node -> activate -> count_changes.
 *
 * The check is exact, against Dijkstra's algorithm on the host.
 */
#include <queue>
#include <vector>

#include "sssp.h"

#define BLOCK 128

__global__ void relax(Graph graph, Round round)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= graph.nodes || !round.active[i])
		return;
	round.active[i] = 0;
	relax_node(graph, round, i);
}

static void dijkstra(const Graph &graph, int *distance)
{
	typedef std::pair<int, int> Entry; /* distance, node */
	std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
	for (int i = 0; i < graph.nodes; i++)
		distance[i] = FAR;
	distance[0] = 0;
	queue.push(Entry(0, 0));
	while (!queue.empty()) {
		Entry entry = queue.top();
		queue.pop();
		if (entry.first > distance[entry.second])
			continue;
		for (int e = graph.first[entry.second]; e < graph.first[entry.second + 1]; e++) {
			int offer = entry.first + graph.weight[e];
			if (offer >= distance[graph.to[e]])
				continue;
			distance[graph.to[e]] = offer;
			queue.push(Entry(offer, graph.to[e]));
		}
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "sssp [nodes [edges at a node]]   (default 16384 nodes, 8)"};
	int n = size_argument(arguments, 1, 16384, 1 << 24);
	int degree = size_argument(arguments, 2, 8, 64), rounds = 0, changes;
	Graph graph = random_graph(n, degree, n / 4 + 1), device = graph_to_device(graph);
	int *got = host_array<int>(n), *want = host_array<int>(n);
	for (int i = 1; i < n; i++)
		got[i] = FAR;
	Round round = {device_copy(got, n), device_array<unsigned char>(n), device_array<unsigned char>(n),
		       device_array<int>(1)};
	CHECK(cudaMemset(round.active, 1, 1));

	do {
		CHECK(cudaMemset(round.changes, 0, sizeof changes));
		relax<<<blocks_for(n, BLOCK), BLOCK>>>(device, round);
		CHECK_LAUNCH();
		copy_back(&changes, round.changes, 1);
		unsigned char *spare = round.active;
		round.active = round.next;
		round.next = spare;
		rounds++;
	} while (changes);
	copy_back(got, round.distance, n);

	dijkstra(graph, want);
	Verdict verdict = {"sssp"};
	for (int i = 0; i < n; i++)
		if (got[i] != want[i])
			differs(&verdict, "node %d is at distance %d, not %d", i, got[i], want[i]);
	CHECK(cudaFree(round.distance));
	CHECK(cudaFree(round.active));
	CHECK(cudaFree(round.next));
	CHECK(cudaFree(round.changes));
	free_graphs(&graph, &device);
	free(got);
	free(want);
	return conclude(verdict, "%d nodes, %d edges, %d rounds", n, graph.edges, rounds);
}
