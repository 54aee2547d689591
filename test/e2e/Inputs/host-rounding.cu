// The host's rounding mode and denormal flushing are its own: a kernel computes as the GPU does, and both modes are
// as before after the launch.
#include <cfenv>
#include <cstdio>
#include <xmmintrin.h>

__global__ void compute(const float *in, float *out)
{
    out[0] = in[0] * 0.5f; // a denormal
    out[1] = in[1] + in[2]; // inexact: to nearest gives 1
}

int main()
{
    const float in[3] = {1.17549435e-38f, 1.0f, 1e-10f};
    float *from, *to, out[2];
    cudaMalloc(&from, sizeof in);
    cudaMalloc(&to, sizeof out);
    cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
    _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
    fesetround(FE_UPWARD);
    compute<<<1, 1>>>(from, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    bool kept = fegetround() == FE_UPWARD && (_mm_getcsr() & 0x8040) == 0x8040;
    fesetround(FE_TONEAREST);
    _mm_setcsr(_mm_getcsr() & ~0x8040u);
    bool passed = kept && out[0] == 0x1p-127f && out[1] == 1.0f;
    printf("host-rounding: %s\n", passed ? "PASSED" : "FAILED");
    return !passed;
}
