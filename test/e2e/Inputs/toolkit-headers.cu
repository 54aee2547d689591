// Headers of a toolkit's libraries, of CUDA 12 or 13, beside ours.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp8.h>
#include <cufft.h>
#include <curand_mtgp32_kernel.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <nvtx3/nvtx3.hpp>
#include <stdio.h>

__global__ void empty() {}
int main()
{
    cublasHandle_t handle = nullptr;
    empty<<<1, 1>>>();
    puts(handle || cudaDeviceSynchronize() != cudaSuccess ? "toolkit: FAILED" : "toolkit: PASSED");
}
