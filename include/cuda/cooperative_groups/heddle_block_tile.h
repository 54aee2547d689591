/*
 * Cooperative groups: tiles of 64 to 512 threads, which are whole warps of a block (part of cooperative_groups.h). They
 * meet at barriers in shared memory and exchange values through it, a few bytes for each warp of the block.
 */
#ifndef _COOPERATIVE_GROUPS_HEDDLE_BLOCK_TILE
#define _COOPERATIVE_GROUPS_HEDDLE_BLOCK_TILE

namespace details
{
enum {
	most_warps = 32,      /* of a block */
	most_tiles = 16 + 8 + 4 + 2 /* of 64, 128, 256 and 512 threads */
};
template <bool _Wide> struct is_wide {
};

struct tile_barrier {
	unsigned int arrived; /* warps */
	volatile unsigned int passed;
};
struct tile_memory {
	unsigned long long slots[most_warps];
	tile_barrier barriers[most_tiles];
};
/* One for all kernels of a source. */
HD_HERE tile_memory &tiles()
{
	static __shared__ tile_memory memory;
	return memory;
}

template <unsigned int _Size> class block_tile : public tile<_Size>
{
	/* Those of larger tiles come behind those of smaller ones. */
	HD_HERE static tile_barrier &barrier()
	{
		return tiles().barriers[most_tiles + 2 - 2048 / _Size + thread_in_block() / _Size];
	}
	HD_HERE static unsigned int first_warp()
	{
		return thread_in_block() / _Size * (_Size / 32);
	}
	HD_HERE static unsigned long long &slot(unsigned int warp)
	{
		return tiles().slots[first_warp() + warp];
	}

      public:
	using tile<_Size>::tile;
	using tile<_Size>::thread_rank;

	HD_HERE static void prepare()
	{
		if (thread_rank() == 0) {
			barrier().arrived = 0;
			barrier().passed = 0;
		}
	}
	/* The last tile of a block may be short. */
	HD_HERE static unsigned int warps()
	{
		unsigned int rest = (threads_of_block() + 31) / 32 - first_warp();
		return rest < _Size / 32 ? rest : _Size / 32;
	}
	HD_HERE static unsigned int warp_rank()
	{
		return thread_rank() / 32;
	}
	HD_HERE static void sync()
	{
		__syncwarp();
		if (lane() == 0) {
			tile_barrier &here = barrier();
			unsigned int passed = here.passed;
			__threadfence_block();
			if (atomicAdd(&here.arrived, 1u) == warps() - 1) {
				here.arrived = 0;
				__threadfence_block();
				here.passed = passed + 1;
			} else {
				while (here.passed == passed)
					;
			}
			__threadfence_block();
		}
		__syncwarp();
	}

	/* Of a value that each warp has: those of the tile's first `count` warps, combined in their order; T() of none. */
	template <typename _T, typename _Op> HD_HERE _T across(_T value, _Op op, unsigned int count) const
	{
		static_assert(sizeof(_T) <= 8, "tiles of more than 32 threads exchange values of up to 8 bytes");
		_T out = _T();
		if (lane() == 0)
			memcpy(&slot(warp_rank()), &value, sizeof(_T));
		sync();
		for (unsigned int warp = 0; warp < count; warp++) {
			_T other;
			memcpy(&other, &slot(warp), sizeof(_T));
			out = warp ? op(out, other) : other;
		}
		sync();
		return out;
	}
	template <typename _T> HD_HERE _T from_warp_before(_T value) const
	{
		unsigned int before = warp_rank();
		return across(
			value, [](_T, _T last) { return last; }, before);
	}

	template <typename _T> HD_HERE _T shfl(HD_MAYBE_UNDEF _T value, unsigned int rank) const
	{
		static_assert(sizeof(_T) <= 8, "tiles of more than 32 threads exchange values of up to 8 bytes");
		_T out;
		if (thread_rank() == (rank & (_Size - 1)))
			memcpy(&slot(0), &value, sizeof(_T));
		sync();
		memcpy(&out, &slot(0), sizeof(_T));
		sync();
		return out;
	}
	HD_HERE int any(HD_MAYBE_UNDEF int predicate) const
	{
		return across(
			__any_sync(0xffffffff, predicate), [](int a, int b) { return a | b; }, warps());
	}
	HD_HERE int all(HD_MAYBE_UNDEF int predicate) const
	{
		return across(
			__all_sync(0xffffffff, predicate), [](int a, int b) { return a & b; }, warps());
	}
};

/* All threads of the parent take part, so that nobody is in a barrier that is prepared anew. */
template <unsigned int _Size, typename _G> HD_HERE void prepare(const _G &parent, is_wide<true>)
{
	parent.sync();
	block_tile<_Size>::prepare();
	parent.sync();
}
template <unsigned int _Size, typename _G> HD_HERE void prepare(const _G &, is_wide<false>)
{
}
} // namespace details

#endif
