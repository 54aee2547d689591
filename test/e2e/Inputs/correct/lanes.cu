// What passes through votes, matches, uniform registers, matrices and textures beside memory that nobody has written.
#include "correct.h"
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
enum { LANES = 32, WRITTEN = 20 };

// Only what the first lanes say counts, whose memory is written.
__global__ void of_some_lanes(const int *in, int *out) {
    int value = in[threadIdx.x];
    unsigned most = __ballot_sync(~0u, value == 3) & ((1u << WRITTEN) - 1);
    bool decided = __any_sync(~0u, value == 3) && !__all_sync(~0u, value > 3);
    unsigned like = __match_any_sync(~0u, value) & 1u << threadIdx.x;
    unsigned odd = __match_any_sync(~0u, (value & ~1) | (threadIdx.x & 1)) & (threadIdx.x & 1 ? 0x55555555u : 0xaaaaaaaau);
    int all_alike;
    __match_all_sync(~0u, threadIdx.x == 0 ? 3 : threadIdx.x == 1 ? 4 : value, &all_alike);
    bool either = __syncthreads_or(threadIdx.x < WRITTEN && value == 3);
    out[threadIdx.x] = __popc(most) + decided + !!like + !!odd + !all_alike + either;
}
static bool of_some_lanes_passes() {
    int values[LANES];
    for (int i = 0; i < LANES; i++)
        values[i] = 3;
    device<int> in(LANES, false), out(LANES, false);
    cudaMemcpy(in, values, WRITTEN * sizeof(int), cudaMemcpyHostToDevice);
    of_some_lanes<<<1, LANES>>>(in, out);
    return out.at(31) == WRITTEN + 4;
}

// The same in all lanes: a copy, and fields of which some are written.
__global__ void uniform_parts(unsigned short *words, int *out) {
    if (threadIdx.x == 0)
        words[0] = 5;
    __syncwarp();
    int word = ((const volatile int *)words)[0];
    out[LANES + threadIdx.x] = word;
    out[threadIdx.x] = (word & 0xff) * threadIdx.x;
}
static bool uniform_parts_passes() {
    device<unsigned short> words(2, false);
    device<int> out(2 * LANES, false);
    uniform_parts<<<1, LANES>>>(words, out);
    return out.at(7) == 35;
}

// Rows of a product that nobody asks for.
__global__ void rows_of_product(const unsigned *left, const unsigned *right, float *out) {
    const unsigned *a = left + 2 * threadIdx.x, *b = right + threadIdx.x;
    float sum[4] = {1, 1, 1, 1};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    if (threadIdx.x < WRITTEN)
        out[threadIdx.x] = sum[0] * 2;
}
static bool rows_of_product_passes() {
    unsigned ones[LANES];
    for (int i = 0; i < LANES; i++)
        ones[i] = 0x3c003c00;
    device<unsigned> left(2 * LANES, false), right(ones, LANES);
    device<float> out(LANES);
    cudaMemcpy(left, ones, 2 * WRITTEN * sizeof(unsigned), cudaMemcpyHostToDevice);
    cudaMemset(left + 2 * WRITTEN - 1, 0xff, 4); // is not taken: a row below those that count
    rows_of_product<<<1, LANES>>>(left, right, out);
    return out.at(9) == 2 * 9;
}

// Zeros hide what is beside them, of integers.
__global__ void depth_of_product(int *out) {
    __shared__ signed char a[256], b[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    for (int i = threadIdx.x; i < 256; i += LANES) {
        if (i % 16 < 7)
            a[i] = i / 16;
        b[i] = i % 16 < 7;
    }
    __syncwarp();
    wmma::fill_fragment(sum, 1);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
static bool depth_of_product_passes() {
    device<int> out(256, false);
    depth_of_product<<<1, LANES>>>(out);
    return out.at(16 * 3 + 2) == 3 * 7 + 1;
}

// Matrices are moved with what nobody has written in them, turned and turned back.
__global__ void moved_matrix(unsigned *out) {
    __shared__ alignas(16) unsigned rows[32];
    unsigned word, at = (unsigned)__cvta_generic_to_shared(rows + 4 * (threadIdx.x % 8));
    if (threadIdx.x < WRITTEN)
        rows[threadIdx.x] = threadIdx.x;
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(word) : "r"(at));
    out[LANES + threadIdx.x] = word;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(word));
    out[threadIdx.x] = word;
    if (threadIdx.x < WRITTEN)
        out[2 * LANES + threadIdx.x] = word + 1;
}
static bool moved_matrix_passes() {
    device<unsigned> out(3 * LANES, false);
    moved_matrix<<<1, LANES>>>(out);
    return out.at(2 * LANES + 19) == 20;
}

// Elements that are copied; rows beside what a filter weighs; what is outside of a surface.
__global__ void texels(cudaTextureObject_t t, cudaTextureObject_t smooth, cudaSurfaceObject_t s, float *out) {
    int x = threadIdx.x % 8;
    out[threadIdx.x] = tex2D<float>(t, x, 7);
    out[LANES + threadIdx.x] = tex2D<float>(smooth, x + .5f, 5.5f) * 2 + tex2D<float>(t, x, 2);
    surf2Dwrite(3.f, s, 4 * x, 6);
    __syncwarp();
    out[LANES + threadIdx.x] += surf2Dread<float>(s, 4 * x, 6) + surf2Dread<float>(s, 4 * x, 9, cudaBoundaryModeZero);
}
static bool texels_passes() {
    float rows[6][8];
    for (int i = 0; i < 48; i++)
        rows[i / 8][i % 8] = i;
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaTextureObject_t plain, smooth;
    cudaSurfaceObject_t surface;
    device<float> out(2 * LANES, false);
    resource.resType = cudaResourceTypeArray;
    cudaMallocArray(&resource.res.array.array, &format, 8, 8, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(resource.res.array.array, 0, 0, rows, 32, 32, 6, cudaMemcpyHostToDevice);
    cudaCreateTextureObject(&plain, &resource, &desc, nullptr);
    desc.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&smooth, &resource, &desc, nullptr);
    cudaCreateSurfaceObject(&surface, &resource);
    texels<<<1, LANES>>>(plain, smooth, surface, out);
    return out.at(LANES + 3) == 43 * 2 + 19 + 3 && out.at(5) == 0; // and memory is what it was
}

int main(int argc, char **argv) {
    static const one_case cases[] = {
        CASE(of_some_lanes),    CASE(uniform_parts), CASE(rows_of_product),
        CASE(depth_of_product), CASE(moved_matrix),  CASE(texels),
    };
    return run_cases(cases, argc, argv);
}
