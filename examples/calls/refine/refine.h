/* refine: triangles that are bisected until they are small where they should be. */
#ifndef REFINE_H
#define REFINE_H

#include "../common.h"

/* A corner of the lattice on which all vertices lie. */
struct Point {
	int x, y;
};

/* Right-angled at `apex`; the hypotenuse from a to b is what is bisected. */
struct Triangle {
	Point apex, a, b;
	int level; /* bisections since the first mesh */
};

#define SOURCES 4

struct Mesh {
	int size;	       /* of the lattice: 0 to size */
	int deepest;	       /* level beyond which nothing asks for refinement */
	unsigned char *vertex; /* by lattice corner */
	Point source[SOURCES]; /* where the mesh is to be fine */
};

/* Must the triangle be bisected: too large for its place, or a vertex in the middle of a side? */
FUNCTION bool must_split(const Mesh &mesh, const Triangle &triangle);
/* Bisects it, and makes the hypotenuse's middle a vertex. */
FUNCTION void bisect(const Mesh &mesh, const Triangle &triangle, Triangle *left, Triangle *right);
/* The i-th triangle of the first mesh: squares of `square`, two triangles each. */
FUNCTION Triangle first_triangle(const Mesh &mesh, int i, int square);

#endif
