// What published programs use beside the common part of CUDA: functions for both sides that ask about errors, DPX,
// conversions between the 16-bit formats, and parameters of more than 4 KB.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if __CUDACC__ != 1 || __NVCC__ != 1
#error "as nvcc defines them"
#endif

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("gaps: FAILED at line %d: %s\n", __LINE__, #condition);    \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

/* ---- errors, from either side */

__host__ __device__ int length_of(cudaError_t error)
{
    int n = 0;
    for (const char *text = cudaGetErrorString(error); *text; text++)
        n++;
    for (const char *name = cudaGetErrorName(error); *name; name++)
        n += 1000;
    return cudaGetLastError() == cudaSuccess && cudaPeekAtLastError() == cudaSuccess ? n : -1;
}
__global__ void lengths(int *out)
{
    out[0] = length_of(cudaErrorInvalidValue);
    out[1] = length_of((cudaError_t)12345);
    int count = 0, device = 1;
    cudaGetDeviceCount(&count);
    cudaGetDevice(&device);
    int *memory;
    out[2] = cudaMalloc((void **)&memory, 64) == cudaSuccess && memory ? count + device : -1;
    cudaFree(memory);
}

/* ---- DPX: each function against its definition in wide integers, on both sides */

__host__ __device__ long long clip(long long v, bool relu) { return relu && v < 0 ? 0 : v; }
__host__ __device__ long long greater(long long a, long long b) { return a > b ? a : b; }
__host__ __device__ long long lesser(long long a, long long b) { return a < b ? a : b; }

/* `Number` is one operand; `wide_sum` wraps as the type does. */
template <class Number> __host__ __device__ long long wrapped(long long a, long long b) { return (Number)(a + b); }

#define CHECK3(call, expected) wrong += (long long)(call) != (long long)(expected)
#define CHECK_WORDS(suffix, type, relus)                                                                      \
    CHECK3(__vimax3_##suffix(a, b, c), greater(greater(a, b), c));                                            \
    CHECK3(__vimin3_##suffix(a, b, c), lesser(lesser(a, b), c));                                              \
    CHECK3(__viaddmax_##suffix(a, b, c), greater(wrapped<type>(a, b), c));                                    \
    CHECK3(__viaddmin_##suffix(a, b, c), lesser(wrapped<type>(a, b), c));                                     \
    {                                                                                                         \
        bool first;                                                                                           \
        CHECK3(__vibmax_##suffix(a, b, &first), greater(a, b));                                               \
        CHECK3(first, a >= b);                                                                                \
        CHECK3(__vibmin_##suffix(a, b, &first), lesser(a, b));                                                \
        CHECK3(first, a <= b);                                                                                \
    }

__host__ __device__ int wrong_words(int a, int b, int c)
{
    int wrong = 0;
    {
        CHECK_WORDS(s32, int, 1)
        CHECK3(__vimax_s32_relu(a, b), clip(greater(a, b), true));
        CHECK3(__vimin_s32_relu(a, b), clip(lesser(a, b), true));
        CHECK3(__vimax3_s32_relu(a, b, c), clip(greater(greater(a, b), c), true));
        CHECK3(__vimin3_s32_relu(a, b, c), clip(lesser(lesser(a, b), c), true));
        CHECK3(__viaddmax_s32_relu(a, b, c), clip(greater(wrapped<int>(a, b), c), true));
        CHECK3(__viaddmin_s32_relu(a, b, c), clip(lesser(wrapped<int>(a, b), c), true));
    }
    {
        unsigned int x = (unsigned int)a, y = (unsigned int)b, z = (unsigned int)c;
        unsigned int a = x, b = y, c = z;
        CHECK_WORDS(u32, unsigned int, 0)
    }
    return wrong;
}

/* The expected word of two halves, each by `f` of numbers of type H. */
template <class H, class F> __host__ __device__ unsigned int halves(unsigned int a, unsigned int b, unsigned int c, F f)
{
    unsigned int out = 0;
    for (int s = 0; s < 32; s += 16)
        out |= (unsigned int)(unsigned short)f((long long)(H)(a >> s), (long long)(H)(b >> s), (long long)(H)(c >> s)) << s;
    return out;
}
template <class H> struct SumMost {
    bool relu;
    __host__ __device__ long long operator()(long long a, long long b, long long c) const
    {
        return clip(greater(wrapped<H>(a, b), c), relu);
    }
};
template <class H> struct SumLeast {
    bool relu;
    __host__ __device__ long long operator()(long long a, long long b, long long c) const
    {
        return clip(lesser(wrapped<H>(a, b), c), relu);
    }
};
struct Most {
    bool relu;
    __host__ __device__ long long operator()(long long a, long long b, long long c) const
    {
        return clip(greater(greater(a, b), c), relu);
    }
};
struct Least {
    bool relu;
    __host__ __device__ long long operator()(long long a, long long b, long long c) const
    {
        return clip(lesser(lesser(a, b), c), relu);
    }
};
template <class H> __host__ __device__ bool at_least(unsigned int a, unsigned int b) { return (H)a >= (H)b; }

__host__ __device__ int wrong_halves(unsigned int a, unsigned int b, unsigned int c)
{
    int wrong = 0;
    CHECK3(__viaddmax_s16x2(a, b, c), halves<short>(a, b, c, SumMost<short>{false}));
    CHECK3(__viaddmax_u16x2(a, b, c), halves<unsigned short>(a, b, c, SumMost<unsigned short>{false}));
    CHECK3(__viaddmin_s16x2(a, b, c), halves<short>(a, b, c, SumLeast<short>{false}));
    CHECK3(__viaddmin_u16x2(a, b, c), halves<unsigned short>(a, b, c, SumLeast<unsigned short>{false}));
    CHECK3(__viaddmax_s16x2_relu(a, b, c), halves<short>(a, b, c, SumMost<short>{true}));
    CHECK3(__viaddmin_s16x2_relu(a, b, c), halves<short>(a, b, c, SumLeast<short>{true}));
    CHECK3(__vimax3_s16x2(a, b, c), halves<short>(a, b, c, Most{false}));
    CHECK3(__vimax3_u16x2(a, b, c), halves<unsigned short>(a, b, c, Most{false}));
    CHECK3(__vimin3_s16x2(a, b, c), halves<short>(a, b, c, Least{false}));
    CHECK3(__vimin3_u16x2(a, b, c), halves<unsigned short>(a, b, c, Least{false}));
    CHECK3(__vimax3_s16x2_relu(a, b, c), halves<short>(a, b, c, Most{true}));
    CHECK3(__vimin3_s16x2_relu(a, b, c), halves<short>(a, b, c, Least{true}));
    CHECK3(__vimax_s16x2_relu(a, b), halves<short>(a, b, b, Most{true}));
    CHECK3(__vimin_s16x2_relu(a, b), halves<short>(a, b, b, Least{true}));
    bool high, low;
    CHECK3(__vibmax_s16x2(a, b, &high, &low), halves<short>(a, b, b, Most{false}));
    CHECK3(high, at_least<short>(a >> 16, b >> 16));
    CHECK3(low, at_least<short>(a, b));
    CHECK3(__vibmin_s16x2(a, b, &high, &low), halves<short>(a, b, b, Least{false}));
    CHECK3(high, at_least<short>(b >> 16, a >> 16));
    CHECK3(low, at_least<short>(b, a));
    CHECK3(__vibmax_u16x2(a, b, &high, &low), halves<unsigned short>(a, b, b, Most{false}));
    CHECK3(high, at_least<unsigned short>(a >> 16, b >> 16));
    CHECK3(low, at_least<unsigned short>(a, b));
    CHECK3(__vibmin_u16x2(a, b, &high, &low), halves<unsigned short>(a, b, b, Least{false}));
    CHECK3(high, at_least<unsigned short>(b >> 16, a >> 16));
    CHECK3(low, at_least<unsigned short>(b, a));
    return wrong;
}
__host__ __device__ int number(unsigned int i)
{
    const int edges[] = {0, 1, -1, INT_MAX, INT_MIN, 0x7fff8000, (int)0x80007fff, 0x0001ffff, (int)0xffff0000, 12345};
    return edges[i % 10];
}
__global__ void dpx(int *wrong)
{
    for (unsigned int i = threadIdx.x; i < 1000; i += blockDim.x) {
        int a = number(i), b = number(i / 10), c = number(i / 100);
        atomicAdd(wrong, wrong_words(a, b, c) + wrong_halves((unsigned)a, (unsigned)b, (unsigned)c));
    }
}

/* ---- between the formats of 16 bits */

__host__ __device__ int wrong_casts()
{
    __nv_bfloat16 b = __float2bfloat16(1.0078125f); /* 1 + 2^-7 has a place in both */
    __half h = (__half)b;
    int wrong = __half2float(h) != 1.0078125f;
    __half fine = __float2half(1.0009765625f); /* 1 + 2^-10 is 1 in bfloat16 */
    b = __nv_bfloat16(fine);
    wrong += __bfloat162float(b) != 1.0f;
    b = static_cast<__nv_bfloat16>(__float2half(65504.0f)); /* rounds up to 65536 */
    wrong += __bfloat162float(b) != 65536.0f;
    h = b; /* and is too large for the way back */
    wrong += __half_as_ushort(h) != 0x7c00;
    return wrong;
}
__global__ void casts(int *wrong) { *wrong = wrong_casts(); }

/* ---- parameters */

struct Large {
    int values[8000];
};
__global__ void sum(const Large large, const __grid_constant__ int last, int *out)
{
    atomicAdd(out, large.values[threadIdx.x * 100] + (threadIdx.x == 0 ? last + large.values[7999] : 0));
}

int main()
{
    int *out, total = 0;
    OK(cudaMallocManaged(&out, 64));
    lengths<<<1, 1>>>(out);
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == length_of(cudaErrorInvalidValue) && out[0] == 21016);
    EXPECT(out[1] == length_of((cudaError_t)12345) && out[2] == 1);

    out[0] = 0;
    dpx<<<1, 128>>>(out);
    OK(cudaDeviceSynchronize());
    for (unsigned int i = 0; i < 1000; i++) {
        int a = number(i), b = number(i / 10), c = number(i / 100);
        total += wrong_words(a, b, c) + wrong_halves((unsigned)a, (unsigned)b, (unsigned)c);
    }
    EXPECT(out[0] == 0 && total == 0);

    casts<<<1, 1>>>(out);
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 0 && wrong_casts() == 0);

    static Large large;
    for (int i = 0; i < 8000; i++)
        large.values[i] = i;
    out[0] = 0;
    sum<<<1, 64>>>(large, 1000000, out);
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 63 * 32 * 100 + 7999 + 1000000);
    puts("gaps: PASSED");
}
