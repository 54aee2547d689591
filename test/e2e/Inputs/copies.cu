/* How often each body stands in the code: see copies.test. */
__global__ void unknown(float *out, const float *in, int n)
{
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += in[i];
	out[threadIdx.x] = sum;
}

__global__ void known(float *out, const float *in)
{
	float sum = 0;
	for (int i = 0; i < 100; i++)
		sum += in[i * 32 + threadIdx.x];
	out[threadIdx.x] = sum;
}

__global__ void many(float *out, const float *in)
{
	float sum = 0;
	for (int i = 0; i < 5000; i++)
		sum += in[i * 32 + threadIdx.x];
	out[threadIdx.x] = sum;
}

__global__ void told(float *out, const float *in, int n)
{
	float sum = 0;
#pragma unroll 1
	for (int i = 0; i < 64; i++)
		sum += in[i];
#pragma nounroll
	for (int i = 0; i < n; i++)
		sum += in[i * 2];
#pragma unroll 3
	for (int i = 0; i < n; i++)
		sum += in[i * 3];
	out[threadIdx.x] = sum;
}

/* The inner loop's step is not known; around it none is copied. */
__global__ void nested(float *out, const float *in, unsigned n, unsigned step)
{
	float sum = 0;
	for (unsigned i = 0; i < 4000; i++)
		for (unsigned k = threadIdx.x; k < n; k += step)
			sum += in[k + i];
	out[threadIdx.x] = sum;
}

#define FOUR(x) (((x)*s + 1.f) * s + 2.f) * s * s + 3.f
#define SIXTEEN(x) FOUR(FOUR(FOUR(FOUR(x))))

static __device__ float long_sum(float x, float s)
{
#pragma unroll
	for (int i = 0; i < 60; i++)
		x = SIXTEEN(x);
	return x;
}

__global__ void calls(float *out, float s)
{
	float sum = long_sum(out[0], s);
	out[1] = sum;
	out[2] = long_sum(sum, s + 1);
}
