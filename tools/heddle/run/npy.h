/*
 * Arrays of NumPy's format .npy, versions 1 to 3: one array in C order, little-endian, of integers or floating point.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_NPY_H
#define HD_TOOLS_HEDDLE_RUN_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/diag.h"

enum { NPY_DIMS = 32 };

struct npy {
	char type[8];	/* i8 to u64, f16, f32, f64; booleans are u8 */
	uint32_t bytes; /* of an element */
	uint32_t dims;	/* 0: one element */
	uint64_t shape[NPY_DIMS];
	uint64_t count;
	size_t offset; /* of the elements in the file */
	char why[160]; /* what is wrong */
};

/* Reads the header, of which `size` bytes of a file of `file_size` bytes are there. False: npy->why says why not. */
bool npy_parse(struct npy *npy, const uint8_t *bytes, size_t size, uint64_t file_size);

/* The header of a file, and its elements (malloc'ed) unless `elements` is NULL. 0, or -1 with an error at `loc`. */
int npy_read(struct npy *npy, const char *path, uint8_t **elements, struct hd_loc loc, struct hd_diag *diag);

/* Writes npy->type, bytes, dims, shape and count, and the elements. 0 or -1. */
int npy_write(const struct npy *npy, const char *path, const uint8_t *elements, struct hd_diag *diag);

/* Whether the path ends with .npy. */
bool npy_named(const char *path);

#endif
