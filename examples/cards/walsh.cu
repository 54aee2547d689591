/*
 * walsh: the fast Walsh transform, four elements a thread and turn, in global memory until what is left of it fits in a
 * block's shared memory; grids and blocks as CUDA's sample of that transform has them.
 */
#include "../calls/common.h"

#define SHARED_LOG 11 /* elements that a block transforms in shared memory */

__device__ __host__ inline void butterfly(float *a, float *b, float *c, float *d)
{
	float ac = *a + *c, bd = *b + *d, a_c = *a - *c, b_d = *b - *d;
	*a = ac + bd, *b = ac - bd, *c = a_c + b_d, *d = a_c - b_d;
}

/* One step of four elements that are `stride` apart, in parts of 4 * stride. */
__global__ void walsh_global(float *to, const float *from, int stride)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x, part = gridDim.x * blockDim.x * 4;
	from += blockIdx.y * part;
	to += blockIdx.y * part;
	int low = at & (stride - 1), i = ((at - low) << 2) + low;
	float a = from[i], b = from[i + stride], c = from[i + 2 * stride], d = from[i + 3 * stride];
	butterfly(&a, &b, &c, &d);
	to[i] = a, to[i + stride] = b, to[i + 2 * stride] = c, to[i + 3 * stride] = d;
}

/* All steps of a block's 1 << `log` elements. */
__global__ void walsh_shared(float *to, const float *from, int log)
{
	extern __shared__ float part[];
	int count = 1 << log, base = blockIdx.x << log;
	for (int i = threadIdx.x; i < count; i += blockDim.x)
		part[i] = from[base + i];
	int at = threadIdx.x;
	for (int stride = count >> 2; stride > 0; stride >>= 2) {
		int low = at & (stride - 1), i = ((at - low) << 2) + low;
		__syncthreads();
		float a = part[i], b = part[i + stride], c = part[i + 2 * stride], d = part[i + 3 * stride];
		butterfly(&a, &b, &c, &d);
		part[i] = a, part[i + stride] = b, part[i + 2 * stride] = c, part[i + 3 * stride] = d;
	}
	if (log & 1) {
		__syncthreads();
		for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {
			float a = part[2 * i], b = part[2 * i + 1];
			part[2 * i] = a + b, part[2 * i + 1] = a - b;
		}
	}
	__syncthreads();
	for (int i = threadIdx.x; i < count; i += blockDim.x)
		to[base + i] = part[i];
}

static void on_host(float *data, size_t count)
{
	for (size_t stride = count / 2; stride > 0; stride /= 2)
		for (size_t base = 0; base < count; base += 2 * stride)
			for (size_t i = base; i < base + stride; i++) {
				float a = data[i], b = data[i + stride];
				data[i] = a + b, data[i + stride] = a - b;
			}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "walsh [log2 of the elements]   (11 to 26, default 18)"};
	int log = size_argument(arguments, 1, 18, 26), left = log < SHARED_LOG ? SHARED_LOG : log;
	size_t count = (size_t)1 << left;
	float *data = host_array<float>(count);
	unsigned seed = 1;
	for (size_t i = 0; i < count; i++) /* whole numbers, whose sums have no rounding */
		data[i] = (float)(int)(next_random(&seed) >> 29) - 3;
	float *ddata = device_copy(data, count);

	int parts = 1;
	for (; left > SHARED_LOG; left -= 2, parts *= 4)
		walsh_global<<<dim3((1u << left) / 4 / 256, parts), 256>>>(ddata, ddata, (1 << left) / 4);
	walsh_shared<<<parts, (1 << left) / 4, sizeof(float) << left>>>(ddata, ddata, left);
	CHECK_LAUNCH();

	on_host(data, count);
	Verdict verdict = {"walsh", 0};
	float *got = host_array<float>(count);
	copy_back(got, ddata, count);
	for (size_t i = 0; i < count; i++)
		if (got[i] != data[i])
			differs(&verdict, "data[%zu] = %g, not %g", i, got[i], data[i]);
	return conclude(verdict, "%zu elements", count);
}
