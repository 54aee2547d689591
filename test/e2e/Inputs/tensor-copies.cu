// Copies of boxes of tensors: what is outside, swizzles by the absolute address, one to five dimensions, steps, types, reductions,
// several blocks at once, maps as parameters, constants and in memory, and maps that a kernel changes.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_fp16.h>

// From 12.5 on tensormap.replace takes strides in bytes; code for older compilers gives it 16 bytes as one.
static_assert(__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10 >= 12050 && CUDA_VERSION >= 12050 && CUDART_VERSION == CUDA_VERSION, "");

namespace ptx = cuda::ptx;

typedef unsigned long long barrier_t;
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(barrier_t *bar, unsigned bytes)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.proxy.async.shared::cta;" ::"r"(at(bar)) : "memory");
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
__device__ void wait(barrier_t *bar)
{
	asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], 0;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(at(bar)) : "memory");
}
#define LOAD "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
__device__ void load2(void *to, const CUtensorMap *map, int x, int y, barrier_t *bar)
{
	asm volatile(LOAD ::"r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(bar)) : "memory");
}
__device__ void store2(const CUtensorMap *map, int x, int y, const void *from)
{
	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(at(from)) : "memory");
}
#define FINISH() asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory")

// The words of a box, `offset` bytes behind a multiple of 1024, as they lie in shared memory from that multiple on.
__global__ void box(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes, unsigned offset, unsigned *out, unsigned words)
{
	extern __shared__ __align__(1024) unsigned char tile[];
	__shared__ barrier_t bar;
	for (unsigned i = 0; i < words; i++)
		((unsigned *)tile)[i] = 0xeeeeeeee;
	init(&bar, bytes);
	asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
	load2(tile + offset, &map, x, y, &bar);
	wait(&bar);
	for (unsigned i = 0; i < words; i++)
		out[i] = ((unsigned *)tile)[i];
}

// Sevens into the box, or added to it; then what the box is now comes back with the same swizzle.
__global__ void put(const __grid_constant__ CUtensorMap map, int x, int y, unsigned words, bool adds)
{
	extern __shared__ __align__(1024) unsigned char tile[];
	for (unsigned i = 0; i < words; i++)
		((float *)tile)[i] = 7;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	if (adds)
		asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"(at(tile)) : "memory");
	else
		store2(&map, x, y, tile);
	FINISH();
}

__constant__ CUtensorMap kept;
// Through a swizzled tile from one place to another one of the same tensor.
__global__ void moved(int x)
{
	extern __shared__ __align__(1024) unsigned char tile[];
	__shared__ barrier_t bar;
	init(&bar, 4096);
	load2(tile, &kept, x, 0, &bar);
	wait(&bar);
	store2(&kept, x + 64, 32, tile);
	FINISH();
}

#define COORDINATES2 "{%2, %3}"
template <int D> __global__ void many(const __grid_constant__ CUtensorMap map, int *out, unsigned words)
{
	extern __shared__ __align__(1024) unsigned char tile[];
	__shared__ barrier_t bar;
	init(&bar, 4 * words);
	if (D == 1)
		asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2}], [%3], %4;" ::"r"(at(tile)), "l"(&map), "r"(1), "r"(at(&bar)), "l"(0x12f0000000000000ull) : "memory");
	if (D == 3)
		asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(at(tile)), "l"(&map), "r"(1), "r"(1), "r"(1), "r"(at(&bar)) : "memory");
	if (D == 4)
		asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(at(tile)), "l"(&map), "r"(1), "r"(1), "r"(1), "r"(1), "r"(at(&bar)) : "memory");
	if (D == 5)
		asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(at(tile)), "l"(&map), "r"(1), "r"(1), "r"(1), "r"(1), "r"(1), "r"(at(&bar)) : "memory");
	wait(&bar);
	for (unsigned i = 0; i < words; i++)
		out[i] = ((int *)tile)[i];
}

// Both blocks of a cluster load a half each for both.
__global__ void __cluster_dims__(2, 1, 1) halves(const __grid_constant__ CUtensorMap map, float *out)
{
	extern __shared__ __align__(1024) unsigned char tile[];
	__shared__ barrier_t bar;
	namespace cg = cooperative_groups;
	unsigned rank = cg::this_cluster().block_rank();
	init(&bar, 64);
	cg::this_cluster().sync();
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(at(tile + 128 * rank)), "l"(&map), "r"(0), "r"((int)rank), "r"(at(&bar)), "h"((short)3), "l"(0ull) : "memory");
	wait(&bar);
	for (int i = 0; i < 16; i++)
		out[16 * rank + i] = ((float *)tile)[i / 8 * 32 + i % 8];
	cg::this_cluster().sync();
}

// The functions of <cuda/barrier>: a box of 4 by 2 at (x, 0) doubled, there and in out, and what out begins
// with read again; the first half added to sum, and all to the box at (0, 2).
__global__ void doubled(const __grid_constant__ CUtensorMap map, int x, float *out, float *sum)
{
	namespace cde = cuda::device::experimental;
	__shared__ alignas(128) float tile[32], row[32];
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	init(&bar, 1);
	cde::fence_proxy_async_shared_cta();
	cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, x, 0, bar);
	bar.wait(cuda::device::barrier_arrive_tx(bar, 1, 32));
	for (int i = 0; i < 8; i++)
		tile[i] *= 2;
	cde::fence_proxy_async_shared_cta();
	cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, 0, tile);
	cde::cp_async_bulk_shared_to_global(out, tile, 32);
	ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, tile, 16);
	const int32_t place[] = {0, 2};
	ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, place, tile);
	cde::cp_async_bulk_commit_group();
	cde::cp_async_bulk_wait_group_read<0>();
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
	cde::cp_async_bulk_global_to_shared(row, out, 16, bar);
	bar.wait(cuda::device::barrier_arrive_tx(bar, 1, 16));
	out[8] = row[3];
}

// A map that a warp makes of another one: the tensor's second half, four rows.
__global__ void changed(const __grid_constant__ CUtensorMap map, float *tensor, CUtensorMap *made, float *out)
{
	__shared__ alignas(128) CUtensorMap work;
	__shared__ alignas(128) float tile[64];
	__shared__ barrier_t bar;
	((unsigned *)&work)[threadIdx.x] = ((const unsigned *)&map)[threadIdx.x];
	__syncwarp();
	if (threadIdx.x == 0) {
		// As CUTLASS does it: what one statement leaves in its input is the next one's.
		unsigned long long wide = 0;
		asm volatile("cvt.u64.u32 %0, %1;" ::"l"(wide), "r"(at(&work)));
		asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"l"(wide), "l"(tensor + 16) : "memory");
		ptx::tensormap_replace_global_dim(ptx::space_shared, &work, ptx::n32_t<1>(), 1);
		ptx::tensormap_replace_global_stride(ptx::space_shared, &work, ptx::n32_t<0>(), 32);
		asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(at(&work)), "r"(8) : "memory");
		asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(at(&work)), "r"(1) : "memory");
		ptx::tensormap_replace_elemtype(ptx::space_shared, &work, ptx::n32_t<3>());
	}
	__syncwarp();
	ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, made, &work, ptx::n32_t<128>());
	if (threadIdx.x == 0) {
		asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(made) : "memory");
		init(&bar, 64);
		load2(tile, made, 0, 0, &bar);
		wait(&bar);
		for (int i = 0; i < 16; i++)
			out[i] = tile[i];
	}
}

static PFN_cuTensorMapEncodeTiled encode;
static CUtensorMap make(CUtensorMapDataType type, int rank, void *p, const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *sizes, int swizzle, const cuuint32_t *steps = 0, int fill = 0)
{
	static const cuuint32_t ones[] = {1, 1, 1, 1, 1};
	CUtensorMap map;
	CUresult result = encode(&map, type, rank, p, dims, strides, sizes, steps ? steps : ones, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, (CUtensorMapFloatOOBfill)fill);
	if (result != CUDA_SUCCESS)
		printf("encode: error %d\n", result);
	return map;
}
#define F32 CU_TENSOR_MAP_DATA_TYPE_FLOAT32

static int wrong, *out;
static void expect(const char *what, bool right)
{
	if (!right)
		printf("%s: wrong\n", what);
	wrong += !right;
}
static bool floats(const float *want, int count)
{
	cudaDeviceSynchronize();
	return !memcmp(out, want, count * sizeof *want);
}

// 5 by 3, rows of 32 bytes, 10 y + x + 1.
static void outside(float *t)
{
	cuuint64_t dims[] = {5, 3}, strides[] = {32};
	cuuint32_t sizes[] = {4, 2}, four[] = {4, 4}, steps[] = {1, 2};
	CUtensorMap map = make(F32, 2, t, dims, strides, sizes, 0);
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 8; x++)
			t[8 * y + x] = x < 5 ? 10 * y + x + 1 : 99;
	box<<<1, 1, 1024>>>(map, 3, 2, 32, 0, (unsigned *)out, 9);
	const float corner[] = {24, 25, 0, 0, 0, 0, 0, 0};
	expect("corner", floats(corner, 8) && (unsigned)out[8] == 0xeeeeeeee);
	box<<<1, 1, 1024>>>(map, -1, -1, 32, 0, (unsigned *)out, 8);
	const float before[] = {0, 0, 0, 0, 0, 1, 2, 3};
	expect("before", floats(before, 8));
	box<<<1, 1, 1024>>>(make(F32, 2, t, dims, strides, four, 0, steps), 0, 0, 32, 0, (unsigned *)out, 8);
	const float stepped[] = {1, 2, 3, 4, 21, 22, 23, 24};
	expect("steps", floats(stepped, 8));
	box<<<1, 1, 1024>>>(make(F32, 2, t, dims, strides, sizes, 0, 0, 1), 3, 2, 32, 0, (unsigned *)out, 8);
	cudaDeviceSynchronize();
	expect("nan", out[2] == -1 && out[7] == -1 && ((float *)out)[1] == 25);
	put<<<1, 1, 1024>>>(map, 3, 2, 8, false);
	cudaDeviceSynchronize();
	bool same = t[19] == 7 && t[20] == 7;
	for (int i = 0; i < 24; i++)
		same &= i == 19 || i == 20 || t[i] == (i % 8 < 5 ? 10 * (i / 8) + i % 8 + 1 : 99);
	expect("stored", same);
	put<<<1, 1, 1024>>>(map, -2, 0, 8, true);
	cudaDeviceSynchronize();
	expect("added", t[0] == 8 && t[1] == 9 && t[2] == 3 && t[8] == 18 && t[9] == 19 && t[16] == 21);
	halves<<<2, 1, 1024>>>(make(F32, 2, t + 8, dims, strides, (const cuuint32_t[]){8, 1}, 0), (float *)out);
	const float both[] = {18, 19, 13, 14, 15, 0, 0, 0, 21, 22, 23, 7, 7, 0, 0, 0};
	expect("halves", floats(both, 16) && !memcmp(out + 16, both, sizeof both));
	CUtensorMap *made;
	cudaMallocManaged(&made, 128);
	changed<<<1, 32>>>(map, t, made, (float *)out);
	const float second[] = {21, 22, 23, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	expect("changed", floats(second, 16));
	float *sum = (float *)out + 16;
	for (int i = 0; i < 4; i++)
		sum[i] = i;
	doubled<<<1, 1>>>(map, 1, (float *)out, sum);
	const float twice[] = {18, 6, 8, 10, 38, 26, 28, 30, 10};
	expect("doubled", floats(twice, 9) && t[0] == 8 && t[1] == 18 && t[4] == 10 && t[9] == 38 && t[12] == 30);
	const float sums[] = {18, 7, 10, 13}, added[] = {39, 28, 31, 17, 7};
	expect("reduced", !memcmp(sum, sums, sizeof sums) && !memcmp(t + 16, added, sizeof added));
}

// Places of elements in tiles with swizzles; rows of halves, of value 64 row + column.
static void swizzled(__half *h)
{
	cuuint64_t dims[] = {64, 16}, strides[] = {128};
	for (int i = 0; i < 1024; i++)
		h[i] = __float2half(i);
	for (int b = 1; b <= 3; b++)
		for (unsigned offset = 0; offset < 1024; offset += 384) {
			unsigned row = 16 << b, all = 16 * row;
			cuuint32_t sizes[] = {row / 2, 16};
			box<<<1, 1, 4096>>>(make(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, h, dims, strides, sizes, b), 0, 0, all, offset, (unsigned *)out, 1024);
			cudaDeviceSynchronize();
			bool right = true;
			for (unsigned i = 0; i < all / 2; i++) {
				unsigned place = offset + 2 * i, mixed = place ^ ((place >> 7 & ((1 << b) - 1)) << 4);
				right &= __half2float(((__half *)out)[mixed / 2]) == i / (row / 2) * 64 + i % (row / 2);
			}
			expect("swizzle", right);
			if (b == 3 && !offset)
				expect("by hand", ((__half *)out)[0x1ba / 2] == h[3 * 64 + 5] && ((__half *)out)[0x2ae / 2] == h[5 * 64 + 63] && ((__half *)out)[0x480 / 2] == h[9 * 64 + 8]);
		}
}

static void dimensions(int *t)
{
	// Element (a, b, c, d, e) is its number; boxes of 4 or 8 by twos from (1, 1, ...).
	cuuint64_t dims[] = {8, 3, 3, 3, 3}, strides[] = {32, 96, 288, 864};
	cuuint32_t sizes[] = {4, 2, 2, 2, 2};
	for (int i = 0; i < 648; i++)
		t[i] = i;
	for (int rank = 1; rank <= 5; rank++) {
		CUtensorMap map = make(CU_TENSOR_MAP_DATA_TYPE_INT32, rank, t, dims, strides, sizes, 0);
		unsigned words = 2 << rank;
		bool right = true;
		if (rank == 2)
			continue;
		if (rank == 1)
			many<1><<<1, 1, 1024>>>(map, out, words);
		else if (rank == 3)
			many<3><<<1, 1, 1024>>>(map, out, words);
		else if (rank == 4)
			many<4><<<1, 1, 1024>>>(map, out, words);
		else
			many<5><<<1, 1, 1024>>>(map, out, words);
		cudaDeviceSynchronize();
		for (unsigned i = 0; i < words; i++) {
			int number = 1 + i % 4;
			for (int k = 1; k < rank; k++)
				number += (1 + (i >> (k + 1) & 1)) * (int)strides[k - 1] / 4;
			right &= out[i] == number;
		}
		expect("dimensions", right);
	}
}

int main()
{
	float *t;
	cudaMallocManaged(&t, 1 << 16);
	cudaMallocManaged(&out, 1 << 16);
	void *linked = (void *)cuTensorMapEncodeTiled, *found = 0;
	cudaDriverEntryPointQueryResult status;
	cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &status);
	expect("entry point", found == linked && status == cudaDriverEntryPointSuccess);
	encode = (PFN_cuTensorMapEncodeTiled)found;
	outside(t);
	swizzled((__half *)t);
	dimensions((int *)t);
	cuuint64_t dims[] = {256, 64}, strides[] = {256};
	cuuint32_t sizes[] = {128, 32};
	unsigned char *bytes = (unsigned char *)t;
	for (int i = 0; i < 1 << 14; i++)
		bytes[i] = i % 251;
	CUtensorMap map = make(CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, t, dims, strides, sizes, 3);
	cudaMemcpyToSymbol(kept, &map, sizeof map);
	moved<<<1, 1, 4096>>>(32);
	cudaDeviceSynchronize();
	bool right = true;
	for (int i = 0; i < 1 << 14; i++) {
		int y = i / 256, x = i % 256, from = i;
		if (y >= 32 && x >= 96 && x < 224)
			from = i - 32 * 256 - 64;
		right &= bytes[i] == from % 251;
	}
	expect("moved", right);
	printf("tensors: %d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
	return wrong != 0;
}
