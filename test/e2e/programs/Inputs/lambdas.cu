// Map, filter and reduce out of lambdas: captures by value, generic ones, ones that return ones, fold expressions,
// tuples, if constexpr, tables made at compile time; compaction with ballots. The host runs the same lambdas.
#include "common.h"
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

template <typename... Ts>
struct Tuple;
template <>
struct Tuple<> {
};
template <typename T, typename... Ts>
struct Tuple<T, Ts...> {
	T first;
	Tuple<Ts...> rest;
};
template <size_t I, typename T, typename... Ts>
__host__ __device__ constexpr auto &get(Tuple<T, Ts...> &t)
{
	if constexpr (I == 0)
		return t.first;
	else
		return get<I - 1>(t.rest);
}
template <typename T, typename... Ts>
__host__ __device__ constexpr Tuple<std::decay_t<T>, std::decay_t<Ts>...> tuple(T &&t, Ts &&...ts)
{
	if constexpr (sizeof...(Ts) == 0)
		return {std::forward<T>(t), {}};
	else
		return {std::forward<T>(t), tuple(std::forward<Ts>(ts)...)};
}

template <typename F, typename... Fs>
__host__ __device__ auto compose(F f, Fs... fs)
{
	if constexpr (sizeof...(Fs) == 0)
		return f;
	else
		return [f, rest = compose(fs...)](auto x) { return rest(f(x)); };
}

constexpr int SIZE = 64;
constexpr std::array<unsigned, SIZE> primes()
{
	std::array<unsigned, SIZE> table = {};
	unsigned count = 0;
	for (unsigned n = 2; count < SIZE; n++) {
		bool prime = true;
		for (unsigned d = 2; d * d <= n; d++)
			prime &= n % d != 0;
		if (prime)
			table[count++] = n;
	}
	return table;
}
__device__ constexpr auto device_primes = primes();

template <typename In, typename Out, typename Map>
__global__ void map(const In *in, Out *out, int n, Map f)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = f(in[i], i);
}

// Keeps the order within a block; blocks come as they do.
template <typename T, typename Test>
__global__ void filter(const T *in, int n, T *out, int *count, Test keep)
{
	__shared__ int warps[8], base;
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	bool kept = i < n && keep(in[i]);
	unsigned votes = __ballot_sync(~0u, kept);
	if (lane == 0)
		warps[warp] = __popc(votes);
	__syncthreads();
	if (threadIdx.x == 0) {
		int sum = 0;
		for (int w = 0; w < (int)blockDim.x / 32; w++) {
			int mine = warps[w];
			warps[w] = sum;
			sum += mine;
		}
		base = atomicAdd(count, sum);
	}
	__syncthreads();
	if (kept)
		out[base + warps[warp] + __popc(votes & ((1u << lane) - 1))] = in[i];
}

template <typename T, typename Result, typename Step, typename Join>
__global__ void reduce(const T *in, int n, Result start, Result *out, Step step, Join join)
{
	__shared__ Result partial[64];
	Result mine = start;
	for (int i = threadIdx.x; i < n; i += 64)
		mine = step(mine, in[i]);
	partial[threadIdx.x] = mine;
	for (int d = 32; d; d /= 2) {
		__syncthreads();
		if ((int)threadIdx.x < d)
			partial[threadIdx.x] = join(partial[threadIdx.x], partial[threadIdx.x + d]);
	}
	if (threadIdx.x == 0)
		*out = partial[0];
}

template <typename... Fs>
__global__ void each(unsigned *out, Fs... fs)
{
	unsigned x = threadIdx.x, k = 0;
	((out[threadIdx.x * sizeof...(Fs) + k++] = fs(x)), ...);
}

struct Extent {
	double low, high;
	long long sum;
	int count;
};

int main()
{
	const int n = 500;
	int *in = shared_array<int>(n), *kept = shared_array<int>(n), *count = shared_array<int>(1);
	double *mapped = shared_array<double>(n);
	for (int i = 0; i < n; i++)
		in[i] = (i * 7919 + 13) % 1009 - 400;

	double slope = 0.25;
	short offset = -3;
	struct {
		char tag;
		long long bias;
	} big = {'x', 1ll << 40};
	auto line = [=] __host__ __device__(int x, int i) {
		return slope * x + offset + (double)(big.bias >> (i & 31)) + big.tag;
	};
	map<<<3, 96>>>(in, mapped, n, line);

	int modulus = 5;
	auto odd = [modulus] __host__ __device__(int x) { return x % modulus == 2 || (x & 0x40); };
	filter<<<4, 128>>>(in, n, kept, count, odd);
	finish_kernel();
	for (int i = 0; i < n; i++)
		expect(mapped[i] == line(in[i], i), "map", i);
	std::vector<int> wanted, got(kept, kept + *count);
	long long sum = 0;
	for (int i = 0; i < n; i++)
		if (odd(in[i]))
			wanted.push_back(in[i]), sum += in[i];
	for (int x : got)
		expect(odd(x), "filter", x), sum -= x;
	expect(sum == 0 && wanted.size() == got.size(), "filtered", (long long)got.size());

	Extent *extent = shared_array<Extent>(1), none = {1e300, -1e300, 0, 0};
	auto widen = [] __host__ __device__(Extent e, int x) {
		return Extent{x < e.low ? x : e.low, x > e.high ? x : e.high, e.sum + (long long)x * x, e.count + 1};
	};
	auto join = [] __host__ __device__(const Extent &a, const Extent &b) {
		return Extent{a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.sum + b.sum,
			      a.count + b.count};
	};
	reduce<<<1, 64>>>(in, n, none, extent, widen, join);
	finish_kernel();
	Extent whole = none;
	for (int i = 0; i < n; i++)
		whole = widen(whole, in[i]);
	expect(whole.low == extent->low && whole.high == extent->high && whole.sum == extent->sum && whole.count == extent->count,
	       "reduce", extent->count);

	unsigned *values = shared_array<unsigned>(32 * 4);
	auto twice = [] __host__ __device__(auto x) { return x * 2; };
	auto next = [] __host__ __device__(auto x) -> unsigned {
#ifdef __CUDA_ARCH__
		return device_primes[x % SIZE];
#else
		constexpr auto table = primes();
		return table[x % SIZE];
#endif
	};
	auto chain =
		compose(twice, next, twice, [offset] __host__ __device__(auto x) { return (unsigned)(x + offset); });
	auto mixed = [chain, t = tuple(3, 2.5, 'q', 7ull)] __host__ __device__(unsigned x) mutable {
		get<0>(t) += (int)x;
		get<1>(t) *= get<0>(t);
		return (unsigned)(get<0>(t) + get<1>(t)) * (unsigned)get<2>(t) + (unsigned)get<3>(t) + chain(x);
	};
	auto sized = [] __host__ __device__(unsigned x) {
		auto pick = [x](auto... v) { return ((v > x ? sizeof(v) : 0u) + ... + x); };
		return (unsigned)pick((char)5, (short)20, 11, 17ll, 30.0);
	};
	each<<<1, 32>>>(values, next, chain, mixed, sized);
	finish_kernel();
	for (unsigned i = 0; i < 32; i++) {
		expect(values[4 * i] == next(i) && values[4 * i + 1] == chain(i), "compose", i);
		expect(values[4 * i + 3] == sized(i), "fold", i);
		auto fresh = mixed;
		expect(values[4 * i + 2] == fresh(i), "tuple", i);
	}
	puts("PASSED");
}
