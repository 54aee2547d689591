/* cuda::barrier, pipeline, atomic and their kin: results that only hold when the waits do. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>
#include <cstdio>
#include <new>
#include <utility>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
static int failures;
#define EXPECT(condition) (condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition))

/* Each phase reads what another warp wrote in the phase before. */
__global__ void phases(int *out, int rounds)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ barrier bar;
	__shared__ int data[128];
	int t = threadIdx.x, sum = 0;
	if (t == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	for (int r = 0; r < rounds; r++) {
		data[t] = t + r;
		barrier::arrival_token token = bar.arrive();
		bar.wait(std::move(token));
		sum += data[(t + 33 * (r + 1)) % blockDim.x];
		bar.arrive_and_wait();
	}
	out[t] = sum;
}

/* A warp produces, the others consume; with two barriers to and fro. */
__global__ void handover(const int *in, int *out, int steps)
{
	__shared__ barrier bars[2];
	__shared__ int stage[32];
	int t = threadIdx.x;
	if (t < 2)
		init(bars + t, blockDim.x);
	__syncthreads();
	if (t < 32) {
		for (int s = 0; s < steps; s++) {
			if (s)
				bars[1].wait(bars[1].arrive());
			stage[t] = in[s * 32 + t] * 2;
			(void)bars[0].arrive();
		}
		bars[1].arrive_and_drop();
	} else {
		for (int s = 0; s < steps; s++) {
			bars[0].arrive_and_wait();
			out[s * 32 + t % 32] = stage[t % 32] + 1;
			if (s + 1 < steps)
				(void)bars[1].arrive();
		}
	}
}

/* Threads leave one by one; the rest meet again and again. */
__global__ void drop(int *out)
{
	__shared__ barrier bar;
	__shared__ int here;
	if (threadIdx.x == 0) {
		init(&bar, blockDim.x);
		here = 0;
	}
	__syncthreads();
	for (int r = 0; r < (int)threadIdx.x; r++) {
		atomicAdd(&here, 1);
		bar.arrive_and_wait();
	}
	bar.arrive_and_drop();
	if (threadIdx.x == blockDim.x - 1)
		*out = here;
}

__global__ void copied(const int *in, int *out, int n)
{
	__shared__ barrier bar;
	__shared__ alignas(16) int tile[64];
	auto block = cg::this_thread_block();
	if (block.thread_rank() == 0)
		init(&bar, block.size());
	block.sync();
	int sum = 0;
	for (int at = 0; at < n; at += 64) {
		cuda::async_contract_fulfillment how = cuda::memcpy_async(block, tile, in + at, cuda::aligned_size_t<16>(sizeof tile), bar);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
		sum += how != cuda::async_contract_fulfillment::async;
#else
		sum += how != cuda::async_contract_fulfillment::none;
#endif
		bar.arrive_and_wait();
		sum += tile[(threadIdx.x * 7) % 64];
		bar.arrive_and_wait();
	}
	out[threadIdx.x] = sum;
}

template <int Stages> __global__ void piped(const int *in, int *out, int batches)
{
	__shared__ int tile[Stages][64];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int sum = 0;
	for (int take = 0, put = 0; take < batches; take++) {
		for (; put < batches && put < take + Stages; put++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, tile[put % Stages], in + put * 64, sizeof(int) * 64, pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum += tile[take % Stages][63 - threadIdx.x];
		pipe.consumer_release();
	}
	out[threadIdx.x] = sum;
}

/* The first warp only produces. */
__global__ void roles(const int *in, int *out, int batches)
{
	__shared__ int tile[2][32];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	auto block = cg::this_thread_block();
	bool producer = threadIdx.x < 32;
	auto pipe = cuda::make_pipeline(block, &state,
					producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
	if (producer) {
		for (int b = 0; b < batches; b++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&tile[b % 2][threadIdx.x], &in[b * 32 + threadIdx.x], sizeof(int), pipe);
			pipe.producer_commit();
		}
		return;
	}
	int sum = 0;
	for (int b = 0; b < batches; b++) {
		pipe.consumer_wait();
		sum += tile[b % 2][(threadIdx.x + 5) % 32];
		pipe.consumer_release();
	}
	out[threadIdx.x - 32] = sum;
}

/* The first warp has committed its part of a stage, and waits elsewhere for the second, which waits for the stage. */
__global__ void elsewhere(const int *in, int *out)
{
	__shared__ int tile[64];
	__shared__ volatile int taken;
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
	auto block = cg::this_thread_block();
	if (threadIdx.x == 0)
		taken = 0;
	auto pipe = cuda::make_pipeline(block, &state);
	pipe.producer_acquire();
	cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(int), pipe);
	pipe.producer_commit();
	while (threadIdx.x < 32 && !taken)
		;
	pipe.consumer_wait();
	out[threadIdx.x] = tile[63 - threadIdx.x];
	if (threadIdx.x == 32)
		taken = 1;
	pipe.consumer_release();
}

__global__ void alone(const int *in, int *out)
{
	__shared__ int tile[2][32];
	auto pipe = cuda::make_pipeline();
	int t = threadIdx.x, sum = 0;
	for (int b = 0; b < 2; b++) {
		pipe.producer_acquire();
		(void)(cuda::memcpy_async(&tile[b][t], in + b * 32 + t, cuda::aligned_size_t<4>(4), pipe) == cuda::async_contract_fulfillment::async);
		pipe.producer_commit();
	}
	cuda::pipeline_consumer_wait_prior<1>(pipe);
	__syncwarp();
	sum = tile[0][(t + 1) % 32];
	pipe.consumer_release();
	cuda::pipeline_consumer_wait_prior<0>(pipe);
	__syncwarp();
	out[t] = sum + tile[1][(t + 2) % 32];
	pipe.consumer_release();
}

__device__ cuda::atomic<int, cuda::thread_scope_device> turn{0};
__device__ cuda::atomic<unsigned long long> wide;
__device__ int message;
using latch = cuda::latch<cuda::thread_scope_system>;

/* Message passing between blocks, a lock, and each operation once. */
__global__ void atomics(int *out, float *real, int *plain, latch *ready)
{
	if (blockIdx.x == 0) {
		message = 42;
		turn.store(1, cuda::memory_order_release);
	} else {
		while (turn.load(cuda::memory_order_acquire) != 1)
			;
		out[0] = message;
		int expected = 1;
		out[1] = turn.compare_exchange_strong(expected, 5) ? turn.exchange(7, cuda::std::memory_order_acq_rel) : -1;
		out[2] = turn.fetch_sub(3) + turn.load();
		out[3] = turn++ + ++turn;
		cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
	}
	cuda::atomic_ref<float, cuda::thread_scope_device> sum(*real);
	sum.fetch_add(0.5f, cuda::memory_order_relaxed);
	cuda::atomic_ref<int, cuda::thread_scope_device> ref(plain[0]), top(plain[1]), low(plain[2]), bits(plain[3]);
	ref += 2;
	top.fetch_max((int)(blockIdx.x * 10));
	low.fetch_min((int)blockIdx.x - 3);
	bits |= 1 << blockIdx.x;
	wide.fetch_add(1ull << 33);
	ready->arrive_and_wait();
	if (blockIdx.x == 0)
		*(unsigned long long *)(out + 4) = wide.load();
}

/* Two slots for eight blocks. */
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> slots(2);
__device__ int inside, most;
__global__ void guarded()
{
	slots.acquire();
	atomicMax(&most, atomicAdd(&inside, 1) + 1);
	atomicSub(&inside, 1);
	slots.release();
}

int main()
{
	static_assert(cuda::std::is_same<cuda::std::uint32_t, unsigned int>::value, "");
	int *in, *out;
	cudaMallocManaged(&in, 4096);
	cudaMallocManaged(&out, 4096);
	for (int i = 0; i < 1024; i++)
		in[i] = i * 3 + 1;
	phases<<<1, 128>>>(out, 3);
	cudaDeviceSynchronize();
	for (int t = 0; t < 128; t++)
		EXPECT(out[t] == (t + 33) % 128 + (t + 66) % 128 + (t + 99) % 128 + 3);
	handover<<<1, 64>>>(in, out, 4);
	cudaDeviceSynchronize();
	for (int i = 0; i < 128; i++)
		EXPECT(out[i] == in[i] * 2 + 1);
	drop<<<1, 40>>>(out);
	cudaDeviceSynchronize();
	EXPECT(*out == 40 * 39 / 2);
	copied<<<1, 64>>>(in, out, 192);
	cudaDeviceSynchronize();
	for (int t = 0; t < 64; t++)
		EXPECT(out[t] == 3 * in[t * 7 % 64] + 3 * 64 * 3);
	piped<2><<<1, 64>>>(in, out, 5);
	cudaDeviceSynchronize();
	for (int t = 0; t < 64; t++)
		EXPECT(out[t] == 5 * in[63 - t] + 10 * 64 * 3);
	piped<3><<<1, 64>>>(in, out, 5);
	cudaDeviceSynchronize();
	for (int t = 0; t < 64; t++)
		EXPECT(out[t] == 5 * in[63 - t] + 10 * 64 * 3);
	roles<<<1, 64>>>(in, out, 5);
	cudaDeviceSynchronize();
	for (int t = 0; t < 32; t++)
		EXPECT(out[t] == 5 * in[(t + 5) % 32] + 10 * 32 * 3);
	elsewhere<<<1, 64>>>(in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < 64; t++)
		EXPECT(out[t] == in[63 - t]);
	alone<<<1, 32>>>(in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < 32; t++)
		EXPECT(out[t] == in[(t + 1) % 32] + in[32 + (t + 2) % 32]);
	float *real = (float *)(in + 512);
	int *plain = in + 600;
	*real = 1;
	plain[0] = plain[1] = plain[2] = plain[3] = 0;
	atomics<<<2, 1>>>(out, real, plain, new (in + 700) latch(2));
	cudaDeviceSynchronize();
	EXPECT(out[0] == 42 && out[1] == 5 && out[2] == 7 + 4 && out[3] == 4 + 6);
	EXPECT(*real == 2.0f && plain[0] == 4 && plain[1] == 10 && plain[2] == -3 && plain[3] == 3);
	EXPECT(*(unsigned long long *)(out + 4) == 2ull << 33);
	guarded<<<8, 1>>>();
	int n;
	cudaMemcpyFromSymbol(&n, most, sizeof n);
	EXPECT(n >= 1 && n <= 2);
	cuda::atomic<int> host(3);
	host += 4;
	EXPECT(host.fetch_sub(2) == 7 && host == 5);
	EXPECT(cudaGetLastError() == cudaSuccess);
	printf(failures ? "FAILED\n" : "barriers: PASSED\n");
	return failures != 0;
}
