/*
 * vertices: distances, components and page ranks of a random graph whose vertices and edges are objects, as engines for
 * graphs of any kind have them. In a sweep each vertex takes its next value from its neighbours' (next -> length, both
 * virtual); sweeps end when nothing has changed, or after a number of them.
 *
 * The check is exact: integers, and all values of a sweep are those of the one before.
 */
#include <vector>

#include "vertices.h"

#define BLOCK 128

__global__ void build_edges(Graph graph, EdgeSlot *slots, Edge **edges)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= 2 * graph.edges)
		return;
	int to = graph.to[i];
	edges[i] = make_edge(&slots[i], to, graph.first[to + 1] - graph.first[to], graph.weight[i]);
}

__global__ void build_vertices(Graph graph, int law, Edge *const *edges, VertexSlot *slots, Vertex **vertices, int *values)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= graph.nodes)
		return;
	vertices[i] = make_vertex(&slots[i], law, edges + graph.first[i], graph.first[i + 1] - graph.first[i]);
	values[i] = vertices[i]->begin(i);
}

__global__ void sweep(Vertex *const *vertices, const int *now, int *next, int n, int *changed)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	next[i] = vertices[i]->next(now, now[i]);
	if (next[i] != now[i])
		*changed = 1;
}

/* What one side has. */
struct Side {
	Graph graph;
	EdgeSlot *edge_slots;
	Edge **edges;
	VertexSlot *vertex_slots;
	Vertex **vertices;
	int *now, *next;
};

static void turn(Side *side)
{
	int *spare = side->now;
	side->now = side->next;
	side->next = spare;
}

static int run_on_device(Side *side, int law, int most)
{
	int n = side->graph.nodes, blocks = blocks_for(n, BLOCK), changed = 1, sweeps = 0;
	int *flag = device_array<int>(1);
	build_vertices<<<blocks, BLOCK>>>(side->graph, law, side->edges, side->vertex_slots, side->vertices, side->now);
	for (; changed && sweeps < most; sweeps++, turn(side)) {
		CHECK(cudaMemset(flag, 0, sizeof changed));
		sweep<<<blocks, BLOCK>>>(side->vertices, side->now, side->next, n, flag);
		CHECK_LAUNCH();
		copy_back(&changed, flag, 1);
	}
	CHECK(cudaFree(flag));
	return sweeps;
}

static int run_on_host(Side *side, int law, int most)
{
	const Graph &graph = side->graph;
	for (int i = 0; i < graph.nodes; i++) {
		side->vertices[i] = make_vertex(&side->vertex_slots[i], law, side->edges + graph.first[i],
						graph.first[i + 1] - graph.first[i]);
		side->now[i] = side->vertices[i]->begin(i);
	}
	int sweeps = 0;
	for (bool changed = true; changed && sweeps < most; sweeps++, turn(side)) {
		changed = false;
		for (int i = 0; i < graph.nodes; i++) {
			side->next[i] = side->vertices[i]->next(side->now, side->now[i]);
			changed |= side->next[i] != side->now[i];
		}
	}
	return sweeps;
}

static Side host_side(const Graph &graph)
{
	Side side = {graph, host_array<EdgeSlot>(2 * graph.edges), host_array<Edge *>(2 * graph.edges),
		     host_array<VertexSlot>(graph.nodes), host_array<Vertex *>(graph.nodes),
		     host_array<int>(graph.nodes), host_array<int>(graph.nodes)};
	for (int i = 0; i < 2 * graph.edges; i++) {
		int to = graph.to[i];
		side.edges[i] = make_edge(&side.edge_slots[i], to, graph.first[to + 1] - graph.first[to], graph.weight[i]);
	}
	return side;
}

static Side device_side(const Graph &graph)
{
	Side side = {graph, device_array<EdgeSlot>(2 * graph.edges), device_array<Edge *>(2 * graph.edges),
		     device_array<VertexSlot>(graph.nodes), device_array<Vertex *>(graph.nodes),
		     device_array<int>(graph.nodes), device_array<int>(graph.nodes)};
	build_edges<<<blocks_for(2 * graph.edges, BLOCK), BLOCK>>>(graph, side.edge_slots, side.edges);
	return side;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"distance", "component", "rank"};
	Arguments arguments = {argc, argv, "vertices [vertices [edges at one [sweeps]]]   (default 7168, 6, 6 at most)"};
	int n = size_argument(arguments, 1, 7168, 1 << 22), degree = size_argument(arguments, 2, 6, 64);
	int most = size_argument(arguments, 3, 6, 1000), sweeps = 0;
	Graph graph = random_graph(n, degree, n / 4 + 1);
	Side host = host_side(graph), device = device_side(graph_to_device(graph));
	Verdict verdict = {"vertices"};
	std::vector<int> got(n);
	for (int law = 0; law < LAWS; law++) {
		int done = run_on_device(&device, law, most), want = run_on_host(&host, law, most);
		copy_back(got.data(), device.now, n);
		sweeps += done;
		if (done != want)
			differs(&verdict, "%s: %d sweeps, not %d", names[law], done, want);
		for (int i = 0; i < n; i++)
			if (got[i] != host.now[i])
				differs(&verdict, "%s of vertex %d: %d, not %d", names[law], i, got[i], host.now[i]);
	}
	return conclude(verdict, "%d vertices, %d edges, %d sweeps", n, graph.edges, sweeps);
}
