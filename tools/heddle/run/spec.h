/*
 * The launch specification of `heddle run --kernel` and `heddle corun`: an .ini that says how a kernel is launched
 * without a host program.
 *
 *   [define]        NAME = V (before the name is used; --define NAME=V replaces it)
 *   [launch]        grid = x[,y[,z]]   block = x[,y[,z]]   shared = BYTES
 *                   cooperative = 0|1 (1: all blocks are resident together, or the launch is refused)
 *                   for `heddle corun`: file = PATH (.hdo, .ll or .bc)   kernel = NAME   priority = N (of its stream)
 *   [arg0], ...     kind = i8|u8|i16|u16|i32|u32|i64|u64|f16|f32|f64   value = V
 *                   kind = struct   value = TYPE:V, TYPE:V, ... (by value: fields in order, each aligned to its size)
 *                                   or count = BYTES   init = as a buffer's, of bytes
 *                   kind = buffer   type = one of the above   count = N
 *                     init    = zero | ramp[:START[:STEP]] (also: iota) | value:V | random:SEED[:LOW:HIGH] |
 *                               file:PATH (raw bytes) | npy:PATH (which gives the type, the count and the shape,
 *                               too)
 *                     shape   = N,... (instead of count)
 *                     output  = PATH (PATH.npy: with type and shape; else raw bytes)   print = N (elements)
 *                     compare = file:PATH (raw bytes) or npy:PATH   abs = TOLERANCE   rel = TOLERANCE
 *   [symbol NAME]   a device variable: as a buffer; count defaults to what fills it
 *
 * Grids, blocks, numbers, the values of scalars, and V, START and STEP of init are expressions (expr.h).
 * random:SEED draws one 64-bit number of SplitMix64 for each element: its low bits for integers (modulo the range when
 * one is given), its upper 53 bits as a fraction in [0, 1) or [LOW, HIGH) for floating point. Paths are relative to
 * the working directory, but for `file`, which is relative to the specification's folder.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_SPEC_H
#define HD_TOOLS_HEDDLE_RUN_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/diag.h"
#include "lib/vec.h"
#include "tools/heddle/run/expr.h"
#include "tools/heddle/run/npy.h"

struct spec_type {
	const char *name;
	uint32_t bytes;
	bool is_float, is_signed;
};

/* One argument or device variable. A scalar is a buffer of one element, filled with its value; a struct one of
 * bytes, with its fields or filled as a buffer is. */
struct spec_data {
	uint32_t line;	    /* of its section's first key */
	const char *symbol; /* NULL: an argument */
	uint32_t index;	    /* arguments */
	bool buffer;
	const struct spec_type *type;
	uint64_t count;
	bool count_given;
	uint32_t dims; /* 0: count says it */
	uint64_t shape[NPY_DIMS];
	const char *init;      /* NULL: zero */
	const char *value;     /* scalars */
	const uint8_t *fields; /* of a struct: count bytes */
	const char *output, *compare;
	const char *dump; /* as output, of the command line; NULL: none */
	bool compare_npy;
	uint64_t print;
	double abs, rel;
	uint32_t init_line, value_line, shape_line, output_line, compare_line;
};

struct spec {
	const char *path;
	struct hd_arena arena;
	uint32_t grid[3], block[3], shared;
	bool cooperative;
	const char *file, *kernel; /* NULL: not named; the file as a path from here */
	int priority;
	HD_VEC(struct spec_data) args; /* in order */
	HD_VEC(struct spec_data) symbols;
	HD_VEC(struct expr_name) names;
};

static inline struct hd_loc spec_at(const struct spec *spec, uint32_t line)
{
	return (struct hd_loc){spec->path, line, 0};
}

/* What is known of a launch without the file: `block` (0: nothing) and `shared` stand for keys that it does not have.
 */
struct spec_known {
	const char *const *defines; /* NAME=V each; NULL ends them, or there are none */
	uint32_t block, shared;
	const char *absent; /* path of a file that would have said it; NULL: none */
};

/* Reads a specification; `known` may be NULL. Whatever the result is, spec_release() is due. 0, or -1 with every error
 * reported. */
int spec_read(struct spec *spec, const char *path, const struct spec_known *known, struct hd_diag *diag);
void spec_release(struct spec *spec);

/* An argument or variable as messages name it: "arg1", or the variable's name. */
void spec_data_name(const struct spec_data *data, char *text, size_t size);
/* Whether a file can be written at a path; else errno says why. */
bool spec_is_writable(const char *path);
/* All arguments and variables, in this order; NULL where `index` is beyond the last one. */
struct spec_data *spec_nth(struct spec *spec, uint32_t index);
/* Which of those before `before` (NULL: of all) are written to the path, as output or dump; NULL: none. */
const struct spec_data *spec_writer(struct spec *spec, const char *path, const struct spec_data *before);
/* An expression over the specification's names. False when the text is none. */
bool spec_number(const struct spec *spec, const char *text, double *value);
/* Marks the names that `init` uses as used. */
void spec_use_names(const struct spec *spec, const char *init);
/* An element of `type` from an expression; integers up to 2^53 and no fractions. False when it is none. */
bool spec_element_of(const struct spec *spec, const struct spec_type *type, const char *text, uint64_t *bits);

/* A number in decimal, or in hexadecimal behind 0x, of at most `max`. False when `text` is none. */
bool spec_unsigned(const char *text, uint64_t max, uint64_t *value);
/* An element of `type`: its bytes, little-endian, in *bits. False when `text` is none. */
bool spec_element(const struct spec_type *type, const char *text, uint64_t *bits);
/* A number as an element of a type of floating point, rounded to nearest even; and back. */
uint64_t spec_real_bits(const struct spec_type *type, double value);
double spec_real_value(const struct spec_type *type, uint64_t bits);

/* The initial bytes of `data` (count * type->bytes, malloc'ed), which may set its count from a file's size. 0 or -1. */
int spec_fill(const struct spec *spec, struct spec_data *data, uint8_t **bytes, struct hd_diag *diag);
/* Prints the first elements, writes the output files and compares, as `data` wants. 0, 1 when they differ, or -1. */
int spec_results(const struct spec *spec, const struct spec_data *data, const uint8_t *bytes, bool print,
		 struct hd_diag *diag);

#endif
