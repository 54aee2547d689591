/*
 * Machine IR: what lowering works on between LLVM IR and struct hd_inst (docs/architecture.md,
 * The life of an instruction).
 *
 * Selection makes it in SSA form over virtual registers; out-of-SSA, scheduling and register
 * allocation rewrite it in place until every register is physical and hd_mfunc_emit can turn
 * it into a struct hd_function. Blocks, registers and instructions are dense ids.
 *
 * Register ids, one space: 0..254 R0..R254, 255 RZ, 256..262 P0..P6, 263 PT, 264.. virtual.
 *
 * SSA form
 * - A virtual register has one definition, which writes all its words. Uses may name part of
 *   it (`sub`, `words`), so the high word of a pair is {v, 1, 1}.
 * - HD_OP_PAIR builds a pair or quad from its words (struct hd_mreg list in `extras`).
 * - Only branches carry guards; conditional values are SEL or control flow. Out of SSA form other instructions may have
 *   one, too.
 * - Physical registers appear only around calls, at function entry (arguments, R1) and before
 *   RET, as COPY to or from them, in the block that holds the call.
 */
#ifndef HD_PASSES_MIR_MIR_H
#define HD_PASSES_MIR_MIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/inst.h"
#include "heddle/object.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/machine/abi.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "passes/graph/graph.h"
#include "passes/mir/steps.h"

enum {
	HD_MREG_PRED = 256,		   /* P0 */
	HD_MREG_PT = HD_MREG_PRED + HD_PT, /* 263 */
	HD_MREG_VIRTUAL = 264,
	HD_MREG_WORDS = 128, /* of a register at most; more than HD_MREG_VALUE: a range, of a warpgroup's product */
	HD_MREG_VALUE = 4
};
#define HD_NO_BLOCK 0xffffffffu
#define HD_LOOP_ROUNDS 10.0 /* assumed of a loop of which nothing is known */

/* Opcodes that exist only here. */
enum {
	HD_OP_PHI = HD_OP_LIMIT, /* dst (or pdst); extras: one register for each predecessor, in order of block->preds;
				    predicates too */
	HD_OP_COPY,		 /* dst = b (any width), or pdst = psrc */
	HD_OP_PAIR,		 /* dst = words in extras, low first */
	HD_OP_UNDEF,		 /* dst or pdst has any value */
	HD_OP_PARCOPY,		 /* out of SSA: extras hold dst, src, dst, src...; all reads before all writes */
	HD_OP_MIR_COUNT
};

/* A register operand: `words` words of register `id` from word `sub`. words 0: none. Predicates have words 1. */
struct hd_mreg {
	uint32_t id;
	uint8_t sub, words;
};
#define HD_MREG_NONE ((struct hd_mreg){HD_RZ, 0, 0})
#define HD_MREG_RZ ((struct hd_mreg){HD_RZ, 0, 1})

/* What x refers to beside its own value. */
enum hd_mref {
	HD_MREF_NONE,
	HD_MREF_BLOCK,	  /* branch target: ref is a block id */
	HD_MREF_FRAME,	  /* x += offset of frame object `ref` from R1; `a` is then R1 */
	HD_MREF_OUTGOING, /* x += bytes of the stack-argument area of calls: from where R1 points to what lies above it
			   */
	HD_MREF_INCOMING, /* x += frame size: stack arguments of this function, from R1 */
	HD_MREF_CALL,	  /* ref is a symbol index (hd_object.symbols) */
	HD_MREF_LO,
	HD_MREF_HI,   /* x is the addend; low or high word of the address of symbol `ref` */
	HD_MREF_TABLE /* BRX: ref is a jump table of the function */
};

/* Accesses of one IR instruction that are told apart. */
#define HD_SITE_PARTS 256u

/* What is the same in all lanes that execute an atomic operation together: even where they have come by different
 * paths, or where lanes stay together (hd_mfunc_stays_together). */
enum { HD_ALIKE_ADDRESS = 1, HD_ALIKE_OPERAND = 2, HD_ALIKE_ADDRESS_TOGETHER = 4, HD_ALIKE_OPERAND_TOGETHER = 8 };

struct hd_minst {
	uint16_t op, mods;
	uint8_t role;  /* enum hd_role */
	uint8_t xkind; /* enum hd_xkind; an operand slot named by xkind has words 0 */
	uint8_t srcmods;
	uint8_t ref_kind;    /* enum hd_mref */
	uint8_t coefficient; /* of a linear operand: its %cr, HD_RZ none */
	uint8_t uniform_dst; /* of R2UR and UMOV: the uniform register */
	uint16_t linear;     /* HD_LR: the slot has words 0 where the opcode's slot names a coefficient register */
	struct hd_mreg dst, a, b, c;
	uint32_t pdst, psrc, psrc2, guard; /* predicate register ids; HD_MREG_PT when absent */
	bool psrc_not, psrc2_not, guard_not;
	bool uniform;  /* branches: proven uniform over the warp */
	bool helper;   /* a call of one (heddle/object.h) */
	bool covers;   /* guarded: lanes outside the guard do not need what dst held */
	uint8_t alike; /* HD_ALIKE_: of atomics */
	uint32_t x;
	uint32_t ref;
	uint32_t loc;	   /* index in hd_mfunc.locs */
	uint32_t ir;	   /* ordinal of the IR instruction, UINT32_MAX none */
	uint32_t variable; /* accesses: 1 + symbol of the variable that they are to, 0: not known */
	/* variable operands: extras[extra .. extra+extra_count); the last extra_defs of them are written, the others
	 * read. Calls: argument registers read, then result registers written; all caller-saved registers are clobbered
	 * too. */
	uint32_t extra;
	uint16_t extra_count, extra_defs;
	/* of accesses and the like: the same in every selection of the function; 0 none. HD_SITE_PARTS times 1 + its IR
	 * instruction's index in hd_mfunc.visited, plus 1 for the first that this makes, 2 for the second ... */
	uint32_t site;
	uint32_t undefines; /* 1 + index in hd_mfunc.undefined: a register that holds no value behind this; 0 none */
	uint32_t tag; /* 1 + number of the instruction before allocation, 0: the allocator's own; for its checker */
};

/* A load that may go all the way to device memory. */
/* Whether it gives a register that is read: an atomic operation without a result names RZ. */
static inline bool hd_minst_has_result(const struct hd_minst *inst)
{
	return inst->dst.words && inst->dst.id != HD_RZ;
}

static inline bool hd_minst_is_global_load(const struct hd_minst *inst)
{
	return inst->op < HD_OP_LIMIT && !(hd_opinfo[inst->op].effects & HD_FX_ATOMIC) && hd_op_loads_device(inst->op);
}

/* Physical registers that hold no value behind an instruction, found when frames are made. */
struct hd_mundefined {
	uint32_t reg, words;
	uint32_t next; /* 1 + index of another one of the instruction */
};

struct hd_mblock {
	HD_VEC(struct hd_minst)
	insts; /* PHIs first; ends with at most one guarded BRA and then one of BRA, BRX, RET, EXIT, TRAP */
	HD_VEC(uint32_t)
	preds; /* order matters: PHI operands follow it; no duplicates (critical edges to one block merge) */
	HD_VEC(uint32_t)
	succs;		  /* in the order: guarded target, other target; or jump table targets without duplicates */
	double frequency; /* executions for one execution of the function, estimated or from !prof; >= 0 */
	uint32_t loop_depth;
};

struct hd_mvreg {
	uint8_t words; /* 1, 2, 4, or of a range; 0: predicate */
	bool range;    /* whatever its width: what a warpgroup's product has in flight */
	uint32_t hint; /* preferred physical register or virtual register to share with; UINT32_MAX none */
};

enum hd_frame_kind { HD_FRAME_LOCAL, HD_FRAME_SPILL, HD_FRAME_SAVE };
struct hd_frame_object {
	uint32_t bytes, align;
	enum hd_frame_kind kind;
	uint32_t offset; /* from R1 after the prologue; set by hd_frame_run */
};

struct hd_mtable {
	uint32_t *blocks;
	uint32_t count;
};

/* Spills in shared memory (regalloc/spills_in_shared.c). */
struct hd_mspills {
	uint32_t words;	  /* of a thread that there may be; 0: none */
	uint32_t threads; /* of a block at most */
	uint32_t offset;  /* where they begin in a block's shared memory */
	uint32_t base;	  /* the register that addresses them; HD_NO_REG: there are no spills */
	uint32_t bytes;	  /* of a block that they take */
};

/* Whether values are parked in uniform registers. */
enum hd_uniform_use {
	HD_UNIFORM_NEVER /* the processor has none */,
	HD_UNIFORM_SHORT /* of registers */,
	HD_UNIFORM_ALWAYS
};

struct hd_mfunc {
	struct hd_arena *arena; /* the function's own, freed with it (hd_mfunc_free) */
	const char *name;
	bool kernel, stream; /* stream: a linear stream of a kernel, which has no stack */
	bool helper;	     /* heddle/object.h */
	const struct hd_abi *abi;
	uint64_t without;		 /* enum hd_switch: improvements that are left out */
	uint32_t sm_threads;		 /* threads that an SM of the function's processor holds */
	uint32_t capability;		 /* 75 of sm_75 */
	enum hd_uniform_use uniform;	 /* registers of the warp */
	uint32_t max_registers;		 /* limit for the allocator: launch bounds, -maxrregcount, 255 */
	uint32_t entry_registers;	 /* limit that source or options give a kernel, in steps of eight; 0: none */
	bool resizes;			 /* its warps hand registers on: entry_registers are what they begin with */
	HD_VEC(struct hd_mblock) blocks; /* block 0 is the entry */
	HD_VEC(struct hd_mvreg) vregs;	 /* index = id - HD_MREG_VIRTUAL */
	HD_VEC(struct hd_mreg) extras;
	HD_VEC(struct hd_loc) locs; /* [0] is 'unknown'; file names live in the unit's arena */
	HD_VEC(uint32_t) inlined;   /* of each place: 1 + the innermost inlined call around it; empty: not asked for */
	HD_VEC(struct hd_frame_object) frame;
	HD_VEC(struct hd_mtable) tables;
	uint32_t outgoing_bytes;       /* largest stack-argument area of any call, at R1 + 0 */
	uint32_t param_bytes;	       /* kernels */
	uint32_t result_words;	       /* registers of its results, from the convention's first on */
	bool has_calls, calls_program; /* any; any that is not of a helper */
	struct hd_clobbers *clobbers,
		**callees;  /* ipra.h: this function's own, and by symbol; NULL: by the convention */
	bool dynamic_stack; /* has objects of dynamic size: R1 moves, the frame is found through hd_mfunc_frame_base */
	/* results of later steps */
	HD_VEC(uint32_t) order; /* block layout; empty: by id */
	uint32_t frame_bytes;	/* after hd_frame_run: a multiple of 8, of 16 where a callee or an object needs
				   it */
	uint32_t registers;	/* highest physical register + 1 + those that the ABI reserves */
	uint32_t saved_first, saved_count; /* callee-saved registers pushed: R[saved_first .. +saved_count) */
	uint32_t spill_store_bytes, spill_load_bytes;
	struct hd_mspills spills;
	HD_VEC(struct hd_mundefined) undefined;
	struct hd_undefined *undefined_at; /* emitted: by place, in hd_mfunc_emit's arena */
	uint32_t undefined_count;
	const struct hd_inst *emitted; /* the code that hd_mfunc_emit has made */
	uint32_t *sites;	       /* of its instructions; in hd_mfunc_emit's arena */
	HD_VEC(const void *) visited;  /* the IR instructions in selection's order: sites name them */
	uint32_t function_index;       /* in hd_object.functions */
};

/* A fresh function, block, register, frame object; ids are returned. */
void hd_mfunc_init(struct hd_mfunc *func, struct hd_arena *arena, const char *name);
void hd_mfunc_release(struct hd_mfunc *func); /* the vectors; not the arena */
void hd_mfunc_free(struct hd_mfunc *func);    /* the vectors and all of the arena */
uint32_t hd_mfunc_block(struct hd_mfunc *func);
struct hd_mreg hd_mfunc_vreg(struct hd_mfunc *func, unsigned words); /* 1, 2, 4; or a range's */
uint32_t hd_mfunc_pred(struct hd_mfunc *func);			     /* a virtual predicate's id */
uint32_t hd_mfunc_frame(struct hd_mfunc *func, uint32_t bytes, uint32_t align, enum hd_frame_kind kind);
uint32_t hd_mfunc_extras(struct hd_mfunc *func, const struct hd_mreg *regs, uint32_t count); /* start index */
void hd_mfunc_edge(struct hd_mfunc *func, uint32_t from, uint32_t to); /* adds to succs and preds unless present */
void hd_mfunc_graph(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_graph *graph); /* of the blocks */

/* Successors and predecessors from the branches, after these have changed. */
void hd_mfunc_rebuild_edges(struct hd_mfunc *func);

/* An instruction with every slot empty (RZ/PT, words 0, no reference). */
struct hd_minst hd_minst_make(unsigned op, uint16_t mods);
/* Exchanges sources a and b, which are registers, where the result stays the same. */
bool hd_minst_swap(struct hd_minst *inst);

/* The register from which frame objects and incoming arguments are addressed: R1, or where R1 moves the first saved
 * register, which then holds what R1 was after the prologue and is nobody else's. */
uint32_t hd_mfunc_frame_base(const struct hd_mfunc *func);

/* Registers that the function's code may name: its limit less those that the ABI reserves. */
uint32_t hd_mfunc_cap(const struct hd_mfunc *func);

#define HD_SM_REGISTERS 65536u /* of an SM since Kepler; given out 256 a warp, eight a thread */
/*
 * As many registers of the function's code as `registers` of them buy anyway: the most with which an SM holds as many
 * groups of four warps, one warp for each scheduler.
 */
uint32_t hd_mfunc_occupancy_step(const struct hd_mfunc *func, uint32_t registers);
/* With so many an SM has 512 threads at most, and each step costs a quarter of them or more. */
#define HD_FEW_WARPS_REGISTERS 126u

static inline bool hd_mreg_is_virtual(uint32_t id)
{
	return id >= HD_MREG_VIRTUAL;
}
static inline bool hd_mreg_is_pred(const struct hd_mfunc *func, uint32_t id)
{
	return id >= HD_MREG_VIRTUAL ? func->vregs.data[id - HD_MREG_VIRTUAL].words == 0 : id >= HD_MREG_PRED;
}
static inline unsigned hd_mreg_words(const struct hd_mfunc *func, uint32_t id)
{
	return id >= HD_MREG_VIRTUAL ? func->vregs.data[id - HD_MREG_VIRTUAL].words : id < HD_MREG_PRED;
}

/* Whether a virtual register, by its number less HD_MREG_VIRTUAL, is a range: it is in registers as a whole for as long
 * as it lives. */
static inline bool hd_mreg_is_range(const struct hd_mfunc *func, uint32_t vreg)
{
	return func->vregs.data[vreg].words > HD_MREG_VALUE || func->vregs.data[vreg].range;
}

/* Whether lanes outside its guard need what the register that it writes held before, which it so reads. */
static inline bool hd_minst_keeps(const struct hd_minst *inst)
{
	return inst->guard != HD_MREG_PT && !inst->covers && inst->dst.words;
}

/* Calls `visit` for every register operand read (guard, psrc, srcs, read extras) or written; call clobbers are not
 * visited. A register that is partly written under a guard (hd_minst_keeps) is read, too. */
typedef void (*hd_mreg_visitor)(void *context, struct hd_mreg *reg, bool is_def);
void hd_minst_visit(struct hd_mfunc *func, struct hd_minst *inst, hd_mreg_visitor visit, void *context);

/* An instruction's place; block HD_NO_BLOCK: none. */
struct hd_mplace {
	uint32_t block, inst;
};
/* In SSA form: where each virtual register is written, by its number less HD_MREG_VIRTUAL. The caller's arena has it.
 */
struct hd_mplace *hd_mfunc_defs(struct hd_mfunc *func, struct hd_arena *arena);
/* The same again of a block whose instructions have moved. */
void hd_mfunc_note_defs(struct hd_mfunc *func, uint32_t block, struct hd_mplace *defs);

/* HD_FX_ bits; opcodes that exist only here have none. */
static inline unsigned hd_minst_effects(const struct hd_minst *inst)
{
	return inst->op < HD_OP_LIMIT ? hd_opinfo[inst->op].effects : 0;
}

/* Whether lanes may leave the block there: branches, RET, EXIT and traps. They stand together at its end. */
bool hd_minst_is_terminator(const struct hd_minst *inst);
/* The index of the first of them; as many instructions as there are when control falls out. */
uint32_t hd_mblock_end(const struct hd_mblock *block);
/* Other instructions for a block; they are copied, and are not its own. */
void hd_mblock_assign(struct hd_mblock *block, const struct hd_minst *insts, uint32_t count);

void hd_mfunc_print(FILE *out, const struct hd_mfunc *func);
/* SSA and structural verifier (`ssa` while in SSA form); reports through diag; 0 or -1. */
int hd_mfunc_verify(const struct hd_mfunc *func, bool ssa, struct hd_diag *diag);

/* The steps of mir.def: each 0, or -1 with the error reported. The files that have them say what they do. */
#define HD_STEP(id, name, doc, needs, leaves, run, paper) int run(struct hd_mfunc *func, struct hd_diag *diag);
#include "passes/mir.def"

/*
 * All of them in order, which fills in func's result fields; when `check`, with the verifier behind each step and the
 * allocation checker behind the last one of allocation. 0 or -1.
 */
int hd_lower_function(struct hd_mfunc *func, bool check, struct hd_diag *diag);

/* Calls whose callee stands in their place, as code is selected: hd_inlined, with the names of their files. */
struct hd_inlined_calls {
	struct hd_map number; /* 1 + index, by the call's place in the IR */
	HD_VEC(struct hd_inlined) list;
	HD_VEC(const char *) files; /* by index in `list`; NULL: unknown */
	struct hd_hash_set known;   /* indices in `list`, by all that is there */
};

/* The calls go into the object, whose files they name. */
void hd_emit_inlined(struct hd_object *object, const struct hd_inlined_calls *calls, struct hd_arena *arena);
/*
 * Writes the finished function into `out` (arrays in `arena`), with reconvergence points from
 * post-dominators and origins; file names are interned in object->files. 0 or -1.
 */
int hd_mfunc_emit(struct hd_mfunc *func, struct hd_object *object, struct hd_function *out, struct hd_arena *arena,
		  struct hd_diag *diag);

#endif
