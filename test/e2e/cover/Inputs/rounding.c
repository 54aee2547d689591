/* Rounding modes of division, root, sum, product and fused operations; half and bfloat intrinsics; rotations. */
#include "cover.h"

#ifdef __NVPTX__
#define OP1(name, T, text) extern T name(T) __asm__("llvm.nvvm." text);
#define OP2(name, T, text) extern T name(T, T) __asm__("llvm.nvvm." text);
#define OP3(name, T, text) extern T name(T, T, T) __asm__("llvm.nvvm." text);
#else
#include <fenv.h>
#include <math.h>
#include <string.h>
static int mode_of(const char *text)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {{".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};
	for (int i = 0; i < 3; i++)
		if (strstr(text, modes[i].name))
			return modes[i].mode;
	return FE_TONEAREST;
}
#define IN_MODE(T, text, ...)                   \
	{                                       \
		volatile T x = a, y = b, z = c; \
		fesetround(mode_of(text));      \
		volatile T r = __VA_ARGS__;     \
		fesetround(FE_TONEAREST);       \
		return r;                       \
	}
#define OP1(name, T, text)                                                                                         \
	static NOINLINE T name(T a)                                                                                \
	{                                                                                                          \
		T b = 1, c = 0;                                                                                    \
		IN_MODE(T, text, text[0] == 'r' ? y / x : sizeof(T) == 4 ? __builtin_sqrtf(x) : __builtin_sqrt(x)) \
	}
#define OP2(name, T, text)                                                                \
	static NOINLINE T name(T a, T b)                                                  \
	{                                                                                 \
		T c = 0;                                                                  \
		IN_MODE(T, text, text[0] == 'd' ? x / y : text[0] == 'a' ? x + y : x * y) \
	}
#define OP3(name, T, text)                                                                          \
	static NOINLINE T name(T a, T b, T c)                                                       \
	{                                                                                           \
		IN_MODE(T, text, sizeof(T) == 4 ? __builtin_fmaf(x, y, z) : __builtin_fma(x, y, z)) \
	}
#endif

#define TYPE(m, T, t)                             \
	OP2(div_##m##_##t, T, "div." #m "." #t)   \
	OP2(add_##m##_##t, T, "add." #m "." #t)   \
	OP2(mul_##m##_##t, T, "mul." #m "." #t)   \
	OP1(rcp_##m##_##t, T, "rcp." #m "." #t)   \
	OP1(sqrt_##m##_##t, T, "sqrt." #m "." #t) \
	OP3(fma_##m##_##t, T, "fma." #m "." #t)
#define MODE(m) TYPE(m, float, f) TYPE(m, double, d)
MODE(rn)
MODE(rz)
MODE(rm)
MODE(rp)

#define USE(m, t, BITS, a, b, c)              \
	BITS(div_##m##_##t(a, b));            \
	BITS(div_##m##_##t(c, a));            \
	BITS(add_##m##_##t(a, c));            \
	BITS(mul_##m##_##t(b, c));            \
	BITS(rcp_##m##_##t(b));               \
	BITS(sqrt_##m##_##t(a < 0 ? -a : a)); \
	BITS(fma_##m##_##t(a, b, c));

/* ---- half precision: the same intrinsics by hand on the host ---- */

typedef _Float16 f16;
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef __bf16 bf16;

static u64 f16_bits(f16 x)
{
	u16 bits;
	__builtin_memcpy(&bits, &x, 2);
	return x != x ? 0x7fff : bits;
}
static f16 as_f16(u64 bits)
{
	u16 word = (u16)bits;
	f16 x;
	__builtin_memcpy(&x, &word, 2);
	return x;
}
#define F16(x) RESULT(f16_bits(x))

#ifdef __NVPTX__
extern f16 max_nan(f16, f16) __asm__("llvm.nvvm.fmax.nan.f16");
extern f16 min_plain(f16, f16) __asm__("llvm.nvvm.fmin.f16");
extern f16 min_signed(f16, f16) __asm__("llvm.nvvm.fmin.xorsign.abs.f16");
extern f16 max_flushed(f16, f16) __asm__("llvm.nvvm.fmax.ftz.f16");
extern f16 fma_relu(f16, f16, f16) __asm__("llvm.nvvm.fma.rn.relu.f16");
extern f16 fma_sat(f16, f16, f16) __asm__("llvm.nvvm.fma.rn.sat.f16");
extern f16x2 fma_pair(f16x2, f16x2, f16x2) __asm__("llvm.nvvm.fma.rn.f16x2");
extern f16x2 pack(float, float) __asm__("llvm.nvvm.ff2f16x2.rn");
extern f16x2 pack_down(float, float) __asm__("llvm.nvvm.ff2f16x2.rz.relu");
extern u32 tensor(float) __asm__("llvm.nvvm.f2tf32.rna");
extern float max_xor(float, float) __asm__("llvm.nvvm.fmax.nan.xorsign.abs.f");
extern u32 rotate32(u32, u32) __asm__("llvm.nvvm.rotate.b32");
extern u64 rotate64(u64, u32) __asm__("llvm.nvvm.rotate.b64");
extern u64 rotate_right64(u64, u32) __asm__("llvm.nvvm.rotate.right.b64");
extern u64 swap_halves(u64) __asm__("llvm.nvvm.swap.lo.hi.b64");
extern double saturate(double) __asm__("llvm.nvvm.saturate.d");
extern u32 tid_w(void) __asm__("llvm.nvvm.read.ptx.sreg.tid.w");
#else
static f16 flush(f16 x)
{
	return __builtin_fabsf(x) < 0x1p-14f ? __builtin_copysignf(0, x) : (float)x;
}
static f16 extreme(f16 a, f16 b, int max, int nan)
{
	if (a != a || b != b)
		return nan ? as_f16(0x7fff) : a != a ? b : a;
	if (a == b)
		return __builtin_signbit((float)a) == max ? b : a;
	return (a > b) == max ? a : b;
}
static f16 max_nan(f16 a, f16 b)
{
	return extreme(a, b, 1, 1);
}
static f16 min_plain(f16 a, f16 b)
{
	return extreme(a, b, 0, 0);
}
static f16 min_signed(f16 a, f16 b)
{
	float size = extreme(__builtin_fabsf(a), __builtin_fabsf(b), 0, 0);
	return __builtin_signbit((float)a) != __builtin_signbit((float)b) ? -size : size;
}
static f16 max_flushed(f16 a, f16 b)
{
	return extreme(flush(a), flush(b), 1, 0);
}
static f16 fma_half(f16 a, f16 b, f16 c)
{
	return (f16)__builtin_fma((double)a, (double)b, (double)c);
}
static f16 fma_relu(f16 a, f16 b, f16 c)
{
	f16 x = fma_half(a, b, c);
	return x <= 0 ? 0 : x;
}
static f16 fma_sat(f16 a, f16 b, f16 c)
{
	f16 x = fma_half(a, b, c);
	return x > 1 ? 1 : x > 0 ? x : 0;
}
static f16x2 fma_pair(f16x2 a, f16x2 b, f16x2 c)
{
	return (f16x2){fma_half(a[0], b[0], c[0]), fma_half(a[1], b[1], c[1])};
}
static f16x2 pack(float a, float b)
{
	return (f16x2){(f16)b, (f16)a};
}
static f16 down(float x)
{
	f16 r = (f16)(x < 0 ? 0 : x);
	if ((float)r > x && !(x < 0))
		r = as_f16(f16_bits(r) - 1);
	return r;
}
static f16x2 pack_down(float a, float b)
{
	return (f16x2){down(b), down(a)};
}
static u32 tensor(float x)
{
	u32 bits;
	__builtin_memcpy(&bits, &x, 4);
	return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & 0xffffe000;
}
static float max_xor(float a, float b)
{
	float x = __builtin_fabsf(a), y = __builtin_fabsf(b), size = x > y ? x : y;
	int sign = __builtin_signbit(a) != __builtin_signbit(b);
	return a != a || b != b ? NAN : sign ? -size : size;
}
static u32 rotate32(u32 a, u32 n)
{
	return a << (n & 31) | a >> (-n & 31);
}
static u64 rotate64(u64 a, u32 n)
{
	return a << (n & 63) | a >> (-n & 63);
}
static u64 rotate_right64(u64 a, u32 n)
{
	return a >> (n & 63) | a << (-n & 63);
}
static u64 swap_halves(u64 a)
{
	return a << 32 | a >> 32;
}
static double saturate(double x)
{
	return x > 1 ? 1 : x > 0 ? x : 0;
}
static u32 tid_w(void)
{
	return 0;
}
#endif

static NOINLINE unsigned halves(const u64 *in, u64 *out)
{
	unsigned n = 0;
	f16 a = as_f16(in[0]), b = as_f16(in[1] >> 5), c = as_f16(in[2] >> 9);
	f16x2 pair = fma_pair((f16x2){a, b}, (f16x2){c, a}, (f16x2){b, c});
	float x = (float)(s32)in[3] / 65536, y = as_f32(in[4]);
	F16(max_nan(a, b));
	F16(min_plain(b, c));
	F16(min_signed(a, c));
	F16(max_flushed(a, as_f16(in[1] & 0x83ff)));
	F16(fma_relu(a, b, c));
	F16(fma_sat(a, b, c));
	F16(pair[0]);
	F16(pair[1]);
	F16(pack(x, y)[0]);
	F16(pack(x, y)[1]);
	F16(pack_down(x, x / 3)[0]);
	F16(pack_down(x, x / 3)[1]);
	RESULT(y != y ? 0 : tensor(y));
	F32(max_xor(x, y));
	RESULT(rotate32((u32)in[0], (u32)in[1]));
	RESULT(rotate64(in[0], (u32)in[1]));
	RESULT(rotate_right64(in[2], (u32)in[3]));
	RESULT(swap_halves(in[4]));
	F64(saturate(as_f64(in[5])) + 0);
	RESULT(tid_w());
	return n;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	(void)thread;
	for (unsigned i = 0; i < 3; i++) {
		float a = as_f32(in[i]), b = as_f32(in[i + 1]), c = as_f32(in[i + 2] >> 3);
		double d = as_f64(in[i]), e = as_f64(in[i + 1]), f = as_f64(in[i + 2] >> 7);
		USE(rn, f, F32, a, b, c)
		USE(rz, f, F32, a, b, c)
		USE(rm, f, F32, a, b, c)
		USE(rp, f, F32, a, b, c)
		USE(rn, d, F64, d, e, f)
		USE(rz, d, F64, d, e, f)
		USE(rm, d, F64, d, e, f)
		USE(rp, d, F64, d, e, f)
		n += halves(in + i, out + n);
	}
	return n;
}
