/*
 * hydro: Lagrangian shock hydrodynamics on hexahedra, with the problem of LULESH: Sedov's blast wave in an eighth of
 * space. Positions and velocities are of nodes, energies of cells; the mesh moves with the gas. A step is three kernels:
 * forces of cells on their corners; nodes gather them and move; cells take the work of their corners' forces, find
 * pressure and viscosity anew, and the shortest stable step of them all.
 *
 * Energy is kept as the compatible discretisation has it: what a corner's force does to its node's motion, with the mean
 * of the velocities before and after, is taken from the cell. So kinetic and internal energy together stay what they
 * were, to rounding.
 *
 * Checks: nodes and cells against the host's own computation with the same functions (1e-9 of the largest value: only
 * the fusing of multiply and add differs), the total energy (1e-12), and that an exchange of two axes leaves the blast
 * as it is (1e-9).
 */
#include <vector>

#include "hydro.h"

#define BLOCK 128
#define AXES 3

struct Mesh {
	int edge, cells, nodes;	  /* cells along an edge, of all */
	const int *node;	  /* [corner][cell] */
	const int *corner;	  /* [8][node]: corner * cells + cell, or -1 */
	double *place[AXES];	  /* of nodes */
	double *velocity[AXES];
	double *mean[AXES];	  /* velocity, of before and after the step */
	double *node_mass;
	double *force[AXES];	  /* [corner][cell] */
	double *mass, *energy;	  /* of cells; energy of a unit of mass */
	double *pressure, *viscosity, *sound;
};

static __host__ __device__ Corners gather(const Mesh &mesh, double *const *field, int cell)
{
	Corners corners;
	for (int i = 0; i < CORNERS; i++) {
		int node = mesh.node[i * mesh.cells + cell];
		corners.x[i] = field[0][node];
		corners.y[i] = field[1][node];
		corners.z[i] = field[2][node];
	}
	return corners;
}

static __host__ __device__ void push_corners(const Mesh &mesh, int cell)
{
	Corners at = gather(mesh, mesh.place, cell), velocity = gather(mesh, mesh.velocity, cell), forces;
	Material material = {mesh.mass[cell], mesh.pressure[cell], mesh.viscosity[cell], mesh.sound[cell]};
	corner_forces(at, velocity, material, &forces);
	for (int i = 0; i < CORNERS; i++) {
		mesh.force[0][i * mesh.cells + cell] = forces.x[i];
		mesh.force[1][i * mesh.cells + cell] = forces.y[i];
		mesh.force[2][i * mesh.cells + cell] = forces.z[i];
	}
}

/* Nodes of a plane through the origin stay in it. */
static __host__ __device__ bool in_plane(const Mesh &mesh, int node, int axis)
{
	int side = mesh.edge + 1;
	int at[AXES] = {node % side, node / side % side, node / side / side};
	return at[axis] == 0;
}

static __host__ __device__ void move_node(const Mesh &mesh, int node, double step)
{
	for (int axis = 0; axis < AXES; axis++) {
		double force = 0;
		for (int i = 0; i < CORNERS; i++) {
			int corner = mesh.corner[i * mesh.nodes + node];
			if (corner >= 0)
				force += mesh.force[axis][corner];
		}
		double before = mesh.velocity[axis][node];
		double after = in_plane(mesh, node, axis) ? 0 : before + step * force / mesh.node_mass[node];
		mesh.velocity[axis][node] = after;
		mesh.mean[axis][node] = 0.5 * (before + after);
		mesh.place[axis][node] += step * after;
	}
}

/* Pressure, viscosity and sound of a cell as it is; returns the longest step that it allows. */
static __host__ __device__ double find_material(const Mesh &mesh, int cell)
{
	Corners at = gather(mesh, mesh.place, cell), velocity = gather(mesh, mesh.velocity, cell);
	double volume = hexahedron_volume(at), density = mesh.mass[cell] / volume;
	double p = pressure(density, mesh.energy[cell]), sound = sound_speed(density, p);
	double rate = compression(at, velocity, volume), length = characteristic_length(at, volume);
	mesh.pressure[cell] = p;
	mesh.sound[cell] = sound;
	mesh.viscosity[cell] = artificial_viscosity(density, sound, length, rate);
	return 0.3 * length / (sound + 4 * length * fabs(rate));
}

static __host__ __device__ void take_work(const Mesh &mesh, int cell, double step)
{
	double work = 0;
	for (int i = 0; i < CORNERS; i++)
		for (int axis = 0; axis < AXES; axis++) {
			int corner = i * mesh.cells + cell;
			work += mesh.force[axis][corner] * mesh.mean[axis][mesh.node[corner]];
		}
	mesh.energy[cell] -= step * work / mesh.mass[cell];
}

__global__ void push_all(Mesh mesh)
{
	int cell = blockIdx.x * BLOCK + threadIdx.x;
	if (cell < mesh.cells)
		push_corners(mesh, cell);
}

__global__ void move_all(Mesh mesh, const double *step)
{
	int node = blockIdx.x * BLOCK + threadIdx.x;
	if (node < mesh.nodes)
		move_node(mesh, node, *step);
}

/* The bits of positive numbers are ordered as the numbers are. */
__global__ void update_all(Mesh mesh, const double *step, double *next)
{
	int cell = blockIdx.x * BLOCK + threadIdx.x;
	if (cell >= mesh.cells)
		return;
	take_work(mesh, cell, *step);
	atomicMin((unsigned long long *)next, (unsigned long long)__double_as_longlong(find_material(mesh, cell)));
}

/* steps[0] is the present one, steps[1] the next: 1.4e306 until a cell has a shorter one. */
static void run_on_device(const Mesh &mesh, int steps)
{
	double *step = device_array<double>(2);
	int cell_blocks = blocks_for(mesh.cells, BLOCK), node_blocks = blocks_for(mesh.nodes, BLOCK);
	for (int i = 0; i <= steps; i++) {
		if (i > 0) {
			push_all<<<cell_blocks, BLOCK>>>(mesh);
			move_all<<<node_blocks, BLOCK>>>(mesh, step);
		}
		CHECK(cudaMemset(step + 1, 0x7f, sizeof *step));
		update_all<<<cell_blocks, BLOCK>>>(mesh, step, step + 1);
		CHECK(cudaMemcpy(step, step + 1, sizeof *step, cudaMemcpyDeviceToDevice));
		CHECK_LAUNCH();
	}
	CHECK(cudaFree(step));
}

static void run_on_host(const Mesh &mesh, int steps)
{
	double step = 0;
	for (int i = 0; i <= steps; i++) {
		for (int cell = 0; i > 0 && cell < mesh.cells; cell++)
			push_corners(mesh, cell);
		for (int node = 0; i > 0 && node < mesh.nodes; node++)
			move_node(mesh, node, step);
		double next = INFINITY;
		for (int cell = 0; cell < mesh.cells; cell++) {
			take_work(mesh, cell, step);
			next = fmin(next, find_material(mesh, cell));
		}
		step = next;
	}
}

/* ---- the problem */

/* All of the mesh's arrays on one side; the numbers of a mesh made of them. */
struct Storage {
	std::vector<int> node, corner;
	std::vector<double> place[AXES], velocity[AXES], mean[AXES], node_mass;
	std::vector<double> force[AXES], mass, energy, pressure, viscosity, sound;
};

static void connect(Storage *all, int edge)
{
	int side = edge + 1, cells = edge * edge * edge, nodes = side * side * side;
	const int steps[CORNERS] = {0, 1, 1 + side, side, side * side, side * side + 1, side * side + side + 1,
				    side * side + side};
	all->node.resize(CORNERS * cells);
	all->corner.assign(CORNERS * nodes, -1);
	for (int cell = 0; cell < cells; cell++) {
		int lowest = cell % edge + side * (cell / edge % edge) + side * side * (cell / edge / edge);
		for (int i = 0; i < CORNERS; i++) {
			all->node[i * cells + cell] = lowest + steps[i];
			all->corner[i * nodes + lowest + steps[i]] = i * cells + cell;
		}
	}
}

/* A gas of density 1, cold but for the cell at the origin. */
static Storage make_problem(int edge)
{
	int side = edge + 1, cells = edge * edge * edge, nodes = side * side * side;
	Storage all;
	connect(&all, edge);
	for (int axis = 0; axis < AXES; axis++) {
		all.place[axis].resize(nodes);
		all.velocity[axis].assign(nodes, 0);
		all.mean[axis].assign(nodes, 0);
		all.force[axis].assign(CORNERS * cells, 0);
	}
	for (int node = 0; node < nodes; node++) {
		all.place[0][node] = (double)(node % side) / edge;
		all.place[1][node] = (double)(node / side % side) / edge;
		all.place[2][node] = (double)(node / side / side) / edge;
	}
	all.mass.assign(cells, 1.0 / cells);
	all.energy.assign(cells, 1e-3);
	all.energy[0] = 10;
	all.node_mass.assign(nodes, 0);
	for (int corner = 0; corner < CORNERS * cells; corner++)
		all.node_mass[all.node[corner]] += all.mass[corner % cells] / CORNERS;
	all.pressure.assign(cells, 0);
	all.viscosity.assign(cells, 0);
	all.sound.assign(cells, 0);
	return all;
}

static Mesh host_mesh(Storage &all, int edge)
{
	Mesh mesh = {edge, (int)all.mass.size(), (int)all.node_mass.size(), all.node.data(), all.corner.data()};
	for (int axis = 0; axis < AXES; axis++) {
		mesh.place[axis] = all.place[axis].data();
		mesh.velocity[axis] = all.velocity[axis].data();
		mesh.mean[axis] = all.mean[axis].data();
		mesh.force[axis] = all.force[axis].data();
	}
	mesh.node_mass = all.node_mass.data();
	mesh.mass = all.mass.data();
	mesh.energy = all.energy.data();
	mesh.pressure = all.pressure.data();
	mesh.viscosity = all.viscosity.data();
	mesh.sound = all.sound.data();
	return mesh;
}

static Mesh device_mesh(const Mesh &host)
{
	Mesh mesh = host;
	mesh.node = device_copy(host.node, (size_t)CORNERS * host.cells);
	mesh.corner = device_copy(host.corner, (size_t)CORNERS * host.nodes);
	for (int axis = 0; axis < AXES; axis++) {
		mesh.place[axis] = device_copy(host.place[axis], host.nodes);
		mesh.velocity[axis] = device_copy(host.velocity[axis], host.nodes);
		mesh.mean[axis] = device_copy(host.mean[axis], host.nodes);
		mesh.force[axis] = device_copy(host.force[axis], (size_t)CORNERS * host.cells);
	}
	mesh.node_mass = device_copy(host.node_mass, host.nodes);
	mesh.mass = device_copy(host.mass, host.cells);
	mesh.energy = device_copy(host.energy, host.cells);
	mesh.pressure = device_copy(host.pressure, host.cells);
	mesh.viscosity = device_copy(host.viscosity, host.cells);
	mesh.sound = device_copy(host.sound, host.cells);
	return mesh;
}

/* ---- checks */

static void compare(Verdict *verdict, const char *what, const double *got, const double *want, int n)
{
	double largest = 0;
	for (int i = 0; i < n; i++)
		largest = fmax(largest, fabs(want[i]));
	for (int i = 0; i < n; i++)
		if (!(fabs(got[i] - want[i]) <= 1e-9 * largest))
			differs(verdict, "%s %d: %.17g, not %.17g", what, i, got[i], want[i]);
}

static double total_energy(const Mesh &mesh)
{
	double sum = 0;
	for (int cell = 0; cell < mesh.cells; cell++)
		sum += mesh.mass[cell] * mesh.energy[cell];
	for (int axis = 0; axis < AXES; axis++)
		for (int node = 0; node < mesh.nodes; node++)
			sum += 0.5 * mesh.node_mass[node] * mesh.velocity[axis][node] * mesh.velocity[axis][node];
	return sum;
}

/* Both exchanges of neighbouring axes; all others are made of them. */
static void check_symmetry(Verdict *verdict, const double *energy, int edge)
{
	for (int cell = 0; cell < edge * edge * edge; cell++) {
		int i = cell % edge, j = cell / edge % edge, k = cell / edge / edge;
		int others[2] = {j + edge * i + edge * edge * k, i + edge * k + edge * edge * j};
		for (int other : others)
			if (!(fabs(energy[cell] - energy[other]) <= 1e-9 * energy[0]))
				differs(verdict, "cells %d and %d mirror each other: %.17g, %.17g", cell, other,
					energy[cell], energy[other]);
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "hydro [cells along an edge [steps]]   (default 17 cells, 2 steps)"};
	int edge = size_argument(arguments, 1, 17, 100), steps = size_argument(arguments, 2, 2, 10000);
	Storage want_storage = make_problem(edge), got_storage = want_storage;
	Mesh want = host_mesh(want_storage, edge), got = host_mesh(got_storage, edge), device = device_mesh(want);
	double before = total_energy(want);

	run_on_device(device, steps);
	copy_back(got.energy, device.energy, got.cells);
	for (int axis = 0; axis < AXES; axis++) {
		copy_back(got.place[axis], device.place[axis], got.nodes);
		copy_back(got.velocity[axis], device.velocity[axis], got.nodes);
	}
	run_on_host(want, steps);

	Verdict verdict = {"hydro"};
	compare(&verdict, "energy", got.energy, want.energy, got.cells);
	for (int axis = 0; axis < AXES; axis++) {
		compare(&verdict, "place", got.place[axis], want.place[axis], got.nodes);
		compare(&verdict, "velocity", got.velocity[axis], want.velocity[axis], got.nodes);
	}
	check_symmetry(&verdict, got.energy, edge);
	double after = total_energy(got);
	if (!(fabs(after - before) <= 1e-12 * before))
		differs(&verdict, "the energy was %.17g and is %.17g", before, after);
	return conclude(verdict, "%d cells, %d steps", got.cells, steps);
}
