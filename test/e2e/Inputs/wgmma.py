"""Writes a program that multiplies matrices by warpgroups (wgmma) in the forms given as arguments, or of a list, and
compares each word with a model on the host.

  wgmma.py [-a] FORM...     FORM: n.d.a.b, as 128.f32.bf16.bf16;  -a: all forms of the type of n (n is then ignored)

The model is written from the definition: all products and the accumulator are aligned to the largest exponent, cut off
F bits behind it, and added exactly. Layouts of matrices in shared memory are made from their definition, too: a form
has each of the four swizzles in turn, and signs, transposes, factors in registers and unused accumulators.
"""
import sys

K = {'f16': 16, 'bf16': 16, 'tf32': 8, 'e4m3': 32, 'e5m2': 32, 's8': 32, 'u8': 32}
HEAD = r'''
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { F16, BF16, TF32, E4M3, E5M2, S8, U8 };
static const struct { int bits, fraction, exponent; } types[] = {
	{16, 10, 5}, {16, 7, 8}, {32, 10, 8}, {8, 3, 4}, {8, 2, 5}, {8, 0, 0}, {8, 0, 0}};

struct form {
	const char *name;
	int n, d, a, b; /* d: 0 f32, 1 f16, 2 s32 */
	int swizzle, trans_a, trans_b, sign_a, sign_b, registers, adds, saturates;
	void (*kernel)(const uint8_t *, unsigned, const uint32_t *, uint64_t, uint64_t, uint32_t *);
};

/* ---- numbers */

static uint64_t state = 88172645463325252;
static uint32_t random_bits()
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* A number taken apart; NaN: !(v == v). */
struct number {
	double v;
	int e; /* as of the largest summand */
};
static number number_of(int type, uint32_t bits)
{
	if (type == S8)
		return {(double)(int8_t)bits, 0};
	if (type == U8)
		return {(double)(uint8_t)bits, 0};
	int f = types[type].fraction, x = types[type].exponent, bias = (1 << (x - 1)) - 1;
	if (type == TF32)
		bits >>= 13;
	int field = bits >> f & ((1 << x) - 1), low = bits & ((1 << f) - 1);
	double sign = bits >> (f + x) & 1 ? -1 : 1;
	if (type == E4M3 ? field == 15 && low == 7 : field == (1 << x) - 1)
		return {type == E4M3 || low ? NAN : sign * INFINITY, 0};
	int e = (field ? field : 1) - bias;
	return {sign * ldexp(low + (field ? 1 << f : 0), e - f), e};
}
static uint32_t random_number(int type, int how)
{
	uint32_t bits = random_bits(), mask = types[type].bits == 32 ? ~0u : (1u << types[type].bits) - 1;
	if (type == S8 || type == U8)
		return how == 2 ? (bits & 1 ? 0x80 : 0x7f) | (type == U8 ? 0x80 : 0) : bits & mask;
	int f = types[type].fraction, x = types[type].exponent, shift = type == TF32 ? 13 : 0;
	uint32_t field = (1u << (x - 1)) - 4 + random_bits() % 7, sign = (bits >> 31) << (f + x);
	if (how == 0) /* about 1 */
		return ((sign | field << f | (bits & ((1u << f) - 1))) << shift) | (bits & ((1u << shift) - 1));
	if (how == 1) { /* anything finite: far apart, subnormal, zero */
		field = random_bits() % ((1u << x) - (type == E4M3 ? 0 : 1));
		uint32_t low = bits & ((1u << f) - 1);
		if (type == E4M3 && field == 15 && low == 7)
			low = 6;
		return bits & 0x100 ? 0 : (sign | field << f | low) << shift;
	}
	return bits & mask; /* infinite and no numbers, too */
}

static double single_of(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, 4);
	return f;
}
static double half_of(uint32_t bits) { return number_of(F16, bits).v; }

static int exponent_of_accumulator(bool half, double c)
{
	int e, least = half ? -14 : -126;
	frexp(c, &e);
	return e - 1 < least ? least : e - 1;
}

static uint32_t half_bits(double v)
{
	uint32_t sign = std::signbit(v) ? 0x8000 : 0;
	v = fabs(v);
	if (v == 0)
		return 0;
	int e;
	frexp(v, &e);
	e = e - 1 < -14 ? -14 : e - 1;
	double units = nearbyint(ldexp(v, 10 - e)); /* to the nearest even */
	if (units == 2048) {
		units = 1024;
		e++;
	}
	if (e > 15)
		return sign | 0x7c00;
	return sign | (units < 1024 ? (uint32_t)units : (uint32_t)(e + 15) << 10 | ((uint32_t)units - 1024));
}
static uint32_t single_bits(double v, int kept)
{
	uint32_t sign = std::signbit(v) ? 0x80000000 : 0;
	v = fabs(v);
	if (v == 0)
		return 0;
	int e;
	frexp(v, &e);
	if (--e > 127)
		return sign | 0x7f800000;
	int unit = e < -126 ? -126 - 23 : e - kept;
	double cut = ldexp(trunc(ldexp(v, -unit)), unit);
	if (e < -126 && kept < 23)
		cut = ldexp(trunc(ldexp(v, 126 + kept)), -126 - kept);
	float f = (float)cut;
	uint32_t bits;
	memcpy(&bits, &f, 4);
	return bits | sign;
}

static uint32_t model(const form &f, const number *a, const number *b, int k, uint32_t c)
{
	bool half = f.d == 1, bytes = types[f.a].bits == 8;
	int cut = bytes ? 13 : 25;
	double acc = half ? half_of(c) : single_of(c), special = 0, sum = 0;
	int most = acc != 0 ? exponent_of_accumulator(half, acc) : -100000;
	if (!std::isfinite(acc))
		special += acc;
	for (int i = 0; i < k; i++) {
		double p = a[i].v * b[i].v;
		if (!std::isfinite(p))
			special += p;
		else if (p != 0 && a[i].e + b[i].e > most)
			most = a[i].e + b[i].e;
	}
	if (special != 0 || special != special)
		return special != special ? (half ? 0x7fff : 0x7fffffff)
					  : (half ? 0x7c00u : 0x7f800000u) | (special < 0 ? (half ? 0x8000u : 0x80000000u) : 0);
	if (most == -100000)
		return 0;
	sum = trunc(ldexp(acc, cut - most));
	for (int i = 0; i < k; i++)
		sum += trunc(ldexp(a[i].v * b[i].v, cut - most));
	double v = ldexp(sum, most - cut);
	return half ? half_bits(v) : single_bits(v, bytes ? 13 : 23);
}

/* ---- matrices in shared memory: PTX ISA, canonical layouts */

enum { IMAGE = 32768 };
struct image {
	std::vector<uint8_t> bytes;
	uint64_t descriptor;
};
/* `of`: element (outer, k), a word each. At a place in shared memory. */
static void lay_out(std::vector<uint8_t> &to, unsigned start, int rows, int k, int type, int swizzle, int transposed,
		    const std::vector<uint32_t> &of, uint64_t *descriptor)
{
	static const int spans[] = {16, 128, 64, 32};
	int size = types[type].bits / 8, span = spans[swizzle];
	/* Blocks of eight rows (or k) by a span: where the next one is in each direction. */
	int across = span / size, blocks_k = transposed ? (k + 7) / 8 : (k + across - 1) / across;
	int blocks_outer = transposed ? (rows + across - 1) / across : (rows + 7) / 8;
	unsigned block = 8 * span, next_outer = block * blocks_k, next_k = block;
	(void)blocks_outer;
	unsigned leading, stride;
	if (!transposed) {
		leading = next_k;
		stride = next_outer;
	} else if (swizzle) {
		leading = next_outer;
		stride = next_k;
	} else {
		leading = next_k;
		stride = next_outer;
	}
	for (int outer = 0; outer < rows; outer++)
		for (int i = 0; i < k; i++) {
			int along = transposed ? outer : i, other = transposed ? i : outer;
			unsigned at = start + (along % across) * size + (other % 8) * span;
			at += transposed ? outer / across * next_outer + i / 8 * next_k
					 : outer / 8 * next_outer + i / across * next_k;
			at ^= ((at >> 7) & (span / 16 - 1)) << 4;
			for (int byte = 0; byte < size; byte++)
				to.at(at + byte) = (uint8_t)(of[outer * k + i] >> 8 * byte);
		}
	*descriptor = (uint64_t)(start >> 4) | (uint64_t)((leading >> 4) & 0x3fff) << 16 |
		      (uint64_t)((stride >> 4) & 0x3fff) << 32 | (uint64_t)swizzle << 62;
}

static int failures;
static void check(const form &f, int how)
{
	int k = 8 * 32 / types[f.a].bits, words = f.d == 1 ? f.n / 4 : f.n / 2;
	std::vector<uint32_t> a(64 * k), b(f.n * k), c(128 * words), d(128 * words), fragments(128 * 4);
	for (auto &e : a)
		e = random_number(f.a, how);
	for (auto &e : b)
		e = random_number(f.b, how);
	for (auto &e : c) {
		e = random_bits();
		if (f.d == 1)
			e = random_number(F16, how) | random_number(F16, how) << 16;
		else if (f.d == 0 && how < 2)
			e = how ? e & 0xbfffffff : (e & 0x80ffffff) | 0x3f000000;
		else if (f.d == 2 && how == 2)
			e = e & 1 ? 0x7ffffff0 : 0x80000010;
	}
	std::vector<uint8_t> image(2 * IMAGE);
	uint64_t da, db;
	lay_out(image, how == 1 ? 1024 : 0, 64, k, f.a, f.swizzle, f.trans_a, a, &da);
	lay_out(image, IMAGE, f.n, k, f.b, f.swizzle, f.trans_b, b, &db);
	int each = 32 / types[f.a].bits;
	for (int t = 0; t < 128; t++)
		for (int reg = 0; reg < 4; reg++)
			for (int i = 0; i < each; i++)
				fragments[4 * t + reg] |= a[(t / 32 * 16 + t % 32 / 4 + reg % 2 * 8) * k +
							    (t % 4 + reg / 2 * 4) * each + i]
							  << (each == 1 ? 0 : i * types[f.a].bits);
	uint8_t *at;
	uint32_t *ad, *aa;
	cudaMallocManaged(&at, image.size());
	cudaMallocManaged(&ad, d.size() * 4);
	cudaMallocManaged(&aa, fragments.size() * 4);
	memcpy(at, image.data(), image.size());
	memcpy(ad, c.data(), c.size() * 4);
	memcpy(aa, fragments.data(), fragments.size() * 4);
	cudaFuncSetAttribute((const void *)f.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * IMAGE);
	f.kernel<<<1, 128, 2 * IMAGE>>>(at, 2 * IMAGE, aa, da, db, ad);
	if (cudaDeviceSynchronize() != cudaSuccess) {
		printf("%s: does not run\n", f.name);
		exit(1);
	}
	memcpy(d.data(), ad, d.size() * 4);
	cudaFree(at);
	cudaFree(ad);
	cudaFree(aa);
	for (int t = 0; t < 128; t++)
		for (int j = 0; j < (f.d == 1 ? 2 * words : words); j++) {
			int row = t / 32 * 16 + t % 32 / 4 + 8 * (j >> 1 & 1), column = 8 * (j >> 2) + t % 4 * 2 + (j & 1);
			number x[32], y[32];
			for (int i = 0; i < k; i++) {
				x[i] = number_of(f.a, a[row * k + i]);
				y[i] = number_of(f.b, b[column * k + i]);
				x[i].v *= f.sign_a;
				y[i].v *= f.sign_b;
			}
			uint32_t had, has, want;
			if (f.d == 1) {
				had = c[t * words + j / 2] >> j % 2 * 16 & 0xffff;
				has = d[t * words + j / 2] >> j % 2 * 16 & 0xffff;
			} else {
				had = c[t * words + j];
				has = d[t * words + j];
			}
			had = f.adds ? had : 0;
			if (f.d == 2) {
				int64_t sum = (int32_t)had;
				for (int i = 0; i < k; i++)
					sum += (int64_t)(x[i].v * y[i].v);
				if (f.saturates)
					sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
				want = (uint32_t)sum;
			} else {
				want = model(f, x, y, k, had);
			}
			if (has != want && failures++ < 20)
				printf("%s, values %d: row %d, column %d is %08x, not %08x\n", f.name, how, row, column, has,
				       want);
		}
}

__device__ void place(const uint8_t *image, unsigned bytes)
{
	extern __shared__ __align__(1024) uint8_t shared[];
	for (unsigned i = threadIdx.x * 16; i < bytes; i += 128 * 16)
		*(uint4 *)(shared + i) = *(const uint4 *)(image + i);
	asm volatile("fence.proxy.async.shared::cta;");
	__syncthreads();
}
'''


def kernel(number, n, d, a, b, at):
    words = n // 4 if d == 'f16' else n // 2
    k = K[a]
    regs = ', '.join(f'%{i}' for i in range(words))
    form = at % 16
    swizzle = (at + at // 4) % 4
    sixteen, integers = k == 16, d == 's32'
    registers = form % 3 == 2
    trans_a = int(sixteen and form % 5 in (1, 3) and not registers)
    trans_b = int(sixteen and form % 4 in (1, 2))
    signs = (-1 if form % 6 == 1 and not integers else 1, -1 if form % 7 == 3 and not integers else 1)
    adds = int(form % 8 != 7)
    sat = int(integers and form % 2)
    tail = '' if integers else f', {signs[0]}, {signs[1]}'
    if sixteen:
        tail += f', {trans_b}' if registers else f', {trans_a}, {trans_b}'
    w = words
    left = f'{{%{w}, %{w + 1}, %{w + 2}, %{w + 3}}}' if registers else f'%{w}'
    after = w + (4 if registers else 1)
    # The predicate is a constant, or set in the text as published code has it.
    text = (f'{{ .reg .pred p; setp.ne.b32 p, %{after + 1}, 0; wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}'
            f'{".satfinite" if sat else ""} {{{regs}}}, {left}, %{after}, p{tail}; }}')
    letter = 'f' if d == 'f32' else 'r'
    kind = 'float' if d == 'f32' else 'uint32_t'
    outs = ', '.join(f'"+{letter}"(v[{i}])' for i in range(words))
    ins = ('"r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3])' if registers else '"l"(da)') + f', "l"(db), "r"({adds})'
    print(f'''
__global__ __launch_bounds__(128, 1) void k{number}(const uint8_t *image, unsigned bytes, const uint32_t *fragments, uint64_t da, uint64_t db, uint32_t *d)
{{
	{kind} v[{words}];
	uint32_t f[4];
	place(image, bytes);
#pragma unroll
	for (int i = 0; i < 4; i++)
		f[i] = fragments[4 * threadIdx.x + i];
#pragma unroll
	for (int i = 0; i < {words}; i++)
		v[i] = {"__uint_as_float(" if d == "f32" else "("}d[threadIdx.x * {words} + i]);
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	asm volatile("{text}" : {outs} : {ins});
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
	for (int i = 0; i < {words}; i++)
		d[threadIdx.x * {words} + i] = {"__float_as_uint(" if d == "f32" else "("}v[i]);
}}''')
    return (f'{{"{n}.{d}.{a}.{b} swizzle {swizzle}, transposed {trans_a} {trans_b}, signs {signs[0]} {signs[1]}, '
            f'registers {int(registers)}, adds {adds}, saturates {sat}", {n}, {["f32", "f16", "s32"].index(d)}, {a.upper()}, {b.upper()}, {swizzle}, {trans_a}, '
            f'{trans_b}, {signs[0]}, {signs[1]}, {int(registers)}, {adds}, {sat}, k{number}}}')


def sizes(d):
    return [n for n in range(8, 257, 8) if d != 's32' or n <= 32 or n % 16 == 0]


def main():
    args = sys.argv[1:]
    every = args[:1] == ['-a']
    forms = []
    for arg in args[every:]:
        n, d, a, b = arg.split('.')
        forms += [(size, d, a, b) for size in (sizes(d) if every else [int(n)])]
    print(HEAD)
    rows = [kernel(i, *form, i if len(forms) > 8 else 0 + i) for i, form in enumerate(forms)]
    print('static const form forms[] = {\n\t' + ',\n\t'.join(rows) + ',\n};')
    print('''
int main()
{
	for (const form &f : forms)
		for (int how = 0; how < 3; how++)
			check(f, how);
	printf("%zu forms, %d words are wrong\\n", sizeof forms / sizeof *forms, failures);
	return failures != 0;
}''')


main()
