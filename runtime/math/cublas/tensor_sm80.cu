/*
 * Products on tensor cores of sm_80 and later: half, bfloat16, single precision as tf32, bytes. All have the same bytes in
 * shared memory: a stage holds 64 bytes of each of a tile's rows of A and columns of B, in chunks of 16, filled by cp.async
 * three stages ahead. Chunks lie as in global memory, either a row's steps side by side or a step's rows, and are moved
 * within 128 bytes (`swizzle`) so that ldmatrix meets no bank twice. Eight warps share a tile in two rows and four columns.
 */
#include "runtime/math/cublas/gemm.cuh"

namespace hd_blas {

enum { THREADS = 256, STAGES = 3, CHUNK = 16, ROW_BYTES = 64, ROW_CHUNKS = ROW_BYTES / CHUNK };

struct tf32 {
	float value;
};

/* c += a b for 16 x 8 elements: four registers of a, two of b. */
template <class E> struct multiplier;
#define HD_MULTIPLIER(E, SUM, LETTER, SHAPE)                                                                           \
	template <> struct multiplier<E> {                                                                             \
		using sum = SUM;                                                                                       \
		static __device__ void run(SUM(&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)               \
		{                                                                                                      \
			asm volatile("mma.sync.aligned." SHAPE " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
				     : "+" LETTER(c[0]), "+" LETTER(c[1]), "+" LETTER(c[2]), "+" LETTER(c[3])          \
				     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                  \
		}                                                                                                      \
	};
HD_MULTIPLIER(__half, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
HD_MULTIPLIER(__nv_bfloat16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
HD_MULTIPLIER(tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
HD_MULTIPLIER(signed char, int, "r", "m16n8k32.row.col.s32.s8.s8.s32")
#undef HD_MULTIPLIER

/* A factor's tile of SIDE rows (of B: columns). */
template <class E, int SIDE> struct factor_tile {
	static constexpr int EACH = CHUNK / sizeof(E);		 /* elements of a chunk */
	static constexpr int STEPS = ROW_BYTES / sizeof(E);	 /* of a stage */
	static constexpr int ACROSS_CHUNKS = SIDE / EACH;	 /* of a step, where rows lie side by side */
	static constexpr int LOADS = SIDE * ROW_CHUNKS / THREADS; /* of a thread */
	static constexpr int ROWS_APART = THREADS / ROW_CHUNKS, STEPS_APART = THREADS / ACROSS_CHUNKS;
	static_assert(ROWS_APART % 8 == 0 && STEPS_APART % 8 == 0, "a thread's chunks have one swizzle");
	const char *from; /* the thread's first chunk of the next stage */
	int64_t advance, apart; /* bytes from one stage to the next, from one of the thread's chunks to the next */
	int place, bytes[LOADS]; /* in the stage, and of each chunk while there are steps */
	int first_step;
	bool steps_inside, aligned;

	__device__ factor_tile(const E *data, int64_t across, int64_t along, int64_t first, int64_t limit)
		: steps_inside(along == 1)
	{
		int row, chunk = threadIdx.x;
		if (steps_inside) {
			row = chunk / ROW_CHUNKS;
			first_step = chunk % ROW_CHUNKS * EACH;
			place = place_of_row(row, chunk % ROW_CHUNKS);
		} else {
			row = chunk % ACROSS_CHUNKS * EACH;
			first_step = chunk / ACROSS_CHUNKS;
			place = place_of_step(first_step, chunk % ACROSS_CHUNKS);
		}
		int64_t pitch = (steps_inside ? across : along) * (int64_t)sizeof(E);
		aligned = (((int64_t)data | pitch) & (CHUNK - 1)) == 0;
		from = reinterpret_cast<const char *>(data + (first + row) * across + first_step * along);
		advance = along * STEPS * (int64_t)sizeof(E);
		apart = pitch * (steps_inside ? ROWS_APART : STEPS_APART);
#pragma unroll
		for (int l = 0; l < LOADS; l++) {
			int64_t rows_left = limit - first - row - (steps_inside ? l * ROWS_APART : 0);
			int most = steps_inside ? 1 : EACH;
			bytes[l] = rows_left <= 0 ? 0 : rows_left < most ? (int)rows_left * (int)sizeof(E) : CHUNK;
		}
	}
	/* Where the chunk of a row with steps inside is, or that of a step with rows inside. */
	static __device__ int place_of_row(int row, int chunk)
	{
		return row * ROW_BYTES + (chunk ^ (row >> 1 & 3)) * CHUNK;
	}
	static __device__ int place_of_step(int step, int chunk)
	{
		int swizzle = sizeof(E) == 4 ? (step & 3) << 1 : step & 7;
		return (step * ACROSS_CHUNKS + (chunk ^ swizzle)) * CHUNK;
	}
	/* The next stage. `left`: how many steps there are. */
	__device__ void load(char *shared, int64_t left)
	{
		bool whole = left >= STEPS;
#pragma unroll
		for (int l = 0; l < LOADS; l++) {
			const char *at = from + l * apart;
			char *to = shared + place + l * THREADS * CHUNK;
			int there = bytes[l];
			if (!whole) {
				int64_t steps = left - first_step - (steps_inside ? 0 : l * STEPS_APART);
				if (steps <= 0)
					there = 0;
				else if (steps_inside && steps < EACH)
					there = min(there, (int)steps * (int)sizeof(E));
			}
			if (aligned)
				asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
						     (unsigned)__cvta_generic_to_shared(to)),
					     "l"(at), "r"(there)
					     : "memory");
			else
				for (int e = 0; e < EACH; e++)
					reinterpret_cast<E *>(to)[e] = e * (int)sizeof(E) < there
									       ? reinterpret_cast<const E *>(at)[e]
									       : E{};
		}
		from += advance;
	}
	/*
	 * Registers of four blocks of 8 rows x 16 bytes of steps: of rows `row` and `row` + 8, and steps' chunks `chunk`
	 * and `chunk` + 1. `rows_first` is their order: A's rows change first, B's steps.
	 */
	__device__ void fragment(unsigned (&to)[4], const char *shared, int row, int chunk, bool rows_first) const
	{
		int lane = threadIdx.x % 32, block = lane / 8;
		int down = (rows_first ? block & 1 : block >> 1) * 8, right = rows_first ? block >> 1 : block & 1;
		if (steps_inside) {
			load_blocks<false>(to, shared + place_of_row(row + down + lane % 8, chunk + right));
		} else if (sizeof(E) == 2) {
			load_blocks<true>(to, shared + place_of_step((chunk + right) * EACH + lane % 8,
								     (row + down) / EACH));
		} else {
#pragma unroll
			for (int r = 0; r < 4; r++) {
				int i = row + (rows_first ? r & 1 : r >> 1) * 8 + lane / 4;
				int step = (chunk + (rows_first ? r >> 1 : r & 1)) * EACH + lane % 4;
				const char *at = shared + place_of_step(step, i / EACH) + i % EACH * sizeof(E);
				to[r] = *reinterpret_cast<const unsigned *>(at);
			}
		}
	}
	template <bool TRANSPOSED> static __device__ void load_blocks(unsigned (&to)[4], const char *from)
	{
		unsigned at = (unsigned)__cvta_generic_to_shared(from);
		if (TRANSPOSED)
			asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
				     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
				     : "r"(at)
				     : "memory");
		else
			asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
				     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
				     : "r"(at)
				     : "memory");
	}
};

template <class E> struct finisher_of {
	using type = finisher;
};
template <> struct finisher_of<signed char> {
	using type = integer_finisher;
};

/* SIDE x SIDE elements for a block; a warp has SIDE / 2 rows and SIDE / 4 columns. */
template <class E, int SIDE>
__global__ void __launch_bounds__(THREADS, 2) tensor_kernel(const gemm_problem p, unsigned first_number)
{
	using tile = factor_tile<E, SIDE>;
	constexpr int BYTES = SIDE * ROW_BYTES, ROWS = SIDE / 32, COLUMNS = SIDE / 32;
	constexpr int PITCH = COLUMNS * 8 + 8;
	static_assert(THREADS / 32 * 16 * PITCH * 4 <= STAGES * 2 * BYTES, "sums take the stages' memory");
	__shared__ __align__(128) char shared[STAGES][2][BYTES];
	const tile_place place(p, SIDE, first_number);
	int64_t first_row = place.row, first_column = place.column;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int row = warp / 4 * (SIDE / 2), column = warp % 4 * (SIDE / 4);
	typename finisher_of<E>::type finish(p);
	unsigned number = place.number;
	tile a(p.a.of<E>(number), p.a.rows, p.a.columns, first_row, p.m);
	tile b(p.b.of<E>(number), p.b.columns, p.b.rows, first_column, p.n);
	typename multiplier<E>::sum sum[ROWS][COLUMNS][4] = {};
	int stages = (int)divide_up(p.k, tile::STEPS);
	for (int stage = 0; stage < STAGES - 1; stage++) {
		if (stage < stages) {
			a.load(shared[stage][0], p.k - (int64_t)stage * tile::STEPS);
			b.load(shared[stage][1], p.k - (int64_t)stage * tile::STEPS);
		}
		asm volatile("cp.async.commit_group;" ::: "memory");
	}
	for (int stage = 0; stage < stages; stage++) {
		asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
		__syncthreads();
		int next = stage + STAGES - 1;
		if (next < stages) {
			a.load(shared[next % STAGES][0], p.k - (int64_t)next * tile::STEPS);
			b.load(shared[next % STAGES][1], p.k - (int64_t)next * tile::STEPS);
		}
		asm volatile("cp.async.commit_group;" ::: "memory");
		const char *stage_a = shared[stage % STAGES][0], *stage_b = shared[stage % STAGES][1];
#pragma unroll
		for (int chunk = 0; chunk < ROW_CHUNKS; chunk += 2) {
			unsigned x[ROWS][4], y[(COLUMNS + 1) / 2][4];
#pragma unroll
			for (int i = 0; i < ROWS; i++)
				a.fragment(x[i], stage_a, row + i * 16, chunk, true);
#pragma unroll
			for (int j = 0; j < COLUMNS; j += 2)
				b.fragment(y[j / 2], stage_b, column + j * 8, chunk, false);
#pragma unroll
			for (int i = 0; i < ROWS; i++)
#pragma unroll
				for (int j = 0; j < COLUMNS; j++)
					multiplier<E>::run(sum[i][j], x[i], y[j / 2][j % 2 * 2],
							   y[j / 2][j % 2 * 2 + 1]);
		}
	}
	/* 16 rows at a time through shared memory, so that lanes write neighbouring columns. */
	__syncthreads();
	auto *sums = reinterpret_cast<typename multiplier<E>::sum *>(shared) + warp * 16 * PITCH;
#pragma unroll
	for (int i = 0; i < ROWS; i++) {
#pragma unroll
		for (int j = 0; j < COLUMNS; j++)
#pragma unroll
			for (int e = 0; e < 4; e++)
				sums[(lane / 4 + e / 2 * 8) * PITCH + j * 8 + lane % 4 * 2 + e % 2] = sum[i][j][e];
		__syncwarp();
#pragma unroll 1
		for (int e = lane; e < 16 * COLUMNS * 8; e += 32) {
			int down = e / (COLUMNS * 8), right = e % (COLUMNS * 8);
			int64_t at = first_row + row + i * 16 + down, to = first_column + column + right;
			if (at < p.m && to < p.n)
				finish(p, number, at, to, sums[down * PITCH + right]);
		}
		__syncwarp();
	}
}

template <class E> static bool run(const context *context, const gemm_problem &p)
{
	if (divide_up(p.m, 128) * divide_up(p.n, 128) * p.count >= context->sm_count)
		launch_tiles(tensor_kernel<E, 128>, THREADS, 128, context, p);
	else
		launch_tiles(tensor_kernel<E, 64>, THREADS, 64, context, p);
	return true;
}

static bool is_unit(const typed_matrix &matrix)
{
	return matrix.rows == 1 || matrix.columns == 1;
}

static bool may_be_tf32(cublasComputeType_t compute)
{
	return compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_FAST_16F ||
	       compute == CUBLAS_COMPUTE_32F_FAST_16BF;
}

static bool is_pedantic(cublasComputeType_t compute)
{
	return compute == CUBLAS_COMPUTE_16F_PEDANTIC || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
	       compute == CUBLAS_COMPUTE_32I_PEDANTIC;
}

bool tensor_run_sm80(const context *context, const gemm_problem &p)
{
	if (context->capability < 80 || p.a.type != p.b.type || !is_unit(p.a) || !is_unit(p.b) || is_pedantic(p.compute))
		return false;
	switch (p.a.type) {
	case CUDA_R_16F:
		return run<__half>(context, p);
	case CUDA_R_16BF:
		return run<__nv_bfloat16>(context, p);
	case CUDA_R_32F:
		return may_be_tf32(p.compute) && run<tf32>(context, p);
	case CUDA_R_8I:
		/* Bytes are multiplied four steps in a word. */
		return p.compute == CUBLAS_COMPUTE_32I && p.a.columns == 1 && p.b.rows == 1 && run<signed char>(context, p);
	default:
		return false;
	}
}

} // namespace hd_blas
