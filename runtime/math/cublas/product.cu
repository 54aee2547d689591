/*
 * The kernel of hd_blas::multiply. A block computes a tile of TM x TN: both factors' tiles of TK steps go through shared
 * memory, transposed there so that a thread reads its rows and columns as vectors of 16 bytes. There are two of them: the
 * next one is loaded to registers and stored while this one is multiplied. A thread's elements lie in chunks of such a
 * vector, spread over the tile, and a warp's in 8 x 4 threads, so that its lanes read few different words.
 *
 * The rate needs two blocks in an SM, 128 registers for a thread: addresses of a factor are a pointer that all of a
 * thread's elements share and distances of 32 bits, and no element has a condition of its own. Three sizes of tiles: the
 * largest one of which there are as many as SMs.
 */
#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

enum { THREADS = 256 };

/* TM, TN: tile; TK: steps; R: a thread's rows, and columns. */
template <class T, int TM, int TN, int TK, int R> struct tile {
	static constexpr int VECTOR = 16 / sizeof(T) < R ? 16 / sizeof(T) : R;
	static constexpr int CHUNKS = R / VECTOR;
	static constexpr int PITCH_A = TM + 16 / sizeof(T), PITCH_B = TN + 16 / sizeof(T);
	static constexpr int WIDE = TM / R; /* threads across */
	static_assert(TM / R * (TN / R) == THREADS, "one thread for each R x R elements");
	T a[TK][PITCH_A], b[TK][PITCH_B];
};

/* Element (i, j) of a factor of which a triangle is stored. */
template <class T> __device__ T shaped_element(const operand<T> &operand, const T *data, int64_t i, int64_t j)
{
	bool mirrored = operand.upper ? i > j : i < j;
	if (i == j && operand.kind == UNIT_TRIANGULAR)
		return make<T>(1);
	if (mirrored && operand.kind >= TRIANGULAR)
		return T{};
	T value = mirrored ? data[j * operand.rows + i * operand.columns] : data[i * operand.rows + j * operand.columns];
	if (operand.kind == HERMITIAN)
		value = i == j ? make<T>(real(value)) : conj_if(mirrored, value);
	return conj_if(operand.conjugate, value);
}

/*
 * How the elements of a factor's next tile lie in memory, and in the tile. ACROSS: how wide the tile is; `across` and `along`
 * are the distances of rows (of B: columns) and of steps. Neighbouring threads take what lies side by side in memory.
 */
template <class T, int ACROSS, int TK> struct spread {
	static constexpr int LOADS = ACROSS * TK / THREADS;
	bool steps_first;

	__device__ spread(int64_t across, int64_t along) : steps_first(along < across)
	{
	}
	__device__ int row(int number) const
	{
		int e = number * THREADS + threadIdx.x;
		return steps_first ? e / TK : e % ACROSS;
	}
	__device__ int step(int number) const
	{
		int e = number * THREADS + threadIdx.x;
		return steps_first ? e % TK : e / ACROSS;
	}
	template <int PITCH> __device__ void store(T (&to)[TK][PITCH], const T (&values)[LOADS]) const
	{
		T *place = &to[step(0)][row(0)];
		int apart = steps_first ? THREADS / TK : THREADS / ACROSS * PITCH;
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			place[l * apart] = values[l];
	}
};

/*
 * Of a factor that is stored whole. A row behind the last one is the last one: what becomes of it is not written. Steps
 * behind the last one are zeros, as they count in each sum.
 */
template <class T, int ACROSS, int TK, bool B> struct whole_loader : spread<T, ACROSS, TK> {
	using spread<T, ACROSS, TK>::LOADS;
	const T *data;
	int64_t advance;
	uint32_t offsets[LOADS];
	bool conjugate;

	__device__ whole_loader(const operand<T> &operand, unsigned number, int64_t at, int64_t limit)
		: spread<T, ACROSS, TK>(B ? operand.columns : operand.rows, B ? operand.rows : operand.columns),
		  conjugate(operand.conjugate)
	{
		int64_t across = B ? operand.columns : operand.rows, along = B ? operand.rows : operand.columns;
		data = operand.of(number) + at * across;
		advance = along * TK;
		int last = (int)(limit - at < ACROSS ? limit - at - 1 : ACROSS - 1);
#pragma unroll
		for (int l = 0; l < LOADS; l++)
			offsets[l] = (uint32_t)(min(this->row(l), last) * across + this->step(l) * along);
	}
	/* `left`: how many steps there are. */
	__device__ void load(T (&values)[LOADS], int64_t left)
	{
		if (left >= TK) {
#pragma unroll
			for (int l = 0; l < LOADS; l++)
				values[l] = conj_if(conjugate, data[offsets[l]]);
		} else {
#pragma unroll
			for (int l = 0; l < LOADS; l++)
				values[l] = this->step(l) < left ? conj_if(conjugate, data[offsets[l]]) : T{};
		}
		data += advance;
	}
};

/* Of one with a triangle, or whose tile's elements are further apart than 32 bits say. */
template <class T, int ACROSS, int TK, bool B> struct shaped_loader : spread<T, ACROSS, TK> {
	using spread<T, ACROSS, TK>::LOADS;
	const operand<T> &from;
	const T *data;
	int64_t at, limit, first;

	__device__ shaped_loader(const operand<T> &operand, unsigned number, int64_t at, int64_t limit)
		: spread<T, ACROSS, TK>(B ? operand.columns : operand.rows, B ? operand.rows : operand.columns),
		  from(operand), data(operand.of(number)), at(at), limit(limit), first(0)
	{
	}
	__device__ void load(T (&values)[LOADS], int64_t left)
	{
#pragma unroll
		for (int l = 0; l < LOADS; l++) {
			int64_t i = at + this->row(l), p = first + this->step(l);
			if (i >= limit || this->step(l) >= left)
				values[l] = T{};
			else if (from.kind == GENERAL)
				values[l] = conj_if(from.conjugate,
						    B ? data[p * from.rows + i * from.columns]
						      : data[i * from.rows + p * from.columns]);
			else
				values[l] = B ? shaped_element(from, data, p, i) : shaped_element(from, data, i, p);
		}
		first += TK;
	}
};

/* R elements of a step's row in shared memory: CHUNKS vectors, WIDTH apart. */
template <class T, int R, int VECTOR, int WIDTH> __device__ void read_row(T (&to)[R], const T *row, int thread)
{
	struct alignas(sizeof(T) * VECTOR) vector {
		T x[VECTOR];
	};
#pragma unroll
	for (int chunk = 0; chunk < R / VECTOR; chunk++) {
		vector v = *reinterpret_cast<const vector *>(row + chunk * WIDTH + thread * VECTOR);
#pragma unroll
		for (int i = 0; i < VECTOR; i++)
			to[chunk * VECTOR + i] = v.x[i];
	}
}

template <class T> __device__ void store_element(const product<T> &p, T *c, int64_t i, int64_t j, T sum, T alpha, T beta)
{
	if (i >= p.m || j >= p.n || (p.written == UPPER_PART && i > j) || (p.written == LOWER_PART && i < j))
		return;
	T *to = c + i * p.c.rows + j * p.c.columns;
	T value = alpha * sum;
	/* What is multiplied by zero is not read: it may be unset. */
	if (!is_zero(beta))
		value = multiply_add(beta, *to, value);
	*to = p.real_diagonal && i == j ? make<T>(real(value)) : value;
}

/* sum += the product of the factors' tiles. */
template <class T, int TM, int TN, int TK, int R>
__device__ void multiply_tiles(T (&sum)[R][R], const tile<T, TM, TN, TK, R> &shared, int x, int y)
{
	constexpr int VECTOR = tile<T, TM, TN, TK, R>::VECTOR, CHUNKS = tile<T, TM, TN, TK, R>::CHUNKS;
#pragma unroll
	for (int t = 0; t < TK; t++) {
		T a[R], b[R];
		read_row<T, R, VECTOR, TM / CHUNKS>(a, shared.a[t], x);
		read_row<T, R, VECTOR, TN / CHUNKS>(b, shared.b[t], y);
#pragma unroll
		for (int i = 0; i < R; i++)
#pragma unroll
			for (int j = 0; j < R; j++)
				sum[i][j] = multiply_add(a[i], b[j], sum[i][j]);
	}
}

template <class T> constexpr int blocks_of_sm()
{
	return sizeof(T) == 16 ? 1 : 2;
}

template <class T, int TM, int TN, int TK, int R, template <class, int, int, bool> class LOADER>
__global__ void __launch_bounds__(THREADS, blocks_of_sm<T>()) product_kernel(const product<T> p, unsigned first_number)
{
	using shared_tile = tile<T, TM, TN, TK, R>;
	constexpr int VECTOR = shared_tile::VECTOR, WIDE = shared_tile::WIDE;
	__shared__ shared_tile shared[2];
	unsigned high = (unsigned)((p.m + TM - 1) / TM);
	int64_t first_row = (int64_t)(blockIdx.x % high) * TM, first_column = (int64_t)(blockIdx.x / high) * TN;
	if ((p.written == UPPER_PART && first_row >= first_column + TN) ||
	    (p.written == LOWER_PART && first_column >= first_row + TM))
		return;
	/* A warp is 8 threads wide and 4 high. */
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	int x = warp % (WIDE / 8) * 8 + lane % 8, y = warp / (WIDE / 8) * 4 + lane / 8;
	T alpha = p.alpha.get(), beta = p.beta.get();
	int64_t steps = is_zero(alpha) ? 0 : p.k;
	unsigned number = first_number + blockIdx.y;
	LOADER<T, TM, TK, false> load_a(p.a, number, first_row, p.m);
	LOADER<T, TN, TK, true> load_b(p.b, number, first_column, p.n);
	T next_a[load_a.LOADS], next_b[load_b.LOADS];
	T sum[R][R] = {};
	load_a.load(next_a, steps);
	load_b.load(next_b, steps);
	int current = 0;
	for (int64_t left = steps; left > 0; left -= TK) {
		load_a.store(shared[current].a, next_a);
		load_b.store(shared[current].b, next_b);
		/* The other tile is no longer read when all threads have stored this one. */
		__syncthreads();
		load_a.load(next_a, left - TK);
		load_b.load(next_b, left - TK);
		multiply_tiles(sum, shared[current], x, y);
		current ^= 1;
	}
	T *c = p.c.of(number);
#pragma unroll
	for (int j = 0; j < R; j++)
#pragma unroll
		for (int i = 0; i < R; i++)
			store_element(p, c, first_row + i / VECTOR * (TM / shared_tile::CHUNKS) + x * VECTOR + i % VECTOR,
				      first_column + j / VECTOR * (TN / shared_tile::CHUNKS) + y * VECTOR + j % VECTOR,
				      sum[i][j], alpha, beta);
}

template <class T, int TM, int TN, int TK, int R, template <class, int, int, bool> class LOADER>
static void launch(const context *context, const product<T> &p)
{
	unsigned tiles = (unsigned)(divide_up(p.m, TM) * divide_up(p.n, TN));
	/* No loop over batches in the kernel: what it moved out of it would take the sums' registers. */
	for (unsigned first = 0; first < p.count; first += MOST_BATCHES) {
		unsigned count = p.count - first < MOST_BATCHES ? p.count - first : MOST_BATCHES;
		product_kernel<T, TM, TN, TK, R, LOADER><<<dim3(tiles, count), THREADS, 0, context->stream>>>(p, first);
	}
}

/* Whether whole_loader takes it: `side` is the tile's, with at most 16 steps. */
template <class T> static bool is_near(const operand<T> &operand, int side)
{
	return operand.kind == GENERAL && operand.rows >= 0 && operand.columns >= 0 &&
	       side * operand.rows + side * operand.columns <= UINT32_MAX;
}

template <class T> cublasStatus_t multiply(const context *context, const product<T> &p)
{
	/* Large tiles of doubles and of complex numbers are smaller: a thread has 255 registers. */
	constexpr int SIDE = sizeof(T) == 4 ? 128 : 64;
	if (p.m <= 0 || p.n <= 0 || p.count == 0)
		return CUBLAS_STATUS_SUCCESS;
	auto fills = [&](int side) { return divide_up(p.m, side) * divide_up(p.n, side) * p.count >= context->sm_count; };
	bool near = is_near(p.a, SIDE) && is_near(p.b, SIDE);
	if (!fills(64))
		launch<T, 32, 32, 16, 2, shaped_loader>(context, p);
	else if (!near)
		launch<T, 64, 64, 8, 4, shaped_loader>(context, p);
	else if (fills(SIDE))
		launch<T, SIDE, SIDE, 8, SIDE / 16, whole_loader>(context, p);
	else
		launch<T, 64, 64, 8, 4, whole_loader>(context, p);
	return launched();
}

template cublasStatus_t multiply(const context *, const product<float> &);
template cublasStatus_t multiply(const context *, const product<double> &);
template cublasStatus_t multiply(const context *, const product<float2> &);
template cublasStatus_t multiply(const context *, const product<double2> &);

} // namespace hd_blas
