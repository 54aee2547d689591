/*
 * mma.sync on halves of bytes and on bits: each shape, sign and operation that sm_LEVEL has, against the host. Elements
 * are put in registers and sums taken out by the formulas of the PTX ISA (9.7.13.4: fragments of m8n8k32, m16n8k32,
 * m16n8k64, m8n8k128, m16n8k128 and m16n8k256).
 */
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

typedef uint32_t word;
enum { LANES = 32, MOST_K = 256 };

struct shape {
	const char *name;
	int rows, k, bits; /* of an element */
	bool a_signed, b_signed, saturates;
	char op; /* '*', '^' or '&' */
};

#define A1 "r"(a[l])
#define A2 A1, "r"(a[32 + l])
#define A4 A2, "r"(a[64 + l]), "r"(a[96 + l])
#define B1 "r"(b[l])
#define B2 B1, "r"(b[32 + l])
#define KERNEL(name, text, count, registers, ins)                                                                        \
	__global__ void name(const word *a, const word *b, word *c)                                                      \
	{                                                                                                                \
		int l = threadIdx.x;                                                                                     \
		word v[4];                                                                                               \
		for (int i = 0; i < count; i++)                                                                          \
			v[i] = c[32 * i + l];                                                                            \
		asm volatile("mma.sync.aligned." text ";" : registers : ins);                                            \
		for (int i = 0; i < count; i++)                                                                          \
			c[32 * i + l] = v[i];                                                                            \
	}
#define R2 "+r"(v[0]), "+r"(v[1])
#define R4 R2, "+r"(v[2]), "+r"(v[3])
#define COMMA ,
#define SMALL(name, head, tail) KERNEL(name, head " {%0,%1}, {%2}, {%3}, {%0,%1}" tail, 2, R2, A1 COMMA B1)
#define MIDDLE(name, head, tail) KERNEL(name, head " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3}" tail, 4, R4, A2 COMMA B1)
#define LARGE(name, head, tail) KERNEL(name, head " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}" tail, 4, R4, A4 COMMA B2)

SMALL(small_ss, "m8n8k32.row.col.s32.s4.s4.s32", "")
SMALL(small_us, "m8n8k32.row.col.s32.u4.s4.s32", "")
SMALL(small_uu, "m8n8k32.row.col.satfinite.s32.u4.u4.s32", "")
SMALL(small_xor, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "")
#if LEVEL >= 80
MIDDLE(middle_ss, "m16n8k32.row.col.s32.s4.s4.s32.satfinite", "")
MIDDLE(middle_su, "m16n8k32.row.col.s32.s4.u4.s32", "")
LARGE(large_su, "m16n8k64.row.col.s32.s4.u4.s32", "")
LARGE(large_uu, "m16n8k64.row.col.s32.u4.u4.s32", "")
SMALL(small_and, "m8n8k128.row.col.s32.b1.b1.s32.and.popc", "")
MIDDLE(middle_xor, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", "")
MIDDLE(middle_and, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", "")
LARGE(large_xor, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "")
LARGE(large_and, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", "")
#endif

static int tried, wrong;

/* Element i of register r of a lane: a row of a (or a column of b, which has no second half) and k. */
static int place(const shape &s, int lane, int r, int i, bool of_a, int *k)
{
	int halves = of_a ? s.rows / 8 : 1, each = 32 / s.bits;
	*k = lane % 4 * each + i + r / halves * 4 * each;
	return lane / 4 + r % halves * 8;
}

static int number(word w, int i, int bits, bool is_signed)
{
	int v = (int)(w >> i * bits & ((1u << bits) - 1));
	return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}

static void run(void (*kernel)(const word *, const word *, word *), shape s)
{
	static int left[16][MOST_K], right[8][MOST_K];
	word *a, *b, *c, before[4 * LANES];
	int each = 32 / s.bits, of_a = s.rows / 8 * s.k / (4 * each), of_b = s.k / (4 * each), of_c = s.rows / 4;
	cudaMallocManaged(&a, 4 * LANES * sizeof *a);
	cudaMallocManaged(&b, 2 * LANES * sizeof *b);
	cudaMallocManaged(&c, 4 * LANES * sizeof *c);
	for (int i = 0; i < 4 * LANES; i++) {
		a[i] = (word)rand() * 0x9e3779b1u ^ (word)rand();
		b[i % 64] = (word)rand() * 0x85ebca6bu ^ (word)rand();
		c[i] = before[i] = i % 5 == 0 ? INT_MAX - 7 : i % 7 == 0 ? (word)INT_MIN + 9 : (word)rand();
	}
	for (int lane = 0, k; lane < LANES; lane++)
		for (int i = 0; i < each; i++) {
			for (int r = 0; r < of_a; r++) {
				int row = place(s, lane, r, i, true, &k);
				left[row][k] = number(a[32 * r + lane], i, s.bits, s.a_signed);
			}
			for (int r = 0; r < of_b; r++) {
				int column = place(s, lane, r, i, false, &k);
				right[column][k] = number(b[32 * r + lane], i, s.bits, s.b_signed);
			}
		}
	kernel<<<1, LANES>>>(a, b, c);
	bool good = cudaDeviceSynchronize() == cudaSuccess;
	for (int lane = 0; lane < LANES; lane++)
		for (int r = 0; r < of_c; r++) {
			int row = lane / 4 + r / 2 * 8, column = lane % 4 * 2 + r % 2;
			int64_t sum = (int32_t)before[32 * r + lane];
			for (int k = 0; k < s.k; k++) {
				int x = left[row][k], y = right[column][k];
				sum += s.op == '*' ? x * y : s.op == '^' ? x ^ y : x & y;
			}
			if (s.saturates)
				sum = sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : sum;
			good = good && (word)sum == c[32 * r + lane];
		}
	tried++;
	if (!good) {
		wrong++;
		printf("%s: wrong\n", s.name);
	}
}

int main()
{
	run(small_ss, {"m8n8k32 s4 s4", 8, 32, 4, true, true, false, '*'});
	run(small_us, {"m8n8k32 u4 s4", 8, 32, 4, false, true, false, '*'});
	run(small_uu, {"m8n8k32 u4 u4", 8, 32, 4, false, false, true, '*'});
	run(small_xor, {"m8n8k128 xor", 8, 128, 1, false, false, false, '^'});
#if LEVEL >= 80
	run(middle_ss, {"m16n8k32 s4 s4", 16, 32, 4, true, true, true, '*'});
	run(middle_su, {"m16n8k32 s4 u4", 16, 32, 4, true, false, false, '*'});
	run(large_su, {"m16n8k64 s4 u4", 16, 64, 4, true, false, false, '*'});
	run(large_uu, {"m16n8k64 u4 u4", 16, 64, 4, false, false, false, '*'});
	run(small_and, {"m8n8k128 and", 8, 128, 1, false, false, false, '&'});
	run(middle_xor, {"m16n8k128 xor", 16, 128, 1, false, false, false, '^'});
	run(middle_and, {"m16n8k128 and", 16, 128, 1, false, false, false, '&'});
	run(large_xor, {"m16n8k256 xor", 16, 256, 1, false, false, false, '^'});
	run(large_and, {"m16n8k256 and", 16, 256, 1, false, false, false, '&'});
#endif
	printf("sm_%d: %d products, %d wrong\n", LEVEL, tried, wrong);
	return wrong != 0;
}
