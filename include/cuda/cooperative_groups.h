/*
 * Cooperative groups: the grid, clusters of blocks, thread blocks, tiles of up to 512 threads, and coalesced groups. Written from the
 * documented interface. There is one device, so that multi_grid_group is not there.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#define HD_HERE __device__ __forceinline__

namespace cooperative_groups
{
/* In a namespace of this name, as NVIDIA's: CCCL declares groups there before it knows this header. */
namespace __v1
{
namespace details
{
HD_HERE unsigned int thread_in_block()
{
	return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HD_HERE unsigned int threads_of_block()
{
	return blockDim.x * blockDim.y * blockDim.z;
}
HD_HERE unsigned int lane()
{
	return thread_in_block() & 31;
}
HD_HERE unsigned int lanes_below()
{
	return (1u << lane()) - 1;
}
/* The lane of the thread that has this rank among those of the mask. */
HD_HERE unsigned int lane_of(unsigned int mask, unsigned int rank)
{
	for (; rank && mask; rank--)
		mask &= mask - 1;
	return mask ? __ffs(mask) - 1 : lane();
}
/* The lanes of a mask that have ranks from `first` on. */
HD_HERE unsigned int lanes_ranked(unsigned int mask, unsigned int first, unsigned int count)
{
	unsigned int lanes = 0;
	for (unsigned int rank = 0; mask; mask &= mask - 1, rank++)
		lanes |= rank >= first && rank < first + count ? mask & -mask : 0;
	return lanes;
}
/* The bits of the mask's lanes, moved together. */
HD_HERE unsigned int packed(unsigned int mask, unsigned int bits)
{
	unsigned int out = 0;
	for (unsigned int at = 0; mask; mask &= mask - 1, at++)
		out |= (bits >> (__ffs(mask) - 1) & 1) << at;
	return out;
}
/* A value of any trivially copied type from another lane of the mask, word by word. */
template <typename _T> HD_HERE _T from_lane(unsigned int mask, const _T &value, unsigned int source)
{
	static_assert(sizeof(_T) <= 32, "shuffles take values of up to 32 bytes");
	unsigned int words[(sizeof(_T) + 3) / 4] = {};
	_T out;
	memcpy(words, &value, sizeof(_T));
	for (unsigned int i = 0; i < (sizeof(_T) + 3) / 4; i++)
		words[i] = __shfl_sync(mask, words[i], (int)source, 32);
	memcpy(&out, words, sizeof(_T));
	return out;
}
} // namespace details

class thread_group;
class coalesced_group;
template <typename _G> HD_HERE coalesced_group labeled_partition(const _G &parent, int label);
template <typename _G> HD_HERE coalesced_group binary_partition(const _G &parent, bool label);
namespace details
{
HD_HERE thread_group of_lanes(unsigned int lanes, unsigned int threads);
}

/* ---- a handle for any group within a block ---- */

class thread_group
{
      public:
	thread_group() = default;
	HD_HERE void sync() const
	{
		if (whole)
			__syncthreads();
		else
			__syncwarp(mask);
	}
	HD_HERE unsigned long long size() const
	{
		return count;
	}
	HD_HERE unsigned long long num_threads() const
	{
		return count;
	}
	HD_HERE unsigned long long thread_rank() const
	{
		return whole ? details::thread_in_block() : (unsigned int)__popc(mask & details::lanes_below());
	}
	HD_HERE bool is_valid() const
	{
		return true;
	}

      protected:
	HD_HERE thread_group(bool block, unsigned int lanes, unsigned int threads)
		: mask(lanes), count(threads), whole(block)
	{
	}
	friend HD_HERE thread_group tiled_partition(const thread_group &parent, unsigned int size);
	friend HD_HERE thread_group details::of_lanes(unsigned int lanes, unsigned int threads);
	unsigned int mask, count;
	bool whole;
};

HD_HERE thread_group details::of_lanes(unsigned int lanes, unsigned int threads)
{
	return thread_group(false, lanes, threads);
}

class thread_block : public thread_group
{
	HD_HERE thread_block() : thread_group(true, ~0u, details::threads_of_block())
	{
	}
	friend HD_HERE thread_block this_thread_block();

      public:
	HD_HERE static void sync()
	{
		__syncthreads();
	}
	HD_HERE static unsigned int size()
	{
		return details::threads_of_block();
	}
	HD_HERE static unsigned int num_threads()
	{
		return details::threads_of_block();
	}
	HD_HERE static unsigned int thread_rank()
	{
		return details::thread_in_block();
	}
	HD_HERE static dim3 group_index()
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
	HD_HERE static dim3 thread_index()
	{
		return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
	}
	HD_HERE static dim3 group_dim()
	{
		return dim3(blockDim.x, blockDim.y, blockDim.z);
	}
	HD_HERE static dim3 dim_threads()
	{
		return group_dim();
	}
	/* Waits for all that the two together wait for. */
	struct arrival_token {
	};
	HD_HERE static arrival_token barrier_arrive()
	{
		return arrival_token();
	}
	HD_HERE static void barrier_wait(arrival_token &&)
	{
		__syncthreads();
	}
};

HD_HERE thread_block this_thread_block()
{
	return thread_block();
}

/* Tiles of several warps have memory of their own. */
template <unsigned int _MaxBlockSize = 1024> struct block_tile_memory {
	unsigned int unused;
};
template <unsigned int _MaxBlockSize> HD_HERE thread_block this_thread_block(block_tile_memory<_MaxBlockSize> &)
{
	return this_thread_block();
}

/* ---- the grid ---- */

namespace details
{
/* Blocks that have arrived at the barrier of the grid, and how many barriers there were. */
static __device__ unsigned int grid_arrived;
static __device__ volatile unsigned int grid_barriers;
} // namespace details

class grid_group
{
	grid_group() = default;
	friend HD_HERE grid_group this_grid();

      public:
	/* All blocks must be resident, which cudaLaunchCooperativeKernel makes sure of; others would wait for ever. */
	HD_HERE static void sync()
	{
		__syncthreads();
		if (details::thread_in_block() == 0) {
			unsigned int barrier = details::grid_barriers;
			__threadfence();
			if (atomicAdd(&details::grid_arrived, 1u) == num_blocks() - 1) {
				details::grid_arrived = 0;
				__threadfence();
				details::grid_barriers = barrier + 1;
			} else {
				while (details::grid_barriers == barrier)
					;
			}
			__threadfence();
		}
		__syncthreads();
	}
	/* A thread cannot tell how its kernel was launched. */
	HD_HERE static bool is_valid()
	{
		return true;
	}
	HD_HERE static unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	HD_HERE static unsigned long long block_rank()
	{
		return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	}
	HD_HERE static unsigned long long size()
	{
		return num_blocks() * details::threads_of_block();
	}
	HD_HERE static unsigned long long num_threads()
	{
		return size();
	}
	HD_HERE static unsigned long long thread_rank()
	{
		return block_rank() * details::threads_of_block() + details::thread_in_block();
	}
	HD_HERE static dim3 dim_blocks()
	{
		return dim3(gridDim.x, gridDim.y, gridDim.z);
	}
	HD_HERE static dim3 group_dim()
	{
		return dim_blocks();
	}
	HD_HERE static dim3 block_index()
	{
		return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
	}
};

HD_HERE grid_group this_grid()
{
	return grid_group();
}

/* ---- the blocks of a cluster (sm_90) ---- */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
class cluster_group
{
	cluster_group() = default;
	friend HD_HERE cluster_group this_cluster();

      public:
	struct arrival_token {
	};
	HD_HERE static void sync()
	{
		barrier_wait(barrier_arrive());
	}
	HD_HERE static arrival_token barrier_arrive()
	{
		asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
		return arrival_token();
	}
	HD_HERE static void barrier_wait()
	{
		asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
	}
	HD_HERE static void barrier_wait(arrival_token &&)
	{
		asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
	}
	HD_HERE static unsigned int query_shared_rank(const void *address)
	{
		return __cluster_query_shared_rank(address);
	}
	template <typename _T> HD_HERE static _T *map_shared_rank(_T *address, int rank)
	{
		return (_T *)__cluster_map_shared_rank((const void *)address, (unsigned int)rank);
	}
	HD_HERE static dim3 block_index()
	{
		return __clusterRelativeBlockIdx();
	}
	HD_HERE static unsigned int block_rank()
	{
		return __clusterRelativeBlockRank();
	}
	HD_HERE static dim3 thread_index()
	{
		dim3 block = block_index();
		return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
			    block.z * blockDim.z + threadIdx.z);
	}
	HD_HERE static unsigned int thread_rank()
	{
		return block_rank() * details::threads_of_block() + details::thread_in_block();
	}
	HD_HERE static dim3 dim_blocks()
	{
		return __clusterDim();
	}
	HD_HERE static unsigned int num_blocks()
	{
		return __clusterSizeInBlocks();
	}
	HD_HERE static dim3 dim_threads()
	{
		dim3 blocks = dim_blocks();
		return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
	}
	HD_HERE static unsigned int num_threads()
	{
		return num_blocks() * details::threads_of_block();
	}
	HD_HERE static unsigned int size()
	{
		return num_threads();
	}
};

HD_HERE cluster_group this_cluster()
{
	return cluster_group();
}
#endif

/* ---- groups within a warp ---- */

/* The threads of a mask; ranks count its lanes. What coalesced groups and tiles of a size known at run time share. */
class coalesced_group : public thread_group
{
	HD_HERE explicit coalesced_group(unsigned int lanes) : thread_group(false, lanes, (unsigned int)__popc(lanes))
	{
	}
	friend HD_HERE coalesced_group coalesced_threads();
	friend HD_HERE coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size);
	template <typename _G> friend HD_HERE coalesced_group labeled_partition(const _G &parent, int label);
	template <typename _G> friend HD_HERE coalesced_group binary_partition(const _G &parent, bool label);
	unsigned int above_rank = 0, parts = 1;

	HD_HERE unsigned int lanes() const
	{
		return mask;
	}

      public:
	HD_HERE unsigned int size() const
	{
		return count;
	}
	HD_HERE unsigned int num_threads() const
	{
		return count;
	}
	HD_HERE unsigned int thread_rank() const
	{
		return (unsigned int)__popc(mask & details::lanes_below());
	}
	HD_HERE void sync() const
	{
		__syncwarp(mask);
	}
	HD_HERE unsigned int meta_group_rank() const
	{
		return above_rank;
	}
	HD_HERE unsigned int meta_group_size() const
	{
		return parts;
	}
	template <typename _T> HD_HERE _T shfl(HD_MAYBE_UNDEF _T value, unsigned int rank) const
	{
		return details::from_lane(mask, value, details::lane_of(mask, rank));
	}
	template <typename _T> HD_HERE _T shfl_up(HD_MAYBE_UNDEF _T value, unsigned int delta) const
	{
		unsigned int rank = thread_rank();
		return shfl(value, rank >= delta ? rank - delta : rank);
	}
	template <typename _T> HD_HERE _T shfl_down(HD_MAYBE_UNDEF _T value, unsigned int delta) const
	{
		unsigned int rank = thread_rank();
		return shfl(value, rank + delta < count ? rank + delta : rank);
	}
	HD_HERE int any(HD_MAYBE_UNDEF int predicate) const
	{
		return __ballot_sync(mask, predicate) != 0;
	}
	HD_HERE int all(HD_MAYBE_UNDEF int predicate) const
	{
		return __ballot_sync(mask, predicate) == mask;
	}
	HD_HERE unsigned int ballot(HD_MAYBE_UNDEF int predicate) const
	{
		return details::packed(mask, __ballot_sync(mask, predicate));
	}
	template <typename _T> HD_HERE unsigned int match_any(HD_MAYBE_UNDEF _T value) const
	{
		return details::packed(mask, __match_any_sync(mask, value));
	}
	template <typename _T> HD_HERE unsigned int match_all(HD_MAYBE_UNDEF _T value, int &same) const
	{
		return details::packed(mask, __match_all_sync(mask, value, &same));
	}
};

HD_HERE coalesced_group coalesced_threads()
{
	return coalesced_group(__activemask());
}

namespace details
{
/* What all tiles of a group know: which one this is, and how many there are. */
template <unsigned int _Size> class tile
{
      public:
	HD_HERE tile(unsigned int rank, unsigned int threads)
	    : above_rank(rank / _Size), parts((threads + _Size - 1) / _Size)
	{
	}
	HD_HERE static constexpr unsigned int size()
	{
		return _Size;
	}
	HD_HERE static constexpr unsigned int num_threads()
	{
		return _Size;
	}
	HD_HERE static unsigned int thread_rank()
	{
		return thread_in_block() & (_Size - 1);
	}
	HD_HERE unsigned int meta_group_rank() const
	{
		return above_rank;
	}
	HD_HERE unsigned int meta_group_size() const
	{
		return parts;
	}

      private:
	unsigned int above_rank, parts;
};

/* Of 1, 2, ... 32 threads. */
template <unsigned int _Size> class warp_tile : public tile<_Size>
{
	template <typename _G> friend HD_HERE coalesced_group __v1::labeled_partition(const _G &parent, int label);
	template <typename _G> friend HD_HERE coalesced_group __v1::binary_partition(const _G &parent, bool label);

	HD_HERE static unsigned int lanes()
	{
		unsigned int present = threads_of_block() - (thread_in_block() & ~31u);
		unsigned int mask = _Size == 32 ? ~0u : ((1u << (_Size & 31)) - 1) << (lane() & ~(_Size - 1));
		return present < 32 ? mask & ((1u << present) - 1) : mask;
	}

      public:
	using tile<_Size>::tile;
	using tile<_Size>::thread_rank;
	HD_HERE operator thread_group() const
	{
		return of_lanes(lanes(), _Size);
	}
	HD_HERE static void sync()
	{
		__syncwarp(lanes());
	}
	template <typename _T> HD_HERE _T shfl(HD_MAYBE_UNDEF _T value, int rank) const
	{
		return from_lane(lanes(), value, (lane() & ~(_Size - 1)) | ((unsigned int)rank & (_Size - 1)));
	}
	template <typename _T> HD_HERE _T shfl_up(HD_MAYBE_UNDEF _T value, unsigned int delta) const
	{
		unsigned int rank = thread_rank();
		return shfl(value, (int)(rank >= delta ? rank - delta : rank));
	}
	template <typename _T> HD_HERE _T shfl_down(HD_MAYBE_UNDEF _T value, unsigned int delta) const
	{
		unsigned int rank = thread_rank();
		return shfl(value, (int)(rank + delta < _Size ? rank + delta : rank));
	}
	template <typename _T> HD_HERE _T shfl_xor(HD_MAYBE_UNDEF _T value, unsigned int mask) const
	{
		unsigned int rank = thread_rank() ^ mask;
		return shfl(value, (int)(rank < _Size ? rank : thread_rank()));
	}
	HD_HERE int any(HD_MAYBE_UNDEF int predicate) const
	{
		return __ballot_sync(lanes(), predicate) != 0;
	}
	HD_HERE int all(HD_MAYBE_UNDEF int predicate) const
	{
		return __ballot_sync(lanes(), predicate) == lanes();
	}
	HD_HERE unsigned int ballot(HD_MAYBE_UNDEF int predicate) const
	{
		return __ballot_sync(lanes(), predicate) >> (lane() & ~(_Size - 1));
	}
	template <typename _T> HD_HERE unsigned int match_any(HD_MAYBE_UNDEF _T value) const
	{
		return __match_any_sync(lanes(), value) >> (lane() & ~(_Size - 1));
	}
	template <typename _T> HD_HERE unsigned int match_all(HD_MAYBE_UNDEF _T value, int &same) const
	{
		return __match_all_sync(lanes(), value, &same) >> (lane() & ~(_Size - 1));
	}
};

template <unsigned int _Size> class block_tile;
template <unsigned int _Size, bool _Wide> struct tile_of {
	typedef warp_tile<_Size> type;
};
template <unsigned int _Size> struct tile_of<_Size, true> {
	typedef block_tile<_Size> type;
};
} // namespace details

#include "cooperative_groups/heddle_block_tile.h"

/* Parent: the group that was divided. */
template <unsigned int _Size, typename _Parent = void>
class thread_block_tile : public details::tile_of<_Size, (_Size > 32)>::type
{
	static_assert(_Size && _Size <= 512 && !(_Size & (_Size - 1)),
		      "tiles have a power of two of up to 512 threads");
	typedef typename details::tile_of<_Size, (_Size > 32)>::type base;
	template <unsigned int _N, typename _G>
	friend HD_HERE thread_block_tile<_N, _G> tiled_partition(const _G &parent);

	HD_HERE thread_block_tile(unsigned int rank, unsigned int threads) : base(rank, threads)
	{
	}

      public:
	template <typename _Other>
	HD_HERE thread_block_tile(const thread_block_tile<_Size, _Other> &other) : base(other)
	{
	}
};

template <unsigned int _N, typename _G> HD_HERE thread_block_tile<_N, _G> tiled_partition(const _G &parent)
{
	details::prepare<_N>(parent, details::is_wide<(_N > 32)>());
	return thread_block_tile<_N, _G>((unsigned int)parent.thread_rank(), (unsigned int)parent.size());
}
/* Of a size known at run time only: a power of two of up to 32, or the whole block. */
HD_HERE thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
	unsigned int first = (unsigned int)parent.thread_rank() & ~(size - 1), lanes = 0;
	if (parent.whole && size >= parent.count)
		return parent;
	if (parent.whole) {
		lanes = (size >= 32 ? ~0u : (1u << size) - 1) << (first & 31);
		unsigned int present = details::threads_of_block() - (details::thread_in_block() & ~31u);
		lanes = present < 32 ? lanes & ((1u << present) - 1) : lanes;
	} else {
		lanes = details::lanes_ranked(parent.mask, first, size);
	}
	return thread_group(false, lanes, (unsigned int)__popc(lanes));
}

HD_HERE coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
	unsigned int first = parent.thread_rank() & ~(size - 1);
	coalesced_group out(details::lanes_ranked(parent.mask, first, size));
	out.above_rank = first / size;
	out.parts = (parent.size() + size - 1) / size;
	return out;
}

/* Threads of a tile or coalesced group that come with the same label; ranks of the parts are in the order of their first
 * threads. */
template <typename _G> HD_HERE coalesced_group labeled_partition(const _G &parent, int label)
{
	unsigned int all = parent.lanes(), own = __match_any_sync(all, label);
	bool first = (own & details::lanes_below()) == 0;
	unsigned int leaders = __ballot_sync(all, first);
	coalesced_group out(own);
	out.parts = (unsigned int)__popc(leaders);
	out.above_rank = (unsigned int)__popc(leaders & ((own & -own) - 1));
	return out;
}
template <typename _G> HD_HERE coalesced_group binary_partition(const _G &parent, bool label)
{
	unsigned int all = parent.lanes(), yes = __ballot_sync(all, label);
	coalesced_group out(label ? yes : all & ~yes);
	out.parts = yes && yes != all ? 2 : 1;
	out.above_rank = label ? 1 : 0;
	return out;
}

/* ---- free functions ---- */

template <typename _G> HD_HERE void sync(const _G &group)
{
	group.sync();
}
template <typename _G> HD_HERE unsigned long long group_size(const _G &group)
{
	return group.size();
}
template <typename _G> HD_HERE unsigned long long thread_rank(const _G &group)
{
	return group.thread_rank();
}
template <typename _G> HD_HERE bool is_valid(const _G &group)
{
	return group.is_valid();
}
HD_HERE thread_block_tile<1> this_thread()
{
	return tiled_partition<1>(this_thread_block());
}

/* One thread of the group calls it, the first. */
template <typename _G, typename _F, typename... _Arguments>
HD_HERE void invoke_one(const _G &group, _F &&function, _Arguments &&...arguments)
{
	if (group.thread_rank() == 0)
		static_cast<_F &&>(function)(static_cast<_Arguments &&>(arguments)...);
}
/* Each gets the result; of groups with shfl. */
template <typename _G, typename _F, typename... _Arguments>
HD_HERE auto invoke_one_broadcast(const _G &group, _F &&function, _Arguments &&...arguments)
	-> decltype(function(static_cast<_Arguments &&>(arguments)...))
{
	decltype(function(static_cast<_Arguments &&>(arguments)...)) result{};
	if (group.thread_rank() == 0)
		result = static_cast<_F &&>(function)(static_cast<_Arguments &&>(arguments)...);
	return group.shfl(result, 0);
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#undef HD_HERE
#endif
