/*
 * The metadata of a program (docs/architecture.md, The contract): the document as a whole, reading and printing it, and
 * questions about it. What it says of a function is in heddle/figures.h, for those who read or fill that: a new row of
 * metadata.def compiles only these again.
 *
 * All arrays and strings belong to the arena of the struct hd_metadata.
 */
#ifndef HEDDLE_METADATA_H
#define HEDDLE_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"
#include "lib/arena.h"
#include "lib/diag.h"

#define HD_METADATA_VERSION 1

struct hd_meta_access;
struct hd_meta_affine;
struct hd_meta_function;

enum hd_compile_mode { HD_MODE_WHOLE_PROGRAM, HD_MODE_RELOCATABLE };

struct hd_metadata {
	struct hd_arena *arena; /* owns everything below */
	const char *module;   /* source file or module name, without directories of the build machine where relative */
	const char *target;   /* "sm_70" */
	const char *producer; /* "heddle 0.1.0, LLVM 19.1.7" */
	const char *flags;    /* pass parameters in canonical order; hd_metadata_parameter finds one */
	const struct hd_abi *abi; /* its calling convention, of lib/machine/abi.h; read from flags */
	enum hd_compile_mode mode;
	struct hd_meta_function *functions; /* kernels and device functions, in order of name */
	uint32_t function_count;
};

/* JSON text with stable key order and number format, newline-terminated, malloc'ed; NULL only when out of memory. */
char *hd_metadata_to_json(const struct hd_metadata *metadata);
/* The JSON Schema of that text, in the same form. */
char *hd_metadata_schema(void);
/* Reads it back. Unknown keys are kept out; a missing or ill-typed required key is an error. 0 or -1. */
int hd_metadata_from_json(const char *text, size_t size, const char *name, struct hd_arena *arena,
			  struct hd_metadata *metadata, struct hd_diag *diag);
/* What the access costs more than it had to, and what helps, in one sentence. False: nothing to say. */
bool hd_meta_access_advice(const struct hd_meta_access *access, char *text, size_t size);
/*
 * Accesses that say the same, such as unrolled copies and members of one structure: of each access how many there are
 * of its kind where it is the first of them, else 0. In the arena.
 */
uint32_t *hd_meta_access_copies(const struct hd_meta_affine *affine, struct hd_arena *arena);
/* The value that `flags` has for a parameter, `length` bytes; NULL: it is left at its default. */
const char *hd_metadata_parameter(const struct hd_metadata *metadata, const char *key, size_t *length);
/*
 * What the user said that keeps registers from a function, launch bounds or -maxrregcount, as a clause in the arena:
 * "launch bounds (1024 threads) limit its registers; its code has 64". NULL: only the machine does.
 */
const char *hd_metadata_limit(const struct hd_metadata *metadata, const struct hd_meta_function *function,
			      struct hd_arena *arena);
/* By name, or by demangled name with or without its parameter list; NULL when absent. */
HD_API const struct hd_meta_function *hd_metadata_find(const struct hd_metadata *metadata, const char *name);
/* By its symbol alone; NULL when absent. */
struct hd_meta_function *hd_metadata_find_symbol(const struct hd_metadata *metadata, const char *symbol);
/* The demangled name without return type and parameters. */
char *hd_meta_function_bare_name(const struct hd_meta_function *function, struct hd_arena *arena);
/* What people read: the demangled name, or the symbol where there is none. */
const char *hd_meta_shown_name(const struct hd_meta_function *function);
/* Whether a shell pattern (*, ?, [...]) covers a whole form of the name that hd_metadata_find takes. */
bool hd_meta_function_matches(const struct hd_meta_function *function, const char *glob);

#endif
