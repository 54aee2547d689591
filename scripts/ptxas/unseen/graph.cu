/* Graph traversal. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void bottom_up(int n, const int *start, const int *edge, const unsigned *frontier, unsigned *next, int *parent)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n || parent[v] >= 0)
		return;
	for (int e = start[v]; e < start[v + 1]; e++) {
		int u = edge[e];
		if (frontier[u / 32] >> u % 32 & 1) {
			parent[v] = u;
			atomicOr(&next[v / 32], 1u << v % 32);
			break;
		}
	}
}

extern "C" __global__ void delta_relax(const int *bucket, int count, const int *start, const int2 *edge, int *distance, int *out, int *tail, int delta)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	int v = bucket[i], d = distance[v];
	for (int e = start[v]; e < start[v + 1]; e++) {
		int2 to = edge[e];
		if (to.y > delta)
			continue;
		if (d + to.y < atomicMin(&distance[to.x], d + to.y))
			out[atomicAdd(tail, 1)] = to.x;
	}
}

extern "C" __global__ void betweenness(int n, const int *start, const int *edge, const int *level, const float *paths, float *delta, float *centrality, int depth)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n || level[v] != depth)
		return;
	float sum = 0;
	for (int e = start[v]; e < start[v + 1]; e++) {
		int u = edge[e];
		if (level[u] == depth + 1)
			sum += paths[v] / paths[u] * (1 + delta[u]);
	}
	delta[v] = sum;
	centrality[v] += sum;
}

extern "C" __global__ void lightest_edge(int n, const int *start, const int *edge, const int *weight, const int *component, unsigned long long *best)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	unsigned long long least = ~0ull;
	for (int e = start[v]; e < start[v + 1]; e++)
		if (component[edge[e]] != component[v])
			least = min(least, (unsigned long long)weight[e] << 32 | e);
	if (least != ~0ull)
		atomicMin(&best[component[v]], least);
}
