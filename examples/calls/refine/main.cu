/*
 * refine: adaptive refinement of a triangle mesh by bisection of the newest vertex. In each round, a triangle that is too
 * large for its place or has a vertex in the middle of a side is bisected, until no side has one: the mesh conforms.
 * Vertices lie on a lattice, so a side knows from its ends whether a neighbour has split it. Calls: must_split ->
 * wanted_level, bisect.
 *
 * The check is exact: the same mesh as the host's, in whatever order; and it covers the square.
 */
#include <algorithm>
#include <vector>

#include "refine.h"

#define BLOCK 128

/* Sides halve with every other level, and the middles of the last must still be corners. */
#define SQUARE(deepest) (2 << ((deepest) + 1) / 2)

__global__ void build(Mesh mesh, Triangle *triangles, int count)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= count)
		return;
	Triangle triangle = first_triangle(mesh, i, SQUARE(mesh.deepest));
	Point corners[3] = {triangle.apex, triangle.a, triangle.b};
	for (int k = 0; k < 3; k++)
		mesh.vertex[corners[k].x + corners[k].y * (mesh.size + 1)] = 1;
	triangles[i] = triangle;
}

/* Of a bisected triangle one half takes its place, and the other one at the end. */
__global__ void refine(Mesh mesh, Triangle *triangles, int count, int room, int *total)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= count || !must_split(mesh, triangles[i]))
		return;
	int place = atomicAdd(total, 1);
	if (place >= room)
		return;
	Triangle left, right;
	bisect(mesh, triangles[i], &left, &right);
	triangles[i] = left;
	triangles[place] = right;
}

static std::vector<Triangle> refine_on_host(Mesh mesh, int count)
{
	std::vector<Triangle> triangles(count);
	std::fill(mesh.vertex, mesh.vertex + (mesh.size + 1) * (mesh.size + 1), 0);
	for (int i = 0; i < count; i++) {
		Triangle &triangle = triangles[i] = first_triangle(mesh, i, SQUARE(mesh.deepest));
		for (Point p : {triangle.apex, triangle.a, triangle.b})
			mesh.vertex[p.x + p.y * (mesh.size + 1)] = 1;
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < triangles.size(); i++) {
			if (!must_split(mesh, triangles[i]))
				continue;
			Triangle left, right;
			bisect(mesh, triangles[i], &left, &right);
			triangles[i] = left;
			triangles.push_back(right);
			changed = true;
		}
	}
	return triangles;
}

static bool before(const Triangle &a, const Triangle &b)
{
	return memcmp(&a, &b, sizeof a) < 0;
}

static long doubled_area(const Triangle &t)
{
	return labs((long)(t.a.x - t.apex.x) * (t.b.y - t.apex.y) - (long)(t.b.x - t.apex.x) * (t.a.y - t.apex.y));
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "refine [squares a side [levels]]   (default 36 squares, 7 levels)"};
	int side = size_argument(arguments, 1, 36, 1024), deepest = size_argument(arguments, 2, 7, 16);
	int first = 2 * side * side, room = 16 * first + (1 << 16), count = first, before_round;
	Mesh mesh = {side * SQUARE(deepest), deepest};
	if (mesh.size > 16384)
		return fprintf(stderr, "refine: %d squares of %d levels are too many\n", side, deepest), 2;
	unsigned seed = 13;
	for (int i = 0; i < SOURCES; i++)
		mesh.source[i] = {(int)(next_random(&seed) >> 4) % mesh.size, (int)(next_random(&seed) >> 4) % mesh.size};
	size_t corners = (size_t)(mesh.size + 1) * (mesh.size + 1);
	Mesh device = mesh;
	mesh.vertex = host_array<unsigned char>(corners);
	device.vertex = device_array<unsigned char>(corners);
	Triangle *triangles = device_array<Triangle>(room);
	int *total = device_copy(&count, 1);

	build<<<blocks_for(count, BLOCK), BLOCK>>>(device, triangles, count);
	do {
		before_round = count;
		refine<<<blocks_for(count, BLOCK), BLOCK>>>(device, triangles, count, room, total);
		CHECK_LAUNCH();
		copy_back(&count, total, 1);
	} while (count > before_round && count <= room);
	if (count > room)
		return fprintf(stderr, "refine: there is room for %d triangles, not %d\n", room, count), 1;

	std::vector<Triangle> want = refine_on_host(mesh, first);
	Verdict verdict = {"refine"};
	if (count != (int)want.size())
		differs(&verdict, "%d triangles, not %d", count, (int)want.size());
	count = std::min(count, (int)want.size());
	std::vector<Triangle> got(count);
	copy_back(got.data(), triangles, count);
	std::sort(got.begin(), got.end(), before);
	std::sort(want.begin(), want.end(), before);
	long area = 0;
	for (int i = 0; i < count; i++) {
		area += doubled_area(got[i]);
		if (memcmp(&got[i], &want[i], sizeof got[i]) != 0)
			differs(&verdict, "triangle %d differs", i);
	}
	if (area != 2l * mesh.size * mesh.size)
		differs(&verdict, "the mesh covers %ld of %ld", area, 2l * mesh.size * mesh.size);
	CHECK(cudaFree(device.vertex));
	CHECK(cudaFree(triangles));
	CHECK(cudaFree(total));
	free(mesh.vertex);
	return conclude(verdict, "%d triangles from %d", count, first);
}
