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
#include <string.h>

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
	const char *module;   /* source file or module name; relative names have no directories of the build machine */
	const char *target;   /* "sm_70" */
	const char *producer; /* "heddle 0.2.0, LLVM 19.1.7" */
	const char *flags;    /* pass parameters in canonical order; see hd_metadata_parameter */
	const struct hd_abi *abi; /* its calling convention (lib/machine/abi.h); read from flags */
	enum hd_compile_mode mode;
	struct hd_meta_function *functions; /* kernels and device functions, in order of name */
	uint32_t function_count;
	uint32_t edition; /* of the fields that its object has (lib/metadata/pack.h) */
};

/* Code for one architecture alone ("sm_90a"), which no newer GPU takes either. */
static inline bool hd_target_is_special(const char *target)
{
	size_t length = target ? strlen(target) : 0;
	return length && target[length - 1] == 'a';
}

/* Returns JSON text with stable key order and number format, ended by a newline. The caller frees it; NULL only if
 * out of memory. */
char *hd_metadata_to_json(const struct hd_metadata *metadata);
/* Returns the JSON Schema of that text. The caller frees it. */
char *hd_metadata_schema(void);
/* Reads the JSON text. Ignores unknown keys; a missing or ill-typed required key is an error. Returns 0 or -1. */
int hd_metadata_from_json(const char *text, size_t size, const char *name, struct hd_arena *arena,
			  struct hd_metadata *metadata, struct hd_diag *diag);
/* Writes one sentence about the avoidable cost of an access, and how to avoid it. Returns false if there is none. */
bool hd_meta_access_advice(const struct hd_meta_access *access, char *text, size_t size);
/*
 * Returns for each access the number of accesses of its kind (such as unrolled copies, or members of one structure) if
 * it is the first of them, otherwise 0. Allocated in the arena.
 */
uint32_t *hd_meta_access_copies(const struct hd_meta_affine *affine, struct hd_arena *arena);
/* Returns the value of a parameter in `flags`, `length` bytes; NULL: default. */
const char *hd_metadata_parameter(const struct hd_metadata *metadata, const char *key, size_t *length);
/*
 * Returns the user's limit on a function's registers (launch bounds or -maxrregcount) as a clause in the arena:
 * "launch bounds (1024 threads) limit its registers; its code has 64". NULL: only the machine limits it.
 */
const char *hd_metadata_limit(const struct hd_metadata *metadata, const struct hd_meta_function *function,
			      struct hd_arena *arena);
/* Returns a function by name, or by demangled name with or without its parameter list; NULL if absent. */
HD_API const struct hd_meta_function *hd_metadata_find(const struct hd_metadata *metadata, const char *name);
/* Returns a function by its symbol only; NULL if absent. */
struct hd_meta_function *hd_metadata_find_symbol(const struct hd_metadata *metadata, const char *symbol);
/* Returns a demangled name without return type and parameters, in the arena. */
char *hd_meta_bare_name(const char *demangled, struct hd_arena *arena);
/* The same of a function's name. */
char *hd_meta_function_bare_name(const struct hd_meta_function *function, struct hd_arena *arena);
/* Returns the name for people: the demangled name, or the symbol if there is none. */
const char *hd_meta_shown_name(const struct hd_meta_function *function);
/* Returns whether a shell pattern (*, ?, [...]) matches a complete form of the name accepted by hd_metadata_find. */
bool hd_meta_function_matches(const struct hd_meta_function *function, const char *glob);

#endif
