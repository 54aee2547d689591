/*
 * Linear versions of kernels at run time (r2d2-isca23, 3.3 and 4): what a launch computes before its threads run.
 * linear.c itself takes no simulated time; a policy that models R2D2's hardware has warps run the streams instead
 * (`streams`), and what they leave is each SM's (runtime/sm/linear.h).
 */
#ifndef HD_RUNTIME_EXEC_LINEAR_H
#define HD_RUNTIME_EXEC_LINEAR_H

#include <stdbool.h>

#include "heddle/object.h"
#include "lib/api.h"

struct hd_gpu;
struct hd_grid;
struct hd_cta;
struct hd_exec;
struct hd_module;
struct hd_pfunction;

/* What coefficient and thread-index streams leave. */
struct hd_linear_parts {
	uint64_t *coefficients;
	uint64_t *threads; /* [thread-index register][thread of the block] */
};

/* Of a launch that runs the linear version. */
struct hd_linear_state {
	const struct hd_linear *linear;
	uint32_t function;		  /* in hd_program.functions: its body */
	uint32_t stride;		  /* threads of a block, whole warps */
	uint32_t ctas;			  /* most on an SM: as many as of the original code */
	struct hd_linear_parts parts;	  /* where streams take no time; empty where warps run them */
	uint32_t stream[HD_STREAM_COUNT]; /* warp instructions of each stream; thread-index parts: of one warp */
};

/* Warps run the streams, under a policy that models the hardware. */
bool hd_linear_in_time(const struct hd_gpu *gpu);
/* Registers of a thread: the body's, or what the functions that it calls need. */
uint32_t hd_linear_body_registers(const struct hd_linear *linear, const struct hd_grid *grid);
/* The launch runs the version: sets grid->linear, entry and registers; computes coefficients and thread-index parts
 * where streams take no time. `ctas`: blocks of the original code that an SM has room for. */
void hd_linear_start(const struct hd_gpu *gpu, struct hd_grid *grid, const struct hd_linear *linear, uint32_t ctas);
/* Zeroed; its two members are the caller's to free. */
struct hd_linear_parts hd_linear_parts_new(const struct hd_linear_state *state);
void hd_linear_end(struct hd_grid *grid);
/* Computes the block's own parts; returns the instructions of their stream. */
uint32_t hd_linear_block_parts(struct hd_exec *exec, struct hd_cta *cta);
/* The code of a stream, to its EXIT: its first instruction in hd_program.code, and how many there are. */
HD_API uint32_t hd_linear_stream(const struct hd_gpu *gpu, const struct hd_grid *grid, enum hd_stream which,
				 uint32_t *count);
/* Value of the linear operand of `inst`, which `thread` of the block reads, without a general register. */
uint64_t hd_linear_value(const struct hd_cta *cta, const struct hd_inst *inst, uint32_t thread, uint32_t lane);

/* Bytes by which the frame of the version that runs is larger than the original code's. */
uint32_t hd_linear_extra_frame(const struct hd_grid *grid);

/* Registers that the executor needs beyond the body's own: a pair for the sum. */
static inline uint32_t hd_linear_scratch(const struct hd_linear *linear)
{
	return (linear->body.registers + 1) & ~1u;
}
static inline uint32_t hd_linear_rows(const struct hd_linear *linear)
{
	return hd_linear_scratch(linear) + 2;
}

#endif
