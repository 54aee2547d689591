// Bit-fields of packed structs, which clang reads and writes together, as one integer of up to 272 bits.
#include <cstdio>
#include <cstring>
typedef unsigned long long u64;
struct __attribute__((packed)) S { u64 a : 50, b : 50, c : 50; };
struct __attribute__((packed)) T { unsigned a : 3; u64 b : 61; signed c : 7; short d; u64 e : 33; long long f : 40; };
struct __attribute__((packed)) U { char x; u64 a : 63, b : 63, c : 63, d : 63; char y; };
struct W { u64 a : 40; u64 b : 40; unsigned c : 5; };
struct __attribute__((packed)) V { bool a : 1; u64 b : 64; bool c : 1; int d : 32; long long e : 64; };
__device__ S gs; __device__ T gt; __device__ U gu; __device__ W gw; __device__ V gv;
__global__ void k(u64 *o, u64 x)
{
	gs.a = x; gs.b = x * 3; gs.c = x * 7; gs.b += gs.c >> 3; o[0] = gs.a; o[1] = gs.b; o[2] = gs.c;
	gt.a = x; gt.b = x * 5; gt.c = x; gt.d = -5; gt.e = x * 11; gt.f = -(long long)(x * 13); o[3] = gt.a; o[4] = gt.b; o[5] = gt.c; o[6] = gt.d; o[7] = gt.e; o[8] = gt.f;
	gu.x = 1; gu.a = x; gu.b = ~x; gu.c = x * 3; gu.d = x * 9; gu.y = 2; gu.c ^= gu.b; o[9] = gu.a; o[10] = gu.b; o[11] = gu.c; o[12] = gu.d; o[13] = gu.x + gu.y;
	gw.a = x; gw.b = x * 3; gw.c = x; o[14] = gw.a + gw.b + gw.c;
	gv.a = 1; gv.b = x; gv.c = 1; gv.d = -7; gv.e = ~x; gv.b++; o[15] = gv.a; o[16] = gv.b; o[17] = gv.c; o[18] = gv.d; o[19] = gv.e;
}
int main() { u64 *o, h[20]; cudaMalloc(&o, sizeof h); k<<<1, 1>>>(o, 0x123456789abcdefull); cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost); for (u64 w : h) printf("%llx\n", w); printf("%zu %zu %zu %zu %zu\n", sizeof(S), sizeof(T), sizeof(U), sizeof(W), sizeof(V));
unsigned char raw[64]; cudaMemcpyFromSymbol(raw, gs, sizeof(S)); for (size_t i = 0; i < sizeof(S); i++) printf("%02x", raw[i]); puts(""); cudaMemcpyFromSymbol(raw, gu, sizeof(U)); for (size_t i = 0; i < sizeof(U); i++) printf("%02x", raw[i]); puts(""); cudaMemcpyFromSymbol(raw, gt, sizeof(T)); for (size_t i = 0; i < sizeof(T); i++) printf("%02x", raw[i]); puts("");cudaMemcpyFromSymbol(raw, gv, sizeof(V)); for (size_t i = 0; i < sizeof(V); i++) printf("%02x", raw[i]); puts(""); }
