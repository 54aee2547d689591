// Accesses that cost a warp more than they had to, for budgets.
__global__ void column(float *out, const float *in)
{
	__shared__ float tile[32][32];
	int x = threadIdx.x, y = threadIdx.y;
	tile[y][x] = in[y * 32 + x];
	__syncthreads();
	out[y * 32 + x] = tile[x][y]; // CONFLICT
	out[x * 1024 + y] = 1;        // COLUMN
}

__global__ void gather(float *out, const float *in, const int *index)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[index[i]]; // GATHER
}

int main()
{
	column<<<1, dim3(32, 32)>>>(nullptr, nullptr);
	gather<<<1, 64>>>(nullptr, nullptr, nullptr);
}
