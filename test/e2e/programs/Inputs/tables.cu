// Tables and functions in constant memory, tables made at compile time, variadic templates, extended lambdas. Checks
// its own results.
#include <cstddef>
#include <cstdio>
#include <cstring>
typedef int (*Op)(int, int);
__device__ int add(int a, int b)
{
	return a + b;
}
__device__ int mul(int a, int b)
{
	return a * b;
}
__device__ int maxi(int a, int b)
{
	return a > b ? a : b;
}
template <int N>
__device__ int shift(int a, int b)
{
	return (a << N) ^ b;
}
__constant__ Op ops[] = {add, mul, maxi, shift<3>, shift<7>};
__constant__ float weights[8];
__constant__ struct {
	int a;
	char name[12];
	double scale[3];
} config = {7, "config", {0.5, 0.25, 2}};
template <typename T, size_t N>
struct Array {
	T v[N];
	__host__ __device__ constexpr T &operator[](size_t i)
	{
		return v[i];
	}
	__host__ __device__ constexpr const T &operator[](size_t i) const
	{
		return v[i];
	}
	__host__ __device__ constexpr size_t size() const
	{
		return N;
	}
	__host__ __device__ T *begin()
	{
		return v;
	}
	__host__ __device__ T *end()
	{
		return v + N;
	}
};
constexpr Array<unsigned, 256> make_crc()
{
	Array<unsigned, 256> t{};
	for (unsigned i = 0; i < 256; i++) {
		unsigned c = i;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		t[i] = c;
	}
	return t;
}
__constant__ constexpr Array<unsigned, 256> crc_table = make_crc();
__host__ __device__ constexpr unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
template <typename... T>
__device__ auto sum(T... x)
{
	return (x + ... + 0);
}
template <typename F, typename... A>
__device__ auto apply(F f, A... a)
{
	return f(a...);
}
template <typename F>
__global__ void map(int *out, F f)
{
	out[threadIdx.x] = f(threadIdx.x);
}
__global__ void k(int *out, unsigned *crc, float *w)
{
	int t = threadIdx.x;
	out[t] = ops[t % 5](t, 10 + t);
	unsigned c = ~0u;
	for (int i = 0; i <= t; i++)
		c = crc_table[(c ^ (unsigned)i) & 255] ^ (c >> 8);
	crc[t] = ~c;
	Array<int, 5> a{{1, 2, 3, 4, 5}};
	for (auto &x : a)
		x += t;
	int s = 0;
	for (auto x : a)
		s += x;
	w[t] = weights[t & 7] * config.scale[t % 3] + config.a + config.name[t % 6] + s + (float)sum(t, 2.5f, 3L) +
	       (float)fib(12) + apply([=](int p, float q) { return p * q; }, t, 0.5f);
}
static unsigned host_crc(int t)
{
	auto tab = make_crc();
	unsigned c = ~0u;
	for (int i = 0; i <= t; i++)
		c = tab[(c ^ (unsigned)i) & 255] ^ (c >> 8);
	return ~c;
}
int main()
{
	int *out, *lam;
	unsigned *crc;
	float *w, hw[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8];
	cudaMallocManaged(&out, 256);
	cudaMallocManaged(&crc, 256);
	cudaMallocManaged(&w, 256);
	cudaMallocManaged(&lam, 256);
	if (cudaMemcpyToSymbol(weights, hw, sizeof hw))
		return puts("symbol"), 1;
	if (cudaMemcpyFromSymbol(back, weights, 16, 16) || memcmp(back, hw + 4, 16))
		return puts("from symbol"), 1;
	k<<<1, 64>>>(out, crc, w);
	int base = 100;
	float scale = 1.5f;
	map<<<1, 64>>>(lam, [=] __device__(int t) { return (int)((base + t) * scale); });
	if (cudaDeviceSynchronize())
		return puts("err"), 1;
	const char *name = "config";
	double sc[3] = {0.5, 0.25, 2};
	for (int t = 0; t < 64; t++) {
		int b = 10 + t, want[] = {t + b, t * b, b, (t << 3) ^ b, (t << 7) ^ b};
		float ww = (float)(hw[t & 7] * sc[t % 3] + 7 + name[t % 6] + (15 + 5 * t) + (float)(t + 2.5f + 3L) +
				   144.0f + t * 0.5f);
		if (out[t] != want[t % 5] || crc[t] != host_crc(t) || w[t] != ww || lam[t] != (int)((100 + t) * 1.5f))
			return printf("FAIL %d %d %d %x %x %g %g %d\n", t, out[t], want[t % 5], crc[t], host_crc(t),
				      w[t], ww, lam[t]),
			       1;
	}
	puts("PASSED");
}
