/* pointsto: which variables a pointer may point to, after Andersen. */
#ifndef POINTSTO_H
#define POINTSTO_H

#include "../common.h"

#define CHUNK_BITS 64
#define NO_CHUNK (-1)

/* A piece of a sparse set: members base * 64 to base * 64 + 63. */
struct Chunk {
	unsigned long long bits;
	int base, next; /* the next has a larger base */
};

/* Chunks of all sets. Sets are lists of them and only grow. */
struct Pool {
	Chunk *chunks;
	int count, *used; /* used may run beyond count: then the result is incomplete */
};

/* Constraint: left = &right, left = right, left = *right, *left = right. */
enum { ADDRESS, COPY, LOAD, STORE, KINDS };

/* Constraints of a kind, sorted by their left side. */
struct Constraints {
	int *first; /* of a left side i: first[i] to first[i + 1] */
	int *right;
};

struct Program {
	int variables;
	Constraints kinds[KINDS];
	int *points_to; /* set of each variable: its first chunk */
	int *sources;	/* set of variables that are copied to a variable */
	Pool pool;
};

/* Each handles the constraints with the variable on the left, and returns whether a set has grown. */
DEVICE_FUNCTION bool apply_addresses(const Program &program, int variable);
DEVICE_FUNCTION bool apply_copies(const Program &program, int variable);
DEVICE_FUNCTION bool apply_loads(const Program &program, int variable);
DEVICE_FUNCTION bool apply_stores(const Program &program, int variable);
/* Takes in what the variable's sources point to. */
DEVICE_FUNCTION bool propagate(const Program &program, int variable);
DEVICE_FUNCTION int set_size(const Program &program, int set);

#endif
