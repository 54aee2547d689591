// Algorithms of thrust and of CUB over the device, each against the same on the host.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

static int wrong;
#define EXPECT(condition)                                        \
    do {                                                         \
        if (!(condition)) {                                      \
            wrong++;                                             \
            printf("line %d: %s\n", __LINE__, #condition);       \
        }                                                        \
    } while (0)

struct Scatter {
    __host__ __device__ int operator()(int x) const { return x * 7919 % 97; }
};
struct IsOdd {
    __host__ __device__ bool operator()(unsigned x) const { return x & 1; }
};

/* Calls a CUB algorithm twice: for the size of its memory, and to run it. */
template <class F> static void run(F algorithm)
{
    void *memory = nullptr;
    size_t bytes = 0;
    EXPECT(algorithm(memory, bytes) == cudaSuccess);
    EXPECT(cudaMalloc(&memory, bytes) == cudaSuccess);
    EXPECT(algorithm(memory, bytes) == cudaSuccess);
    EXPECT(cudaFree(memory) == cudaSuccess);
}

static void device_wide(int n)
{
    std::vector<unsigned> host(n), expected(n);
    for (int i = 0; i < n; i++)
        host[i] = (unsigned)i * 2654435761u >> 7;
    thrust::device_vector<unsigned> in(host.begin(), host.end()), out(n);
    thrust::device_vector<int> counts(16);
    unsigned *from = thrust::raw_pointer_cast(in.data()), *to = thrust::raw_pointer_cast(out.data());
    int *count = thrust::raw_pointer_cast(counts.data());

    run([=](void *memory, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(memory, bytes, from, to, n); });
    std::exclusive_scan(host.begin(), host.end(), expected.begin(), 0u);
    EXPECT(thrust::host_vector<unsigned>(out) == expected);
    run([=](void *memory, size_t &bytes) { return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, from, to, n); });
    expected = host;
    std::sort(expected.rbegin(), expected.rend());
    EXPECT(thrust::host_vector<unsigned>(out) == expected);
    run([=](void *memory, size_t &bytes) { return cub::DeviceSelect::If(memory, bytes, from, to, count, n, IsOdd()); });
    EXPECT(counts[0] == std::count_if(host.begin(), host.end(), IsOdd()));
    unsigned range = 1u << 25;
    run([=](void *memory, size_t &bytes) { return cub::DeviceHistogram::HistogramEven(memory, bytes, from, count, 9, 0u, range, n); });
    for (unsigned bin = 0; bin < 8; bin++)
        EXPECT(counts[bin] == std::count_if(host.begin(), host.end(), [=](unsigned x) { return x / (range / 8) == bin; }));
}

static void by_key(int n)
{
    thrust::device_vector<int> key(n), value(n), keys(n), sums(n);
    thrust::tabulate(key.begin(), key.end(), Scatter());
    thrust::sequence(value.begin(), value.end());
    thrust::stable_sort_by_key(key.begin(), key.end(), value.begin());
    auto end = thrust::reduce_by_key(key.begin(), key.end(), value.begin(), keys.begin(), sums.begin());
    std::map<int, int> expected;
    for (int i = 0; i < n; i++)
        expected[Scatter()(i)] += i;
    EXPECT((size_t)(end.first - keys.begin()) == expected.size());
    int i = 0;
    for (auto &pair : expected) {
        EXPECT(keys[i] == pair.first && sums[i] == pair.second);
        i++;
    }
    EXPECT(thrust::lower_bound(key.begin(), key.end(), 50) - key.begin() == std::count_if(value.begin(), value.end(), [](int v) { return Scatter()(v) < 50; }));
    EXPECT(thrust::unique(key.begin(), key.end()) - key.begin() == (long)expected.size());
    EXPECT(thrust::stable_partition(value.begin(), value.end(), IsOdd()) - value.begin() == n / 2);
}

static void sets()
{
    thrust::device_vector<int> twos(500), threes(500), both(1000);
    thrust::sequence(twos.begin(), twos.end(), 0, 2);
    thrust::sequence(threes.begin(), threes.end(), 0, 3);
    auto end = thrust::set_intersection(twos.begin(), twos.end(), threes.begin(), threes.end(), both.begin());
    EXPECT(end - both.begin() == 167 && both[166] == 996);
}

int main()
{
    device_wide(20000);
    by_key(2000);
    sets();
    EXPECT(cudaGetLastError() == cudaSuccess);
    printf("toolkit: %s\n", wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
