/*
 * A matrix transposed by copies of boxes: tiles of 32 by 32 come with swizzled rows, so that a column of a tile is in
 * different banks, and go with swizzled rows.
 * transpose [ROWS [COLUMNS [SWIZZLE]]]: 0: rows as they are, with conflicts of banks
 */
#include "bulk.cuh"

enum { SIDE = 32, THREADS = 256 };

template <bool Swizzle> __device__ float &element(float *tile, int y, int x)
{
	unsigned byte = (unsigned)(y * SIDE + x) * 4;
	return tile[(Swizzle ? swizzled(byte) : byte) / 4];
}

template <bool Swizzle> __global__ void __launch_bounds__(THREADS)
	transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out)
{
	__shared__ alignas(1024) float from[SIDE * SIDE], to[SIDE * SIDE];
	__shared__ barrier full;
	if (threadIdx.x == 0) {
		full.init(1);
		publish_barriers();
		full.expect(sizeof from);
		load_box(from, in, blockIdx.x * SIDE, blockIdx.y * SIDE, full);
	}
	__syncthreads(); /* the barrier is there */
	full.wait(0);
	for (int i = threadIdx.x; i < SIDE * SIDE; i += THREADS)
		element<Swizzle>(to, i / SIDE, i % SIDE) = element<Swizzle>(from, i % SIDE, i / SIDE);
	publish_stores();
	__syncthreads();
	if (threadIdx.x == 0) {
		store_box(out, blockIdx.y * SIDE, blockIdx.x * SIDE, to);
		end_group();
		wait_stores();
	}
}

int main(int argc, char **argv)
{
	int rows = argc > 1 ? atoi(argv[1]) : 200, columns = argc > 2 ? atoi(argv[2]) : 300;
	bool swizzle = argc <= 3 || atoi(argv[3]);
	int in_pitch = (columns + 3) / 4 * 4, out_pitch = (rows + 3) / 4 * 4;
	float *in, *out;
	cudaMallocManaged(&in, (size_t)rows * in_pitch * sizeof *in);
	cudaMallocManaged(&out, (size_t)columns * out_pitch * sizeof *out);
	for (int i = 0; i < rows * in_pitch; i++)
		in[i] = (float)i;
	CUtensorMapSwizzle how = swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
	dim3 grid((columns + SIDE - 1) / SIDE, (rows + SIDE - 1) / SIDE);
	auto *kernel = swizzle ? transpose<true> : transpose<false>;
	kernel<<<grid, THREADS>>>(matrix_map(in, rows, columns, in_pitch, SIDE, SIDE, how), matrix_map(out, columns, rows, out_pitch, SIDE, SIDE, how));
	cudaError_t error = cudaDeviceSynchronize();
	int wrong = 0;
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < columns; x++)
			wrong += out[(size_t)x * out_pitch + y] != in[(size_t)y * in_pitch + x];
	printf("transpose of %d x %d: %s\n", rows, columns, error ? cudaGetErrorString(error) : wrong ? "FAILED" : "PASSED");
	return error || wrong;
}
