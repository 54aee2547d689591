/*
 * Results of the passes for a program (docs/architecture.md, The life of a figure): the structs that analyses fill,
 * hd_metadata_to_json prints under metadata.schema.json, and runtime and tools read. Plain figures, with units and
 * meanings, are rows of metadata.def, which define the members.
 *
 * All arrays and strings belong to the arena of the struct hd_metadata. Registers are 32-bit registers of one thread;
 * pcs are byte offsets in the function.
 */
#ifndef HEDDLE_METADATA_H
#define HEDDLE_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/api.h"
#include "lib/arena.h"
#include "lib/diag.h"

#define HD_METADATA_VERSION 1

enum hd_compile_mode { HD_MODE_WHOLE_PROGRAM, HD_MODE_RELOCATABLE };
enum hd_call_kind { HD_CALL_DIRECT, HD_CALL_INDIRECT };
enum hd_preempt_kind { HD_PREEMPT_PP, HD_PREEMPT_BAR };	   /* "pp", "bar.pp" */
enum hd_switch_kind { HD_SWITCH_LOAD, HD_SWITCH_BARRIER }; /* "load", "barrier" */
enum hd_param_kind { HD_PARAM_INTEGER, HD_PARAM_FLOAT, HD_PARAM_POINTER, HD_PARAM_AGGREGATE };

/* Members defined by rows of metadata.def. */
#define HD_META_MEMBER_NUMBER(member) uint32_t member;
#define HD_META_MEMBER_FLAG(member) bool member;

struct hd_meta_source {
	const char *file; /* NULL without debug information */
	uint32_t line;
};

/* A kernel parameter in constant bank 0 at HD_CB_PARAMS + offset. */
struct hd_meta_param {
	const char *name; /* NULL when unknown */
	const char *type; /* source type if libclang saw it, otherwise IR type */
	enum hd_param_kind kind;
	uint32_t offset, bytes, align;
};

/* A call site. An indirect call lists its possible callees; the worst one counts (CARS III-C). */
struct hd_meta_call {
	uint32_t pc;
	enum hd_call_kind kind;
	const char **callees; /* names, sorted */
	uint32_t callee_count;
	bool recursive;	      /* the call is within a cycle of the call graph */
	bool unknown_callees; /* an indirect call with unknown callees */
	uint32_t fru;	      /* FRU of the (worst) callee, embedded in the call by CARS */
	struct hd_meta_source source;
};

/* A save or restore that CARS replaces by a push or pop (CARS IV-A). */
struct hd_meta_save {
	uint32_t pc;
	uint8_t reg;   /* first register */
	uint8_t count; /* registers moved by this instruction */
	bool restore;
	int32_t offset; /* bytes from R1, the baseline's place */
};

/* A launch site in the host code, found by libclang. Zero: not a constant. */
struct hd_meta_launch {
	struct hd_meta_source source;
	uint32_t block[3];
	uint32_t shared_bytes;
	bool block_known, shared_known;
};

/* Registers and predicates: bit r % 64 of word r / 64 is register r, bit p of preds predicate p. */
struct hd_meta_registers {
	uint64_t regs[4];
	uint8_t preds;
};

/*
 * A register with a value pattern within a pattern analysing group: min(warp width, x dimension of the block)
 * neighbouring threads (Lin 2.3.3). It holds if that x dimension is a multiple or a divisor of the warp width, for the
 * threads that need the register: those for which it is live where they execute or wait.
 */
struct hd_meta_pattern {
	uint8_t reg;
	bool strided; /* false: uniform */
	bool stride_known;
	int32_t stride;	     /* strided: step from one thread to the next; 0: uniform */
	uint32_t dimensions; /* holds for the whole block ("global") in blocks of at most this many dimensions; 0:
				never. Only at bar.pp */
};

/* A preemption point (Lin 2.4.1). */
struct hd_meta_point {
	uint32_t pc;
	enum hd_preempt_kind kind; /* pp: before this instruction; bar.pp: instead of this barrier */
	uint32_t loop_pc;	   /* header of the loop that it cuts; UINT32_MAX: none */
	struct hd_meta_registers live,
		live_divergent; /* registers to save if the warp has not diverged, and if it has */
	uint64_t mask,
		mask_divergent; /* operands of pp and of the dummy after it: R0..R52, bit 53 all higher registers */
	struct hd_meta_pattern *patterns; /* of live_divergent, by register; others are random */
	uint32_t pattern_count;
};

/* A barrier at which warps wait, preemption point or not, with the registers that they need. */
struct hd_meta_barrier {
	uint32_t pc;
	struct hd_meta_registers live;
};

/* A switch point (Lin 3.6.6): the first use of the result of a global load, or a barrier. */
struct hd_meta_switch {
	uint32_t pc; /* the boundary before this instruction */
	enum hd_switch_kind kind;
	struct hd_meta_registers live, live_divergent; /* for a warp that has not diverged, and for one that has */
	struct hd_meta_registers loading;	       /* registers with loads in flight; saved whole, live or not */
	struct hd_meta_pattern *patterns;	       /* of live_divergent, by register; others are random */
	uint32_t pattern_count;
	uint32_t bytes; /* live_divergent and loading, compressed in groups of 32 threads */
};

/* A register-interval or a strand (LTRF 3.3, 6.6). Control enters only at entry_pc; a strand may branch back to its
 * own entry. */
struct hd_meta_interval {
	uint32_t id, entry_pc;	 /* a PREFETCH is due here if control comes from elsewhere and the set is not empty */
	uint32_t *pcs, pc_count; /* its instructions, ascending */
	uint64_t working_set[4]; /* the PREFETCH bit-vector: bit r % 64 of word r / 64 is register r */
	uint64_t live_in[4]; /* registers of the working set that some lane of the warp may still read; the others only
				need space */
};

/* Reuse distances of register operands and their tags (Malekeh 3.2, 4). */
#define HD_REUSE_BUCKETS 8
struct hd_meta_reuse {
#define HD_META_REUSE(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	uint32_t histogram[HD_REUSE_BUCKETS]; /* near and far operands by distance: 1, 2, 3-4, 5-8, ..., 33-64, more */
	uint8_t *tags;			      /* per instruction: bit 0 dst, 1 a, 2 b, 3 c is near */
	uint8_t *exact;			      /* four per instruction (dst a b c): known distance, encoded as below */
	uint32_t tag_count;		      /* instructions */
};
/* 0: no claim, or no operand; 1 to 35: the distance; 36: not read again on any path. As text, one of these digits
 * each. */
enum { HD_REUSE_NO_CLAIM = 0, HD_REUSE_EXACT_MOST = 35, HD_REUSE_NEVER = 36 };
#define HD_REUSE_DIGITS "-123456789abcdefghijklmnopqrstuvwxyz0"

/* Whether a thread block can be restarted from its start (SM-flushing, Lin 2.2.2), and if not, why. */
enum hd_idempotence_break {
	HD_BREAK_NONE,
	HD_BREAK_STORE,
	HD_BREAK_ATOMIC,
	HD_BREAK_VOLATILE,
	HD_BREAK_CALL,
	HD_BREAK_SERVICE,
	HD_BREAK_CLOCK
};
struct hd_meta_place {
	const char *function; /* NULL: no place */
	uint32_t pc;
	struct hd_meta_source source;
};
struct hd_meta_idempotence {
	enum hd_idempotence_break why; /* HD_BREAK_NONE: it can be restarted */
	struct hd_meta_place at;       /* the instruction that prevents it, in the function or its callees */
	struct hd_meta_place read;     /* HD_BREAK_STORE: a load of memory that the store may overwrite */
};

/*
 * Linear values (R2D2 3.1). Polynomials are text over launch constants: parameters (P2 is the third, P2.8 the word
 * at its byte 8, P2.8l both words there), ntid.x, nctaid.y, @variable, iterations i0 of loops, and operations such as
 * smin32(P1,64) (heddle/uniform.h). A vector is c, then the factors of tid.x, .y, .z and ctaid.x, .y, .z.
 */
#define HD_META_VECTOR 7
struct hd_meta_linear_register {
	const char *vector[HD_META_VECTOR]; /* c: the base, which the block-index part includes */
	int32_t thread_part; /* linear registers with equal thread parts share it; -1: no tid in the vector */
	uint32_t bits, uses; /* bits: 32 or 64 */
};
/* Maximum back edges of a loop. */
struct hd_meta_iterations {
	const char *symbol, *most;
};
/* A condition for all threads and iterations of a launch; if it fails, the launch runs the original code. The
 * runtime evaluates struct hd_linear_check. */
struct hd_meta_condition {
	const char *vector[HD_META_VECTOR];
	int64_t low, high;
	struct hd_meta_iterations *iterations;
	uint32_t iteration_count;
};
enum hd_access_kind { HD_ACCESS_LOAD, HD_ACCESS_STORE, HD_ACCESS_ATOMIC };
/* GENERIC: any space; only the address tells. */
enum hd_access_space { HD_ACCESS_GLOBAL, HD_ACCESS_SHARED, HD_ACCESS_GENERIC };
enum hd_access_assumption { HD_ASSUME_NOTHING, HD_ASSUME_BLOCK, HD_ASSUME_WHOLE_ROWS };
/* A global, shared or generic access of the original code, for warps with all lanes active. */
struct hd_meta_access {
	uint32_t pc;
	enum hd_access_kind kind;
	enum hd_access_space space;
	uint32_t bytes;	     /* per lane */
	const char *address; /* its vector as text; NULL: not linear */
	enum hd_access_assumption
		assumes; /* BLOCK: blocks have the dimensions `block`; WHOLE_ROWS: blockDim.x is a multiple of 32 */
	uint32_t block[3];
	const char *lane_stride; /* bytes from one lane to the next, a polynomial; NULL: not equal for all lanes, or not
				    linear */
	bool stride_known;
	int64_t stride;	    /* lane_stride as a number */
	uint32_t alignment; /* the first lane's address is a multiple of it, with pointer parameters aligned to 256; at
			       most 256 */
	uint32_t sectors_least, sectors_most; /* global: 32-byte sectors per request; 0: unknown */
	uint32_t conflicts_least,
		conflicts_most; /* shared: accesses of the busiest of 32 banks; 1: no conflict; 0: unknown */
	int32_t row_step; /* bytes to add to the rows of the shared array to remove conflicts (negative: to subtract);
			     0: no conflicts, or no known change */
	struct hd_meta_source source;
};
/*
 * Uniformity of a value. Equal in: GRID: all threads; BLOCK: the threads of a block; WARP: lanes of a warp that
 * execute together. AFFINE: different, but linear in tid or a comparison of such values. DIVERGENT: none of these.
 * With `iterates`, GRID and BLOCK mean threads in the same iteration of the enclosing loops.
 */
enum hd_value_class { HD_CLASS_GRID, HD_CLASS_BLOCK, HD_CLASS_WARP, HD_CLASS_AFFINE, HD_CLASS_DIVERGENT, HD_CLASSES };
/* A conditional branch of the original code. */
struct hd_meta_branch {
	uint32_t pc;
	enum hd_value_class class; /* of its condition */
	bool iterates;
	struct hd_meta_source source;
};
struct hd_meta_affine {
#define HD_META_AFFINE(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	uint32_t value_classes[HD_CLASSES];  /* IR instructions with a result */
	uint32_t branch_classes[HD_CLASSES]; /* conditional IR branches */
	struct hd_meta_branch *branches;     /* by pc */
	uint32_t branch_count;
	struct hd_meta_linear_register *registers;
	uint32_t register_count;
	const char **scalars; /* polynomials in coefficient registers that uses read */
	uint32_t scalar_count;
	struct hd_meta_condition *conditions;
	uint32_t condition_count;
	struct hd_meta_access *accesses; /* by pc */
	uint32_t access_count;
};

/*
 * The linear version of a kernel (R2D2 3.2, 4.4): its needs in addition to the kernel's own figures, and the other
 * analyses' results for its main stream. Program counters start at its body, which begins with the streams. Arrays
 * with an element per instruction also have elements for the streams, without information.
 */
struct hd_meta_linear_version {
#define HD_META_LINEAR(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	struct hd_meta_interval *intervals; /* these members as in hd_meta_function */
	uint32_t interval_count;
	struct hd_meta_point *points;
	uint32_t point_count;
	struct hd_meta_barrier *barriers;
	uint32_t barrier_count;
	struct hd_meta_call *calls;
	uint32_t call_count;
	uint32_t *divergent_pcs, divergent_pc_count;
	uint8_t *dead_operands;
	uint32_t dead_operand_count;
	struct hd_meta_reuse *reuse; /* NULL: unknown */
};

struct hd_meta_function {
	const char *name, *demangled;
	struct hd_meta_source source;
	bool kernel;
#define HD_META_FUNCTION(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	uint32_t reqntid[3];
	struct hd_meta_param *params;
	uint32_t param_count;
	const char **high_watermark_chain; /* names from this function down the deepest chain */
	uint32_t chain_count;
	struct hd_meta_call *calls;
	uint32_t call_count;
	struct hd_meta_save *saves;
	uint32_t save_count;
	struct hd_meta_reuse *reuse;		       /* NULL: unknown */
	struct hd_meta_idempotence *idempotence;       /* NULL: unknown */
	struct hd_meta_affine *affine;		       /* kernels only; NULL: unknown */
	struct hd_meta_linear_version *linear_version; /* kernels only; NULL: none */
	struct hd_meta_launch *launches;
	uint32_t launch_count;
	struct hd_meta_interval *intervals, *strands; /* by id, in order of entry_pc; interval_count, strand_count */
	uint32_t *divergent_pcs; /* instructions after which lanes may continue at different places; ascending */
	uint32_t divergent_pc_count;
	uint8_t *dead_operands;	     /* per instruction: bit 0 a, 1 b, 2 c is last read in the whole warp (LTRF+) */
	uint32_t dead_operand_count; /* instructions, or 0 */
	struct hd_meta_point *points;
	uint32_t point_count;
	struct hd_meta_barrier *barriers;
	uint32_t barrier_count;
	struct hd_meta_switch *switches; /* by pc */
	uint32_t switch_count;
};
#undef HD_META_MEMBER_NUMBER
#undef HD_META_MEMBER_FLAG

struct hd_metadata {
	struct hd_arena *arena; /* owns everything below */
	const char *module;   /* source file or module name; relative names have no directories of the build machine */
	const char *target;   /* "sm_70" */
	const char *producer; /* "heddle 0.1.0, LLVM 19.1.7" */
	const char *flags;    /* pass parameters in canonical order; see hd_metadata_parameter */
	const struct hd_abi *abi; /* its calling convention (lib/machine/abi.h); read from flags */
	enum hd_compile_mode mode;
	struct hd_meta_function *functions; /* kernels and device functions, in order of name */
	uint32_t function_count;
};

/* Returns JSON text with stable key order and number format, ended by a newline. The caller frees it; NULL only if
 * out of memory. */
char *hd_metadata_to_json(const struct hd_metadata *metadata);
/* Returns the JSON Schema of that text. The caller frees it. */
char *hd_metadata_schema(void);
/* Reads the JSON text. Ignores unknown keys; a missing or ill-typed required key is an error. Returns 0 or -1. */
int hd_metadata_from_json(const char *text, size_t size, const char *name, struct hd_arena *arena,
			  struct hd_metadata *metadata, struct hd_diag *diag);
extern const char *const hd_meta_class_names[HD_CLASSES]; /* "grid", "block", ... */
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
/* Returns the demangled name without return type and parameters. */
char *hd_meta_function_bare_name(const struct hd_meta_function *function, struct hd_arena *arena);
/* Returns the name for people: the demangled name, or the symbol if there is none. */
const char *hd_meta_shown_name(const struct hd_meta_function *function);
/* Returns whether a shell pattern (*, ?, [...]) matches a complete form of the name accepted by hd_metadata_find. */
bool hd_meta_function_matches(const struct hd_meta_function *function, const char *glob);

#endif
