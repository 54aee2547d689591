// Memory that nobody wrote, on its way through votes, matches, uniform registers, matrices and textures.
#include "faulty.h"
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
// clang-format off
__device__ int three(int x) { return x > 3; }
__global__ void any_is(int *o, const int *u) { o[threadIdx.x] = __any_sync(~0u, three(u[threadIdx.x])); }
__global__ void all_are(int *o, const int *u) { o[threadIdx.x] = __all_sync(~0u, three(u[threadIdx.x])); }
__global__ void ballots(int *o, const int *u) { o[threadIdx.x] = __ballot_sync(~0u, three(u[threadIdx.x])) >> threadIdx.x; }
__global__ void matches(int *o, const int *u) { o[threadIdx.x] = __match_any_sync(~0u, u[threadIdx.x]) + 1; }
__global__ void match_all(int *o, const int *u) { int is; __match_all_sync(~0u, u[threadIdx.x], &is); o[threadIdx.x] = is; }
__global__ void count_or(int *o, const int *u) { o[threadIdx.x] = __syncthreads_or(u[threadIdx.x] > 3); }
__global__ void mask_of(int *o, const int *u) { o[threadIdx.x] = __ballot_sync(u[0] | 0x7fffffff, 1); }
__global__ void upper_half(unsigned long long *o, const int *u) { atomicAdd(o, (unsigned long long)u[threadIdx.x] << 32); }
__global__ void loaded_or_not(int *o, const int *u, const int *v) {
    int x = 0;
    if (u[threadIdx.x] > 3)
        x = v[threadIdx.x];
    o[threadIdx.x] = x;
}
// The same in all lanes.
__global__ void uniform_sum(int *o, const int *u) { o[threadIdx.x] = u[5] * 3 + threadIdx.x; }
__global__ void uniform_equal(int *o, const int *u) {
    if ((u[5] & 31) == threadIdx.x)
        o[0] = 1;
}
__global__ void uniform_copy(int *o, const int *u) { o[threadIdx.x] = u[5]; }
// Of the matrices' 16 rows (columns of b) those from `written` on are not written.
template <class T> __device__ void fill(T *to, int written) {
    for (int i = threadIdx.x; i < 16 * written; i += 32)
        to[i] = 1;
    __syncwarp();
}
template <class T, class SUM> __device__ void product(SUM *o, int a_rows, int b_rows, int c_rows) {
    __shared__ T a[256], b[256];
    __shared__ SUM c[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, SUM> sum;
    fill(a, a_rows);
    fill(b, b_rows);
    fill(c, c_rows);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(o, sum, 16, wmma::mem_row_major);
}
__global__ void left_row(float *o) { product<half>(o, 15, 16, 16); }
__global__ void right_column(float *o) { product<half>(o, 16, 9, 16); }
__global__ void sum_row(float *o) { product<half>(o, 16, 16, 13); }
__global__ void bytes_left(int *o) { product<signed char>(o, 12, 16, 16); }
// The last of 8 rows of 8 halves is not written, as lane 4 r + j finds it in its word, or transposed in its upper half.
__device__ unsigned loaded(half *rows, bool transposed) {
    unsigned word, at = (unsigned)__cvta_generic_to_shared(rows + 8 * (threadIdx.x % 8));
    if (transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(at));
    return word;
}
__device__ unsigned of_seven_rows(bool transposed) {
    __shared__ alignas(16) half rows[64];
    for (int i = threadIdx.x; i < 56; i += 32)
        rows[i] = i;
    __syncwarp();
    return loaded(rows, transposed);
}
__global__ void last_row(int *o) { o[threadIdx.x] = of_seven_rows(false) * 2; }
__global__ void last_column(int *o) { o[threadIdx.x] = (of_seven_rows(true) >> 16) * 2; }
__global__ void turned(int *o) {
    unsigned word = of_seven_rows(false);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(word));
    o[threadIdx.x] = (word >> 16) * 2;
}
// Textures: linear memory, an array of 8 rows of which 6 are written, by element, filtered, converted; a surface.
__global__ void fetched(int *o, cudaTextureObject_t t) { o[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x) + 1; }
__global__ void sampled(float *o, cudaTextureObject_t t) { o[threadIdx.x] = tex2D<float>(t, threadIdx.x % 8, threadIdx.x / 8) + 1; }
__global__ void filtered(float *o, cudaTextureObject_t t) { o[threadIdx.x] = tex2D<float>(t, 1.5f, threadIdx.x % 8 + .75f); }
__global__ void normalized(float *o, cudaTextureObject_t t) { o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
__global__ void gathered(float *o, cudaTextureObject_t t) { o[threadIdx.x] = tex2Dgather<float4>(t, 1, threadIdx.x % 8).x + 1; }
__global__ void coordinate(float *o, cudaTextureObject_t t, const int *u) { o[threadIdx.x] = tex2D<float>(t, u[threadIdx.x] & 7, 1); }
__global__ void which_texture(float *o, const cudaTextureObject_t *t) { o[threadIdx.x] = tex2D<float>(*t, 1, 1); }
__global__ void from_surface(float *o, cudaSurfaceObject_t s) { o[threadIdx.x] = surf2Dread<float>(s, 4, threadIdx.x % 8) + 1; }
// Lanes of two branches meet: one half gets what nobody wrote of the other.
__global__ void from_elsewhere(int *o, const int *u) {
    int lane = threadIdx.x, v;
    if (lane < 16)
        v = __shfl_xor_sync(~0u, lane, 16);
    else
        v = __shfl_xor_sync(~0u, u[lane], 16);
    o[lane] = v + 1;
}
__global__ void vote_elsewhere(int *o, const int *u) {
    int lane = threadIdx.x, v;
    if (lane < 24)
        v = __any_sync(~0u, lane > 40);
    else
        v = __any_sync(~0u, u[lane] > 3);
    o[lane] = v;
}
__global__ void match_elsewhere(int *o, const int *u) {
    int lane = threadIdx.x, v;
    if (lane & 1)
        v = __match_any_sync(~0u, lane / 2) >> 31;
    else
        v = __match_any_sync(~0u, lane == 30 ? u[lane] : lane / 2) & 3;
    o[lane] = v;
}
// Every other element is written.
__global__ void turned_half(int *o) {
    __shared__ alignas(16) half rows[64];
    rows[2 * threadIdx.x] = threadIdx.x;
    __syncwarp();
    unsigned word = loaded(rows, false);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(word));
    o[threadIdx.x] = word * 2;
}
static cudaTextureObject_t texture(cudaResourceDesc resource, cudaTextureFilterMode filter, cudaTextureReadMode mode) {
    cudaTextureObject_t made;
    cudaTextureDesc desc = {};
    desc.filterMode = filter;
    desc.readMode = mode;
    cudaCreateTextureObject(&made, &resource, &desc, nullptr);
    return made;
}
static cudaTextureObject_t of_memory(int *at, int bits, cudaTextureReadMode mode) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = at;
    resource.res.linear.sizeInBytes = 4096;
    resource.res.linear.desc = cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKindSigned);
    return texture(resource, cudaFilterModePoint, mode);
}
static cudaResourceDesc array_of_rows() {
    static float rows[6][8];
    cudaResourceDesc resource = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    resource.resType = cudaResourceTypeArray;
    cudaMallocArray(&resource.res.array.array, &format, 8, 8, cudaArraySurfaceLoadStore | cudaArrayTextureGather);
    cudaMemcpy2DToArray(resource.res.array.array, 0, 0, rows, 32, 32, 6, cudaMemcpyHostToDevice);
    return resource;
}
static cudaTextureObject_t of_rows(cudaTextureFilterMode filter) {
    return texture(array_of_rows(), filter, cudaReadModeElementType);
}
static cudaSurfaceObject_t surface_of_rows() {
    cudaSurfaceObject_t made;
    cudaResourceDesc resource = array_of_rows();
    cudaCreateSurfaceObject(&made, &resource);
    return made;
}
// One lane makes the atomic operation for all; another one brings what nobody wrote.
__global__ void least(int *o, const int *u) { atomicMin(o, threadIdx.x == 5 ? u[5] : 3); }
__global__ void sum_before(int *o, const int *u) { o[1 + threadIdx.x] = atomicAdd(o, threadIdx.x == 5 ? u[5] : 3); }
BEGIN()
#define RUN_OF(name) RUN(name, 1, 32, memory, fresh)
    RUN_OF(any_is) RUN_OF(all_are) RUN_OF(ballots) RUN_OF(matches) RUN_OF(match_all) RUN_OF(count_or)
    RUN_OF(uniform_sum) RUN_OF(uniform_equal) RUN_OF(uniform_copy)
    RUN_OF(from_elsewhere) RUN_OF(vote_elsewhere) RUN_OF(match_elsewhere)
    RUN(mask_of, 1, 31, memory, fresh)
    RUN(upper_half, 1, 32, (unsigned long long *)memory, fresh)
    RUN_OF(least) RUN_OF(sum_before)
    RUN(loaded_or_not, 1, 32, memory, fresh, memory + 64)
    RUN(left_row, 1, 32, (float *)memory) RUN(right_column, 1, 32, (float *)memory) RUN(sum_row, 1, 32, (float *)memory)
    RUN(bytes_left, 1, 32, memory) RUN(last_row, 1, 32, memory) RUN(last_column, 1, 32, memory) RUN(turned, 1, 32, memory) RUN(turned_half, 1, 32, memory)
    RUN(fetched, 1, 32, memory, of_memory(fresh, 32, cudaReadModeElementType))
    RUN(normalized, 1, 32, (float *)memory, of_memory(fresh, 8, cudaReadModeNormalizedFloat))
    RUN(sampled, 1, 64, (float *)memory, of_rows(cudaFilterModePoint))
    RUN(filtered, 1, 32, (float *)memory, of_rows(cudaFilterModeLinear))
    RUN(gathered, 1, 32, (float *)memory, of_rows(cudaFilterModePoint))
    RUN(coordinate, 1, 32, (float *)memory, of_rows(cudaFilterModePoint), fresh)
    RUN(which_texture, 1, 32, (float *)memory, (const cudaTextureObject_t *)fresh)
    RUN(from_surface, 1, 32, (float *)memory, surface_of_rows())
END()
