/*
 * coarse: the seven points of a heat equation in three dimensions, coarsened: a thread has two cells of each plane and
 * walks along z, with planes in shared memory and the cells below and above in registers. Blocks of 128 threads with 32
 * registers: 16 of them, as many as an SM has threads for, take all of its registers, and what needs a register more has
 * a block less.
 */
#include "../grids/grids.h"

#define BLOCK_X 32
#define BLOCK_Y 4
#define CELLS 2 /* of a thread, BLOCK_X apart */
#define WIDTH (BLOCK_X * CELLS)
#define C0 0.5f
#define C1 0.125f
#define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))

BOTH float step(float center, float below, float above, float north, float south, float west, float east)
{
	return fmaf(C1, above + below + south + north + west + east, -C0 * center);
}

__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, 16) coarse(const float *from, float *to, int nx, int ny, int nz)
{
	__shared__ float plane[BLOCK_Y][WIDTH];
	int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.y * BLOCK_Y + ty, row = j < ny ? j : ny - 1;
	float below[CELLS], center[CELLS], above[CELLS];
	int column[CELLS];
#pragma unroll
	for (int c = 0; c < CELLS; c++) {
		column[c] = min((int)blockIdx.x * WIDTH + c * BLOCK_X + tx, nx - 1);
		below[c] = from[AT(column[c], row, 0)];
		center[c] = from[AT(column[c], row, 1)];
	}
	for (int k = 1; k < nz - 1; k++) {
#pragma unroll
		for (int c = 0; c < CELLS; c++) {
			plane[ty][c * BLOCK_X + tx] = center[c];
			above[c] = from[AT(column[c], row, k + 1)];
		}
		__syncthreads();
#pragma unroll
		for (int c = 0; c < CELLS; c++) {
			int x = c * BLOCK_X + tx, i = blockIdx.x * WIDTH + x;
			if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
				float west = x > 0 ? plane[ty][x - 1] : from[AT(i - 1, j, k)];
				float east = x < WIDTH - 1 ? plane[ty][x + 1] : from[AT(i + 1, j, k)];
				float north = ty > 0 ? plane[ty - 1][x] : from[AT(i, j - 1, k)];
				float south = ty < BLOCK_Y - 1 ? plane[ty + 1][x] : from[AT(i, j + 1, k)];
				to[AT(i, j, k)] = step(center[c], below[c], above[c], north, south, west, east);
			}
			below[c] = center[c];
			center[c] = above[c];
		}
		__syncthreads();
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "coarse [size [depth]]   (default 384 x 384 x 10 cells)"};
	int nx = size_argument(arguments, 1, 384, 2048), ny = nx, nz = size_argument(arguments, 2, 10, 2048);
	size_t cells = (size_t)nx * ny * nz;
	float *from = random_floats(cells, 1), *to = host_array<float>(cells), *dto = device_array<float>(cells);

	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(nx, WIDTH), blocks_for(ny, BLOCK_Y));
	coarse<<<grid, block>>>(device_copy(from, cells), dto, nx, ny, nz);
	CHECK_LAUNCH();

	for (int k = 1; k < nz - 1; k++)
		for (int j = 1; j < ny - 1; j++)
			for (int i = 1; i < nx - 1; i++)
				to[AT(i, j, k)] = step(from[AT(i, j, k)], from[AT(i, j, k - 1)], from[AT(i, j, k + 1)],
						       from[AT(i, j - 1, k)], from[AT(i, j + 1, k)],
						       from[AT(i - 1, j, k)], from[AT(i + 1, j, k)]);
	Verdict verdict = {"coarse", 0};
	compare(&verdict, "cell", dto, to, cells);
	return conclude(verdict, "%d x %d x %d", nx, ny, nz);
}
