// CUB as packaged: block and warp primitives in kernels, and the device-wide algorithms, each against the host.
// PARTS: 1 for what kernels call, 2 for reductions and scans of the device, 4 for sorts, 8 for what selects and counts.
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <map>
#include <numeric>
#include <vector>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

template <class T>
struct Array {
	T *at;
	int count;
	explicit Array(int count) : count(count) { cudaMallocManaged(&at, (count + 1) * sizeof(T)); }
	explicit Array(const std::vector<T> &values) : Array((int)values.size())
	{
		std::copy(values.begin(), values.end(), at);
	}
	~Array() { cudaFree(at); }
	std::vector<T> get(int first = -1) const
	{
		cudaDeviceSynchronize();
		return std::vector<T>(at, at + (first < 0 ? count : first));
	}
};

static std::vector<int> numbers(int count, int below)
{
	std::vector<int> x(count);
	unsigned state = 777;
	for (int &value : x)
		value = (int)((state = state * 1664525u + 1013904223u) >> 9) % below - below / 3;
	return x;
}

// Asks for the bytes, then works with them.
template <class Call>
static void with_storage(Call call)
{
	size_t bytes = 0;
	void *storage = nullptr;
	EXPECT(call(storage, bytes) == cudaSuccess && bytes > 0);
	cudaMalloc(&storage, bytes);
	EXPECT(call(storage, bytes) == cudaSuccess);
	cudaDeviceSynchronize();
	cudaFree(storage);
}

#if PARTS & 1
enum { THREADS = 64, ITEMS = 4, TILE = THREADS * ITEMS };

__global__ void of_a_block(const int *in, int *sums, int *sorted, int *runs, int *bins)
{
	typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
	typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE> Store;
	typedef cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS> Scan;
	typedef cub::BlockReduce<int, THREADS> Reduce;
	typedef cub::BlockRadixSort<int, THREADS, ITEMS> Sort;
	typedef cub::BlockDiscontinuity<int, THREADS> Heads;
	typedef cub::BlockHistogram<unsigned char, THREADS, ITEMS, 16> Histogram;
	__shared__ union {
		typename Load::TempStorage load;
		typename Store::TempStorage store;
		typename Scan::TempStorage scan;
		typename Reduce::TempStorage reduce;
		typename Sort::TempStorage sort;
		typename Heads::TempStorage heads;
		typename Histogram::TempStorage histogram;
	} space;
	__shared__ int counts[16];
	int items[ITEMS], prefix[ITEMS], flags[ITEMS], total;
	unsigned char low[ITEMS];
	Load(space.load).Load(in + blockIdx.x * TILE, items);
	__syncthreads();
	Scan(space.scan).ExclusiveSum(items, prefix, total);
	__syncthreads();
	int all = Reduce(space.reduce).Reduce(items, cub::Max());
	if (threadIdx.x == 0)
		sums[2 * blockIdx.x] = total, sums[2 * blockIdx.x + 1] = all;
	for (int i = 0; i < ITEMS; i++)
		low[i] = items[i] & 15;
	__syncthreads();
	Histogram(space.histogram).Histogram(low, counts);
	__syncthreads();
	if (threadIdx.x < 16)
		bins[16 * blockIdx.x + threadIdx.x] = counts[threadIdx.x];
	Sort(space.sort).SortDescending(items);
	__syncthreads();
	Heads(space.heads).FlagHeads(flags, items, cub::Inequality());
	__syncthreads();
	int heads = Reduce(space.reduce).Sum(flags);
	if (threadIdx.x == 0)
		runs[blockIdx.x] = heads;
	__syncthreads();
	Store(space.store).Store(sorted + blockIdx.x * TILE, items);
}

__global__ void of_a_warp(const int *in, int *out)
{
	typedef cub::WarpReduce<int, 16> Reduce;
	typedef cub::WarpScan<int> Scan;
	__shared__ typename Reduce::TempStorage reduce[4];
	__shared__ typename Scan::TempStorage scan[2];
	int value = in[threadIdx.x], sum = Reduce(reduce[threadIdx.x / 16]).Sum(value), before;
	Scan(scan[threadIdx.x / 32]).ExclusiveScan(value, before, -1000, cub::Max());
	out[threadIdx.x] = before;
	if (threadIdx.x % 16 == 0)
		out[64 + threadIdx.x / 16] = sum;
	out[68 + threadIdx.x] = cub::ShuffleDown<32>(value, 3, 31, 0xffffffff);
}

static void in_kernels()
{
	enum { BLOCKS = 3 };
	std::vector<int> h = numbers(BLOCKS * TILE, 90);
	Array<int> in(h), sums(2 * BLOCKS), sorted(BLOCKS * TILE), runs(BLOCKS), bins(16 * BLOCKS), warp(132);
	of_a_block<<<BLOCKS, THREADS>>>(in.at, sums.at, sorted.at, runs.at, bins.at);
	of_a_warp<<<1, 64>>>(in.at, warp.at);
	cudaDeviceSynchronize();
	for (int block = 0; block < BLOCKS; block++) {
		std::vector<int> part(h.begin() + block * TILE, h.begin() + (block + 1) * TILE);
		int counts[16] = {0};
		for (int value : part)
			counts[value & 15]++;
		EXPECT(sums.at[2 * block] == std::accumulate(part.begin(), part.end(), 0));
		EXPECT(sums.at[2 * block + 1] == *std::max_element(part.begin(), part.end()));
		EXPECT(std::equal(counts, counts + 16, bins.at + 16 * block));
		std::sort(part.begin(), part.end(), std::greater<int>());
		EXPECT(std::equal(part.begin(), part.end(), sorted.at + block * TILE));
		EXPECT(runs.at[block] == std::unique(part.begin(), part.end()) - part.begin());
	}
	for (int lane = 0; lane < 64; lane++) {
		int most = -1000;
		for (int i = lane / 32 * 32; i < lane; i++)
			most = std::max(most, h[i]);
		EXPECT(warp.at[lane] == most);
		EXPECT(warp.at[68 + lane] == h[lane % 32 + 3 < 32 ? lane + 3 : lane]);
		if (lane % 16 == 0)
			EXPECT(warp.at[64 + lane / 16] == std::accumulate(h.begin() + lane, h.begin() + lane + 16, 0));
	}
}
#endif

#if PARTS & 2
static void sums(int count)
{
	std::vector<int> h = numbers(count, 1000), expected(count);
	Array<int> in(h), out(count), one(1);
	Array<cub::KeyValuePair<int, int>> least(1);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceReduce::Sum(storage, bytes, in.at, one.at, count);
	});
	EXPECT(one.at[0] == std::accumulate(h.begin(), h.end(), 0));
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceReduce::ArgMin(storage, bytes, in.at, least.at, count);
	});
	int place = (int)(std::min_element(h.begin(), h.end()) - h.begin());
	EXPECT(least.at[0].key == place && least.at[0].value == h[place]);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceScan::InclusiveSum(storage, bytes, in.at, out.at, count);
	});
	std::partial_sum(h.begin(), h.end(), expected.begin());
	EXPECT(out.get() == expected);
	// Three segments, the second empty.
	Array<int> ends(std::vector<int>{0, count / 3, count / 3, count}), parts(3);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceSegmentedReduce::Max(storage, bytes, in.at, parts.at, 3, ends.at, ends.at + 1);
	});
	EXPECT(parts.at[0] == *std::max_element(h.begin(), h.begin() + count / 3) && parts.at[1] == INT_MIN);
	EXPECT(parts.at[2] == *std::max_element(h.begin() + count / 3, h.end()));
}
#endif

#if PARTS & 4
struct ByLast {
	__host__ __device__ bool operator()(int a, int b) const { return (a & 31) < (b & 31); }
};

static void sorts(int count)
{
	std::vector<int> h = numbers(count, 100000), places(count);
	std::iota(places.begin(), places.end(), 0);
	Array<int> in(h), out(count), at(places), moved(count);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceRadixSort::SortPairs(storage, bytes, in.at, out.at, at.at, moved.at, count);
	});
	std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return h[a] < h[b]; });
	EXPECT(moved.get() == places);
	std::vector<int> sorted = h;
	std::sort(sorted.begin(), sorted.end());
	EXPECT(out.get() == sorted);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceMergeSort::StableSortKeys(storage, bytes, in.at, count, ByLast());
	});
	sorted = h;
	std::stable_sort(sorted.begin(), sorted.end(), ByLast());
	EXPECT(in.get() == sorted);
	Array<int> ends(std::vector<int>{0, 5, count / 2, count}), again(h);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceSegmentedRadixSort::SortKeysDescending(storage, bytes, again.at, out.at, count, 3,
									 ends.at, ends.at + 1);
	});
	sorted = h;
	for (int i = 0; i < 3; i++)
		std::sort(sorted.begin() + ends.at[i], sorted.begin() + ends.at[i + 1], std::greater<int>());
	EXPECT(out.get() == sorted);
}
#endif

#if PARTS & 8
struct Odd {
	__host__ __device__ bool operator()(int x) const { return x & 1; }
};

static void chosen(int count)
{
	std::vector<int> h = numbers(count, 12);
	Array<int> in(h), out(count), lengths(count), one(1), bins(6);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceSelect::If(storage, bytes, in.at, out.at, one.at, count, Odd());
	});
	std::vector<int> kept;
	std::copy_if(h.begin(), h.end(), std::back_inserter(kept), Odd());
	EXPECT(one.at[0] == (int)kept.size() && out.get(one.at[0]) == kept);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DevicePartition::If(storage, bytes, in.at, out.at, one.at, count, Odd());
	});
	EXPECT(one.at[0] == (int)kept.size() && out.get(one.at[0]) == kept);
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceRunLengthEncode::Encode(storage, bytes, in.at, out.at, lengths.at, one.at, count);
	});
	std::vector<int> heads = h, runs;
	for (int i = 0; i < count; i++)
		if (i == 0 || h[i] != h[i - 1])
			runs.push_back(1);
		else
			runs.back()++;
	heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
	EXPECT(one.at[0] == (int)heads.size() && out.get(one.at[0]) == heads && lengths.get(one.at[0]) == runs);
	// Six bins of two values, from -4; what lies outside counts nowhere.
	with_storage([&](void *storage, size_t &bytes) {
		return cub::DeviceHistogram::HistogramEven(storage, bytes, in.at, bins.at, 7, -4, 8, count);
	});
	for (int bin = 0; bin < 6; bin++)
		EXPECT(bins.at[bin] ==
		       std::count_if(h.begin(), h.end(), [=](int x) { return (x + 4) / 2 == bin && x >= -4; }));
}
#endif

int main()
{
#if PARTS & 1
	in_kernels();
#endif
	for (int count : {33, 3000}) {
		(void)count;
#if PARTS & 2
		sums(count);
#endif
#if PARTS & 4
		sorts(count);
#endif
#if PARTS & 8
		chosen(count);
#endif
	}
	printf("cub: %s\n", failures ? "FAILED" : "PASSED");
}
