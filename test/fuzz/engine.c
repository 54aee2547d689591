/*
 * An object in the simulator (targets/engine.h).
 */
#include "test/fuzz/targets/engine.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/sim.h"
#include "test/fuzz/targets/fuzz.h"

enum { BUFFER_BYTES = 1 << 16, MOST_PARAM_BYTES = 4096, MOST_KERNELS = 4, MOST_CYCLES = 3000, MOST_THREADS = 64 };

static void small_gpu(struct hd_config *config)
{
	hd_config_defaults(config);
	strcpy(config->name, "fuzz");
	config->sm_count = 2;
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
