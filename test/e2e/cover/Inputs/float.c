/* Single and double precision: arithmetic, compares, fused operations, minima, roundings, generic math. */
#include "cover.h"

#ifdef __NVPTX__
#define DEVICE_ONLY(text) text
#else
#define DEVICE_ONLY(text)
#define canonicalf(x) (x)
#define canonicald(x) (x)
#endif

#define INTRINSICS(T, s, t)                                                    \
	extern T fma##s(T, T, T) __asm__("llvm.fma." t);                       \
	extern T minnum##s(T, T) __asm__("llvm.minnum." t);                    \
	extern T maxnum##s(T, T) __asm__("llvm.maxnum." t);                    \
	extern T minimum##s(T, T) __asm__("llvm.minimum." t);                  \
	extern T maximum##s(T, T) __asm__("llvm.maximum." t);                  \
	extern T roundeven##s(T) __asm__("llvm.roundeven." t);                 \
	DEVICE_ONLY(extern T canonical##s(T) __asm__("llvm.canonicalize." t);) \
	extern _Bool class##s(T, u32) __asm__("llvm.is.fpclass." t);           \
	extern T power##s(T, int) __asm__("llvm.powi." t ".i32");              \
	extern T load_exp##s(T, int) __asm__("llvm.ldexp." t ".i32");          \
	extern s32 sat_s32##s(T) __asm__("llvm.fptosi.sat.i32." t);            \
	extern u32 sat_u32##s(T) __asm__("llvm.fptoui.sat.i32." t);            \
	extern s64 sat_s64##s(T) __asm__("llvm.fptosi.sat.i64." t);            \
	extern u64 sat_u64##s(T) __asm__("llvm.fptoui.sat.i64." t);            \
	extern s8 sat_s8##s(T) __asm__("llvm.fptosi.sat.i8." t);               \
	extern u16 sat_u16##s(T) __asm__("llvm.fptoui.sat.i16." t);            \
	extern s64 lrint##s(T) __asm__("llvm.llrint.i64." t);                  \
	extern s64 lround##s(T) __asm__("llvm.llround.i64." t);
INTRINSICS(float, f, "f32")
INTRINSICS(double, d, "f64")

#define ARITHMETIC(T, s, sfx, BITS)                                             \
	static NOINLINE unsigned arithmetic_##T(T a, T b, T c, int i, u64 *out) \
	{                                                                       \
		unsigned n = 0;                                                 \
		BITS(a + b);                                                    \
		BITS(a - b);                                                    \
		BITS(a *b);                                                     \
		BITS(a / b);                                                    \
		BITS(1 / a);                                                    \
		BITS(-a);                                                       \
		BITS(__builtin_fabs##sfx(a) - __builtin_fabs##sfx(b));          \
		BITS(__builtin_copysign##sfx(a, b));                            \
		BITS(__builtin_sqrt##sfx(__builtin_fabs##sfx(a)));              \
		BITS(fma##s(a, b, c));                                          \
		BITS(fma##s(-a, b, -c));                                        \
		BITS(__builtin_fmod##sfx(a, b));                                \
		BITS(minnum##s(a, b) + 0); /* of two zeros, either */           \
		BITS(maxnum##s(a, b) + 0);                                      \
		BITS(minimum##s(a, b));                                         \
		BITS(maximum##s(a, b));                                         \
		BITS(minimum##s(0, -(T)0 * (i & 1)));                           \
		BITS(maximum##s(-(T)0, (T)0 * (i | 1)));                        \
		BITS(__builtin_floor##sfx(c));                                  \
		BITS(__builtin_ceil##sfx(c));                                   \
		BITS(__builtin_trunc##sfx(c));                                  \
		BITS(__builtin_rint##sfx(c));                                   \
		BITS(__builtin_nearbyint##sfx(c));                              \
		BITS(__builtin_round##sfx(c));                                  \
		BITS(roundeven##s(c));                                          \
		BITS(canonical##s(a));                                          \
		BITS(load_exp##s(a, i % 64));                                   \
		BITS(load_exp##s(a, i));                                        \
		BITS(power##s(c, i & 7));                                       \
		RESULT(a == b);                                                 \
		RESULT(a != b);                                                 \
		RESULT(a < b);                                                  \
		RESULT(a <= b);                                                 \
		RESULT(!(a > b));                                               \
		RESULT(!(a >= b));                                              \
		RESULT(__builtin_isunordered(a, b));                            \
		RESULT(__builtin_islessgreater(a, b));                          \
		RESULT(class##s(a, 3));                                         \
		RESULT(class##s(a, 0x90));                                      \
		RESULT(class##s(b, 0x264));                                     \
		RESULT(a<b ? 1 : c> a);                                         \
		RESULT(sat_s32##s(a));                                          \
		RESULT(sat_u32##s(b));                                          \
		RESULT(sat_s64##s(a));                                          \
		RESULT(sat_u64##s(b));                                          \
		RESULT(sat_s8##s(c));                                           \
		RESULT(sat_u16##s(c));                                          \
		RESULT(lrint##s(c));                                            \
		RESULT(lround##s(c));                                           \
		return n;                                                       \
	}
ARITHMETIC(float, f, f, F32)
ARITHMETIC(double, d, , F64)

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	(void)thread;
	for (unsigned i = 0; i < 3; i++) {
		n += arithmetic_float(as_f32(in[i]), as_f32(in[i + 1]), (float)(s32)in[i + 2] / 65536, (int)in[i + 3],
				      out + n);
		n += arithmetic_double(as_f64(in[i]), as_f64(in[i + 1]), (double)(s32)in[i + 2] / 65536, (int)in[i + 3],
				       out + n);
	}
	return n;
}
