// Figures whose carriers are known by their lines.
__device__ __noinline__ float widest(const float *x, int n)
{
	float a[24];
#pragma unroll
	for (int i = 0; i < 24; i++)
		a[i] = x[i * n];                          // LIVE: all of a[] is live behind this line
	float product = 1, sum = 0;
#pragma unroll
	for (int i = 0; i < 24; i++) {
		sum += a[i];
		product *= a[23 - i];
	}
	return sum / product;
}

__device__ __noinline__ float middle(const float *x, int n)
{
	return widest(x, n) + widest(x + 1, n); // CALL widest
}

__global__ void root(float *out, const float *x, int n)
{
	out[threadIdx.x] = middle(x, n) + n; // CALL middle
}

int main()
{
	root<<<1, 256>>>(nullptr, nullptr, 1);
}
