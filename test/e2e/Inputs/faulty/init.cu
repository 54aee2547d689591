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
// Fields that another kernel writes; their memory anew, copied over, in another block's place.
__global__ void write_low(fields *u) {
    u[threadIdx.x].low = 3;
}
__global__ void read_low(fields *u, int *o) {
    o[threadIdx.x] = u[threadIdx.x].low + 1;
}
__global__ void read_middle(fields *u, int *o) {
    o[threadIdx.x] = u[threadIdx.x].middle + 1;
}
__global__ void put_byte(char *u, const char *from) {
    u[4 * threadIdx.x] = from[4 * threadIdx.x];
}
__global__ void shared_field(int *o) {
    __shared__ fields field[12000];
    if (blockIdx.x == 0)
        field[threadIdx.x].low = 3;
    __syncthreads();
    if (blockIdx.x > 0)
        o[threadIdx.x] = field[threadIdx.x].low + 1;
}
__global__ void each_byte(const char *u, int *o) {
    o[threadIdx.x] = u[threadIdx.x] + 1;
}
// The low byte of what nobody wrote, through an array of the thread.
__global__ void cut_in_array(int *o, const int *u, int k) {
    int a[4] = {1, 2, 3, 4};
    a[k & 3] = u[threadIdx.x] & 0xff;
    o[threadIdx.x] = a[(k + (int)threadIdx.x / 64) & 3];
}
// Bytes of an array, beside those that are written: the sign of one; of one that was made.
__global__ void local_byte(int *o, int k, int at) {
    signed char a[32];
    for (int i = 0; i < k; i++)
        a[i + 1] = i;
    int upper;
    asm volatile("{ .reg .b32 x; ld.s8 x, [%1]; shr.u32 %0, x, 20; }" : "=r"(upper) : "l"(a + (at & 31)) : "memory");
    o[threadIdx.x] = upper;
}
__global__ void local_byte_made(int *o, const int *u, int k) {
    int a[8];
    a[k & 7] = u[threadIdx.x] * 2;
    ((char *)o)[threadIdx.x] = ((const char *)a)[4 * k + 1];
}
#include <cuda_pipeline.h>
// Where a value is used, and what becomes of it on the way there.
__global__ void third_word(int *o, const int4 *u) {
    int4 all = u[threadIdx.x];
    all.z += 1;
    ((int4 *)o)[threadIdx.x] = all;
}
__global__ void sign_of_char(int *o, const signed char *u) {
    int upper;
    asm volatile("{ .reg .b32 x; ld.global.s8 x, [%1]; shr.u32 %0, x, 20; }" : "=r"(upper) : "l"(u + threadIdx.x));
    o[threadIdx.x] = upper;
}
__global__ void char_as_int(int *o, const unsigned char *u) {
    o[threadIdx.x] = u[threadIdx.x];
}
__global__ void short_as_int(int *o, const unsigned short *u) {
    o[threadIdx.x] = u[threadIdx.x];
}
__global__ void char_of_neighbour(int *o, const unsigned char *u) {
    o[threadIdx.x] = __shfl_xor_sync(~0u, (int)u[threadIdx.x], 1);
}
__global__ void lane_of_shuffle(int *o, const int *u) {
    o[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, u[threadIdx.x] & 31);
}
__global__ void table_of_branches(int *o, const int *u) {
    int x = o[threadIdx.x];
    switch (u[threadIdx.x] & 7) {
    case 0: x = __ffs(x); o[1] = 1; break;
    case 1: x = x * 3; o[2] = x; break;
    case 2: x = __brev(x); o[3] = x; break;
    case 3: x = __popc(x); o[4] = 7; break;
    case 4: x = x / 3; o[5] = x; break;
    case 5: x = x ^ 7; o[6] = x; break;
    case 6: x = __clz(x); o[7] = x; break;
    default: x = x + 1; o[8] = x; break;
    }
}
__global__ void upper_address(int *o, const unsigned *u) {
    unsigned long long to = (unsigned long long)(o + threadIdx.x);
    unsigned high = (unsigned)(to >> 32) ^ u[threadIdx.x];
    *(int *)((unsigned long long)high << 32 | (unsigned)to) = 1;
}
__global__ void told_once(volatile int *o, const int *u) {
    o[threadIdx.x] = u[threadIdx.x] * 2;
    o[64 + threadIdx.x] = o[threadIdx.x] + 1;
}
__global__ void flipped_there(int *u) {
    u[threadIdx.x] ^= 7;
}
__global__ void halves_swapped(unsigned short *u, int *o) {
    u[2 * threadIdx.x] = 7;
    o[threadIdx.x] = __byte_perm(((volatile int *)u)[threadIdx.x], 0, 0x1032);
}
__global__ void equal_to_known(int *o, const int *u) {
    int known = ((volatile int *)o)[threadIdx.x] + threadIdx.x * 977 + 12345;
    o[threadIdx.x] = u[threadIdx.x] == known ? 1 : 2;
}
__global__ void maybe_added(int *o, const int *u) {
    int x = o[threadIdx.x];
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 3; @p add.s32 %0, %0, 7; }" : "+r"(x) : "r"(u[threadIdx.x]));
    o[threadIdx.x] = x;
}
__global__ void maybe_greater(int *o, const int *u) {
    int x;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 q, %2, 0; setp.gt.s32 p, %1, 3; @p setp.eq.s32 q, %2, 0; selp.s32 %0, 1, 2, q; }"
                 : "=r"(x) : "r"(u[threadIdx.x]), "r"(o[threadIdx.x]));
    o[threadIdx.x] = x;
}
// Of shared memory, through a pointer that may be to any.
__global__ void by_pointer(int *o) {
    __shared__ int s[64];
    const volatile int *from = threadIdx.x & 1 ? s + threadIdx.x : o + 64;
    o[threadIdx.x] = *from + 1;
}
// Asynchronous copies of what nobody wrote, to where nobody knows.
__global__ void copied_later(int *o, const int *u) {
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &u[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    o[threadIdx.x] = s[threadIdx.x] + 1;
}
__global__ void copied_somewhere(int *o, const int *u) {
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[u[threadIdx.x] & 63], &o[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}
// They write no more than they are told to.
__global__ void behind_copied(int *o, const int *u) {
    __shared__ int s[128];
    __pipeline_memcpy_async(&s[2 * threadIdx.x], &o[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    o[threadIdx.x] = s[2 * threadIdx.x + 1] + 1;
}
static fields *of_fresh_fields() {
    fields *made;
    cudaMalloc(&made, 64 * sizeof(fields));
    write_low<<<1, 64>>>(made);
    return made;
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
    RUN(read_middle, 1, 64, of_fresh_fields(), memory)
    if (wants(argc, argv, "field_again")) {
        cudaFree(of_fresh_fields());
        fields *again;
        cudaMalloc(&again, 64 * sizeof(fields));
        read_low<<<1, 64>>>(again, memory);
    }
    if (wants(argc, argv, "field_overwritten")) {
        fields *over = of_fresh_fields();
        put_byte<<<1, 64>>>((char *)over, (const char *)fresh);
        read_low<<<1, 64>>>(over, memory);
    }
    RUN(shared_field, 8, 64, memory)
    if (wants(argc, argv, "each_byte")) {
        cudaMemset((char *)fresh + 3, 0, 22);
        each_byte<<<1, 32>>>((const char *)fresh, memory);
    }
    if (wants(argc, argv, "copied_by_host")) {
        cudaMemcpy(memory + 64, fresh, 256, cudaMemcpyDeviceToDevice);
        doubled<<<1, 64>>>(memory, memory + 64);
    }
    RUN(cut_in_array, 1, 64, memory, fresh, 3)
    RUN(local_byte, 1, 64, memory, 2, 3)
    if (wants(argc, argv, "local_byte_beside"))
        local_byte<<<1, 64>>>(memory, 2, 6);
    RUN(third_word, 1, 64, memory, (const int4 *)fresh)
    RUN(sign_of_char, 1, 64, memory, (const signed char *)fresh)
    RUN(char_as_int, 1, 64, memory, (const unsigned char *)fresh)
    RUN(short_as_int, 1, 64, memory, (const unsigned short *)fresh)
    RUN(char_of_neighbour, 1, 64, memory, (const unsigned char *)fresh)
    RUN_OF(lane_of_shuffle) RUN_OF(table_of_branches) RUN(upper_address, 1, 64, memory, (const unsigned *)fresh)
    RUN_OF(told_once) RUN(flipped_there, 1, 64, fresh) RUN(halves_swapped, 1, 64, (unsigned short *)fresh, memory)
    RUN_OF(equal_to_known) RUN_OF(maybe_added) RUN_OF(maybe_greater) RUN(by_pointer, 1, 64, memory) RUN_OF(copied_later) RUN_OF(copied_somewhere)
    RUN_OF(behind_copied)
    RUN(local_byte_made, 1, 64, memory, fresh, 1)
END()
