/*
 * Plans: what a handle knows of its transform, and the steps that an execution runs.
 */
#pragma once

#pragma GCC visibility push(default)
#include <cufftXt.h>
#pragma GCC visibility pop

#include <map>
#include <memory>
#include <vector>

#include "runtime/math/cufft/steps.cuh"

namespace hd_fft {

/* Numbers in device memory, made once for a plan. */
struct table {
	void *data = nullptr;
	size_t count = 0;

	table() = default;
	table(const table &) = delete;
	~table()
	{
		cudaFree(data);
	}
};

/* One side of a plan: the layout that its user gave. */
struct layout {
	bool given = false; /* else packed, and known when the arrays are */
	int64_t stride = 1, distance = 0;
	int64_t embed[3] = {};
};

struct plan {
	bool made = false;
	cufftType type = CUFFT_C2C;
	int rank = 0;
	int64_t n[3] = {};
	int64_t batch = 0;
	layout in, out;
	cudaStream_t stream = nullptr;
	bool own_work = true; /* cufftSetAutoAllocation */
	void *work = nullptr;
	void *allocated = nullptr; /* that is work's, if it is the plan's own */
	size_t work_bytes = 0;
	/* By kind and length: roots ('r'), low and high powers ('l', 'h'), chirps ('c') and their transforms ('t'). */
	std::map<std::pair<char, int64_t>, std::unique_ptr<table>> tables;

	~plan()
	{
		cudaFree(allocated);
	}
	bool is_double() const
	{
		return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
	}
	bool is_forward_real() const
	{
		return type == CUFFT_R2C || type == CUFFT_D2Z;
	}
	bool is_inverse_real() const
	{
		return type == CUFFT_C2R || type == CUFFT_Z2D;
	}
};

/*
 * The steps of an execution, and how many bytes of work they need. Arrays may be null, with `in_place` true where they are
 * to be one. Tables that are missing are made.
 */
cufftResult steps_of(plan &plan, const void *in, void *out, bool in_place, bool inverse, std::vector<step> *steps,
		     size_t *work_bytes);

/* The table of a kind and length; null: there is no memory. */
const void *table_of(plan &plan, char kind, int64_t n);

/* The power of two that Bluestein's method transforms n numbers with. */
int64_t chirp_length(int64_t n);
/* Parts of the powers of exp(-2 pi i / n): as many in the low table. */
int64_t low_count(int64_t n);

} // namespace hd_fft
