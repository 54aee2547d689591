/*
 * A mesh of tetrahedra in the unit cube: a lattice of cubes with six tetrahedra each (Kuhn's division along the cube's
 * diagonal, one for each order of the axes), vertices moved at random, and cells numbered at random within windows, so
 * that neighbours are found through indices only.
 */
#ifndef CFD_MESH_H
#define CFD_MESH_H

#include <algorithm>
#include <vector>

#include "cfd.h"

#define FACES 4
#define WALL (-1)
#define WINDOW 512 /* cells whose numbers are shuffled */

/* Face f of cell i is at [f * cells + i]. */
struct Mesh {
	int cells;
	std::vector<int> neighbour;
	std::vector<Vector> normal;
	std::vector<float> volume;
};

struct Side {
	int corner[3]; /* in ascending order */
	int cell, face;
	bool operator<(const Side &other) const
	{
		return std::lexicographical_compare(corner, corner + 3, other.corner, other.corner + 3);
	}
	bool same_place(const Side &other) const
	{
		return std::equal(corner, corner + 3, other.corner);
	}
};

static inline Vector minus(const Vector &a, const Vector &b)
{
	return {a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Vector cross(const Vector &a, const Vector &b)
{
	return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float dot(const Vector &a, const Vector &b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static std::vector<Vector> make_vertices(int n, unsigned *seed)
{
	std::vector<Vector> vertices;
	for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); i++) {
		int at[3] = {i % (n + 1), i / (n + 1) % (n + 1), i / (n + 1) / (n + 1)};
		float place[3];
		for (int axis = 0; axis < 3; axis++) {
			bool inside = at[axis] > 0 && at[axis] < n;
			float moved = inside ? 0.2f * (next_unit(seed) - 0.5f) : 0;
			place[axis] = ((float)at[axis] + moved) / n;
		}
		vertices.push_back({place[0], place[1], place[2]});
	}
	return vertices;
}

/* Corners of the tetrahedra of one cube: paths along its edges from the lowest corner to the highest. */
static void add_tetrahedra(std::vector<int> *corners, int lowest, const int step[3])
{
	int axes[3] = {0, 1, 2};
	do {
		int at = lowest;
		corners->push_back(at);
		for (int axis : axes)
			corners->push_back(at += step[axis]);
	} while (std::next_permutation(axes, axes + 3));
}

static std::vector<int> make_cells(int n, unsigned *seed)
{
	const int step[3] = {1, n + 1, (n + 1) * (n + 1)};
	std::vector<int> corners;
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				add_tetrahedra(&corners, x + y * step[1] + z * step[2], step);
	int cells = (int)corners.size() / 4;
	for (int i = 0; i < cells; i++) {
		int end = std::min(cells, i / WINDOW * WINDOW + WINDOW);
		int other = i + (int)(next_random(seed) >> 8) % (end - i);
		std::swap_ranges(&corners[4 * i], &corners[4 * i] + 4, &corners[4 * other]);
	}
	return corners;
}

/* Normal of the face opposite to a corner, outward, and the cell's volume. */
static void measure_cell(Mesh *mesh, const std::vector<Vector> &vertices, const int corner[4], int cell)
{
	for (int face = 0; face < FACES; face++) {
		Vector a = vertices[corner[(face + 1) % 4]], opposite = vertices[corner[face]];
		Vector normal = cross(minus(vertices[corner[(face + 2) % 4]], a),
				      minus(vertices[corner[(face + 3) % 4]], a));
		float height = dot(normal, minus(opposite, a)), sign = height > 0 ? -0.5f : 0.5f;
		mesh->normal[face * mesh->cells + cell] = {sign * normal.x, sign * normal.y, sign * normal.z};
		mesh->volume[cell] = fabsf(height) / 6;
	}
}

static void join_cells(Mesh *mesh, const std::vector<int> &corners)
{
	std::vector<Side> sides;
	for (int cell = 0; cell < mesh->cells; cell++)
		for (int face = 0; face < FACES; face++) {
			Side side = {{}, cell, face};
			for (int i = 0; i < 3; i++)
				side.corner[i] = corners[4 * cell + (face + 1 + i) % 4];
			std::sort(side.corner, side.corner + 3);
			sides.push_back(side);
		}
	std::sort(sides.begin(), sides.end());
	for (size_t i = 0; i + 1 < sides.size(); i++)
		if (sides[i].same_place(sides[i + 1])) {
			const Side &a = sides[i], &b = sides[i + 1];
			mesh->neighbour[a.face * mesh->cells + a.cell] = b.cell;
			mesh->neighbour[b.face * mesh->cells + b.cell] = a.cell;
		}
}

static Mesh make_mesh(int n)
{
	unsigned seed = 7;
	std::vector<Vector> vertices = make_vertices(n, &seed);
	std::vector<int> corners = make_cells(n, &seed);
	Mesh mesh;
	mesh.cells = (int)corners.size() / 4;
	mesh.neighbour.assign(FACES * mesh.cells, WALL);
	mesh.normal.resize(FACES * mesh.cells);
	mesh.volume.resize(mesh.cells);
	for (int cell = 0; cell < mesh.cells; cell++)
		measure_cell(&mesh, vertices, &corners[4 * cell], cell);
	join_cells(&mesh, corners);
	return mesh;
}

#endif
