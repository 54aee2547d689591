/*
 * A small simulated GPU and a kernel written instruction by instruction, for the tests of the engine. By default the
 * GPU has one SM with one scheduler, every pipeline takes an instruction a cycle, and the instruction cache never
 * misses for long, so that cycles can be counted on paper. Change `config` before simbench_start.
 */
#ifndef HD_TEST_UNIT_SIMBENCH_H
#define HD_TEST_UNIT_SIMBENCH_H

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/object.h"
#include "heddle/sim.h"
#include "lib/vec.h"
#include "runtime/sim/sim_private.h"
#include "runtime/sm/sm.h"

/* A device function behind the kernel's code. */
struct simbench_function {
	uint32_t first; /* instruction */
	struct hd_meta_function meta;
};

/* CALL `inst` of function `caller` (0: the kernel). */
struct simbench_call {
	uint32_t caller, inst;
	const char *callee;
	bool unknown; /* metadata: or any other function */
};

enum { SIMBENCH_FUNCTIONS = 8, SIMBENCH_CALLS = 16 };

struct simbench {
	struct hd_config config;
	struct hd_sim_options options;
	const struct hd_policy *beside; /* a policy of the test's own, beside those of `options` */
	struct hd_diag diag;
	char message[1024]; /* the last error reported */
	HD_VEC(struct hd_inst) code;
	struct hd_meta_function meta; /* of the kernel; registers is at least what the code names */
	struct simbench_function functions[SIMBENCH_FUNCTIONS];
	struct simbench_call calls[SIMBENCH_CALLS];
	uint32_t function_count, call_count;
	struct hd_arena arena;
	struct hd_sim *sim;
	struct hd_module *module;
	struct hd_kernel *kernel;
};

void simbench_init(struct simbench *bench);
void simbench_release(struct simbench *bench);
/* Appends an instruction; the pointer is valid until the next one. */
struct hd_inst *simbench_emit(struct simbench *bench, unsigned op);
void simbench_ffma(struct simbench *bench, uint8_t dst, uint8_t a, uint8_t b, uint8_t c);
void simbench_mov(struct simbench *bench, uint8_t dst, uint32_t value);
/* R[dst] = special register. */
void simbench_s2r(struct simbench *bench, uint8_t dst, enum hd_sr sr);
/* R[dst]:R[dst + 1] = the kernel's only parameter, an address. */
void simbench_param(struct simbench *bench, uint8_t dst);
/* A dependent chain of `length` FFMAs on R4. */
void simbench_chain(struct simbench *bench, uint32_t length);
/* Ends the kernel, or the function before, and begins a device function; its metadata can be filled in. */
struct hd_meta_function *simbench_function(struct simbench *bench, const char *name);
/* A direct call, in code and metadata; its site's FRU is the callee's. */
void simbench_call(struct simbench *bench, const char *callee);
/* Prologue and epilogue of a function that saves R16..R16 + count - 1; the metadata is filled in. */
void simbench_prologue(struct simbench *bench, uint32_t count);
void simbench_epilogue(struct simbench *bench, uint32_t count);
/* The kernel's R1. */
void simbench_stack(struct simbench *bench);
/* Adds EXIT to a kernel without functions, makes the object, the simulator and the kernel. 0 or an error. */
int simbench_start(struct simbench *bench);
/* A launch of one dimension with that parameter, which is read when it is launched. */
struct hd_launch simbench_launch(const struct simbench *bench, uint32_t ctas, uint32_t threads, const uint64_t *param);
/* Launches; stderr is kept quiet. */
int simbench_run(struct simbench *bench, uint32_t ctas, uint32_t threads);
/* The same; what it writes on stderr goes to `text`, a string of less than `size` bytes. */
int simbench_capture(struct simbench *bench, uint32_t ctas, uint32_t threads, char *text, size_t size);
/* Of the last launch. */
const struct hd_stats *simbench_stats(const struct simbench *bench);
/* A policy's figure of the last launch. */
double simbench_figure(const struct simbench *bench, const char *key);
/* init, `build`, start, run of one CTA, release: the statistics. */
struct hd_stats simbench_measure(void (*build)(struct simbench *bench, uint32_t size), uint32_t size, uint32_t threads);
/* Register of lane 0 of a warp that was the slot's last. */
uint32_t simbench_register(const struct simbench *bench, uint32_t slot, uint32_t reg, uint32_t lane);

#endif
