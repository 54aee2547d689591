// A barrier whose bytes are never expected, one that is none, and ones with more arrivals than they can have.
#include <cstdio>

__global__ void hang(int which)
{
	__shared__ alignas(8) unsigned long long bar[2];
	unsigned a = (unsigned)__cvta_generic_to_shared(bar + 1);
	if (which == 3) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1048575;" ::"r"(a) : "memory");
		asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(a) : "memory");
		return;
	}
	if (which != 1)
		asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(a) : "memory");
	if (which == 2) {
		asm volatile("mbarrier.arrive.shared.b64 _, [%0], 3;" ::"r"(a) : "memory");
		return;
	}
	asm volatile("mbarrier.arrive.shared.b64 _, [%0], 1;" ::"r"(a) : "memory");
	asm volatile("mbarrier.complete_tx.shared::cta.b64 [%0], 32;" ::"r"(a) : "memory");
	asm volatile("{\n.reg .pred P;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 P, [%0], 0;\n@!P bra AGAIN;\n}" ::"r"(a) : "memory");
}

int main(int argc, char **)
{
	hang<<<1, 1>>>(argc - 1);
	printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
