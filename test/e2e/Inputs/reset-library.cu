// A library with variables, used and closed before a reset: its managed ones are no memory any more.
#include <cstdio>
#ifdef LIBRARY
__managed__ int shared = 7;
__device__ int own = 5, *pointer = &own;

__global__ void add()
{
	shared += ++*pointer;
}

extern "C" int use()
{
	add<<<1, 1>>>();
	return cudaDeviceSynchronize() == cudaSuccess && shared == 13;
}
#else
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW);
	auto use = (int (*)())dlsym(library, "use");
	int *memory, used = use();
	dlclose(library);
	bool reset = cudaDeviceReset() == cudaSuccess, after = cudaMalloc(&memory, 4) == cudaSuccess;
	printf("library: %s\n", used && reset && after ? "PASSED" : "FAILED");
}
#endif
