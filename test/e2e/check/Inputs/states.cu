// Pairs of kernels of which the second is worse, or no worse, than the first: -DNEW makes the second.
#ifdef NEW
#define PICK(old, now) now
#else
#define PICK(old, now) old
#endif

// A coalesced load becomes a scattered one, beside a store that stays proven.
__global__ void scattered(const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	y[i] = x[PICK(i, i * 77 % 1021)]; // SCATTERED
}

// A coalesced load comes to accesses of which none is proven.
__global__ void added(const float *x, const int *p, float *y)
{
	y[p[threadIdx.x * threadIdx.x]] = PICK(1, x[threadIdx.x]);
}

// Beside an access that is not proven in both, a proven one gets worse.
__global__ void beside(const float *x, const int *p, float *y)
{
	y[p[threadIdx.x]] = x[threadIdx.x * PICK(1, 32)];
}

// The padding of a tile goes.
__global__ void __launch_bounds__(1024) tile(const float *x, float *y, int n)
{
	__shared__ float t[32][PICK(33, 32)];
	t[threadIdx.y][threadIdx.x] = x[threadIdx.y * n + threadIdx.x];
	__syncthreads();
	y[threadIdx.y * n + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}

// A frame goes and recursion without a bound comes.
__device__ __noinline__ int fibonacci(int n)
{
#ifdef NEW
	return n < 2 ? n : fibonacci(n - 1) * 3 + fibonacci(n - 2);
#else
	volatile int a[16];
	a[n & 15] = n;
	return a[0];
#endif
}
__global__ void recursive(int *y, int n)
{
	y[0] = fibonacci(n);
}

// What a callee does depends on its arguments; inline PTX and pointers in memory are accesses, too.
__device__ __noinline__ void put(float *y, int i)
{
	y[i] = 1;
}
__global__ void called(float *y)
{
	put(y, threadIdx.x * threadIdx.x);
}
__global__ void inlined(float *y)
{
	float v;
	asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(y + threadIdx.x));
	y[threadIdx.x] = v;
}
struct pair {
	float *to;
	const float *from;
};
__global__ void member(pair p)
{
	p.to[threadIdx.x] = p.from[threadIdx.x];
}
__global__ void pointed(const pair *p)
{
	p->to[threadIdx.x] = 1;
}

int main()
{
	tile<<<1, dim3(32, 32)>>>(nullptr, nullptr, 0);
}
