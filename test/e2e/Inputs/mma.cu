/*
 * mma.sync, ldmatrix and movmatrix as inline PTX, every shape, type and layout of sm_LEVEL, against the host: operands
 * are put in registers and results taken out by the formulas of the PTX ISA, and sums are those of the published rules
 * (products exact, all summands of a group cut to the largest exponent). Some numbers are large, small, subnormal or
 * infinite. Compiles with nvcc, too: -DINTEGERS leaves sums exact, which every GPU has alike.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef uint32_t word;

enum type { F16, BF16, TF32, S8, U8, F64, F32, S32 };
struct shape {
	const char *name;
	int m, n, k;
	type a, b, sum; /* of factors and accumulator */
	bool a_col, b_col, saturates;
	int group, fraction; /* products added at once; bits that they are cut to */
};

/* ---- kernels: register r of lane l is word 32 r + l */

#define IN(x, i) "r"(x[32 * (i) + l])
#define IN1(x) IN(x, 0)
#define IN2(x) IN(x, 0), IN(x, 1)
#define IN4(x) IN2(x), IN(x, 2), IN(x, 3)
#define HEAD                                                           \
	int l = threadIdx.x;                                           \
	word v[8];                                                     \
	float f[8];                                                    \
	for (int i = 0; i < 8; i++) {                                  \
		v[i] = i < n ? c[32 * i + l] : 0;                      \
		f[i] = __uint_as_float(v[i]);                          \
	}
#define TAIL(value)                   \
	for (int i = 0; i < n; i++)   \
		d[32 * i + l] = value;
#define KERNEL(name) __global__ void name(const word *a, const word *b, const word *c, word *d, int n)
#define F4 "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
#define F8 F4, "+f"(f[4]), "+f"(f[5]), "+f"(f[6]), "+f"(f[7])
#define R2 "+r"(v[0]), "+r"(v[1])
#define R4 R2, "+r"(v[2]), "+r"(v[3])

#define SINGLE(name, text, sum, a, b)                       \
	KERNEL(name)                                        \
	{                                                   \
		HEAD;                                       \
		asm volatile("mma.sync.aligned." text ";" : sum : a, b); \
		TAIL(__float_as_uint(f[i]));                \
	}
#define WORDS(name, text, sum, a, b)                        \
	KERNEL(name)                                        \
	{                                                   \
		HEAD;                                       \
		asm volatile("mma.sync.aligned." text ";" : sum : a, b); \
		TAIL(v[i]);                                 \
	}
#define D8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define D4 "{%0,%1,%2,%3}"
#define D2 "{%0,%1}"

#define VOLTA(la, lb)                                                                                                  \
	SINGLE(volta_##la##lb##_f32, "m8n8k4." #la "." #lb ".f32.f16.f16.f32 " D8 ",{%8,%9},{%10,%11}," D8, F8, IN2(a), \
	       IN2(b))                                                                                                 \
	WORDS(volta_##la##lb##_f16, "m8n8k4." #la "." #lb ".f16.f16.f16.f16 " D4 ",{%4,%5},{%6,%7}," D4, R4, IN2(a),    \
	      IN2(b))
VOLTA(row, row)
VOLTA(row, col)
VOLTA(col, row)
VOLTA(col, col)

#if LEVEL >= 75
SINGLE(half8_f32, "m16n8k8.row.col.f32.f16.f16.f32 " D4 ",{%4,%5},{%6}," D4, F4, IN2(a), IN1(b))
WORDS(half8_f16, "m16n8k8.row.col.f16.f16.f16.f16 " D2 ",{%2,%3},{%4}," D2, R2, IN2(a), IN1(b))
#define BYTES8(name, sat, ta, tb) \
	WORDS(name, "m8n8k16.row.col" sat ".s32." #ta "." #tb ".s32 " D2 ",{%2},{%3}," D2, R2, IN1(a), IN1(b))
#define EACH(KIND)                         \
	KIND(KIND##_ss, "", s8, s8)        \
	KIND(KIND##_su, "", s8, u8)        \
	KIND(KIND##_us, "", u8, s8)        \
	KIND(KIND##_uu, "", u8, u8)        \
	KIND(KIND##_sat, ".satfinite", s8, u8)
EACH(BYTES8)

template <int Count, bool Transposed> __global__ void matrices(const word *from, word *d)
{
	__shared__ alignas(16) word rows[4 * 8 * 8]; /* each row of 16 bytes has 16 more behind it */
	int l = threadIdx.x;
	word v[4] = {};
	for (int i = l; i < 256; i += 32)
		rows[i] = i % 8 < 4 ? from[i / 8 * 4 + i % 8] : 0xdeadbeef;
	__syncthreads();
	/* lanes whose address does not count have a wild one */
	unsigned address = l < 8 * Count ? (unsigned)__cvta_generic_to_shared(&rows[l * 8]) : 0xfffffff1u;
	if (Count == 1 && !Transposed)
		asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v[0]) : "r"(address));
	else if (Count == 1)
		asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(v[0]) : "r"(address));
	else if (Count == 2 && !Transposed)
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
			     : "=r"(v[0]), "=r"(v[1])
			     : "r"(address));
	else if (Count == 2)
		asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
			     : "=r"(v[0]), "=r"(v[1])
			     : "r"(address));
	else if (!Transposed)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
			     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
			     : "r"(address));
	else
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4+0];"
			     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
			     : "r"(address));
	for (int i = 0; i < 4; i++)
		d[32 * i + l] = v[i];
}
__global__ void moved(const word *from, word *d)
{
	asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d[threadIdx.x]) : "r"(from[threadIdx.x]));
}
#endif

#if LEVEL >= 80
SINGLE(half16_f32, "m16n8k16.row.col.f32.f16.f16.f32 " D4 ",{%4,%5,%6,%7},{%8,%9}," D4, F4, IN4(a), IN2(b))
WORDS(half16_f16, "m16n8k16.row.col.f16.f16.f16.f16 " D2 ",{%2,%3,%4,%5},{%6,%7}," D2, R2, IN4(a), IN2(b))
SINGLE(bfloat8, "m16n8k8.row.col.f32.bf16.bf16.f32 " D4 ",{%4,%5},{%6}," D4, F4, IN2(a), IN1(b))
SINGLE(bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ",{%4,%5,%6,%7},{%8,%9}," D4, F4, IN4(a), IN2(b))
SINGLE(tf32_4, "m16n8k4.row.col.f32.tf32.tf32.f32 " D4 ",{%4,%5},{%6}," D4, F4, IN2(a), IN1(b))
SINGLE(tf32_8, "m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ",{%4,%5,%6,%7},{%8,%9}," D4, F4, IN4(a), IN2(b))
#define BYTES16(name, sat, ta, tb) \
	WORDS(name, "m16n8k16.row.col" sat ".s32." #ta "." #tb ".s32 " D4 ",{%4,%5},{%6}," D4, R4, IN2(a), IN1(b))
#define BYTES32(name, sat, ta, tb)                                                                                    \
	WORDS(name, "m16n8k32.row.col" sat ".s32." #ta "." #tb ".s32 " D4 ",{%4,%5,%6,%7},{%8,%9}," D4, R4, IN4(a), \
	      IN2(b))
EACH(BYTES16)
EACH(BYTES32)
__device__ double pair(const word *x, int i, int l)
{
	return __hiloint2double((int)x[32 * (2 * i + 1) + l], (int)x[32 * 2 * i + l]);
}
KERNEL(doubles)
{
	int l = threadIdx.x;
	double x = pair(c, 0, l), y = pair(c, 1, l);
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
		     : "+d"(x), "+d"(y)
		     : "d"(pair(a, 0, l)), "d"(pair(b, 0, l)));
	for (int i = 0; i < n; i++) {
		double z = i < 2 ? x : y;
		d[32 * i + l] = (word)(i % 2 ? __double2hiint(z) : __double2loint(z));
	}
}
#endif

#if LEVEL >= 90
#define DOUBLES(name, text, in_a, in_b)                                                                   \
	KERNEL(name)                                                                                      \
	{                                                                                                 \
		int l = threadIdx.x;                                                                      \
		double x[4];                                                                              \
		for (int i = 0; i < 4; i++)                                                               \
			x[i] = pair(c, i, l);                                                             \
		asm volatile("mma.sync.aligned." text                                                     \
			     : "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3])                             \
			     : in_a, in_b);                                                               \
		for (int i = 0; i < n; i++)                                                               \
			d[32 * i + l] = (word)(i % 2 ? __double2hiint(x[i / 2]) : __double2loint(x[i / 2])); \
	}
#define A2 "d"(pair(a, 0, l)), "d"(pair(a, 1, l))
#define A4 A2, "d"(pair(a, 2, l)), "d"(pair(a, 3, l))
#define A8 A4, "d"(pair(a, 4, l)), "d"(pair(a, 5, l)), "d"(pair(a, 6, l)), "d"(pair(a, 7, l))
#define B1 "d"(pair(b, 0, l))
#define B2 B1, "d"(pair(b, 1, l))
#define B4 B2, "d"(pair(b, 2, l)), "d"(pair(b, 3, l))
DOUBLES(doubles4, "m16n8k4.row.col.f64.f64.f64.f64 " D4 ", {%4,%5}, {%6}, " D4 ";", A2, B1)
DOUBLES(doubles8, "m16n8k8.row.col.f64.f64.f64.f64 " D4 ", {%4,%5,%6,%7}, {%8,%9}, " D4 ";", A4, B2)
DOUBLES(doubles16, "m16n8k16.row.col.f64.f64.f64.f64 " D4 ", {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, " D4 ";",
	A8, B4)
#endif

/* ---- formats on the host */

static int bits_of(type t)
{
	return t == S8 || t == U8 ? 8 : t == F16 || t == BF16 ? 16 : t == F64 ? 64 : 32;
}

/* Fraction bits, and the least exponent of a normal number. */
static int fraction_of(type t)
{
	return t == F16 || t == TF32 ? 10 : t == BF16 ? 7 : t == F64 ? 52 : 23;
}
static int least_of(type t)
{
	return t == F16 ? -14 : -126;
}

static double value_of(type t, uint64_t bits)
{
	if (t == S8)
		return (int8_t)bits;
	if (t == U8)
		return (uint8_t)bits;
	if (t == S32)
		return (int32_t)bits;
	if (t == F64) {
		double v;
		memcpy(&v, &bits, 8);
		return v;
	}
	if (t == TF32)
		return value_of(F32, bits & ~UINT64_C(0x1fff));
	int fraction = fraction_of(t), width = bits_of(t), top = t == F16 ? 31 : 255;
	int field = (int)(bits >> fraction) & top;
	double part = (double)(bits & ((UINT64_C(1) << fraction) - 1)), sign = bits >> (width - 1) & 1 ? -1 : 1;
	if (field == top)
		return part ? NAN : sign * INFINITY;
	part += field ? std::ldexp(1, fraction) : 0;
	return sign * std::ldexp(part, (field ? field : 1) - top / 2 - fraction);
}

/* Of a number that is in range, by truncation or to the nearest. */
static uint64_t bits_from(type t, double v, bool nearest)
{
	int fraction = fraction_of(t), top = t == F16 ? 31 : 255, least = least_of(t), exponent;
	uint64_t sign = (uint64_t)std::signbit(v) << (bits_of(t) - 1);
	if (std::isnan(v))
		return t == F16 ? 0x7fff : 0x7fffffff;
	v = std::fabs(v);
	std::frexp(v, &exponent);
	exponent = v == 0 || exponent - 1 < least ? least : exponent - 1;
	if (std::isinf(v))
		return sign | (uint64_t)top << fraction;
	double units = std::ldexp(v, fraction - exponent);
	uint64_t whole = (uint64_t)(nearest ? std::nearbyint(units) : std::trunc(units));
	uint64_t bits = whole + ((uint64_t)(exponent - least) << fraction);
	return bits >= (uint64_t)top << fraction ? sign | (uint64_t)top << fraction : (whole ? sign : 0) | bits;
}

static int exponent_of(type t, double v)
{
	int exponent;
	std::frexp(v, &exponent);
	return exponent - 1 < least_of(t) ? least_of(t) : exponent - 1;
}

/* c + a[0] b[0] + ... of one group. */
static uint64_t group_sum(const shape &s, const double *a, const double *b, uint64_t c)
{
	double first = value_of(s.sum, c), plain = first, sum = 0;
	int most = first == 0 ? -1000 : exponent_of(s.sum, first);
	for (int i = 0; i < s.group; i++) {
		int exponent = exponent_of(s.a, a[i]) + exponent_of(s.a, b[i]);
		plain += a[i] * b[i];
		most = a[i] * b[i] != 0 && exponent > most ? exponent : most;
	}
	if (!std::isfinite(plain))
		return bits_from(s.sum, plain, false);
	sum = std::trunc(std::ldexp(first, s.fraction - most));
	for (int i = 0; i < s.group; i++)
		sum += std::trunc(std::ldexp(a[i] * b[i], s.fraction - most));
	return bits_from(s.sum, std::ldexp(sum, most - s.fraction), s.sum == F16);
}

static uint64_t element(const shape &s, const double *a, const double *b, uint64_t c)
{
	if (s.sum == F64) {
		double sum = value_of(F64, c);
		for (int k = 0; k < s.k; k++)
			sum = std::fma(a[k], b[k], sum);
		memcpy(&c, &sum, 8);
		return c;
	}
	if (s.sum == S32) {
		int64_t sum = (int32_t)c;
		for (int k = 0; k < s.k; k++)
			sum += (int64_t)a[k] * (int64_t)b[k];
		if (s.saturates)
			sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
		return (word)sum;
	}
	for (int k = 0; k < s.k; k += s.group)
		c = group_sum(s, a + k, b + k, c);
	return c;
}

/* ---- fragments, as the PTX ISA has them: element i of a lane; false: the lane has no more */

struct spot {
	int row, column;
};
static bool volta(const shape &s)
{
	return s.k == 4 && s.a == F16;
}
static spot spot_a(const shape &s, int lane, int i)
{
	int each = s.a == F64 ? 1 : 32 / bits_of(s.a), group = lane >> 2, in = lane % 4;
	if (volta(s)) {
		int below = lane < 16 ? 0 : 4;
		return s.a_col ? spot{i % 4 + below, in} : spot{in + below, i};
	}
	int reg = i / each, halves = s.m / 8;
	return {group + 8 * (reg % halves), (in * each) + i % each + reg / halves * 4 * each};
}
static spot spot_b(const shape &s, int lane, int i)
{
	int each = s.a == F64 ? 1 : 32 / bits_of(s.a), group = lane >> 2, in = lane % 4;
	if (volta(s)) {
		int below = lane < 16 ? 0 : 4;
		return s.b_col ? spot{i, in + below} : spot{in, i + below};
	}
	return {in * each + i % each + i / each * 4 * each, group};
}
static spot spot_c(const shape &s, int lane, int i)
{
	int group = lane >> 2, in = lane % 4, below = lane < 16 ? 0 : 4;
	if (volta(s) && s.sum == F32)
		return {(lane & 1) + (i & 2) + below, (i & 4) + (lane & 2) + (i & 1)};
	if (volta(s))
		return {in + below, i};
	return {group + 8 * (i / 2), in * 2 + (i & 1)};
}

/* Element i of a lane in words of 32 registers. */
static void put(word *to, int lane, int i, int bits, uint64_t value)
{
	if (bits == 64) {
		to[32 * 2 * i + lane] = (word)value;
		to[32 * (2 * i + 1) + lane] = (word)(value >> 32);
		return;
	}
	int each = 32 / bits;
	to[32 * (i / each) + lane] |= (word)value << i % each * bits;
}
static uint64_t get(const word *from, int lane, int i, int bits)
{
	if (bits == 64)
		return from[32 * 2 * i + lane] | (uint64_t)from[32 * (2 * i + 1) + lane] << 32;
	int each = 32 / bits;
	uint64_t all = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	return from[32 * (i / each) + lane] >> i % each * bits & all;
}

/* ---- numbers */

static uint64_t state = 88172645463325252;
static uint32_t next()
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Small whole numbers; or any bits, with exponents that are near each other most of the time. */
static uint64_t number(type t, int round)
{
	if (t == S32)
		return round % 3 == 2 ? 0x7fffffff - next() % 4 : round % 3 ? 0x80000000 + next() % 4 : next() % 100;
	if (t == S8 || t == U8)
		return next() & 0xff;
	double whole = (int)(next() % 9) - 4;
	uint64_t bits = 0;
#ifndef INTEGERS
	if (round % 4 == 1)
		whole = std::ldexp(whole + next() % 4096 / 4096.0, (int)(next() % 12) - 6);
	if (round % 4 == 2 && t != F64) { /* wild */
		bits = next();
		return t == F16 ? bits & 0xffff : t == BF16 ? bits >> 16 : bits;
	}
	if (round % 4 == 3 && t == F16)
		return next() & 0x83ff; /* subnormal */
#endif
	if (t == F64) {
		memcpy(&bits, &whole, 8);
		return bits;
	}
	return bits_from(t == TF32 ? F32 : t, whole, true) | (t == TF32 ? next() & 0xfff : 0);
}

static int wrong, done;
static word *in_a, *in_b, *in_c, *out;

static void run(void (*kernel)(const word *, const word *, const word *, word *, int), shape s)
{
	static double a[16][32], b[16][32];
	static uint64_t c[4][16][16];
	int quads = volta(s) ? 4 : 1, sum_bits = bits_of(s.sum), bad = 0;
	int per_lane = s.m * s.n * quads / 32, words = per_lane * sum_bits / 32;
	for (int round = 0; round < 12; round++) {
		memset(in_a, 0, 4096);
		memset(in_b, 0, 4096);
		memset(in_c, 0, 4096);
		static uint64_t bits_a[4][16][32], bits_b[4][32][16];
		for (int q = 0; q < quads; q++)
			for (int i = 0; i < 16; i++)
				for (int j = 0; j < 32; j++) {
					bits_a[q][i][j] = number(s.a, round);
					bits_b[q][j][i] = number(s.b, round);
					if (j < 16)
						c[q][i][j] = number(s.sum, round);
				}
		for (int lane = 0; lane < 32; lane++) {
			int q = volta(s) ? lane / 4 % 4 : 0;
			for (int i = 0; i < s.m * s.k * quads / 32; i++) {
				spot at = spot_a(s, lane, i);
				put(in_a, lane, i, bits_of(s.a), bits_a[q][at.row][at.column]);
			}
			for (int i = 0; i < s.k * s.n * quads / 32; i++) {
				spot at = spot_b(s, lane, i);
				put(in_b, lane, i, bits_of(s.a), bits_b[q][at.row][at.column]);
			}
			for (int i = 0; i < per_lane; i++) {
				spot at = spot_c(s, lane, i);
				put(in_c, lane, i, sum_bits, c[q][at.row][at.column]);
			}
		}
		kernel<<<1, 32>>>(in_a, in_b, in_c, out, words);
		bad += cudaDeviceSynchronize() != cudaSuccess;
		for (int lane = 0; lane < 32; lane++)
			for (int i = 0; i < per_lane; i++) {
				int q = volta(s) ? lane / 4 % 4 : 0;
				spot at = spot_c(s, lane, i);
				for (int k = 0; k < s.k; k++) {
					a[0][k] = value_of(s.a, bits_a[q][at.row][k]);
					b[0][k] = value_of(s.b, bits_b[q][k][at.column]);
				}
				uint64_t want = element(s, a[0], b[0], c[q][at.row][at.column]);
				uint64_t got = get(out, lane, i, sum_bits);
				if (got != want && !bad++)
					printf("%s %d%d, sum %d: round %d, lane %d, element %d: 0x%llx, not 0x%llx\n",
					       s.name, s.a_col, s.b_col, s.sum, round, lane, i,
					       (unsigned long long)got, (unsigned long long)want);
			}
	}
	wrong += bad;
	done++;
}

#define RUN_VOLTA(la, lb)                                                                                      \
	run(volta_##la##lb##_f32, {"m8n8k4", 8, 8, 4, F16, F16, F32, #la[0] == 'c', #lb[0] == 'c', false, 4, 23}); \
	run(volta_##la##lb##_f16, {"m8n8k4", 8, 8, 4, F16, F16, F16, #la[0] == 'c', #lb[0] == 'c', false, 4, 23})
#define RUN_BYTES(KIND, m, k)                                                    \
	run(KIND##_ss, {#KIND, m, 8, k, S8, S8, S32, false, true, false, 0, 0}); \
	run(KIND##_su, {#KIND, m, 8, k, S8, U8, S32, false, true, false, 0, 0}); \
	run(KIND##_us, {#KIND, m, 8, k, U8, S8, S32, false, true, false, 0, 0}); \
	run(KIND##_uu, {#KIND, m, 8, k, U8, U8, S32, false, true, false, 0, 0}); \
	run(KIND##_sat, {#KIND, m, 8, k, S8, U8, S32, false, true, true, 0, 0})

#if LEVEL >= 75
static void check_matrix(const char *name, const word *from, const word *got, bool transposed)
{
	int bad = 0;
	for (int lane = 0; lane < 32; lane++)
		for (int i = 0; i < 2; i++) {
			int row = lane / 4, column = lane % 4 * 2 + i;
			word source = transposed ? from[column * 4 + row / 2] >> row % 2 * 16
						 : from[row * 4 + column / 2] >> column % 2 * 16;
			bad += (got[lane] >> 16 * i & 0xffff) != (source & 0xffff);
		}
	if (bad)
		printf("%s: %d wrong\n", name, bad);
	wrong += bad;
}
template <int Count, bool Transposed> static void load()
{
	for (int i = 0; i < 128; i++)
		in_a[i] = next();
	matrices<Count, Transposed><<<1, 32>>>(in_a, out);
	wrong += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < Count; i++)
		check_matrix(Transposed ? "ldmatrix.trans" : "ldmatrix", in_a + 32 * i, out + 32 * i, Transposed);
	for (int i = 32 * Count; i < 128; i++)
		wrong += out[i] != 0;
	done++;
}
#endif

/* Products that are added at once, and bits: on Hopper all of an instruction. */
#if LEVEL >= 90
#define SUMS(depth, group) depth, 25
#else
#define SUMS(depth, group) group, 24
#endif

int main()
{
	cudaMallocManaged(&in_a, 4096);
	cudaMallocManaged(&in_b, 4096);
	cudaMallocManaged(&in_c, 4096);
	cudaMallocManaged(&out, 4096);
	RUN_VOLTA(row, row);
	RUN_VOLTA(row, col);
	RUN_VOLTA(col, row);
	RUN_VOLTA(col, col);
#if LEVEL >= 75
	run(half8_f32, {"m16n8k8", 16, 8, 8, F16, F16, F32, false, true, false, SUMS(8, 8)});
	run(half8_f16, {"m16n8k8", 16, 8, 8, F16, F16, F16, false, true, false, SUMS(8, 8)});
	RUN_BYTES(BYTES8, 8, 16);
	load<1, false>();
	load<1, true>();
	load<2, false>();
	load<2, true>();
	load<4, false>();
	load<4, true>();
	for (int i = 0; i < 32; i++)
		in_a[i] = next();
	moved<<<1, 32>>>(in_a, out);
	wrong += cudaDeviceSynchronize() != cudaSuccess;
	check_matrix("movmatrix", in_a, out, true);
	done++;
#endif
#if LEVEL >= 80
	run(half16_f32, {"m16n8k16", 16, 8, 16, F16, F16, F32, false, true, false, SUMS(16, 8)});
	run(half16_f16, {"m16n8k16", 16, 8, 16, F16, F16, F16, false, true, false, SUMS(16, 8)});
	run(bfloat8, {"m16n8k8 bf16", 16, 8, 8, BF16, BF16, F32, false, true, false, SUMS(8, 8)});
	run(bfloat16, {"m16n8k16 bf16", 16, 8, 16, BF16, BF16, F32, false, true, false, SUMS(16, 8)});
	run(tf32_4, {"m16n8k4 tf32", 16, 8, 4, TF32, TF32, F32, false, true, false, SUMS(4, 4)});
	run(tf32_8, {"m16n8k8 tf32", 16, 8, 8, TF32, TF32, F32, false, true, false, SUMS(8, 4)});
	RUN_BYTES(BYTES16, 16, 16);
	RUN_BYTES(BYTES32, 16, 32);
	run(doubles, {"m8n8k4 f64", 8, 8, 4, F64, F64, F64, false, true, false, 0, 0});
#endif
#if LEVEL >= 90
	run(doubles4, {"m16n8k4 f64", 16, 8, 4, F64, F64, F64, false, true, false, 0, 0});
	run(doubles8, {"m16n8k8 f64", 16, 8, 8, F64, F64, F64, false, true, false, 0, 0});
	run(doubles16, {"m16n8k16 f64", 16, 8, 16, F64, F64, F64, false, true, false, 0, 0});
#endif
	printf("sm_%d: %d instructions, %d wrong\n", LEVEL, done, wrong);
	return wrong != 0;
}
