/* Lanes of one warp take turns with a lock. Who has it asks which lanes are active, and goes on with those: nobody else
 * comes before the lock is free. */
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

enum { THREADS = 128, TILE = 64 };

template <class F> __device__ void locked(int *lock, F change)
{
	bool done = false;
	while (!done)
		if (atomicCAS(lock, 0, 1) == 0) {
			change();
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
}

__device__ void add(unsigned *sum, unsigned more)
{
	*(volatile unsigned *)sum = *(volatile unsigned *)sum + more;
}

__global__ void active(int *lock, unsigned *sum)
{
	locked(lock, [=] { add(sum, __popc(__activemask())); });
}

__global__ void active_ptx(int *lock, unsigned *sum)
{
	locked(lock, [=] {
		unsigned lanes;
		asm volatile("activemask.b32 %0;" : "=r"(lanes));
		add(sum, __popc(lanes));
	});
}

__global__ void coalesced(int *lock, unsigned *sum)
{
	locked(lock, [=] {
		cg::coalesced_group group = cg::coalesced_threads();
		group.sync();
		add(sum, group.shfl(group.size(), 0) + group.thread_rank());
	});
}

__global__ void labeled(int *lock, unsigned *sum)
{
	locked(lock, [=] { add(sum, cg::labeled_partition(cg::coalesced_threads(), (int)threadIdx.x).size()); });
}

__global__ void matched(int *lock, unsigned *sum)
{
	locked(lock, [=] {
		int all;
		unsigned any = __match_any_sync(__activemask(), threadIdx.x);
		add(sum, __popc(any & __match_all_sync(__activemask(), threadIdx.x, &all)) + !all);
	});
}

__global__ void shuffled(int *lock, unsigned *sum)
{
	locked(lock, [=] {
		unsigned lanes = __activemask();
		add(sum, __shfl_sync(lanes, __popc(lanes), __ffs(lanes) - 1) + !__any_sync(lanes, 1));
	});
}

__global__ void reduced(int *lock, unsigned *sum)
{
#if __CUDA_ARCH__ >= 800
	locked(lock, [=] { add(sum, __reduce_add_sync(__activemask(), 1u)); });
#else
	locked(lock, [=] { add(sum, 1); });
#endif
}

__global__ void allocated(int *lock, unsigned *sum)
{
	locked(lock, [=] {
		unsigned *one = (unsigned *)malloc(sizeof(*one));
		*(volatile unsigned *)one = 1;
		add(sum, *(volatile unsigned *)one);
		free(one);
	});
}

__global__ void printed(int *lock, unsigned *sum)
{
	locked(lock, [=] { add(sum, printf("") == 0); });
}

/* The first lane to have the lock is ahead of those that wait for it; a tile's votes are for all of its lanes. */
__global__ void tiles(int *lock, unsigned *sum)
{
	__shared__ cg::block_tile_memory<THREADS> memory;
	cg::thread_block_tile<TILE, cg::thread_block> tile =
		cg::tiled_partition<TILE>(cg::this_thread_block(memory));
	while (atomicCAS(lock, 0, 1))
		;
	__threadfence();
	add(sum, 1);
	__threadfence();
	atomicExch(lock, 0);
	bool any = tile.any(threadIdx.x % 32 == 31), all = tile.all(threadIdx.x % 32 != 31);
	if (!any || all)
		atomicAdd(sum, 1000u);
}

static bool ok = true;

static void run(const char *name, void (*kernel)(int *, unsigned *))
{
	unsigned *words, found[2] = {};
	cudaMalloc(&words, sizeof(found));
	cudaMemset(words, 0, sizeof(found));
	kernel<<<1, THREADS>>>((int *)words + 1, words);
	cudaError_t error = cudaMemcpy(found, words, sizeof(found), cudaMemcpyDeviceToHost);
	if (error || found[0] != THREADS)
		printf("%s: %u, %s\n", name, found[0], cudaGetErrorString(error));
	ok &= !error && found[0] == THREADS;
}

int main()
{
	run("active", active);
	run("active_ptx", active_ptx);
	run("coalesced", coalesced);
	run("labeled", labeled);
	run("matched", matched);
	run("shuffled", shuffled);
	run("reduced", reduced);
	run("allocated", allocated);
	run("printed", printed);
	run("tiles", tiles);
	printf("%s\n", ok ? "right" : "wrong");
	return !ok;
}
