/*
 * The part of the device math library where a function is one machine instruction, one LLVM intrinsic or a few integer
 * operations: rounding, minimum and maximum, explicitly rounded arithmetic, conversions, bit operations, and the
 * approximations that CUDA calls __sinf, __expf and so on.
 *
 * Conversions to integers saturate and turn a NaN into 0, as the hardware's do; C's cast would be undefined there.
 */
#include "device.h"

/* Rounding, sign and order, float and double at once */
#define HD_BUILTIN1(name)                              \
	HD_INLINE_DEVICE float __nv_##name##f(float a) \
	{                                              \
		return __builtin_##name##f(a);         \
	}                                              \
	HD_INLINE_DEVICE double __nv_##name(double a)  \
	{                                              \
		return __builtin_##name(a);            \
	}
#define HD_BUILTIN2(name)                                       \
	HD_INLINE_DEVICE float __nv_##name##f(float a, float b) \
	{                                                       \
		return __builtin_##name##f(a, b);               \
	}                                                       \
	HD_INLINE_DEVICE double __nv_##name(double a, double b) \
	{                                                       \
		return __builtin_##name(a, b);                  \
	}
HD_BUILTIN1(ceil)
HD_BUILTIN1(floor)
HD_BUILTIN1(trunc)
HD_BUILTIN1(rint)
HD_BUILTIN1(nearbyint)
HD_BUILTIN1(fabs)
HD_BUILTIN1(sqrt)
HD_BUILTIN2(copysign)
HD_BUILTIN2(fmin)
HD_BUILTIN2(fmax)

/*
 * Halfway cases away from zero, which is no rounding mode of the hardware. The sum is cut: just below a half it stays
 * below one, and large numbers, which are integers, stay what they are.
 */
HD_INLINE_DEVICE float __nv_roundf(float a)
{
	return __builtin_truncf(__nvvm_add_rz_f(a, __builtin_copysignf(0.5f, a)));
}
HD_INLINE_DEVICE double __nv_round(double a)
{
	return __builtin_trunc(__nvvm_add_rz_d(a, __builtin_copysign(0.5, a)));
}
HD_INLINE_DEVICE long long __nv_llrintf(float a)
{
	return __nvvm_f2ll_rn(a);
}
HD_INLINE_DEVICE long long __nv_llrint(double a)
{
	return __nvvm_d2ll_rn(a);
}
HD_INLINE_DEVICE long long __nv_llroundf(float a)
{
	return __nvvm_f2ll_rz(__nv_roundf(a));
}
HD_INLINE_DEVICE long long __nv_llround(double a)
{
	return __nvvm_d2ll_rz(__nv_round(a));
}
HD_INLINE_DEVICE float __nv_saturatef(float a)
{
	return __builtin_fminf(__builtin_fmaxf(a, 0.0f), 1.0f);
}

/* Classes */
HD_INLINE_DEVICE int __nv_isnanf(float a)
{
	return a != a;
}
HD_INLINE_DEVICE int __nv_isnand(double a)
{
	return a != a;
}
HD_INLINE_DEVICE int __nv_isinff(float a)
{
	return __builtin_fabsf(a) == __builtin_inff();
}
HD_INLINE_DEVICE int __nv_isinfd(double a)
{
	return __builtin_fabs(a) == __builtin_inf();
}
HD_INLINE_DEVICE int __nv_finitef(float a)
{
	return __builtin_fabsf(a) < __builtin_inff();
}
HD_INLINE_DEVICE int __nv_isfinited(double a)
{
	return __builtin_fabs(a) < __builtin_inf();
}
HD_INLINE_DEVICE float __nv_nanf(const signed char *tag)
{
	(void)tag;
	return __builtin_nanf("");
}
HD_INLINE_DEVICE double __nv_nan(const signed char *tag)
{
	(void)tag;
	return __builtin_nan("");
}

/* Fused multiply-add and arithmetic with a rounding mode in its name. */
HD_INLINE_DEVICE float __nv_fmaf(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}
HD_INLINE_DEVICE double __nv_fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

/* `cuda` is the letter in CUDA's name (rn rz rd ru), `nvvm` the one in the intrinsic's (rn rz rm rp). */
#define HD_ROUNDED(cuda, nvvm)                                                  \
	HD_INLINE_DEVICE float __nv_fadd_##cuda(float a, float b)               \
	{                                                                       \
		return __nvvm_add_##nvvm##_f(a, b);                             \
	}                                                                       \
	HD_INLINE_DEVICE float __nv_fsub_##cuda(float a, float b)               \
	{                                                                       \
		return __nvvm_add_##nvvm##_f(a, -b);                            \
	}                                                                       \
	HD_INLINE_DEVICE float __nv_fmul_##cuda(float a, float b)               \
	{                                                                       \
		return __nvvm_mul_##nvvm##_f(a, b);                             \
	}                                                                       \
	HD_INLINE_DEVICE float __nv_fdiv_##cuda(float a, float b)               \
	{                                                                       \
		return __nvvm_div_##nvvm##_f(a, b);                             \
	}                                                                       \
	HD_INLINE_DEVICE float __nv_frcp_##cuda(float a)                        \
	{                                                                       \
		return __nvvm_rcp_##nvvm##_f(a);                                \
	}                                                                       \
	HD_INLINE_DEVICE float __nv_fsqrt_##cuda(float a)                       \
	{                                                                       \
		return __nvvm_sqrt_##nvvm##_f(a);                               \
	}                                                                       \
	HD_INLINE_DEVICE float __nv_fmaf_##cuda(float a, float b, float c)      \
	{                                                                       \
		return __nvvm_fma_##nvvm##_f(a, b, c);                          \
	}                                                                       \
	HD_INLINE_DEVICE float __nv_fmaf_ieee_##cuda(float a, float b, float c) \
	{                                                                       \
		return __nvvm_fma_##nvvm##_f(a, b, c);                          \
	}                                                                       \
	HD_INLINE_DEVICE double __nv_dadd_##cuda(double a, double b)            \
	{                                                                       \
		return __nvvm_add_##nvvm##_d(a, b);                             \
	}                                                                       \
	HD_INLINE_DEVICE double __nv_dsub_##cuda(double a, double b)            \
	{                                                                       \
		return __nvvm_add_##nvvm##_d(a, -b);                            \
	}                                                                       \
	HD_INLINE_DEVICE double __nv_dmul_##cuda(double a, double b)            \
	{                                                                       \
		return __nvvm_mul_##nvvm##_d(a, b);                             \
	}                                                                       \
	HD_INLINE_DEVICE double __nv_ddiv_##cuda(double a, double b)            \
	{                                                                       \
		return __nvvm_div_##nvvm##_d(a, b);                             \
	}                                                                       \
	HD_INLINE_DEVICE double __nv_drcp_##cuda(double a)                      \
	{                                                                       \
		return __nvvm_rcp_##nvvm##_d(a);                                \
	}                                                                       \
	HD_INLINE_DEVICE double __nv_dsqrt_##cuda(double a)                     \
	{                                                                       \
		return __nvvm_sqrt_##nvvm##_d(a);                               \
	}                                                                       \
	HD_INLINE_DEVICE double __nv_fma_##cuda(double a, double b, double c)   \
	{                                                                       \
		return __nvvm_fma_##nvvm##_d(a, b, c);                          \
	}
HD_ROUNDED(rn, rn)
HD_ROUNDED(rz, rz)
HD_ROUNDED(rd, rm)
HD_ROUNDED(ru, rp)

/* Conversions */
#define HD_CONVERT(cuda, nvvm)                                               \
	HD_INLINE_DEVICE int __nv_float2int_##cuda(float a)                  \
	{                                                                    \
		return __nvvm_f2i_##nvvm(a);                                 \
	}                                                                    \
	HD_INLINE_DEVICE unsigned int __nv_float2uint_##cuda(float a)        \
	{                                                                    \
		return __nvvm_f2ui_##nvvm(a);                                \
	}                                                                    \
	HD_INLINE_DEVICE long long __nv_float2ll_##cuda(float a)             \
	{                                                                    \
		return __nvvm_f2ll_##nvvm(a);                                \
	}                                                                    \
	HD_INLINE_DEVICE unsigned long long __nv_float2ull_##cuda(float a)   \
	{                                                                    \
		return __nvvm_f2ull_##nvvm(a);                               \
	}                                                                    \
	HD_INLINE_DEVICE int __nv_double2int_##cuda(double a)                \
	{                                                                    \
		return __nvvm_d2i_##nvvm(a);                                 \
	}                                                                    \
	HD_INLINE_DEVICE unsigned int __nv_double2uint_##cuda(double a)      \
	{                                                                    \
		return __nvvm_d2ui_##nvvm(a);                                \
	}                                                                    \
	HD_INLINE_DEVICE long long __nv_double2ll_##cuda(double a)           \
	{                                                                    \
		return __nvvm_d2ll_##nvvm(a);                                \
	}                                                                    \
	HD_INLINE_DEVICE unsigned long long __nv_double2ull_##cuda(double a) \
	{                                                                    \
		return __nvvm_d2ull_##nvvm(a);                               \
	}
HD_CONVERT(rn, rn)
HD_CONVERT(rz, rz)
HD_CONVERT(rd, rm)
HD_CONVERT(ru, rp)

#define HD_CONVERT_INEXACT(cuda, nvvm)                                       \
	HD_INLINE_DEVICE float __nv_int2float_##cuda(int a)                  \
	{                                                                    \
		return __nvvm_i2f_##nvvm(a);                                 \
	}                                                                    \
	HD_INLINE_DEVICE float __nv_uint2float_##cuda(unsigned int a)        \
	{                                                                    \
		return __nvvm_ui2f_##nvvm(a);                                \
	}                                                                    \
	HD_INLINE_DEVICE float __nv_ll2float_##cuda(long long a)             \
	{                                                                    \
		return __nvvm_ll2f_##nvvm(a);                                \
	}                                                                    \
	HD_INLINE_DEVICE float __nv_ull2float_##cuda(unsigned long long a)   \
	{                                                                    \
		return __nvvm_ull2f_##nvvm(a);                               \
	}                                                                    \
	HD_INLINE_DEVICE double __nv_ll2double_##cuda(long long a)           \
	{                                                                    \
		return __nvvm_ll2d_##nvvm(a);                                \
	}                                                                    \
	HD_INLINE_DEVICE double __nv_ull2double_##cuda(unsigned long long a) \
	{                                                                    \
		return __nvvm_ull2d_##nvvm(a);                               \
	}                                                                    \
	HD_INLINE_DEVICE float __nv_double2float_##cuda(double a)            \
	{                                                                    \
		return __nvvm_d2f_##nvvm(a);                                 \
	}
HD_CONVERT_INEXACT(rz, rz)
HD_CONVERT_INEXACT(rd, rm)
HD_CONVERT_INEXACT(ru, rp)
HD_INLINE_DEVICE float __nv_int2float_rn(int a)
{
	return (float)a;
}
HD_INLINE_DEVICE float __nv_uint2float_rn(unsigned int a)
{
	return (float)a;
}
HD_INLINE_DEVICE float __nv_ll2float_rn(long long a)
{
	return (float)a;
}
HD_INLINE_DEVICE float __nv_ull2float_rn(unsigned long long a)
{
	return (float)a;
}
HD_INLINE_DEVICE double __nv_int2double_rn(int a)
{
	return (double)a;
}
HD_INLINE_DEVICE double __nv_uint2double_rn(unsigned int a)
{
	return (double)a;
}
HD_INLINE_DEVICE double __nv_ll2double_rn(long long a)
{
	return (double)a;
}
HD_INLINE_DEVICE double __nv_ull2double_rn(unsigned long long a)
{
	return (double)a;
}
HD_INLINE_DEVICE float __nv_double2float_rn(double a)
{
	return (float)a;
}
HD_INLINE_DEVICE unsigned short __nv_float2half_rn(float a)
{
	return (unsigned short)__nvvm_f2h_rn(a);
}
HD_INLINE_DEVICE float __nv_half2float(unsigned short a)
{
	return (float)__builtin_bit_cast(_Float16, a);
}

/* Bits of one type as another */
#define BITS(T, a) __builtin_bit_cast(T, (a))
HD_INLINE_DEVICE int __nv_float_as_int(float a)
{
	return BITS(int, a);
}
HD_INLINE_DEVICE unsigned int __nv_float_as_uint(float a)
{
	return BITS(unsigned int, a);
}
HD_INLINE_DEVICE float __nv_int_as_float(int a)
{
	return BITS(float, a);
}
HD_INLINE_DEVICE float __nv_uint_as_float(unsigned int a)
{
	return BITS(float, a);
}
HD_INLINE_DEVICE unsigned long long __nv_double_as_longlong(double a)
{
	return BITS(unsigned long long, a);
}
HD_INLINE_DEVICE double __nv_longlong_as_double(long long a)
{
	return BITS(double, a);
}
HD_INLINE_DEVICE int __nv_double2hiint(double a)
{
	return (int)(BITS(unsigned long long, a) >> 32);
}
HD_INLINE_DEVICE int __nv_double2loint(double a)
{
	return (int)BITS(unsigned long long, a);
}
HD_INLINE_DEVICE double __nv_hiloint2double(int high, int low)
{
	return BITS(double, (unsigned long long)(unsigned int)high << 32 | (unsigned int)low);
}
HD_INLINE_DEVICE int __nv_signbitf(float a)
{
	return (int)(BITS(unsigned int, a) >> 31);
}
HD_INLINE_DEVICE int __nv_signbitd(double a)
{
	return (int)(BITS(unsigned long long, a) >> 63);
}

/* Integers */
HD_INLINE_DEVICE int __nv_abs(int a)
{
	return (int)(a < 0 ? 0u - (unsigned int)a : (unsigned int)a);
}
HD_INLINE_DEVICE long long __nv_llabs(long long a)
{
	return (long long)(a < 0 ? 0ull - (unsigned long long)a : (unsigned long long)a);
}
#define HD_MINMAX(T, min, max)                  \
	HD_INLINE_DEVICE T __nv_##min(T a, T b) \
	{                                       \
		return a < b ? a : b;           \
	}                                       \
	HD_INLINE_DEVICE T __nv_##max(T a, T b) \
	{                                       \
		return a > b ? a : b;           \
	}
HD_MINMAX(int, min, max)
HD_MINMAX(unsigned int, umin, umax)
HD_MINMAX(long long, llmin, llmax)
HD_MINMAX(unsigned long long, ullmin, ullmax)

HD_INLINE_DEVICE int __nv_brev(int a)
{
	return (int)__builtin_bitreverse32((unsigned int)a);
}
HD_INLINE_DEVICE long long __nv_brevll(long long a)
{
	return (long long)__builtin_bitreverse64((unsigned long long)a);
}
HD_INLINE_DEVICE int __nv_clz(int a)
{
	return a ? __builtin_clz((unsigned int)a) : 32;
}
HD_INLINE_DEVICE int __nv_clzll(long long a)
{
	return a ? __builtin_clzll((unsigned long long)a) : 64;
}
HD_INLINE_DEVICE int __nv_ffs(int a)
{
	return __builtin_ffs(a);
}
HD_INLINE_DEVICE int __nv_ffsll(long long a)
{
	return __builtin_ffsll(a);
}
HD_INLINE_DEVICE int __nv_popc(unsigned int a)
{
	return __builtin_popcount(a);
}
HD_INLINE_DEVICE int __nv_popcll(unsigned long long a)
{
	return __builtin_popcountll(a);
}
HD_INLINE_DEVICE int __nv_byte_perm(int a, int b, int selector)
{
	return __nvvm_prmt(a, b, selector);
}

HD_INLINE_DEVICE int __nv_mulhi(int a, int b)
{
	return __nvvm_mulhi_i(a, b);
}
HD_INLINE_DEVICE unsigned int __nv_umulhi(unsigned int a, unsigned int b)
{
	return __nvvm_mulhi_ui(a, b);
}
HD_INLINE_DEVICE long long __nv_mul64hi(long long a, long long b)
{
	return __nvvm_mulhi_ll(a, b);
}
HD_INLINE_DEVICE unsigned long long __nv_umul64hi(unsigned long long a, unsigned long long b)
{
	return __nvvm_mulhi_ull(a, b);
}

/* The low word of the product of the low 24 bits */
HD_INLINE_DEVICE int __nv_mul24(int a, int b)
{
	int low_a = (int)((unsigned int)a << 8) >> 8, low_b = (int)((unsigned int)b << 8) >> 8;
	return (int)((unsigned int)low_a * (unsigned int)low_b);
}
HD_INLINE_DEVICE unsigned int __nv_umul24(unsigned int a, unsigned int b)
{
	return (a & 0xffffff) * (b & 0xffffff);
}

/* Averages without overflow, rounded down and up; sums of absolute differences */
HD_INLINE_DEVICE int __nv_hadd(int a, int b)
{
	return (a & b) + ((a ^ b) >> 1);
}
HD_INLINE_DEVICE int __nv_rhadd(int a, int b)
{
	return (a | b) - ((a ^ b) >> 1);
}
HD_INLINE_DEVICE int __nv_uhadd(unsigned int a, unsigned int b)
{
	return (int)((a & b) + ((a ^ b) >> 1));
}
HD_INLINE_DEVICE unsigned int __nv_urhadd(unsigned int a, unsigned int b)
{
	return (a | b) - ((a ^ b) >> 1);
}
HD_INLINE_DEVICE int __nv_sad(int a, int b, int c)
{
	unsigned int x = (unsigned int)a, y = (unsigned int)b;
	return (int)((a > b ? x - y : y - x) + (unsigned int)c);
}
HD_INLINE_DEVICE unsigned int __nv_usad(unsigned int a, unsigned int b, unsigned int c)
{
	return (a > b ? a - b : b - a) + c;
}

/* The hardware's approximations */
#define LOG2_E 1.44269504f
#define LOG2_10 3.32192809f
#define LN_2 0.693147181f
#define LOG10_2 0.301029996f
HD_INLINE_DEVICE float __nv_fast_sinf(float a)
{
	return __nvvm_sin_approx_f(a);
}
HD_INLINE_DEVICE float __nv_fast_cosf(float a)
{
	return __nvvm_cos_approx_f(a);
}
HD_INLINE_DEVICE float __nv_fast_tanf(float a)
{
	return __nvvm_div_approx_f(__nvvm_sin_approx_f(a), __nvvm_cos_approx_f(a));
}
/* (1 - e) / (1 + e) with e = exp(-2 |a|), which cannot overflow */
HD_INLINE_DEVICE float __nv_fast_tanhf(float a)
{
	float e = __nvvm_ex2_approx_f(__builtin_fabsf(a) * -2.0f * LOG2_E);
	return __builtin_copysignf((1.0f - e) * __nvvm_rcp_approx_ftz_f(1.0f + e), a);
}
HD_INLINE_DEVICE void __nv_fast_sincosf(float a, float *s, float *c)
{
	*s = __nvvm_sin_approx_f(a);
	*c = __nvvm_cos_approx_f(a);
}
HD_INLINE_DEVICE float __nv_fast_expf(float a)
{
	return __nvvm_ex2_approx_f(a * LOG2_E);
}
HD_INLINE_DEVICE float __nv_fast_exp10f(float a)
{
	return __nvvm_ex2_approx_f(a * LOG2_10);
}
HD_INLINE_DEVICE float __nv_fast_log2f(float a)
{
	return __nvvm_lg2_approx_f(a);
}
HD_INLINE_DEVICE float __nv_fast_logf(float a)
{
	return __nvvm_lg2_approx_f(a) * LN_2;
}
HD_INLINE_DEVICE float __nv_fast_log10f(float a)
{
	return __nvvm_lg2_approx_f(a) * LOG10_2;
}
HD_INLINE_DEVICE float __nv_fast_powf(float a, float b)
{
	return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a));
}
HD_INLINE_DEVICE float __nv_fast_fdividef(float a, float b)
{
	return __nvvm_div_approx_f(a, b);
}
HD_INLINE_DEVICE double __nv_rcp64h(double a)
{
	return __nvvm_rcp_approx_ftz_d(a);
}

/* What the vtable of an abstract class holds in place of a function. */
HD_DEVICE void __cxa_pure_virtual(void)
{
	__builtin_trap();
}
HD_DEVICE void __cxa_deleted_virtual(void)
{
	__builtin_trap();
}
