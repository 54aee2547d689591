/*
 * cfd: a gas in a closed box, by finite volumes on an unstructured mesh of tetrahedra. A kernel finds the time step, one
 * sums the flux through the four faces of each cell, one advances the cells; three Runge-Kutta stages make a step. The
 * gas starts at rest with a hot ball in a corner.
 *
 * Checks: each cell against the host's own computation with the same functions, 1e-4 of the largest value of the
 * quantity (the device may fuse multiply and add), and mass and energy of the whole box, which no flux may change:
 * 1e-5, the rounding of as many sums as there are cells.
 */
#include "cfd.h"
#include "mesh.h"

#define BLOCK 128
#define STAGES 3

/* What kernels and the host's reference both work on. */
struct Flow {
	int cells;
	const int *neighbour;
	const Vector *normal;
	const float *volume;
	State *state, *start, *residual; /* of the stage, of the step */
};

static __host__ __device__ void sum_fluxes(const Flow &flow, int cell)
{
	State here = flow.state[cell], sum = {0, {0, 0, 0}, 0};
	for (int face = 0; face < FACES; face++) {
		int place = face * flow.cells + cell, other = flow.neighbour[place];
		Vector normal = flow.normal[place];
		State flux;
		if (other == WALL) {
			flux = wall_flux(here, normal);
		} else {
			State there = flow.state[other];
			flux = interface_flux(here, there, normal);
		}
		sum.density += flux.density;
		sum.momentum.x += flux.momentum.x;
		sum.momentum.y += flux.momentum.y;
		sum.momentum.z += flux.momentum.z;
		sum.energy += flux.energy;
	}
	flow.residual[cell] = sum;
}

static __host__ __device__ void advance_cell(const Flow &flow, int cell, float step)
{
	State start = flow.start[cell], change = flow.residual[cell], end;
	float factor = step / flow.volume[cell];
	end.density = start.density - factor * change.density;
	end.momentum.x = start.momentum.x - factor * change.momentum.x;
	end.momentum.y = start.momentum.y - factor * change.momentum.y;
	end.momentum.z = start.momentum.z - factor * change.momentum.z;
	end.energy = start.energy - factor * change.energy;
	flow.state[cell] = end;
}

/* The bits of positive floats are ordered as the floats are. */
__global__ void find_step(Flow flow, unsigned *step_bits)
{
	int cell = blockIdx.x * BLOCK + threadIdx.x;
	if (cell >= flow.cells)
		return;
	State state = flow.state[cell];
	flow.start[cell] = state;
	atomicMin(step_bits, __float_as_uint(stable_step(state, flow.volume[cell])));
}

__global__ void sum_all(Flow flow)
{
	int cell = blockIdx.x * BLOCK + threadIdx.x;
	if (cell < flow.cells)
		sum_fluxes(flow, cell);
}

__global__ void advance_all(Flow flow, const unsigned *step_bits, float part)
{
	int cell = blockIdx.x * BLOCK + threadIdx.x;
	if (cell < flow.cells)
		advance_cell(flow, cell, part * __uint_as_float(*step_bits));
}

static void run_on_device(const Flow &flow, int steps)
{
	unsigned *step_bits = device_array<unsigned>(1);
	int blocks = blocks_for(flow.cells, BLOCK);
	for (int step = 0; step < steps; step++) {
		CHECK(cudaMemset(step_bits, 0x7f, sizeof *step_bits)); /* 3.4e38 */
		find_step<<<blocks, BLOCK>>>(flow, step_bits);
		for (int stage = 0; stage < STAGES; stage++) {
			sum_all<<<blocks, BLOCK>>>(flow);
			advance_all<<<blocks, BLOCK>>>(flow, step_bits, 1.0f / (STAGES - stage));
		}
		CHECK_LAUNCH();
	}
	CHECK(cudaFree(step_bits));
}

static void run_on_host(const Flow &flow, int steps)
{
	for (int step = 0; step < steps; step++) {
		float length = INFINITY;
		for (int cell = 0; cell < flow.cells; cell++) {
			flow.start[cell] = flow.state[cell];
			length = fminf(length, stable_step(flow.state[cell], flow.volume[cell]));
		}
		for (int stage = 0; stage < STAGES; stage++) {
			for (int cell = 0; cell < flow.cells; cell++)
				sum_fluxes(flow, cell);
			for (int cell = 0; cell < flow.cells; cell++)
				advance_cell(flow, cell, length * (1.0f / (STAGES - stage)));
		}
	}
}

/* At rest, with a hot ball in a corner; cells are as hot as their share of a random number says, so that no two agree. */
static void fill(State *state, const Mesh &mesh)
{
	unsigned seed = 3;
	for (int cell = 0; cell < mesh.cells; cell++) {
		bool hot = cell < mesh.cells / 8;
		float p = (hot ? 4.0f : 1.0f) + 0.1f * next_unit(&seed);
		state[cell] = {hot ? 2.0f : 1.0f, {0, 0, 0}, p / (GAMMA - 1)};
	}
}

/* The five quantities as an array. */
static const float *quantities(const State &state)
{
	return &state.density;
}

#define QUANTITIES ((int)(sizeof(State) / sizeof(float)))

static void compare(Verdict *verdict, const State *got, const State *want, int cells)
{
	float largest[QUANTITIES] = {0};
	for (int cell = 0; cell < cells; cell++)
		for (int q = 0; q < QUANTITIES; q++)
			largest[q] = fmaxf(largest[q], fabsf(quantities(want[cell])[q]));
	for (int cell = 0; cell < cells; cell++)
		for (int q = 0; q < QUANTITIES; q++) {
			float a = quantities(got[cell])[q], b = quantities(want[cell])[q];
			if (!(fabsf(a - b) <= 1e-4f * largest[q]))
				differs(verdict, "cell %d, quantity %d: %g, not %g", cell, q, a, b);
		}
}

static double total(const State *state, const Mesh &mesh, int quantity)
{
	double sum = 0;
	for (int cell = 0; cell < mesh.cells; cell++)
		sum += (double)mesh.volume[cell] * quantities(state[cell])[quantity];
	return sum;
}

static void check_conserved(Verdict *verdict, const State *before, const State *after, const Mesh &mesh)
{
	for (int q = 0; q < QUANTITIES; q += QUANTITIES - 1) {
		double first = total(before, mesh, q), last = total(after, mesh, q);
		if (!(fabs(last - first) <= 1e-5 * first))
			differs(verdict, "quantity %d of the box was %.9g and is %.9g", q, first, last);
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "cfd [cubes along an edge [steps]]   (default 13 cubes, six cells each; 1 step)"};
	int n = size_argument(arguments, 1, 13, 100), steps = size_argument(arguments, 2, 1, 1000);
	Mesh mesh = make_mesh(n);
	State *initial = host_array<State>(mesh.cells), *got = host_array<State>(mesh.cells);
	fill(initial, mesh);

	Flow device = {mesh.cells,
		       device_copy(mesh.neighbour.data(), mesh.neighbour.size()),
		       device_copy(mesh.normal.data(), mesh.normal.size()),
		       device_copy(mesh.volume.data(), mesh.volume.size()),
		       device_copy(initial, mesh.cells),
		       device_array<State>(mesh.cells),
		       device_array<State>(mesh.cells)};
	run_on_device(device, steps);
	copy_back(got, device.state, mesh.cells);

	std::vector<State> want(initial, initial + mesh.cells), start(mesh.cells), residual(mesh.cells);
	Flow host = {mesh.cells,  mesh.neighbour.data(), mesh.normal.data(), mesh.volume.data(),
		     want.data(), start.data(),		 residual.data()};
	run_on_host(host, steps);

	Verdict verdict = {"cfd"};
	compare(&verdict, got, want.data(), mesh.cells);
	check_conserved(&verdict, initial, got, mesh);
	free(initial);
	free(got);
	return conclude(verdict, "%d cells, %d steps", mesh.cells, steps);
}
