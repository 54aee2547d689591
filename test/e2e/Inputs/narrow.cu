// cuda_fp16.h and cuda_bf16.h: device results against numbers rounded by searching the format's own list of values.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { THREADS = 128, VALUES = 49 };

template <typename T> struct Pair;
template <> struct Pair<__half> {
    typedef __half2 type;
    static __device__ __half of(float x) { return __float2half(x); }
    static __device__ int rn(__half x) { return __half2int_rn(x); }
    static __device__ int rd(__half x) { return __half2int_rd(x); }
    static __device__ __half down(float x) { return __float2half_rd(x); }
    static __device__ __half up(float x) { return __float2half_ru(x); }
    static __device__ __half cut(float x) { return __float2half_rz(x); }
    static __device__ __half whole(long long x) { return __ll2half_rn(x); }
};
template <> struct Pair<__nv_bfloat16> {
    typedef __nv_bfloat162 type;
    static __device__ __nv_bfloat16 of(float x) { return __float2bfloat16(x); }
    static __device__ int rn(__nv_bfloat16 x) { return __bfloat162int_rn(x); }
    static __device__ int rd(__nv_bfloat16 x) { return __bfloat162int_rd(x); }
    static __device__ __nv_bfloat16 down(float x) { return __float2bfloat16_rd(x); }
    static __device__ __nv_bfloat16 up(float x) { return __float2bfloat16_ru(x); }
    static __device__ __nv_bfloat16 cut(float x) { return __float2bfloat16_rz(x); }
    static __device__ __nv_bfloat16 whole(long long x) { return __ll2bfloat16_rn(x); }
};

template <typename T> __device__ int bits(T x)
{
    unsigned short b;
    memcpy(&b, &x, 2);
    return b;
}

template <typename T> __global__ void compute(const unsigned *in, int *out, T *sums)
{
    typedef typename Pair<T>::type T2;
    unsigned a32 = in[3 * threadIdx.x], b32 = in[3 * threadIdx.x + 1], c32 = in[3 * threadIdx.x + 2];
    T2 a2, b2, c2;
    memcpy(&a2, &a32, 4);
    memcpy(&b2, &b32, 4);
    memcpy(&c2, &c32, 4);
    T a = a2.x, b = b2.x, c = c2.x;
    float x = __uint_as_float(b32);
    int *to = out + threadIdx.x * VALUES, n = 0;
    to[n++] = bits(a + b);
    to[n++] = bits(a - b);
    to[n++] = bits(a * b);
    to[n++] = bits(a / b);
    to[n++] = bits(__hfma(a, b, c));
    to[n++] = bits(hsqrt(__habs(a)));
    to[n++] = bits(Pair<T>::of(x));
    to[n++] = bits(Pair<T>::of(threadIdx.x & 1 ? NAN : x)); // which the optimizer could convert
    to[n++] = bits(Pair<T>::down(x));
    to[n++] = bits(Pair<T>::up(x));
    to[n++] = bits(Pair<T>::cut(x));
    to[n++] = bits(Pair<T>::whole((long long)(int)c32 << 20 | 1));
    to[n++] = Pair<T>::rn(a);
    to[n++] = Pair<T>::rd(a);
    to[n++] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 | __hltu(a, b) << 6 |
              __hne(a, b) << 7;
    to[n++] = bits(__hmax(a, b));
    to[n++] = bits(__hmin_nan(a, b));
    to[n++] = bits(__hadd_sat(a, b));
    T2 both = __hfma2(a2, b2, c2);
    to[n++] = bits(both.y);
    to[n++] = bits((a2 - b2).y);
    to[n++] = __hbge2(a2, b2) | __hisnan(a) << 1 | (__hisinf(b) & 3) << 2;
    to[n++] = __hgt2_mask(a2, b2);
    to[n++] = bits(hfloor(a));
    to[n++] = bits(hrint(b));
    to[n++] = bits(-a);
    to[n++] = bits(__shfl_xor_sync(~0u, a, 5));
    to[n++] = bits(__shfl_sync(~0u, b2, 3).y);
    to[n++] = bits(__ldg((const T *)in + threadIdx.x));
    T one = 1.0f, many = a;
    many += one;
    to[n++] = bits(many);
    to[n++] = bits(hexp2(T((float)(int)(threadIdx.x % 12) - 6)));
    atomicAdd(sums + threadIdx.x % 3, T((float)(threadIdx.x & 1)));
    T2 two;
    two.x = one;
    two.y = T(2.0f);
    atomicAdd((T2 *)sums + 2, two);
}

// The format: digits after the point, largest finite pattern.
static int fraction, largest, bad;

static double value_of(int pattern)
{
    int exponent = pattern >> fraction & (fraction == 10 ? 31 : 255), bias = fraction == 10 ? 15 : 127;
    double digits = pattern & ((1 << fraction) - 1), size;
    if ((pattern & 0x7fff) > largest)
        size = digits ? NAN : INFINITY;
    else
        size = exponent ? ldexp(digits + (1 << fraction), exponent - bias - fraction) : ldexp(digits, 1 - bias - fraction);
    return pattern & 0x8000 ? -size : size;
}

// mode: n, d, u, z. The pattern of `exact`, plus a little where `more` is 1, or less where it is -1.
static int rounded(double exact, int more, char mode)
{
    int sign = signbit(exact) ? 0x8000 : 0, low = 0, high = largest + 1;
    double size = fabs(exact);
    if (isnan(exact))
        return 0x7fff;
    more = sign ? -more : more;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (value_of(middle) < size || (value_of(middle) == size && more >= 0))
            low = middle;
        else
            high = middle;
    }
    if (isinf(exact) || (value_of(low) == size && !more))
        return sign | (isinf(exact) ? largest + 1 : low);
    double up = low == largest ? 2 * value_of(largest) - value_of(largest - 1) : value_of(high);
    double middle = (value_of(low) + up) / 2;
    bool away = mode == 'n' ? size > middle || (size == middle && (more > 0 || (!more && (low & 1)))) : mode == 'u' ? !sign : mode == 'd' ? sign != 0 : false;
    return sign | (away ? high : low);
}

static void expect(const char *what, int thread, int got, int want)
{
    double g = value_of(got), w = value_of(want);
    if (got != want && !(isnan(g) && isnan(w)) && bad++ < 12)
        printf("%s of thread %d: %#x instead of %#x\n", what, thread, got, want);
}
static void same(const char *what, int thread, int got, int want)
{
    if (got != want && bad++ < 12)
        printf("%s of thread %d: %d instead of %d\n", what, thread, got, want);
}

// a * b + c: the product is exact in a double; what the sum loses says where it lies.
static int fused(double a, double b, double c)
{
    double p = a * b, s = p + c, t = s - p, lost = (p - (s - t)) + (c - t);
    return rounded(s, isfinite(s) ? (lost > 0) - (lost < 0) : 0, 'n');
}

static int whole(double x, double limit)
{
    return isnan(x) ? 0 : x >= limit ? 2147483647 : x <= -limit ? -2147483647 - 1 : (int)x;
}

static void check(int t, const unsigned *in, const int *out)
{
    const unsigned *own = in + 3 * t;
    int pa = own[0] & 0xffff, pb = own[1] & 0xffff, n = 0;
    double a = value_of(pa), b = value_of(pb), c = value_of(own[2] & 0xffff);
    double ah = value_of(own[0] >> 16), bh = value_of(own[1] >> 16), ch = value_of(own[2] >> 16);
    float x;
    memcpy(&x, &own[1], 4);
    const int *o = out + t * VALUES;
    expect("a + b", t, o[n++], rounded(a + b, 0, 'n'));
    expect("a - b", t, o[n++], rounded(a - b, 0, 'n'));
    expect("a * b", t, o[n++], rounded(a * b, 0, 'n'));
    expect("a / b", t, o[n++], rounded(a / b, 0, 'n'));
    expect("fma", t, o[n++], fused(a, b, c));
    expect("sqrt", t, o[n++], rounded(sqrt(fabs(a)), 0, 'n'));
    expect("rn", t, o[n++], rounded(x, 0, 'n'));
    same("rn or NaN", t, o[n++], t & 1 || isnan(x) ? 0x7fff : rounded(x, 0, 'n'));
    expect("rd", t, o[n++], rounded(x, 0, 'd'));
    expect("ru", t, o[n++], rounded(x, 0, 'u'));
    expect("rz", t, o[n++], rounded(x, 0, 'z'));
    long long big = (long long)(int)own[2] << 20;
    expect("ll", t, o[n++], rounded((double)big, 1, 'n'));
    same("int rn", t, o[n++], whole(rint(a), 2147483648.0));
    same("int rd", t, o[n++], whole(floor(a), 2147483648.0));
    same("compare", t, o[n++], (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 |
                                   !(a >= b) << 6 | (a < b || a > b) << 7);
    expect("max", t, o[n++], isnan(a) ? pb : isnan(b) ? pa : a == b ? pa & pb : a > b ? pa : pb);
    expect("min", t, o[n++], isnan(a) || isnan(b) ? 0x7fff : a == b ? pa | pb : a < b ? pa : pb);
    double sum = value_of(rounded(a + b, 0, 'n'));
    expect("sat", t, o[n++], sum > 0 ? (sum < 1 ? rounded(a + b, 0, 'n') : rounded(1, 0, 'n')) : 0);
    expect("fma2", t, o[n++], fused(ah, bh, ch));
    expect("sub2", t, o[n++], rounded(ah - bh, 0, 'n'));
    same("classes", t, o[n++], (a >= b && ah >= bh) | isnan(a) << 1 | (isinf(b) ? b > 0 ? 1 : 3 : 0) << 2);
    same("mask", t, o[n++], (a > b ? 0xffff : 0) | (ah > bh ? 0xffff0000 : 0));
    expect("floor", t, o[n++], rounded(floor(a), 0, 'n'));
    expect("rint", t, o[n++], rounded(rint(b), 0, 'n'));
    same("neg", t, o[n++], pa ^ 0x8000);
    same("shfl", t, o[n++], in[3 * ((t & ~31) | ((t & 31) ^ 5))] & 0xffff);
    same("shfl2", t, o[n++], in[3 * ((t & ~31) | 3) + 1] >> 16);
    same("ldg", t, o[n++], in[t / 2] >> 16 * (t % 2) & 0xffff);
    expect("add one", t, o[n++], rounded(a + 1, 0, 'n'));
    expect("exp2", t, o[n++], rounded(exp2(t % 12 - 6), 0, 'n'));
}

template <typename T> static void run(int digits, int most)
{
    static unsigned in[3 * THREADS];
    static int out[THREADS * VALUES];
    unsigned seed = 5 + digits, *device_in;
    unsigned short sums[8];
    int *device_out;
    T *device_sums;
    fraction = digits;
    largest = most;
    for (unsigned i = 0; i < 3 * THREADS; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (seed ^ seed >> 15) * 2654435761u;
        if (i % 4 < 2) // numbers of like size
            in[i] = (in[i] & 0x87ff87ff) | (digits == 10 ? 0x38003800u : 0x40003f00u);
        if (i % 37 == 0)
            in[i] = 0x7c0000ff | (seed & 0x80000000u);
    }
    cudaMalloc(&device_in, sizeof in);
    cudaMalloc(&device_out, sizeof out);
    cudaMalloc(&device_sums, sizeof sums);
    cudaMemset(device_sums, 0, sizeof sums);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
    compute<T><<<1, THREADS>>>(device_in, device_out, device_sums);
    cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
    if (cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost))
        bad++;
    for (int t = 0; t < THREADS; t++)
        check(t, in, out);
    for (int i = 0; i < 3; i++) {
        int odd = 0;
        for (int t = i; t < THREADS; t += 3)
            odd += t & 1;
        expect("atomicAdd", i, sums[i], rounded(odd, 0, 'n'));
    }
    expect("atomicAdd of pairs", 0, sums[4], rounded(THREADS, 0, 'n'));
    expect("atomicAdd of pairs", 1, sums[5], rounded(2 * THREADS, 0, 'n'));
}

int main()
{
    run<__half>(10, 0x7bff);
    run<__nv_bfloat16>(7, 0x7f7f);
    for (int pattern = 0; pattern < 65536; pattern++) { // conversions on the host
        __half h = __ushort_as_half((unsigned short)pattern);
        fraction = 10, largest = 0x7bff;
        if (!__hisnan(h) && (__half2float(h) != (float)value_of(pattern) || __half_as_ushort(__float2half(__half2float(h))) != pattern))
            same("host half", pattern, __half_as_ushort(__float2half(__half2float(h))), pattern);
    }
    printf("narrow: %s\n", bad ? "FAILED" : "PASSED");
    return bad != 0;
}
