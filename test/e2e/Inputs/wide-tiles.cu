/* Tiles of several warps: barriers of their own, values across warps, tiles of tiles. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;
static int failures;
#define EXPECT(condition) (condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition))

/* Each tile meets more often than the tile before it, which __syncthreads could not. */
template <unsigned int Size> __global__ void meet(int *out)
{
	__shared__ cg::block_tile_memory<1024> memory;
	__shared__ int data[1024];
	auto block = cg::this_thread_block(memory);
	auto tile = cg::tiled_partition<Size>(block);
	int t = block.thread_rank(), sum = 0;
	for (unsigned int r = 0; r <= tile.meta_group_rank(); r++) {
		data[t] = t * (r + 1);
		tile.sync();
		sum += data[tile.meta_group_rank() * Size + (tile.thread_rank() + 33) % Size];
		tile.sync();
	}
	out[t] = sum;
	if (tile.size() != Size || tile.meta_group_size() != blockDim.x / Size)
		out[t] = -1;
}

template <unsigned int Size> __global__ void values(int *out, float *real)
{
	auto block = cg::this_thread_block();
	cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
	int t = block.thread_rank(), rank = tile.thread_rank();
	out += 8 * t;
	out[0] = tile.shfl(t, Size - 3);
	out[1] = tile.any(rank == Size - 1 && tile.meta_group_rank() == 1);
	out[2] = tile.all(tile.meta_group_rank() == 0 || rank != 40);
	out[3] = cg::reduce(tile, t, cg::plus<int>());
	out[4] = cg::reduce(tile, (t * 7919) % 1009, cg::greater<int>());
	out[5] = cg::inclusive_scan(tile, rank + 1);
	out[6] = cg::exclusive_scan(tile, rank + 1);
	out[7] = (int)cg::reduce(tile, (long long)t << 20, cg::plus<long long>()) + cg::invoke_one_broadcast(tile, [&] { return rank + 5; });
	real[t] = cg::reduce(tile, t * 0.5f, cg::plus<float>());
}

/* A block that ends in a tile, and in a warp. */
__global__ void partial(int *out)
{
	auto tile = cg::tiled_partition<128>(cg::this_thread_block());
	int t = threadIdx.x;
	tile.sync();
	int sum = cg::reduce(tile, t, cg::plus<int>());
	out[t] = sum * 1000 + cg::inclusive_scan(tile, 1);
}

__global__ void nested(int *out)
{
	auto block = cg::this_thread_block();
	auto big = cg::tiled_partition<256>(block);
	for (int i = 0; i < 2; i++) {
		auto half = cg::tiled_partition<64>(big);
		auto warp = cg::tiled_partition<32>(half);
		int sum = cg::reduce(warp, (int)threadIdx.x, cg::plus<int>());
		int both = half.shfl(sum, 0) + half.shfl(sum, 32);
		int rank = half.meta_group_rank() * 100 + warp.meta_group_rank() * 10 + half.meta_group_size();
		out[threadIdx.x] = big.shfl(both, 200) + 10000 * rank + i;
	}
	auto token = block.barrier_arrive();
	block.barrier_wait(static_cast<decltype(token) &&>(token));
}

template <unsigned int Size> static void check(int *out, float *real, int threads)
{
	meet<Size><<<1, threads>>>(out);
	cudaDeviceSynchronize();
	for (int t = 0; t < threads; t++) {
		int tile = t / Size, other = tile * Size + (t % Size + 33) % Size;
		EXPECT(out[t] == other * (tile + 1) * (tile + 2) / 2);
	}
	values<Size><<<1, threads>>>(out, real);
	cudaDeviceSynchronize();
	for (int t = 0; t < threads; t++) {
		int tile = t / Size, first = tile * Size, n = Size, sum = n * first + n * (n - 1) / 2, most = 0;
		int rank = t - first, *o = out + 8 * t;
		for (int i = first; i < first + n; i++)
			most = most > i * 7919 % 1009 ? most : i * 7919 % 1009;
		EXPECT(o[0] == first + n - 3 && o[1] == (tile == 1) && o[2] == (tile == 0) && o[3] == sum && o[4] == most);
		EXPECT(o[5] == (rank + 1) * (rank + 2) / 2 && o[6] == rank * (rank + 1) / 2);
		EXPECT(o[7] == (int)((long long)sum << 20) + 5 && real[t] == sum * 0.5f);
	}
}

int main()
{
	int *out;
	float *real;
	cudaMallocManaged(&out, 8 * 1024 * sizeof *out);
	cudaMallocManaged(&real, 1024 * sizeof *real);
	check<64>(out, real, 256);
	check<128>(out, real, 256);
	check<256>(out, real, 512);
	check<512>(out, real, 1024);
	partial<<<1, 200>>>(out);
	cudaDeviceSynchronize();
	for (int t = 0; t < 200; t++)
		EXPECT(out[t] == (t < 128 ? 128 * 127 / 2 : 200 * 199 / 2 - 128 * 127 / 2) * 1000 + t % 128 + 1);
	nested<<<1, 512>>>(out);
	cudaDeviceSynchronize();
	for (int t = 0; t < 512; t++) {
		int first = t / 256 * 256 + 192, both = 64 * first + 64 * 63 / 2;
		EXPECT(out[t] == both + 10000 * (t % 256 / 64 * 100 + t % 64 / 32 * 10 + 4) + 1);
	}
	EXPECT(cudaGetLastError() == cudaSuccess);
	printf(failures ? "FAILED\n" : "wide tiles: PASSED\n");
	return failures != 0;
}
