// Conflicts that padding makes go, that padding makes, and copies of one access.
__global__ void padded(float *out, const float *in)
{
	__shared__ float s[16][17];
	int x = threadIdx.x, y = threadIdx.y;
	s[y][x] = in[y * 16 + x];
	__syncthreads();
	out[y * 16 + x] = s[y][x];
}
__global__ void column(float *out, const float *in)
{
	__shared__ float s[32][32];
	int x = threadIdx.x, y = threadIdx.y;
	s[y][x] = in[y * 32 + x];
	__syncthreads();
	out[y * 32 + x] = s[x][y];
}
__global__ void unrolled(float *out, const float *in, int n)
{
	__shared__ float s[64];
	float sum = 0;
#pragma unroll
	for (int i = 0; i < 10; i++)
		sum += in[threadIdx.x * 1024 + i * 64] * out[threadIdx.x * 512 + i * 64];
	s[2 * threadIdx.x] = sum;
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x ^ 5];
}
int main() { padded<<<1, dim3(16, 16)>>>(0, 0); column<<<1, dim3(32, 32)>>>(0, 0); unrolled<<<1, 32>>>(0, 0, 1); }
