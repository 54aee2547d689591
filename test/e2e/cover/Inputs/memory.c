/* Memory: widths, unaligned and packed access, volatile, copies, address spaces, globals with pointers. */
#include "cover.h"

struct __attribute__((packed)) packed {
	u8 a;
	u32 b;
	u64 c;
	u16 d;
	double e;
};
struct mixed {
	u8 a;
	u16 b;
	u32 c;
	u64 d;
	float e;
	u128 f;
};

typedef u32 (*operation)(u32, u32);
static u32 plus(u32 a, u32 b)
{
	return a + b;
}
static u32 minus(u32 a, u32 b)
{
	return a - b;
}

static const CONSTANT u32 table[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
static u64 numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static u64 *const pointers[] = {&numbers[2], &numbers[5], numbers, &numbers[7]};
static operation const operations[] = {plus, minus};
static const struct {
	const char *name;
	operation op;
	const u64 *number;
	s16 small[3];
} records[] = {{"first", plus, &numbers[1], {-1, 2, -3}}, {"second one", minus, numbers + 4, {4, -5, 6}}};
static u32 counter[THREADS];
static GLOBAL u64 words[THREADS];
static const u8 text[] = "a string of bytes, read one by one";

static u64 __attribute__((noinline)) load_unaligned(const u8 *p)
{
	u64 v;
	__builtin_memcpy(&v, p, 8);
	return v;
}

static unsigned spaces(u64 *out, unsigned thread)
{
	unsigned n = 0;
#ifdef __NVPTX__
	static SHARED u32 tile[THREADS];
	static SHARED u8 bytes[THREADS * 2];
	u32 local[4] = {thread, thread + 1, 0, 0}, *generic = thread & 1 ? (u32 *)&tile[thread] : &local[2];
	tile[thread] = thread * 5;
	bytes[thread * 2 + 1] = (u8)thread;
	__syncthreads();
	CHECK(tile[thread ^ 1] == (thread ^ 1) * 5);
	CHECK(bytes[(thread ^ 3) * 2 + 1] == (u8)(thread ^ 3));
	*generic = 77;
	CHECK(thread & 1 ? tile[thread] == 77 : local[2] == 77);
	CHECK(__nvvm_isspacep_shared(generic) == (int)(thread & 1));
	CHECK(__nvvm_isspacep_local(generic) == !(thread & 1));
	CHECK(__nvvm_isspacep_global(out));
	CHECK((u32 *)(SHARED u32 *)&tile[1] == (u32 *)&tile[0] + 1);
	CHECK(__nvvm_ldg_ull((const unsigned long long *)out) == out[0]);
#else
	for (unsigned i = 0; i < 8; i++)
		out[n++] = 1;
	(void)thread;
#endif
	return n;
}

static unsigned theme(const u64 *in, u64 *out, unsigned thread)
{
	unsigned n = 0;
	const u8 *bytes = (const u8 *)in;
	u8 local[64];
	u32 array[16];
	struct packed p = {(u8)in[0], (u32)in[1], in[2], (u16)in[3], (double)thread};
	struct mixed m = {(u8)in[0], (u16)in[1], (u32)in[2], in[3], (float)thread, (u128)in[4] << 64 | in[5]}, copy;
	volatile u32 v = (u32)in[6];
	n += spaces(out + n, thread);
	for (unsigned i = 0; i < 16; i++)
		RESULT(load_unaligned(bytes + i));
	RESULT(*(const u16 *)(bytes + 2));
	RESULT(*(const s8 *)(bytes + 7));
	RESULT(*(const s16 *)(bytes + 6));
	RESULT(p.b + p.c + p.d + (u64)p.e);
	p.c += p.b;
	p.e *= 2;
	RESULT(p.c ^ (u64)p.e);
	copy = m;
	copy.f += copy.d;
	RESULT((u64)(copy.f >> 64) + (u64)copy.f);
	RESULT(copy.a + copy.b + copy.c + (u64)copy.e);
	v += 5;
	v ^= v << 3;
	RESULT(v);

	/* arrays with dynamic indices */
	for (unsigned i = 0; i < 16; i++)
		array[i] = (u32)in[i] * (i + 1);
	for (unsigned i = 0; i < 8; i++)
		RESULT(array[in[i] & 15] + array[(s64)(in[i] & 7)]);
	array[in[3] & 15] = 1;
	array[(u8)in[4] & 15] += 2;
	RESULT(array[0] + array[5] + array[15]);

	/* copies of known, unknown and zero length */
	__builtin_memcpy(local, in, 64);
	RESULT(local[63]);
	__builtin_memmove(local + 3, local, 40);
	RESULT(load_unaligned(local) ^ load_unaligned(local + 35));
	__builtin_memmove(local, local + 5, in[7] & 31);
	RESULT(load_unaligned(local + (in[8] & 31)));
	__builtin_memset(local + 1, 0x5a, in[9] & 31);
	RESULT(load_unaligned(local) + load_unaligned(local + 24));
	__builtin_memset(local, 0, 17);
	__builtin_memset(local + 20, (int)in[10], 9);
	RESULT(load_unaligned(local + 12) ^ load_unaligned(local + 21));
	__builtin_memcpy(local + 7, bytes + 3, in[11] & 15);
	RESULT(load_unaligned(local + 8));

	/* globals */
	RESULT(table[in[0] & 7]);
	RESULT(*pointers[in[1] & 3]);
	/* arithmetic on addresses, part of which is folded before there are any */
	const u64 *place = pointers[in[1] & 3];
	RESULT(place - numbers);
	RESULT(numbers - place);
	RESULT((u64)place * 3 - (u64)numbers * 3);
	RESULT(~(u64)numbers + (u64)place);
	RESULT((u32)(u64)place - (u32)(u64)numbers);
	RESULT((in[2] & 1 ? (u64)place : ~(u64)numbers) + (in[2] & 1 ? 0 - (u64)numbers : (u64)numbers));
	RESULT(operations[in[2] & 1]((u32)in[3], (u32)in[4]));
	RESULT(records[in[3] & 1].op((u32)in[4], 3) + *records[in[3] & 1].number +
	       records[in[4] & 1].small[thread % 3]);
	RESULT(records[in[5] & 1].name[thread % 5]);
	RESULT(text[in[6] % sizeof text]);
	counter[thread] += (u32)in[7];
	RESULT(counter[thread]);
	words[thread] = in[8];
	RESULT(words[thread] + 1);
	RESULT(__builtin_object_size(array, 0));
	RESULT((u64)((const u8 *)&in[5] - bytes));
	return n;
}
