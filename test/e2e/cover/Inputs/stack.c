/* The stack: objects of dynamic size, saved and restored; variable arguments; deep frames; aligned objects. */
#include "cover.h"
#include <stdarg.h>

static NOINLINE u64 sum(const u64 *p, unsigned count)
{
	u64 s = 0;
	for (unsigned i = 0; i < count; i++)
		s += p[i] * (i + 1);
	return s;
}

/* Inlined into a loop: the stack is saved and restored in each round. */
static inline __attribute__((always_inline)) u64 scattered(unsigned count, unsigned round, u64 seed)
{
	u8 *bytes = __builtin_alloca(count * 3 + 1);
	for (unsigned i = 0; i <= count * 3; i++)
		bytes[i] = (u8)(i * round + seed);
	return bytes[(seed & 0xff) % (count * 3 + 1)];
}

static NOINLINE u64 dynamic(const u64 *in, unsigned count, u64 seed)
{
	u64 *array = __builtin_alloca(count * sizeof(u64)), total = seed;
	for (unsigned i = 0; i < count; i++)
		array[i] = in[i & 7] + seed;
	for (unsigned round = 0; round < 3; round++) {
		total += scattered(count, round, seed);
		total ^= sum(array, count);
		if (count)
			array[round % count] += total & 0xff;
	}
	return total;
}

static NOINLINE u64 nested(const u64 *in, unsigned depth, unsigned count)
{
	u32 fixed[5] = {depth, count, 3, 4, 5};
	u64 *block = __builtin_alloca_with_align(count * 8 + 8, 8 * 64), down;
	for (unsigned i = 0; i <= count; i++)
		block[i] = in[(i + depth) & 15];
	down = depth ? nested(in, depth - 1, count + depth) : 17;
	fixed[depth % 5] += 2;
	return down * 3 + sum(block, count + 1) + ((u64)block & 63) + fixed[0] + fixed[1] + fixed[count % 5];
}

static NOINLINE u64 arguments(unsigned count, ...)
{
	va_list list, again;
	u64 total = 0;
	va_start(list, count);
	va_copy(again, list);
	for (unsigned i = 0; i < count; i++) {
		switch (i % 4) {
		case 0:
			total += (u64)va_arg(list, s32);
			break;
		case 1:
			total ^= va_arg(list, u64);
			break;
		case 2:
			total += (u64)(s64)va_arg(list, double);
			break;
		default:
			total += *va_arg(list, const u64 *);
		}
	}
	total = total * 31 + (u64)va_arg(again, s32);
	va_end(again);
	va_end(list);
	return total;
}

static NOINLINE u64 deep(const u64 *in, unsigned level)
{
	u64 frame[20] __attribute__((aligned(32)));
	if (!level)
		return in[0];
	for (unsigned i = 0; i < 20; i++)
		frame[i] = in[i & 15] * level;
	frame[in[1] % 20] = deep(in, level - 1);
	return sum(frame, 20) + ((u64)frame & 31);
}

#ifdef SMALL /* no recursion: the stack's size is known but for the objects */
static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	RESULT(dynamic(in, thread % 7, in[0]));
	RESULT(arguments(4, -1, ~UINT64_C(0), -2.5, in));
	return n;
}
#else
static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	RESULT(dynamic(in, thread % 7, in[0]));
	RESULT(dynamic(in, 3, in[1]));
	RESULT(nested(in, thread % 4, thread % 5));
	RESULT(arguments(0, 5));
	RESULT(arguments(7, (s32)in[0], in[1], (double)(s32)in[2], &in[3], (s32)in[4], in[5], (double)thread));
	RESULT(arguments(4, -1, ~UINT64_C(0), -2.5, in));
	RESULT(deep(in, thread % 6));
	u64 *local = __builtin_alloca((thread % 3 + 1) * sizeof(u64)); /* in the kernel itself, once inlined */
	for (unsigned i = 0; i <= thread % 3; i++)
		local[i] = in[i] + 3;
	RESULT(sum(local, thread % 3 + 1));
	return n;
}
#endif
