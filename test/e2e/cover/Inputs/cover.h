/*
 * Coverage programs: one C source compiled twice. On the machine, 64 threads each fill their row of results from
 * their row of inputs; the host does the same in a loop and its rows are what is expected. RESULT(x) records a value
 * of both; CHECK(condition) is evaluated on the machine only, for what the host has no counterpart of.
 */
#ifndef COVER_H
#define COVER_H

#include <stdint.h>

enum { THREADS = 64, INPUTS = 16, SLOTS = 512 };

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define NOINLINE __attribute__((noinline))
#define RESULT(x) (out[n++] = (u64)(x))
#define F32(x) RESULT(f32_bits(x))
#define F64(x) RESULT(f64_bits(x))

/* NaNs count as one: signs and payloads differ between machines. */
static inline u64 f32_bits(float x)
{
	u32 bits;
	__builtin_memcpy(&bits, &x, 4);
	return x != x ? 0x7fffffff : bits;
}
static inline u64 f64_bits(double x)
{
	u64 bits;
	__builtin_memcpy(&bits, &x, 8);
	return x != x ? 0x7fffffffffffffff : bits;
}
static inline float as_f32(u64 bits)
{
	u32 word = (u32)bits;
	float x;
	__builtin_memcpy(&x, &word, 4);
	return x;
}
static inline double as_f64(u64 bits)
{
	double x;
	__builtin_memcpy(&x, &bits, 8);
	return x;
}

/* Fills out[0..n), returns n. */
#ifndef EXTERNAL_THEME
static
#endif
	unsigned theme(const u64 *in, u64 *out, unsigned thread);

#ifdef __NVPTX__
#define CHECK(condition) (out[n++] = (condition) ? 1 : 0)
#define CONSTANT __attribute__((address_space(4)))
#define SHARED __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))

__attribute__((nvptx_kernel)) void cover(const u64 *in, u64 *out)
{
	unsigned thread = __nvvm_read_ptx_sreg_tid_x();
	theme(in + thread * INPUTS, out + thread * SLOTS, thread);
}
#else
#include <stdio.h>
#include <stdlib.h>
#define CHECK(condition) (out[n++] = 1)
#define CONSTANT
#define SHARED
#define GLOBAL

static u64 in[THREADS * INPUTS], expected[THREADS * SLOTS];

/* splitmix64 (Vigna); every fourth value is one of the corners. */
static u64 input(u64 index)
{
	static const u64 corners[] = {0,
				      1,
				      ~UINT64_C(0),
				      0x8000000000000000,
				      0x7fffffffffffffff,
				      0x80000000,
				      0x7fffffff,
				      0xffffffff,
				      0x3ff0000000000000,
				      0x3f8000003f800000,
				      0x7ff0000000000000,
				      0x7f8000007f800000,
				      0x0000000100000001,
				      0x8000000080000000,
				      64,
				      32};
	u64 z = (index + 1) * 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	z ^= z >> 31;
	return z % 4 ? z : corners[z / 4 % 16];
}

static void save(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		exit(2);
}

int main(void)
{
	for (unsigned i = 0; i < THREADS * INPUTS; i++)
		in[i] = input(i);
	for (unsigned t = 0; t < THREADS; t++)
		if (theme(in + t * INPUTS, expected + t * SLOTS, t) > SLOTS)
			return 3;
	save("in.bin", in, sizeof in);
	save("expected.bin", expected, sizeof expected);
	return 0;
}
#endif
#endif
