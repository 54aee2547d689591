/* Graph traversal on compressed rows and on lists of edges. */
extern "C" __global__ void bfs_level(int n, const int *start, const int *edge, int *level, int depth, int *changed)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n || level[v] != depth)
		return;
	for (int e = start[v]; e < start[v + 1]; e++)
		if (level[edge[e]] < 0) {
			level[edge[e]] = depth + 1;
			*changed = 1;
		}
}

extern "C" __global__ void bfs_queue(const int *queue, int count, const int *start, const int *edge, int *level, int *next, int *tail, int depth)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	int v = queue[i];
	for (int e = start[v]; e < start[v + 1]; e++) {
		int to = edge[e];
		if (atomicCAS(&level[to], -1, depth + 1) == -1)
			next[atomicAdd(tail, 1)] = to;
	}
}

extern "C" __global__ void bellman_ford(int edges, const int *from, const int *to, const float *weight, float *distance, int *changed)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e >= edges)
		return;
	float way = distance[from[e]] + weight[e];
	if (way < distance[to[e]]) {
		atomicMin((int *)&distance[to[e]], __float_as_int(way));
		*changed = 1;
	}
}

extern "C" __global__ void page_rank(int n, const int *start, const int *source, const int *degree, const float *rank, float *next, float damping)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	float sum = 0;
	for (int e = start[v]; e < start[v + 1]; e++) {
		int u = source[e];
		sum += rank[u] / degree[u];
	}
	next[v] = (1 - damping) / n + damping * sum;
}

extern "C" __global__ void components_hook(int edges, const int2 *edge, int *parent, int *changed)
{
	int e = blockIdx.x * blockDim.x + threadIdx.x;
	if (e >= edges)
		return;
	int a = parent[edge[e].x], b = parent[edge[e].y];
	if (a == b)
		return;
	int high = max(a, b), low = min(a, b);
	if (parent[high] == high) {
		parent[high] = low;
		*changed = 1;
	}
}

extern "C" __global__ void components_jump(int n, int *parent)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	int p = parent[v];
	while (p != parent[p])
		p = parent[p];
	parent[v] = p;
}

extern "C" __global__ void triangles(int n, const int *start, const int *edge, unsigned long long *count)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	unsigned long long found = 0;
	for (int e = start[v]; e < start[v + 1]; e++) {
		int u = edge[e], i = start[v], j = start[u];
		while (i < start[v + 1] && j < start[u + 1]) {
			int a = edge[i], b = edge[j];
			found += a == b && a > u;
			i += a <= b;
			j += b <= a;
		}
	}
	atomicAdd(count, found);
}

extern "C" __global__ void colour_independent(int n, const int *start, const int *edge, const unsigned *priority, int *colour, int round, int *left)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n || colour[v] >= 0)
		return;
	bool highest = true;
	for (int e = start[v]; e < start[v + 1] && highest; e++) {
		int u = edge[e];
		if (u != v && (colour[u] < 0 || colour[u] == round) && priority[u] > priority[v])
			highest = false;
	}
	if (highest)
		colour[v] = round;
	else
		*left = 1;
}

extern "C" __global__ void floyd_warshall(float *d, int n, int k)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < n && j < n)
		d[i * n + j] = fminf(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
