/* Integers of every width: arithmetic, shifts, compares, and the generic intrinsics. */
#include "cover.h"

#define BINARY_OPS(X) X(+) X(-) X(&) X(|) X(^)
#define COMPARE_OPS(X) X(==) X(!=) X(<) X(<=) X(>) X(>=)

#define INTRINSICS(T, bits)                                              \
	extern T fshl##bits(T, T, T) __asm__("llvm.fshl.i" #bits);       \
	extern T fshr##bits(T, T, T) __asm__("llvm.fshr.i" #bits);       \
	extern T ctlz##bits(T, _Bool) __asm__("llvm.ctlz.i" #bits);      \
	extern T cttz##bits(T, _Bool) __asm__("llvm.cttz.i" #bits);      \
	extern T ctpop##bits(T) __asm__("llvm.ctpop.i" #bits);           \
	extern T reverse##bits(T) __asm__("llvm.bitreverse.i" #bits);    \
	extern T uadd_sat##bits(T, T) __asm__("llvm.uadd.sat.i" #bits);  \
	extern T usub_sat##bits(T, T) __asm__("llvm.usub.sat.i" #bits);  \
	extern T sadd_sat##bits(T, T) __asm__("llvm.sadd.sat.i" #bits);  \
	extern T ssub_sat##bits(T, T) __asm__("llvm.ssub.sat.i" #bits);  \
	extern T ushl_sat##bits(T, T) __asm__("llvm.ushl.sat.i" #bits);  \
	extern T sshl_sat##bits(T, T) __asm__("llvm.sshl.sat.i" #bits);  \
	extern T iabs##bits(T, _Bool) __asm__("llvm.abs.i" #bits);       \
	extern T smin##bits(T, T) __asm__("llvm.smin.i" #bits);          \
	extern T umax##bits(T, T) __asm__("llvm.umax.i" #bits);          \
	static NOINLINE unsigned bits_of_##bits(T a, T b, T c, u64 *out) \
	{                                                                \
		unsigned n = 0;                                          \
		RESULT(fshl##bits(a, b, c));                             \
		RESULT(fshr##bits(a, b, c));                             \
		RESULT(fshl##bits(a, b, 5));                             \
		RESULT(fshl##bits(a, a, c));                             \
		RESULT(ctlz##bits(a, 0));                                \
		RESULT(cttz##bits(b, 0));                                \
		RESULT(ctpop##bits(a));                                  \
		RESULT(reverse##bits(a));                                \
		RESULT(uadd_sat##bits(a, b));                            \
		RESULT(usub_sat##bits(a, b));                            \
		RESULT(sadd_sat##bits(a, b));                            \
		RESULT(ssub_sat##bits(a, b));                            \
		RESULT(ushl_sat##bits(a, c &(bits - 1)));                \
		RESULT(sshl_sat##bits(a, c &(bits - 1)));                \
		RESULT(iabs##bits(a, 0));                                \
		RESULT(smin##bits(a, b));                                \
		RESULT(umax##bits(a, b));                                \
		return n;                                                \
	}
INTRINSICS(u8, 8)
INTRINSICS(u16, 16)
INTRINSICS(u32, 32)
INTRINSICS(u64, 64)

#define OP(o) RESULT(a o b);
#define ARITHMETIC(T)                                                               \
	static NOINLINE unsigned arithmetic_##T(T a, T b, unsigned shift, u64 *out) \
	{                                                                           \
		unsigned n = 0;                                                     \
		T sum;                                                              \
		BINARY_OPS(OP) COMPARE_OPS(OP) RESULT((T)(a << shift));             \
		RESULT((T)((u64)a * (u64)b));                                       \
		RESULT(a >> shift);                                                 \
		RESULT(~a);                                                         \
		RESULT((T) - a);                                                    \
		RESULT(a ? b : (T)~b);                                              \
		if (b && !((T) - 1 < 0 && b == (T) - 1)) {                          \
			RESULT(a / b);                                              \
			RESULT(a % b);                                              \
		}                                                                   \
		RESULT(a / 7);                                                      \
		RESULT(a % 10);                                                     \
		RESULT(a / 16);                                                     \
		RESULT(a % 16);                                                     \
		RESULT(a / 125);                                                    \
		RESULT(__builtin_add_overflow(a, b, &sum));                         \
		RESULT(sum);                                                        \
		RESULT(__builtin_sub_overflow(a, b, &sum));                         \
		RESULT(sum);                                                        \
		RESULT(__builtin_mul_overflow(a, b, &sum));                         \
		RESULT(sum);                                                        \
		return n;                                                           \
	}
ARITHMETIC(u8)
ARITHMETIC(s8)
ARITHMETIC(u16)
ARITHMETIC(s16)
ARITHMETIC(u32)
ARITHMETIC(s32)
ARITHMETIC(u64)
ARITHMETIC(s64)

/* Odd widths, as bit-fields and as _BitInt. */
struct fields {
	unsigned a : 3;
	int b : 13;
	u64 c : 37;
	_Bool d : 1;
	s64 e : 10;
};

static NOINLINE unsigned odd(u64 a, u64 b, u64 *out)
{
	unsigned n = 0;
	struct fields f = {(unsigned)a, (int)b, a, b & 1, (s64)b};
	_BitInt(7) x = (_BitInt(7))a;
	unsigned _BitInt(24) y = (unsigned _BitInt(24))b;
	_BitInt(48) z = (_BitInt(48))a;
	RESULT(f.a + f.b + f.c + f.d + f.e);
	f.c += f.b;
	f.e--;
	RESULT(f.c ^ (u64)f.e);
	RESULT(x + y);
	RESULT(x * 3 > y);
	RESULT((unsigned _BitInt(48))z * (unsigned _BitInt(48))z);
	RESULT(z >> 5);
	RESULT((unsigned _BitInt(48))z >> (a & 31));
	RESULT(y / 3);
	return n;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	u64 a = in[0], b = in[1], c = in[2];
	unsigned n = 0;
	n += arithmetic_u8((u8)a, (u8)b, c & 7, out + n);
	n += arithmetic_s8((s8)a, (s8)b, c & 7, out + n);
	n += arithmetic_u16((u16)a, (u16)b, c & 15, out + n);
	n += arithmetic_s16((s16)a, (s16)b, c & 15, out + n);
	n += arithmetic_u32((u32)a, (u32)b, c & 31, out + n);
	n += arithmetic_s32((s32)a, (s32)b, c & 31, out + n);
	n += arithmetic_u64(a, b, c & 63, out + n);
	n += arithmetic_s64((s64)a, (s64)b, c & 63, out + n);
	n += bits_of_8((u8)a, (u8)b, (u8)c, out + n);
	n += bits_of_16((u16)a, (u16)b, (u16)c, out + n);
	n += bits_of_32((u32)a, (u32)b, (u32)c, out + n);
	n += bits_of_64(a, b, c, out + n);
	n += odd(in[3], in[4], out + n);
	RESULT(__builtin_bswap16((u16)a));
	RESULT(__builtin_bswap32((u32)a));
	RESULT(__builtin_bswap64(a));
	(void)thread;
	return n;
}
