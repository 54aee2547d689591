/* wmma as PTX has it, and as LLVM's intrinsics, through clang's builtins: each shape, type and layout, on small integers,
 * whose sums are exact, against the host. LEVEL is the processor's. */
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned int word;

/* Registers of fragments: 8 of each, the rest unused. */
#define R8(r) "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define OUT8(r) "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
#define OUT4(r) "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
#define OUT2(r) "=r"(r[0]), "=r"(r[1])
#define OUT1(r) "=r"(r[0])
#define IN8(r) "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7])
#define IN4(r) "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
#define IN2(r) "r"(r[0]), "r"(r[1])
#define IN1(r) "r"(r[0])

/* "{%F,...}" of n registers from %F on. */
#define V1(a) "{%" #a "}"
#define V2(a, b) "{%" #a ",%" #b "}"
#define V4(a, b, c, d) "{%" #a ",%" #b ",%" #c ",%" #d "}"
#define V8(a, b, c, d, e, f, g, h) "{%" #a ",%" #b ",%" #c ",%" #d ",%" #e ",%" #f ",%" #g ",%" #h "}"

#define LOAD8(use, shape, type, layout, r, p, ld) \
	asm volatile("wmma.load." use ".sync.aligned." layout "." shape "." type " " V8(0, 1, 2, 3, 4, 5, 6, 7) ", [%8], %9;" : OUT8(r) : "l"(p), "r"(ld) : "memory")
#define LOAD4(use, shape, type, layout, r, p, ld) \
	asm volatile("wmma.load." use ".sync.aligned." layout "." shape ".global." type " " V4(0, 1, 2, 3) ", [%4], %5;" : OUT4(r) : "l"(p), "r"(ld) : "memory")
#define LOAD2(use, shape, type, layout, r, p, ld) \
	asm volatile("wmma.load." use ".sync.aligned." layout "." shape "." type " " V2(0, 1) ", [%2], %3;" : OUT2(r) : "l"(p), "r"(ld) : "memory")
#define LOAD1(use, shape, type, layout, r, p, ld) \
	asm volatile("wmma.load." use ".sync.aligned." layout "." shape "." type " " V1(0) ", [%1], %2;" : OUT1(r) : "l"(p), "r"(ld) : "memory")
#define STORE8(shape, type, layout, r, p, ld) \
	asm volatile("wmma.store.d.sync.aligned." layout "." shape "." type " [%8], " V8(0, 1, 2, 3, 4, 5, 6, 7) ", %9;" : : IN8(r), "l"(p), "r"(ld) : "memory")
#define STORE4(shape, type, layout, r, p, ld) \
	asm volatile("wmma.store.d.sync.aligned." layout "." shape "." type " [%4], " V4(0, 1, 2, 3) ", %5;" : : IN4(r), "l"(p), "r"(ld) : "memory")

/* Kernels: NAME(a, b, c, d, lda, ldb, ldc), c and d by rows. */
#define ARGS void *d, const void *a, const void *b, const void *c, int lda, int ldb, int ldc
#define KERNEL(name, shape, la, lb, na, ta, nb, tb, nc, tc, nd, td, multiply)                          \
	__global__ void name(ARGS)                                                                     \
	{                                                                                              \
		word x[8], y[8], z[8], w[8];                                                           \
		LOAD##na("a", shape, ta, la, x, a, lda);                                               \
		LOAD##nb("b", shape, tb, lb, y, b, ldb);                                               \
		LOAD##nc("c", shape, tc, "row", z, c, ldc);                                            \
		multiply;                                                                              \
		STORE##nd(shape, td, "row", w, d, ldc);                                                \
	}
#define MMA(op) "wmma.mma.sync.aligned." op " "
#define F32_F32(la, lb, shape) asm volatile(MMA(la "." lb "." shape ".f32.f32") V8(0, 1, 2, 3, 4, 5, 6, 7) ", " V8(8, 9, 10, 11, 12, 13, 14, 15) ", " V8(16, 17, 18, 19, 20, 21, 22, 23) ", " V8(24, 25, 26, 27, 28, 29, 30, 31) ";" : OUT8(w) : IN8(x), IN8(y), IN8(z))
#define F16_F16(la, lb, shape) asm volatile(MMA(la "." lb "." shape ".f16.f16") V4(0, 1, 2, 3) ", " V8(4, 5, 6, 7, 8, 9, 10, 11) ", " V8(12, 13, 14, 15, 16, 17, 18, 19) ", " V4(20, 21, 22, 23) ";" : OUT4(w) : IN8(x), IN8(y), IN4(z))
#define F32_F16(la, lb, shape) asm volatile(MMA(la "." lb "." shape ".f32.f16") V8(0, 1, 2, 3, 4, 5, 6, 7) ", " V8(8, 9, 10, 11, 12, 13, 14, 15) ", " V8(16, 17, 18, 19, 20, 21, 22, 23) ", " V4(24, 25, 26, 27) ";" : OUT8(w) : IN8(x), IN8(y), IN4(z))
#define F16_F32(la, lb, shape) asm volatile(MMA(la "." lb "." shape ".f16.f32") V4(0, 1, 2, 3) ", " V8(4, 5, 6, 7, 8, 9, 10, 11) ", " V8(12, 13, 14, 15, 16, 17, 18, 19) ", " V8(20, 21, 22, 23, 24, 25, 26, 27) ";" : OUT4(w) : IN8(x), IN8(y), IN8(z))
#define HALVES(name, shape, la, lb)                                                                                     \
	KERNEL(name##_ff, shape, la, lb, 8, "f16", 8, "f16", 8, "f32", 8, "f32", F32_F32(la, lb, shape))               \
	KERNEL(name##_hh, shape, la, lb, 8, "f16", 8, "f16", 4, "f16", 4, "f16", F16_F16(la, lb, shape))               \
	KERNEL(name##_fh, shape, la, lb, 8, "f16", 8, "f16", 4, "f16", 8, "f32", F32_F16(la, lb, shape))               \
	KERNEL(name##_hf, shape, la, lb, 8, "f16", 8, "f16", 8, "f32", 4, "f16", F16_F32(la, lb, shape))
#define LAYOUTS(kind, name, shape)             \
	kind(name##_rr, shape, "row", "row")   \
	kind(name##_rc, shape, "row", "col")   \
	kind(name##_cr, shape, "col", "row")   \
	kind(name##_cc, shape, "col", "col")
LAYOUTS(HALVES, h16, "m16n16k16")
LAYOUTS(HALVES, h32, "m32n8k16")
LAYOUTS(HALVES, h8, "m8n32k16")

#define SUM(op, va, ia, vb, ib, vc) asm volatile(MMA(op) V8(0, 1, 2, 3, 4, 5, 6, 7) ", " va ", " vb ", " vc ";" : OUT8(w) : ia, ib, IN8(z))
#if LEVEL >= 75
#define BYTES16(name, shape, la, lb, t) KERNEL(name, shape, la, lb, 2, t, 2, t, 8, "s32", 8, "s32", SUM(la "." lb "." shape ".s32." t "." t ".s32", V2(8, 9), IN2(x), V2(10, 11), IN2(y), V8(12, 13, 14, 15, 16, 17, 18, 19)))
#define BYTES32(name, shape, la, lb, t) KERNEL(name, shape, la, lb, 4, t, 1, t, 8, "s32", 8, "s32", SUM(la "." lb "." shape ".s32." t "." t ".s32.satfinite", V4(8, 9, 10, 11), IN4(x), V1(12), IN1(y), V8(13, 14, 15, 16, 17, 18, 19, 20)))
#define BYTES8(name, shape, la, lb, t) KERNEL(name, shape, la, lb, 1, t, 4, t, 8, "s32", 8, "s32", SUM(la "." lb "." shape ".s32." t "." t ".s32", V1(8), IN1(x), V4(9, 10, 11, 12), IN4(y), V8(13, 14, 15, 16, 17, 18, 19, 20)))
#define SIGNED16(name, shape, la, lb) BYTES16(name, shape, la, lb, "s8")
#define UNSIGNED16(name, shape, la, lb) BYTES16(name, shape, la, lb, "u8")
#define SIGNED32(name, shape, la, lb) BYTES32(name, shape, la, lb, "s8")
#define SIGNED8(name, shape, la, lb) BYTES8(name, shape, la, lb, "s8")
LAYOUTS(SIGNED16, s16, "m16n16k16")
LAYOUTS(UNSIGNED16, u16, "m16n16k16")
LAYOUTS(SIGNED32, s32, "m32n8k16")
LAYOUTS(SIGNED8, s8, "m8n32k16")
#endif
#if LEVEL >= 80
#define B16(name, shape, la, lb) KERNEL(name, shape, la, lb, 4, "bf16", 4, "bf16", 8, "f32", 8, "f32", SUM(la "." lb "." shape ".f32.bf16.bf16.f32", V4(8, 9, 10, 11), IN4(x), V4(12, 13, 14, 15), IN4(y), V8(16, 17, 18, 19, 20, 21, 22, 23)))
#define B32(name, shape, la, lb) KERNEL(name, shape, la, lb, 8, "bf16", 2, "bf16", 8, "f32", 8, "f32", SUM(la "." lb "." shape ".f32.bf16.bf16.f32", V8(8, 9, 10, 11, 12, 13, 14, 15), IN8(x), V2(16, 17), IN2(y), V8(18, 19, 20, 21, 22, 23, 24, 25)))
#define B8(name, shape, la, lb) KERNEL(name, shape, la, lb, 2, "bf16", 8, "bf16", 8, "f32", 8, "f32", SUM(la "." lb "." shape ".f32.bf16.bf16.f32", V2(8, 9), IN2(x), V8(10, 11, 12, 13, 14, 15, 16, 17), IN8(y), V8(18, 19, 20, 21, 22, 23, 24, 25)))
#define TF32(name, shape, la, lb) KERNEL(name, shape, la, lb, 4, "tf32", 4, "tf32", 8, "f32", 8, "f32", SUM(la "." lb "." shape ".f32.tf32.tf32.f32", V4(8, 9, 10, 11), IN4(x), V4(12, 13, 14, 15), IN4(y), V8(16, 17, 18, 19, 20, 21, 22, 23)))
LAYOUTS(B16, b16, "m16n16k16")
LAYOUTS(B32, b32, "m32n8k16")
LAYOUTS(B8, b8, "m8n32k16")
LAYOUTS(TF32, t16, "m16n16k8")
#define DOUBLES(name, shape, la, lb)                                                                                              \
	__global__ void name(ARGS)                                                                                               \
	{                                                                                                                         \
		double x, y, z[2], w[2];                                                                                          \
		asm volatile("wmma.load.a.sync.aligned." la ".m8n8k4.f64 {%0}, [%1], %2;" : "=d"(x) : "l"(a), "r"(lda));         \
		asm volatile("wmma.load.b.sync.aligned." lb ".m8n8k4.f64 {%0}, [%1], %2;" : "=d"(y) : "l"(b), "r"(ldb));         \
		asm volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0,%1}, [%2], %3;" : "=d"(z[0]), "=d"(z[1]) : "l"(c), "r"(ldc)); \
		asm volatile("wmma.mma.sync.aligned." la "." lb ".m8n8k4.f64.f64.f64.f64.rn {%0,%1}, {%2}, {%3}, {%4,%5};"       \
			     : "=d"(w[0]), "=d"(w[1]) : "d"(x), "d"(y), "d"(z[0]), "d"(z[1]));                                    \
		asm volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%1,%2}, %3;" : : "l"(d), "d"(w[0]), "d"(w[1]), "r"(ldc) : "memory"); \
	}
LAYOUTS(DOUBLES, d8, "m8n8k4")
#endif

/* LLVM's intrinsics; one layout each. */
__global__ void i_half(ARGS)
{
#ifdef __CUDA_ARCH__
	int x[8], y[8];
	float z[8], w[8];
	__hmma_m16n16k16_ld_a(x, (const int *)a, lda, 0);
	__hmma_m16n16k16_ld_b(y, (const int *)b, ldb, 1);
	__hmma_m16n16k16_ld_c_f32(z, (const float *)c, ldc, 0);
	__hmma_m16n16k16_mma_f32f32(w, x, y, z, 1, 0);
	__hmma_m16n16k16_st_c_f32((float *)d, w, ldc, 0);
#endif
}
__global__ void i_halves(ARGS)
{
#ifdef __CUDA_ARCH__
	int x[8], y[8], z[4], w[4];
	__hmma_m8n32k16_ld_a(x, (const int *)a, lda, 1);
	__hmma_m8n32k16_ld_b(y, (const int *)b, ldb, 0);
	__hmma_m8n32k16_ld_c_f16(z, (const int *)c, ldc, 0);
	__hmma_m8n32k16_mma_f16f16(w, x, y, z, 2, 0);
	__hmma_m8n32k16_st_c_f16((int *)d, w, ldc, 0);
#endif
}
#if LEVEL >= 75
__global__ void i_bytes(ARGS)
{
#ifdef __CUDA_ARCH__
	int x[4], y[4], z[8], w[8];
	__imma_m32n8k16_ld_a_s8(x, (const int *)a, lda, 0);
	__imma_m32n8k16_ld_b_s8(y, (const int *)b, ldb, 0);
	__imma_m32n8k16_ld_c(z, (const int *)c, ldc, 0);
	__imma_m32n8k16_mma_s8(w, x, y, z, 0, 1);
	__imma_m32n8k16_st_c_i32((int *)d, w, ldc, 0);
#endif
}
#endif
#if LEVEL >= 80
__global__ void i_tensor(ARGS)
{
#ifdef __CUDA_ARCH__
	int x[4], y[4];
	float z[8], w[8];
	__mma_tf32_m16n16k8_ld_a(x, (const int *)a, lda, 1);
	__mma_tf32_m16n16k8_ld_b(y, (const int *)b, ldb, 1);
	__mma_tf32_m16n16k8_ld_c(z, (const float *)c, ldc, 0);
	__mma_tf32_m16n16k8_mma_f32(w, x, y, z, 3, 0);
	__mma_m16n16k8_st_c_f32((float *)d, w, ldc, 0);
#endif
}
__global__ void i_doubles(ARGS)
{
#ifdef __CUDA_ARCH__
	double x, y, z[2], w[2];
	__dmma_m8n8k4_ld_a(&x, (const double *)a, lda, 0);
	__dmma_m8n8k4_ld_b(&y, (const double *)b, ldb, 1);
	__dmma_m8n8k4_ld_c(z, (const double *)c, ldc, 0);
	__dmma_m8n8k4_mma_f64(w, &x, &y, z, 1, 0);
	__dmma_m8n8k4_st_c_f64((double *)d, w, ldc, 0);
#endif
}
#endif

/* ---- the host */

static unsigned state = 1;
static int next(int least, int most)
{
	state = state * 1664525u + 1013904223u;
	return least + (int)((state >> 16) % (unsigned)(most - least + 1));
}

enum type { HALF, BFLOAT, SINGLE, DOUBLE, BYTE, UBYTE, INT };
static size_t size_of(enum type t)
{
	return t == DOUBLE ? 8 : t == SINGLE || t == INT ? 4 : t == BYTE || t == UBYTE ? 1 : 2;
}
static void put(void *to, size_t i, enum type t, int v)
{
	char *at = (char *)to + i * size_of(t);
	switch (t) {
	case HALF: { __half x = __float2half((float)v); memcpy(at, &x, 2); break; }
	case BFLOAT: { __nv_bfloat16 x = __float2bfloat16((float)v); memcpy(at, &x, 2); break; }
	case SINGLE: { float x = (float)v; memcpy(at, &x, 4); break; }
	case DOUBLE: { double x = v; memcpy(at, &x, 8); break; }
	case INT: memcpy(at, &v, 4); break;
	default: *at = (char)v;
	}
}
static double get(const void *from, size_t i, enum type t)
{
	const char *at = (const char *)from + i * size_of(t);
	__half h;
	float f;
	double d;
	int n;
	switch (t) {
	case HALF: memcpy(&h, at, 2); return __half2float(h);
	case SINGLE: memcpy(&f, at, 4); return f;
	case DOUBLE: memcpy(&d, at, 8); return d;
	default: memcpy(&n, at, 4); return n;
	}
}

static int wrong, done;

static void check(const char *name, void (*kernel)(ARGS), int m, int n, int k, bool a_row, bool b_row, enum type f, enum type sum, enum type result)
{
	enum { ROOM = 64 * 64 * 8 };
	static char ha[ROOM], hb[ROOM], hc[ROOM], hd[ROOM];
	static int va[64 * 64], vb[64 * 64], vc[64 * 64];
	int lda = (a_row ? k : m) + 16, ldb = (b_row ? n : k) + 16, ldc = n + 8, bad = 0;
	char *da, *db, *dc, *dd;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < k; j++)
			put(ha, a_row ? i * lda + j : j * lda + i, f, va[i * k + j] = next(f == UBYTE ? 0 : -4, 4));
	for (int i = 0; i < k; i++)
		for (int j = 0; j < n; j++)
			put(hb, b_row ? i * ldb + j : j * ldb + i, f, vb[i * n + j] = next(f == UBYTE ? 0 : -4, 4));
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			put(hc, i * ldc + j, sum, vc[i * n + j] = next(-20, 20));
	cudaMalloc(&da, ROOM);
	cudaMalloc(&db, ROOM);
	cudaMalloc(&dc, ROOM);
	cudaMalloc(&dd, ROOM);
	cudaMemcpy(da, ha, ROOM, cudaMemcpyHostToDevice);
	cudaMemcpy(db, hb, ROOM, cudaMemcpyHostToDevice);
	cudaMemcpy(dc, hc, ROOM, cudaMemcpyHostToDevice);
	kernel<<<1, 32>>>(dd, da, db, dc, lda, ldb, ldc);
	cudaMemcpy(hd, dd, ROOM, cudaMemcpyDeviceToHost);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			int want = vc[i * n + j];
			for (int l = 0; l < k; l++)
				want += va[i * k + l] * vb[l * n + j];
			bad += get(hd, i * ldc + j, result) != want;
		}
	if (bad)
		printf("%s: %d of %d\n", name, bad, m * n);
	wrong += bad != 0;
	done++;
	cudaFree(da);
	cudaFree(db);
	cudaFree(dc);
	cudaFree(dd);
}

#define EACH(name, m, n, k, f, c, d)                                    \
	check(#name "_rr", name##_rr, m, n, k, true, true, f, c, d);    \
	check(#name "_rc", name##_rc, m, n, k, true, false, f, c, d);   \
	check(#name "_cr", name##_cr, m, n, k, false, true, f, c, d);   \
	check(#name "_cc", name##_cc, m, n, k, false, false, f, c, d)
#define EACH_SUM(name, m, n, k)                                                              \
	for (int l = 0; l < 4; l++) {                                                        \
		bool ar = l < 2, br = l % 2 == 0;                                            \
		void (*const ff[])(ARGS) = {name##_rr_ff, name##_rc_ff, name##_cr_ff, name##_cc_ff}; \
		void (*const hh[])(ARGS) = {name##_rr_hh, name##_rc_hh, name##_cr_hh, name##_cc_hh}; \
		void (*const fh[])(ARGS) = {name##_rr_fh, name##_rc_fh, name##_cr_fh, name##_cc_fh}; \
		void (*const hf[])(ARGS) = {name##_rr_hf, name##_rc_hf, name##_cr_hf, name##_cc_hf}; \
		check(#name " f32.f32", ff[l], m, n, k, ar, br, HALF, SINGLE, SINGLE);       \
		check(#name " f16.f16", hh[l], m, n, k, ar, br, HALF, HALF, HALF);           \
		check(#name " f32.f16", fh[l], m, n, k, ar, br, HALF, HALF, SINGLE);         \
		check(#name " f16.f32", hf[l], m, n, k, ar, br, HALF, SINGLE, HALF);         \
	}

int main()
{
	EACH_SUM(h16, 16, 16, 16)
	EACH_SUM(h32, 32, 8, 16)
	EACH_SUM(h8, 8, 32, 16)
	check("i_half", i_half, 16, 16, 16, true, false, HALF, SINGLE, SINGLE);
	check("i_halves", i_halves, 8, 32, 16, false, true, HALF, HALF, HALF);
#if LEVEL >= 75
	EACH(s16, 16, 16, 16, BYTE, INT, INT);
	EACH(u16, 16, 16, 16, UBYTE, INT, INT);
	EACH(s32, 32, 8, 16, BYTE, INT, INT);
	EACH(s8, 8, 32, 16, BYTE, INT, INT);
	check("i_bytes", i_bytes, 32, 8, 16, true, true, BYTE, INT, INT);
#endif
#if LEVEL >= 80
	EACH(b16, 16, 16, 16, BFLOAT, SINGLE, SINGLE);
	EACH(b32, 32, 8, 16, BFLOAT, SINGLE, SINGLE);
	EACH(b8, 8, 32, 16, BFLOAT, SINGLE, SINGLE);
	EACH(t16, 16, 16, 8, SINGLE, SINGLE, SINGLE);
	EACH(d8, 8, 8, 4, DOUBLE, DOUBLE, DOUBLE);
	check("i_tensor", i_tensor, 16, 16, 8, false, false, SINGLE, SINGLE, SINGLE);
	check("i_doubles", i_doubles, 8, 8, 4, true, false, DOUBLE, DOUBLE, DOUBLE);
#endif
	printf("sm_%d: %d products, %d wrong\n", LEVEL, done, wrong);
	return 0;
}
