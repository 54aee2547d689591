/*
 * bfs: breadth-first search of a random graph from vertex 0, one launch a level. A thread takes one vertex of the
 * frontier, claims its unvisited neighbours with a compare-and-swap, and appends them to the next frontier. Degrees
 * differ from vertex to vertex, so the lanes of a warp loop unequally and their loads scatter.
 *
 * The check is exact: the order in a frontier depends on timing, but the distance of each vertex does not.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 128
#define UNSEEN (-1)

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bfs.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: bfs [vertices [edges a vertex]]   (default 131072 vertices, 6 edges)\n";

/* The i-th argument as a number from 1 to `most`, or `fallback` where it is left out. */
static int size_argument(int argc, char **argv, int i, int fallback, long most)
{
	if (argc <= i)
		return fallback;
	char *end;
	long value = strtol(argv[i], &end, 10);
	if (*argv[i] != '\0' && *end == '\0' && value >= 1 && value <= most)
		return (int)value;
	bool help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
	fputs(usage, help ? stdout : stderr);
	exit(help ? 0 : 2);
}

__global__ void expand(const int *row, const int *neighbour, int *distance, int level, const int *frontier, int size,
		       int *next, int *next_size)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= size)
		return;
	int v = frontier[i];
	for (int e = row[v]; e < row[v + 1]; e++) {
		int u = neighbour[e];
		if (distance[u] != UNSEEN)
			continue;
		if (atomicCAS(&distance[u], UNSEEN, level) == UNSEEN)
			next[atomicAdd(next_size, 1)] = u;
	}
}

/* A graph in compressed rows: the neighbours of v are neighbour[row[v] .. row[v + 1] - 1]. */
static void make_graph(int vertices, int degree, int *row, int *neighbour)
{
	unsigned int seed = 42;
	int edges = 0;
	for (int v = 0; v < vertices; v++) {
		row[v] = edges;
		seed = seed * 1664525u + 1013904223u;
		int count = (seed >> 16) % (2 * degree + 1); /* 0 to twice the average */
		for (int e = 0; e < count; e++) {
			seed = seed * 1664525u + 1013904223u;
			neighbour[edges++] = (seed >> 8) % vertices;
		}
	}
	row[vertices] = edges;
}

static void search_on_host(int vertices, const int *row, const int *neighbour, int *distance, int *queue)
{
	for (int v = 0; v < vertices; v++)
		distance[v] = UNSEEN;
	int head = 0, tail = 0;
	distance[0] = 0;
	for (queue[tail++] = 0; head < tail; head++) {
		int v = queue[head];
		for (int e = row[v]; e < row[v + 1]; e++) {
			int u = neighbour[e];
			if (distance[u] != UNSEEN)
				continue;
			distance[u] = distance[v] + 1;
			queue[tail++] = u;
		}
	}
}

int main(int argc, char **argv)
{
	int n = size_argument(argc, argv, 1, 131072, 1 << 24);
	int degree = size_argument(argc, argv, 2, 6, 32);
	size_t bytes = n * sizeof(int);
	int *row = (int *)malloc(bytes + sizeof(int)), *neighbour = (int *)malloc(bytes * 2 * degree);
	int *want = (int *)malloc(bytes), *got = (int *)malloc(bytes);
	if (!row || !neighbour || !want || !got)
		return fputs("bfs: out of memory\n", stderr), 1;
	make_graph(n, degree, row, neighbour);
	search_on_host(n, row, neighbour, want, got);

	int *drow, *dneighbour, *ddistance, *dfrontier, *dnext, *dsize;
	CHECK(cudaMalloc(&drow, bytes + sizeof(int)));
	CHECK(cudaMalloc(&dneighbour, bytes * 2 * degree));
	CHECK(cudaMalloc(&ddistance, bytes));
	CHECK(cudaMalloc(&dfrontier, bytes));
	CHECK(cudaMalloc(&dnext, bytes));
	CHECK(cudaMalloc(&dsize, sizeof(int)));
	CHECK(cudaMemcpy(drow, row, bytes + sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dneighbour, neighbour, row[n] * sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(ddistance, 0xff, bytes)); /* UNSEEN */
	CHECK(cudaMemset(ddistance, 0, sizeof(int)));
	CHECK(cudaMemset(dfrontier, 0, sizeof(int)));

	int level = 0;
	for (int size = 1; size > 0;) {
		CHECK(cudaMemset(dsize, 0, sizeof(int)));
		expand<<<(size + BLOCK - 1) / BLOCK, BLOCK>>>(drow, dneighbour, ddistance, ++level, dfrontier, size,
							      dnext, dsize);
		CHECK(cudaGetLastError());
		CHECK(cudaMemcpy(&size, dsize, sizeof(int), cudaMemcpyDeviceToHost));
		int *swap = dfrontier;
		dfrontier = dnext;
		dnext = swap;
	}
	CHECK(cudaMemcpy(got, ddistance, bytes, cudaMemcpyDeviceToHost));

	int wrong = 0, reached = 0;
	for (int v = 0; v < n; v++) {
		reached += want[v] != UNSEEN;
		if (got[v] != want[v] && wrong++ == 0)
			printf("vertex %d is at distance %d, not %d\n", v, got[v], want[v]);
	}
	printf("bfs: %s (%d vertices, %d edges, %d reached in %d levels, %d wrong)\n", wrong ? "FAILED" : "PASSED", n,
	       row[n], reached, level, wrong);

	int *device[] = {drow, dneighbour, ddistance, dfrontier, dnext, dsize};
	for (int *memory : device)
		CHECK(cudaFree(memory));
	free(row);
	free(neighbour);
	free(want);
	free(got);
	return wrong != 0;
}
