/*
 * Instruction selection: what its files share. LLVM IR of one function becomes machine SSA in one
 * pass over the blocks in reverse post-order; unused results are left to hd_dead_code_run.
 *
 * An IR value is a run of leaves, one for each scalar in it: aggregates and vectors never exist as
 * registers. Integers of up to 32 bits live in one register whose bits above the type's width are
 * unspecified unless the leaf's `ext` says otherwise; they are extended where it matters. i1 is a
 * predicate. Pointers to shared, local and parameter memory are one register (an offset), all
 * others are pairs.
 */
#ifndef HD_PASSES_SELECT_SELECT_H
#define HD_PASSES_SELECT_SELECT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "lib/map.h"
#include "passes/ir/ir.h"
#include "passes/unit.h"

enum hd_leaf_kind {
	HD_LEAF_REG,	  /* `words` words of register `id` from word `sub`; pointers: plus imm[0] */
	HD_LEAF_IMM,	  /* imm; predicates: imm[0] != 0 */
	HD_LEAF_BANK,	  /* the words at byte `id` of constant bank 0; pointers: plus imm[0] */
	HD_LEAF_SYMBOL,	  /* generic address of symbol `id`, plus imm[0] */
	HD_LEAF_FRAME,	  /* address of frame object `id`, plus imm[0]: local offset (1 word) or generic address (2) */
	HD_LEAF_INCOMING, /* the same of byte imm[0] of this function's stack arguments */
	HD_LEAF_PARTS,	  /* address of a by-value argument in registers: argument signature->args[id], plus imm[0] */
	HD_LEAF_LINEAR	  /* linear register + coefficient register + offset register `id` (HD_RZ: none) + imm[0] */
};
enum { HD_EXT_NONE, HD_EXT_ZERO, HD_EXT_SIGN };

struct hd_leaf {
	uint8_t kind, words; /* words 0: a predicate */
	uint8_t ext;	     /* what the bits above a narrow integer's width hold */
	uint8_t sub;
	bool inverted;		     /* predicates */
	uint8_t linear, coefficient; /* linear operands: numbers of %lr and %cr, HD_RZ none */
	bool lanes;		     /* of %cr + lane */
	uint32_t id;
	uint64_t imm[2];
};

/* A source operand of one machine instruction. */
enum { HD_OPND_NONE, HD_OPND_REG, HD_OPND_IMM, HD_OPND_BANK, HD_OPND_LINEAR };
struct hd_opnd {
	uint8_t kind, ref_kind;
	bool neg, abs;
	struct hd_mreg reg; /* linear operands: words of the value */
	uint32_t x, ref;
	uint16_t linear; /* HD_LR without the slot */
	uint8_t coefficient;
};

struct hd_popnd {
	uint32_t id;
	bool inverted;
};

/* The scalar type of a leaf and where it lies in memory. */
struct hd_leaf_type {
	LLVMTypeRef type;
	uint64_t offset;
};
typedef HD_VEC(struct hd_leaf_type) hd_leaf_types;

struct hd_select_block {
	LLVMBasicBlockRef bb;
	uint32_t machine; /* first machine block */
};

/* One scalar of a call's arguments or results, or part of a by-value aggregate in registers, and its place. */
struct hd_passed {
	LLVMTypeRef type;     /* NULL: a part */
	uint32_t param, leaf; /* which argument, which of its leaves or parts */
	uint8_t words;
	struct hd_abi_place place;
};

/* How a function type is called: the same on both sides. */
struct hd_signature {
	struct hd_passed *args, *results;
	uint32_t arg_count, result_count;
	uint32_t *byval_offset; /* by parameter: in the argument area; UINT32_MAX when not by value or in registers */
	uint32_t bytes;		/* of the argument area: arguments, by-value aggregates, results */
};

struct hd_intrinsic;

/* State of the selection of one module; the second half is one function's. */
/* What a statement of inline assembly leaves in an input, for later ones of its block that have the same input. */
struct hd_handed_on {
	LLVMBasicBlockRef block;
	LLVMValueRef input;
	struct hd_leaf leaf;
};

/* An angle that has been turned into turns, for its other function. */
struct hd_select_turns {
	const struct hd_mfunc *func; /* NULL: none yet */
	uint32_t block;
	struct hd_opnd angle;
	struct hd_mreg turns;
	bool ftz;
};

struct hd_select {
	struct hd_unit *unit;
	struct hd_diag *diag;
	LLVMTargetDataRef layout;
	LLVMContextRef context;
	unsigned md_ordinal, md_prof, md_invariant, md_scaled;
	unsigned at_align, at_noalias, at_readonly;
	struct hd_map intrinsics;			    /* function -> index in intrinsic_rows */
	HD_VEC(const struct hd_intrinsic *) intrinsic_rows; /* NULL: not known */
	struct hd_map files;				    /* metadata of a DIFile -> index in file_names */
	HD_VEC(const char *) file_names;

	struct hd_mfunc *func;
	LLVMValueRef function;
	struct hd_map values; /* value -> leaves; block -> index in blocks */
	HD_VEC(struct hd_leaf) leaves;
	HD_VEC(struct hd_select_block) blocks;
	HD_VEC(uint32_t) origin; /* machine block -> index in blocks */
	HD_VEC(LLVMValueRef) phis;
	struct hd_map locs;
	const void *last_loc_key;
	uint32_t last_loc;
	hd_leaf_types types;		      /* scratch of hd_sel_types */
	const struct hd_signature *signature; /* of the function; NULL for kernels */
	const struct hd_leaf *received;	      /* its arguments, as signature->args lists them */
	LLVMValueRef inst;		      /* being selected */
	uint32_t block, loc, ir;
	struct hd_select_linear *linear;       /* the linear version is selected (linear.c); else NULL */
	struct hd_map offsets_at;	       /* of it: header of a loop -> first of its offsets, and ... */
	uint32_t *next_offset;		       /* ... the next of each; NULL: not made yet */
	HD_VEC(struct hd_map_entry) overrides; /* operands of `inst` that it reads otherwise */
	HD_VEC(struct hd_handed_on) handed_on; /* inputs of inline assembly that it has written */
	uint32_t visit, sites;		       /* IR instructions so far; accesses that the present one has made */
	struct hd_select_turns turns;
	bool spills_in_shared; /* the function asks for it */
	bool ftz;	       /* float denormals are zero in this function */
	bool failed;
};

/* ---- value.c: values, types, operands; emit.c */
/* Reports "unsupported <what>" at the instruction being selected. */
void hd_sel_unsupported(struct hd_select *sel, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Words of a scalar (0: predicate), or -1. */
int hd_sel_words(struct hd_select *sel, LLVMTypeRef type);
/* The scalars of a type; the result is valid until the next call. */
const hd_leaf_types *hd_sel_types(struct hd_select *sel, LLVMTypeRef type);
uint32_t hd_sel_leaf_count(struct hd_select *sel, LLVMTypeRef type);

struct hd_leaf hd_leaf_imm(uint64_t value, unsigned words);
struct hd_leaf hd_leaf_pred(uint32_t id, bool inverted);
struct hd_leaf hd_leaf_reg(struct hd_mreg reg);

/* Leaves of an operand: constants and functions included. hd_sel_leaf: leaf `index`. */
uint32_t hd_sel_leaves(struct hd_select *sel, LLVMValueRef value, struct hd_leaf **leaves);
struct hd_leaf hd_sel_leaf(struct hd_select *sel, LLVMValueRef value, uint32_t index);
struct hd_leaf hd_sel_arg(struct hd_select *sel, unsigned operand); /* leaf 0 of an operand of sel->inst */
void hd_sel_define(struct hd_select *sel, LLVMValueRef value, const struct hd_leaf *leaves, uint32_t count);
void hd_sel_define1(struct hd_select *sel, struct hd_leaf leaf); /* the result of sel->inst */
void hd_sel_define_reg(struct hd_select *sel, struct hd_mreg reg);

/* ---- constant.c: the bits of a scalar or vector constant of up to 128, bitcasts and elements of vectors
 * included; false: not known. An element of a vector as a leaf. */
bool hd_sel_constant_bits(struct hd_select *sel, LLVMValueRef value, uint64_t words[2]);
bool hd_sel_constant_element(struct hd_select *sel, LLVMValueRef vector, unsigned index, struct hd_leaf *leaf);

struct hd_opnd hd_reg(struct hd_mreg reg);
struct hd_opnd hd_imm(uint32_t value);
struct hd_opnd hd_bank(uint32_t offset);
struct hd_opnd hd_rz(void);
struct hd_opnd hd_none(void);
struct hd_opnd hd_neg(struct hd_opnd opnd);
/* RZ, or a number that is 0 and refers to nothing. */
bool hd_opnd_is_zero(const struct hd_opnd *opnd);
struct hd_mreg hd_sub(struct hd_mreg reg, unsigned word, unsigned words);

/* Word `index` of a leaf as a 32-bit operand; the whole of a two-word leaf as a double operand. */
struct hd_opnd hd_sel_word(struct hd_select *sel, struct hd_leaf *leaf, unsigned index);
struct hd_opnd hd_sel_wide(struct hd_select *sel, struct hd_leaf *leaf);
/* The leaf in one register (of leaf.words words), or one word of it. */
struct hd_mreg hd_sel_reg(struct hd_select *sel, struct hd_leaf leaf);
struct hd_mreg hd_sel_opnd_reg(struct hd_select *sel, struct hd_opnd opnd, unsigned words);
struct hd_popnd hd_sel_pred(struct hd_select *sel, struct hd_leaf leaf);
/* Predicate leaf to a 32-bit 0/1 (or 0/-1) and back. */
struct hd_opnd hd_sel_bool_word(struct hd_select *sel, struct hd_leaf leaf, uint32_t when_true);
struct hd_leaf hd_sel_word_bool(struct hd_select *sel, struct hd_opnd word);
/* 32-bit operand with the upper bits of an integer of `bits` defined. */
struct hd_opnd hd_sel_extended(struct hd_select *sel, struct hd_leaf leaf, unsigned bits, bool is_signed);
struct hd_mreg hd_sel_pair(struct hd_select *sel, struct hd_opnd low, struct hd_opnd high);
struct hd_mreg hd_sel_join(struct hd_select *sel, const struct hd_opnd *words, unsigned count);

/* Emission at the end of the current block. Operands that the opcode cannot take are put in registers. */
struct hd_minst *hd_sel_push(struct hd_select *sel, unsigned op, uint16_t mods);
struct hd_minst *hd_sel_op(struct hd_select *sel, unsigned op, uint16_t mods, struct hd_mreg dst, struct hd_opnd a,
			   struct hd_opnd b, struct hd_opnd c);
struct hd_mreg hd_sel_alu(struct hd_select *sel, unsigned op, uint16_t mods, struct hd_opnd a, struct hd_opnd b,
			  struct hd_opnd c); /* one result word */
struct hd_mreg hd_sel_alu_wide(struct hd_select *sel, unsigned op, uint16_t mods, struct hd_opnd a, struct hd_opnd b,
			       struct hd_opnd c); /* a pair */
struct hd_mreg hd_sel_add(struct hd_select *sel, struct hd_opnd a, struct hd_opnd b);
struct hd_mreg hd_sel_logic(struct hd_select *sel, unsigned lut, struct hd_opnd a, struct hd_opnd b, struct hd_opnd c);
struct hd_mreg hd_sel_select(struct hd_select *sel, struct hd_popnd cond, struct hd_opnd yes, struct hd_opnd no);
uint32_t hd_sel_isetp(struct hd_select *sel, unsigned cmp, bool is_signed, struct hd_opnd a, struct hd_opnd b);
uint32_t hd_sel_plop(struct hd_select *sel, unsigned boolean, struct hd_popnd a, struct hd_popnd b);
/* Multi-word addition or subtraction. */
void hd_sel_add_words(struct hd_select *sel, unsigned count, struct hd_opnd *a, struct hd_opnd *b, bool subtract,
		      struct hd_opnd *sum);
struct hd_mreg hd_sel_add64(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool subtract);
/* Of signed words. */
struct hd_leaf hd_sel_saturated_sum(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool subtract);

/* Truth tables of LOP3's operands. */
enum { HD_LUT_A = 0xf0, HD_LUT_B = 0xcc, HD_LUT_C = 0xaa };

/* ---- select.c: blocks; loc.c */
uint32_t hd_sel_new_block(struct hd_select *sel);	    /* belongs to the same IR block */
void hd_sel_branch(struct hd_select *sel, uint32_t target); /* unconditional */
void hd_sel_branch_if(struct hd_select *sel, struct hd_popnd guard, uint32_t target, uint32_t otherwise);
/* A PHI in block `block`; operands are given later, in the order of its predecessors, through the register list. */
uint32_t hd_sel_phi(struct hd_select *sel, uint32_t block, struct hd_mreg dst, uint32_t pdst);
void hd_sel_set_phi(struct hd_select *sel, uint32_t block, uint32_t phi, const struct hd_mreg *regs, uint32_t count);
uint32_t hd_sel_block_of(struct hd_select *sel, LLVMBasicBlockRef bb); /* its first machine block */
/* Ends the threads that come here by `op` (EXIT, TRAP): the code after it is kept, for others. */
void hd_sel_end_thread(struct hd_select *sel, unsigned op);
/* Goes to a new block for what ends the thread there; returns the block that goes on, for code that nobody reaches. */
uint32_t hd_sel_begin_end(struct hd_select *sel);
int hd_sel_loc(struct hd_select *sel, LLVMValueRef inst);

/* ---- flow.c */
void hd_sel_br(struct hd_select *sel);
void hd_sel_switch(struct hd_select *sel);
void hd_sel_unreachable(struct hd_select *sel);
void hd_sel_frequencies(struct hd_select *sel);

/* ---- int.c, add.c, cast.c */
/* Whether `value` is an instruction `op` of this block with this one use: its own code then dies. */
bool hd_sel_absorbs(struct hd_select *sel, LLVMValueRef value, LLVMOpcode op);
struct hd_opnd hd_sel_value_word(struct hd_select *sel, LLVMValueRef value); /* word 0 of an operand */
void hd_sel_add_sub(struct hd_select *sel);
void hd_sel_mul(struct hd_select *sel);
void hd_sel_logic_op(struct hd_select *sel);
void hd_sel_shift(struct hd_select *sel);
void hd_sel_icmp(struct hd_select *sel);
void hd_sel_choose(struct hd_select *sel);
void hd_sel_trunc(struct hd_select *sel);
void hd_sel_zext(struct hd_select *sel);
void hd_sel_sext(struct hd_select *sel);
void hd_sel_bitcast(struct hd_select *sel);
void hd_sel_ptr_int(struct hd_select *sel);
void hd_sel_addrspacecast(struct hd_select *sel);
/* variable.c: 1 + symbol of the one variable that the access of an IR instruction is to; 0: not known. */
uint32_t hd_sel_variable(const struct hd_select *sel, LLVMValueRef inst);
struct hd_leaf hd_sel_cast_space(struct hd_select *sel, struct hd_leaf leaf, unsigned from, unsigned to);
struct hd_leaf hd_sel_cmp(struct hd_select *sel, unsigned cmp, bool is_signed, struct hd_leaf a, struct hd_leaf b,
			  unsigned bits);
struct hd_leaf hd_sel_shift_leaf(struct hd_select *sel, LLVMOpcode op, struct hd_leaf value, struct hd_leaf amount,
				 unsigned bits);
struct hd_leaf hd_sel_select_leaf(struct hd_select *sel, struct hd_popnd cond, struct hd_leaf yes, struct hd_leaf no);
struct hd_leaf hd_sel_mul_leaf(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b);
/* Elements of 1, 8, 16, 32, 64 or 128 bits joined into 32-bit words (returns how many), and element `index` of such
 * words. */
unsigned hd_sel_pack(struct hd_select *sel, struct hd_leaf *leaves, uint32_t count, unsigned bits,
		     struct hd_opnd *words);
struct hd_leaf hd_sel_unpack(struct hd_select *sel, const struct hd_opnd *words, uint32_t index, unsigned bits);
struct hd_leaf hd_sel_extend_leaf(struct hd_select *sel, struct hd_leaf leaf, unsigned from, unsigned to,
				  bool is_signed);

/* ---- fp.c */
void hd_sel_fneg(struct hd_select *sel);
void hd_sel_fp_binary(struct hd_select *sel);
void hd_sel_fcmp(struct hd_select *sel);
void hd_sel_fp_convert(struct hd_select *sel);
/* Floating-point operand; fneg and fabs are peeled off into modifiers as far as `peel` (HD_SM_*) allows. */
struct hd_opnd hd_sel_float(struct hd_select *sel, LLVMValueRef value, unsigned peel);
/* op of a type (float or double) over operands of that type: FADD or DADD, ... with the function's FTZ. */
enum hd_fp_op { HD_FP_ADD, HD_FP_MUL, HD_FP_FMA, HD_FP_MINMAX };
struct hd_leaf hd_sel_fp_op(struct hd_select *sel, enum hd_fp_op op, LLVMTypeKind kind, uint16_t mods,
			    const LLVMValueRef *args);
/* Sum, product or fma of two halves or bfloats in a register each; operands may be negated. Minimum or maximum of
 * doubles by MINMAX and NAN. */
struct hd_mreg hd_sel_half_op(struct hd_select *sel, enum hd_fp_op op, LLVMTypeKind kind, uint16_t mods,
			      const struct hd_opnd o[3]);
struct hd_leaf hd_sel_double_minmax(struct hd_select *sel, uint16_t mods, struct hd_opnd a, struct hd_opnd b);
/* ---- warp.c: `mask` is the member mask, or nothing: all lanes that are active. A match gives the lanes and, of
 * mode ALL, whether all match; a shuffle has the predicate `inside` (HD_MREG_PT: none). */
struct hd_shuffle {
	struct hd_opnd value, lane, clamp, mask;
};
struct hd_mreg hd_sel_shfl(struct hd_select *sel, unsigned mode, const struct hd_shuffle *shuffle, uint32_t inside);
struct hd_mreg hd_sel_ballot(struct hd_select *sel, struct hd_popnd vote, struct hd_opnd mask);
struct hd_mreg hd_sel_active_mask(struct hd_select *sel);
struct hd_leaf hd_sel_vote(struct hd_select *sel, unsigned mode, struct hd_popnd vote, struct hd_opnd mask);
void hd_sel_match(struct hd_select *sel, unsigned mode, struct hd_leaf value, struct hd_opnd mask,
		  struct hd_leaf out[2]);
/* ---- known.c */
#define HD_SEL_TURN 0x3e22f983u /* 1 / 2 pi */
/* Whether the function of a constant is known; `bits` is then the result. `ftz`: denormal operands are zeros. */
bool hd_sel_known_special(enum hd_mufu function, struct hd_opnd operand, bool ftz, uint32_t *bits);
/* ---- fp.c */
/* The number itself where it is known. */
struct hd_leaf hd_sel_mufu(struct hd_select *sel, enum hd_mufu function, struct hd_opnd value, bool ftz);
/* top / bottom with MUFU.RCP; `full`: also beyond 2^126, where the reciprocal is denormal. */
struct hd_mreg hd_sel_quotient(struct hd_select *sel, struct hd_opnd top, struct hd_opnd bottom, bool full, bool ftz);
/* Sign-bit operations on any floating-point leaf. */
struct hd_leaf hd_sel_sign(struct hd_select *sel, struct hd_leaf leaf, LLVMTypeKind kind, unsigned lut, uint32_t mask);
/* Conversion with F2F, F2FP, F2I, I2F or FRND between machine types (enum hd_type); the operand is one or two words. */
struct hd_leaf hd_sel_convert(struct hd_select *sel, unsigned op, unsigned to, unsigned from, uint16_t mods,
			      struct hd_leaf value);
unsigned hd_float_type(LLVMTypeKind kind); /* HD_F32, ... */
/* A value of any floating-point type as float, and a float as that type. */
struct hd_leaf hd_sel_to_f32(struct hd_select *sel, struct hd_leaf leaf, LLVMTypeKind kind);
struct hd_leaf hd_sel_from_f32(struct hd_select *sel, struct hd_leaf leaf, LLVMTypeKind kind);

/* ---- mem.c, stack.c, bulk.c, atomic.c */
struct hd_address {
	unsigned space;
	struct hd_mreg base; /* pair or word; RZ for absolute offsets */
	uint8_t ref_kind;    /* HD_MREF_FRAME, HD_MREF_INCOMING */
	uint8_t coefficient; /* of a linear address */
	uint16_t linear;
	uint32_t ref;
	int32_t offset;
};
void hd_sel_set_address(struct hd_minst *inst, const struct hd_address *address, int64_t offset);
void hd_sel_alloca(struct hd_select *sel);
bool hd_sel_is_dynamic(struct hd_select *sel, LLVMValueRef alloca); /* R1 moves for it */
void hd_sel_stack_save(struct hd_select *sel);
void hd_sel_stack_restore(struct hd_select *sel);
void hd_sel_store_value(struct hd_select *sel, LLVMValueRef value, struct hd_address address, unsigned align,
			uint16_t mods);
void hd_sel_load(struct hd_select *sel);
/* A load from a by-value argument that arrived in registers: no instruction. */
void hd_sel_load_part(struct hd_select *sel, const struct hd_leaf *pointer);
void hd_sel_store(struct hd_select *sel);
void hd_sel_gep(struct hd_select *sel);
struct hd_address hd_sel_address(struct hd_select *sel, struct hd_leaf pointer, unsigned space);
/* For opcodes that take no linear operand. */
struct hd_address hd_sel_plain_address(struct hd_select *sel, struct hd_leaf pointer, unsigned space);
/* One machine access of `bytes` bytes (1..16) at address + offset. */
struct hd_mreg hd_sel_load_at(struct hd_select *sel, struct hd_address address, int64_t offset, unsigned bytes,
			      bool is_signed, uint16_t mods);
void hd_sel_store_at(struct hd_select *sel, struct hd_address address, int64_t offset, unsigned bytes,
		     struct hd_mreg value, uint16_t mods);
void hd_sel_load_value(struct hd_select *sel, LLVMValueRef result, LLVMTypeRef type, struct hd_leaf pointer,
		       unsigned space, unsigned align, uint16_t mods);
void hd_sel_memcpy(struct hd_select *sel, bool overlapping);
void hd_sel_memset(struct hd_select *sel);
void hd_sel_copy_bytes(struct hd_select *sel, struct hd_address to, struct hd_address from, uint64_t bytes,
		       unsigned align);
void hd_sel_atomicrmw(struct hd_select *sel);
void hd_sel_cmpxchg(struct hd_select *sel);
void hd_sel_fence(struct hd_select *sel);
/* hd_sel_atomic drops a result that sel->inst has no use for; hd_sel_atomic_op goes by `result`. */
struct hd_leaf hd_sel_atomic(struct hd_select *sel, unsigned atomop, unsigned type, struct hd_leaf pointer,
			     unsigned space, struct hd_leaf value, struct hd_leaf *swap, uint16_t mods);
struct hd_leaf hd_sel_atomic_op(struct hd_select *sel, unsigned atomop, unsigned type, struct hd_leaf pointer,
				unsigned space, struct hd_leaf value, struct hd_leaf *swap, uint16_t mods, bool result);

/* ---- linear.c: the linear version of a kernel (r2d2-isca23, 3.1.2, 3.2) */
struct hd_linear_plan;
struct hd_select_linear;
struct hd_select_linear *hd_select_linear_new(struct hd_arena *arena, const struct hd_linear_plan *plan);
/* Before each time that the kernel is selected: its offsets have no registers yet. */
void hd_select_linear_begin(struct hd_select_linear *linear);
/* Operands of sel->inst, or of a PHI's incoming value, that the plan covers. */
void hd_sel_linear_operands(struct hd_select *sel, LLVMValueRef inst);
void hd_sel_linear_incoming(struct hd_select *sel, LLVMValueRef phi, uint32_t index);
/* Offsets of a loop: their PHIs, at its header, and once all is selected what they are there. */
void hd_sel_linear_header(struct hd_select *sel, LLVMBasicBlockRef bb);
void hd_sel_linear_offsets(struct hd_select *sel);
bool hd_sel_is_overridden(const struct hd_select *sel, LLVMValueRef value);
/* The operand of one word (0 or 1) of a leaf without imm and offset, or of all of it. */
struct hd_opnd hd_sel_linear_opnd(const struct hd_leaf *leaf, unsigned word, unsigned words);
/* The leaf with offset and imm added in registers. */
struct hd_leaf hd_sel_linear_settle(struct hd_select *sel, const struct hd_leaf *leaf);
struct hd_address hd_sel_linear_address(struct hd_select *sel, struct hd_leaf leaf, unsigned space);
/* Selects the kernel again into `func`. 0 or -1. */
int hd_select_linear(struct hd_unit *unit, LLVMValueRef function, uint32_t index, struct hd_select_linear *linear,
		     struct hd_mfunc *func);

/* Straight-line code of `kernel`, ending in EXIT: `build` emits it. */
int hd_select_straight(struct hd_unit *unit, LLVMValueRef kernel, void (*build)(struct hd_select *sel, void *context),
		       void *context, struct hd_mfunc *func);

/* ---- call.c */
void hd_sel_arguments(struct hd_select *sel);
void hd_sel_call(struct hd_select *sel);
void hd_sel_ret(struct hd_select *sel);
/* From the middle of a block, as inline assembly says; what is returned is undefined. */
void hd_sel_ret_early(struct hd_select *sel);
void hd_sel_va_start(struct hd_select *sel); /* stores where the variable arguments begin */

/* ---- limit.c: registers that a thread of sel->function may have; threads that an SM of its processor holds */
uint32_t hd_sel_capability(const struct hd_select *sel); /* 75 of sm_75 */
uint32_t hd_sel_register_limit(struct hd_select *sel);
/* The same where source or options give one, in steps of eight; else 0. */
uint32_t hd_sel_entry_registers(struct hd_select *sel);
/* When the code of a kernel is complete: how many words of each thread may be spilled to shared memory. */
void hd_sel_spill_room(struct hd_select *sel, const struct hd_function *out);
uint32_t hd_sel_sm_threads(LLVMValueRef function);
enum hd_uniform_use hd_sel_uniform_use(struct hd_select *sel);

/* ---- intrinsic.c: the table and the generic intrinsics */
typedef void (*hd_intrinsic_handler)(struct hd_select *sel, unsigned arg);
enum { HD_INTRINSIC_PARTS = 12, HD_INTRINSIC_NAME = 96 };
/* The parts of the name of sel->inst's callee behind "llvm.nvvm.", as "tex", "unified", "2d", "v4f32"; they are in
 * `text`. Returns their number. */
unsigned hd_sel_intrinsic_parts(struct hd_select *sel, char text[HD_INTRINSIC_NAME],
				const char *parts[HD_INTRINSIC_PARTS]);
struct hd_intrinsic {
	const char *name; /* without "llvm."; also stands for every overload name.* */
	hd_intrinsic_handler select;
	unsigned arg;
};
bool hd_sel_intrinsic(struct hd_select *sel, LLVMValueRef callee);
struct hd_leaf hd_sel_mul_high(struct hd_select *sel, struct hd_leaf a, struct hd_leaf b, bool is_signed);
struct hd_leaf hd_sel_count_leading(struct hd_select *sel, struct hd_leaf value, unsigned bits);
struct hd_leaf hd_sel_popcount(struct hd_select *sel, struct hd_leaf value, unsigned bits);
struct hd_leaf hd_sel_bit_reverse(struct hd_select *sel, struct hd_leaf value, unsigned bits);
struct hd_leaf hd_sel_minmax(struct hd_select *sel, bool max, bool is_signed, struct hd_leaf a, struct hd_leaf b,
			     unsigned bits);
/* ---- tensor.c */
/* A product of matrices as PTX writes it: "m16n8k16", "f16", ... */
struct hd_mma_form {
	const char *shape, *d, *a, *b, *c;
	bool a_col, b_col, saturates;
	const char *bits; /* of bits: "xor" or "and"; NULL */
};
enum { HD_MMA_WORDS = 16 };
struct hd_mma {
	unsigned op;
	uint16_t mods;
	uint8_t steps;	 /* instructions */
	uint8_t blocks;	 /* of sm_90's shapes of doubles, of four along k, with two instructions each; else 0 */
	uint8_t a, b, c; /* words of a lane, at most HD_MMA_WORDS */
};
/* The instruction for the form; NULL; or why there is none, as a static text. */
const char *hd_sel_mma_choose(struct hd_select *sel, const struct hd_mma_form *form, struct hd_mma *mma);
/* d = a * b + c, of as many words as *mma says; d as many as c. */
void hd_sel_mma(struct hd_select *sel, const struct hd_mma *mma, const struct hd_opnd *a, const struct hd_opnd *b,
		const struct hd_opnd *c, struct hd_opnd *d);
/* ---- sparse.c */
struct hd_mma_sparse {
	unsigned op;
	uint16_t mods; /* all but META and SAT */
	uint8_t steps; /* instructions */
	bool saturates;
	uint8_t first, lanes; /* first lane of a quad with metadata; lanes for each step */
	uint8_t a, b, c;      /* words of a lane */
};
/* As hd_sel_mma_choose and hd_sel_mma for mma.sp, with its sparsity selector and its metadata. */
const char *hd_sel_mma_sparse_choose(struct hd_select *sel, const struct hd_mma_form *form, uint64_t selector,
				     struct hd_mma_sparse *mma);
void hd_sel_mma_sparse(struct hd_select *sel, const struct hd_mma_sparse *mma, const struct hd_opnd *a,
		       struct hd_opnd meta, const struct hd_opnd *b, const struct hd_opnd *c, struct hd_opnd *d);
/* ldmatrix of `count` (1, 2, 4) matrices: a word of each. */
void hd_sel_load_matrices(struct hd_select *sel, struct hd_leaf pointer, unsigned space, unsigned count,
			  bool transposed, struct hd_opnd *words);
/* ---- wgmma.c: products of warpgroups, where the target has them. Each returns NULL, or why it cannot be, as a static
 * text. */
struct hd_sel_wgmma {
	uint16_t mods;
	uint8_t srcmods;
	unsigned words;		  /* of the accumulator */
	const struct hd_opnd *in; /* as many; NULL: zeros */
	struct hd_opnd a[4];	  /* registers, or the two words of a descriptor */
	struct hd_leaf b;
	struct hd_popnd adds; /* whether `in` counts */
};
/* The form as PTX writes it: "m64n128k16", "f32", "bf16", "bf16". */
const char *hd_sel_wgmma_choose(struct hd_select *sel, const char *shape, const char *d, const char *a, const char *b,
				uint16_t *mods);
/* The result: one register of so many words. */
struct hd_mreg hd_sel_wgmma(struct hd_select *sel, const struct hd_sel_wgmma *what);
/* WARPGROUP of a mode; left: of a wait. */
const char *hd_sel_warpgroup(struct hd_select *sel, unsigned mode, uint64_t left);
/* USETMAXREG: DEC or INC (enum HD_RESIZE_*), to so many registers a thread. */
const char *hd_sel_resize(struct hd_select *sel, unsigned way, uint64_t registers);
/* ---- texture.c */
/* A fetch as PTX and NVVM write it. */
struct hd_texture_form {
	unsigned op;
	uint16_t mods;			/* all but SIZE */
	uint8_t dims;			/* coordinates, beside the layer */
	bool layered, level, gradients; /* of two axes, `dims` numbers each */
};
/* The form that the parts of an opcode ("tex", "level", "2d", "v4", "f32", "f32") or of an intrinsic's name are; NULL;
 * or why there is none, as a static text. The last part is the type of the coordinates. */
const char *hd_sel_texture_choose(const char *const *parts, unsigned count, struct hd_texture_form *form);
/* Fetches the first `channels` (1 to 4) results. `words`: the coordinates, the layer, the level, as many as the form
 * has; gradients: those of the first axis, then those of the second. */
void hd_sel_texture(struct hd_select *sel, const struct hd_texture_form *form, struct hd_leaf object,
		    const struct hd_opnd *words, const struct hd_opnd *gradients, unsigned channels,
		    struct hd_opnd out[4]);
/* Results of sel->inst, a structure, that the program reads, a bit each. */
unsigned hd_sel_texture_wanted(struct hd_select *sel);
/* ---- copy.c: asynchronous copies */
struct hd_sel_copied {
	unsigned size; /* 4, 8 or 16 bytes */
	bool past_l1;
	struct hd_opnd bytes; /* that are copied, zeros behind them; hd_none(): all */
	struct hd_popnd all;  /* where it does not hold none are */
};
/* From global to shared memory. Returns NULL, or why it cannot be, as a static text. */
const char *hd_sel_copy(struct hd_select *sel, struct hd_leaf to, struct hd_leaf from,
			const struct hd_sel_copied *what);
/* The end of a group, and a wait until at most `wait` groups are left. The same. */
#define HD_SEL_NO_WAIT UINT64_MAX
const char *hd_sel_copy_end(struct hd_select *sel, bool commits, uint64_t wait);
/* Of copies in bulk, where the target has them: the end of a group, and a wait until at most `wait` groups are left, or
 * are still reading shared memory. */
void hd_sel_bulk_end(struct hd_select *sel);
void hd_sel_bulk_wait(struct hd_select *sel, uint64_t wait, bool reads);
/* ---- mbarrier.c: barriers in shared memory. Each returns NULL, or why it cannot be, as a static text. */
/* token: what the barrier's word was before; NULL: nobody asks. count: threads or bytes. */
const char *hd_sel_sync(struct hd_select *sel, enum hd_syncsop op, struct hd_leaf barrier, unsigned space,
			struct hd_opnd count, struct hd_leaf *token);
struct hd_sel_waited {
	struct hd_leaf barrier, phase; /* phase: its parity, or the token of an arrival in it */
	unsigned space;
	bool tries, token;
	struct hd_opnd limit; /* nanoseconds; hd_none(): the system's */
};
const char *hd_sel_sync_wait(struct hd_select *sel, const struct hd_sel_waited *what, struct hd_leaf *over);
/* An arrival when the copies are done that the thread has issued so far. */
const char *hd_sel_sync_copies(struct hd_select *sel, struct hd_leaf barrier, unsigned space, bool noinc);
/* st.async of so many bytes, and red.async: to a place and a barrier of one block of the cluster. */
const char *hd_sel_send(struct hd_select *sel, struct hd_leaf to, struct hd_leaf barrier, struct hd_mreg value,
			unsigned bytes);
const char *hd_sel_send_atomic(struct hd_select *sel, struct hd_leaf to, struct hd_leaf barrier, struct hd_mreg value,
			       enum hd_atomop op, enum hd_type type);
/* Pending arrivals in a token. */
struct hd_leaf hd_sel_sync_pending(struct hd_select *sel, struct hd_leaf token);
/* ---- nvvm.c */
/* The rest of the name of sel->inst's callee behind "llvm.nvvm.". */
const char *hd_sel_nvvm_name(const struct hd_select *sel);
struct hd_leaf hd_sel_in_space(struct hd_select *sel, struct hd_leaf pointer, unsigned space); /* isspacep */

/* ---- cluster.c: clusters of blocks, where the target has them */
static inline bool hd_sel_has_clusters(const struct hd_select *sel)
{
	return hd_sel_capability(sel) >= 90;
}
/* The address, of one word or generic, of the same place in the block of a rank; the rank of the block that it is in;
 * whether a generic one is in the shared memory of the own block. */
struct hd_leaf hd_sel_mapa(struct hd_select *sel, struct hd_leaf address, struct hd_opnd rank);
struct hd_leaf hd_sel_block_rank(struct hd_select *sel, struct hd_leaf address);
struct hd_leaf hd_sel_in_own_block(struct hd_select *sel, struct hd_leaf pointer);
/* barrier.cluster.arrive, or with WAIT .wait. */
enum { HD_CLUSTER_WAIT = 1, HD_CLUSTER_RELAXED = 2, HD_CLUSTER_ALIGNED = 4 };
void hd_sel_cluster_barrier(struct hd_select *sel, unsigned how);

extern const struct hd_intrinsic hd_bit_intrinsics[];	    /* bits.c; a NULL name ends */
extern const struct hd_intrinsic hd_nvvm_intrinsics[];	    /* nvvm.c */
extern const struct hd_intrinsic hd_cluster_intrinsics[];   /* cluster.c */
extern const struct hd_intrinsic hd_nvvm_fp_intrinsics[];   /* nvvm_fp.c */
extern const struct hd_intrinsic hd_tensor_intrinsics[];    /* tensor.c */
extern const struct hd_intrinsic hd_texture_intrinsics[];   /* texture.c */
extern const struct hd_intrinsic hd_copy_intrinsics[];	    /* copy.c */
extern const struct hd_intrinsic hd_warpgroup_intrinsics[]; /* wgmma.c */
extern const struct hd_intrinsic hd_mbarrier_intrinsics[];  /* mbarrier.c */
extern const struct hd_intrinsic hd_math_intrinsics[];	    /* math.c */

/* ---- ptx/ptx.c */
void hd_sel_inline_asm(struct hd_select *sel, LLVMValueRef callee);

/* ---- aggregate.c */
void hd_sel_extract_value(struct hd_select *sel);
void hd_sel_insert_value(struct hd_select *sel);
void hd_sel_extract_element(struct hd_select *sel);
void hd_sel_insert_element(struct hd_select *sel);
void hd_sel_shuffle(struct hd_select *sel);
void hd_sel_freeze(struct hd_select *sel);

#endif
