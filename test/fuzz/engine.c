/*
 * An object in the simulator (targets/engine.h).
 */
#include "test/fuzz/targets/engine.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/object.h"
#include "heddle/opcodes.h"
#include "heddle/sim.h"
#include "test/fuzz/targets/fuzz.h"

enum { BUFFER_BYTES = 1 << 16, MOST_PARAM_BYTES = 4096, MOST_KERNELS = 4, MOST_CYCLES = 3000, MOST_THREADS = 64 };

static void small_gpu(struct hd_config *config)
{
	hd_config_defaults(config);
	strcpy(config->name, "fuzz");
	config->sm_count = 2;
	config->compute_major = 9; /* takes code of all architectures */
	config->compute_minor = 0;
	config->dram_bytes = UINT64_C(1) << 26;
}

/* The status says whether the program is right, which nothing depends on here. */
static void launch(struct hd_sim *sim, struct hd_kernel *kernel, uint64_t buffer)
{
	const struct hd_meta_function *meta = hd_kernel_metadata(kernel);
	uint32_t bytes = meta ? meta->param_bytes : 0;
	if (bytes > MOST_PARAM_BYTES)
		return;
	uint64_t *params = calloc(bytes / sizeof *params + 1, sizeof *params);
	if (!params)
		abort();
	for (uint32_t i = 0; i < bytes / sizeof *params; i++)
		params[i] = buffer;
	struct hd_launch launch = {.kernel = kernel,
				   .grid = {3, 1, 1},
				   .block = {MOST_THREADS, 1, 1},
				   .params = params,
				   .param_bytes = bytes,
				   .mute = true};
	hd_sim_launch(sim, &launch);
	free(params);
}

enum { MOST_INSTRUCTIONS = 256, REGISTERS = 32, SHARED_BYTES = 1024 };

static uint32_t decode(struct hd_inst *insts, const uint8_t *bytes, size_t size)
{
	uint32_t count = 0;
	for (size_t at = 0; at + HD_INST_BYTES <= size && count < MOST_INSTRUCTIONS; at += HD_INST_BYTES)
		if (!hd_inst_decode(bytes + at, &insts[count]))
			count++;
	insts[count] = hd_inst_new(HD_OP_EXIT);
	return count + 1;
}

static void describe(struct hd_object *object, struct hd_arena *arena, const uint8_t *bytes, size_t size)
{
	struct hd_function *function = HD_ARENA_NEW(arena, struct hd_function, 1);
	struct hd_meta_function *meta = HD_ARENA_NEW(arena, struct hd_meta_function, 1);
	struct hd_symbol *symbol = HD_ARENA_NEW(arena, struct hd_symbol, 1);
	*function = (struct hd_function){.name = "k",
					 .kernel = true,
					 .registers = REGISTERS,
					 .shared_bytes = SHARED_BYTES,
					 .param_bytes = sizeof(uint64_t)};
	function->insts = HD_ARENA_NEW(arena, struct hd_inst, MOST_INSTRUCTIONS + 1);
	function->inst_count = decode(function->insts, bytes, size);
	function->origins = HD_ARENA_NEW(arena, struct hd_origin, function->inst_count);
	for (uint32_t i = 0; i < function->inst_count; i++)
		function->origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
	*meta = (struct hd_meta_function){.name = "k",
					  .demangled = "k",
					  .kernel = true,
					  .registers = REGISTERS,
					  .own_registers = REGISTERS,
					  .shared_bytes = SHARED_BYTES,
					  .param_bytes = sizeof(uint64_t),
					  .instructions = function->inst_count};
	*symbol = (struct hd_symbol){.name = "k", .kind = HD_SYM_FUNCTION, .defined = true, .global = true};
	*object = (struct hd_object){.arena = arena,
				     .functions = function,
				     .function_count = 1,
				     .symbols = symbol,
				     .symbol_count = 1,
				     .metadata = {.arena = arena,
						  .module = "input",
						  .target = "sm_90a",
						  .producer = "fuzz",
						  .flags = "",
						  .functions = meta,
						  .function_count = 1}};
}

int fuzz_object(const uint8_t *bytes, size_t size, uint8_t **written, size_t *length)
{
	struct hd_diag diag = fuzz_diag();
	struct hd_arena arena;
	struct hd_object object;
	hd_arena_init(&arena);
	describe(&object, &arena, bytes, size);
	int status = hd_object_verify(&object, "input", &diag) || hd_object_write(&object, written, length, &diag);
	hd_arena_release(&arena);
	return status ? -1 : 0;
}

void fuzz_simulate(const uint8_t *bytes, size_t size, unsigned choice)
{
	static const char *const policies[] = {"baseline", "cars", "malekeh", "ltrf",	 "ltrf-plus", "bow",
					       "rfc",	   "shrf", "duet",    "preempt", "r2d2",      "dac",
					       "darsie",   "vt",   "swl:2",   "flush",	 "scalar",    "ideal-rf"};
	enum { POLICIES = sizeof policies / sizeof *policies };
	struct hd_config config;
	struct hd_diag diag = fuzz_diag();
	struct hd_sim_options options = {.config = &config,
					 .policy = policies[choice % POLICIES],
					 .verify = choice / POLICIES & 1,
					 .check = choice / POLICIES & 2 ? HD_CHECK_RACE | HD_CHECK_INIT | HD_CHECK_SYNC
									: 0,
					 .max_cycles = MOST_CYCLES,
					 .heap_bytes = BUFFER_BYTES,
					 .diag = &diag};
	struct hd_sim *sim;
	struct hd_module *module;
	uint64_t buffer;
	small_gpu(&config);
	if (hd_sim_new(&options, &sim))
		abort();
	if (!hd_sim_malloc(sim, BUFFER_BYTES, &buffer) && !hd_sim_load(sim, bytes, size, "input", &module))
		for (uint32_t i = 0; i < MOST_KERNELS && hd_sim_kernel_at(module, i); i++)
			launch(sim, hd_sim_kernel_at(module, i), buffer);
	hd_sim_free(sim);
}
