/*
 * mma.sp on each shape and type, and with each sparsity selector, against the host. Stored elements, metadata and the
 * rest are put in registers and sums taken out by the formulas of the PTX ISA (9.7.14.6, sparse matrix storage and
 * fragments). Sums are exact: small whole numbers, but for bytes, which wrap or saturate. What must not matter is
 * random: metadata of lanes that the selector leaves out, and rows of b where a has nothing hold NaNs or large bytes.
 * Of s4 and u4 the metadata number pairs of neighbours. From sm_89 on (LEVEL) also eight bits of floating point.
 */
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef uint32_t word;
enum { LANES = 32, MOST_K = 128 };
enum type { HALF, BRAIN, TF32, S8, U8, S4, U4, E4M3, E5M2 };
struct shape {
	const char *name;
	int k, selectors;
	type a, b;
	bool half_sums, saturates;
};

#define A2 "r"(a[l]), "r"(a[32 + l])
#define A4 A2, "r"(a[64 + l]), "r"(a[96 + l])
#define B2 "r"(b[l]), "r"(b[32 + l])
#define B4 B2, "r"(b[64 + l]), "r"(b[96 + l])
#define R2 "+r"(v[0]), "+r"(v[1])
#define R4 R2, "+r"(v[2]), "+r"(v[3])
#define KERNEL(name, opcode, text, count, results, ...)                                                     \
	template <int Selector> __global__ void name(const word *a, const word *b, const word *e, word *c)  \
	{                                                                                                   \
		int l = threadIdx.x;                                                                        \
		word v[4];                                                                                  \
		for (int i = 0; i < count; i++)                                                             \
			v[i] = c[32 * i + l];                                                               \
		asm volatile("mma." opcode text : results : __VA_ARGS__, "r"(e[l]), "n"(Selector));         \
		for (int i = 0; i < count; i++)                                                             \
			c[32 * i + l] = v[i];                                                               \
	}
#define ONE "sp.sync.aligned."
#define OTHER "sp::ordered_metadata.sync.aligned."
#define SMALL(name, opcode) KERNEL(name, opcode, " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, %9;", 4, R4, A2, B2)
#define LARGE(name, opcode) \
	KERNEL(name, opcode, " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, %13;", 4, R4, A4, B4)
SMALL(half16, ONE "m16n8k16.row.col.f32.f16.f16.f32")
LARGE(half32, OTHER "m16n8k32.row.col.f32.f16.f16.f32")
KERNEL(half16_half, OTHER "m16n8k16.row.col.f16.f16.f16.f16", " {%0,%1}, {%2,%3}, {%4,%5}, {%0,%1}, %6, %7;", 2, R2, A2, B2)
KERNEL(half32_half, ONE "m16n8k32.row.col.f16.f16.f16.f16", " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%0,%1}, %10, %11;", 2,
       R2, A4, B4)
SMALL(brain16, ONE "m16n8k16.row.col.f32.bf16.bf16.f32")
LARGE(brain32, OTHER "m16n8k32.row.col.f32.bf16.bf16.f32")
SMALL(tf32_8, OTHER "m16n8k8.row.col.f32.tf32.tf32.f32")
LARGE(tf32_16, ONE "m16n8k16.row.col.f32.tf32.tf32.f32")
SMALL(bytes_ss, ONE "m16n8k32.row.col.s32.s8.s8.s32")
SMALL(bytes_us, OTHER "m16n8k32.row.col.satfinite.s32.u8.s8.s32")
LARGE(bytes_su, ONE "m16n8k64.row.col.s32.s8.u8.s32")
LARGE(bytes_uu, OTHER "m16n8k64.row.col.s32.u8.u8.s32")
LARGE(bytes_sat, ONE "m16n8k64.row.col.s32.s8.s8.s32.satfinite")
SMALL(parts_ss, ONE "m16n8k64.row.col.s32.s4.s4.s32")
SMALL(parts_us, OTHER "m16n8k64.row.col.satfinite.s32.u4.s4.s32")
LARGE(parts_su, OTHER "m16n8k128.row.col.s32.s4.u4.s32")
LARGE(parts_uu, ONE "m16n8k128.row.col.s32.u4.u4.s32.satfinite")
#if LEVEL >= 89
LARGE(eight_43, ONE "m16n8k64.row.col.f32.e4m3.e4m3.f32")
LARGE(eight_45, OTHER "m16n8k64.row.col.f32.e4m3.e5m2.f32")
LARGE(eight_54, ONE "m16n8k64.row.col.f32.e5m2.e4m3.f32")
KERNEL(eight_half, ONE "m16n8k64.row.col.f16.e5m2.e5m2.f16", " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%0,%1}, %10, %11;", 2,
       R2, A4, B4)
#endif

static int tried, wrong;

static int bits_of(type t)
{
	return t == TF32 ? 32 : t == HALF || t == BRAIN ? 16 : t == S4 || t == U4 ? 4 : 8;
}

static bool is_whole(type t)
{
	return t == S8 || t == U8 || t == S4 || t == U4;
}

/* A whole number below 2048 in size, or of half precision NaN beyond. */
static word number_bits(type t, int v)
{
	float f = (float)v;
	word bits;
	memcpy(&bits, &f, 4);
	if (t == TF32)
		return bits;
	if (t == BRAIN)
		return bits >> 16;
	if (is_whole(t))
		return (word)v & ((1u << bits_of(t)) - 1);
	/* of eight bits: the sign, the exponent in 4 or 5 and the fraction in 3 or 2 */
	if (t == E4M3 || t == E5M2)
		return v ? (bits >> 24 & 0x80) | ((bits >> 23 & 0xff) - (t == E4M3 ? 120 : 112)) << (t == E4M3 ? 3 : 2) |
				   (bits & 0x7fffff) >> (t == E4M3 ? 20 : 21)
			 : 0;
	return v ? (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) | (bits >> 13 & 0x3ff) : 0;
}

static word nan_bits(type t)
{
	return t == TF32 ? 0x7fc00000 : t == BRAIN ? 0x7fc0 : t == HALF ? 0x7e00 : t == S8 || t == U8 ? 0xa5 : t == S4 || t == U4 ? 9 : 0x7f;
}

static int half_value(word h)
{
	int e = (int)(h >> 10 & 31), m = (int)(h & 0x3ff) | 0x400, v = !(h & 0x7fff) ? 0 : e >= 25 ? m << (e - 25) : m >> (25 - e);
	return h & 0x8000 ? -v : v;
}

static int any(type t)
{
	return t == S8 ? rand() % 256 - 128 : t == U8 ? rand() % 256 : t == S4 ? rand() % 16 - 8 : t == U4 ? rand() % 16 : rand() % 9 - 4;
}

static void run(void (*kernel)(const word *, const word *, const word *, word *), const shape &s, int selector)
{
	static int left[16][MOST_K], right[MOST_K][8], sums[16][8];
	static bool used[MOST_K];
	word *a, *b, *c, *e;
	/* the metadata number what has `unit` elements, of a chunk that has 4 or 2 of them */
	int bits = bits_of(s.a), each = 32 / bits, unit = bits == 4 ? 2 : 1, chunk = s.a == TF32 ? 2 : 4 * unit, bytes = bits <= 8;
	bool whole = is_whole(s.a);
	cudaMallocManaged(&a, 128 * sizeof *a);
	cudaMallocManaged(&b, 128 * sizeof *b);
	cudaMallocManaged(&c, 128 * sizeof *c);
	cudaMallocManaged(&e, LANES * sizeof *e);
	memset(left, 0, sizeof left);
	memset(used, 0, sizeof used);
	for (int i = 0; i < 128; i++)
		a[i] = b[i] = c[i] = 0;
	for (int l = 0; l < LANES; l++)
		e[l] = (word)rand() * 0x9e3779b1u;
	for (int row = 0; row < 16; row++) {
		int stored = 0;
		for (int first = 0; first < s.k; first += chunk) {
			/* even columns twice as often, so that some rows of b meet nothing */
			int x = chunk == 2 ? rand() % 8 / 7 : rand() % 8 / 6, y = chunk == 2 ? 0 : x + 1 + rand() % (3 - x), nibble;
			nibble = chunk == 2 ? (x ? 14 : 4) : x | y << 2;
			for (int i = 0; i < chunk / 2; i++, stored++) {
				int column = first + (i / unit ? y : x) * unit + i % unit, v = any(s.a);
				left[row][column] = v;
				used[column] = true;
				int block = stored / (4 * each), lane = row % 8 * 4 + stored / each % 4;
				a[32 * (2 * block + row / 8) + lane] |= number_bits(s.a, v) << stored % each * bits;
			}
			/* 16 or, of bytes, 32 bits for each row and step */
			int step = first / (bytes ? 8 * chunk : chunk * 4), in = first / chunk % (bytes ? 8 : 4);
			int lane = row % 8 * 4 + (bytes ? (2 * selector + 2 * step + row / 8)
							: selector * (s.k / chunk / 4) + step);
			int at = 4 * in + (bytes ? 0 : row / 8 * 16);
			e[lane] = (e[lane] & ~(15u << at)) | (word)nibble << at;
		}
	}
	for (int k = 0; k < s.k; k++)
		for (int column = 0; column < 8; column++) {
			right[k][column] = any(s.b);
			word v = used[k] ? number_bits(s.b, right[k][column]) : nan_bits(s.b);
			b[32 * (k / (4 * each)) + column * 4 + k / each % 4] |= v << k % each * bits;
		}
	for (int row = 0; row < 16; row++)
		for (int column = 0; column < 8; column++) {
			int lane = row % 8 * 4 + column / 2, reg = s.half_sums ? row / 8 : row / 8 * 2 + column % 2, first;
			first = whole ? (column % 3 == 0 ? INT_MAX - rand() % 30000 : column % 3 == 1 ? INT_MIN + rand() % 30000 : rand())
				      : rand() % 100 - 50;
			int64_t sum = first;
			for (int k = 0; k < s.k; k++)
				sum += left[row][k] ? (int64_t)left[row][k] * right[k][column] : 0;
			if (s.saturates)
				sum = sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : sum;
			sums[row][column] = (int)sum;
			if (s.half_sums)
				c[32 * reg + lane] |= number_bits(HALF, first) << column % 2 * 16;
			else
				c[32 * reg + lane] = whole ? (word)first : number_bits(TF32, first);
		}
	kernel<<<1, LANES>>>(a, b, e, c);
	bool good = cudaDeviceSynchronize() == cudaSuccess;
	for (int row = 0; row < 16; row++)
		for (int column = 0; column < 8; column++) {
			int lane = row % 8 * 4 + column / 2, reg = s.half_sums ? row / 8 : row / 8 * 2 + column % 2;
			word got = c[32 * reg + lane], want = (word)sums[row][column];
			if (s.half_sums)
				got = (word)half_value(got >> column % 2 * 16 & 0xffff);
			else if (!whole)
				want = number_bits(TF32, sums[row][column]);
			good = good && got == want;
		}
	tried++;
	if (!good) {
		wrong++;
		printf("%s, selector %d: wrong\n", s.name, selector);
	}
}

#define RUN1(kernel, ...)                                  \
	for (int turn = 0; turn < 4; turn++) {             \
		shape s = {#kernel, __VA_ARGS__};          \
		run(kernel<0>, s, 0);                      \
	}
#define RUN2(kernel, ...)                                  \
	RUN1(kernel, __VA_ARGS__)                          \
	for (int turn = 0; turn < 4; turn++) {             \
		shape s = {#kernel, __VA_ARGS__};          \
		run(kernel<1>, s, 1);                      \
	}
#define RUN4(kernel, ...)                                  \
	RUN2(kernel, __VA_ARGS__)                          \
	for (int turn = 0; turn < 4; turn++) {             \
		shape s = {#kernel, __VA_ARGS__};          \
		run(kernel<2>, s, 2);                      \
		run(kernel<3>, s, 3);                      \
	}

int main()
{
	RUN4(half16, 16, 4, HALF, HALF, false, false)
	RUN2(half32, 32, 2, HALF, HALF, false, false)
	RUN4(half16_half, 16, 4, HALF, HALF, true, false)
	RUN2(half32_half, 32, 2, HALF, HALF, true, false)
	RUN4(brain16, 16, 4, BRAIN, BRAIN, false, false)
	RUN2(brain32, 32, 2, BRAIN, BRAIN, false, false)
	RUN4(tf32_8, 8, 4, TF32, TF32, false, false)
	RUN2(tf32_16, 16, 2, TF32, TF32, false, false)
	RUN2(bytes_ss, 32, 2, S8, S8, false, false)
	RUN2(bytes_us, 32, 2, U8, S8, false, true)
	RUN1(bytes_su, 64, 1, S8, U8, false, false)
	RUN1(bytes_uu, 64, 1, U8, U8, false, false)
	RUN1(bytes_sat, 64, 1, S8, S8, false, true)
	RUN2(parts_ss, 64, 2, S4, S4, false, false)
	RUN2(parts_us, 64, 2, U4, S4, false, true)
	RUN1(parts_su, 128, 1, S4, U4, false, false)
	RUN1(parts_uu, 128, 1, U4, U4, false, true)
#if LEVEL >= 89
	RUN1(eight_43, 64, 1, E4M3, E4M3, false, false)
	RUN1(eight_45, 64, 1, E4M3, E5M2, false, false)
	RUN1(eight_54, 64, 1, E5M2, E4M3, false, false)
	RUN1(eight_half, 64, 1, E5M2, E5M2, true, false)
#endif
	printf("%d products, %d wrong\n", tried, wrong);
	return wrong != 0;
}
