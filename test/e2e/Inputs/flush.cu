/* -ftz=true: operations, conversions and functions take float denormals for zero and make none. What is right is what
 * the same function says of zero, or zero for a denormal result. */
#include <cmath>
#include <cstdio>
#include <cstring>
#define OPERATIONS                                                                                                          \
    /* a denormal argument: as of zero */                                                                                   \
    X(sqrtf(a), 0) X(rsqrtf(a), INFINITY) X(1.0f / a, INFINITY) X(-a / b, NAN) X(c / a, INFINITY) X(a + b, 0) X(a * c, 0)     \
    X(fmaf(a, c, b), 0) X(ceilf(a), 0) X(floorf(-a), 0) X(__float2int_ru(a), 0) X(__float2int_rd(-a), 0)                      \
    X(__float2uint_ru(a), 0) X(__float2ll_ru(a), 0) X(__float2ll_rd(-a), 0) X(__float2ull_ru(a), 0) X(__fadd_ru(a, c), c)     \
    X(__fadd_rn(a, b), 0) X(__fsub_rn(a, b), 0) X(__fsub_rz(c, a), c) X(__fmul_rn(a, c), 0) X(__fmul_rz(c, a), 0)             \
    X(__fmaf_rn(a, c, b), 0) X(__fmaf_rd(c, a, c), c) X(__fdiv_rn(a, b), NAN) X(__fdiv_rn(c, a), INFINITY)                    \
    X(__fdiv_rd(c, a), INFINITY) X(__frcp_rn(a), INFINITY) X(__frcp_rz(a), INFINITY) X(__fsqrt_rn(a), 0)                      \
    X(__fsqrt_ru(a), 0) X(__frsqrt_rn(a), INFINITY) X(__sinf(a), 0) X(__log2f(a), -INFINITY) X(__logf(a), -INFINITY)          \
    X(__powf(a, 0.5f), 0) X(__fdividef(c, a), INFINITY) X(sinf(a), 0) X(asinf(-a), 0) X(logf(a), -INFINITY)                   \
    X(cbrtf(a), 0) X(log1pf(a), 0) X(tanhf(a), 0) X(hypotf(a, b), 0) X(rcbrtf(a), INFINITY) X(a == 0 ? 7 : 8, 7)              \
    /* a denormal result */                                                                                                 \
    X(d / c, 0) X(__fdiv_rn(d, c), 0) X(__fdiv_ru(d, c), 0) X(__frcp_rn(e), 0) X(__frcp_ru(e), 0) X(__fmul_rn(d, 0.3f), 0)    \
    X(__fmul_ru(d, d), 0) X(__fsub_rn(d, d * 1.5f), 0) X(__fmaf_rz(d, 0.25f, 0.0f), 0) X(expf(-100.0f + a), 0)                \
    /* neither */                                                                                                           \
    X(c / 4.0f, 25000) X(__fdiv_rn(c, 4.0f), 25000) X(sqrtf(4.0f * c * c), 200000) X(__fsqrt_rz(4.0f + a), 2)                 \
    X(__frcp_ru(4.0f + b), 0.25) X(__float2int_rn(2.5f + a), 2)
__global__ void k(float *o, float a, float b, float c, float d, float e)
{
    int n = 0;
#define X(value, right) o[n++] = value;
    OPERATIONS
    o[n++] = __int_as_float(__float_as_int(a));
    o[n++] = copysignf(a, 1.0f);
    o[n++] = ldexpf(a, 0);
    int i;
    o[n++] = frexpf(a, &i);
#undef X
}
int main()
{
    float *o, h[128];
    int n = 0, bad = 0;
    cudaMalloc(&o, sizeof h);
    k<<<1, 1>>>(o, 1e-40f, 2e-40f, 1e5f, 1.5e-38f, 2e38f);
    bad = cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    float c = 1e5f;
#define X(value, right)                                                                                                     \
    if (!(h[n] == (float)(right) || (std::isnan(right) && std::isnan(h[n]))))                                               \
        printf("%s: %a, not %a\n", #value, h[n], (double)(right)), bad = 1;                                                \
    n++;
    OPERATIONS
    /* what looks at bits alone keeps them */
    bad |= h[n] != 1e-40f || h[n + 1] != 1e-40f || h[n + 2] != 1e-40f || h[n + 3] != (double)1e-40f * 0x1p132;
    printf("%d flushed: %s\n", n, bad ? "FAILED" : "PASSED");
    return bad;
}
