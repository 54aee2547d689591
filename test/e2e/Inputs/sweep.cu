// A little of everything that units have keys for: global, shared, local, constant memory and atomics, divergence,
// barriers, calls, integer, single, double precision and special functions. Ends with 0 when its results are right.
#include <cstdio>
#include <cmath>

__constant__ int table[64];

__device__ __noinline__ int mixed(int a, int b) { return a * 3 + (b ^ 5); }

__global__ void work(const int *in, int *out, int *sum, double *wide, int n)
{
	__shared__ int tile[128];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int local[8], v = i < n ? in[i] : 0;
	tile[threadIdx.x] = v;
	for (int k = 0; k < 8; k++)
		local[k] = v + k;
	__syncthreads();
	v = tile[blockDim.x - 1 - threadIdx.x];
	if (threadIdx.x & 1)
		v = mixed(v, local[v & 7]);
	else
		v += table[threadIdx.x & 63] + __shfl_xor_sync(0x55555555, v, 2);
	atomicAdd(sum, v & 15);
	if (i < n) {
		out[i] = v + in[(i * 37) % n];
		wide[i] = wide[i] * 1.5 + (double)(sqrtf((float)(v & 255)) > 3.0f);
	}
}

int main()
{
	enum { N = 1000, THREADS = 128, BLOCKS = (N + THREADS - 1) / THREADS };
	static int host_table[64], in[N], out[N], expected[N];
	static double wide[N];
	int *d_in, *d_out, *d_sum, sum = 0, wrong = 0, right_sum = 0;
	double *d_wide;
	for (int i = 0; i < 64; i++)
		host_table[i] = i * i;
	for (int i = 0; i < N; i++)
		in[i] = i * 7 % 1013;
	for (int i = 0; i < BLOCKS * THREADS; i++) {
		int t = i % THREADS, first = i - t;
		auto value = [&](int at) { return at < N ? in[at] : 0; };
		int mirrored = value(first + THREADS - 1 - t);
		int v = t & 1 ? mirrored * 3 + ((value(i) + (mirrored & 7)) ^ 5)
			      : mirrored + host_table[t & 63] + value(first + THREADS - 1 - (t ^ 2));
		right_sum += v & 15;
		if (i < N)
			expected[i] = v + in[i * 37 % N];
	}
	if (cudaMalloc(&d_in, sizeof in) || cudaMalloc(&d_out, sizeof out) || cudaMalloc(&d_sum, sizeof sum) ||
	    cudaMalloc(&d_wide, sizeof wide))
		return 3;
	cudaMemcpyToSymbol(table, host_table, sizeof host_table);
	cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
	cudaMemset(d_sum, 0, sizeof sum);
	cudaMemset(d_wide, 0, sizeof wide);
	for (int pass = 0; pass < 2; pass++)
		work<<<BLOCKS, THREADS>>>(d_in, d_out, d_sum, d_wide, N);
	cudaError_t refused = cudaGetLastError(), error = refused ? refused : cudaDeviceSynchronize();
	if (error) {
		printf("%s\n", cudaGetErrorString(error));
		return 4;
	}
	cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
	cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		wrong += out[i] != expected[i];
	wrong += sum != 2 * right_sum;
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
