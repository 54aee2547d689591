/* Addresses as initial values of variables in inline PTX, and the kernel's parameters by their names. */
#include <cstdio>
__device__ int outside[4] = {50, 51, 52, 53};
__constant__ int fixed[2] = {60, 61};
namespace a_name_that_is_long_enough_for_the_mangled_one_to_have_more_than_sixty_four_letters {
__device__ int there[2] = {70, 71};
}
extern "C" __device__ __noinline__ int plus_one(int a)
{
    return a + 1;
}
struct three {
    int a;
    short b;
    double c;
};
extern "C" __global__ void addresses(int *o)
{
    int r, s, t, u;
    asm volatile("{ .global .u32 v[2] = {7, 9}; .global .u64 a = v; .reg .u64 q; ld.global.u64 q, [a]; ld.global.u32 %0, [q+4]; }" : "=r"(r));
    asm volatile("{ .global .u32 v[2] = {7, 9}; .global .u64 a[3] = {v+4, generic(v), 5}; .reg .u64 q, p; ld.global.u64 q, [a]; ld.global.u64 p, [a+8];"
                 " ld.global.u32 %0, [q]; ld.u32 %1, [p]; ld.global.u32 %2, [a+16]; }" : "=r"(s), "=r"(t), "=r"(u));
    o[0] = r, o[1] = s, o[2] = t, o[3] = u;
    asm volatile("{ .const .b32 v[2] = {11, 12}; .const .align 8 .u64 a[2] = {0x10, generic(v) + 4}; .reg .u64 q; ld.const.u64 q, [a+8]; ld.u32 %0, [q]; }" : "=r"(r));
    asm volatile("{ .global .align 8 .u64 a[2][2] = {{outside+8}, {1, outside}}; .reg .u64 q, p; ld.global.u64 q, [a]; ld.global.u32 %0, [q];"
                 " ld.global.u64 p, [a+24]; ld.global.u32 %1, [p+4]; ld.global.u32 %2, [a+16]; }" : "=r"(s), "=r"(t), "=r"(u));
    o[4] = r, o[5] = s, o[6] = t, o[7] = u;
    asm volatile("{ .global .align 8 .u8 a[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0xff(generic(outside)+4), 0xff00(generic(outside)+4), 0xff0000(generic(outside)+4),"
                 " 0xff000000(generic(outside)+4), 0xff00000000(generic(outside)+4), 0xff0000000000(generic(outside)+4), 0xff000000000000(generic(outside)+4),"
                 " 0xff00000000000000(generic(outside)+4)}; .reg .u64 q; ld.global.u64 q, [a+8]; ld.global.u32 %0, [q]; ld.global.u32 %1, [a+4]; }" : "=r"(r), "=r"(s));
    asm volatile("{ .global .u64 f = plus_one; .reg .u64 q; ld.global.u64 q, [f]; p: .callprototype (.param .b32 _) _ (.param .b32 _); .param .b32 x, y; st.param.b32 [x], %1;"
                 " call (y), q, (x), p; ld.param.b32 %0, [y]; }" : "=r"(t) : "r"(20));
    asm volatile("{ .reg .u64 q; .global .u64 a = generic(fixed)+4; ld.global.u64 q, [a]; ld.u32 %0, [q]; }" : "=r"(u));
    o[8] = r, o[9] = s, o[10] = t, o[11] = u;
    asm volatile("ld.global.u32 %0, [_ZN83a_name_that_is_long_enough_for_the_mangled_one_to_have_more_than_sixty_four_letters5thereE+4];" : "=r"(r));
    o[12] = r + a_name_that_is_long_enough_for_the_mangled_one_to_have_more_than_sixty_four_letters::there[0];
}
__global__ void parameters(int *o, three v, short h, float f, int4 w)
{
    int r, s, t;
    short u;
    double d;
    float g;
    long long p;
    asm volatile("ld.param.u64 %0, [_Z10parametersPi5threesf4int4_param_0];" : "=l"(p));
    asm volatile("{ ld.param.u32 %0, [_Z10parametersPi5threesf4int4_param_1]; ld.param.s16 %1, [_Z10parametersPi5threesf4int4_param_1+4]; }" : "=r"(r), "=h"(u));
    asm volatile("ld.param.f64 %0, [_Z10parametersPi5threesf4int4_param_1+8];" : "=d"(d));
    o[13] = r, o[14] = u, o[15] = (int)(2 * d);
    asm volatile("ld.param.s16 %0, [_Z10parametersPi5threesf4int4_param_2]; ld.param::entry.f32 %1, [_Z10parametersPi5threesf4int4_param_3];" : "=h"(u), "=f"(g));
    asm volatile("ld.param.v2.u32 {%0, %1}, [_Z10parametersPi5threesf4int4_param_4+8]; ld.param.b32 %2, [_Z10parametersPi5threesf4int4_param_4];" : "=r"(r), "=r"(s), "=r"(t));
    o[16] = u, o[17] = (int)(4 * g), o[18] = r * 10000 + s * 100 + t;
    o[19] = p == (long long)o;
}
int main()
{
    const int want[20] = {9, 9, 7, 5, 12, 52, 51, 1, 51, 0x08070605, 21, 61, 141, 3, -4, 11, -9, 6, 30401, 1};
    int *o, h[20], bad = 0;
    cudaMalloc(&o, sizeof h);
    addresses<<<1, 1>>>(o);
    parameters<<<1, 1>>>(o, {3, -4, 5.5}, -9, 1.5f, {1, 2, 3, 4});
    bad = cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (int i = 0; i < 20; i++)
        if (h[i] != want[i])
            printf("value %d: %d, not %d\n", i, h[i], want[i]), bad = 1;
    printf("inline addresses and parameters: %s\n", bad ? "FAILED" : "PASSED");
    return bad;
}
