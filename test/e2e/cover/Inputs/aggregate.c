/* Aggregates by value, in and out of calls, more arguments than registers, arrays of structs, unions. */
#include "cover.h"

struct small {
	u8 a;
	u16 b;
};
struct big {
	u64 words[10];
	u8 tail;
};
struct nested {
	struct small s[3];
	float f;
	struct {
		double d;
		u8 bytes[5];
	} inner;
};
union either {
	u64 whole;
	u32 halves[2];
	u8 bytes[8];
	float f;
};

static NOINLINE struct small make_small(u64 x)
{
	return (struct small){(u8)x, (u16)(x >> 8)};
}
static NOINLINE struct big make_big(struct small s, u64 x)
{
	struct big b;
	for (unsigned i = 0; i < 10; i++)
		b.words[i] = x * (i + 1) + s.b;
	b.tail = s.a;
	return b;
}
static NOINLINE u64 use_big(struct big b, u32 k, struct nested v)
{
	b.words[k % 10]++;
	v.s[k % 3].b += 5;
	return b.words[k % 10] + b.words[9] + b.tail + v.s[0].b + v.s[1].b + v.s[2].b + (u64)v.f + (u64)v.inner.d +
	       v.inner.bytes[k % 5];
}
static NOINLINE u64 many(u8 a, s8 b, u16 c, s16 d, u32 e, u64 f, float g, double h, _Bool i, u128 j, u64 k, u64 l,
			 u32 m, u64 n, double o, struct small p, u8 q)
{
	return a + (u64)b * 3 + c * 5u + (u64)d * 7 + e * 11u + f * 13 + (u64)(s64)g * 17 + (u64)(s64)h * 19 + i * 23u +
	       (u64)j * 29 + (u64)(j >> 64) * 31 + k * 37 + l * 41 + m * 43u + n * 47 + (u64)(s64)o * 53 + p.a + p.b +
	       q;
}
static NOINLINE u128 wide_result(u64 a, u64 b)
{
	return (u128)a * b + 1;
}
static NOINLINE _Bool flag(u64 a, _Bool b)
{
	return (a & 1) ^ b;
}
static NOINLINE s8 narrow(s8 a, s16 b)
{
	return (s8)(a + b);
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	struct small s = make_small(in[0]);
	struct big b = make_big(s, in[1]), array[3];
	struct nested v = {{make_small(in[2]), make_small(in[3]), s},
			   (float)thread,
			   {(double)thread * 2, {1, 2, 3, 4, 5}}};
	union either e = {.whole = in[4]};

	RESULT(s.a);
	RESULT(s.b);
	RESULT(b.words[thread % 10]);
	RESULT(b.tail);
	RESULT(use_big(b, thread, v));
	RESULT(b.words[thread % 10]); /* the callee's copy was its own */
	array[0] = b;
	array[1] = make_big(v.s[1], in[5]);
	array[2] = array[thread & 1];
	RESULT(array[2].words[3] ^ array[in[6] % 3].words[in[7] % 10]);
	e.halves[in[8] & 1] += 7;
	e.bytes[in[9] & 7] = 0x80;
	RESULT(e.whole);
	RESULT(f32_bits(e.f));
	RESULT(many((u8)in[0], (s8)in[1], (u16)in[2], (s16)in[3], (u32)in[4], in[5], (float)(s16)in[6],
		    (double)(s32)in[7], in[8] & 1, (u128)in[9] << 64 | in[10], in[11], in[12], (u32)in[13], in[14],
		    (double)thread, s, (u8)in[15]));
	u128 w = wide_result(in[0], in[1]);
	RESULT(w);
	RESULT(w >> 64);
	RESULT(flag(in[0], flag(in[1], thread & 1)));
	RESULT(narrow((s8)in[0], (s16)in[1]));
	struct nested copies[4] = {v, v};
	copies[thread & 3].inner.bytes[thread % 5] = 9;
	copies[3].s[1] = make_small(in[4]);
	for (unsigned i = 0; i < 4; i++)
		RESULT(copies[i].inner.bytes[2] + copies[i].s[1].b + (u64)copies[i].inner.d);
	return n;
}
