/*
 * Calls from inline PTX: functions of the module and declared ones, with registers, parameters, structures, a guard and
 * through a register. Numbers ("n") that stand where the text has no operand, as nvcc writes them; expressions of
 * constants, names of the program's variables, and vectors that are named whole.
 */
#include <cstdio>

struct Pair {
	int a;
	double b;
};
typedef unsigned (*function)(unsigned);
__device__ function table[2];
__device__ int counter;

extern "C" __device__ __noinline__ unsigned square(unsigned a)
{
	return a * a + 1;
}
extern "C" __device__ unsigned inlined(unsigned a, float f, short s)
{
	return a * 10 + (unsigned)f + s;
}
extern "C" __device__ __noinline__ double mix(Pair p, char c)
{
	return p.a * 2 + p.b + c;
}
extern "C" __device__ __noinline__ Pair make(int a)
{
	Pair p = {a, a * 0.5};
	return p;
}
extern "C" __device__ __noinline__ void put(unsigned *p, unsigned v)
{
	*p = v;
}
extern "C" __device__ __noinline__ void bump()
{
	atomicAdd(&counter, 1);
}

__global__ void init()
{
	table[0] = square;
}

__global__ void calls(unsigned *p, double *d)
{
	unsigned r, t = threadIdx.x;
	double o, b;
	int a;
	asm volatile("{ .func (.param .b32 r) square (.param .b32 a);\n"
		     "  .param .b32 pa, pr; st.param.b32 [pa], %1;\n"
		     "  call.uni (pr), square, (pa); ld.param.b32 %0, [pr]; }" : "=r"(r) : "r"(p[t]));
	p[t] = r + square(3);
	asm volatile("call.uni (%0), inlined, (%1, %2, %3);" : "=r"(r) : "r"(p[t]), "f"(2.75f), "h"((short)-1));
	p[t] = r;
	asm volatile("{ .param .align 8 .b8 s[16]; .param .b32 c; .param .b64 res;\n"
		     "  st.param.b32 [s], %1; st.param.f64 [s+8], %2; st.param.b32 [c], 65;\n"
		     "  call (res), mix, (s, c); ld.param.f64 %0, [res]; }" : "=d"(o) : "r"(21), "d"(0.25));
	d[t] = o;
	asm volatile("{ .param .align 8 .b8 s[16]; call (s), make, (7); ld.param.b32 %0, [s+0]; ld.param.f64 %1, [s+8]; }"
		     : "=r"(a), "=d"(b));
	d[t] += a + b;
	asm volatile("{ .reg .pred q; setp.lt.u32 q, %0, 5; @q call put, (%1, 77); }" :: "r"(t), "l"(p + 32 + t) : "memory");
	asm volatile("call bump;" ::: "memory");
	asm volatile("{ t: .callprototype (.param .b32 _) _ (.param .b32 _); call (%0), %1, (%2), t; }"
		     : "=r"(r) : "l"(t & 1 ? (function)square : table[0]), "r"(5));
	p[64 + t] = r;
}

template <int Number, int Offset> __global__ void numbers(const unsigned *p, unsigned *out)
{
	unsigned r;
	asm volatile("ld.global.u32 %0, [%1+%2];" : "=r"(r) : "l"(p), "n"(Offset));
	out[0] = r;
	asm volatile("ld.global.u32 %0, [%1+%2];" : "=r"(r) : "l"(p + 4), "n"(-Offset));
	out[1] = r;
	asm volatile("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "n"(0x96));
	out[2] = r;
	asm volatile("{ .reg .pred p<%1>; setp.lt.s32 p0, %2, %3; selp.b32 %0, %4, 8, p0; }"
		     : "=r"(r) : "n"(1), "r"(-3), "n"(Number), "n"(7));
	out[3] = r;
	asm volatile("bar.sync %0, %1;" :: "n"(1), "n"(32));
	asm volatile("{ .reg .b64 w; alloca.u64 w, %1, %2; cvt.u32.u64 %0, w; and.b32 %0, %0, 127; }"
		     : "=r"(r) : "l"(16ull), "n"(128));
	out[4] = r;
}

extern "C" {
__device__ unsigned words[4] = {11, 22, 33, 44};
__constant__ unsigned fixed[4] = {5, 6, 7, 8};
__shared__ unsigned tile[4];
}

__global__ void names(unsigned *out)
{
	unsigned long long a;
	asm volatile("ld.global.u32 %0, [words+4];" : "=r"(out[0]));
	asm volatile("mov.u64 %0, words;" : "=l"(a));
	out[1] = *(const unsigned *)(a + 8);
	asm volatile("ld.const.u32 %0, [fixed+2*4];" : "=r"(out[2]));
	tile[1] = 9;
	asm volatile("{ .reg .b32 t; mov.u32 t, tile; ld.shared.u32 %0, [t+8-4]; }" : "=r"(out[3]));
}

__global__ void constants(const unsigned *p, unsigned *out)
{
	unsigned long long wide;
	asm volatile("mov.u32 %0, (-7/2)*3+(1<<5)%%7-!0;" : "=r"(out[0]));
	asm volatile("mov.u64 %0, (0xffffffffffffffff>>60)+(-1>>60);" : "=l"(wide)); /* without a sign, with one */
	out[1] = (unsigned)wide;
	asm volatile("mov.u32 %0, (.s64)0xffffffffffffffff < 1 ? 3 : 4;" : "=r"(out[2]));
	asm volatile("and.b32 %0, %1, ~0x0f|0b100^5&4;" : "=r"(out[3]) : "r"(0xffu));
	asm volatile("{ .reg .v4 .b32 v; .reg .pred p; ld.global.v4.u32 v, [%1]; setp.eq.u32 p, v.y, 4; @p bra X;\n"
		     "  mov.b32 v.y, 9; X: mov.u32 %0, v.y; st.global.v4.u32 [%2], v; }"
		     : "=r"(out[4]) : "l"(p), "l"(out + 8) : "memory");
	out[5] = out[8] + out[11];
}

int main()
{
	unsigned *p, bad = 0;
	double *d;
	int count;
	cudaMallocManaged(&p, 1024);
	cudaMallocManaged(&d, 1024);
	for (unsigned i = 0; i < 96; i++)
		p[i] = i;
	init<<<1, 1>>>();
	calls<<<1, 32>>>(p, d);
	cudaError_t error = cudaDeviceSynchronize();
	cudaMemcpyFromSymbol(&count, counter, sizeof count);
	for (unsigned i = 0; i < 32; i++)
		bad += p[i] != (i * i + 1 + 10) * 10 + 2 - 1 || d[i] != 21 * 2 + 0.25 + 65 + 7 + 3.5 ||
		       p[32 + i] != (i < 5 ? 77 : 32 + i) || p[64 + i] != 26;
	printf("calls: %s, %u wrong, %d\n", cudaGetErrorName(error), bad, count);
	for (unsigned i = 0; i < 16; i++)
		p[i] = 3 * i + 1;
	numbers<-2, 8><<<1, 32>>>(p, p + 32);
	cudaDeviceSynchronize();
	printf("numbers: %u %u %u %u %u\n", p[32], p[33], p[34], p[35], p[36]);
	names<<<1, 1>>>(p + 32);
	cudaDeviceSynchronize();
	printf("names: %u %u %u %u\n", p[32], p[33], p[34], p[35]);
	constants<<<1, 1>>>(p, p + 32);
	cudaDeviceSynchronize();
	printf("constants: %d %u %u %x %u %u\n", (int)p[32], p[33], p[34], p[35], p[36], p[37]);
}
