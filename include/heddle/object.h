/*
 * The kernel object (.hdo): the only data that passes and runtime share
 * (docs/architecture.md, The contract). An ELF64 relocatable file, written and read with libelf:
 *
 *   .text.<function>   16-byte instructions        .rel(a).text.<function>  calls and addresses
 *   .data .bss .rodata device globals, constants   .symtab .strtab          functions and globals
 *   .heddle.functions  numbers per function (frame, registers, jump tables)
 *   .linear.<kernel>   linear version of a kernel         .heddle.linear  its streams, register table and checks (P)
 *   .heddle.symbols    facts without an ELF symbol field (memory space, alignment, managed)
 *   .heddle.control    control bits of each instruction, if set (heddle/control.h) (P)
 *   .debug.heddle      origin of each instruction: source file, line, column, IR ordinal (P)
 *   .debug.heddle.inlined  calls whose callee was inlined, and the innermost one around each instruction, if known (P)
 *   .heddle.meta       metadata, separately per function (P)   .heddle.ir   annotated bitcode (P)
 *   .heddle.note       object version, total size (the object describes its own size)
 *
 * (P): compressed with zstd or zlib, as the header of the section says; functions can be read separately.
 * Reading is safe on any bytes: every offset and count is checked before use.
 */
#ifndef HEDDLE_OBJECT_H
#define HEDDLE_OBJECT_H

#include <stdio.h>

#include "heddle/inst.h"
#include "heddle/metadata.h"
#include "lib/arena.h"
#include "lib/bitset.h"
#include "lib/diag.h"
#include "lib/vec.h"

/* What is written, and the oldest version that is read (lib/object/versions.c has what changed). */
#define HD_OBJECT_VERSION 12
#define HD_OBJECT_OLDEST 10

/* Memory space of a device variable. */
enum hd_space { HD_SPACE_GLOBAL, HD_SPACE_CONSTANT, HD_SPACE_SHARED };

enum hd_symkind { HD_SYM_FUNCTION, HD_SYM_VARIABLE };

/* A function or variable that this object defines, or needs (undefined). */
struct hd_symbol {
	const char *name;
	enum hd_symkind kind;
	bool defined, global; /* global: visible to other objects and to the host */
	bool managed;
	uint32_t function;   /* functions: index in hd_object.functions */
	enum hd_space space; /* variables */
	uint64_t size, align;
	uint32_t section_offset; /* in .data/.rodata or .bss; shared variables: offset in the CTA's shared memory */
	bool bss;
};

enum hd_relkind {
	HD_REL_CALL,   /* x of a CALL becomes the function */
	HD_REL_ABS_LO, /* x becomes the low word of symbol + addend (variables: generic address; functions: code
			  address) */
	HD_REL_ABS_HI, /* ... the high word */
	HD_REL_ABS64   /* 8 bytes of data: symbol + addend */
};

struct hd_reloc {
	enum hd_relkind kind;
	uint32_t symbol; /* index in hd_object.symbols */
	uint32_t offset; /* code: instruction index; data: byte offset in .data */
	int64_t addend;
};

/* Origin of an instruction. */
struct hd_origin {
	uint32_t file;	       /* index in hd_object.files; UINT32_MAX unknown */
	uint32_t line, column; /* 0 unknown */
	uint32_t ir;	       /* ordinal of the IR instruction in its function; UINT32_MAX: made by the back end */
	uint32_t variable;     /* accesses: 1 + index in hd_object.symbols of the accessed variable; 0: unknown */
	uint32_t inlined;      /* 1 + index in hd_object.inlined of the innermost call around it; 0: none */
};

/* A call in whose place the callee's code stands, of programs compiled with -g or -lineinfo. */
struct hd_inlined {
	const char *callee; /* as the source names it */
	uint32_t file;	    /* of the call: index in hd_object.files; UINT32_MAX unknown */
	uint32_t line, column;
	uint32_t outer; /* 1 + index of the call around this one, which is less than its own; 0: none */
};

struct hd_jump_table {
	uint32_t *targets; /* instruction indices */
	uint32_t count;
};

struct hd_control; /* heddle/control.h */

struct hd_function {
	const char *name;
	bool kernel;
	/*
	 * Library function for arithmetic without an instruction (division, square root), called by the lowering as
	 * ptxas calls its $__internal functions. It uses only scratch registers, and its callers know which. Call
	 * depth, register stack and intervals treat a call of it as an instruction.
	 */
	bool helper;
	struct hd_inst *insts;
	struct hd_origin *origins;  /* one per instruction */
	struct hd_control *control; /* one per instruction; NULL: none */
	uint32_t inst_count;
	struct hd_reloc *relocs;
	uint32_t reloc_count;
	struct hd_jump_table *tables;
	uint32_t table_count;
	uint32_t registers;    /* highest register used + 1, this function alone */
	uint32_t frame_bytes;  /* own local frame */
	uint32_t shared_bytes; /* kernels: static shared memory */
	uint32_t param_bytes;  /* kernels */
	uint32_t result_words; /* registers of its results, from the convention's first on */
};

/* Instruction streams of a linear version (r2d2-isca23, 3.2), in the order of its body. */
enum hd_stream {
	HD_STREAM_COEFFICIENT, /* run by one thread per SM: R2CR */
	HD_STREAM_THREAD,      /* run by the first block of an SM: R2TR */
	HD_STREAM_BLOCK,       /* run by one warp of each block: R2BR */
	HD_STREAM_MAIN,	       /* run by all threads: the kernel without computations in linear registers */
	HD_STREAM_COUNT
};

/*
 * Launch condition of a linear version: low <= value <= high for every thread. The value is a program of words for a
 * stack of intervals; operands follow their operation (lib/object/check.c evaluates it).
 */
#define HD_CHECK_LIST(X)                                                                                    \
	X(CONSTANT, 1)	/* the next word */                                                              \
	X(BANK32, 1)	/* the sign-extended word at that byte of constant bank 0 */                       \
	X(BANK64, 1)	/* two words */                                                                    \
	X(INDEX, 1)	/* index 0..5 (tid.xyz, ctaid.xyz): 0 up to its dimension - 1 */                   \
	X(UP_TO, 0)	/* 0 up to the value on the stack */                                               \
	X(ADD, 0) X(MULTIPLY, 0)                                                                            \
	X(OPERATION, 1)	/* of launch constants (uniform.h): op + (from << 8) + (bits << 16) */
enum hd_check_op {
#define X(name, words) HD_CHECK_##name,
	HD_CHECK_LIST(X)
#undef X
		HD_CHECK_OPS
};
struct hd_linear_check {
	int64_t low, high;
	int64_t *words;
	uint32_t count;
};
enum { HD_LR_NO_THREAD = 0xff, HD_CHECK_DEPTH = 64 };

/* Registers of a kernel's original code that have no defined value after an instruction. */
struct hd_undefined {
	uint32_t pc; /* index */
	uint8_t reg, words;
};

/* The linear version of a kernel: its second body. Linear register n is thread-index register thread_of[n]
 * (HD_LR_NO_THREAD: none) plus block part n. */
struct hd_linear {
	struct hd_function body; /* all streams; has the kernel's name */
	uint32_t kernel;	 /* in hd_object.functions */
	uint32_t start[HD_STREAM_COUNT];
	uint32_t coefficients; /* registers %cr */
	uint32_t threads;      /* thread-index registers */
	uint32_t linears;      /* linear registers, at most HD_LR_COUNT */
	uint32_t saved;	       /* estimated instructions that the main stream saves per warp, in thousandths */
	uint8_t thread_of[HD_LR_COUNT];
	uint32_t *twins; /* per instruction: the kernel's instruction with the same access, or HD_NO_PC */
	struct hd_undefined *undefined; /* by pc */
	uint32_t undefined_count;
	struct hd_linear_check *checks;
	uint32_t check_count;
};

struct hd_object {
	struct hd_arena *arena; /* owns everything */
	struct hd_function *functions;
	uint32_t function_count;
	struct hd_linear *linears; /* by kernel, ascending */
	uint32_t linear_count;
	struct hd_symbol *symbols;
	uint32_t symbol_count;
	const char **files;
	uint32_t file_count;
	struct hd_inlined *inlined; /* only by hd_object_read */
	uint32_t inlined_count;
	uint8_t *data; /* initialised global variables and constants (.data; .rodata for constants) */
	uint32_t data_bytes;
	uint8_t *rodata;
	uint32_t rodata_bytes;
	uint32_t bss_bytes;
	struct hd_reloc *data_relocs; /* into .data */
	uint32_t data_reloc_count;
	struct hd_reloc *rodata_relocs;
	uint32_t rodata_reloc_count;
	uint32_t offload_sm; /* 70: written as an image of sm_70 that libomptarget loads; 0: an object like others */
	const uint8_t *bitcode;
	size_t bitcode_bytes;
	struct hd_metadata metadata;
	struct hd_object_rest
		*rest; /* parts left in the file by hd_object_open; NULL: the object was not read from a file */
};

/* Serialises an object; the caller frees *bytes. Equal objects give equal bytes. Returns 0 or -1. */
int hd_object_write(const struct hd_object *object, uint8_t **bytes, size_t *size, struct hd_diag *diag);
/* Serialises an object to a file, which is written under a temporary name and renamed; a failure leaves no file. */
int hd_object_write_file(const struct hd_object *object, const char *path, struct hd_diag *diag);
/* Writes `size` bytes to `path` under a temporary name and renames it. */
int hd_write_file(const char *path, const void *bytes, size_t size, struct hd_diag *diag);
/* Writes a file in pieces. The file appears only if hd_output_close returns 0. */
struct hd_output {
	FILE *to;
	char *path, *temporary; /* NULL: written in place */
	struct hd_output *next; /* of those that are open */
};
/* Whether hd_output_open() can write there, as far as that shows before: 0, or an errno. */
int hd_output_check(const char *path);
/* Whether two paths name one file, so that one output would replace the other. Devices and pipes take both. */
bool hd_output_same(const char *one, const char *other);
int hd_output_open(struct hd_output *output, const char *path, struct hd_diag *diag);
int hd_output_close(struct hd_output *output, struct hd_diag *diag);
/* In place of hd_output_close where what was written is not all: the file stays as it was. */
void hd_output_abandon(struct hd_output *output);
/* Reads a whole file; the caller frees *bytes (a NUL is appended, not counted). */
int hd_read_file(const char *path, uint8_t **bytes, size_t *size, struct hd_diag *diag);

/*
 * Reads an object; `name` is for messages. Copies everything into `arena`. Checks each instruction (hd_object_verify)
 * and the metadata. Returns 0, or -1 after reporting an error.
 */
int hd_object_read(const uint8_t *bytes, size_t size, const char *name, struct hd_arena *arena,
		   struct hd_object *object, struct hd_diag *diag);
/*
 * Reads an object without its functions' contents. Functions and linear versions have names, numbers and jump tables,
 * but no code (`insts` is NULL) and no relocations. Metadata has module-wide facts and names. The bitcode is left out.
 * Parts that are not loaded later are not verified.
 */
int hd_object_open(const uint8_t *bytes, size_t size, const char *name, struct hd_arena *arena,
		   struct hd_object *object, struct hd_diag *diag);
/*
 * Read and verify the missing parts of a function: code, relocations, origins and linear version of
 * object->functions[function]; figures, parameters, calls and launches of metadata.functions[function], with `tables`
 * also everything else. Parts already loaded are kept. Return 0, or -1 after reporting an error.
 */
int hd_object_load_code(struct hd_object *object, uint32_t function, struct hd_diag *diag);
int hd_object_load_metadata(struct hd_object *object, uint32_t function, bool tables, struct hd_diag *diag);
int hd_object_load_all_metadata(struct hd_object *object, struct hd_diag *diag);
/* Loads everything except the bitcode. */
int hd_object_load_all(struct hd_object *object, struct hd_diag *diag);
/* Returns the size declared by the object at `bytes` (for objects embedded without a length); 0 if it is no object. */
size_t hd_object_declared_size(const uint8_t *bytes);
/* Returns whether the object's header declares managed variables, whose memory belongs to the host program. */
bool hd_object_has_managed(const uint8_t *bytes);
/*
 * Finds the kernel objects in a file: an .hdo, or a host program (executable, shared library or object) with objects
 * in .nv_fatbin / .nvFatBinSegment. Calls `found` for each; the bytes are valid until it returns. If it returns
 * nonzero, the scan stops with -1. Returns the number of objects (0: a host program without device code), or -1.
 */
int hd_object_scan_file(const char *path, int (*found)(void *context, const uint8_t *bytes, size_t size), void *context,
			struct hd_diag *diag);

/* Verifies an object: hd_inst_check for every instruction, targets and tables in range, registers below
 * `registers`, no fall-through after the last instruction, relocations that fit their instruction. */
int hd_object_verify(const struct hd_object *object, const char *name, struct hd_diag *diag);
/* Registers that a function's code may name: `registers`, or as many as it asks for later (USETMAXREG). */
uint32_t hd_function_rows(const struct hd_function *function);

/* Returns whether a check holds for a launch with this constant bank 0 (HD_CB_BYTES; includes dimensions). False if
 * the value cannot be bounded. */
bool hd_linear_check_holds(const struct hd_linear_check *check, const uint8_t *constants);
/* Returns whether the main stream saves a grid of `blocks` blocks of `warps` warps on `sms` SMs more instructions
 * than the streams take: coefficients once per SM with a block, thread-index parts by the warps of one block there,
 * block-index parts by one warp of each block (r2d2-isca23, 4.1). */
bool hd_linear_pays(const struct hd_linear *linear, uint64_t blocks, uint32_t warps, uint32_t sms);
/* Returns the 32-bit registers that a linear version needs in addition to its threads' registers, for `blocks`
 * blocks of `threads` threads on an SM: thread-index, block-index and coefficient registers (r2d2-isca23, 5.6).
 * Section 5.6 counts registers by name. With `pairs`, they take the allocation of section 4.2: two words per
 * thread-index register and thread, two warp registers per block, one for sixteen coefficients. */
uint64_t hd_linear_registers(const struct hd_linear *linear, uint32_t threads, uint32_t blocks, bool pairs);
/* Returns the registers of an SM that `blocks` blocks of `threads` threads (whole warps) leave free. A physical
 * register number is an offset plus the register times the warps (section 4.2), so threads take the `registers`
 * named in their code, not whole allocation units. */
uint64_t hd_linear_free_registers(uint32_t of_sm, uint32_t registers, uint32_t threads, uint32_t blocks);
/* Returns the linear version of a function, or NULL. */
const struct hd_linear *hd_object_linear(const struct hd_object *object, uint32_t function);

/* hd_function_leaders returns the first instructions of basic blocks, as a bit set over inst_count.
 * hd_inst_successors writes at most `capacity` successors of an instruction and returns their number: the next
 * instruction first, if it can fall through, then targets; those of a jump table in table order, with repeats. Both
 * need a verified function. */
struct hd_bitset hd_function_leaders(const struct hd_function *function, struct hd_arena *arena);
uint32_t hd_inst_successors(const struct hd_function *function, uint32_t index, uint32_t *successors,
			    uint32_t capacity);

#endif
