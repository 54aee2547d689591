/* Conversions between all integer and floating-point types, half and bfloat arithmetic. */
#include "cover.h"

static inline u64 f16_bits(_Float16 x)
{
	u16 bits;
	__builtin_memcpy(&bits, &x, 2);
	return x != x ? 0x7fff : bits;
}
static inline _Float16 as_f16(u64 bits)
{
	u16 word = (u16)bits;
	_Float16 x;
	__builtin_memcpy(&x, &word, 2);
	return x;
}
#define F16(x) RESULT(f16_bits(x))

extern _Float16 fma_f16(_Float16, _Float16, _Float16) __asm__("llvm.fma.f16");
extern _Float16 abs_f16(_Float16) __asm__("llvm.fabs.f16");
extern _Float16 min_f16(_Float16, _Float16) __asm__("llvm.minnum.f16");
extern _Float16 floor_f16(_Float16) __asm__("llvm.floor.f16");

static NOINLINE unsigned half(_Float16 a, _Float16 b, _Float16 c, u64 w, u64 *out)
{
	unsigned n = 0;
	F16(a + b);
	F16(a - b);
	F16(a * b);
	F16(a / b);
	F16(-a);
	F16(fma_f16(a, b, c));
	F16(abs_f16(a));
	F16(min_f16(a, b));
	F16(floor_f16(c));
	RESULT(a < b);
	RESULT(a == b);
	RESULT(a != a);
	F32((float)a);
	F64((double)a);
	F16((_Float16)as_f32(w));
	F16((_Float16)as_f64(w));
	F16((_Float16)(s32)w);
	F16((_Float16)(u8)w);
	F16((_Float16)(s64)(w >> 40));
	RESULT((s32)(a == a && abs_f16(a) < 60000 ? a : 0));
	RESULT((u64)(abs_f16(c) < 60000 ? abs_f16(c) : 0));
	return n;
}

/* bfloat: the host's arithmetic is float's and a rounding, which is what the machine does; fma has one rounding. */
typedef struct {
	u16 bits;
} bf16;
static inline float wide(bf16 x)
{
	return as_f32((u64)x.bits << 16);
}
static inline u64 narrow(float x)
{
	u32 bits = (u32)f32_bits(x);
	return x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
#ifdef __NVPTX__
extern __bf16 fma_bf16(__bf16, __bf16, __bf16) __asm__("llvm.fma.bf16");
extern __bf16 max_bf16(__bf16, __bf16) __asm__("llvm.maxnum.bf16");
static inline __bf16 native(bf16 x)
{
	__bf16 y;
	__builtin_memcpy(&y, &x, 2);
	return y;
}
static inline u64 bits(__bf16 x)
{
	u16 b;
	__builtin_memcpy(&b, &x, 2);
	return (b & 0x7fff) > 0x7f80 ? 0x7fff : b;
}
static NOINLINE unsigned brain(bf16 a, bf16 b, bf16 c, u64 *out)
{
	unsigned n = 0;
	__bf16 x = native(a), y = native(b), z = native(c);
	RESULT(bits(x + y));
	RESULT(bits(x * y));
	RESULT(bits(x - y));
	RESULT(bits(fma_bf16(x, y, z)));
	RESULT(bits(max_bf16(x, y)));
	RESULT(x < y);
	F32((float)x);
	RESULT(bits((__bf16)1.00390625f));
	RESULT(bits((__bf16)(float)(u32)(a.bits * 1000)));
	return n;
}
#else
/* The sum rounded to odd in long double, whose 64 bits hold more than twice the result's. */
static u64 fused(bf16 a, bf16 b, bf16 c)
{
	double p = (double)wide(a) * wide(b), z = wide(c), s = p + z, bb = s - p, e = (p - (s - bb)) + (z - bb);
	u64 odd = f64_bits(s);
	if (s != s)
		return 0x7fff;
	if (e != 0 && s - s == 0 && !(odd & 1)) /* towards the error; even results are not odd-rounded yet */
		odd += (e > 0) == (s > 0) ? 1 : -1;
	s = as_f64(odd);
	/* to bfloat, ties to even, on the bits of a double */
	u64 sign = odd >> 63 << 15, mag = odd & ~(UINT64_C(1) << 63);
	s64 exponent = (s64)(mag >> 52) - 1023;
	if (mag == 0)
		return sign;
	if (s - s != 0 || exponent > 127)
		return sign | 0x7f80;
	u64 significand = (mag & 0xfffffffffffff) | UINT64_C(1) << 52;
	s64 shift = 45;
	if (exponent < -126) {
		shift += -126 - exponent;
		exponent = -127;
	}
	if (shift > 60)
		return sign;
	u64 kept = significand >> shift, rest = significand & ((UINT64_C(1) << shift) - 1),
	    half = UINT64_C(1) << (shift - 1);
	kept += rest > half || (rest == half && (kept & 1));
	return sign | ((u64)(exponent + 127) << 7) + (exponent == -127 ? kept : kept - 128);
}
static unsigned brain(bf16 a, bf16 b, bf16 c, u64 *out)
{
	unsigned n = 0;
	float x = wide(a), y = wide(b);
	RESULT(narrow(x + y));
	RESULT(narrow(x * y));
	RESULT(narrow(x - y));
	RESULT(fused(a, b, c));
	RESULT(narrow(__builtin_fmaxf(x, y)));
	RESULT(x < y);
	F32(x);
	RESULT(narrow(1.00390625f));
	RESULT(narrow((float)(u32)(a.bits * 1000)));
	return n;
}
#endif

static inline double inside(double x, double low, double high)
{
	return x == x && x > low && x < high ? x : 1;
}

static NOINLINE unsigned numbers(u64 w, float f, double d, u64 *out)
{
	unsigned n = 0;
	F32((float)(s8)w);
	F32((float)(u16)w);
	F32((float)(s32)w);
	F32((float)(u32)w);
	F32((float)(s64)w);
	F32((float)w);
	F64((double)(u8)w);
	F64((double)(s16)w);
	F64((double)(s32)w);
	F64((double)(u32)w);
	F64((double)(s64)w);
	F64((double)w);
	F64((double)f);
	F32((float)d);
	F32((float)(w & 1));
	F64((double)-(s32)(w & 1));
	RESULT((s8)inside(f, -128, 127));
	RESULT((u8)inside(d, 0, 255));
	RESULT((s16)inside(f, -32768, 32767));
	RESULT((s32)inside(f, -2e9, 2e9));
	RESULT((u32)inside(f, 0, 4e9));
	RESULT((s64)(float)inside(f, -9e18, 9e18));
	RESULT((u64)(float)inside(f, 0, 1.8e19));
	RESULT((s32)inside(d, -2e9, 2e9));
	RESULT((u32)inside(d, 0, 4e9));
	RESULT((s64)inside(d, -9e18, 9e18));
	RESULT((u64)inside(d, 0, 1.8e19));
	RESULT((_Bool)f);
	RESULT((s64)(s8)w);
	RESULT((u64)(u16)(s8)w);
	RESULT((s32)(s16)(w >> 7));
	return n;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	for (unsigned i = 0; i < 4; i++) {
		u64 w = in[i], v = in[i + 1];
		n += half(as_f16(w), as_f16(v), as_f16(w >> 16), v >> 8, out + n);
		n += brain((bf16){(u16)w}, (bf16){(u16)(v >> 16)}, (bf16){(u16)(w >> 32)}, out + n);
		/* a product between two bfloats and a sum too small to move it, but enough to decide the tie */
		n += brain((bf16){0x3f81}, (bf16){0x3f80 + (thread & 3)}, (bf16){(u16)(v & 0x8000) | 0x2000}, out + n);
		n += numbers(w, as_f32(v), as_f64(v), out + n);
		n += numbers(w, (float)(s32)v / 1000, (double)(s64)v / 1000, out + n);
	}
	return n;
}
