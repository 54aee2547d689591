/* Products of matrices that there are not, each by its number. */
__global__ void wrong(unsigned *x, float *f)
{
#if WRONG == 1
	asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%0,%1}, {%0,%1}, {%0,%1}, %0, 0x4;" : "+r"(x[0]), "+r"(x[1]));
#elif WRONG == 2
	asm volatile("wgmma.fence.sync.aligned;");
#elif WRONG == 3
	asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(x[0]));
#elif WRONG == 4
	asm volatile("mma.sync.aligned.m16n8k16.row.row.f16.f16.f16.f16 {%0,%1}, {%0,%1,%0,%1}, {%0,%1}, {%0,%1};" : "+r"(x[0]), "+r"(x[1]));
#elif WRONG == 5
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%0,%1}, {%0,%1}, {%0,%1};" : "+r"(x[0]), "+r"(x[1]));
#elif WRONG == 6
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {%0,%1,%2,%3,%0,%1,%2,%3}, {%4,%4}, {%4,%4}, {%4,%4,%4,%4};" : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(x[0]));
#elif WRONG == 7
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(x[2]));
#elif WRONG == 8
	asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0,%1}, [%2], %3;" : "=r"(x[0]), "=r"(x[1]) : "l"(x), "r"(16));
#elif WRONG == 9
	asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.f16.f16.f16.f16 {%0,%1}, {%0,%1,%0,%1}, {%0,%1}, {%0,%1};" : "+r"(x[0]), "+r"(x[1]));
#elif WRONG == 10
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%0,%1}, {%0}, {%0,%1};" : "+r"(x[0]), "+r"(x[1]));
#elif WRONG == 11
	asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, {%0,%1}, {%0,%1}, {%0,%1,%2,%3}, %0, 0;" : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]));
#elif WRONG == 12
	asm volatile("wmma.load.b.sync.aligned.row.m8n8k32.s4 {%0}, [%1], %2;" : "=r"(x[0]) : "l"(x), "r"(32));
#elif WRONG == 13
	asm volatile("mma.sync.aligned.m16n8k8.row.col.s32.s8.s8.s32 {%0,%1}, {%0,%1}, {%0}, {%0,%1};" : "+r"(x[0]), "+r"(x[1]));
#endif
#ifdef PART
	if (threadIdx.x < 20)
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, {%0,%1}, {%0,%1}, {%0,%1,%2,%3};" : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]));
#endif
}

int main()
{
	unsigned *x;
	cudaMalloc(&x, 64);
	wrong<<<1, 32>>>(x, (float *)x);
	return cudaDeviceSynchronize() != cudaSuccess;
}
