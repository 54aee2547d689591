/* Halves in C++ of the host, without CUDA: types, conversions, arithmetic and comparisons. */
#include <cuda_bf16.hpp>
#include <cuda_fp16.hpp>
#include <cuda_fp8.hpp>

int main()
{
	__half h = __float2half(1.5f), sum = __hadd(h, h);
	__half2 pair = __floats2half2_rn(1, 2);
	__nv_bfloat16 b = __float2bfloat16(2.5f);
	bool good = __half2float(sum) == 3 && h < sum && __hfma(h, h, sum) == __half(5.25f) && __hmax(h, sum) == sum;
	good = good && __low2float(pair) + __high2float(pair) == 3 && __half2int_rn(__half(2.5f)) == 2;
	good = good && (float)(b * b) == 6.25f && (float)__nv_fp8_e4m3(1.5f) == 1.5f;
	return !good;
}
