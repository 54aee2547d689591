/*
 * What operations on launch constants compute (heddle/uniform.h). Constant time.
 */
#include "heddle/uniform.h"

static const struct {
	const char *name;
	unsigned operands;
} operations[] = {
#define X(id, text, operands) {text, operands},
	HD_UNIFORM_OPERATIONS(X)
#undef X
};

const char *hd_uniform_name(unsigned op)
{
	return operations[op].name;
}

unsigned hd_uniform_operands(unsigned op)
{
	return operations[op].operands;
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Division by zero is undefined in the IR: nothing depends on the result. */
static int64_t divide(unsigned op, uint64_t a, uint64_t b, int64_t sa, int64_t sb)
{
	if (b == 0)
		return 0;
	switch (op) {
	case HD_UNIFORM_UDIV: return (int64_t)(a / b);
	case HD_UNIFORM_UREM: return (int64_t)(a % b);
	case HD_UNIFORM_SDIV: return sb == -1 ? (int64_t)(0 - (uint64_t)sa) : sa / sb;
	default: return sb == -1 ? 0 : sa % sb;
	}
}

static int64_t result_of(unsigned op, unsigned from, const int64_t args[3])
{
	uint64_t mask = from == 64 ? UINT64_MAX : (UINT64_C(1) << from) - 1;
	uint64_t a = (uint64_t)args[0] & mask, b = (uint64_t)args[1] & mask;
	int64_t sa = sign_extend(a, from), sb = sign_extend(b, from);
	switch ((enum hd_uniform_op)op) {
	case HD_UNIFORM_ZEXT: return (int64_t)a;
	case HD_UNIFORM_SEXT: return sa;
	case HD_UNIFORM_POW2: return a < from ? (int64_t)(UINT64_C(1) << a) : 0;
	case HD_UNIFORM_AND: return (int64_t)(a & b);
	case HD_UNIFORM_OR: return (int64_t)(a | b);
	case HD_UNIFORM_XOR: return (int64_t)(a ^ b);
	case HD_UNIFORM_LSHR: return b < from ? (int64_t)(a >> b) : 0;
	case HD_UNIFORM_ASHR: return sa >> (b < from ? b : from - 1);
	case HD_UNIFORM_UDIV:
	case HD_UNIFORM_SDIV:
	case HD_UNIFORM_UREM:
	case HD_UNIFORM_SREM: return divide(op, a, b, sa, sb);
	case HD_UNIFORM_SMIN: return sa < sb ? sa : sb;
	case HD_UNIFORM_SMAX: return sa > sb ? sa : sb;
	case HD_UNIFORM_UMIN: return (int64_t)(a < b ? a : b);
	case HD_UNIFORM_UMAX: return (int64_t)(a > b ? a : b);
	case HD_UNIFORM_EQ: return a == b;
	case HD_UNIFORM_NE: return a != b;
	case HD_UNIFORM_ULT: return a < b;
	case HD_UNIFORM_ULE: return a <= b;
	case HD_UNIFORM_SLT: return sa < sb;
	case HD_UNIFORM_SLE: return sa <= sb;
	case HD_UNIFORM_SELECT: return args[0] ? args[1] : args[2];
	case HD_UNIFORM_COUNT: break;
	}
	return 0;
}

int64_t hd_uniform_evaluate(unsigned op, unsigned from, unsigned bits, const int64_t args[3])
{
	int64_t value = result_of(op, from, args);
	return bits == 1 ? value & 1 : sign_extend((uint64_t)value, bits);
}
