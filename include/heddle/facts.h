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
	const char *file; /* NULL when the program has no debug information */
	uint32_t line;
};

/* A kernel parameter in constant bank 0 at HD_CB_PARAMS + offset. */
struct hd_meta_param {
	const char *name; /* NULL when unknown */
	const char *type; /* source type where libclang saw it, else IR type */
	enum hd_param_kind kind;
	uint32_t offset, bytes, align;
};

/* A call site. An indirect site lists its possible callees; the worst of them counts (CARS III-C). */
struct hd_meta_call {
	uint32_t pc;
	enum hd_call_kind kind;
	const char **callees; /* names, sorted */
	uint32_t callee_count;
	bool recursive;	      /* the edge stays inside a cycle of the call graph */
	bool unknown_callees; /* an indirect site whose set could not be bounded by the module */
	uint32_t fru;	      /* of the (worst) callee, as CARS embeds it in the call */
	struct hd_meta_source source;
};

/* A push or pop in CARS's sense: the save or restore it replaces (CARS IV-A). */
struct hd_meta_save {
	uint32_t pc;
	uint8_t reg;   /* first register */
	uint8_t count; /* registers moved by this instruction */
	bool restore;
	int32_t offset; /* bytes from R1 where the baseline keeps it */
};

/* A launch site in the host code, as libclang found it. Zero: not a constant. */
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
 * A register whose values follow a pattern inside a pattern analysing group: min(warp width, x dimension of the block)
 * neighbouring threads (Lin 2.3.3). It holds where that x dimension is a multiple of the warp width or a divisor of it,
 * for the threads that need the register: those for which it is live where they are or wait.
 */
struct hd_meta_pattern {
	uint8_t reg;
	bool strided; /* else uniform */
	bool stride_known;
	int32_t stride;	     /* strided: from one thread to the next; 0: uniform */
	uint32_t dimensions; /* it holds for the whole block ("global") in blocks of at most so many dimensions; 0:
				never. At bar.pp only */
};

/* A preemption point (Lin 2.4.1). */
struct hd_meta_point {
	uint32_t pc;
	enum hd_preempt_kind kind; /* pp: before this instruction; bar.pp: in place of this barrier */
	uint32_t loop_pc;	   /* header of the loop that it is there to cut; UINT32_MAX: none */
	struct hd_meta_registers live, live_divergent; /* to save when the warp has not diverged, and when it has */
	uint64_t mask, mask_divergent; /* operands of pp and of the dummy behind it: R0..R52, bit 53 all higher ones */
	struct hd_meta_pattern *patterns; /* of live_divergent, by register; what is not here is random */
	uint32_t pattern_count;
};

/* A barrier at which warps wait, a point or not: what they need while they do. */
struct hd_meta_barrier {
	uint32_t pc;
	struct hd_meta_registers live;
};

/* A switch point (Lin 3.6.6): the first instruction that needs what a global load is to bring, or a barrier. */
struct hd_meta_switch {
	uint32_t pc; /* the boundary before this instruction */
	enum hd_switch_kind kind;
	struct hd_meta_registers live, live_divergent; /* of a warp that has not diverged, and of one that has */
	struct hd_meta_registers loading; /* registers only: what loads may still bring; kept whole, live or not */
	struct hd_meta_pattern *patterns; /* of live_divergent, by register; what is not here is random */
	uint32_t pattern_count;
	uint32_t bytes; /* live_divergent and loading, compressed in groups of 32 threads */
};

/* A register-interval or a strand (LTRF 3.3, 6.6): control enters at entry_pc only; a strand may branch back to its
 * own. */
struct hd_meta_interval {
	uint32_t id, entry_pc; /* where a PREFETCH is due when control comes from elsewhere and the set is not empty */
	uint32_t *pcs, pc_count; /* its instructions, ascending */
	uint64_t working_set[4]; /* the PREFETCH bit-vector: bit r % 64 of word r / 64 is register r */
	uint64_t live_in[4];	 /* of these, what some lane of the warp may still read; the others need space only */
};

#define HD_REUSE_BUCKETS 8
/* What is certain of a reuse distance (hd_meta_reuse.exact): nothing, or the operand is none; 1 to 35: the distance;
 * not read again on any way. As text one of the digits each. */
enum { HD_REUSE_NO_CLAIM = 0, HD_REUSE_EXACT_MOST = 35, HD_REUSE_NEVER = 36 };
#define HD_REUSE_DIGITS "-123456789abcdefghijklmnopqrstuvwxyz0"

/* Whether a thread block can be run again from its start (SM-flushing, Lin 2.2.2), and if not, why. */
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
	enum hd_idempotence_break why; /* HD_BREAK_NONE: it can */
	struct hd_meta_place at;       /* the instruction that breaks it, in the function or in what it calls */
	struct hd_meta_place read;     /* HD_BREAK_STORE: a load of what the store may overwrite */
};

/*
 * Linear values (R2D2 3.1). Polynomials are text over launch constants: parameters (P2 is the third, P2.8 the word
 * at its byte 8, P2.8l both words there), ntid.x, nctaid.y, @variable, iterations i0 of loops, and operations such as
 * smin32(P1,64) (heddle/uniform.h). A vector is c, then the factors of tid.x, .y, .z and ctaid.x, .y, .z.
 */
#define HD_META_VECTOR 7
struct hd_meta_linear_register {
	const char *vector[HD_META_VECTOR]; /* c: the base, which the block-index part includes */
	int32_t thread_part;		    /* linear registers with the same one share it; -1: no tid in it */
	uint32_t bits, uses;		    /* bits: 32 or 64 */
};
/* How often a loop goes back to its header at most. */
struct hd_meta_iterations {
	const char *symbol, *most;
};
/* Must hold for all threads and iterations of a launch, or the launch runs the original code; struct hd_linear_check is
 * what the runtime evaluates. */
struct hd_meta_condition {
	const char *vector[HD_META_VECTOR];
	int64_t low, high;
	struct hd_meta_iterations *iterations;
	uint32_t iteration_count;
};
enum hd_access_kind { HD_ACCESS_LOAD, HD_ACCESS_STORE, HD_ACCESS_ATOMIC };
/* GENERIC: any, which only the address says. */
enum hd_access_space { HD_ACCESS_GLOBAL, HD_ACCESS_SHARED, HD_ACCESS_GENERIC };
enum hd_access_assumption { HD_ASSUME_NOTHING, HD_ASSUME_BLOCK, HD_ASSUME_WHOLE_ROWS };
/* A global, shared or generic access of the original code, for warps with all lanes active. */
struct hd_meta_access {
	uint32_t pc;
	enum hd_access_kind kind;
	enum hd_access_space space;
	uint32_t bytes;	     /* of a lane */
	const char *address; /* its vector as text; NULL: not linear */
	enum hd_access_assumption
		assumes; /* BLOCK: blocks have the dimensions `block`; WHOLE_ROWS: blockDim.x is a multiple of 32 */
	uint32_t block[3];
	const char *lane_stride; /* bytes from one lane to the next, a polynomial; NULL: not the same for all, or not
				    linear */
	bool stride_known;
	int64_t stride;	    /* the same as a number */
	uint32_t alignment; /* the first lane's address is a multiple of it, where pointer parameters are of 256; at
			       most 256 */
	uint32_t sectors_least, sectors_most; /* 32-byte sectors of a request, global; 0: not known */
	uint32_t conflicts_least,
		conflicts_most; /* accesses of the busiest of 32 banks, shared, 1: no conflict; 0: not known */
	int32_t row_step; /* bytes by which rows of the shared array would have to be longer for conflicts to be gone,
			     negative: shorter; 0: there are none, or no such change is known */
	struct hd_meta_source source;
};
/*
 * For whom a value is the same: GRID: all threads; BLOCK: the threads of a block; WARP: lanes of a warp that execute
 * together; AFFINE: nobody, but it is linear in tid or compares such values; DIVERGENT: none of these. Where it
 * `iterates`, GRID and BLOCK mean threads in the same iteration of the loops around it.
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
