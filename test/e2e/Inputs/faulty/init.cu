// What is made of bits that nobody wrote. Each kernel has it on the line with the operation.
#include "faulty.h"
#define OF(name, ...)                                     \
    __global__ void name(int *o, const int *u) {          \
        int x = u[threadIdx.x];                           \
        o[threadIdx.x] = (int)(__VA_ARGS__);              \
    }
OF(doubled, x * 2)
OF(times_five, x * 5)
OF(right, x >> 1)
OF(low_byte, x & 0xff)
OF(one_set, x | 1)
OF(flipped, x ^ 7)
OF(to_float, (float)x)
OF(inverted, ~x)
OF(negated, -x)
OF(larger, x > 3 ? x : 3)
OF(bits, __popc(x))
OF(third, x / 3)
OF(as_char, (char)x)
OF(left, x << 5)
OF(reversed, __brev(x))
OF(permuted, __byte_perm(x, 0, 0x0123))
OF(difference, x - o[0])
OF(shifted_by, x << o[0])
OF(short_twice, (short)x * 2)
OF(to_half_bits, (x & 0x8000) ? 1 : 2)
OF(funnel, __funnelshift_l(x, x, 5))
OF(field, (x >> 4) & 0x3f)
// Bytes 0 and 1 are there, 2 and 3 are not.
__global__ void half_added(unsigned short *u, int *o) {
    u[2 * threadIdx.x] = 7;
    int word = ((int *)u)[threadIdx.x];
    o[threadIdx.x] = word + 1;
}
__global__ void half_decides(unsigned short *u, int *o) {
    u[2 * threadIdx.x] = 7;
    int word = ((int *)u)[threadIdx.x];
    if (word < 0)
        o[threadIdx.x] = 1;
}
struct fields {
    unsigned low : 5, middle : 11, high : 16;
};
__global__ void other_field(fields *u, int *o) {
    u[threadIdx.x].low = 3;
    o[threadIdx.x] = u[threadIdx.x].middle + 1;
}
__global__ void padded(int *o) {
    struct two {
        char c;
        int i;
    };
    __shared__ two s[64];
    s[threadIdx.x].c = 1;
    __syncthreads();
    if (s[63 - threadIdx.x].i > 2)
        o[threadIdx.x] = 1;
}
__global__ void wide(const double *u, double *o) {
    o[threadIdx.x] = u[threadIdx.x] + 1;
}
__global__ void local_partly(int *o, int k) {
    int a[8];
    for (int i = 0; i < k; i++)
        a[i] = i;
    o[threadIdx.x] = a[(k + threadIdx.x) & 7] > 0 ? 1 : 2;
}
__device__ __noinline__ int sum_of(const int *a, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i];
    return sum;
}
__global__ void local_by_pointer(int *o, int k) {
    int a[6];
    for (int i = 0; i < k; i++)
        a[i] = i;
    o[threadIdx.x] = sum_of(a, k + 1);
}
__device__ __noinline__ int kept(int at, int value, bool writes) {
    int a[8];
    if (writes)
        for (int i = 0; i < 8; i++)
            a[(i + at) & 7] = value;
    return a[at & 7];
}
__global__ void local_of_last_call(int *o, int k) {
    o[threadIdx.x] = kept(k, 5, true);
    o[threadIdx.x] = kept(k, 5, o[threadIdx.x] < 0) + 1;
}
// clang-format off
BEGIN()
#define RUN_OF(name) RUN(name, 1, 64, memory, fresh)
    RUN_OF(doubled) RUN_OF(times_five) RUN_OF(right) RUN_OF(low_byte) RUN_OF(one_set) RUN_OF(flipped) RUN_OF(to_float)
    RUN_OF(inverted) RUN_OF(negated) RUN_OF(larger) RUN_OF(bits) RUN_OF(third) RUN_OF(as_char) RUN_OF(left) RUN_OF(reversed)
    RUN_OF(permuted) RUN_OF(difference) RUN_OF(shifted_by) RUN_OF(short_twice) RUN_OF(to_half_bits) RUN_OF(funnel) RUN_OF(field)
    RUN(half_added, 1, 64, (unsigned short *)(fresh + 128), memory)
    RUN(half_decides, 1, 64, (unsigned short *)(fresh + 192), memory)
    RUN(other_field, 1, 64, (fields *)(fresh + 256), memory)
    RUN(padded, 1, 64, memory)
    RUN(wide, 1, 64, (const double *)fresh, (double *)memory)
    RUN(local_partly, 1, 64, memory, 3)
    RUN(local_by_pointer, 1, 64, memory, 3)
    RUN(local_of_last_call, 1, 64, memory, 3)
END()
