// store_matrix_sync waits for the lanes and then stores; who reads that has to wait again.
#include "faulty.h"
#include <mma.h>

using namespace nvcuda;
__device__ void multiply(float *tile, const half *from) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.f);
    wmma::load_matrix_sync(left, from, 16);
    wmma::load_matrix_sync(right, from, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
}
__global__ void no_syncwarp(float *o, const half *from) {
    __shared__ float tile[256];
    multiply(tile, from);
    for (int i = threadIdx.x; i < 256; i += 32)
        o[i] = tile[i] * 2;
}
__global__ void with_syncwarp(float *o, const half *from) {
    __shared__ float tile[256];
    multiply(tile, from);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        o[i] = tile[i] * 2;
}
// clang-format off
BEGIN()
    RUN(no_syncwarp, 1, 32, (float *)memory + 256, (const half *)memory)
    RUN(with_syncwarp, 1, 32, (float *)memory + 256, (const half *)memory)
END()
