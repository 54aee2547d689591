// Vectors, structures and results of which only a part was ever written, and values that are undefined on the paths
// where nobody looks at them: passed on, returned, stored, shuffled word by word, carried round loops. Checks its results.
#include "common.h"

enum { BLOCKS = 2, THREADS = 64, N = BLOCKS * THREADS, WARPS = N / 32 };
static const unsigned ALL = ~0u;

__device__ int lane()
{
	return (int)(threadIdx.x & 31);
}

__device__ int thread()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

/* ------------------------------------------------------------ vectors */

__device__ float4 two_parts(float x, int *effects)
{
	float4 v;
	v.x = x;
	if (x > 8)
		v.z = x + (float)(atomicAdd(effects, 1) * 0);
	return v;
}

__device__ __noinline__ float4 two_parts_far(float x, int *effects)
{
	float4 v;
	v.y = 2 * x;
	if (x > 8)
		v.w = x + (float)(atomicAdd(effects, 1) * 0);
	return v;
}

__device__ float sum_of(float4 v, int parts)
{
	float sum = 0;
	if (parts & 1)
		sum += v.x;
	if (parts & 2)
		sum += v.y;
	if (parts & 4)
		sum += v.z;
	if (parts & 8)
		sum += v.w;
	return sum;
}

__device__ __noinline__ float sum_of_far(float4 v, int parts)
{
	return sum_of(v, parts);
}

__global__ void vectors(int *effects, float *out, float4 *stored, int parts)
{
	float *mine = out + thread() * 5, x = (float)lane();
	float4 near_by = two_parts(x, &effects[0]), far = two_parts_far(x, &effects[1]);

	mine[0] = sum_of(near_by, lane() > 8 ? parts & 5 : 1);
	mine[1] = sum_of_far(far, lane() > 8 ? parts & 10 : 2);
	float4 put;
	put.y = x;
	if (lane() == 12)
		put.w = 40 + (float)(atomicAdd(&effects[2], 1) * 0);
	stored[thread()] = put;
	put.x = __shfl_sync(ALL, put.x, 3);
	put.w = __shfl_sync(ALL, put.w, 12);
	mine[2] = sum_of(put, parts & 10);
	short4 small;
	small.z = (short)(lane() * 3);
	if (lane() == 1)
		small.x = (short)(9 + atomicAdd(&effects[3], 1) * 0);
	int2 halves = *(int2 *)&small;
	halves.x = __shfl_sync(ALL, halves.x, 1);
	halves.y = __shfl_xor_sync(ALL, halves.y, 1);
	mine[3] = (float)(short)halves.x;
	mine[4] = (float)(short)halves.y;
}

/* ------------------------------------------------------------ structures by words */

struct __align__(8) entry {
	double key;
	int value;
	bool valid;
	char pad_follows;
};

// As CUB and cooperative groups do it.
template <typename T> __device__ T shuffle_words(T input, int from)
{
	const int words = (int)(sizeof(T) / sizeof(unsigned));
	T output;
	unsigned *in = (unsigned *)&input, *out = (unsigned *)&output;
#pragma unroll
	for (int i = 0; i < words; i++)
		out[i] = __shfl_sync(ALL, in[i], from);
	return output;
}

template <typename T> __device__ __noinline__ T shuffle_far(T input, int from)
{
	return shuffle_words(input, from);
}

struct found {
	int index;
	float score;
	bool any;
};

__device__ found look(int wanted, int *effects)
{
	found f;
	f.any = lane() == wanted;
	if (f.any) {
		f.index = lane() * 10 + atomicAdd(effects, 1) * 0;
		f.score = 0.5f;
	}
	return f;
}

__global__ void structures(int *effects, int *out)
{
	int *mine = out + thread() * 6;
	entry e;
	if (lane() == 21) {
		e.key = 1.25;
		e.value = 210 + atomicAdd(&effects[0], 1) * 0;
		e.valid = true;
	}
	entry got = shuffle_words(e, 21), again = shuffle_far(e, 21);
	mine[0] = got.value;
	mine[1] = got.key == 1.25 && got.valid;
	mine[2] = again.value;
	mine[3] = again.key == 1.25 && again.valid;
	found f = look(13, &effects[1]);
	unsigned who = __ballot_sync(ALL, f.any);
	f = shuffle_words(f, __ffs(who) - 1);
	mine[4] = f.index;
	mine[5] = f.score == 0.5f;
}

/* ------------------------------------------------------------ arguments and results */

__device__ int pick(bool use, int value)
{
	return use ? value : -1;
}

__device__ __noinline__ int pick_far(bool use, int value)
{
	return use ? value : -1;
}

__device__ int fetch(bool wanted, int *effects)
{
	int result;
	if (wanted)
		result = 30 + atomicAdd(effects, 1) * 0;
	return result;
}

__device__ __noinline__ long long fetch_far(bool wanted, int *effects)
{
	long long result;
	if (wanted)
		result = 31 + atomicAdd(effects, 1) * 0;
	return result;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type"
#pragma clang diagnostic ignored "-Wuninitialized"
// Nobody looks at what it returns, nor is there anything.
__device__ int count_up(int *effects)
{
	atomicAdd(effects, 1);
}

__device__ __noinline__ int count_far(int *effects)
{
	atomicAdd(effects, 1);
}

__device__ int only_small(int x, int *effects)
{
	if (x < 16)
		return x + atomicAdd(effects, 1) * 0;
}

__device__ void swallow(int)
{
}

__device__ __noinline__ void swallow_far(bool, float, int &at)
{
	at++;
}

// Never written at all: what follows has to happen all the same.
__global__ void never_written(int *effects, int *out)
{
	int nothing, count = 0;
	bool flag;
	float number;
	swallow(nothing);
	swallow_far(flag, number, count);
	nothing = __shfl_sync(ALL, nothing, 0);
	if (nothing > 100)
		count += 100;
	if (flag)
		count += 100;
	if (__any_sync(ALL, flag))
		count += 100;
	if (number < 0)
		count += 100;
	atomicAdd(effects, 1);
	out[thread()] = count % 100;
}
#pragma clang diagnostic pop

__global__ void arguments(int *effects, int *out)
{
	int *mine = out + thread() * 6, a, b, c;
	bool even = lane() % 2 == 0;

	if (even)
		a = 20 + atomicAdd(&effects[0], 1) * 0;
	mine[0] = pick(even, a);
	if (even)
		b = 21 + atomicAdd(&effects[1], 1) * 0;
	mine[1] = pick_far(even, b);
	c = fetch(even, &effects[2]);
	mine[2] = even ? c : 0;
	long long d = fetch_far(even, &effects[3]);
	mine[3] = even ? (int)d : 0;
	count_up(&effects[4]);
	count_far(&effects[5]);
	c = only_small(lane(), &effects[6]);
	mine[4] = lane() < 16 ? c : 0;
	int (*through)(bool, int) = thread() >= 0 ? pick_far : pick;
	int e;
	if (!even)
		e = 22 + atomicAdd(&effects[7], 1) * 0;
	mine[5] = through(!even, e);
}

/* ------------------------------------------------------------ loops */

// What an earlier turn left behind, undefined in the first.
__global__ void loops(int *effects, int *out, int turns)
{
	int *mine = out + thread() * 4, last, best, sum = 0;
	bool seen = false;

	for (int i = 0; i < turns; i++) {
		int now = (i * 7 + lane()) % 5;
		if (i > 0 && now > last)
			sum++;
		last = now;
	}
	mine[0] = sum;
	for (int i = 0; i < turns; i++) {
		int score = (i * 11 + lane()) % 17;
		if (!seen || score > best) {
			best = score;
			seen = true;
			atomicAdd(&effects[0], 1);
		}
	}
	mine[1] = best;
	// The leader of each turn makes the value of that turn.
	sum = 0;
	for (int i = 0; i < turns; i++) {
		int item;
		if (lane() == i)
			item = i * i + atomicAdd(&effects[1], 1) * 0;
		sum += __shfl_sync(ALL, item, i);
	}
	mine[2] = sum;
	int carried;
	for (int i = 0; i < turns; i++) {
		if (lane() == 2 * i)
			carried = i + 1 + atomicAdd(&effects[2], 1) * 0;
		carried = __shfl_sync(ALL, lane() == 2 * i ? carried : carried + 1000, 2 * i);
	}
	mine[3] = carried;
}

/* ------------------------------------------------------------ the host */

static void check_counted(const int *effects, const int *want, int count, const char *what)
{
	for (int i = 0; i < count; i++)
		expect(effects[i] == want[i], what, i);
}

static void check_vectors(int *effects, float *out)
{
	float4 *stored = shared_array<float4>(N);
	vectors<<<BLOCKS, THREADS>>>(effects, out, stored, 15);
	finish_kernel();
	check_counted(effects, (const int[]){23 * WARPS, 23 * WARPS, WARPS, WARPS}, 4, "effects of vectors");
	for (int i = 0; i < N; i++) {
		int l = i & 31;
		const int want[] = {l > 8 ? 2 * l : l, l > 8 ? 3 * l : 2 * l, 40 + l, 9, 3 * (l ^ 1)};
		for (int k = 0; k < 5; k++)
			expect(out[i * 5 + k] == (float)want[k], "vectors", i * 10 + k);
		expect(stored[i].y == (float)l && (l != 12 || stored[i].w == 40), "stored", i);
	}
}

static void check_loops(int *effects, int *out)
{
	const int turns = 12;
	int changes = 0;
	loops<<<BLOCKS, THREADS>>>(effects, out, turns);
	finish_kernel();
	for (int i = 0; i < N; i++) {
		int l = i & 31, sum = 0, best = -1, squares = 0;
		for (int t = 0; t < turns; t++) {
			sum += t > 0 && (t * 7 + l) % 5 > ((t - 1) * 7 + l) % 5;
			if ((t * 11 + l) % 17 > best)
				best = (t * 11 + l) % 17, changes++;
			squares += t * t;
		}
		const int want[] = {sum, best, squares, turns};
		for (int k = 0; k < 4; k++)
			expect(out[i * 4 + k] == want[k], "loops", i * 10 + k);
	}
	check_counted(effects, (const int[]){changes, turns * WARPS, turns * WARPS}, 3, "effects of loops");
}

int main()
{
	int *effects = shared_array<int>(8), *out = shared_array<int>(N * 8);

	check_vectors(effects, (float *)out);

	memset(effects, 0, 8 * sizeof *effects);
	structures<<<BLOCKS, THREADS>>>(effects, out);
	finish_kernel();
	check_counted(effects, (const int[]){WARPS, WARPS}, 2, "effects of structures");
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 6; k++)
			expect(out[i * 6 + k] == (const int[]){210, 1, 210, 1, 130, 1}[k], "structures", i * 10 + k);

	memset(effects, 0, 8 * sizeof *effects);
	arguments<<<BLOCKS, THREADS>>>(effects, out);
	finish_kernel();
	check_counted(effects, (const int[]){N / 2, N / 2, N / 2, N / 2, N, N, N / 2, N / 2}, 8, "effects of arguments");
	for (int i = 0; i < N; i++) {
		bool even = i % 2 == 0;
		int l = i & 31;
		const int want[] = {even ? 20 : -1, even ? 21 : -1, even ? 30 : 0, even ? 31 : 0, l < 16 ? l : 0, even ? -1 : 22};
		for (int k = 0; k < 6; k++)
			expect(out[i * 6 + k] == want[k], "arguments", i * 10 + k);
	}

	memset(effects, 0, 8 * sizeof *effects);
	never_written<<<BLOCKS, THREADS>>>(effects, out);
	finish_kernel();
	check_counted(effects, (const int[]){N}, 1, "what follows something undefined");
	for (int i = 0; i < N; i++)
		expect(out[i] == 1, "never written", i);

	memset(effects, 0, 8 * sizeof *effects);
	check_loops(effects, out);
	puts("PASSED");
}
