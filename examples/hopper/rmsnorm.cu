/*
 * A layer's normalisation and its product in one kernel: rows of bfloats are divided by the root of their mean square, and
 * multiplied by a matrix, into which the normalisation's weights have gone. The division is of whole rows, so that it can wait
 * until the product is done; the squares are added up from the tiles in shared memory beside the products of the tensor cores.
 * Tiles of 128 by 128, a ring of copies, two warpgroups that multiply.
 * rmsnorm [ROWS [COLUMNS [DEPTH]]]
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bulk.cuh"
#include "products.cuh"

enum { SIDE = 128, DEPTH = 64, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS), STAGES = 4, TILE_BYTES = SIDE * DEPTH * 2 };
static constexpr float EPSILON = 1e-5f;

struct memory {
	uint8_t a[STAGES][TILE_BYTES], b[STAGES][TILE_BYTES];
	barrier full[STAGES], empty[STAGES];
	float factors[SIDE]; /* of rows */
};

/* Of a half of one row, 32 numbers, in 64 rows of 128 bytes. */
static __device__ __forceinline__ float squares(const uint8_t *tile, unsigned row, unsigned half)
{
	float sum = 0;
#pragma unroll
	for (unsigned chunk = 0; chunk < 4; chunk++) {
		uint4 words = *(const uint4 *)(tile + swizzled(row * 128 + half * 64 + chunk * 16));
		const __nv_bfloat162 *pairs = (const __nv_bfloat162 *)&words;
#pragma unroll
		for (int i = 0; i < 4; i++) {
			float2 both = __bfloat1622float2(pairs[i]);
			sum += both.x * both.x + both.y * both.y;
		}
	}
	return sum;
}

static __device__ void produce(memory *m, const CUtensorMap &a, const CUtensorMap &b, int steps)
{
	for (int k = 0; k < steps; k++) {
		unsigned slot = k % STAGES;
		m->empty[slot].wait((k / STAGES & 1) ^ 1);
		m->full[slot].expect(2 * TILE_BYTES);
		load_box(m->a[slot], a, k * DEPTH, blockIdx.y * SIDE, m->full[slot]);
		load_box(m->b[slot], b, k * DEPTH, blockIdx.x * SIDE, m->full[slot]);
	}
}

static __device__ void consume(memory *m, __nv_bfloat16 *c, int columns, int steps)
{
	unsigned half = threadIdx.x / 128 - 1, lane = threadIdx.x % 128;
	float d[64], sum = 0;
	for (int k = 0; k < steps; k++) {
		unsigned slot = k % STAGES;
		const uint8_t *rows = m->a[slot] + half * (TILE_BYTES / CONSUMERS);
		m->full[slot].wait(k / STAGES & 1);
		multiply_tiles<bfloats>(d, (uint32_t)__cvta_generic_to_shared(rows), (uint32_t)__cvta_generic_to_shared(m->b[slot]), k);
		sum += squares(rows, lane / 2, lane % 2); /* beside the products */
		wait_products<0>();
		m->empty[slot].arrive(); /* each thread: it has read its half row */
	}
	sum += __shfl_xor_sync(~0u, sum, 1);
	float *factors = m->factors + half * 64;
	if (lane % 2 == 0)
		factors[lane / 2] = rsqrtf(sum / (float)(steps * DEPTH) + EPSILON);
	asm volatile("bar.sync %0, 128;" ::"r"(1 + half) : "memory");
	float high = factors[own_row()], low = factors[own_row() + 8];
#pragma unroll
	for (int i = 0; i < 64; i++)
		d[i] *= i / 2 % 2 ? low : high;
	store_sums(d, c + ((size_t)blockIdx.y * SIDE + half * 64) * columns + blockIdx.x * SIDE, columns);
}

extern __shared__ __align__(1024) uint8_t shared[];

__global__ void __launch_bounds__(THREADS, 1) normalise(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
							 __nv_bfloat16 *c, int columns, int steps)
{
	memory *m = (memory *)shared;
	if (threadIdx.x == 0) {
		for (int i = 0; i < STAGES; i++) {
			m->full[i].init(1);
			m->empty[i].init(128 * CONSUMERS);
		}
		publish_barriers();
	}
	__syncthreads();
	if (threadIdx.x >= 128)
		consume(m, c, columns, steps);
	else if (threadIdx.x == 0)
		produce(m, a, b, steps);
}

int main(int argc, char **argv)
{
	int rows = argc > 1 ? atoi(argv[1]) : 512, columns = argc > 2 ? atoi(argv[2]) : 512, depth = argc > 3 ? atoi(argv[3]) : 512;
	if (rows <= 0 || rows % SIDE || columns <= 0 || columns % SIDE || depth <= 0 || depth % DEPTH) {
		fprintf(stderr, "rmsnorm [ROWS [COLUMNS [DEPTH]]]: rows and columns are multiples of %d, depth of %d\n", SIDE, DEPTH);
		return 2;
	}
	std::vector<__nv_bfloat16> x((size_t)rows * depth), w((size_t)columns * depth), out((size_t)rows * columns);
	unsigned state = 1;
	for (size_t i = 0; i < x.size() + w.size(); i++) {
		state = state * 1664525 + 1013904223;
		float value = (float)(int)(state >> 28) / 8 - 1;
		if (i < x.size()) /* rows of unlike size */
			x[i] = __float2bfloat16(value * (float)(1 << i / depth % 4));
		else
			w[i - x.size()] = __float2bfloat16(value);
	}
	__nv_bfloat16 *device_x, *device_w, *device_out;
	cudaMalloc(&device_x, x.size() * sizeof x[0]);
	cudaMalloc(&device_w, w.size() * sizeof w[0]);
	cudaMalloc(&device_out, out.size() * sizeof out[0]);
	cudaMemcpy(device_x, x.data(), x.size() * sizeof x[0], cudaMemcpyHostToDevice);
	cudaMemcpy(device_w, w.data(), w.size() * sizeof w[0], cudaMemcpyHostToDevice);
	CUtensorMap x_map = factor_map(device_x, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rows, depth, SIDE);
	CUtensorMap w_map = factor_map(device_w, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, columns, depth, SIDE);
	cudaFuncSetAttribute(normalise, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(memory));
	normalise<<<dim3(columns / SIDE, rows / SIDE), THREADS, sizeof(memory)>>>(x_map, w_map, device_out, columns, depth / DEPTH);
	cudaError_t error = cudaDeviceSynchronize();
	cudaMemcpy(out.data(), device_out, out.size() * sizeof out[0], cudaMemcpyDeviceToHost);
	int wrong = 0;
	for (int i = 0; i < 4096; i++) {
		state = state * 1664525 + 1013904223;
		size_t row = (state >> 8) % rows, column = (state >> 16) * 7 % columns;
		double sum = 0, square = 0;
		for (int k = 0; k < depth; k++) {
			double value = __bfloat162float(x[row * depth + k]);
			square += value * value;
			sum += value * __bfloat162float(w[column * depth + k]);
		}
		double right = sum / sqrt(square / depth + EPSILON);
		/* Rounded once to a bfloat, after some roundings of single precision. */
		wrong += !(fabs(__bfloat162float(out[row * columns + column]) - right) <= fabs(right) * (1.01 / 256));
	}
	printf("rmsnorm: %d rows by %d columns by %d, %d of 4096 elements are wrong, %s\n", rows, columns, depth, wrong, cudaGetErrorName(error));
	return wrong || error != cudaSuccess;
}
