// Structures by value as kernel parameters: members at indices that threads, blocks, loops and memory give, at
// constants and at sums of these; written, copied and passed on. What the kernels find is compared with what the host finds.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct Words {
	unsigned a[64];
};
struct Point {
	short x;
	unsigned y, z;
};
struct Cloud {
	double scale;
	Point p[40];
	float w[5];
};
struct Nested {
	char tag[3];
	struct {
		Point corner[4][2];
		long long id;
	} box[6];
};
struct __attribute__((packed)) Packed {
	char kind;
	unsigned at[33];
	short last;
};
struct alignas(16) Vectors {
	float4 v[20];
	int2 i[9];
};
union Bits {
	float f[32];
	unsigned u[32];
	unsigned char b[128];
};
struct Buffers {
	int *out[4];
	const int *in[3];
	int length;
};
struct Large {
	unsigned a[1000]; // with the rest, all of the 4 KB that parameters may have
};

enum { THREADS = 32, BLOCKS = 5, ROWS = 12 };

__global__ void by_block(Words s, int *o)
{
	o[threadIdx.x] = s.a[blockIdx.x];
}
__global__ void by_block_apart(Words s, int *o)
{
	o[blockIdx.x * THREADS + threadIdx.x] = s.a[blockIdx.x];
}
__global__ void by_thread(Words s, int *o)
{
	o[threadIdx.x] = s.a[threadIdx.x];
}
__global__ void by_loop(Words s, int *o, int n)
{
	unsigned sum = 0;
	for (int i = 0; i < n; i++)
		sum = sum * 3 + s.a[i];
	o[threadIdx.x] = sum;
}
__global__ void members_by_block(Cloud c, int *o)
{
	o[blockIdx.x * THREADS + threadIdx.x] = c.p[blockIdx.x].y - c.p[39].x;
}
__global__ void members_by_thread(Cloud c, int *o)
{
	o[threadIdx.x] = c.p[threadIdx.x + 3].z + c.p[threadIdx.x].x;
}
__global__ void members_by_loop(Cloud c, int *o, int n)
{
	unsigned sum = 0;
	for (int i = 0; i < n; i++)
		sum += c.p[i + threadIdx.x % 4].y * (unsigned)(int)c.w[i % 5] + c.p[n - i].z;
	o[threadIdx.x] = sum + (unsigned)c.scale;
}

// What both sides compute: the index comes from `where`, whoever asks.
#define BOTH __host__ __device__

BOTH int rows(const Cloud &c, const Nested &n, const Packed &p, const Vectors &v, const Bits &b, int row, int t, int k,
	      int m)
{
	switch (row) {
	case 0: // a launch constant
		return c.p[m].y;
	case 1: // block and thread
		return n.box[k].corner[t & 3][1].z + (int)n.box[k + 1].id;
	case 2: // members that are not aligned
		return p.at[t] * 3 + p.last;
	case 3: {
		float4 one = v.v[t % 20];
		return (int)(one.x + one.y * 2) - (int)one.w + v.i[k].y;
	}
	case 4: // the same bytes, by words and by bytes
		return (int)(b.u[t] >> 3) ^ b.b[t * 4 + k % 4];
	case 5: { // a value from the parameter as the index
		int at = c.p[t].x & 31;
		return c.p[at].z;
	}
	case 6: { // nested loops
		unsigned sum = 0;
		for (int i = 0; i < 6; i++)
			for (int j = 0; j < 4; j++)
				sum = sum * 5 + n.box[i].corner[j][i & 1].y + n.tag[j % 3];
		return sum;
	}
	case 7: { // downwards, and by steps
		unsigned sum = 0;
		for (int i = 32; i >= 0; i -= 3)
			sum = sum * 7 + p.at[i];
		return sum;
	}
	case 8: { // a copy that is written
		Cloud copy = c;
		copy.p[t].y = t;
		copy.p[k].y += 100;
		return copy.p[t].y + copy.p[k].y;
	}
	case 9: // bits as a number
		return (int)(b.f[t] * 4);
	case 10: // guarded: no such member
		return t + 30 < 40 ? c.p[t + 30].x : -1;
	default:
		return t * 2 + k;
	}
}

__global__ void everything(Cloud c, Nested n, Packed p, Vectors v, Bits b, int *o, int m)
{
	for (int row = 0; row < ROWS; row++)
		o[(row * BLOCKS + blockIdx.x) * THREADS + threadIdx.x] =
			rows(c, n, p, v, b, row, threadIdx.x, blockIdx.x, m);
}

__device__ __noinline__ unsigned by_address(const Cloud *c, int i)
{
	return c->p[i].y;
}
__device__ __noinline__ unsigned by_value(Words s, int i)
{
	s.a[i] += 5;
	return s.a[i] + s.a[63 - i];
}
__global__ void passed_on(Cloud c, Words s, int *o)
{
	s.a[threadIdx.x] += blockIdx.x; // the thread's own copy
	o[blockIdx.x * THREADS + threadIdx.x] =
		by_address(&c, threadIdx.x) + by_value(s, threadIdx.x) + s.a[threadIdx.x];
}
__global__ void pointers(Buffers b)
{
	if (threadIdx.x < b.length)
		b.out[blockIdx.x % 4][threadIdx.x] = b.in[blockIdx.x % 3][threadIdx.x] * (blockIdx.x + 1);
}
__global__ void large(Large s, int *o, int last)
{
	o[threadIdx.x] = s.a[threadIdx.x * 30] + s.a[999 - blockIdx.x] * last + s.a[last];
}
// Members that there are not: code that is never reached.
__global__ void beyond(Words s, int *o, int n)
{
	int at = -3;
	if (n > 1000)
		o[threadIdx.x] = s.a[at] + s.a[at + 2000] + s.a[threadIdx.x - 100];
	else
		o[threadIdx.x] = s.a[n];
}

static int *device;
static int failures;

static void check(const char *name, const int *expected, int count)
{
	static int found[ROWS * BLOCKS * THREADS];
	cudaError_t error = cudaMemcpy(found, device, count * sizeof(int), cudaMemcpyDeviceToHost);
	if (error != cudaSuccess)
		printf("%s: %s\n", name, cudaGetErrorString(error));
	for (int i = 0; i < count; i++)
		if (error != cudaSuccess || found[i] != expected[i]) {
			printf("%s: element %d is %d, not %d\n", name, i, found[i], expected[i]);
			failures++;
			return;
		}
}

template <typename T> static void fill(T *what, unsigned seed)
{
	for (size_t i = 0; i < sizeof(T); i++)
		((unsigned char *)what)[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
}

int main()
{
	static int expected[ROWS * BLOCKS * THREADS];
	Words s;
	Cloud c;
	Nested n;
	Packed p;
	Vectors v;
	Bits b;
	Large l;
	fill(&s, 1), fill(&c, 2), fill(&n, 3), fill(&p, 4), fill(&l, 5);
	c.scale = 7.5;
	for (int i = 0; i < 5; i++)
		c.w[i] = i * 2 - 3;
	for (int i = 0; i < 20; i++)
		v.v[i] = make_float4(i, i + 0.5f, i * 3, -i);
	for (int i = 0; i < 9; i++)
		v.i[i] = make_int2(i, i * i);
	for (int i = 0; i < 32; i++)
		b.f[i] = i * 1.25f - 9;
	cudaMalloc(&device, sizeof expected);

	by_thread<<<2, THREADS>>>(s, device);
	check("by_thread", (const int *)s.a, THREADS);
	by_block<<<1, THREADS>>>(s, device);
	for (int i = 0; i < THREADS; i++)
		expected[i] = s.a[0];
	check("by_block", expected, THREADS);
	by_block_apart<<<BLOCKS, THREADS>>>(s, device);
	for (int i = 0; i < BLOCKS * THREADS; i++)
		expected[i] = s.a[i / THREADS];
	check("by_block_apart", expected, BLOCKS * THREADS);
	for (int round = 0; round <= 64; round += 16) {
		by_loop<<<2, THREADS>>>(s, device, round);
		unsigned sum = 0;
		for (int i = 0; i < round; i++)
			sum = sum * 3 + s.a[i];
		for (int i = 0; i < THREADS; i++)
			expected[i] = sum;
		check("by_loop", expected, THREADS);
	}
	members_by_block<<<BLOCKS, THREADS>>>(c, device);
	for (int i = 0; i < BLOCKS * THREADS; i++)
		expected[i] = c.p[i / THREADS].y - c.p[39].x;
	check("members_by_block", expected, BLOCKS * THREADS);
	members_by_thread<<<2, THREADS>>>(c, device);
	for (int i = 0; i < THREADS; i++)
		expected[i] = c.p[i + 3].z + c.p[i].x;
	check("members_by_thread", expected, THREADS);
	members_by_loop<<<2, THREADS>>>(c, device, 30);
	for (int t = 0; t < THREADS; t++) {
		unsigned sum = 0;
		for (int i = 0; i < 30; i++)
			sum += c.p[i + t % 4].y * (unsigned)(int)c.w[i % 5] + c.p[30 - i].z;
		expected[t] = sum + 7;
	}
	check("members_by_loop", expected, THREADS);

	everything<<<BLOCKS, THREADS>>>(c, n, p, v, b, device, 17);
	for (int row = 0; row < ROWS; row++)
		for (int k = 0; k < BLOCKS; k++)
			for (int t = 0; t < THREADS; t++)
				expected[(row * BLOCKS + k) * THREADS + t] = rows(c, n, p, v, b, row, t, k, 17);
	check("everything", expected, ROWS * BLOCKS * THREADS);

	passed_on<<<BLOCKS, THREADS>>>(c, s, device);
	for (int k = 0; k < BLOCKS; k++)
		for (int t = 0; t < THREADS; t++) {
			unsigned own = s.a[t] + k;
			expected[k * THREADS + t] = c.p[t].y + own + 5 + s.a[63 - t] + own;
		}
	check("passed_on", expected, BLOCKS * THREADS);

	int *in;
	Buffers buffers;
	cudaMalloc(&in, sizeof s);
	cudaMemcpy(in, &s, sizeof s, cudaMemcpyHostToDevice);
	for (int i = 0; i < 4; i++)
		buffers.out[i] = device + i * THREADS;
	for (int i = 0; i < 3; i++)
		buffers.in[i] = in + i * 7;
	buffers.length = THREADS;
	pointers<<<4, THREADS>>>(buffers);
	for (int k = 0; k < 4; k++)
		for (int t = 0; t < THREADS; t++)
			expected[k * THREADS + t] = s.a[k % 3 * 7 + t] * (k + 1);
	check("pointers", expected, 4 * THREADS);

	large<<<1, THREADS>>>(l, device, 998);
	for (int t = 0; t < THREADS; t++)
		expected[t] = l.a[t * 30] + l.a[999] * 998 + l.a[998];
	check("large", expected, THREADS);
	beyond<<<1, THREADS>>>(s, device, 9);
	for (int t = 0; t < THREADS; t++)
		expected[t] = s.a[9];
	check("beyond", expected, THREADS);
	printf("by-value: %s\n", failures ? "FAILED" : "PASSED");
	return failures != 0;
}
