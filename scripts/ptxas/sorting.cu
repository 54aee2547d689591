/* Sorting, scanning and searching. */
extern "C" __global__ void bitonic_step(int *data, int n, int j, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
	if (i >= n || other <= i)
		return;
	int a = data[i], b = data[other];
	if ((i & k) == 0 ? a > b : a < b) {
		data[i] = b;
		data[other] = a;
	}
}

extern "C" __global__ void bitonic_shared(unsigned *key, unsigned *value)
{
	__shared__ unsigned k[512], v[512];
	int t = threadIdx.x, base = blockIdx.x * 512;
	k[t] = key[base + t], k[t + 256] = key[base + t + 256];
	v[t] = value[base + t], v[t + 256] = value[base + t + 256];
	for (int size = 2; size <= 512; size *= 2)
		for (int stride = size / 2; stride; stride /= 2) {
			__syncthreads();
			int at = 2 * t - (t & (stride - 1));
			bool down = (2 * t & size) != 0;
			if ((k[at] > k[at + stride]) != down) {
				unsigned x = k[at], y = v[at];
				k[at] = k[at + stride], v[at] = v[at + stride];
				k[at + stride] = x, v[at + stride] = y;
			}
		}
	__syncthreads();
	key[base + t] = k[t], key[base + t + 256] = k[t + 256];
	value[base + t] = v[t], value[base + t + 256] = v[t + 256];
}

extern "C" __global__ void scan_block(const int *in, int *out, int *sums, int n)
{
	__shared__ int x[512];
	int t = threadIdx.x, i = blockIdx.x * 512 + t;
	x[t] = i < n ? in[i] : 0;
	for (int d = 1; d < 512; d *= 2) {
		__syncthreads();
		int add = t >= d ? x[t - d] : 0;
		__syncthreads();
		x[t] += add;
	}
	if (i < n)
		out[i] = x[t];
	if (t == 511)
		sums[blockIdx.x] = x[511];
}

extern "C" __global__ void scan_work_efficient(int *data)
{
	__shared__ int x[1024];
	int t = threadIdx.x, base = blockIdx.x * 1024, offset = 1;
	x[2 * t] = data[base + 2 * t], x[2 * t + 1] = data[base + 2 * t + 1];
	for (int d = 512; d > 0; d >>= 1, offset *= 2) {
		__syncthreads();
		if (t < d)
			x[offset * (2 * t + 2) - 1] += x[offset * (2 * t + 1) - 1];
	}
	if (t == 0)
		x[1023] = 0;
	for (int d = 1; d < 1024; d *= 2) {
		offset >>= 1;
		__syncthreads();
		if (t < d) {
			int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1, old = x[a];
			x[a] = x[b];
			x[b] += old;
		}
	}
	__syncthreads();
	data[base + 2 * t] = x[2 * t], data[base + 2 * t + 1] = x[2 * t + 1];
}

extern "C" __global__ void radix_count(const unsigned *key, int n, int shift, unsigned *counts)
{
	__shared__ unsigned bins[16];
	if (threadIdx.x < 16)
		bins[threadIdx.x] = 0;
	__syncthreads();
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&bins[key[i] >> shift & 15], 1);
	__syncthreads();
	if (threadIdx.x < 16)
		counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void binary_search(const float *sorted, int n, const float *wanted, int *at, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	int low = 0, high = n;
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (sorted[middle] < wanted[i])
			low = middle + 1;
		else
			high = middle;
	}
	at[i] = low;
}

extern "C" __global__ void merge_path(const int *a, int na, const int *b, int nb, int *out, int part)
{
	int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * part;
	if (diagonal >= na + nb)
		return;
	int low = max(0, diagonal - nb), high = min(diagonal, na);
	while (low < high) {
		int middle = (low + high) / 2;
		if (a[middle] <= b[diagonal - 1 - middle])
			low = middle + 1;
		else
			high = middle;
	}
	int i = low, j = diagonal - low;
	for (int k = 0; k < part && diagonal + k < na + nb; k++)
		out[diagonal + k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

extern "C" __global__ void compact(const int *in, int n, const int *offset, int *out, int threshold)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool keep = i < n && in[i] > threshold;
	unsigned ballot = __ballot_sync(0xffffffff, keep);
	if (keep)
		out[offset[i / 32] + __popc(ballot & ((1u << threadIdx.x % 32) - 1))] = in[i];
}

extern "C" __global__ void reduce_max(const float *in, int n, float *out, int *where)
{
	float best = -1e38f;
	int at = -1;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (in[i] > best) {
			best = in[i];
			at = i;
		}
	for (int o = 16; o; o /= 2) {
		float other = __shfl_down_sync(0xffffffff, best, o);
		int from = __shfl_down_sync(0xffffffff, at, o);
		if (other > best) {
			best = other;
			at = from;
		}
	}
	if (threadIdx.x % 32 == 0) {
		int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
		out[warp] = best;
		where[warp] = at;
	}
}
