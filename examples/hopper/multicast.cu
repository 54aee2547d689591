/*
 * Products of the rows of one matrix by several vectors: the blocks of a cluster have a vector each and want the same tiles,
 * so each loads a quarter of a tile for all of them, and L2 is read once.
 * multicast [ROWS [COLUMNS [ALONE]]]: 1: each block loads all for itself
 */
#include "bulk.cuh"

#include <cooperative_groups.h>

enum { BLOCKS = 4, HEIGHT = 32, WIDTH = 64, PART = HEIGHT / BLOCKS, THREADS = HEIGHT * 4 };

__global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(THREADS)
	products(const __grid_constant__ CUtensorMap map, const float *vectors, float *results, int rows, int columns, bool alone)
{
	__shared__ alignas(128) float tile[HEIGHT][WIDTH];
	__shared__ barrier full;
	cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
	int rank = (int)cluster.block_rank(), first = (int)blockIdx.x / BLOCKS * HEIGHT;
	int row = (int)threadIdx.x / 4, part = (int)threadIdx.x % 4;
	float sum = 0;
	if (threadIdx.x == 0) {
		full.init(1);
		publish_barriers();
	}
	for (int column = 0, turn = 0; column < columns; column += WIDTH, turn++) {
		if (threadIdx.x == 0)
			full.expect(sizeof tile);
		cluster.sync(); /* all blocks have used the last tile, and expect this one */
		for (int i = 0; i < BLOCKS && threadIdx.x == 0; i++) {
			if (alone)
				load_box(tile[PART * i], map, column, first + PART * i, full);
			else if (i == rank)
				load_box(tile[PART * i], map, column, first + PART * i, full, (1 << BLOCKS) - 1);
		}
		full.wait(turn & 1);
		for (int x = part; x < WIDTH && column + x < columns; x += 4)
			sum += tile[row][x] * vectors[(size_t)rank * columns + column + x];
	}
	sum += __shfl_xor_sync(~0u, sum, 1);
	sum += __shfl_xor_sync(~0u, sum, 2);
	if (part == 0 && first + row < rows)
		results[(size_t)rank * rows + first + row] = sum;
	cluster.sync(); /* nobody ends while others' copies come */
}

int main(int argc, char **argv)
{
	int rows = argc > 1 ? atoi(argv[1]) : 100, columns = argc > 2 ? atoi(argv[2]) : 300, wrong = 0;
	bool alone = argc > 3 && atoi(argv[3]);
	int pitch = (columns + 3) / 4 * 4;
	float *matrix, *vectors, *results;
	cudaMallocManaged(&matrix, (size_t)rows * pitch * sizeof *matrix);
	cudaMallocManaged(&vectors, (size_t)BLOCKS * columns * sizeof *vectors);
	cudaMallocManaged(&results, (size_t)BLOCKS * rows * sizeof *results);
	for (int i = 0; i < rows * pitch; i++)
		matrix[i] = (float)(i % 7);
	for (int i = 0; i < BLOCKS * columns; i++)
		vectors[i] = (float)(i % 5);
	products<<<(rows + HEIGHT - 1) / HEIGHT * BLOCKS, THREADS>>>(matrix_map(matrix, rows, columns, pitch, WIDTH, PART), vectors, results, rows, columns, alone);
	cudaError_t error = cudaDeviceSynchronize();
	for (int v = 0; v < BLOCKS; v++)
		for (int y = 0; y < rows; y++) {
			float sum = 0;
			for (int x = 0; x < columns; x++)
				sum += matrix[(size_t)y * pitch + x] * vectors[(size_t)v * columns + x];
			wrong += results[(size_t)v * rows + y] != sum;
		}
	printf("products of %d rows of %d by %d vectors: %s\n", rows, columns, (int)BLOCKS, error ? cudaGetErrorString(error) : wrong ? "FAILED" : "PASSED");
	return error || wrong;
}
