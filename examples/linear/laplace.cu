/*
 * laplace: Laplace's equation in a box after Jacobi. A block has a column of the box and goes up along z: the plane in
 * which it is lies in shared memory with its border, the cells below and above in registers.
 */
#include "../grids/grids.h"

#define BLOCK_X 32
#define BLOCK_Y 4
#define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))

BOTH float mean(float below, float above, float north, float south, float west, float east)
{
	return (below + above + north + south + west + east) * (1 / 6.0f);
}

__global__ void laplace(const float *from, float *to, int nx, int ny, int nz)
{
	__shared__ float plane[BLOCK_Y + 2][BLOCK_X + 2];
	int i = blockIdx.x * BLOCK_X + threadIdx.x, j = blockIdx.y * BLOCK_Y + threadIdx.y;
	int x = threadIdx.x + 1, y = threadIdx.y + 1;
	bool inside = i < nx && j < ny, inner = i > 0 && i < nx - 1 && j > 0 && j < ny - 1;
	float below = 0, center = inside ? from[AT(i, j, 0)] : 0, above = inside ? from[AT(i, j, 1)] : 0;
	for (int k = 1; k < nz - 1; k++) {
		below = center;
		center = above;
		above = inside ? from[AT(i, j, k + 1)] : 0;
		plane[y][x] = center;
		if (inside && y == 1 && j > 0)
			plane[0][x] = from[AT(i, j - 1, k)];
		if (inside && y == BLOCK_Y && j < ny - 1)
			plane[BLOCK_Y + 1][x] = from[AT(i, j + 1, k)];
		if (inside && x == 1 && i > 0)
			plane[y][0] = from[AT(i - 1, j, k)];
		if (inside && x == BLOCK_X && i < nx - 1)
			plane[y][BLOCK_X + 1] = from[AT(i + 1, j, k)];
		__syncthreads();
		if (inner)
			to[AT(i, j, k)] =
				mean(below, above, plane[y - 1][x], plane[y + 1][x], plane[y][x - 1], plane[y][x + 1]);
		__syncthreads();
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "laplace [size [depth [steps]]]   (default 192 x 192 x 16 cells, 3 steps)"};
	int nx = size_argument(arguments, 1, 192, 1024), ny = nx, nz = size_argument(arguments, 2, 16, 1024);
	int steps = size_argument(arguments, 3, 3, 100);
	size_t cells = (size_t)nx * ny * nz;
	float *field[2] = {random_floats(cells, 1), host_array<float>(cells)};
	memcpy(field[1], field[0], cells * sizeof **field);
	float *on_device[2] = {device_copy(field[0], cells), device_copy(field[0], cells)};

	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(nx, BLOCK_X), blocks_for(ny, BLOCK_Y));
	for (int step = 0; step < steps; step++)
		laplace<<<grid, block>>>(on_device[step % 2], on_device[1 - step % 2], nx, ny, nz);
	CHECK_LAUNCH();

	for (int step = 0; step < steps; step++) {
		const float *from = field[step % 2];
		for (int k = 1; k < nz - 1; k++)
			for (int j = 1; j < ny - 1; j++)
				for (int i = 1; i < nx - 1; i++)
					field[1 - step % 2][AT(i, j, k)] =
						mean(from[AT(i, j, k - 1)], from[AT(i, j, k + 1)],
						     from[AT(i, j - 1, k)], from[AT(i, j + 1, k)],
						     from[AT(i - 1, j, k)], from[AT(i + 1, j, k)]);
	}
	Verdict verdict = {"laplace", 0};
	compare(&verdict, "cell", on_device[steps % 2], field[steps % 2], cells);
	return conclude(verdict, "%d x %d x %d, %d steps", nx, ny, nz, steps);
}
