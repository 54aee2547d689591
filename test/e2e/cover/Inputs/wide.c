/* 128-bit integers, between registers, memory, calls and floating point. */
#include "cover.h"

#define WIDE(x) (RESULT((u64)(x)), RESULT((u64)((u128)(x) >> 64)))

#ifdef __NVPTX__
extern u128 ctlz(u128, _Bool) __asm__("llvm.ctlz.i128");
extern u128 cttz(u128, _Bool) __asm__("llvm.cttz.i128");
extern u128 ctpop(u128) __asm__("llvm.ctpop.i128");
extern u128 swap(u128) __asm__("llvm.bswap.i128");
extern u128 reverse(u128) __asm__("llvm.bitreverse.i128");
extern u128 least(u128, u128) __asm__("llvm.smin.i128");
extern u128 most(u128, u128) __asm__("llvm.umax.i128");
extern u128 magnitude(u128, _Bool) __asm__("llvm.abs.i128");
extern u128 fshl(u128, u128, u128) __asm__("llvm.fshl.i128");
extern u128 fshr(u128, u128, u128) __asm__("llvm.fshr.i128");
extern u128 sat_add(u128, u128) __asm__("llvm.uadd.sat.i128");
extern u128 sat_sub(u128, u128) __asm__("llvm.ssub.sat.i128");
#else /* the host passes 128 bits in two arguments, which intrinsics do not take */
static u128 ctlz(u128 a, int zero)
{
	u64 high = (u64)(a >> 64), low = (u64)a;
	(void)zero;
	return high ? (u128)__builtin_clzll(high) : low ? 64 + (u128)__builtin_clzll(low) : 128;
}
static u128 reverse(u128 a)
{
	return (u128)__builtin_bitreverse64((u64)a) << 64 | __builtin_bitreverse64((u64)(a >> 64));
}
static u128 cttz(u128 a, int zero)
{
	return ctlz(reverse(a), zero);
}
static u128 ctpop(u128 a)
{
	return (u128)(__builtin_popcountll((u64)a) + __builtin_popcountll((u64)(a >> 64)));
}
static u128 swap(u128 a)
{
	return (u128)__builtin_bswap64((u64)a) << 64 | __builtin_bswap64((u64)(a >> 64));
}
static u128 least(u128 a, u128 b)
{
	return (s128)a < (s128)b ? a : b;
}
static u128 most(u128 a, u128 b)
{
	return a > b ? a : b;
}
static u128 magnitude(u128 a, int poison)
{
	(void)poison;
	return (s128)a < 0 ? -a : a;
}
static u128 fshl(u128 a, u128 b, u128 amount)
{
	unsigned s = amount & 127;
	return s ? a << s | b >> (128 - s) : a;
}
static u128 fshr(u128 a, u128 b, u128 amount)
{
	unsigned s = amount & 127;
	return s ? b >> s | a << (128 - s) : b;
}
static u128 sat_add(u128 a, u128 b)
{
	return a + b < a ? ~(u128)0 : a + b;
}
static u128 sat_sub(u128 a, u128 b)
{
	s128 sum;
	u128 top = (u128)1 << 127;
	return !__builtin_sub_overflow((s128)a, (s128)b, &sum) ? (u128)sum : (s128)a < 0 ? top : top - 1;
}
#endif

static NOINLINE u128 through(u128 a, s128 b)
{
	return a * 3 - (u128)b;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0, shift = in[8] & 127;
	u128 a = (u128)in[0] << 64 | in[1], b = (u128)in[2] << 64 | in[3], sum;
	s128 sa = (s128)a, sb = (s128)b;
	WIDE(a + b);
	WIDE(a - b);
	WIDE(a * b);
	WIDE(a & b);
	WIDE(a ^ ~b);
	WIDE(a << shift);
	WIDE(a >> shift);
	WIDE(sa >> shift);
	WIDE(a << 65);
	WIDE(sa >> 96);
	WIDE(a >> 32);
	RESULT(a < b);
	RESULT(sa <= sb);
	RESULT(a == b);
	RESULT(a == a + (thread - thread));
	if (b) {
		WIDE(a / b);
		WIDE(a % b);
		if (sb != -1) {
			WIDE(sa / sb);
			WIDE(sa % sb);
		}
	}
	if (in[4]) {
		WIDE(a / in[4]);
		WIDE(a % in[4]);
	}
	WIDE(a / 10);
	WIDE(sa % 1000);
	WIDE(through(a, sb));
	WIDE(ctlz(a, 0));
	WIDE(cttz(a, 0));
	WIDE(cttz(a << 64, 0));
	WIDE(ctpop(a));
	WIDE(swap(a));
	WIDE(reverse(a));
	WIDE(least(a, b));
	WIDE(most(a, b));
	WIDE(magnitude(a, 0));
	WIDE(fshl(a, b, in[8]));
	WIDE(fshr(a, b, in[8]));
	WIDE(sat_add(a, b));
	WIDE(sat_sub(a, b));
	RESULT(__builtin_add_overflow(a, b, &sum));
	WIDE(sum);
	RESULT(__builtin_sub_overflow(sa, sb, (s128 *)&sum));
	WIDE(sum);
	RESULT(__builtin_mul_overflow(a, (u128)in[5], &sum));
	WIDE(sum);
	F32((float)a);
	F32((float)sa);
	F64((double)a);
	F64((double)sa);
	F64((double)(u128)in[6]);
	double d = (double)(in[6] >> 2) * 18446744073709551616.0, e = -(double)in[7] * 65536.0;
	WIDE((u128)d);
	WIDE((s128)e);
	WIDE((s128)(float)in[5]);
	WIDE((u128)(double)(in[5] & 0xffff));
	return n;
}
