__global__ void keeps(const float *in, float *out, int width)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int at = (i & 63) * width + (i >> 6);
	float v[24];
#pragma unroll
	for (int k = 0; k < 24; k++)
		v[k] = out[i + k * 64];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < 24; k++)
		out[i + k * 64] = v[k] * v[(k + 7) % 24] + v[(k * 5) % 24];
	out[i] = in[at];
}
