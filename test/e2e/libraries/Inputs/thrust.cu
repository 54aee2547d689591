// Thrust as packaged, and a toolkit's: vectors, iterators and algorithms on both sides, in kernels, on streams.
#include <algorithm>
#include <cstdio>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <numeric>
#include <vector>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

struct Odd {
	__host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Square {
	__host__ __device__ long operator()(int x) const { return (long)x * x; }
};
// Matrices ((a, b), (0, 1)): their product does not commute.
struct Affine {
	unsigned a, b;
};
struct Compose {
	__host__ __device__ Affine operator()(const Affine &x, const Affine &y) const
	{
		return Affine{x.a * y.a, x.a * y.b + x.b};
	}
};
struct ByLast {
	__host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

static thrust::host_vector<int> numbers(int count)
{
	thrust::host_vector<int> x(count);
	unsigned state = 12345;
	for (int i = 0; i < count; i++)
		x[i] = (int)((state = state * 1664525u + 1013904223u) >> 8) % 1000;
	return x;
}

static void vectors()
{
	thrust::device_vector<int> d(4, 7), none;
	d[1] = 9;
	d.push_back(d[1]);
	thrust::host_vector<int> h = d;
	EXPECT(h.size() == 5 && h[0] == 7 && h[1] == 9 && h[4] == 9 && none.empty());
	thrust::device_vector<int> e(d.begin() + 1, d.end()), f(h.begin(), h.end());
	EXPECT(e.size() == 4 && e[0] == 9 && f == d && e != d);
	f.resize(7, 3);
	f[6] = d[1] + 1;
	EXPECT(f[5] == 3 && f.back() == 10 && f.front() == 7);
	f.erase(f.begin(), f.begin() + 5);
	EXPECT(f.size() == 2 && f[0] == 3);
	int *raw = thrust::raw_pointer_cast(&d[0]);
	thrust::device_ptr<int> p = thrust::device_pointer_cast(raw);
	*p = 5;
	EXPECT(d[0] == 5 && thrust::raw_pointer_cast(d.data()) == raw && p + 4 == &d[4]);
	std::vector<int> plain(5);
	thrust::copy(d.begin(), d.end(), plain.begin());
	EXPECT(plain[0] == 5 && plain[4] == 9);
	thrust::copy(plain.begin() + 1, plain.begin() + 3, d.begin());
	EXPECT(d[0] == 9 && d[1] == 7 && d[2] == 7);
}

template <class Vector>
void steps(int count)
{
	Vector x(count), y(count), z(count);
	thrust::sequence(x.begin(), x.end());
	thrust::fill(y.begin(), y.end(), 3);
	thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), thrust::multiplies<int>());
	EXPECT(z[count - 1] == 3 * (count - 1) && z[1] == 3);
	thrust::transform(z.begin(), z.end(), z.begin(), thrust::negate<int>());
	EXPECT(z[2] == -6);
	thrust::gather(x.begin(), x.begin() + 2, z.begin() + 1, y.begin());
	EXPECT(y[0] == -3 && y[1] == -6 && y[2] == 3);
	thrust::sequence(y.begin(), y.end(), count - 1, -1);
	thrust::scatter(x.begin(), x.end(), y.begin(), z.begin());
	EXPECT(z[0] == count - 1 && z[count - 1] == 0);
	EXPECT(thrust::reduce(x.begin(), x.end()) == count * (count - 1) / 2);
	EXPECT(thrust::count_if(x.begin(), x.end(), Odd()) == count / 2);
	EXPECT(thrust::count(z.begin(), z.end(), 5) == 1);
	EXPECT(thrust::find(z.begin(), z.end(), 5) - z.begin() == count - 6);
	EXPECT(thrust::inner_product(x.begin(), x.end(), x.begin(), 0L) ==
	       thrust::transform_reduce(x.begin(), x.end(), Square(), 0L, thrust::plus<long>()));
	EXPECT(thrust::any_of(x.begin(), x.end(), Odd()) && !thrust::all_of(x.begin(), x.end(), Odd()));
}

template <class Vector>
void ordered(int count)
{
	thrust::host_vector<int> h = numbers(count), places(count);
	std::vector<int> sorted(h.begin(), h.end());
	Vector x = h, y(count);
	EXPECT(*thrust::max_element(x.begin(), x.end()) == *std::max_element(sorted.begin(), sorted.end()));
	EXPECT(thrust::min_element(x.begin(), x.end()) - x.begin() ==
	       std::min_element(h.begin(), h.end()) - h.begin());
	thrust::sequence(y.begin(), y.end());
	thrust::stable_sort_by_key(x.begin(), x.end(), y.begin(), ByLast());
	std::stable_sort(sorted.begin(), sorted.end(), ByLast());
	h = x;
	places = y;
	thrust::host_vector<int> before = numbers(count);
	bool right = true;
	for (int i = 0; i < count; i++)
		right &= h[i] == sorted[i] && before[places[i]] == h[i];
	EXPECT(right);
	thrust::sort(x.begin(), x.end(), thrust::greater<int>());
	EXPECT(thrust::is_sorted(x.begin(), x.end(), thrust::greater<int>()));
	thrust::sort(x.begin(), x.end());
	std::sort(sorted.begin(), sorted.end());
	h = x;
	EXPECT(std::equal(sorted.begin(), sorted.end(), h.begin()));
	for (int key : {0, 10, 500, 1000}) {
		EXPECT(thrust::lower_bound(x.begin(), x.end(), key) - x.begin() ==
		       std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
		EXPECT(thrust::upper_bound(x.begin(), x.end(), key) - x.begin() ==
		       std::upper_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
	}
	Vector keys(count), sums(count);
	auto ends = thrust::reduce_by_key(x.begin(), x.end(), thrust::constant_iterator<int>(1), keys.begin(),
					  sums.begin());
	size_t distinct = (size_t)(thrust::unique(x.begin(), x.end()) - x.begin());
	sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
	EXPECT(distinct == sorted.size() && ends.first - keys.begin() == (long)distinct);
	EXPECT(ends.second - sums.begin() == (long)distinct && keys[distinct - 1] == sorted[distinct - 1]);
	EXPECT(thrust::reduce(sums.begin(), ends.second) == count);
	EXPECT(sums[0] == std::count(before.begin(), before.end(), sorted[0]));
}

template <class Vector>
void scanned(int count)
{
	thrust::host_vector<int> h = numbers(count);
	Vector x = h, y(count);
	std::vector<int> sums(count);
	std::partial_sum(h.begin(), h.end(), sums.begin());
	thrust::inclusive_scan(x.begin(), x.end(), y.begin());
	thrust::host_vector<int> got = y;
	EXPECT(std::equal(sums.begin(), sums.end(), got.begin()));
	thrust::exclusive_scan(x.begin(), x.end(), y.begin(), 5);
	EXPECT(y[0] == 5 && y[count - 1] == sums[count - 2] + 5);
	thrust::exclusive_scan(x.begin(), x.end(), x.begin());
	EXPECT(x[0] == 0 && x[count - 1] == sums[count - 2]);
	x = h;
	auto end = thrust::copy_if(x.begin(), x.end(), y.begin(), Odd());
	EXPECT(end - y.begin() == std::count_if(h.begin(), h.end(), Odd()));
	auto left = thrust::remove_if(x.begin(), x.end(), Odd());
	EXPECT((left - x.begin()) + (end - y.begin()) == count);
	got = x;
	got.resize((size_t)(left - x.begin()));
	h.erase(std::remove_if(h.begin(), h.end(), Odd()), h.end());
	EXPECT(std::equal(h.begin(), h.end(), got.begin()));
}

static void commuting(int count)
{
	thrust::host_vector<Affine> h(count);
	Affine all = {1, 0};
	for (int i = 0; i < count; i++) {
		h[i] = Affine{2u * i + 1, 7u * i};
		all = Compose()(all, h[i]);
	}
	thrust::device_vector<Affine> d = h;
	Affine one = {1, 0};
	thrust::inclusive_scan(d.begin(), d.end(), d.begin(), Compose());
	Affine last = d[count - 1], r = thrust::reduce(h.begin(), h.end(), one, Compose());
	EXPECT(last.a == all.a && last.b == all.b && r.a == all.a && r.b == all.b);
}

__global__ void in_kernel(int *x, int *sum, int count)
{
	thrust::sort(thrust::seq, x, x + count);
	*sum = thrust::reduce(thrust::seq, x, x + count);
}

static void policies()
{
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	int *x, sum, *on_device, count = 100;
	cudaMallocManaged(&x, count * sizeof *x);
	cudaMalloc(&on_device, sizeof *on_device);
	thrust::for_each(thrust::device, thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(count),
			 [=] __device__(int i) { x[i] = (i * 37) % 100; });
	cudaDeviceSynchronize();
	EXPECT(x[3] == 11);
	in_kernel<<<1, 1>>>(x, on_device, count);
	cudaMemcpy(&sum, on_device, sizeof sum, cudaMemcpyDeviceToHost);
	EXPECT(sum == 4950 && x[0] == 0 && x[99] == 99);
	thrust::transform(thrust::cuda::par.on(stream), x, x + count, x, Square());
	EXPECT(thrust::reduce(thrust::device, x, x + count, 0, thrust::maximum<int>()) == 99 * 99);
	EXPECT(thrust::reduce(thrust::host, x, x + count) == 328350);
	auto squares = thrust::make_transform_iterator(thrust::make_counting_iterator(1), Square());
	EXPECT(thrust::reduce(thrust::device, squares, squares + 10) == 385);
	thrust::device_vector<int> data(x, x + count), map(3, 2);
	auto chosen = thrust::make_permutation_iterator(data.begin(), map.begin());
	EXPECT(thrust::reduce(chosen, chosen + 3) == 12);
}

__global__ void products(thrust::complex<double> *z)
{
	thrust::complex<double> i(0, 1), turned = exp(i * thrust::complex<double>(z[0].real()));
	z[1] = (z[0] * i + 1.0) / thrust::complex<double>(2.0, 2.0);
	z[2] = conj(turned) * abs(z[0]);
}

static void complex_numbers()
{
	thrust::complex<double> *z;
	cudaMallocManaged(&z, 3 * sizeof *z);
	z[0] = thrust::complex<double>(3, 4);
	products<<<1, 1>>>(z);
	cudaDeviceSynchronize();
	EXPECT(abs(z[1] - thrust::complex<double>(0, 1.5)) < 1e-12 && z[1] == z[1]);
	EXPECT(fabs(z[2].real() - 5 * cos(3.0)) < 1e-12 && fabs(z[2].imag() + 5 * sin(3.0)) < 1e-12);
	EXPECT(sizeof *z == 16 && norm(z[0]) == 25);
}

struct Weighed {
	__host__ __device__ thrust::tuple<int, int> operator()(const thrust::tuple<int, short> &x) const
	{
		return thrust::make_tuple(thrust::get<0>(x) * thrust::get<1>(x), thrust::get<0>(x) + thrust::get<1>(x));
	}
};

static void zipped(int count)
{
	thrust::host_vector<int> h = numbers(count);
	thrust::device_vector<int> a = h, products(count), sums(count);
	thrust::device_vector<short> b(count);
	thrust::sequence(b.begin(), b.end(), (short)-5);
	auto first = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
	thrust::transform(first, first + count, thrust::make_zip_iterator(thrust::make_tuple(products.begin(), sums.begin())),
			  Weighed());
	thrust::host_vector<int> got = products, added = sums;
	bool right = true;
	for (int i = 0; i < count; i++)
		right &= got[i] == h[i] * (i - 5) && added[i] == h[i] + i - 5;
	EXPECT(right);
	// By the number, then by the place: a stable order of the numbers.
	thrust::sort(first, first + count);
	std::vector<int> places(count);
	std::iota(places.begin(), places.end(), 0);
	std::stable_sort(places.begin(), places.end(), [&](int x, int y) { return h[x] < h[y]; });
	thrust::host_vector<short> order = b;
	for (int i = 0; i < count; i++)
		right &= order[i] == places[i] - 5;
	EXPECT(right);
}

static void sets(int count)
{
	thrust::host_vector<int> h = numbers(2 * count);
	std::vector<int> x(h.begin(), h.begin() + count), y(h.begin() + count, h.end()), expected;
	std::sort(x.begin(), x.end());
	std::sort(y.begin(), y.end());
	thrust::device_vector<int> a = x, b = y, out(2 * count);
	auto holds = [&](thrust::device_vector<int>::iterator end) {
		thrust::host_vector<int> got(out.begin(), end);
		return got.size() == expected.size() && std::equal(expected.begin(), expected.end(), got.begin());
	};
	std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(expected));
	EXPECT(holds(thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin())));
	expected.clear();
	std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(expected));
	EXPECT(holds(thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out.begin())));
	expected.clear();
	std::set_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(expected));
	EXPECT(holds(thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(), out.begin())));
}

struct Drawn {
	__host__ __device__ float operator()(int place) const
	{
		thrust::default_random_engine engine(11);
		thrust::uniform_real_distribution<float> uniform(-1, 3);
		engine.discard(place);
		return uniform(engine);
	}
};

static void drawn(int count)
{
	thrust::device_vector<float> x(count);
	thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(count), x.begin(), Drawn());
	thrust::host_vector<float> got = x;
	bool right = true;
	unsigned long long state = 11; // minstd: each is 48271 times the one before, modulo 2^31 - 1
	for (int i = 0; i < count; i++) {
		state = state * 48271 % 2147483647;
		right &= fabs(got[i] - ((double)(state - 1) / 2147483645.0 * 4 - 1)) < 1e-5;
	}
	EXPECT(right && got[0] >= -1 && got[count - 1] < 3 && got[0] != got[1]);
}

int main()
{
	zipped(900);
	sets(700);
	drawn(200);
	vectors();
	complex_numbers();
	steps<thrust::device_vector<int>>(1000);
	steps<thrust::host_vector<int>>(100);
	ordered<thrust::device_vector<int>>(700);
	ordered<thrust::host_vector<int>>(300);
	scanned<thrust::device_vector<int>>(70000);
	scanned<thrust::host_vector<int>>(300);
	commuting(1000);
	policies();
	printf("thrust: %s\n", failures ? "FAILED" : "PASSED");
}
