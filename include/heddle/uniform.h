/*
 * Operations on launch constants that are not polynomials of their operands but equally constant (R2D2's coefficients,
 * r2d2-isca23 3.2.1). The passes find them, launch conditions use them (struct hd_linear_check), and metadata prints
 * them, each with the width that it reads: `smin32(P2,64)`.
 *
 * An operation reads its operands modulo 2^from, signed or unsigned by its name. Its value is the result's `bits`
 * bits, sign-extended. Comparisons give 0 or 1 (bits 1, not extended); SELECT gives args[1] if args[0] is not 0; POW2
 * is 1 << args[0]. Results that the IR leaves undefined (division by 0, shifts beyond the width) have some value.
 */
#ifndef HEDDLE_UNIFORM_H
#define HEDDLE_UNIFORM_H

#include <stdint.h>

/* HD_UNIFORM(ID, text, operands) */
#define HD_UNIFORM_OPERATIONS(X)                                                                                  \
	X(ZEXT, "zext", 1)                                                                                        \
	X(SEXT, "sext", 1)                                                                                        \
	X(POW2, "power", 1)                                                                                       \
	X(AND, "and", 2) X(OR, "or", 2) X(XOR, "xor", 2) X(LSHR, "lshr", 2) X(ASHR, "ashr", 2) X(UDIV, "udiv", 2) \
		X(SDIV, "sdiv", 2) X(UREM, "urem", 2) X(SREM, "srem", 2) X(SMIN, "smin", 2) X(SMAX, "smax", 2)    \
			X(UMIN, "umin", 2) X(UMAX, "umax", 2) X(EQ, "eq", 2) X(NE, "ne", 2) X(ULT, "ult", 2)      \
				X(ULE, "ule", 2) X(SLT, "slt", 2) X(SLE, "sle", 2) X(SELECT, "select", 3)
enum hd_uniform_op {
#define X(id, text, operands) HD_UNIFORM_##id,
	HD_UNIFORM_OPERATIONS(X)
#undef X
		HD_UNIFORM_COUNT
};

const char *hd_uniform_name(unsigned op);
unsigned hd_uniform_operands(unsigned op);
/* from, bits: 1 to 64. */
int64_t hd_uniform_evaluate(unsigned op, unsigned from, unsigned bits, const int64_t args[3]);

#endif
