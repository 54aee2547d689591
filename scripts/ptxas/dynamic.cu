/* Dynamic programming. */
extern "C" __global__ void smith_waterman(const char *a, const char *b, int *h, int n, int m, int diagonal, int match, int mismatch, int gap)
{
	int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = diagonal - i;
	if (i > n || j < 1 || j > m)
		return;
	int w = m + 1, score = a[i - 1] == b[j - 1] ? match : mismatch;
	int best = max(0, h[(i - 1) * w + j - 1] + score);
	best = max(best, max(h[(i - 1) * w + j] - gap, h[i * w + j - 1] - gap));
	h[i * w + j] = best;
}

extern "C" __global__ void needleman_wunsch(const int *reference, int *items, int n, int penalty, int diagonal)
{
	__shared__ int temp[17][17];
	int x = threadIdx.x, bx = blockIdx.x, by = diagonal - bx, base = (n + 1) * 16 * by + 16 * bx;
	int at = base + (n + 1) + x + 1;
	if (x == 0)
		temp[0][0] = items[base];
	temp[x + 1][0] = items[base + (n + 1) * (x + 1)];
	temp[0][x + 1] = items[base + x + 1];
	__syncthreads();
	for (int m = 0; m < 31; m++) {
		int i = x + 1, j = m - x + 1;
		if (j >= 1 && j <= 16)
			temp[j][i] = max(temp[j - 1][i - 1] + reference[base + (n + 1) * j + i], max(temp[j][i - 1], temp[j - 1][i]) - penalty);
		__syncthreads();
	}
	for (int y = 0; y < 16; y++)
		items[at + y * (n + 1)] = temp[y + 1][x + 1];
}

extern "C" __global__ void knapsack(const int *before, int *after, int capacity, int weight, int value)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c > capacity)
		return;
	int best = before[c];
	if (c >= weight)
		best = max(best, before[c - weight] + value);
	after[c] = best;
}

extern "C" __global__ void path_finder(const int *wall, const int *from, int *to, int columns, int row)
{
	__shared__ int before[256];
	int x = blockIdx.x * 254 + threadIdx.x - 1;
	before[threadIdx.x] = x >= 0 && x < columns ? from[x] : 0x7fffffff;
	__syncthreads();
	if (threadIdx.x > 0 && threadIdx.x < 255 && x < columns)
		to[x] = wall[row * columns + x] + min(before[threadIdx.x], min(before[threadIdx.x - 1], before[threadIdx.x + 1]));
}

extern "C" __global__ void edit_distance(const char *pattern, const char *text, int length, int count, int *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= count)
		return;
	int row[17];
	for (int j = 0; j <= 16; j++)
		row[j] = j;
	for (int i = 0; i < length; i++) {
		int diagonal = row[0];
		row[0] = i + 1;
		for (int j = 1; j <= 16; j++) {
			int cost = diagonal + (text[t * length + i] != pattern[j - 1]);
			diagonal = row[j];
			row[j] = min(cost, 1 + min(row[j], row[j - 1]));
		}
	}
	out[t] = row[16];
}

extern "C" __global__ void viterbi(const float *before, const float *transition, const float *emission, float *after, int *back, int states, int symbol)
{
	int s = blockIdx.x * blockDim.x + threadIdx.x;
	if (s >= states)
		return;
	float best = -1e30f;
	int from = 0;
	for (int p = 0; p < states; p++) {
		float score = before[p] + transition[p * states + s];
		if (score > best) {
			best = score;
			from = p;
		}
	}
	after[s] = best + emission[symbol * states + s];
	back[s] = from;
}

extern "C" __global__ void matrix_chain(const int *size, long long *cost, int n, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + length;
	if (j >= n)
		return;
	long long best = 1ll << 62;
	for (int k = i; k < j; k++)
		best = min(best, cost[i * n + k] + cost[(k + 1) * n + j] + (long long)size[i] * size[k + 1] * size[j + 1]);
	cost[i * n + j] = best;
}

extern "C" __global__ void binomial_option(float *out, const float *spot, const float *strike, float up, float down, float p, float discount, int steps)
{
	__shared__ float value[257];
	int j = threadIdx.x;
	float price = spot[blockIdx.x] * powf(up, (float)j) * powf(down, (float)(steps - j));
	value[j] = fmaxf(price - strike[blockIdx.x], 0.0f);
	__syncthreads();
	for (int s = steps; s > 0; s--) {
		float v = 0;
		if (j < s)
			v = discount * (p * value[j + 1] + (1 - p) * value[j]);
		__syncthreads();
		if (j < s)
			value[j] = v;
		__syncthreads();
	}
	if (j == 0)
		out[blockIdx.x] = value[0];
}
