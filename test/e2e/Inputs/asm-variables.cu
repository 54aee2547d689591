/* Variables in global and constant memory, returns, places and pragmas in inline PTX. */
#include <cstdio>
__device__ __noinline__ int early(int a, int *o)
{
    if (a > 3)
        asm volatile("ret;");
    o[a] = 100 + a;
    return a;
}
__device__ __noinline__ void early_void(int a, int *o)
{
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %0, 3; @p ret.uni; }" ::"r"(a));
    o[a] = 200 + a;
}
__global__ void k(int *o)
{
    int a = threadIdx.x, r = 0, s = 0, t, u;
    float f;
    double d;
    asm volatile("{ .global .b32 gx = 7; ld.global.b32 %0, [gx]; }" : "=r"(r));
    asm volatile("{ .const .b32 cx[2] = {7, 8}; .reg .u64 q; mov.u64 q, cx; ld.const.b32 %0, [cx+4]; ld.const.b32 %1, [q]; }" : "=r"(s), "=r"(t));
    asm volatile("{ .global .align 8 .u8 gb[] = {1, 2, 3, 0x44}; ld.global.b32 %0, [gb]; }" : "=r"(u));
    asm volatile("{ .global .f32 gf[3] = {1.5, 0f40000000}; .global .f64 gd = 2.25; ld.global.f32 %0, [gf+4]; ld.global.f64 %1, [gd]; }" : "=f"(f), "=d"(d));
    const int first[] = {r, s, t, u, (int)f, (int)(4 * d)};
    for (int i = 0; i < 6; i++)
        o[a * 16 + i] = first[i];
    asm volatile("{ .global .s16 m[2][3] = {{1, -2}, {3}}; .reg .s16 h; ld.global.s16 h, [m+2]; cvt.s32.s16 %0, h; ld.global.s16 h, [m+6]; cvt.s32.s16 %1, h; }" : "=r"(r), "=r"(s));
    o[a * 16 + 6] = r; o[a * 16 + 7] = s;
    asm volatile(".loc 1 5 3\n\t.pragma \"nounroll\"; mov.u32 %0, 4;" : "=r"(r));
    o[a * 16 + 8] = r;
    o[a * 16 + 9] = early(a, o + 1024) == a || a > 3;
    early_void(a, o + 2048);
    asm volatile("{ .global .b32 count; atom.global.add.u32 %0, [count], 1; }" : "=r"(r));
    o[a * 16 + 10] = r < 64;
    asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, 9; @p ret; }" ::"r"(a));
    o[a * 16 + 11] = 1;
}
int main()
{
    static int h[4096];
    int *o, bad = 0;
    cudaMalloc(&o, 16384);
    cudaMemset(o, 0, 16384);
    k<<<1, 64>>>(o);
    bad = cudaMemcpy(h, o, 16384, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int a = 0; a < 64; a++) {
        const int want[12] = {7, 8, 7, 0x44030201, 2, 9, -2, 3, 4, 1, 1, a != 9};
        for (int i = 0; i < 12; i++)
            if (h[a * 16 + i] != want[i]) {
                printf("thread %d, value %d: %d, not %d\n", a, i, h[a * 16 + i], want[i]);
                bad = 1;
            }
        bad |= h[1024 + a] != (a > 3 ? 0 : 100 + a) || h[2048 + a] != (a > 3 ? 0 : 200 + a);
    }
    printf("inline variables and returns: %s\n", bad ? "FAILED" : "PASSED");
    return bad;
}
