// What of asynchronous copies is refused.
__global__ void wrong(int *from)
{
	__shared__ __align__(16) int to[4];
	unsigned at = (unsigned)__cvta_generic_to_shared(to);
#if WRONG == 1
	asm volatile("cp.async.ca.shared.global [%0], [%1], 12;" ::"r"(at), "l"(from));
#elif WRONG == 2
	asm volatile("cp.async.cg.shared.global [%0], [%1], 8;" ::"r"(at), "l"(from));
#elif WRONG == 3
	asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at));
#elif WRONG == 4
	asm volatile("cp.async.ca.shared.global [%0], [%1+4], 8;" ::"r"(at), "l"(from));
	asm volatile("cp.async.wait_all;");
#elif WRONG == 5
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at + 16384), "l"(from));
#endif
}

int main()
{
	int *memory;
	cudaMalloc(&memory, 4096);
	wrong<<<1, 32>>>(memory);
	return cudaDeviceSynchronize() != cudaSuccess;
}
