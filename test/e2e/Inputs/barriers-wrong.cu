/* What is not there. */
#include <cooperative_groups.h>
#include <cuda/atomic>

struct wide {
	int word[3];
};

__global__ void wrong(wide *at)
{
	wide value = {};
#ifdef WIDE
	cuda::atomic_ref<wide>(*at).store(value);
#else
	auto tile = cooperative_groups::tiled_partition<1024>(cooperative_groups::this_thread_block());
	tile.sync();
#endif
}
