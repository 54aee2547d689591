/*
 * wmma on halves of bytes (m8n8k32) and on bits (m8n8k128), as PTX has it and as LLVM's intrinsics, through clang's
 * builtins, against the host: random elements, sums near the ends of their range, and lines with room between them.
 */
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

typedef unsigned int word;
struct shape {
	const char *name;
	int k, bits; /* of an element */
	bool a_signed, saturates, by_columns; /* c and d */
	char op; /* '*', '^' or '&' */
};

#define ARGS int *d, const word *a, const word *b, const int *c, int lda, int ldb, int ldc
#define KERNEL(name, shape, type, multiply, layout, space)                                                                   \
	__global__ void name(ARGS)                                                                                           \
	{                                                                                                                    \
		word x, y;                                                                                                   \
		int z[2], w[2];                                                                                              \
		asm volatile("wmma.load.a.sync.aligned.row." shape space "." type " {%0}, [%1], %2;" : "=r"(x) : "l"(a), "r"(lda)); \
		asm volatile("wmma.load.b.sync.aligned.col." shape space "." type " {%0}, [%1], %2;" : "=r"(y) : "l"(b), "r"(ldb)); \
		asm volatile("wmma.load.c.sync.aligned." layout "." shape ".s32 {%0,%1}, [%2], %3;"                          \
			     : "=r"(z[0]), "=r"(z[1])                                                                        \
			     : "l"(c), "r"(ldc));                                                                            \
		asm volatile("wmma.mma." multiply " {%0,%1}, {%2}, {%3}, {%4,%5};"                                           \
			     : "=r"(w[0]), "=r"(w[1])                                                                        \
			     : "r"(x), "r"(y), "r"(z[0]), "r"(z[1]));                                                        \
		asm volatile("wmma.store.d.sync.aligned." layout "." shape ".s32 [%0], {%1,%2}, %3;"                         \
			     :                                                                                               \
			     : "l"(d), "r"(w[0]), "r"(w[1]), "r"(ldc)                                                        \
			     : "memory");                                                                                    \
	}
KERNEL(p_signed, "m8n8k32", "s4", "sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", "row", "")
KERNEL(p_unsigned, "m8n8k32", "u4", "sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite", "col", ".global")
KERNEL(p_xor, "m8n8k128", "b1", "xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "row", "")
#if LEVEL >= 80
KERNEL(p_and, "m8n8k128", "b1", "and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "col", ".global")
#endif

__global__ void i_signed(ARGS)
{
#ifdef __CUDA_ARCH__
	int x, y, z[2], w[2];
	__imma_m8n8k32_ld_a_s4(&x, (const int *)a, lda, 0);
	__imma_m8n8k32_ld_b_s4(&y, (const int *)b, ldb, 1);
	__imma_m8n8k32_ld_c(z, c, ldc, 1);
	__imma_m8n8k32_mma_s4(w, &x, &y, z, 1, 1);
	__imma_m8n8k32_st_c_i32(d, w, ldc, 1);
#endif
}
__global__ void i_unsigned(ARGS)
{
#ifdef __CUDA_ARCH__
	int x, y, z[2], w[2];
	__imma_m8n8k32_ld_a_u4(&x, (const int *)a, lda, 0);
	__imma_m8n8k32_ld_b_u4(&y, (const int *)b, ldb, 1);
	__imma_m8n8k32_ld_c(z, c, ldc, 0);
	__imma_m8n8k32_mma_u4(w, &x, &y, z, 1, 0);
	__imma_m8n8k32_st_c_i32(d, w, ldc, 0);
#endif
}
__global__ void i_xor(ARGS)
{
#ifdef __CUDA_ARCH__
	int x, y, z[2], w[2];
	__bmma_m8n8k128_ld_a_b1(&x, (const int *)a, lda, 0);
	__bmma_m8n8k128_ld_b_b1(&y, (const int *)b, ldb, 1);
	__bmma_m8n8k128_ld_c(z, c, ldc, 0);
	__bmma_m8n8k128_mma_xor_popc_b1(w, &x, &y, z, 1);
	__bmma_m8n8k128_st_c_i32(d, w, ldc, 0);
#endif
}
#if LEVEL >= 80
__global__ void i_and(ARGS)
{
#ifdef __CUDA_ARCH__
	int x, y, z[2], w[2];
	__bmma_m8n8k128_ld_a_b1(&x, (const int *)a, lda, 0);
	__bmma_m8n8k128_ld_b_b1(&y, (const int *)b, ldb, 1);
	__bmma_m8n8k128_ld_c(z, c, ldc, 1);
	__bmma_m8n8k128_mma_and_popc_b1(w, &x, &y, z, 1);
	__bmma_m8n8k128_st_c_i32(d, w, ldc, 1);
#endif
}
#endif

static int tried, wrong;

static int number(const word *from, int line, int pitch, int k, const shape &s)
{
	int at = (line * pitch + k) * s.bits, v = (int)(from[at / 32] >> at % 32 & ((1u << s.bits) - 1));
	return s.a_signed && v >> (s.bits - 1) ? v - (1 << s.bits) : v;
}

static void run(void (*kernel)(ARGS), shape s)
{
	word *a, *b;
	int *c, *d, lda = s.k * 2, ldb = s.k * 3, ldc = 12;
	cudaMallocManaged(&a, 8 * lda * s.bits / 8);
	cudaMallocManaged(&b, 8 * ldb * s.bits / 8);
	cudaMallocManaged(&c, 8 * ldc * sizeof *c);
	cudaMallocManaged(&d, 8 * ldc * sizeof *d);
	for (int i = 0; i < 8 * lda * s.bits / 32; i++)
		a[i] = (word)rand() * 0x9e3779b1u ^ (word)rand();
	for (int i = 0; i < 8 * ldb * s.bits / 32; i++)
		b[i] = (word)rand() * 0x85ebca6bu ^ (word)rand();
	for (int i = 0; i < 8 * ldc; i++) {
		c[i] = i % 5 == 0 ? INT_MAX - 7 : i % 7 == 0 ? INT_MIN + 9 : rand();
		d[i] = -1;
	}
	kernel<<<1, 32>>>(d, a, b, c, lda, ldb, ldc);
	bool good = cudaDeviceSynchronize() == cudaSuccess;
	for (int row = 0; row < 8; row++)
		for (int column = 0; column < ldc; column++) {
			int at = s.by_columns ? column * ldc + row : row * ldc + column;
			if (column >= 8) { /* nothing is written between the lines */
				good = good && (s.by_columns || d[at] == -1);
				continue;
			}
			int64_t sum = c[at];
			for (int k = 0; k < s.k; k++) {
				int x = number(a, row, lda, k, s), y = number(b, column, ldb, k, s);
				sum += s.op == '*' ? x * y : s.op == '^' ? x ^ y : x & y;
			}
			if (s.saturates)
				sum = sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : sum;
			good = good && (int)sum == d[at];
		}
	tried++;
	if (!good) {
		wrong++;
		printf("%s: wrong\n", s.name);
	}
}

int main()
{
	run(p_signed, {"PTX, s4", 32, 4, true, false, false, '*'});
	run(p_unsigned, {"PTX, u4", 32, 4, false, true, true, '*'});
	run(p_xor, {"PTX, xor", 128, 1, false, false, false, '^'});
	run(i_signed, {"intrinsics, s4", 32, 4, true, true, true, '*'});
	run(i_unsigned, {"intrinsics, u4", 32, 4, false, false, false, '*'});
	run(i_xor, {"intrinsics, xor", 128, 1, false, false, false, '^'});
#if LEVEL >= 80
	run(p_and, {"PTX, and", 128, 1, false, false, true, '&'});
	run(i_and, {"intrinsics, and", 128, 1, false, false, true, '&'});
#endif
	printf("sm_%d: %d products, %d wrong\n", LEVEL, tried, wrong);
	return wrong != 0;
}
