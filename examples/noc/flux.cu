/*
 * flux: explicit finite volumes for the Euler equations on an unstructured mesh: a thread sums the fluxes through the
 * four faces of its cell, after Rusanov, and a second kernel takes the step. Fields are apart, and neighbours are
 * anywhere near by in the numbering, so that each of their values comes out of a sector of its own.
 */
#include "../grids/grids.h"

#define BLOCK 192
#define FACES 4
#define FIELDS 5 /* density, momentum in three directions, energy */
#define GAMMA 1.4f
#define STEP 1e-3f

struct State {
	float field[FIELDS];
};

BOTH State state_of(const float *fields, int cells, int cell)
{
	State state;
	for (int k = 0; k < FIELDS; k++)
		state.field[k] = fields[k * cells + cell];
	return state;
}

/* Pressure, and the speed of the fastest wave. */
BOTH float pressure_of(const State &s, float *fastest)
{
	float along = fmaf(s.field[1], s.field[1], fmaf(s.field[2], s.field[2], s.field[3] * s.field[3])) / s.field[0];
	float pressure = (GAMMA - 1) * fmaf(-0.5f, along, s.field[4]);
	*fastest = sqrtf(along / s.field[0]) + sqrtf(GAMMA * pressure / s.field[0]);
	return pressure;
}

/* What flows through a face with this normal in this state. */
BOTH State flow(const State &s, float pressure, const float normal[3])
{
	float speed = fmaf(s.field[1], normal[0], fmaf(s.field[2], normal[1], s.field[3] * normal[2])) / s.field[0];
	State f;
	f.field[0] = speed * s.field[0];
	for (int d = 0; d < 3; d++)
		f.field[1 + d] = fmaf(speed, s.field[1 + d], pressure * normal[d]);
	f.field[4] = speed * (s.field[4] + pressure);
	return f;
}

BOTH void flux_of_cell(const float *fields, const int *around, const float *normals, float *flux, int cells, int cell)
{
	State own = state_of(fields, cells, cell), sum = {};
	float fast, pressure = pressure_of(own, &fast);
	for (int face = 0; face < FACES; face++) {
		float normal[3];
		for (int d = 0; d < 3; d++)
			normal[d] = normals[(3 * face + d) * cells + cell];
		float area = sqrtf(fmaf(normal[0], normal[0], fmaf(normal[1], normal[1], normal[2] * normal[2])));
		State other = state_of(fields, cells, around[face * cells + cell]);
		float other_fast, other_pressure = pressure_of(other, &other_fast);
		State in = flow(own, pressure, normal), out = flow(other, other_pressure, normal);
		float damping = area * fmaxf(fast, other_fast);
		for (int k = 0; k < FIELDS; k++) {
			float jump = damping * (other.field[k] - own.field[k]);
			sum.field[k] = fmaf(0.5f, in.field[k] + out.field[k] - jump, sum.field[k]);
		}
	}
	for (int k = 0; k < FIELDS; k++)
		flux[k * cells + cell] = sum.field[k];
}

__global__ void compute_flux(const float *fields, const int *around, const float *normals, float *flux, int cells)
{
	int cell = blockIdx.x * blockDim.x + threadIdx.x;
	if (cell < cells)
		flux_of_cell(fields, around, normals, flux, cells, cell);
}

__global__ void advance(float *fields, const float *flux, int cells)
{
	int cell = blockIdx.x * blockDim.x + threadIdx.x;
	for (int k = 0; cell < cells && k < FIELDS; k++)
		fields[k * cells + cell] = fmaf(-STEP, flux[k * cells + cell], fields[k * cells + cell]);
}

/* Each cell has neighbours at most `reach` away in the numbering; normals add up to nothing. */
static void random_mesh(int *around, float *normals, int cells, int reach)
{
	unsigned seed = 5;
	for (int cell = 0; cell < cells; cell++)
		for (int face = 0; face < FACES; face++) {
			int away = 1 + (int)(next_random(&seed) >> 8) % reach;
			around[face * cells + cell] = (cell + (face % 2 ? away : cells - away)) % cells;
			for (int d = 0; d < 3; d++)
				normals[(3 * face + d) * cells + cell] =
					face % 2 ? -normals[(3 * (face - 1) + d) * cells + cell]
						 : 2 * next_unit(&seed) - 1;
		}
}

static void random_gas(float *fields, int cells)
{
	unsigned seed = 9;
	for (int cell = 0; cell < cells; cell++) {
		fields[cell] = 1 + next_unit(&seed);
		for (int d = 0; d < 3; d++)
			fields[(1 + d) * cells + cell] = next_unit(&seed) - 0.5f;
		fields[4 * cells + cell] = 4 + next_unit(&seed);
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "flux [cells [steps]]   (default 28672 cells, 2 steps)"};
	int cells = size_argument(arguments, 1, 28672, 1 << 22), steps = size_argument(arguments, 2, 2, 1000);
	int *around = host_array<int>((size_t)FACES * cells);
	float *normals = host_array<float>((size_t)3 * FACES * cells);
	float *fields = host_array<float>((size_t)FIELDS * cells), *flux = host_array<float>((size_t)FIELDS * cells);
	random_mesh(around, normals, cells, cells < 4096 ? cells - 1 : 4096);
	random_gas(fields, cells);
	int *daround = device_copy(around, (size_t)FACES * cells);
	float *dnormals = device_copy(normals, (size_t)3 * FACES * cells);
	float *dfields = device_copy(fields, (size_t)FIELDS * cells),
	      *dflux = device_array<float>((size_t)FIELDS * cells);

	for (int step = 0; step < steps; step++) {
		compute_flux<<<blocks_for(cells, BLOCK), BLOCK>>>(dfields, daround, dnormals, dflux, cells);
		advance<<<blocks_for(cells, BLOCK), BLOCK>>>(dfields, dflux, cells);
	}
	CHECK_LAUNCH();

	for (int step = 0; step < steps; step++) {
		for (int cell = 0; cell < cells; cell++)
			flux_of_cell(fields, around, normals, flux, cells, cell);
		for (int i = 0; i < FIELDS * cells; i++)
			fields[i] = fmaf(-STEP, flux[i], fields[i]);
	}
	Verdict verdict = {"flux", 0};
	compare(&verdict, "field", dfields, fields, (size_t)FIELDS * cells);
	return conclude(verdict, "%d cells, %d steps", cells, steps);
}
