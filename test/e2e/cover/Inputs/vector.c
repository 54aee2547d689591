/* Vectors: arithmetic, compares, shuffles, elements at dynamic places, conversions, reductions, bits in memory. */
#include "cover.h"

typedef u32 u32x4 __attribute__((ext_vector_type(4)));
typedef s32 s32x4 __attribute__((ext_vector_type(4)));
typedef u8 u8x8 __attribute__((ext_vector_type(8)));
typedef s16 s16x2 __attribute__((ext_vector_type(2)));
typedef u64 u64x2 __attribute__((ext_vector_type(2)));
typedef float f32x3 __attribute__((ext_vector_type(3)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef double f64x2 __attribute__((ext_vector_type(2)));
typedef _Bool b8 __attribute__((ext_vector_type(8)));
typedef _Bool b3 __attribute__((ext_vector_type(3)));

static NOINLINE u32x4 mix(u32x4 a, u32x4 b)
{
	return a * b + (a >> 3) - (b & 7);
}
static NOINLINE f32x3 scale(f32x3 v, float f)
{
	return v * f;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	u32x4 a = {(u32)in[0], (u32)in[1], (u32)in[2], (u32)in[3]}, b = {(u32)in[4], (u32)in[5], thread, 7},
	      c = mix(a, b);
	s32x4 less = a < b, picked = less ? (s32x4){1, 2, 3, 4} : __builtin_convertvector(b, s32x4);
	u8x8 bytes = *(const u8x8 *)in, other = *(const u8x8 *)(in + 1), sum = bytes + other;
	u64x2 w = {in[6], in[7]};
	f32x4 f = __builtin_convertvector((s32x4){(s32)in[0], -3, 5, (s32)thread}, f32x4);
	f32x3 g = scale(f.xyz, 0.5f);
	f64x2 d = {(double)(s32)in[8], 2.5};
	u32x4 place = a;

	for (unsigned i = 0; i < 4; i++) {
		RESULT(c[i]);
		RESULT(less[i]);
		RESULT(picked[i]);
	}
	RESULT(c[in[9] & 3]);
	place[in[10] & 3] = 99;
	RESULT(place.x ^ place.y ^ place.z ^ place.w);
	for (unsigned i = 0; i < 8; i++)
		RESULT(sum[i]);
	RESULT(__builtin_shufflevector(a, b, 7, 0, 5, 2)[1] + __builtin_shufflevector(a, b, 3, 4, -1, 1)[3]);
	w = w << 3 | w >> 61;
	RESULT(w.x);
	RESULT(w.y);
	F32(g.x);
	F32(g.z);
	d = d * d - 1.0;
	F64(d.x);
	F64(d.y);
	RESULT(__builtin_reduce_add(a));
	RESULT(__builtin_reduce_xor(bytes));
	RESULT(__builtin_reduce_max(bytes));
	RESULT(__builtin_reduce_min(__builtin_convertvector(a, s32x4)));
	RESULT(__builtin_reduce_and(w));
	RESULT(__builtin_reduce_or(w));
	RESULT(__builtin_reduce_mul(other));
	u32x4 most = __builtin_elementwise_max(a, b);
	s16x2 sat = __builtin_elementwise_add_sat((s16x2){(s16)in[0], 30000}, (s16x2){(s16)in[1], 30000});
	RESULT(most.x + most.w);
	RESULT(sat.x);
	RESULT(sat.y);
	f32x4 fa = __builtin_elementwise_abs(f);
	F32(fa.y + __builtin_elementwise_fma(f, f, f).x);
	/* bits in memory and between calls */
	b8 bits = {in[0] & 1, in[1] & 1, in[2] & 1, 1, 0, in[3] & 1, thread & 1, in[4] & 1}, flipped;
	volatile b8 kept = bits;
	b3 three = {in[0] & 1, in[1] & 1, thread & 1};
	volatile b3 kept3 = three;
	flipped = (kept ^ (b8){in[5] & 1, 1, 0, in[6] & 1, 1}) | bits & ~kept;
	for (unsigned i = 0; i < 8; i++)
		RESULT(flipped[i]);
	three = kept3;
	RESULT(three[0] + 2 * three[1] + 4 * three[2]);
	return n;
}
