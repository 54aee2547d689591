/* Two blocks of a warp; each copies 1 KB to shared memory in bulk, waits for it, and copies it back in bulk. */
#include <cstdint>

__global__ void there_and_back(const int *in, int *out)
{
	__shared__ alignas(128) int data[256];
	__shared__ alignas(8) uint64_t barrier;
	uint32_t to = (uint32_t)__cvta_generic_to_shared(data), arrived = (uint32_t)__cvta_generic_to_shared(&barrier);
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(arrived) : "memory");
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" :: "r"(arrived) : "memory");
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
			     :: "r"(to), "l"(in + 256 * blockIdx.x), "r"(arrived) : "memory");
		uint32_t over;
		do
			asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
				     : "=r"(over) : "r"(arrived) : "memory");
		while (!over);
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;"
			     :: "l"(out + 256 * blockIdx.x), "r"(to) : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
	}
}

int main()
{
	int *in, *out, got[512];
	cudaMalloc(&in, sizeof got);
	cudaMalloc(&out, sizeof got);
	cudaMemset(in, 1, sizeof got);
	there_and_back<<<2, 32>>>(in, out);
	cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
	for (int value : got)
		if (value != 0x01010101)
			return 1;
	return 0;
}
