/* When and how refine bisects a triangle. */
#include "refine.h"

static inline __host__ __device__ bool is_vertex(const Mesh &mesh, Point p)
{
	return mesh.vertex[p.x + p.y * (mesh.size + 1)] != 0;
}

static inline __host__ __device__ Point middle(Point a, Point b)
{
	return {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

/* Has the side from a to b a corner of the lattice, and a vertex, in its middle? */
static inline __host__ __device__ bool is_split(const Mesh &mesh, Point a, Point b)
{
	if (((a.x + b.x) | (a.y + b.y)) & 1)
		return false;
	return is_vertex(mesh, middle(a, b));
}

static inline __host__ __device__ int squared_distance(Point a, Point b)
{
	int x = a.x - b.x, y = a.y - b.y;
	return x * x + y * y;
}

/* The level that a place asks for: one less each time the distance to the nearest source doubles. */
FUNCTION int wanted_level(const Mesh &mesh, Point at)
{
	int nearest = squared_distance(at, mesh.source[0]);
	for (int i = 1; i < SOURCES; i++) {
		int distance = squared_distance(at, mesh.source[i]);
		nearest = distance < nearest ? distance : nearest;
	}
	int level = mesh.deepest;
	for (int limit = mesh.size * mesh.size / 1024 + 1; nearest > limit && level > 0; level--)
		limit = 4 * limit;
	return level;
}

FUNCTION bool must_split(const Mesh &mesh, const Triangle &triangle)
{
	if (triangle.level < wanted_level(mesh, middle(triangle.a, triangle.b)))
		return true;
	return is_split(mesh, triangle.a, triangle.b) || is_split(mesh, triangle.apex, triangle.a) ||
	       is_split(mesh, triangle.apex, triangle.b);
}

FUNCTION void bisect(const Mesh &mesh, const Triangle &triangle, Triangle *left, Triangle *right)
{
	Point half = middle(triangle.a, triangle.b);
	mesh.vertex[half.x + half.y * (mesh.size + 1)] = 1;
	*left = {half, triangle.a, triangle.apex, triangle.level + 1};
	*right = {half, triangle.apex, triangle.b, triangle.level + 1};
}

FUNCTION Triangle first_triangle(const Mesh &mesh, int i, int square)
{
	int row = mesh.size / square, x = i / 2 % row * square, y = i / 2 / row * square;
	Point low = {x, y + square}, high = {x + square, y};
	if (i % 2)
		return {{x + square, y + square}, high, low, 0};
	return {{x, y}, low, high, 0};
}
