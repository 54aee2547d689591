/*
 * Inline PTX: what the files that lower it share. passes/asm/ takes the text apart, ptx.c binds operands and runs
 * the statements in order, alu.c, bits.c, float.c, simd.c, convert.c, system.c, copy.c, mbarrier.c, matrix.c,
 * wgmma.c, texture.c, cluster.c and bulk.c have the instructions, refused.c those that are not taken. A statement
 * becomes the machine instructions that selection would make of the same operation. Labels, branches and what takes
 * more than that the legaliser has replaced (passes/legalize/asm.c); an instruction outside the tables is an error with
 * its source line.
 */
#ifndef HD_PASSES_PTX_PTX_H
#define HD_PASSES_PTX_PTX_H

#include "passes/asm/asm.h"
#include "passes/select/select.h"

/* What a register of the text, or an operand of the assembly, holds. */
struct hd_ptx_reg {
	char name[64];
	unsigned bits; /* 1: a predicate */
	bool set;
	LLVMValueRef input; /* of an operand that the assembly is only given: its value */
	bool written;	    /* such an operand, all the same */
	bool lost;	    /* and not read since */
	bool used;	    /* what it held at first has been read */
	struct hd_leaf leaf;
};

struct hd_ptx {
	struct hd_select *sel;
	struct hd_ptx_text text;
	HD_VEC(struct hd_ptx_reg) regs; /* as text.regs */
	struct hd_popnd carry;		/* true when the last .cc carried or borrowed */
	bool failed;
	struct hd_ptx_statement *now;
};

typedef void (*hd_ptx_handler)(struct hd_ptx *ptx, unsigned arg);
struct hd_ptx_row {
	const char *name;      /* the opcode's first parts, e.g. "shl" or "bar.sync" */
	const char *modifiers; /* what may follow, between spaces; NULL: anything, it is refused anyway */
	unsigned operands;     /* at least */
	hd_ptx_handler select;
	unsigned arg;
	bool effect; /* a guard needs a branch: the result cannot simply be dropped */
};
/* A NULL name ends. */
extern const struct hd_ptx_row hd_ptx_alu[], hd_ptx_bits[], hd_ptx_float[], hd_ptx_simd[], hd_ptx_convert[],
	hd_ptx_system[], hd_ptx_copy[], hd_ptx_mbarrier[], hd_ptx_matrix[], hd_ptx_texture[], hd_ptx_cluster[],
	hd_ptx_bulk[], hd_ptx_wgmma[], hd_ptx_refused[];

/* ---- ptx.c: operands */
/* "inline assembly '<statement>': <reason>" as an error; only the first is reported. */
void hd_ptx_error(struct hd_ptx *ptx, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool hd_ptx_has(const struct hd_ptx *ptx, const char *part);
/* The type that part `back` from the end names (0: the last); bits 0 when it is none. */
struct hd_ptx_type hd_ptx_type(const struct hd_ptx *ptx, unsigned back);
/* Operand `index` as a value of `bits` bits; of 1, a predicate. */
struct hd_leaf hd_ptx_in(struct hd_ptx *ptx, unsigned index, unsigned bits);
struct hd_leaf hd_ptx_read(struct hd_ptx *ptx, const struct hd_ptx_part *part, unsigned bits);
struct hd_opnd hd_ptx_word(struct hd_ptx *ptx, unsigned index); /* 32 bits */
struct hd_popnd hd_ptx_pred(struct hd_ptx *ptx, unsigned index);
void hd_ptx_out(struct hd_ptx *ptx, unsigned index, struct hd_leaf leaf, unsigned bits);
void hd_ptx_write(struct hd_ptx *ptx, const struct hd_ptx_part *part, struct hd_leaf leaf, unsigned bits);
bool hd_ptx_constant(struct hd_ptx *ptx, unsigned index, uint64_t *value);
uint16_t hd_ptx_rounding(const struct hd_ptx *ptx);

/* ---- system.c */
/* The address in brackets at operand `index`, in `space`. */
struct hd_leaf hd_ptx_pointer(struct hd_ptx *ptx, unsigned index, unsigned space);

/* ---- alu.c */
/* The type of the opcode's last part, which has to be an integer of 16, 32 or 64 bits (or untyped). */
struct hd_ptx_type hd_ptx_integer_type(struct hd_ptx *ptx);
struct hd_leaf hd_ptx_plain_add(struct hd_ptx *ptx, struct hd_leaf a, struct hd_leaf b, bool subtract);
/* LLVMShl, LLVMLShr or LLVMAShr; distances beyond the width count as the width. */
struct hd_leaf hd_ptx_shifted(struct hd_ptx *ptx, LLVMOpcode op, struct hd_leaf value, struct hd_leaf amount,
			      unsigned bits);

/* ---- float.c */
LLVMTypeKind hd_ptx_kind(struct hd_ptx_type type);
/* Addition, multiplication or fma by enum hd_fp_op; | 0x10: a subtraction. */
void hd_ptx_float_op(struct hd_ptx *ptx, unsigned op);
struct hd_leaf hd_ptx_float_minmax(struct hd_ptx *ptx, struct hd_ptx_type type, bool max);

#endif
