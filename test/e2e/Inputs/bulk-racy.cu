// Copies in bulk with something missing, or nothing: what --check=race says of each.
#include <cstdio>
#include <cstdlib>

__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(unsigned bar, unsigned parity)
{
	asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void load(unsigned to, const void *from, unsigned bytes, unsigned bar)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}

// 1: the tile is read before the copy is awaited. 2: and filled again while some may still read it.
__global__ void loaded(const int *in, int *out, int wrong)
{
	__shared__ alignas(128) int tile[64];
	__shared__ unsigned long long word;
	unsigned bar = at(&word);
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
	__syncthreads();
	if (threadIdx.x == 0)
		load(at(tile), in, sizeof tile, bar);
	if (wrong != 1)
		wait(bar, 0);
	out[threadIdx.x] = tile[threadIdx.x];
	if (wrong == 1)
		wait(bar, 0);
	if (wrong != 2)
		__syncthreads();
	if (threadIdx.x == 0)
		load(at(tile), in + 64, sizeof tile, bar);
	wait(bar, 1);
	out[64 + threadIdx.x] = tile[threadIdx.x];
}

// 3: no proxy fence before the copy. 4: the source is written before it has been read. 5: the fence is the copying thread's, which
// is as good.
__global__ void stored(int *out, int wrong)
{
	__shared__ alignas(128) int tile[64];
	tile[threadIdx.x] = threadIdx.x;
	if (wrong != 3 && wrong != 5)
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		if (wrong == 5)
			asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(at(tile)) : "memory");
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		if (wrong != 4)
			asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
		tile[0] = -1;
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
	}
}

// 6: two copies to the same bytes, and nobody waits between them. 7: a copy to bytes that another copy still reads. 8: as 6, but they
// bring the same values. 9: the other thread waits for the first copy, and a barrier of the block orders the second one behind that.
__global__ void twice(const int *in, int *out, int wrong)
{
	__shared__ alignas(128) int tile[64];
	__shared__ unsigned long long words[2];
	unsigned bar = at(&words[0]), other = at(&words[1]);
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; mbarrier.init.shared::cta.b64 [%1], 1;" ::"r"(bar), "r"(other) : "memory");
	__syncthreads();
	if (threadIdx.x == 0)
		load(at(tile), in + 64, sizeof tile, bar);
	if (wrong == 9 && threadIdx.x == 32)
		wait(bar, 0);
	__syncthreads();
	if (threadIdx.x == 0) {
		if (wrong != 6 && wrong != 8 && wrong != 9)
			wait(bar, 0);
		if (wrong != 6 && wrong != 8) {
			asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out + 64), "r"(at(tile)) : "memory");
			asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		}
		if (wrong != 7)
			asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
		load(at(tile), wrong == 8 ? in + 64 : in, sizeof tile, other);
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
	}
	wait(bar, 0);
	wait(other, 0);
	out[threadIdx.x] = tile[threadIdx.x];
}

int main(int, char **argv)
{
	int wrong = atoi(argv[1]), *in, *out, bad = 0;
	bool pairs = wrong >= 6;
	cudaMallocManaged(&in, 128 * sizeof *in);
	cudaMallocManaged(&out, 128 * sizeof *out);
	for (int i = 0; i < 128; i++)
		in[i] = i;
	if (pairs) {
		twice<<<1, 64>>>(in, out, wrong);
		printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
		return 0;
	}
	loaded<<<1, 64>>>(in, out, wrong);
	cudaDeviceSynchronize();
	for (int i = 0; i < 128; i++)
		bad += out[i] != i;
	stored<<<1, 64>>>(out, wrong);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
	for (int i = 0; i < 64; i++)
		bad += out[i] != i;
	return bad && wrong != 1;
}
