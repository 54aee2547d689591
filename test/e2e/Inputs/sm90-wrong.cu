// What came with sm_90 and is not modelled, or is no form of it.
__global__ void wrong(int *p)
{
	__shared__ alignas(16) unsigned long long bar;
	unsigned a = (unsigned)__cvta_generic_to_shared(&bar), rank;
#if WRONG == 1
	asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared::cluster.b64 q, [%0], 0; }" ::"r"(a));
#elif WRONG == 2
	asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%0], [%1, {%0, %0, %0}], [%0], {%2};" ::"r"(a), "l"(p), "h"((short)0));
#elif WRONG == 3
	asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u16 [%0], %1, [%0];" ::"r"(a), "h"((short)1));
#elif WRONG == 4
	asm volatile("setmaxnreg.inc.sync.aligned.u32 128;");
#elif WRONG == 5
	asm volatile("mov.u32 %0, %%cluster_tiles;" : "=r"(rank));
#elif WRONG == 6
	asm volatile("multimem.red.global.add.u32 [%0], %1;" ::"l"(p), "r"(a));
#elif WRONG == 7
	asm volatile("wgmma.fence.sync.aligned;");
#elif WRONG == 8
	asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%0], %1, [%0];" ::"r"(a), "f"(1.0f));
#elif WRONG == 9
	asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%0, %0, %0, %0, %0}], [%0];" ::"r"(a), "l"(p));
#elif WRONG == 10
	asm volatile("setmaxnreg.inc.sync.aligned.u32 20;");
#elif WRONG == 11
	asm volatile("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0, %0}, %1, %1, 1;" : "+r"(rank) : "l"(0ull));
#endif
#ifdef __CUDA_ARCH__
	p[0] = __CUDA_ARCH__;
#endif
}

int main()
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	wrong<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	return *p / 10 - ARCHITECTURE;
}
