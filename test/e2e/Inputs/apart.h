// A launch in a header.
template <class T>
__global__ void fill(T *x, T value)
{
	x[threadIdx.x] = value;
}

inline void fill_ints(int *x, int value)
{
	fill<int> << <1, 32>>
		> (x, value);
}

// An aligned variable of a header.
inline __device__ float first_of(const float *x)
{
	__shared__ alignas(16) float staged[4];
	staged[0] = x[0];
	return staged[0];
}

// Special registers with one sign and with two, before operands and without; "%laneid" elsewhere stays.
inline __device__ int threads_and_lane(const char *&word)
{
	unsigned threads, lane, block;
	asm("mov.u32 %0, %ntid.x;\n" : "=r"(threads) :);
	__asm__ __volatile__(
		"{\n\t.reg .u32 one;"		 // : "%laneid"
		"\tadd.u32 %0, %laneid, %%ctaid.x;\n\t}" : "=r"(lane));
	asm volatile ("{ .reg .u32 unread; mov.u32 unread, %clock; }");
	asm("mov.u32 %0, %%ctaid.x;" : "=r"(block) : "r"(threads));
	word = "%laneid";
	return threads + lane + block;
}
