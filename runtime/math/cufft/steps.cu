/*
 * The kernels of the steps. A transform is Stockham's: each stage reads one buffer in shared memory and writes the other,
 * with the numbers in their order at the end.
 */
#include "runtime/math/cufft/steps.cuh"
#include "runtime/math/common/launch.cuh"

namespace hd_fft {

/* Where a line begins. */
struct place {
	int64_t in, out;	     /* of its index zero, in the arrays */
	int64_t in_index, out_index; /* of its first number */
	int64_t part;		     /* in the dimension of the factors */
};

template <class C> __device__ inline C swap_if(bool yes, C a)
{
	return yes ? C{a.y, a.x} : a;
}

/* Power of exp(-2 pi i / whole) from its tables; without high ones, all are low ones. */
template <class C> __device__ inline C power_of(const void *lows, const void *highs, unsigned low_count, int64_t power)
{
	const C *low = static_cast<const C *>(lows);
	if (!highs)
		return low[power];
	unsigned high = (unsigned)(power >> 32 ? power / low_count : (unsigned)power / low_count);
	return times(low[(unsigned)power % low_count], static_cast<const C *>(highs)[high]);
}

template <class C> __device__ inline C fold_root(const step &step, int64_t k)
{
	return power_of<C>(step.fold_low, step.fold_high, step.fold_low_count, k);
}

/* a times i. */
template <class C> __device__ inline C turn_back(C a)
{
	return C{-a.y, a.x};
}

/* Number k of what the pairs' inverse transform takes, from numbers k and n / 2 - k of a Hermitian line. The imaginary
 * parts of its ends have no meaning. */
template <class C> __device__ inline C fold(const step &step, int64_t k, C a, C b)
{
	if (k == 0)
		a.y = b.y = 0;
	b = conj(b);
	return a + b + turn_back(times(a - b, conj(fold_root<C>(step, k))));
}

/* Number k of a Hermitian line from numbers k and n / 2 - k of the pairs' transform. */
template <class C> __device__ inline C unfold(const step &step, int64_t k, C a, C b)
{
	const real_of<C> half = (real_of<C>)0.5;
	b = conj(b);
	C even = a + b, odd = turn(times(a - b, fold_root<C>(step, k)));
	return C{half * (even.x + odd.x), half * (even.y + odd.y)};
}

template <class C> __device__ inline C read(const step &step, const place &place, int64_t j)
{
	const side &side = step.in;
	int64_t index = place.in_index + j * side.step;
	const C *numbers = static_cast<const C *>(side.data) + place.in;
	const real_of<C> *reals = static_cast<const real_of<C> *>(side.data) + place.in + index * side.unit;
	C value;
	if (side.kind == COMPLEX) {
		value = numbers[index * side.unit];
	} else if (side.kind == REAL) {
		value = C{*reals, 0};
	} else if (side.kind == PAIRS) {
		value = C{*reals, reals[side.second]};
	} else if (side.kind == FOLDED) {
		value = fold(step, index, numbers[index * side.unit], numbers[(side.size - index) * side.unit]);
	} else {
		bool mirrored = 2 * index > side.size;
		value = numbers[(mirrored ? side.size - index : index) * side.unit];
		value = conj_if(mirrored, value);
	}
	return swap_if(step.swapped_in, value);
}

template <class C> __device__ inline void write(const step &step, const place &place, int64_t j, C value)
{
	const side &side = step.out;
	int64_t index = place.out_index + j * side.step;
	real_of<C> *reals = static_cast<real_of<C> *>(side.data) + place.out + index * side.unit;
	value = swap_if(step.swapped_out, value);
	if (side.kind == PAIRS) {
		reals[0] = value.x;
		reals[side.second] = value.y;
	} else if (side.kind == REAL) {
		*reals = value.x;
	} else if (side.kind == COMPLEX || 2 * index <= side.size) {
		static_cast<C *>(side.data)[place.out + index * side.unit] = value;
	}
}

__device__ inline place place_of(const step &step, int64_t line)
{
	place place = {};
	for (int d = 0; d < DIMENSIONS; d++) {
		int64_t i = line;
		if (line >> 32 == 0) { /* the usual case, and much the shorter division */
			unsigned quotient = (unsigned)line / step.counts[d];
			i = (unsigned)line - quotient * step.counts[d];
			line = quotient;
		} else {
			i = line % step.counts[d];
			line /= step.counts[d];
		}
		place.in += i * step.in.line[d];
		place.out += i * step.out.line[d];
		place.in_index += i * step.in.part[d];
		place.out_index += i * step.out.part[d];
		place.part = d == step.twiddle_dimension ? i : place.part;
	}
	return place;
}

/* Parameters that are read with an index would be copied to each thread's local memory: the block takes one copy. */
__device__ inline const step &share(unsigned char *room, const step &given)
{
	static_assert(sizeof(step) % 8 == 0 && sizeof(step) / 8 <= THREADS, "a word for each thread");
	if (threadIdx.x < sizeof(step) / 8)
		reinterpret_cast<uint64_t *>(room)[threadIdx.x] = reinterpret_cast<const uint64_t *>(&given)[threadIdx.x];
	__syncthreads();
	return *reinterpret_cast<const step *>(room);
}

/* ------------------------------------------------------------ transforms */

/* Butterfly j of a line: reads every n/R-th number from j on. */
template <int R, class C>
__device__ inline void butterfly(const C *from, C *to, const C *roots, const stage &stage, int n, int j)
{
	C v[R];
	int distance = n / R;
	unsigned block = stage.before == 1 ? j : __umulhi(j, stage.before_inverse);
	int k = j - block * stage.before;
	int root = k * (n / (stage.before * R));
#pragma unroll
	for (int r = 0; r < R; r++) {
		v[r] = from[j + r * distance];
		if (r && stage.before > 1)
			v[r] = times(v[r], roots[r * root]);
	}
	transform(v);
#pragma unroll
	for (int r = 0; r < R; r++)
		to[block * stage.before * R + k + r * stage.before] = v[r];
}

/* A stage of a larger prime, number by number: output r of butterfly j. */
template <class C>
__device__ inline void prime_output(const C *from, C *to, const C *roots, const stage &stage, int n, int j, int r)
{
	int distance = n / stage.radix;
	unsigned block = stage.before == 1 ? j : __umulhi(j, stage.before_inverse);
	int k = j - block * stage.before;
	/* input q: exp(-2 pi i q (k / (before * radix) + r / radix)) */
	int root = k * (n / (stage.before * stage.radix)) + r * distance, at = 0;
	C sum = from[j];
	for (int q = 1; q < stage.radix; q++) {
		at += root;
		at -= at >= n ? n : 0;
		sum = multiply_add(from[j + q * distance], roots[at], sum);
	}
	to[block * stage.before * stage.radix + k + r * stage.before] = sum;
}

template <int R, class C>
__device__ inline void run_stage(const C *from, C *to, const C *roots, const stage &stage, int n, int lines)
{
	int each = n / R;
	for (int t = threadIdx.x; t < lines * each; t += THREADS) {
		int line = t / each;
		butterfly<R>(from + line * n, to + line * n, roots, stage, n, t - line * each);
	}
}

template <class C>
__device__ inline void run_prime_stage(const C *from, C *to, const C *roots, const stage &stage, int n, int lines)
{
	int each = n / stage.radix;
	for (int t = threadIdx.x; t < lines * n; t += THREADS) {
		int line = t / n, number = t - line * n, r = number / each;
		prime_output(from + line * n, to + line * n, roots, stage, n, number - r * each, r);
	}
}

/* Number e of those of a block, in the order of its threads. */
__device__ inline void split(bool across, int e, int n, int lines, int *line, int *j)
{
	int by = across ? lines : n, quotient = e / by, rest = e - quotient * by;
	*line = across ? rest : quotient;
	*j = across ? quotient : rest;
}

/* Three blocks of an SM: numbers of double precision would be spilled for it. */
template <class C>
__global__ void __launch_bounds__(THREADS, sizeof(C) == sizeof(float2) ? 3 : 2)
	transform_lines(const __grid_constant__ step given)
{
	extern __shared__ double2 shared[];
	__shared__ alignas(8) unsigned char place_room[LINES * sizeof(place)];
	place *places = reinterpret_cast<place *>(place_room);
	__shared__ alignas(16) unsigned char room[sizeof(struct step)];
	const step &step = share(room, given);
	C *from = reinterpret_cast<C *>(shared), *to = from + step.block_lines * step.n;
	const C *roots = static_cast<const C *>(step.roots);
	for (int64_t first = (int64_t)blockIdx.x * step.block_lines; first < step.lines;
	     first += (int64_t)gridDim.x * step.block_lines) {
		int n = step.n, lines = (int)min((int64_t)step.block_lines, step.lines - first), line, j;
		if ((int)threadIdx.x < lines)
			places[threadIdx.x] = place_of(step, first + threadIdx.x);
		__syncthreads();
		for (int e = threadIdx.x; e < lines * n; e += THREADS) {
			split(step.across_in, e, n, lines, &line, &j);
			from[line * n + j] = read<C>(step, places[line], j);
		}
		for (int s = 0; s < step.stages; s++) {
			const struct stage &stage = step.stage_list[s];
			__syncthreads();
			switch (stage.radix) {
			case 2: run_stage<2>(from, to, roots, stage, n, lines); break;
			case 3: run_stage<3>(from, to, roots, stage, n, lines); break;
			case 4: run_stage<4>(from, to, roots, stage, n, lines); break;
			case 5: run_stage<5>(from, to, roots, stage, n, lines); break;
			case 7: run_stage<7>(from, to, roots, stage, n, lines); break;
			case 8: run_stage<8>(from, to, roots, stage, n, lines); break;
			default: run_prime_stage(from, to, roots, stage, n, lines); break;
			}
			C *other = from;
			from = to;
			to = other;
		}
		__syncthreads();
		int written = step.unfolds ? n + 1 : n;
		for (int e = threadIdx.x; e < lines * written; e += THREADS) {
			split(step.across_out, e, written, lines, &line, &j);
			C value = from[line * n + (j < n ? j : 0)];
			if (step.unfolds)
				value = unfold(step, j, value, from[line * n + (j ? n - j : 0)]);
			if (step.low)
				value = times(value, power_of<C>(step.low, step.high, step.low_count, places[line].part * j));
			write(step, places[line], j, value);
		}
		__syncthreads();
	}
}

/* ------------------------------------------------------------ multiplications */

template <class C> __global__ void __launch_bounds__(THREADS) multiply_lines(const __grid_constant__ step given)
{
	__shared__ alignas(16) unsigned char room[sizeof(struct step)];
	const step &step = share(room, given);
	const C *factors = static_cast<const C *>(step.factors);
	int64_t jump = (int64_t)gridDim.x * THREADS;
	for (int64_t line = blockIdx.y; line < step.lines; line += gridDim.y) {
		place place = place_of(step, line);
		for (int64_t j = (int64_t)blockIdx.x * THREADS + threadIdx.x; j < step.length; j += jump) {
			C value = C{};
			if (j < step.given) {
				value = read<C>(step, place, j);
				if (step.what == CHIRP_OUT)
					value = conj(value);
				value = times(value, factors[j]);
				if (step.what == CONVOLVE)
					value = conj(value);
			}
			write(step, place, j, value);
		}
	}
}

/* A thread takes both numbers that come of a pair: in place, nobody else reads them. */
template <class C> __global__ void __launch_bounds__(THREADS) unfold_lines(const __grid_constant__ step given)
{
	__shared__ alignas(16) unsigned char room[sizeof(struct step)];
	const step &step = share(room, given);
	int64_t jump = (int64_t)gridDim.x * THREADS, half = step.given;
	for (int64_t line = blockIdx.y; line < step.lines; line += gridDim.y) {
		place place = place_of(step, line);
		for (int64_t j = (int64_t)blockIdx.x * THREADS + threadIdx.x; 2 * j <= half; j += jump) {
			C a = read<C>(step, place, j), b = read<C>(step, place, j ? half - j : 0);
			write(step, place, j, unfold(step, j, a, b));
			if (2 * j < half)
				write(step, place, half - j, unfold(step, half - j, b, a));
		}
	}
}

template <class T> struct complex_of;
template <> struct complex_of<float> {
	using type = float2;
};
template <> struct complex_of<double> {
	using type = double2;
};

template <class T> cudaError_t run(const step &step, cudaStream_t stream)
{
	using C = typename complex_of<T>::type;
	if (step.what == TRANSFORM) {
		size_t bytes = 2 * sizeof(C) * step.block_lines * step.n;
		unsigned blocks = blocks_for(step.lines, step.block_lines, 1 << 20);
		transform_lines<C><<<blocks, THREADS, bytes, stream>>>(step);
	} else {
		dim3 blocks(blocks_for(step.length, THREADS), step.lines < 65535 ? (unsigned)step.lines : 65535);
		if (step.what == UNFOLD)
			unfold_lines<C><<<blocks, THREADS, 0, stream>>>(step);
		else
			multiply_lines<C><<<blocks, THREADS, 0, stream>>>(step);
	}
	return hd_math::error_of_call();
}

template cudaError_t run<float>(const step &step, cudaStream_t stream);
template cudaError_t run<double>(const step &step, cudaStream_t stream);

} // namespace hd_fft
