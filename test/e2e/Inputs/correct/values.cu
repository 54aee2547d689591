// Memory that is written in parts, and values of which only some bits mean something.
#include "correct.h"
#include <cuda_pipeline.h>

enum { THREADS = 64 };

// Fields of a word, put in one after the other; the others stay what they were.
struct fields {
    unsigned low : 5, middle : 11, high : 16;
};
__global__ void bit_fields(fields *words, int *out) {
    fields *mine = words + threadIdx.x;
    mine->middle = threadIdx.x;
    mine->low = 3;
    out[threadIdx.x] = mine->middle * 2 + mine->low;
}
__global__ void read_fields(const fields *words, int *out) {
    out[threadIdx.x] += words[threadIdx.x].middle * 4;
}
static bool bit_fields_passes() {
    device<fields> words(THREADS, false);
    device<int> out(THREADS, false);
    bit_fields<<<1, THREADS>>>(words, out);
    read_fields<<<1, THREADS>>>(words, out);
    return out.at(9) == 21 + 36;
}

// One field of a word, by a kernel of its own.
__global__ void write_low(fields *words) {
    words[threadIdx.x].low = threadIdx.x;
}
__global__ void read_low(const fields *words, int *out) {
    out[threadIdx.x] = words[threadIdx.x].low * 2;
}
static bool one_field_passes() {
    device<fields> words(THREADS, false);
    device<int> out(THREADS, false);
    write_low<<<1, THREADS>>>(words);
    read_low<<<1, THREADS>>>(words, out);
    return out.at(9) == 18;
}

// In shared memory, by shifts and masks, and a test of one bit.
__global__ void flag_bits(int *out) {
    __shared__ unsigned words[THREADS];
    unsigned *mine = words + threadIdx.x;
    *mine = (*mine & ~0xf0u) | 0x50u;
    *mine &= 0x00ffu;
    *mine |= 0xf00u;
    if (*mine >> 6 & 1)
        out[threadIdx.x] = *mine >> 4 & 0xff;
    else
        out[threadIdx.x] = -1;
}
static bool flag_bits_passes() {
    device<int> out(THREADS, false);
    flag_bits<<<1, THREADS>>>(out);
    return out.at(3) == 0xf5;
}

// Structures with padding, copied as a whole and through shared memory.
struct padded {
    char tag;
    int number;
    char more;
    double value;
};
__global__ void padded_copies(padded *from, padded *to, int *out) {
    __shared__ padded box[THREADS];
    int t = threadIdx.x;
    from[t].tag = 'a';
    from[t].number = t;
    from[t].more = 'b';
    from[t].value = t * .5;
    memcpy(&box[t], &from[t], sizeof(padded));
    __syncthreads();
    padded local = box[THREADS - 1 - t];
    to[t] = local;
    out[t] = to[t].number + (int)to[t].value + to[t].tag - 'a';
}
static bool padded_copies_passes() {
    device<padded> from(THREADS, false), to(THREADS, false), host_copy(THREADS, false);
    device<int> out(THREADS, false);
    padded_copies<<<1, THREADS>>>(from, to, out);
    cudaMemcpy(host_copy, to, THREADS * sizeof(padded), cudaMemcpyDeviceToDevice);
    return out.at(0) == THREADS - 1 + (THREADS - 1) / 2 && host_copy.at(1).number == THREADS - 2;
}

// Four words are loaded, and three of them mean something.
__global__ void three_of_four(const float4 *points, float *out) {
    float4 point = points[threadIdx.x];
    out[threadIdx.x] = point.x + point.y * point.z;
}
__global__ void write_three(float4 *points) {
    points[threadIdx.x].x = 1;
    points[threadIdx.x].y = threadIdx.x;
    points[threadIdx.x].z = 2;
}
static bool three_of_four_passes() {
    device<float4> points(THREADS, false);
    device<float> out(THREADS, false);
    write_three<<<1, THREADS>>>(points);
    three_of_four<<<1, THREADS>>>(points, out);
    return out.at(7) == 15;
}

// Bytes are written one by one and read as words: packed, swapped, cut, and as a length of text.
__global__ void bytes_of_words(unsigned char *bytes, unsigned *out) {
    unsigned char *mine = bytes + 8 * threadIdx.x;
    mine[0] = 1;
    mine[1] = 2;
    mine[2] = threadIdx.x;
    mine[4] = 'x';
    mine[5] = 0;
    const unsigned *words = (const unsigned *)mine;
    unsigned cut = words[0] & 0xffffff, swapped = __byte_perm(words[0], 0, 0x4012);
    unsigned shifted = words[0] << 8 >> 16, text = words[1];
    unsigned zeros = (text - 0x0101u) & ~text & 0x8080u;
    out[threadIdx.x] = cut + swapped + shifted + (__ffs(zeros) / 8 - 1) + (unsigned char)text;
}
static bool bytes_of_words_passes() {
    device<unsigned char> bytes(8 * THREADS, false);
    device<unsigned> out(THREADS, false);
    bytes_of_words<<<1, THREADS>>>(bytes, out);
    return out.at(5) == 0x050201u + 0x010205u + 0x0502u + 1 + 'x';
}

// The sign, the exponent, the upper half: of words whose lower bytes nobody wrote.
__global__ void upper_halves(unsigned short *halves, int *out) {
    halves[2 * threadIdx.x + 1] = 0x8000 + threadIdx.x;
    int word = ((int *)halves)[threadIdx.x];
    out[threadIdx.x] = (word < 0) + (word >> 16) + __popc(word & 0xffff0000) + (int)((unsigned)word >> 31);
}
static bool upper_halves_passes() {
    device<unsigned short> halves(2 * THREADS, false);
    device<int> out(THREADS, false);
    upper_halves<<<1, THREADS>>>(halves, out);
    return out.at(3) == 1 + (int)0xffff8003 + 3 + 1;
}

// What is past the end is loaded, too, and not taken.
__global__ void selected(const int *in, int *out, int count) {
    int value = in[threadIdx.x], most = -1;
    value = threadIdx.x < count ? value : 0;
    for (int by = 16; by; by /= 2)
        value = max(value, __shfl_xor_sync(~0u, value, by));
    most = value;
    out[threadIdx.x] = most;
}
static bool selected_passes() {
    device<int> in(THREADS, false), out(THREADS, false);
    cudaMemset(in, 1, 4 * 20);
    selected<<<1, 32>>>(in, out, 20);
    return out.at(31) == 0x01010101;
}

// Arrays of a thread: parts are written and read by index, sorted, returned, handed on by pointer.
struct small {
    char kind;
    int values[6];
};
__device__ __noinline__ small make(int count, int seed) {
    small made;
    made.kind = count;
    for (int i = 0; i < count; i++)
        made.values[i] = (seed * 7 + i * 5) % 11;
    return made;
}
__device__ __noinline__ void sort(int *values, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
            int other = values[j];
            values[j] = values[j - 1];
            values[j - 1] = other;
        }
}
__global__ void local_arrays(const int *counts, int *out) {
    int count = counts[threadIdx.x];
    small mine = make(count, threadIdx.x), copy = mine;
    sort(copy.values, count);
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 11 + copy.values[i];
    out[threadIdx.x] = sum + copy.kind;
}
static bool local_arrays_passes() {
    int counts[THREADS];
    for (int i = 0; i < THREADS; i++)
        counts[i] = i % 6 + 1;
    device<int> in(counts, THREADS), out(THREADS, false);
    local_arrays<<<1, THREADS>>>(in, out);
    return out.at(0) == 0 + 1 && out.at(1) == 1 * 11 + 7 + 2;
}

// Bytes of an array of which others are not written; a word that nobody wrote and that is written over, then in part.
__global__ void local_bytes(const int *in, const int *unwritten, int *out, int k) {
    signed char bytes[32];
    volatile int words[8];
    for (int i = 2; i < k; i++)
        bytes[i] = i * 3;
    words[k & 7] = unwritten[threadIdx.x];
    words[(k + 1) & 7] = words[k & 7];
    words[k & 7] = in[threadIdx.x];
    ((unsigned char *)words)[4 * (k & 7) + 1] = 1;
    out[threadIdx.x] = bytes[k - 1] + bytes[k - 2] + words[k & 7] * 2;
    out[THREADS + threadIdx.x] = words[(k + 1) & 7];
}
static bool local_bytes_passes() {
    device<int> in(THREADS), unwritten(THREADS, false), out(2 * THREADS, false);
    local_bytes<<<1, THREADS>>>(in, unwritten, out, 4);
    return out.at(5) == 9 + 6 + 512;
}

// Exchanged without having been written; a copy with zeros in place of what is behind.
__global__ void exchanged(int *unwritten, int *out) {
    out[threadIdx.x] = 3;
    if (atomicExch(&unwritten[threadIdx.x], 5) == 4 && threadIdx.x > THREADS)
        out[threadIdx.x] = 4;
    out[threadIdx.x] += unwritten[threadIdx.x];
}
static bool exchanged_passes() {
    device<int> unwritten(THREADS, false), out(THREADS, false);
    exchanged<<<1, THREADS>>>(unwritten, out);
    return out.at(5) == 8;
}
__global__ void copied_with_zeros(const int *in, int *out) {
    __shared__ int4 tile[THREADS];
    __pipeline_memcpy_async(&tile[threadIdx.x], in + 4 * threadIdx.x, 16, 12);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x].w + 1;
}
static bool copied_with_zeros_passes() {
    device<int> in(4 * THREADS, false), out(THREADS, false);
    copied_with_zeros<<<1, THREADS>>>(in, out);
    return out.at(5) == 1;
}

// A function that calls itself, with an array in each frame.
__device__ __noinline__ int deep(int depth, const int *above) {
    int here[4];
    here[depth & 3] = above[(depth + 1) & 3] + depth;
    here[(depth + 3) & 3] = here[depth & 3];
    return depth == 0 ? here[0] : deep(depth - 1, here);
}
__global__ void recursion(int *out) {
    int first[4] = {1, 1, 1, 1};
    out[threadIdx.x] = deep(threadIdx.x % 5, first);
}
static bool recursion_passes() {
    device<int> out(32, false);
    recursion<<<1, 32>>>(out);
    return out.at(0) == 1 && out.at(4) == 1 + 4 + 3 + 2 + 1;
}

// A list on the heap, that one kernel makes and another one takes apart.
struct link {
    link *next;
    char tag;
    int value;
};
__global__ void make_lists(link **heads, int count) {
    link *head = nullptr;
    for (int i = 0; i < count; i++) {
        link *made = (link *)malloc(sizeof(link));
        made->value = i;
        made->next = head;
        head = made;
    }
    heads[threadIdx.x] = head;
}
__global__ void free_lists(link **heads, int *out) {
    int sum = 0;
    for (link *at = heads[threadIdx.x]; at;) {
        link *next = at->next;
        sum += at->value;
        free(at);
        at = next;
    }
    out[threadIdx.x] = sum;
}
static bool heap_lists_passes() {
    device<link *> heads(THREADS, false);
    device<int> out(THREADS, false);
    make_lists<<<1, THREADS>>>(heads, 5);
    free_lists<<<1, THREADS>>>(heads, out);
    return out.at(THREADS - 1) == 10;
}

// A buffer that a thread of the block takes from the heap for all; one that grows; new and delete.
struct counter {
    int count = 1;
    virtual __device__ int get() { return count; }
    virtual __device__ ~counter() {}
};
struct double_counter : counter {
    __device__ int get() override { return 2 * count; }
};
__global__ void heap_of_block(int *out) {
    __shared__ int *buffer;
    if (threadIdx.x == 0)
        buffer = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int got = buffer[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int *more = (int *)malloc(2 * blockDim.x * sizeof(int));
        memcpy(more, buffer, blockDim.x * sizeof(int));
        free(buffer);
        memset(more + blockDim.x, 0, blockDim.x * sizeof(int));
        got += more[blockDim.x + 1] + more[1] - 1;
        free(more);
        free(nullptr);
    }
    counter *made = threadIdx.x % 2 ? new double_counter : new counter;
    out[threadIdx.x] = got * 10 + made->get();
    delete made;
}
static bool heap_of_block_passes() {
    device<int> out(THREADS, false);
    heap_of_block<<<1, THREADS>>>(out);
    return out.at(0) == 10 * (THREADS - 1) + 1 && out.at(3) == 10 * (THREADS - 4) + 2;
}

// Blocks of the heap that other lanes have had before.
__global__ void heap_again(int *out) {
    int sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        volatile int *mine = (volatile int *)malloc(16 + threadIdx.x % 2);
        int *plain = (int *)mine;
        *plain = threadIdx.x + turn;
        sum += *mine;
        free(plain);
    }
    out[threadIdx.x] = sum;
}
static bool heap_again_passes() {
    device<int> out(THREADS, false);
    heap_again<<<1, THREADS>>>(out);
    return out.at(5) == 18;
}

// Halves in a word: one is computed with, the other not yet there.
__global__ void halves_of_words(unsigned *words, int *out) {
    unsigned short *mine = (unsigned short *)(words + threadIdx.x);
    mine[0] = threadIdx.x + 1;
    unsigned word = words[threadIdx.x];
    short low = (short)word;
    unsigned product = (word & 0xffff) * 3;
    mine[1] = product;
    out[threadIdx.x] = low + (words[threadIdx.x] >> 16);
}
static bool halves_of_words_passes() {
    device<unsigned> words(THREADS, false);
    device<int> out(THREADS, false);
    halves_of_words<<<1, THREADS>>>(words, out);
    return out.at(4) == 20;
}

// An exclusive or of a value with itself, a multiplication by nothing, a mask of no bits: nothing of it is left.
__global__ void nothing_left(const volatile int *in, const int *zero, int *out) {
    int value = in[threadIdx.x];
    out[threadIdx.x] = (value & zero[0]) | 4;
}
static bool nothing_left_passes() {
    device<int> in(THREADS, false), zero(1), out(THREADS, false);
    nothing_left<<<1, THREADS>>>(in, zero, out);
    return out.at(0) == 4;
}

int main(int argc, char **argv) {
    static const one_case cases[] = {
        CASE(one_field),      CASE(local_bytes),  CASE(exchanged), CASE(copied_with_zeros),
        CASE(bit_fields),     CASE(flag_bits),    CASE(padded_copies), CASE(three_of_four), CASE(bytes_of_words),
        CASE(upper_halves),   CASE(selected),     CASE(local_arrays),  CASE(recursion),     CASE(heap_lists),
        CASE(heap_of_block),  CASE(halves_of_words), CASE(nothing_left), CASE(heap_again),
    };
    return run_cases(cases, argc, argv);
}
