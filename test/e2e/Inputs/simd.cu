// CUDA's SIMD-in-a-word intrinsics (__vadd2, __vcmpgtu4, ...) against their lanes computed one by one on the host.
#include <cstdio>
#include <cstdlib>

enum { WORDS = 64 };

struct Lanes {
	int value[4];
	unsigned count;
};

// The lanes of a word, as signed or unsigned numbers; each operation on them; and their word again.
static Lanes split(unsigned word, unsigned count, bool isSigned)
{
	Lanes lanes = {{0}, count};
	unsigned bits = 32 / count;

	for (unsigned i = 0; i < count; i++) {
		unsigned raw = word >> (i * bits) & ((1u << bits) - 1);

		lanes.value[i] = isSigned && raw >> (bits - 1) ? (int)raw - (1 << bits) : (int)raw;
	}
	return lanes;
}

static int saturate(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

enum Operation { ADD, ADD_SATURATED, SUB, SUB_SATURATED, AVERAGE, HALF, DIFFERENCE, MIN, MAX, EQ, NE, LT, LE, GT, GE };

static int operate(Operation operation, int a, int b, int low, int high)
{
	switch (operation) {
	case ADD:
		return a + b;
	case ADD_SATURATED:
		return saturate(a + b, low, high);
	case SUB:
		return a - b;
	case SUB_SATURATED:
		return saturate(a - b, low, high);
	case AVERAGE:
		return a + b < 0 ? (a + b) >> 1 : (a + b + 1) >> 1;
	case HALF:
		return (a + b) >> 1;
	case DIFFERENCE:
		return a > b ? a - b : b - a;
	case MIN:
		return a < b ? a : b;
	case MAX:
		return a > b ? a : b;
	case EQ:
		return a == b;
	case NE:
		return a != b;
	case LT:
		return a < b;
	case LE:
		return a <= b;
	case GT:
		return a > b;
	default:
		return a >= b;
	}
}

// What the word of all lanes becomes: packed, every set lane filled, or summed.
enum Form { PACKED, FILLED, SUMMED };

static unsigned expected(Operation operation, unsigned count, bool isSigned, Form form, unsigned a, unsigned b)
{
	Lanes x = split(a, count, isSigned), y = split(b, count, isSigned);
	unsigned bits = 32 / count, mask = (1u << bits) - 1, word = 0;
	int high = (int)(isSigned ? mask >> 1 : mask), low = isSigned ? -high - 1 : 0;

	for (unsigned i = 0; i < count; i++) {
		int v = operate(operation, x.value[i], y.value[i], low, high);

		if (form == SUMMED)
			word += (unsigned)v;
		else
			word |= ((unsigned)(form == FILLED ? -v : v) & mask) << (i * bits);
	}
	return word;
}

// name, operation, lanes, signed, form
#define PER_WIDTH(X, n)                                 \
	X(__vadd##n, ADD, n, false, PACKED)             \
	X(__vaddss##n, ADD_SATURATED, n, true, PACKED)  \
	X(__vaddus##n, ADD_SATURATED, n, false, PACKED) \
	X(__vsub##n, SUB, n, false, PACKED)             \
	X(__vsubss##n, SUB_SATURATED, n, true, PACKED)  \
	X(__vsubus##n, SUB_SATURATED, n, false, PACKED) \
	X(__vavgs##n, AVERAGE, n, true, PACKED)         \
	X(__vavgu##n, AVERAGE, n, false, PACKED)        \
	X(__vhaddu##n, HALF, n, false, PACKED)          \
	X(__vabsdiffs##n, DIFFERENCE, n, true, PACKED)  \
	X(__vabsdiffu##n, DIFFERENCE, n, false, PACKED) \
	X(__vsads##n, DIFFERENCE, n, true, SUMMED)      \
	X(__vsadu##n, DIFFERENCE, n, false, SUMMED)     \
	X(__vmins##n, MIN, n, true, PACKED)             \
	X(__vminu##n, MIN, n, false, PACKED)            \
	X(__vmaxs##n, MAX, n, true, PACKED)             \
	X(__vmaxu##n, MAX, n, false, PACKED)            \
	X(__vseteq##n, EQ, n, false, PACKED)            \
	X(__vsetne##n, NE, n, false, PACKED)            \
	X(__vsetlts##n, LT, n, true, PACKED)            \
	X(__vsetltu##n, LT, n, false, PACKED)           \
	X(__vsetles##n, LE, n, true, PACKED)            \
	X(__vsetleu##n, LE, n, false, PACKED)           \
	X(__vsetgts##n, GT, n, true, PACKED)            \
	X(__vsetgtu##n, GT, n, false, PACKED)           \
	X(__vsetges##n, GE, n, true, PACKED)            \
	X(__vsetgeu##n, GE, n, false, PACKED)           \
	X(__vcmpeq##n, EQ, n, false, FILLED)            \
	X(__vcmpne##n, NE, n, false, FILLED)            \
	X(__vcmplts##n, LT, n, true, FILLED)            \
	X(__vcmpltu##n, LT, n, false, FILLED)           \
	X(__vcmples##n, LE, n, true, FILLED)            \
	X(__vcmpleu##n, LE, n, false, FILLED)           \
	X(__vcmpgts##n, GT, n, true, FILLED)            \
	X(__vcmpgtu##n, GT, n, false, FILLED)           \
	X(__vcmpges##n, GE, n, true, FILLED)            \
	X(__vcmpgeu##n, GE, n, false, FILLED)
#define ALL(X)          \
	PER_WIDTH(X, 2) \
	PER_WIDTH(X, 4)

#define COUNT(name, operation, lanes, isSigned, form) +1
enum { FUNCTIONS = 0 ALL(COUNT), ONE = 6 };

__global__ void apply(const unsigned *a, const unsigned *b, unsigned *out)
{
	unsigned x = a[threadIdx.x], y = b[threadIdx.x], n = threadIdx.x;

#define CALL(name, operation, lanes, isSigned, form) \
	out[n] = name(x, y);                         \
	n += WORDS;
	ALL(CALL)
}

__global__ void applyOne(const unsigned *a, unsigned *out)
{
	unsigned x = a[threadIdx.x], *at = out + threadIdx.x * ONE;

	at[0] = __vabs2(x);
	at[1] = __vabs4(x);
	at[2] = __vabsss2(x);
	at[3] = __vabsss4(x);
	at[4] = __vnegss2(x);
	at[5] = __vneg4(x);
}

static int failures;

static void check(const char *name, unsigned got, unsigned want, unsigned a, unsigned b)
{
	if (got == want)
		return;
	printf("%s(%08x, %08x): %08x, host %08x\n", name, a, b, got, want);
	failures++;
}

int main()
{
	static const unsigned edges[] = {0,	     0xffffffff, 0x80008000, 0x7fff7fff,
					 0x80808080, 0x7f7f7f7f, 0x80007fff, 0x00ff0100};
	unsigned *a, *b, *out, state = 1, n = 0;

	cudaMallocManaged(&a, WORDS * sizeof *a);
	cudaMallocManaged(&b, WORDS * sizeof *b);
	cudaMallocManaged(&out, FUNCTIONS * WORDS * sizeof *out);
	for (unsigned i = 0; i < WORDS; i++) {
		a[i] = i < 56 ? edges[i % 8] : (state = state * 1664525 + 1013904223);
		b[i] = i < 56 ? edges[i / 8] : (state = state * 1664525 + 1013904223);
	}
	apply<<<1, WORDS>>>(a, b, out);
	cudaError_t error = cudaDeviceSynchronize();
#define CHECK(name, operation, lanes, isSigned, form) \
	for (unsigned i = 0; i < WORDS; i++)          \
		check(#name, out[n++], expected(operation, lanes, isSigned, form, a[i], b[i]), a[i], b[i]);
	ALL(CHECK)
	applyOne<<<1, WORDS>>>(a, out);
	if (!error)
		error = cudaDeviceSynchronize();
	for (unsigned i = 0; i < WORDS; i++) {
		const unsigned *got = out + i * ONE;

		for (unsigned lanes = 2; lanes <= 4; lanes += 2)
			check("__vabs", got[lanes / 4], expected(DIFFERENCE, lanes, true, PACKED, a[i], 0), a[i], 0);
		for (unsigned lanes = 2; lanes <= 4; lanes += 2) {
			unsigned negative = expected(SUB_SATURATED, lanes, true, PACKED, 0, a[i]);

			check("__vabsss", got[2 + lanes / 4], expected(MAX, lanes, true, PACKED, a[i], negative), a[i],
			      0);
		}
		check("__vnegss2", got[4], expected(SUB_SATURATED, 2, true, PACKED, 0, a[i]), a[i], 0);
		check("__vneg4", got[5], expected(SUB, 4, true, PACKED, 0, a[i]), a[i], 0);
	}
	if (error)
		printf("%s\n", cudaGetErrorString(error));
	printf("simd: %s\n", failures || error ? "FAILED" : "PASSED");
	return failures || error;
}
