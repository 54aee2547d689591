/* Sorting, scanning and searching. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void odd_even(float *data, int n, int phase)
{
	int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
	if (i + 1 < n) {
		float a = data[i], b = data[i + 1];
		data[i] = fminf(a, b);
		data[i + 1] = fmaxf(a, b);
	}
}

extern "C" __global__ void radix_scatter(const unsigned *key, const unsigned *value, int n, int shift, unsigned *next, unsigned *key_out, unsigned *value_out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned digit = key[i] >> shift & 255, at = atomicAdd(&next[digit], 1);
	key_out[at] = key[i];
	value_out[at] = value[i];
}

extern "C" __global__ void rank_sort(const double *in, double *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, rank = 0;
	if (i >= n)
		return;
	double x = in[i];
	for (int j = 0; j < n; j++)
		rank += in[j] < x || (in[j] == x && j < i);
	out[rank] = x;
}

extern "C" __global__ void segmented_sum(const float *in, const int *head, int n, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
	float sum = i < n ? in[i] : 0;
	bool flag = i >= n || head[i] || lane == 0;
	for (int d = 1; d < 32; d *= 2) {
		float before = __shfl_up_sync(0xffffffff, sum, d);
		bool closed = __shfl_up_sync(0xffffffff, flag, d);
		if (!flag && lane >= d) {
			sum += before;
			flag = closed;
		}
	}
	if (i < n)
		out[i] = sum;
}

extern "C" __global__ void top_k(const float *in, int n, float *out)
{
	float best[8];
	for (int k = 0; k < 8; k++)
		best[k] = -1e38f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float x = in[i];
		for (int k = 0; k < 8; k++)
			if (x > best[k]) {
				float y = best[k];
				best[k] = x;
				x = y;
			}
	}
	for (int k = 0; k < 8; k++)
		out[(blockIdx.x * blockDim.x + threadIdx.x) * 8 + k] = best[k];
}
