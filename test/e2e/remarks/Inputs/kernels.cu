// A call chain, lanes that leave a loop apart, an access down a column, and more values at once than 16 registers hold.
// The line numbers are part of the test.
__device__ __noinline__ float inner(float x)
{
	return x * x + 1.0f;
}

__device__ __noinline__ float outer(float x)
{
	return inner(x) + inner(x + 1.0f) * x;
}

__global__ void chain(float *out)
{
	out[threadIdx.x] = outer(out[threadIdx.x]);
}

__global__ void walk(const int *next, int *out, int most)
{
	int at = threadIdx.x, steps = 0, seed = out[at];
	while (steps < most && next[at] >= 0) {
		at = next[at];
		steps++;
	}
	out[threadIdx.x] = steps + seed;
}

__global__ void wide(const float *in, float *out)
{
	float a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7];
	float i = in[8], j = in[9], k = in[10], l = in[11], m = in[12], n = in[13], o = in[14], p = in[15];
	__syncthreads();
	out[0] = a * b + c * d + e * f + g * h + i * j + k * l + m * n + o * p;
	out[1] = a * p + b * o + c * n + d * m + e * l + f * k + g * j + h * i;
}

__global__ void column(const float *in, float *out)
{
	out[threadIdx.x] = in[threadIdx.x * 32];
}
