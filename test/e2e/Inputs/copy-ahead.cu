// Pipelines of copies in bulk whose waits test/e2e/copy-ahead.test judges. Nothing runs them.
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long *bar) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(bar)) : "memory"); }
__device__ void load(void *to, const void *from, unsigned bytes, unsigned long long *bar)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)) : "memory");
}
__device__ void wait(unsigned long long *bar, unsigned parity)
{
	asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(at(bar)), "r"(parity) : "memory");
}
enum { BYTES = 1024 };
// Each piece is asked for STAGES - 1 pieces ahead.
template <int STAGES> __device__ void pieces(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[STAGES][BYTES / 4];
	__shared__ unsigned long long bar[STAGES];
	float sum = 0;
	if (threadIdx.x == 0)
		for (int s = 0; s < STAGES; s++)
			init(&bar[s]);
	__syncthreads();
	if (threadIdx.x == 0)
		for (int s = 0; s < STAGES - 1; s++)
			load(tile[s], in + s * BYTES / 4, BYTES, &bar[s]);
	for (int i = 0; i < n; i++) {
		int next = i + STAGES - 1;
		if (threadIdx.x == 0 && next < n)
			load(tile[next % STAGES], in + next * BYTES / 4, BYTES, &bar[next % STAGES]);
		wait(&bar[i % STAGES], i / STAGES & 1);
		sum += tile[i % STAGES][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
__global__ void serial(const float *in, float *out, int n) { pieces<1>(in, out, n); }
__global__ void two(const float *in, float *out, int n) { pieces<2>(in, out, n); }
__global__ void three(const float *in, float *out, int n) { pieces<3>(in, out, n); }
// One warp brings the pieces, and waits until there is room; another one reads them.
template <int STAGES> __device__ void parts(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[STAGES][BYTES / 4];
	__shared__ unsigned long long bar[2][STAGES];
	int s = 0, phase = 0;
	if (threadIdx.x == 0)
		for (int i = 0; i < STAGES; i++) {
			init(&bar[0][i]);
			init(&bar[1][i]);
		}
	__syncthreads();
	if (threadIdx.x < 32) {
		if (threadIdx.x == 0)
			for (int i = 0; i < n; i++) {
				wait(&bar[1][s], phase ^ 1);
				load(tile[s], in + i * BYTES / 4, BYTES, &bar[0][s]);
				if (++s == STAGES)
					s = 0, phase ^= 1;
			}
	} else {
		float sum = 0;
		for (int i = 0; i < n; i++) {
			wait(&bar[0][s], phase);
			sum += tile[s][threadIdx.x - 32];
			asm volatile("bar.sync 1, 32;" ::: "memory");
			if (threadIdx.x == 32)
				asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&bar[1][s])) : "memory");
			if (++s == STAGES)
				s = 0, phase ^= 1;
		}
		out[threadIdx.x - 32] = sum;
	}
}
__global__ void roles(const float *in, float *out, int n) { parts<4>(in, out, n); }
__global__ void one_slot(const float *in, float *out, int n) { parts<1>(in, out, n); }
// The next piece is asked for behind the wait, before the work.
__global__ void behind(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	if (threadIdx.x == 0) {
		init(&bar[0]);
		init(&bar[1]);
		load(tile[0], in, BYTES, &bar[0]);
	}
	__syncthreads();
	for (int i = 0; i < n; i++) {
		wait(&bar[i & 1], i >> 1 & 1);
		if (threadIdx.x == 0)
			load(tile[~i & 1], in + (i + 1) * BYTES / 4, BYTES, &bar[~i & 1]);
		sum += tile[i & 1][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Two barriers of a turn are waited for before any work.
__global__ void pair(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		load(tile[0], in + i * BYTES / 2, BYTES, &bar[0]);
		load(tile[1], in + i * BYTES / 2 + BYTES / 4, BYTES, &bar[1]);
		wait(&bar[0], i & 1);
		wait(&bar[1], i & 1);
		sum += tile[0][i & 31] * tile[1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
// The same, with work on the first one before the wait for the second one: each of the two waits is on its own.
__global__ void halves(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		load(tile[0], in + i * BYTES / 2, BYTES, &bar[0]);
		load(tile[1], in + i * BYTES / 2 + BYTES / 4, BYTES, &bar[1]);
		wait(&bar[0], i & 1);
		sum += tile[0][i & 31];
		wait(&bar[1], i & 1);
		sum *= tile[1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
// Two copies tell one barrier: one of its phases, so that none is under way behind the wait.
__global__ void shared_barrier(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1024;" ::"r"(at(&bar)) : "memory");
		load(tile[0], in + i * BYTES / 2, BYTES, &bar);
		wait(&bar, i & 1);
		sum += tile[0][i & 31] * tile[1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
// Which barrier is told and which one is waited for stands in memory.
__global__ void anywhere(const float *in, float *out, const int *slot, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		int told = slot[2 * i] & 1, awaited = slot[2 * i + 1] & 1;
		load(tile[i & 1], in + i * BYTES / 4, BYTES, &bar[told]);
		wait(&bar[awaited], i & 1);
		sum += tile[i & 1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
// Nothing is brought behind the only wait: there is nothing to judge.
__global__ void once(const float *in, float *out)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	init(&bar);
	load(tile, in, BYTES, &bar);
	wait(&bar, 0);
	*out = *tile;
}
// Work stands between the copy and the wait for it.
__global__ void beside(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		load(tile, in + i * BYTES / 4, BYTES, &bar);
		out[i] = sum;
		wait(&bar, i & 1);
		sum += tile[i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
}
// A function that is called may start and wait for anything.
__device__ __noinline__ float elsewhere(float x) { return asinf(x) * x; }
__global__ void called(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		load(tile, in + i * BYTES / 4, BYTES, &bar);
		wait(&bar, i & 1);
		sum += elsewhere(tile[i & 31]);
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
