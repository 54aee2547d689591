// CUB's scan, radix sort, merge sort and reduction of a block, and libcu++'s barrier and atomics, against the host.
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/atomic>
#include <cuda/barrier>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

enum { THREADS = 128, EACH = 4, COUNT = THREADS * EACH };

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

__global__ void work(const int *in, int *prefix, unsigned *radix, int *merged, int *sums)
{
    using Scan = cub::BlockScan<int, THREADS>;
    using Radix = cub::BlockRadixSort<unsigned, THREADS, EACH>;
    using Merge = cub::BlockMergeSort<int, THREADS, EACH>;
    using Reduce = cub::BlockReduce<int, THREADS>;
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ union {
        typename Scan::TempStorage scan;
        typename Radix::TempStorage radix;
        typename Merge::TempStorage merge;
        typename Reduce::TempStorage reduce;
    } storage;
    alignas(Barrier) __shared__ char memory[sizeof(Barrier)];
    Barrier &barrier = *reinterpret_cast<Barrier *>(memory);
    if (threadIdx.x == 0)
        init(&barrier, THREADS);
    __syncthreads();

    int value[EACH], before[EACH];
    unsigned keys[EACH];
    for (int i = 0; i < EACH; i++)
        keys[i] = (unsigned)(value[i] = in[threadIdx.x * EACH + i]);
    Scan(storage.scan).ExclusiveSum(value, before);
    barrier.arrive_and_wait();
    Radix(storage.radix).Sort(keys);
    barrier.arrive_and_wait();
    int sum = Reduce(storage.reduce).Sum(value);
    barrier.arrive_and_wait();
    Merge(storage.merge).Sort(value, Less());
    for (int i = 0; i < EACH; i++) {
        prefix[threadIdx.x * EACH + i] = before[i];
        radix[threadIdx.x * EACH + i] = keys[i];
        merged[threadIdx.x * EACH + i] = value[i];
    }
    if (threadIdx.x == 0)
        sums[0] = sum;
    cuda::atomic_ref<int, cuda::thread_scope_device> total(sums[1]), largest(sums[2]);
    total.fetch_add((int)threadIdx.x, cuda::memory_order_relaxed);
    largest.fetch_max((int)threadIdx.x);
}

int main()
{
    int *in, *prefix, *merged, *sums;
    unsigned *radix;
    cudaMallocManaged(&in, COUNT * sizeof(int));
    cudaMallocManaged(&prefix, COUNT * sizeof(int));
    cudaMallocManaged(&radix, COUNT * sizeof(int));
    cudaMallocManaged(&merged, COUNT * sizeof(int));
    cudaMallocManaged(&sums, 3 * sizeof(int));
    for (int i = 0; i < COUNT; i++)
        in[i] = (int)(i * 2654435761u);
    work<<<1, THREADS>>>(in, prefix, radix, merged, sums);
    cudaError_t error = cudaDeviceSynchronize();

    std::vector<int> sorted(in, in + COUNT), sum(COUNT);
    std::vector<unsigned> keys(sorted.begin(), sorted.end());
    unsigned running = 0;
    bool right = error == cudaSuccess;
    for (int i = 0; i < COUNT; i++) {
        right &= (unsigned)prefix[i] == running;
        running += (unsigned)in[i];
    }
    std::sort(sorted.begin(), sorted.end());
    std::sort(keys.begin(), keys.end());
    right &= std::equal(sorted.begin(), sorted.end(), merged) && std::equal(keys.begin(), keys.end(), radix);
    right &= (unsigned)sums[0] == running && sums[1] == THREADS * (THREADS - 1) / 2 && sums[2] == THREADS - 1;
    printf("toolkit: %s\n", right ? "PASSED" : "FAILED");
    return !right;
}
