/* NVVM's atomics with a scope in their name: every operation, type and scope, on words of one thread and of eight. */
#include "cover.h"

#ifdef __NVPTX__
#define ATOMIC(op, kind, T, suffix, scope)                                                                           \
	extern T op##_##T##_##scope(T *, T) __asm__("llvm.nvvm.atomic." #op ".gen." #kind "." #scope "." suffix ".p" \
														"0");
#define SWAP(T, suffix, scope) \
	extern T cas_##T##_##scope(T *, T, T) __asm__("llvm.nvvm.atomic.cas.gen.i." #scope "." suffix ".p0");
extern u32 inc_u32(u32 *, u32) __asm__("llvm.nvvm.atomic.load.inc.32.p0");
extern u32 dec_u32(u32 *, u32) __asm__("llvm.nvvm.atomic.load.dec.32.p0");
#else
#define ATOMIC(op, kind, T, suffix, scope)     \
	static T op##_##T##_##scope(T *p, T x) \
	{                                      \
		T old = *p;                    \
		*p = after_##op##_##T(old, x); \
		return old;                    \
	}
#define SWAP(T, suffix, scope)                            \
	static T cas_##T##_##scope(T *p, T expected, T x) \
	{                                                 \
		T old = *p;                               \
		*p = old == expected ? x : old;           \
		return old;                               \
	}
#define AFTER(op, T, ...)                     \
	static T after_##op##_##T(T old, T x) \
	{                                     \
		return __VA_ARGS__;           \
	}
#define AFTER_INTEGER(T)                      \
	AFTER(add, T, (T)((u64)old + (u64)x)) \
	AFTER(exch, T, (void)old, x)          \
	AFTER(max, T, old > x ? old : x)      \
	AFTER(min, T, old < x ? old : x)      \
	AFTER(and, T, old &x)                 \
	AFTER(or, T, old | x)                 \
	AFTER(xor, T, old ^ x)
AFTER_INTEGER(s32)
AFTER_INTEGER(s64)
AFTER(add, float, old + x)
AFTER(add, double, old + x)
AFTER(inc, s32, (u32)old >= (u32)x ? 0 : old + 1)
AFTER(dec, s32, (u32)old == 0 || (u32)old > (u32)x ? x : old - 1)
static u32 inc_u32(u32 *p, u32 x)
{
	u32 old = *p;
	*p = (u32)after_inc_s32((s32)old, (s32)x);
	return old;
}
static u32 dec_u32(u32 *p, u32 x)
{
	u32 old = *p;
	*p = (u32)after_dec_s32((s32)old, (s32)x);
	return old;
}
#endif

#define INTEGER(T, suffix, scope)         \
	ATOMIC(add, i, T, suffix, scope)  \
	ATOMIC(exch, i, T, suffix, scope) \
	ATOMIC(max, i, T, suffix, scope)  \
	ATOMIC(min, i, T, suffix, scope)  \
	ATOMIC(and, i, T, suffix, scope)  \
	ATOMIC(or, i, T, suffix, scope)   \
	ATOMIC(xor, i, T, suffix, scope)  \
	SWAP(T, suffix, scope)
#define SCOPE(scope)                        \
	INTEGER(s32, "i32", scope)          \
	INTEGER(s64, "i64", scope)          \
	ATOMIC(inc, i, s32, "i32", scope)   \
	ATOMIC(dec, i, s32, "i32", scope)   \
	ATOMIC(add, f, float, "f32", scope) \
	ATOMIC(add, f, double, "f64", scope)
SCOPE(cta)
SCOPE(sys)

#define RUN(T, scope)                                \
	RESULT(add_##T##_##scope(p, a));             \
	RESULT(max_##T##_##scope(p, b));             \
	RESULT(min_##T##_##scope(p, a));             \
	RESULT(xor_##T##_##scope(p, b));             \
	RESULT(and_##T##_##scope(p, (T) ~(a >> 3))); \
	RESULT(or_##T##_##scope(p, b & 0x55));       \
	RESULT(cas_##T##_##scope(p, *p, a));         \
	RESULT(cas_##T##_##scope(p, (T)(a + 1), b)); \
	RESULT(exch_##T##_##scope(p, b));            \
	RESULT(*p);

static NOINLINE unsigned words(s32 *p, s32 a, s32 b, u64 *out)
{
	unsigned n = 0;
	*p = b;
	RUN(s32, cta)
	RUN(s32, sys)
	for (s32 i = 0; i < 7; i++) {
		RESULT(inc_s32_cta(p, 4 + (a & 1)));
		RESULT(dec_s32_sys(p, 3));
		RESULT(inc_s32_sys(p, 2));
		RESULT(dec_s32_cta(p, b & 7));
		RESULT(inc_u32((u32 *)p, 5));
		RESULT(dec_u32((u32 *)p, 6));
	}
	return n;
}
static NOINLINE unsigned longs(s64 *p, s64 a, s64 b, u64 *out)
{
	unsigned n = 0;
	*p = b;
	RUN(s64, cta)
	RUN(s64, sys)
	return n;
}
static NOINLINE unsigned reals(u64 *cell, u64 a, u64 *out)
{
	float *f = (float *)cell, x = (float)(s16)a / 8;
	double *d = (double *)cell, y = (double)(s32)a / 1024;
	unsigned n = 0;
	*f = 0.5f;
	F32(add_float_cta(f, x));
	F32(add_float_sys(f, -x / 3));
	F32(*f);
	*d = 0.25;
	F64(add_double_cta(d, y));
	F64(add_double_sys(d, -y / 3));
	F64(*d);
	return n;
}

/* Words that eight threads share: the end does not depend on the order. */
static unsigned together(u64 *out, unsigned thread)
{
	unsigned n = 0;
#ifdef __NVPTX__
	static SHARED s32 sums[8], wraps[8];
	static s64 most[8];
	static double reals[8];
	u32 at = thread & 7;
	sums[at] = wraps[at] = 0;
	most[at] = -1, reals[at] = 0;
	__syncthreads();
	add_s32_cta((s32 *)&sums[at], (s32)thread);
	inc_s32_cta((s32 *)&wraps[at], 4);
	max_s64_sys(&most[at], (s64)thread << 35);
	add_double_sys(&reals[at], thread / 4.0);
	__syncthreads();
	s32 sum = (s32)(8 * at + 224);
	CHECK(sums[at] == sum && wraps[at] == 8 % 5);
	CHECK(most[at] == (s64)(56 + at) << 35 && reals[at] == sum / 4.0);
#else
	(void)thread;
	CHECK(1), CHECK(1);
#endif
	return n;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = together(out, thread);
	u64 *cell = out + SLOTS - 1;
	for (unsigned i = 0; i < 3; i++) {
		n += words((s32 *)cell, (s32)in[i], (s32)in[i + 1], out + n);
		n += longs((s64 *)cell, (s64)in[i], (s64)in[i + 1], out + n);
		n += reals(cell, in[i], out + n);
	}
	*cell = 0;
	return n;
}
