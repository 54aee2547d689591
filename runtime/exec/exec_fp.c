/*
 * Functional execution: single and double precision. IEEE 754 with the host's own arithmetic in
 * round-to-nearest; directed rounding goes lane by lane under the host's rounding mode.
 *
 * A NaN result is 0x7fffffff in single precision, as on the hardware. In double precision
 * it is the first NaN operand made quiet, or 0xfff8000000000000; chosen here, because which
 * operand a host instruction passes on depends on how the compiler ordered it.
 * Denormals are kept unless .FTZ replaces them (operands and result) by zeros of their sign.
 * Expects the default floating-point environment (round to nearest, no flushing) on entry.
 */
#include <fenv.h>

#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

#define NAN32 0x7fffffffu
#define SIGN32 0x80000000u
#define SIGN64 UINT64_C(0x8000000000000000)
#define NAN64 UINT64_C(0xfff8000000000000)
#define QUIET64 UINT64_C(0x0008000000000000)

/* ---- operands and results */

HD_INLINE uint32_t sign_mask(const struct hd_inst *inst, unsigned bit)
{
	return inst->srcmods & bit ? SIGN32 : 0;
}
HD_INLINE uint32_t abs_mask(const struct hd_inst *inst, unsigned bit)
{
	return inst->srcmods & bit ? ~SIGN32 : HD_FULL;
}

#define FLUSH32(v) ((v) & 0x7f800000u) == 0 ? (v) & SIGN32 : (v)

#define MODIFY_AB(a, b)                                                                               \
	do {                                                                                          \
		if (inst->inst.srcmods) {                                                             \
			a = (a & abs_mask(&inst->inst, HD_ABS_A)) ^ sign_mask(&inst->inst, HD_NEG_A); \
			b = (b & abs_mask(&inst->inst, HD_ABS_B)) ^ sign_mask(&inst->inst, HD_NEG_B); \
		}                                                                                     \
		if (HD_MODIFIER(FTZ)) {                                                               \
			a = FLUSH32(a);                                                               \
			b = FLUSH32(b);                                                               \
		}                                                                                     \
	} while (0)

/* Canonical NaN, FTZ and SAT (a NaN saturates to +0). */
#define FINISH32(name, value)                                                      \
	hd_f32s name##_f = (value);                                                \
	hd_u32s name = name##_f != name##_f ? HD_SPLAT(NAN32) : (hd_u32s)name##_f; \
	if (HD_MODIFIER(FTZ))                                                      \
		name = FLUSH32(name);                                              \
	if (HD_MODIFIER(SAT)) {                                                    \
		name = name##_f > 0.0f ? name : HD_SPLAT(0);                       \
		name = name##_f > 1.0f ? HD_SPLAT(0x3f800000u) : name;             \
	}

/* ---- directed rounding: slow and scalar */

static int host_rounding(unsigned rounding)
{
	static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
	return modes[rounding & 3];
}

/* a * b + c, or a + c, or a * b: what is computed under the rounding mode. */
enum rounded_op { ROUNDED_ADD, ROUNDED_MUL, ROUNDED_FMA };

#pragma float_control(precise, on, push)
#pragma STDC FENV_ACCESS ON
static void rounded32(enum rounded_op op, unsigned rounding, const float *a, const float *b, const float *c, float *to)
{
	fesetround(host_rounding(rounding));
	for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
		volatile float x = a[lane], y = b[lane], z = c[lane];
		to[lane] = op == ROUNDED_ADD ? x + z : op == ROUNDED_MUL ? x * y : __builtin_fmaf(x, y, z);
	}
	fesetround(FE_TONEAREST);
}

static void rounded64(enum rounded_op op, unsigned rounding, const double *a, const double *b, const double *c,
		      double *to)
{
	fesetround(host_rounding(rounding));
	for (unsigned lane = 0; lane < HD_WARP_LANES; lane++) {
		volatile double x = a[lane], y = b[lane], z = c[lane];
		to[lane] = op == ROUNDED_ADD ? x + z : op == ROUNDED_MUL ? x * y : __builtin_fma(x, y, z);
	}
	fesetround(FE_TONEAREST);
}
#pragma STDC FENV_ACCESS OFF
#pragma float_control(pop)

#define ROUNDED(width, kind, op, result, x, y, z)                                                            \
	do {                                                                                                 \
		kind rounded_x_ = (kind)(x), rounded_y_ = (kind)(y), rounded_z_ = (kind)(z);                 \
		rounded##width((op), HD_MODIFIER(RND), (const void *)&rounded_x_, (const void *)&rounded_y_, \
			       (const void *)&rounded_z_, (void *)&result);                                  \
	} while (0)

/* ---- single precision */

HD_EXEC(op_fadd)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	MODIFY_AB(a, b);
	hd_f32s sum = (hd_f32s)a + (hd_f32s)b;
	if (__builtin_expect(HD_MODIFIER(RND) != HD_RN, 0))
		ROUNDED(32, hd_f32s, ROUNDED_ADD, sum, a, a, b);
	FINISH32(result, sum);
	HD_STORE(result);
}

HD_EXEC(op_fmul)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	MODIFY_AB(a, b);
	hd_f32s product = (hd_f32s)a * (hd_f32s)b;
	if (__builtin_expect(HD_MODIFIER(RND) != HD_RN, 0))
		ROUNDED(32, hd_f32s, ROUNDED_MUL, product, a, b, b);
	FINISH32(result, product);
	HD_STORE(result);
}

/* Without modifiers, which is most of what a kernel executes. */
HD_EXEC(op_ffma_plain)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	hd_f32s sum = __builtin_elementwise_fma((hd_f32s)a, (hd_f32s)b, (hd_f32s)c);
	HD_STORE(sum != sum ? HD_SPLAT(NAN32) : (hd_u32s)sum);
}

HD_EXEC(op_ffma)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	HD_DEFINE_C(c);
	MODIFY_AB(a, b);
	c ^= sign_mask(&inst->inst, HD_NEG_C);
	if (HD_MODIFIER(FTZ))
		c = FLUSH32(c);
	hd_f32s sum = __builtin_elementwise_fma((hd_f32s)a, (hd_f32s)b, (hd_f32s)c);
	if (__builtin_expect(HD_MODIFIER(RND) != HD_RN, 0))
		ROUNDED(32, hd_f32s, ROUNDED_FMA, sum, a, b, c);
	FINISH32(result, sum);
	HD_STORE(result);
}

/* minNum and maxNum with -0 < +0: integers compare as the floats do once negative ones are turned round. */
HD_EXEC(op_fmnmx)
{
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	MODIFY_AB(a, b);
	hd_s32s key_a = (hd_s32s)a ^ (hd_s32s)((hd_u32s)((hd_s32s)a >> 31) >> 1);
	hd_s32s key_b = (hd_s32s)b ^ (hd_s32s)((hd_u32s)((hd_s32s)b >> 31) >> 1);
	hd_u32s lesser = key_a < key_b ? a : b, greater = key_a < key_b ? b : a;
	hd_u32s result = HD_MODIFIER(MINMAX) == HD_MIN ? lesser : greater;
	hd_s32s a_nan = (a & ~SIGN32) > 0x7f800000u, b_nan = (b & ~SIGN32) > 0x7f800000u;
	hd_u32s other = HD_MODIFIER(NAN) ? HD_SPLAT(NAN32) : b;
	result = a_nan ? other : result;
	other = HD_MODIFIER(NAN) ? HD_SPLAT(NAN32) : a;
	result = b_nan ? other : result;
	result = (a_nan & b_nan) != 0 ? HD_SPLAT(NAN32) : result;
	HD_STORE(result);
}

/* HD_CMP_* are sets of outcomes: bit 0 less, 1 equal, 2 greater, 3 unordered. */
HD_INLINE uint32_t chosen_outcomes(unsigned outcomes, uint32_t less, uint32_t equal, uint32_t greater)
{
	return (outcomes & 1 ? less : 0) | (outcomes & 2 ? equal : 0) | (outcomes & 4 ? greater : 0) |
	       (outcomes & 8 ? ~(less | equal | greater) : 0);
}

HD_EXEC(op_fsetp)
{
	const struct hd_inst *in = &inst->inst;
	HD_DEFINE_A(a);
	HD_DEFINE_B(b);
	MODIFY_AB(a, b);
	HD_MASK_OF(less, (hd_f32s)a < (hd_f32s)b);
	HD_MASK_OF(equal, (hd_f32s)a == (hd_f32s)b);
	HD_MASK_OF(greater, (hd_f32s)a > (hd_f32s)b);
	uint32_t result = chosen_outcomes(HD_MODIFIER(CMP), less, equal, greater);
	hd_set_pred(exec, in->pdst, hd_bool(HD_MODIFIER(BOOL), result, hd_pred(exec->warp, in->psrc)));
}

/* ---- double precision */

#define MODIFY64(v, letter)                               \
	do {                                              \
		if (inst->inst.srcmods & HD_ABS_##letter) \
			v &= ~SIGN64;                     \
		if (inst->inst.srcmods & HD_NEG_##letter) \
			v ^= SIGN64;                      \
	} while (0)
#define HD_ABS_C 0 /* the third operand has no absolute value */

#define FINISH64(name, value, x, y, z)                                          \
	hd_f64s name##_f = (value);                                             \
	hd_u64s name = (hd_u64s)name##_f;                                       \
	HD_MASK_OF(name##_nan, name##_f != name##_f);                           \
	if (__builtin_expect(name##_nan != 0, 0)) {                             \
		hd_u64s chosen = (hd_u64s)NAN64;                                \
		chosen = (hd_f64s)(z) != (hd_f64s)(z) ? (z) | QUIET64 : chosen; \
		chosen = (hd_f64s)(y) != (hd_f64s)(y) ? (y) | QUIET64 : chosen; \
		chosen = (hd_f64s)(x) != (hd_f64s)(x) ? (x) | QUIET64 : chosen; \
		name = name##_f != name##_f ? chosen : name;                    \
	}

HD_EXEC(op_dadd)
{
	HD_DEFINE_A64(a);
	HD_DEFINE_B64(b);
	MODIFY64(a, A);
	MODIFY64(b, B);
	hd_f64s sum = (hd_f64s)a + (hd_f64s)b;
	if (__builtin_expect(HD_MODIFIER(RND) != HD_RN, 0))
		ROUNDED(64, hd_f64s, ROUNDED_ADD, sum, a, a, b);
	FINISH64(result, sum, a, b, b);
	HD_STORE64(result);
}

HD_EXEC(op_dmul)
{
	HD_DEFINE_A64(a);
	HD_DEFINE_B64(b);
	MODIFY64(a, A);
	MODIFY64(b, B);
	hd_f64s product = (hd_f64s)a * (hd_f64s)b;
	if (__builtin_expect(HD_MODIFIER(RND) != HD_RN, 0))
		ROUNDED(64, hd_f64s, ROUNDED_MUL, product, a, b, b);
	FINISH64(result, product, a, b, b);
	HD_STORE64(result);
}

HD_EXEC(op_dfma)
{
	HD_DEFINE_A64(a);
	HD_DEFINE_B64(b);
	HD_DEFINE_C64(c);
	MODIFY64(a, A);
	MODIFY64(b, B);
	MODIFY64(c, C);
	hd_f64s sum = __builtin_elementwise_fma((hd_f64s)a, (hd_f64s)b, (hd_f64s)c);
	if (__builtin_expect(HD_MODIFIER(RND) != HD_RN, 0))
		ROUNDED(64, hd_f64s, ROUNDED_FMA, sum, a, b, c);
	FINISH64(result, sum, a, b, c);
	HD_STORE64(result);
}

HD_EXEC(op_dsetp)
{
	const struct hd_inst *in = &inst->inst;
	HD_DEFINE_A64(a);
	HD_DEFINE_B64(b);
	MODIFY64(a, A);
	MODIFY64(b, B);
	HD_MASK_OF(less, (hd_f64s)a < (hd_f64s)b);
	HD_MASK_OF(equal, (hd_f64s)a == (hd_f64s)b);
	HD_MASK_OF(greater, (hd_f64s)a > (hd_f64s)b);
	uint32_t result = chosen_outcomes(HD_MODIFIER(CMP), less, equal, greater);
	hd_set_pred(exec, in->pdst, hd_bool(HD_MODIFIER(BOOL), result, hd_pred(exec->warp, in->psrc)));
}

const struct hd_exec_clones *hd_exec_fp_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_FADD: return &op_fadd;
	case HD_OP_FMUL: return &op_fmul;
	case HD_OP_FFMA: return inst->mods || inst->srcmods ? &op_ffma : &op_ffma_plain;
	case HD_OP_FMNMX: return &op_fmnmx;
	case HD_OP_FSETP: return &op_fsetp;
	case HD_OP_DADD: return &op_dadd;
	case HD_OP_DMUL: return &op_dmul;
	case HD_OP_DFMA: return &op_dfma;
	case HD_OP_DSETP: return &op_dsetp;
	default: return NULL;
	}
}
