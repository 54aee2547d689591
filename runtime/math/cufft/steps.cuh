/*
 * What a transform is made of. A step reads lines of numbers from one array and writes lines to another: a transform of
 * up to MOST points in shared memory, one of the three multiplications of Bluestein's method, or what follows the
 * transform of a real line's pairs. Longer transforms are
 * several steps (plan.cu).
 */
#pragma once

#include "runtime/math/cufft/butterfly.cuh"
#include "runtime/math/common/launch.cuh"

namespace hd_fft {

enum {
	THREADS = 256,
	POINTS = 2048,	   /* of complex float in a block; half as many of complex double: 32 KiB in two buffers */
	LINES = 128,	   /* in a block, at most */
	DIMENSIONS = 5,	   /* that count lines: two of the data, the batch, and two of a long transform's parts */
	STAGES = 12,	   /* of a transform in shared memory: 2 to the 11th, and one more */
	LARGEST_PRIME = 31 /* with a stage of its own */
};

/* How a line's numbers lie in an array. */
enum form : uint8_t {
	COMPLEX,
	REAL,	  /* read: the imaginary part is zero; written: the real part alone */
	HERMITIAN, /* the first half of `size`, n / 2 + 1: read: the rest is the conjugate; written: the rest is left out */
	PAIRS,	   /* real numbers 2 j and 2 j + 1 are the parts of number j, but do not lie like a complex number */
	FOLDED	   /* read: from n / 2 + 1 numbers of a Hermitian line, the n / 2 that give its pairs */
};

/* One side of a step. Number j of a line has index j * step + the sum of i * part over the dimensions. */
struct side {
	void *data = nullptr;
	form kind = COMPLEX;
	int64_t size = 0;	       /* of the whole transform that an index belongs to */
	int64_t unit = 1;	       /* distance of two indices, in numbers of the array */
	int64_t second = 0;	       /* of PAIRS: distance of a pair's numbers */
	int64_t step = 1;	       /* of the index, from one number of a line to the next */
	int64_t line[DIMENSIONS] = {}; /* distance of neighbours in a dimension */
	int64_t part[DIMENSIONS] = {};
};

struct stage {
	int radix = 0;
	unsigned before = 1;	     /* product of the radices before */
	unsigned before_inverse = 0; /* 2^32 / before, rounded up, for divisions */
};

enum kind : uint8_t {
	TRANSFORM,
	CHIRP_IN,  /* n numbers times the chirp, then zeros */
	CONVOLVE,  /* times the transform of the chirp, conjugated */
	CHIRP_OUT, /* conjugated, times the chirp */
	UNFOLD	   /* `given` numbers, of pairs, to those of a Hermitian line, one more; may be in place */
};

struct step {
	kind what = TRANSFORM;
	int n = 1;
	int64_t length = 0; /* of a line, in the multiplications; `in` has `given` of them */
	int64_t given = 0;
	bool swapped_in = false, swapped_out = false; /* real and imaginary part: an inverse transform */
	bool across_in = false, across_out = false; /* neighbouring threads take neighbouring lines */
	unsigned counts[DIMENSIONS] = {1, 1, 1, 1, 1};
	int64_t lines = 1;
	int block_lines = 1;
	int stages = 0;
	stage stage_list[STAGES];
	side in, out;
	const void *roots = nullptr; /* exp(-2 pi i k / n) for k < n */
	/* Factors exp(-2 pi i k l / whole) of number k in part l of a dimension: low has the first `low_count`
	 * powers, high every low_count-th. Null: none. */
	const void *low = nullptr, *high = nullptr;
	unsigned low_count = 1;
	int twiddle_dimension = 0;
	/* Powers of exp(-2 pi i / n) for a real line of n numbers that is transformed as n / 2 pairs. Without
	 * `fold_high`, all are in `fold_low`. */
	const void *fold_low = nullptr, *fold_high = nullptr;
	unsigned fold_low_count = 1;
	bool unfolds = false; /* writes n + 1 numbers of a Hermitian line, not the n of its pairs' transform */
	const void *factors = nullptr; /* of the multiplications */
};

/* Runs it in the stream. */
template <class T> cudaError_t run(const step &step, cudaStream_t stream);

} // namespace hd_fft
