/* -ftz=true: -a and fabsf(a) take a denormal for a zero of the result's sign, wherever the value goes; integer
 * operations on its bits keep them. 1e-40f has the bits 0x000116c2. */
#include <cstdio>
#define BITS 0x000116c2u
__device__ __noinline__ float negated(float a) { return -a; }
__device__ __noinline__ unsigned bits(float a) { return __float_as_uint(a); }
__global__ void k(unsigned *o, float *f, float a, float b, float c, int which)
{
    int n = 0;
    o[n++] = __float_as_uint(-a);                                 /* -0 */
    o[n++] = __float_as_uint(fabsf(b));                           /* +0 */
    o[n++] = __float_as_uint(-fabsf(b));                          /* -0 */
    o[n++] = __float_as_uint(which ? -a : c);                     /* -0: a select */
    o[n++] = __float_as_uint(__shfl_sync(1, -b, 0));              /* +0: a shuffle */
    o[n++] = __float_as_uint(negated(a));                         /* -0: a return */
    o[n++] = bits(-a);                                            /* -0: an argument */
    float x = a;
    for (int i = 0; i < which; i++)
        x = -x;
    o[n++] = __float_as_uint(x);                                  /* -0: a loop */
    *f = -a, f[1] = fabsf(b);                                     /* -0, +0: stores */
    o[n++] = __float_as_uint(a) ^ 0x80000000u;                    /* bits stay, as keys of a sort need */
    o[n++] = __float_as_uint(b) & 0x7fffffffu;                    /* bits stay */
    o[n++] = __float_as_uint(-c), o[n++] = __float_as_uint(fabsf(-c * 0.5f)); /* normal: -3, 1.5 */
    o[n++] = (unsigned)(-__longlong_as_double(1) == __longlong_as_double(1LL << 63 | 1)); /* double keeps them */
    o[n++] = (unsigned)__double_as_longlong(fabs(__longlong_as_double(1LL << 63 | 5)));
    o[n++] = __float_as_uint(c - fabsf(c * -a)), o[n++] = __float_as_uint(fmaf(-a, c, c)); /* operands: 3, 3 */
}
int main()
{
    static const unsigned right[] = {0x80000000, 0, 0x80000000, 0x80000000, 0, 0x80000000, 0x80000000, 0x80000000,
                                     BITS | 0x80000000, BITS, 0xc0400000, 0x3fc00000, 1, 5, 0x40400000, 0x40400000,
                                     0x80000000, 0};
    unsigned *o, h[18];
    int bad = 0;
    cudaMalloc(&o, sizeof h);
    k<<<1, 1>>>(o, (float *)(o + 16), 1e-40f, -1e-40f, 3.0f, 1);
    bad = cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < 18; i++)
        if (h[i] != right[i])
            printf("%d: %x, not %x\n", i, h[i], right[i]), bad = 1;
    printf("signs: %s\n", bad ? "FAILED" : "PASSED");
    return bad;
}
