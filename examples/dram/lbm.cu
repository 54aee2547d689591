/*
 * lbm: a fluid in a box after the lattice Boltzmann method, 19 directions in three dimensions: each step a thread pulls
 * what flows into its cell, relaxes it towards equilibrium and writes it. Opposite sides of the box are joined. A
 * direction is an array of its own, so that all accesses are coalesced; nothing is used twice.
 */
#include "../grids/grids.h"

#define BLOCK 128
#define DIRECTIONS 19
#define RATE 1.2f /* of relaxation, between 0 and 2 */

/* Where each direction leads, and its weight in equilibrium: rest, six faces, twelve edges. */
#define X_STEPS {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0}
#define Y_STEPS {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1}
#define Z_STEPS {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1}

struct Box {
	int nx, ny, nz;
};

BOTH int wrap(int i, int n)
{
	return i < 0 ? i + n : i >= n ? i - n : i;
}

BOTH float weight_of(int direction)
{
	return direction == 0 ? 1 / 3.0f : direction < 7 ? 1 / 18.0f : 1 / 36.0f;
}

BOTH void step_cell(const float *from, float *to, const Box &box, int cell)
{
	const int dx[] = X_STEPS, dy[] = Y_STEPS, dz[] = Z_STEPS;
	int x = cell % box.nx, y = cell / box.nx % box.ny, z = cell / box.nx / box.ny, cells = box.nx * box.ny * box.nz;
	float f[DIRECTIONS], density = 0, vx = 0, vy = 0, vz = 0;
#pragma unroll
	for (int d = 0; d < DIRECTIONS; d++) {
		int source =
			(wrap(z - dz[d], box.nz) * box.ny + wrap(y - dy[d], box.ny)) * box.nx + wrap(x - dx[d], box.nx);
		f[d] = from[(size_t)d * cells + source];
		density += f[d];
		vx = fmaf((float)dx[d], f[d], vx);
		vy = fmaf((float)dy[d], f[d], vy);
		vz = fmaf((float)dz[d], f[d], vz);
	}
	vx /= density;
	vy /= density;
	vz /= density;
	float square = 1.5f * fmaf(vx, vx, fmaf(vy, vy, vz * vz));
#pragma unroll
	for (int d = 0; d < DIRECTIONS; d++) {
		float along = 3 * (dx[d] * vx + dy[d] * vy + dz[d] * vz);
		float rest = weight_of(d) * density * (1 + along + 0.5f * along * along - square);
		to[(size_t)d * cells + cell] = fmaf(RATE, rest - f[d], f[d]);
	}
}

__global__ void step(const float *from, float *to, Box box)
{
	int cell = blockIdx.x * blockDim.x + threadIdx.x;
	if (cell < box.nx * box.ny * box.nz)
		step_cell(from, to, box, cell);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "lbm [width [height and depth [steps]]]   (default 128 x 24 x 24 cells, 2 steps)"};
	int nx = size_argument(arguments, 1, 128, 512), ny = size_argument(arguments, 2, 24, 512);
	int steps = size_argument(arguments, 3, 2, 1000), cells = nx * ny * ny;
	Box box = {nx, ny, ny};
	float *field[2] = {random_floats((size_t)DIRECTIONS * cells, 1), host_array<float>((size_t)DIRECTIONS * cells)};
	for (size_t i = 0; i < (size_t)DIRECTIONS * cells; i++)
		field[0][i] = weight_of((int)(i / cells)) * fmaf(0.1f, field[0][i], 1);
	float *on_device[2] = {device_copy(field[0], (size_t)DIRECTIONS * cells),
			       device_array<float>((size_t)DIRECTIONS * cells)};

	for (int i = 0; i < steps; i++)
		step<<<blocks_for(cells, BLOCK), BLOCK>>>(on_device[i % 2], on_device[1 - i % 2], box);
	CHECK_LAUNCH();

	for (int i = 0; i < steps; i++)
		for (int cell = 0; cell < cells; cell++)
			step_cell(field[i % 2], field[1 - i % 2], box, cell);
	Verdict verdict = {"lbm", 0};
	compare(&verdict, "flow", on_device[steps % 2], field[steps % 2], (size_t)DIRECTIONS * cells);
	return conclude(verdict, "%d x %d x %d cells, %d steps", nx, ny, ny, steps);
}
