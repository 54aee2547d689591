/*
 * The facts that the metadata of a function consists of, beside its plain figures: parameters, call sites, points,
 * intervals, accesses and the like. Figures are in heddle/figures.h.
 *
 * Registers are 32-bit registers of one thread; pcs are byte offsets in the function.
 */
#ifndef HEDDLE_FACTS_H
#define HEDDLE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

enum hd_call_kind { HD_CALL_DIRECT, HD_CALL_INDIRECT };
enum hd_preempt_kind { HD_PREEMPT_PP, HD_PREEMPT_BAR };	   /* "pp", "bar.pp" */
enum hd_switch_kind { HD_SWITCH_LOAD, HD_SWITCH_BARRIER }; /* "load", "barrier" */
enum hd_param_kind { HD_PARAM_INTEGER, HD_PARAM_FLOAT, HD_PARAM_POINTER, HD_PARAM_AGGREGATE };

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

#define HD_REUSE_BUCKETS 8
/* What is certain of a reuse distance (hd_meta_reuse.exact): nothing, or the operand is none; 1 to 35: the distance;
 * not read again on any way. As text one of the digits each. */
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

extern const char *const hd_meta_class_names[HD_CLASSES]; /* "grid", "block", ... */

#endif
