// Launches that libclang tells little or nothing about, in a source that compiles.
#include <new>

__global__ void plain(int *p) { if (p) *p = threadIdx.x; }
template <class T> __global__ void scale(T *p) { if (p) *p *= 2; }

// dependent
template <class T> void by_type(T n)
{
    dim3 b(n.x);
    plain<<<1, b>>>(nullptr);
    plain<<<n, T{}, n.y, n.s>>>(nullptr);
    n<<<1, 2>>>(n);
    T c = c;
    plain<<<c, c>>>(nullptr);
    scale<T><<<dim3(n), dim3(n, n)>>>(&n);
}
template <class... T> void by_pack(T... n) { (plain<<<1, n>>>(nullptr), ...); }
template <unsigned N> void by_value() { plain<<<1, N>>>(nullptr); }
template void by_value<96>();

// from each other
extern dim3 first;
dim3 second = first;
dim3 first = second;
void circles()
{
    dim3 self = self;
    plain<<<1, self>>>(nullptr);
    plain<<<1, first>>>(nullptr);
}

// through a pointer: nobody knows which kernel it is
extern "C" __global__ void named(int *p) { if (p) *p = 1; }
void pointer(void (*named)(int *)) { named<<<1, 32>>>(nullptr); }

// as constants
constexpr unsigned sum(unsigned n) { return n ? n + sum(n - 1) : 0; }
constexpr unsigned for_ever(unsigned n) { return n ? for_ever(n ^ 1) + for_ever(n ^ 2) : 0; }
void constants()
{
    plain<<<1, dim3(sum(10), 2)>>>(nullptr);
    plain<<<1, sum(4) * 8u, sum(3)>>>(nullptr);
    if (false)
        plain<<<1, for_ever(64)>>>(nullptr);
}

struct Thing { int n; };
__host__ __device__ Thing *construct(void *at) { return new (at) Thing{3}; }

// in an instance that its use asks for: there once, as written
template <class T> auto counted(T *p) { plain<<<1, 77>>>(p); return 3; }
int count() { int n = 0; return counted(&n); }
