/* Control flow: switches and jump tables, irreducible loops, indirect calls, recursion, loops that only exit. */
#include "cover.h"

static NOINLINE u32 dense(u32 x, u32 y)
{
	switch (x) {
	case 0:
		return y;
	case 1:
		return y + 3;
	case 2:
		y *= 5; /* fallthrough */
	case 3:
		return y ^ 9;
	case 4:
		return y >> 3;
	case 5:
		return ~y;
	case 7:
		return y - x;
	case 8:
	case 9:
		return 11;
	default:
		return y * 7;
	}
}

static NOINLINE u64 sparse(u64 x)
{
	switch (x) {
	case 0:
		return 1;
	case 64:
		return 2;
	case 0xffffffff:
		return 3;
	case 0x8000000000000000:
		return 4;
	case ~UINT64_C(0):
		return 5;
	case 1000 ... 70000:
		return 6;
	default:
		return x & 7;
	}
}

static NOINLINE u32 narrow(u8 x)
{
	switch (x) {
	case 'a' ... 'f':
		return x - 'a' + 10u;
	case '0' ... '9':
		return x - '0';
	default:
		return 99;
	}
}

/* Two ways into one loop. */
static NOINLINE u32 irreducible(u32 a, u32 b, unsigned steps)
{
	u32 n = 0;
	if (a & 1)
		goto second;
first:
	a = a * 3 + 1;
	if (n++ > steps)
		return a;
	if (b & 4)
		goto out;
second:
	b ^= a >> 5;
	if (n++ > steps)
		return b;
	if (a & 8)
		goto first;
	b += 5;
	goto first;
out:
	return a ^ b;
}

static u32 fibonacci(u32 n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
static NOINLINE u32 odd(u32 n);
static NOINLINE u32 even(u32 n)
{
	return n == 0 ? 1 : odd(n - 1);
}
static NOINLINE u32 odd(u32 n)
{
	return n == 0 ? 0 : even(n - 1);
}
static NOINLINE u32 ackermann(u32 m, u32 n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

struct pair {
	u64 a, b;
};
static NOINLINE struct pair twice(struct pair p)
{
	return (struct pair){p.a * 2, p.b * 2};
}
static NOINLINE struct pair swapped(struct pair p)
{
	return (struct pair){p.b, p.a};
}
static NOINLINE struct pair summed(struct pair p)
{
	return (struct pair){p.a + p.b, 0};
}
typedef struct pair (*step)(struct pair);

static NOINLINE u32 escape(u32 x)
{
	for (;;) { /* left only by a return */
		x = x * 1664525 + 1013904223;
		if (x >> 28 == 5)
			return x;
	}
}

static NOINLINE u64 short_circuit(u64 a, u64 b, u64 c)
{
	return (a && b / a > 3) || (c && (a < b ? b % c : a % c) == 1) ? a : (b ? c : 12);
}

/* Addresses of labels: in a constant table, as differences, and compared. */
static NOINLINE u32 threaded(u64 code, u32 x)
{
	static const void *const ops[] = {&&stop, &&add, &&mul, &&flip, &&jump};
	static const int offsets[] = {&&add - &&add, &&mul - &&add, &&flip - &&add};
	const void *last = 0;
	unsigned steps = 0;
next:
	if (steps++ == 24)
		return x;
	code = code >> 3 | code << 61;
	last = ops[(code & 7) % 5];
	goto *last;
add:
	x += 7 + (last == &&add);
	goto next;
mul:
	x = x * 5 + (last == &&add);
	goto next;
flip:
	x ^= x >> 3;
	goto next;
jump:
	goto *(const void *)((const char *)&&add + offsets[x % 3]);
stop:
	return ~x;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	static const step steps[] = {twice, swapped, summed};
	unsigned n = 0;
	struct pair p = {in[0], in[1]};
	for (unsigned i = 0; i < 12; i++)
		RESULT(dense(i, (u32)in[i]));
	for (unsigned i = 0; i < 8; i++) {
		RESULT(dense((u32)in[i] % 11, (u32)in[i + 1]));
		RESULT(sparse(in[i]));
		RESULT(sparse((u32)in[i] & 0xffff));
		RESULT(narrow((u8)in[i]));
		RESULT(irreducible((u32)in[i], (u32)in[i + 1], thread % 17));
		RESULT(short_circuit(in[i], in[i + 1], in[i + 2] & 3));
	}
	RESULT(fibonacci(thread % 9));
	RESULT(even(thread % 13));
	RESULT(ackermann(thread % 3, thread % 4));
	for (unsigned i = 0; i < 6; i++)
		p = steps[(in[i] ^ thread) % 3](p);
	RESULT(p.a);
	RESULT(p.b);
	RESULT(escape((u32)in[5]));
	for (unsigned i = 0; i < 6; i++)
		RESULT(threaded(in[i], (u32)in[i + 6]));
	u64 sum = 0;
	for (unsigned i = 0; i < thread; i++) {
		if (i % 3 == 1)
			continue;
		for (unsigned k = i;; k++) {
			sum += k;
			if ((k * k ^ in[k & 7]) & 3)
				break;
		}
		if (sum > 100000)
			break;
	}
	RESULT(sum);
#ifdef __NVPTX__
	if (thread == 64) /* never: a loop without an end behind a branch */
		for (;;)
			__nvvm_bar_warp_sync(0xffffffff);
	if (thread == 65)
		__builtin_trap();
#endif
	return n;
}
