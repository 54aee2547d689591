/*
 * NVIDIA's machine code as nvcc ships it: fat binaries in host objects, libraries, executables and archives, the cubins
 * in them, and what a cubin says of its kernels. Needs no program of NVIDIA's. Safe on any bytes: what is damaged is an
 * error that names the file.
 *
 * What a cubin says: registers, barriers, stack frames and parameters (.nv.info attributes), shared and constant memory
 * (sizes of sections), the kinds of its instructions (from compute capability 7.0 on) and, with -lineinfo, their lines.
 * It says nothing of spills, liveness, addresses or calls.
 */
#ifndef HD_LIB_CUBIN_CUBIN_H
#define HD_LIB_CUBIN_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/hash.h"
#include "lib/vec.h"

struct hd_origin;

/* ------------------------------------------------------------------ files */

/* A cubin in a file, unpacked. The bytes are valid until the callback returns. */
struct hd_cubin_image {
	const uint8_t *bytes;
	size_t size;
	const char *path; /* of the file; of an archive's member "lib.a(member.o)" */
	const char *name; /* of the source, as the fat binary has it; "" */
};

/* What else a file holds. */
struct hd_cubin_rest {
	uint32_t ptx, other; /* entries of fat binaries: PTX, and what is neither (LTO) */
	uint32_t newest_ptx; /* its architecture, 90 */
};

/* Whether the bytes are a cubin, a fat binary, an archive, or a host file with a fat binary: what hd_cubin_scan reads.
 */
bool hd_cubin_expected(const uint8_t *bytes, size_t size);
/* The same, but for archives, which may hold anything. */
bool hd_cubin_certain(const uint8_t *bytes, size_t size);
/*
 * Calls `found` for each cubin in the bytes of a file. If it returns nonzero, the scan stops with -1. Returns the
 * number of cubins, or -1 with the error reported.
 */
int hd_cubin_scan(const uint8_t *bytes, size_t size, const char *path, struct hd_cubin_rest *rest,
		  int (*found)(void *context, const struct hd_cubin_image *image), void *context, struct hd_diag *diag);

/* ------------------------------------------------------------------ cubins */

/* An instruction of sm_70 and newer. */
struct hd_cubin_inst {
	uint16_t opcode; /* its low 12 bits */
	uint16_t kinds;	 /* bits of enum hd_mix_kind */
};

struct hd_cubin_function {
	const char *name; /* symbol */
	bool kernel;
	uint32_t registers, barriers;
	uint32_t stack_bytes;	  /* own frame */
	uint32_t max_stack_bytes; /* kernels: with the functions that they call */
	bool stack_open;	  /* a cycle of calls: max_stack_bytes has one iteration */
	uint32_t open_calls;	 /* of a relocatable cubin: callees, whose registers and stack come when it is linked */
	uint32_t shared_bytes;	 /* without what CUDA takes of each block for itself */
	uint32_t constant_bytes; /* bank 0: launch dimensions, parameters */
	uint32_t param_bytes;
	uint32_t local_bytes; /* .nv.local, of old cubins */
	uint32_t max_threads; /* launch bound; 0: none */
	uint32_t reqntid[3];
	uint32_t max_cluster;
	const struct hd_cubin_inst *insts; /* NULL: an architecture before sm_70 */
	uint32_t inst_count;		   /* without the padding behind them */
	uint32_t indirect_calls;	   /* of these: of functions whose address a register has */
	bool spills_known;		   /* (spills.c) */
	uint32_t spill_store_bytes, spill_load_bytes;
	struct hd_origin *origins; /* one per instruction: file and line; NULL: no line information */
	const char *file;	   /* where its code begins; NULL: not known */
	uint32_t line;
};

struct hd_cubin {
	unsigned arch;	      /* 80 */
	const char *target;   /* "sm_80", "sm_90a" */
	const char *producer; /* "ptxas 13.0.88", "ptxas of CUDA 12.4", "ptxas" */
	const char *options;  /* ptxas's, but for those that only name files or make it talk; "" */
	bool relocatable;
	uint32_t user_constant_bytes; /* bank 3: __constant__ */
	const char **files;	      /* of the origins */
	uint32_t file_count;
	struct hd_cubin_function *functions; /* by name */
	uint32_t function_count;
};

/* Reads a cubin. Everything in the result belongs to the arena. 0, or -1 with the error reported. */
int hd_cubin_read(const uint8_t *bytes, size_t size, const char *path, struct hd_arena *arena, struct hd_cubin *cubin,
		  struct hd_diag *diag);

/* Sets spills_known and the bytes of a function with this code: `count` instructions of 16 bytes. `helpers`: functions
 * of ptxas's own in it, in order. */
struct hd_cubin_range {
	uint64_t from, to; /* bytes */
};
struct hd_cubin_ranges {
	struct hd_cubin_range *data;
	uint32_t count;
};
void hd_cubin_spills(const uint8_t *code, uint32_t count, const struct hd_cubin_ranges *helpers,
		     struct hd_cubin_function *function);

/* The lines of a cubin's code (lines.c). */
struct hd_cubin_row {
	uint32_t function; /* index of the ELF section of its code */
	uint64_t address;  /* in that section */
	uint32_t file, line;
	uint32_t index; /* as they stand */
};
struct hd_cubin_lines {
	struct hd_arena *arena;	  /* owns all */
	struct hd_hash_set names; /* of the files, by text */
	uint64_t names_left;	  /* characters of names that may still come */
	HD_VEC(const char *) files;
	HD_VEC(struct hd_cubin_row) rows; /* as they stand */
};
/*
 * Adds the rows of .debug_line. `section_of` returns the section that the relocation at an offset of .debug_line names,
 * 0: none. Information that is damaged, or in a form that is not known, ends where it stands: it is never an error.
 */
void hd_cubin_lines_read(struct hd_cubin_lines *lines, const uint8_t *bytes, size_t size,
			 uint32_t (*section_of)(void *context, uint64_t offset, uint64_t *base), void *context);

#endif
