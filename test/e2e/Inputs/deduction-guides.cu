/* Deduction guides of a program, on both sides: of namespaces, classes, with explicit, and beside functions that look like one. */
#include <cstdio>

namespace shapes
{
template <class A, class B> struct pair {
	A a;
	B b;
	template <class... T> __host__ __device__ constexpr pair(T... all) : a(), b()
	{
		int i = 0;
		((i++ ? void(b = B(all)) : void(a = A(all))), ...);
	}
};
template <class A, class B> pair(A, B) -> pair<A, B>;
template <class A> explicit pair(A (*)()) -> pair<A, char>;

struct outer {
	template <class T> struct inner {
		T value;
		template <class... A> __host__ __device__ constexpr inner(A... all) : value((0 + ... + all)) {}
	};
	template <class T, class... More> inner(T, More...) -> inner<T>;
	outer *next;
	__host__ __device__ static outer *inner_of(outer *o) { return o; }
	__host__ __device__ int walk(outer *o) { return inner_of(o)->next == nullptr; }
};
} // namespace shapes

/* Functions of one side stay so. */
template <class T> auto side(T) -> int
{
	return 1;
}
template <class T> __device__ auto side(T) -> int
{
	return 2;
}

template <class T> __host__ __device__ double both(T scale)
{
	shapes::pair p(scale, 2);
	shapes::outer::inner sum(scale, 1, 1);
	static_assert(sizeof p.b == sizeof(int) && sizeof sum.value == sizeof(T));
	return p.a * 10 + p.b + sum.value;
}

__global__ void device(double *out)
{
	shapes::outer chain = {nullptr};
	*out = both(0.25) + side(0) + chain.walk(&chain);
}

int main()
{
	double *out;
	cudaMallocManaged(&out, sizeof *out);
	device<<<1, 1>>>(out);
	cudaDeviceSynchronize();
	shapes::outer chain = {nullptr};
	printf("%g %g\n", both(0.25) + side(0) + chain.walk(&chain), *out);
}
