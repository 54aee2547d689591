/*
 * PTX's wmma instructions, whose fragments have no layout that a program could know, in terms of ordinary accesses and
 * mma.sync: for inline PTX (asm_matrix.c) and llvm.nvvm.wmma.* alike.
 */
#ifndef HD_PASSES_LEGALIZE_WMMA_H
#define HD_PASSES_LEGALIZE_WMMA_H

#include "passes/legalize/build.h"

enum { HD_WMMA_WORDS = 8 }; /* of a fragment */
enum hd_wmma_use { HD_WMMA_A, HD_WMMA_B, HD_WMMA_SUM };

struct hd_wmma {
	unsigned m, n, k;
	const char *factor;	  /* "f16", "bf16", "tf32", "f64", "s8", "u8", "s4", "u4", "b1" */
	const char *bits;	  /* "xor" or "and"; NULL */
	const char *factor_b;	  /* that of b */
	const char *sum, *result; /* "f16", "f32", "s32", "f64" */
	bool a_row, b_row, saturates;
	unsigned capability;
};

/* Reads shape, layouts and types out of an opcode's or intrinsic's parts. What is wrong with it, or NULL. */
const char *hd_wmma_read(struct hd_wmma *form, const char *const *parts, unsigned count);
/* Registers of a fragment, as integers of 32 bits, of doubles 64. */
unsigned hd_wmma_words(const struct hd_wmma *form, enum hd_wmma_use use);
/* `row`: the matrix lies in memory by rows; stride: elements from one to the next, of 32 bits, or NULL. */
void hd_wmma_load(struct hd_site *site, const struct hd_wmma *form, enum hd_wmma_use use, bool row, value pointer,
		  value stride, value *words);
void hd_wmma_store(struct hd_site *site, const struct hd_wmma *form, bool row, value pointer, value stride,
		   const value *words);
void hd_wmma_multiply(struct hd_site *site, const struct hd_wmma *form, const value *a, const value *b, const value *c,
		      value *d);
/* d = mma.sync of `a` words of a, `b` of b and d itself. */
void hd_wmma_instruction(struct hd_site *site, const char *opcode, const value *a, unsigned a_count, const value *b,
			 unsigned b_count, value *d, unsigned d_count);
/* The same for mma.sp; metadata NULL: it is no product with a sparse factor. */
void hd_wmma_sparse(struct hd_site *site, const char *opcode, const value *a, unsigned a_count, const value *b,
		    unsigned b_count, value metadata, unsigned selector, value *d, unsigned d_count);
/* What takes the place of llvm.nvvm.wmma.*; NULL: nothing, or the instruction is gone. */
LLVMValueRef hd_legal_wmma(struct hd_site *site, const char *name);

#endif
