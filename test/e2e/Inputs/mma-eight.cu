/*
 * mma.sync on numbers of eight bits, e4m3 and e5m2 in each pair and of each shape, against the host: registers by the
 * formulas of the PTX ISA (m16n8k32 and m16n8k16 of .e4m3). Sums are exact in single precision; into half, small ones.
 * The last round has infinities and NaNs.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef uint32_t word;
struct shape {
	const char *name;
	int k;
	bool a_five, b_five, half_sums; /* e5m2 */
};

#define A2 "r"(a[l]), "r"(a[32 + l])
#define A4 A2, "r"(a[64 + l]), "r"(a[96 + l])
#define R2 "+r"(v[0]), "+r"(v[1])
#define F4 "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3])
#define KERNEL(name, text, count, results, ...)                                     \
	__global__ void name(const word *a, const word *b, word *c)                  \
	{                                                                            \
		int l = threadIdx.x;                                                 \
		word v[4];                                                           \
		for (int i = 0; i < count; i++)                                      \
			v[i] = c[32 * i + l];                                        \
		asm volatile("mma.sync.aligned." text ";" : results : __VA_ARGS__);  \
		for (int i = 0; i < count; i++)                                      \
			c[32 * i + l] = v[i];                                        \
	}
#define LARGE(name, ta, tb)                                                                                             \
	KERNEL(name##32, "m16n8k32.row.col.f32." ta "." tb ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}", 4, \
	       F4, A4, "r"(b[l]), "r"(b[32 + l]))                                                                       \
	KERNEL(name##16, "m16n8k16.row.col.f32." ta "." tb ".f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3}", 4, F4, A2,  \
	       "r"(b[l]))                                                                                               \
	KERNEL(name##half, "m16n8k32.row.col.f16." ta "." tb ".f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1}", 2, R2, A4,   \
	       "r"(b[l]), "r"(b[32 + l]))
LARGE(four_four, "e4m3", "e4m3")
LARGE(four_five, "e4m3", "e5m2")
LARGE(five_four, "e5m2", "e4m3")
LARGE(five_five, "e5m2", "e5m2")

static int tried, wrong;

/* Exact in double precision. */
static double value_of(unsigned byte, bool five)
{
	int fraction = five ? 2 : 3, bias = five ? 15 : 7, field = (int)(byte >> fraction) & (five ? 31 : 15);
	int part = (int)byte & ((1 << fraction) - 1);
	double v = field ? ldexp(part + (1 << fraction), field - bias - fraction) : ldexp(part, 1 - bias - fraction);
	if (five ? field == 31 : (byte & 0x7f) == 0x7f)
		v = five && !part ? INFINITY : NAN;
	return byte & 0x80 ? -v : v;
}

static double half_value(word h)
{
	int field = (int)(h >> 10) & 31, part = (int)h & 0x3ff;
	double v = field == 31 ? (part ? NAN : INFINITY) : field ? ldexp(part + 1024, field - 25) : ldexp(part, -24);
	return h & 0x8000 ? -v : v;
}

/* Round 0: numbers near each other. 1: all of a small size, subnormal ones too. 2: anything. */
static unsigned any(int round, bool five)
{
	unsigned byte = rand() & 0xff, sign = byte & 0x80;
	if (round == 0)
		return sign | (five ? 0x38 + rand() % 8 : 0x30 + rand() % 16);
	return round == 1 ? sign | (byte & 0x0f) : byte;
}

static void run(void (*kernel)(const word *, const word *, word *), shape s)
{
	word *a, *b, *c;
	cudaMallocManaged(&a, 128 * sizeof *a);
	cudaMallocManaged(&b, 64 * sizeof *b);
	cudaMallocManaged(&c, 128 * sizeof *c);
	for (int round = 0; round < 3; round++) {
		static double left[16][32], right[32][8];
		for (int i = 0; i < 128; i++)
			a[i] = b[i % 64] = c[i] = 0;
		for (int l = 0; l < 32; l++)
			for (int i = 0; i < 4; i++)
				for (int r = 0; r < s.k / 8; r++) {
					unsigned x = any(round, s.a_five), y = any(round, s.b_five);
					a[32 * r + l] |= x << 8 * i;
					left[l / 4 + r % 2 * 8][l % 4 * 4 + i + r / 2 * 16] = value_of(x, s.a_five);
					if (r % 2)
						continue;
					b[16 * r + l] |= y << 8 * i;
					right[l % 4 * 4 + i + r / 2 * 16][l / 4] = value_of(y, s.b_five);
				}
		kernel<<<1, 32>>>(a, b, c);
		bool good = cudaDeviceSynchronize() == cudaSuccess;
		for (int row = 0; row < 16; row++)
			for (int column = 0; column < 8; column++) {
				int lane = row % 8 * 4 + column / 2;
				word got = c[32 * (s.half_sums ? row / 8 : row / 8 * 2 + column % 2) + lane];
				double sum = 0, have, most = 0;
				float single;
				memcpy(&single, &got, 4);
				have = s.half_sums ? half_value(got >> column % 2 * 16 & 0xffff) : (double)single;
				for (int k = 0; k < s.k; k++) {
					sum += left[row][k] * right[k][column];
					most = fmax(most, fabs(left[row][k] * right[k][column]));
				}
				/* Rounds 0 and 1 are exact in single precision; else summands are cut below the largest. */
				double room = s.half_sums ? fmax(ldexp(most, -8), 1e-6) : round == 2 ? ldexp(most, -18) : 0;
				if (s.half_sums && round == 2 && !std::isnan(sum))
					continue; /* part of it may be too large for a half */
				good = good && (std::isnan(sum)	  ? std::isnan(have)
						: std::isinf(sum) ? have == sum
								  : fabs(have - sum) <= room);
			}
		tried++;
		if (!good) {
			wrong++;
			printf("%s k%d%s: wrong in round %d\n", s.name, s.k, s.half_sums ? " half" : "", round);
		}
	}
}

#define RUN(name, a_five, b_five)                             \
	run(name##32, {#name, 32, a_five, b_five, false});     \
	run(name##16, {#name, 16, a_five, b_five, false});     \
	run(name##half, {#name, 32, a_five, b_five, true})

int main()
{
	RUN(four_four, false, false);
	RUN(four_five, false, true);
	RUN(five_four, true, false);
	RUN(five_five, true, true);
	printf("%d products, %d wrong\n", tried, wrong);
	return wrong != 0;
}
