// Groups of asynchronous copies: rings of stages, lanes that diverge, more groups than a warp has numbers for, and clang's
// builtins. Each thread reads what it has copied itself, as soon as its group must be there.
#include <cstdint>
#include <cstdio>

constexpr int THREADS = 96, STEPS = 80;
typedef __attribute__((address_space(3))) void shared;
typedef __attribute__((address_space(1))) const void global;

__device__ void copy(void *to, const void *from, int bytes)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
		     "l"(from), "r"(bytes)
		     : "memory");
}

__device__ void commit()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void ring(int4 *out, const int4 *in)
{
	__shared__ int4 stages[4][THREADS];
	int t = threadIdx.x;
	int4 sum = {0, 0, 0, 0};
	for (int s = 0; s < 3; s++) {
		copy(&stages[s][t], &in[s * THREADS + t], 16);
		commit();
	}
	for (int s = 0; s < STEPS; s++) {
		if (s + 3 < STEPS)
			copy(&stages[(s + 3) % 4][t], &in[(s + 3) * THREADS + t], s % 2 ? 16 : 12);
		commit();
		asm volatile("cp.async.wait_group 3;" ::: "memory");
		int4 v = stages[s % 4][t];
		sum.x += v.x;
		sum.y ^= v.y * (s + 1);
		sum.z += v.z;
		sum.w += v.w;
	}
	out[t] = sum;
}

// Odd lanes copy and end their groups apart from even ones; each waits for its own, the older of two.
__global__ void apart(int4 *out, const int4 *in)
{
	__shared__ int4 place[2][THREADS];
	int t = threadIdx.x;
	if (t & 1) {
		copy(&place[0][t], &in[t], 16);
		commit();
		copy(&place[1][t], &in[t + 1], 16);
		commit();
		asm volatile("cp.async.wait_group 1;" ::: "memory");
		out[t] = place[0][t];
	} else {
		copy(&place[0][t], &in[t + 2], 16);
		commit();
		asm volatile("cp.async.wait_group 0;" ::: "memory");
		out[t] = place[0][t];
	}
	asm volatile("cp.async.wait_all;" ::: "memory");
	out[t].w += t & 1 ? place[1][t].w : 0;
}

// A hundred groups before a wait; empty ones among them; a copy that nobody waits for.
__global__ void many(int4 *out, const int4 *in)
{
	__shared__ int4 place[100];
	for (int i = 0; i < 100; i++) {
		if (i % 10)
			copy(&place[i], &in[i * THREADS + threadIdx.x], 16);
		commit();
	}
	asm volatile("cp.async.wait_group 9;" ::: "memory");
	int4 sum = {0, 0, 0, 0};
	for (int i = 0; i < 90; i++)
		sum.x += i % 10 ? place[i].x : 0;
	out[threadIdx.x] = sum;
}

__global__ void builtins(int4 *out, const int4 *in, int bytes)
{
	__shared__ int4 place[THREADS];
	int t = threadIdx.x;
	int *to = (int *)&place[t];
	const int *from = (const int *)&in[t];
	__nvvm_cp_async_ca_shared_global_16((shared *)to, (global *)from);
	__nvvm_cp_async_commit_group();
	__nvvm_cp_async_wait_group(0);
	int4 first = place[t];
	__nvvm_cp_async_cg_shared_global_16((shared *)to, (global *)(from + 4));
	__nvvm_cp_async_wait_all();
	first.x += place[t].x;
	__nvvm_cp_async_ca_shared_global_4((shared *)to, (global *)from);
	__nvvm_cp_async_ca_shared_global_8((shared *)(to + 2), (global *)(from + 2), bytes);
	__nvvm_cp_async_wait_all();
	first.y += place[t].x;
	first.z += place[t].z;
	first.w += place[t].w;
	out[t] = first;
}

static int4 *host, *results, *in, *out;
static int failures;

static int4 at(int s, int t)
{
	return host[s * THREADS + t];
}

template <class Want> static void expect(const char *name, int threads, Want want)
{
	cudaMemcpy(results, out, THREADS * sizeof *results, cudaMemcpyDeviceToHost);
	for (int t = 0; t < threads; t++) {
		int4 w = want(t), r = results[t];
		if (w.x == r.x && w.y == r.y && w.z == r.z && w.w == r.w)
			continue;
		failures++;
		printf("%s %d: %d %d %d %d, not %d %d %d %d\n", name, t, r.x, r.y, r.z, r.w, w.x, w.y, w.z, w.w);
	}
}

int main()
{
	constexpr int COUNT = 101 * THREADS;
	host = new int4[COUNT];
	results = new int4[THREADS];
	for (int i = 0; i < COUNT; i++)
		host[i] = {i * 7 + 1, i * 13 + 2, i * 3 + 5, i ^ 0x55};
	cudaMalloc(&in, COUNT * sizeof *in);
	cudaMalloc(&out, THREADS * sizeof *out);
	cudaMemcpy(in, host, COUNT * sizeof *in, cudaMemcpyHostToDevice);
	ring<<<1, THREADS>>>(out, in);
	expect("ring", THREADS, [](int t) {
		int4 sum = {0, 0, 0, 0};
		for (int s = 0; s < STEPS; s++) {
			int4 v = at(s, t);
			sum.x += v.x;
			sum.y ^= v.y * (s + 1);
			sum.z += v.z;
			sum.w += s >= 3 && (s - 3) % 2 == 0 ? 0 : v.w;
		}
		return sum;
	});
	apart<<<1, THREADS>>>(out, in);
	expect("apart", THREADS, [](int t) {
		int4 v = at(0, t & 1 ? t : t + 2);
		v.w += t & 1 ? at(0, t + 1).w : 0;
		return v;
	});
	many<<<1, 1>>>(out, in);
	expect("many", 1, [](int t) {
		int4 sum = {0, 0, 0, 0};
		for (int i = 0; i < 90; i++)
			sum.x += i % 10 ? at(i, t).x : 0;
		return sum;
	});
	builtins<<<1, THREADS>>>(out, in, 3);
	expect("builtins", THREADS, [](int t) {
		int4 v = at(0, t), sum = v;
		sum.x += at(0, t + 1).x;
		sum.y += v.x;
		sum.z += v.z & 0xffffff;
		return sum;
	});
	printf("groups: %s, %s\n", failures ? "FAILED" : "PASSED", cudaGetErrorString(cudaGetLastError()));
	return failures != 0;
}
