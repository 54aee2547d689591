/*
 * stencil: one Jacobi step of the three-dimensional heat equation, seven points. A thread walks along z and keeps the
 * cells below and above in registers, as Parboil's stencil and the Laplace solver of GPGPU-Sim's set do.
 */
#include "grids.h"

#define BLOCK_X 32
#define BLOCK_Y 4
#define C0 0.5f
#define C1 0.125f
#define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))

BOTH float step(float center, float below, float above, float north, float south, float west, float east)
{
	return fmaf(C1, above + below + south + north + west + east, -C0 * center);
}

__global__ void stencil(const float *from, float *to, int nx, int ny, int nz)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
	if (i >= nx - 1 || j >= ny - 1)
		return;
	float below = from[AT(i, j, 0)], center = from[AT(i, j, 1)];
	for (int k = 1; k < nz - 1; k++) {
		float above = from[AT(i, j, k + 1)];
		to[AT(i, j, k)] = step(center, below, above, from[AT(i, j - 1, k)], from[AT(i, j + 1, k)], from[AT(i - 1, j, k)],
				       from[AT(i + 1, j, k)]);
		below = center;
		center = above;
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "stencil [size [depth]]   (default 384 x 384 x 12 cells)"};
	int nx = size_argument(arguments, 1, 384, 2048), ny = nx, nz = size_argument(arguments, 2, 12, 2048);
	size_t cells = (size_t)nx * ny * nz;
	float *from = random_floats(cells, 1), *to = host_array<float>(cells);
	float *dfrom = device_copy(from, cells), *dto = device_array<float>(cells);

	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(nx - 2, BLOCK_X), blocks_for(ny - 2, BLOCK_Y));
	stencil<<<grid, block>>>(dfrom, dto, nx, ny, nz);
	CHECK_LAUNCH();

	for (int k = 1; k < nz - 1; k++)
		for (int j = 1; j < ny - 1; j++)
			for (int i = 1; i < nx - 1; i++)
				to[AT(i, j, k)] = step(from[AT(i, j, k)], from[AT(i, j, k - 1)], from[AT(i, j, k + 1)],
						       from[AT(i, j - 1, k)], from[AT(i, j + 1, k)], from[AT(i - 1, j, k)],
						       from[AT(i + 1, j, k)]);
	Verdict verdict = {"stencil", 0};
	compare(&verdict, "cell", dto, to, cells);
	return conclude(verdict, "%d x %d x %d", nx, ny, nz);
}
