/*
 * A five-point stencil by boxes with a rim: a copy brings a tile and the elements around it, zeros where the matrix ends,
 * and another copy takes the result away. Two tiles are under way: while one is computed, the next one comes.
 * stencil [ROWS [COLUMNS [BLOCKS]]]
 */
#include "bulk.cuh"

#include <vector>

enum { WIDTH = 64, HEIGHT = 8, RIM_WIDTH = WIDTH + 8, THREADS = 128, STAGES = 2 };
enum { IN_BYTES = RIM_WIDTH * (HEIGHT + 2) * 4 };

struct stage {
	alignas(128) float in[HEIGHT + 2][RIM_WIDTH]; /* columns -4 to WIDTH + 3, so that rows are multiples of 16 bytes */
	alignas(128) float out[HEIGHT][WIDTH];
};

__global__ void __launch_bounds__(THREADS)
	stencil(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int tiles_x, int tiles)
{
	__shared__ stage stages[STAGES];
	__shared__ barrier full[STAGES];
	auto fetch = [&](int tile, int s) {
		full[s].expect(IN_BYTES);
		load_box(stages[s].in, in, tile % tiles_x * WIDTH - 4, tile / tiles_x * HEIGHT - 1, full[s]);
	};
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++)
			full[s].init(1);
		publish_barriers();
		if ((int)blockIdx.x < tiles)
			fetch(blockIdx.x, 0);
	}
	__syncthreads();
	for (int tile = blockIdx.x, turn = 0; tile < tiles; tile += gridDim.x, turn++) {
		int s = turn % STAGES, next = tile + gridDim.x;
		stage &mine = stages[s];
		if (threadIdx.x == 0 && next < tiles)
			fetch(next, (turn + 1) % STAGES); /* all have read what is there: behind the barrier below */
		full[s].wait(turn / STAGES & 1);
		if (threadIdx.x == 0)
			wait_read<STAGES - 1>(); /* the copy of two turns ago has read `out` */
		__syncthreads();
		for (int i = threadIdx.x; i < WIDTH * HEIGHT; i += THREADS) {
			int y = i / WIDTH, x = i % WIDTH;
			mine.out[y][x] = mine.in[y + 1][x + 4] + mine.in[y][x + 4] + mine.in[y + 2][x + 4] +
					 mine.in[y + 1][x + 3] + mine.in[y + 1][x + 5];
		}
		publish_stores();
		__syncthreads();
		if (threadIdx.x == 0) {
			store_box(out, tile % tiles_x * WIDTH, tile / tiles_x * HEIGHT, mine.out);
			end_group();
		}
	}
	if (threadIdx.x == 0)
		wait_stores();
}

int main(int argc, char **argv)
{
	int rows = argc > 1 ? atoi(argv[1]) : 250, columns = argc > 2 ? atoi(argv[2]) : 500, blocks = argc > 3 ? atoi(argv[3]) : 16;
	int pitch = (columns + 3) / 4 * 4, tiles_x = (columns + WIDTH - 1) / WIDTH, tiles_y = (rows + HEIGHT - 1) / HEIGHT;
	float *in, *out;
	cudaMallocManaged(&in, (size_t)rows * pitch * sizeof *in);
	cudaMallocManaged(&out, (size_t)rows * pitch * sizeof *out);
	for (int i = 0; i < rows * pitch; i++) {
		in[i] = (float)(i * 7 % 101);
		out[i] = -1;
	}
	stencil<<<blocks, THREADS>>>(matrix_map(in, rows, columns, pitch, RIM_WIDTH, HEIGHT + 2), matrix_map(out, rows, columns, pitch, WIDTH, HEIGHT), tiles_x, tiles_x * tiles_y);
	cudaError_t error = cudaDeviceSynchronize();
	auto at = [&](int y, int x) { return y < 0 || y >= rows || x < 0 || x >= columns ? 0.0f : in[(size_t)y * pitch + x]; };
	int wrong = 0;
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < pitch; x++)
			wrong += out[(size_t)y * pitch + x] != (x < columns ? at(y, x) + at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) : -1);
	printf("stencil of %d x %d: %s\n", rows, columns, error ? cudaGetErrorString(error) : wrong ? "FAILED" : "PASSED");
	return error || wrong;
}
