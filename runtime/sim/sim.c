/*
 * A simulated GPU from start to end: options and configuration are checked, the memory system and the SMs are built,
 * policies get their state. Also the small questions of heddle/sim.h.
 *
 * Everything that lives as long as the simulator is in hd_gpu.arena; modules, device memory and the backing store of
 * registers have owners of their own.
 */
#include <stdalign.h>

#include "heddle/config.h"
#include "lib/metadata/json.h"
#include "lib/store.h"
#include "runtime/check/check.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/corun/corun.h"
#include "runtime/corun/recorder.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/gpu/crew.h"
#include "runtime/gpu/functional.h"
#include "runtime/policy/choice/choice.h"
#include "runtime/sampling/sampling.h"
#include "runtime/sim/report.h"
#include "runtime/sim/sim_private.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"
#include "runtime/verify/redundancy.h"
#include "runtime/verify/start.h"
#include "runtime/watch/blame.h"
#include "runtime/watch/profile.h"
#include "runtime/watch/timeline.h"
#include "runtime/watch/trace.h"
#include "runtime/watch/watchdog.h"

#define MOST_THREADS 256
/* --sampling, percents */
#define DEFAULT_SAMPLING 1.5
#define LEAST_SAMPLING 0.01
#define MOST_SAMPLING 50.0
#define DEFAULT_HEAP_BYTES UINT64_C(8388608) /* as CUDA's cudaLimitMallocHeapSize */

static int check_config(const struct hd_config *config, struct hd_diag *diag)
{
	if (hd_config_check(config, diag))
		return -1;
	if (config->schedulers > HD_MAX_SCHEDULERS || config->max_warps > config->schedulers * HD_SCHEDULER_WARPS ||
	    config->max_warps > HD_MAX_WARPS)
		return hd_error(diag, HD_NOWHERE, "max_warps: at most %d warps per scheduler", HD_SCHEDULER_WARPS);
	return 0;
}

static void build_sms(struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	gpu->memory = hd_memory_new(gpu->config, &gpu->arena);
	gpu->exec = aligned_alloc(alignof(struct hd_exec), sizeof(struct hd_exec));
	if (!gpu->exec)
		abort();
	memset(gpu->exec, 0, sizeof(*gpu->exec));
	gpu->exec->gpu = gpu;
	gpu->sms = HD_ARENA_NEW(&gpu->arena, struct hd_sm *, gpu->sm_count);
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		gpu->sms[i] = hd_sm_new(gpu, i);
	gpu->run = hd_run_new(gpu);
	hd_policy_place(gpu);
	hd_sm_build(gpu->sms[0]); /* grids are prepared on it, others have as much room */
	HD_HOOKED (gpu, self, start)
		self->hooks->start(self, gpu);
}

static bool wants_ideal(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks->ideal)
			return true;
	return false;
}

static int start_checkpoint(const struct hd_sim *sim, struct hd_gpu *gpu)
{
	if (!gpu->checkpoint)
		return 0;
	json_t *run = hd_stats_head(sim);
	int status = hd_checkpoint_start(gpu, run);
	json_decref(run);
	return status;
}

static int no_room(uint64_t bytes, struct hd_diag *diag)
{
	hd_error(diag, HD_NOWHERE, "no room for %llu bytes of simulated device memory", (unsigned long long)bytes);
	return HD_SIM_NO_MEMORY;
}

int hd_sim_new(const struct hd_sim_options *options, struct hd_sim **out)
{
	*out = NULL;
	if (check_config(options->config, options->diag))
		return HD_SIM_NOT_FOUND;
	struct hd_checkpoint *checkpoint;
	if (hd_checkpoint_new(options, &checkpoint))
		return HD_SIM_CHECKPOINT;
	HD_STORE_SCOPE(HD_STORE_LASTING);
	hd_json_never_null();
	struct hd_sim *sim = hd_xcalloc(1, sizeof(*sim));
	struct hd_gpu *gpu = &sim->gpu;
	gpu->checkpoint = checkpoint;
	hd_arena_init(&gpu->arena);
	gpu->config = HD_ARENA_NEW(&gpu->arena, struct hd_config, 1);
	*gpu->config = *options->config;
	gpu->options = *options;
	gpu->options.config = gpu->config;
	gpu->corun_end = gpu->begin_next = HD_NEVER;
	gpu->due = (struct hd_watch_due){HD_NEVER, HD_NEVER, HD_NEVER};
	if (!gpu->options.heap_bytes)
		gpu->options.heap_bytes = DEFAULT_HEAP_BYTES;
	sim->policy_name =
		hd_arena_strdup(&gpu->arena, options->policy && *options->policy ? options->policy : "baseline");
	gpu->options.policy = sim->policy_name;
	int error = hd_policy_parse(gpu, sim->policy_name, options->diag) || check_config(gpu->config, options->diag)
			    ? HD_SIM_NOT_FOUND
			    : 0;
	gpu->sm_count = gpu->config->sm_count;
	if (!error && options->functional && hd_functional_check(gpu, options->diag))
		error = HD_SIM_NOT_FOUND;
	if (!error && options->sampling > 0 && hd_sampling_check(gpu, options->diag))
		error = HD_SIM_NOT_FOUND;
	struct hd_trace trace;
	if (!error && hd_trace_parse(&trace, options->trace, options->diag))
		error = HD_SIM_NOT_FOUND;
	if (!error && hd_timeline_check(options->timeline_only, options->diag))
		error = HD_SIM_NOT_FOUND;
	if (!gpu->options.device_base)
		gpu->options.device_base = HD_DEVICE_BASE;
	if (!gpu->options.device_bytes)
		gpu->options.device_bytes = gpu->config->dram_bytes;
	if (!error && !(gpu->devmem = hd_devmem_new_at(gpu->options.device_base, gpu->options.device_bytes)))
		error = no_room(gpu->options.device_bytes, options->diag);
	if (!error && options->recording && hd_recorder_new(gpu, &sim->recorder))
		error = HD_SIM_NOT_FOUND;
	if (error) {
		hd_checkpoint_free(checkpoint);
		hd_devmem_free(gpu->devmem);
		hd_arena_release(&gpu->arena);
		free(sim);
		return error;
	}
	build_sms(sim);
	if (options->functional)
		gpu->functional = hd_functional_new(gpu);
	if (options->sampling > 0)
		gpu->sampling = hd_sampling_new(gpu);
	if (options->ideal || wants_ideal(gpu))
		hd_redundancy_start(gpu);
	if (options->check)
		hd_check_start(gpu, options->check);
	if (options->verify)
		hd_verify_start(gpu);
	trace.fd = options->trace_fd;
	hd_trace_start(gpu, &trace);
	const struct hd_timeline_options timeline = {options->timeline, options->kanata, options->timeline_only,
						     options->timeline_name};
	hd_timeline_start(gpu, &timeline, options->diag);
	hd_watchdog_start(gpu);
	if (options->corun_cycles)
		gpu->corun = hd_corun_new(gpu);
	if (options->sample)
		hd_samples_start(gpu);
	if (options->profile)
		hd_profile_start(gpu);
	if (options->blame)
		hd_blame_start(gpu);
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		hd_sm_place_watched(gpu->sms[i]);
	if (start_checkpoint(sim, gpu)) {
		hd_sim_free(sim);
		return HD_SIM_CHECKPOINT;
	}
	hd_record_head(sim);
	*out = sim;
	return 0;
}

int hd_sim_timeline_end(struct hd_sim *sim)
{
	return hd_timeline_end(&sim->gpu);
}

void hd_sim_free(struct hd_sim *sim)
{
	if (!sim)
		return;
	struct hd_gpu *gpu = &sim->gpu;
	hd_timeline_end(gpu);
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		hd_grid_free(gpu->grids.data[i]);
	hd_vec_release(&gpu->grids);
	free(gpu->zero_bank);
	free(gpu->spare_grid);
	while (gpu->modules)
		hd_sim_unload(sim, gpu->modules);
	hd_run_release(gpu->run);
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		hd_sm_free(gpu->sms[i]);
	for (uint32_t i = 0; i < sim->launches.len; i++)
		hd_launch_record_free(sim->launches.data[i]);
	hd_vec_release(&sim->launches);
	hd_launch_record_free(sim->scratch);
	hd_strbuf_release(&sim->line);
	hd_corun_free(gpu->corun);
	json_decref(sim->coruns);
	hd_profile_end(gpu);
	hd_blame_end(gpu);
	if (gpu->sampling)
		hd_sampling_free(gpu->sampling);
	else
		hd_functional_free(gpu->functional);
	hd_redundancy_end(gpu);
	hd_check_free(hd_check_of(gpu));
	hd_trace_stop(gpu);
	hd_checkpoint_free(gpu->checkpoint);
	hd_vec_release(&gpu->outside);
	hd_vec_release(&gpu->program.code);
	hd_vec_release(&gpu->program.functions);
	hd_recorder_free(sim->recorder);
	hd_devmem_free(gpu->devmem);
	hd_arena_release(&gpu->arena);
	free(gpu->exec);
	free(sim);
}

int hd_sim_threads_parse(const char *text, uint32_t *threads, struct hd_diag *diag)
{
	char *end;
	unsigned long number = text && *text ? strtoul(text, &end, 10) : hd_crew_processors();
	*threads = number < MOST_THREADS ? (uint32_t)number : MOST_THREADS;
	if (text && *text && (!number || *end || *text == '-'))
		return hd_error(diag, HD_NOWHERE, "number of threads: expected 1 or more, not '%s'", text);
	return 0;
}

int hd_sim_sampling_parse(const char *text, double *sampling, struct hd_diag *diag)
{
	char *end;
	double percent = text && *text ? strtod(text, &end) : DEFAULT_SAMPLING;
	*sampling = text ? percent / 100 : 0;
	if (text && *text && (*end || !(percent >= LEAST_SAMPLING && percent <= MOST_SAMPLING)))
		return hd_error(diag, HD_NOWHERE, "--sampling: expected an error of %g to %g percent, not '%s'",
				LEAST_SAMPLING, MOST_SAMPLING, text);
	return 0;
}

const char *hd_sim_error_text(const struct hd_sim *sim)
{
	return sim->gpu.error_text;
}

uint64_t hd_sim_cycles(const struct hd_sim *sim)
{
	return sim->gpu.now;
}

uint32_t hd_sim_launch_count(const struct hd_sim *sim)
{
	return sim->launches.len;
}

const struct hd_launch_stats *hd_sim_launch_stats(const struct hd_sim *sim, uint32_t index)
{
	return index < sim->launches.len ? &sim->launches.data[index]->stats : NULL;
}

void hd_sim_total(const struct hd_sim *sim, struct hd_stats *total)
{
	hd_gpu_snapshot(&sim->gpu, total);
}

int hd_sim_check_parse(const char *text, uint32_t *checks, struct hd_diag *diag)
{
	static const char *const names[] = {
#define HD_CHECK(name, option, help) option,
#include "heddle/checks.def"
#undef HD_CHECK
	};
	enum { COUNT = sizeof names / sizeof *names };
	char *copy = hd_xstrdup(text), *rest = copy;
	int status = 0;
	*checks = 0;
	for (char *name; (name = strsep(&rest, ","));) {
		uint32_t i = 0;
		while (i < COUNT && strcmp(names[i], name))
			i++;
		if (i < COUNT)
			*checks |= UINT32_C(1) << i;
		else
			status = hd_unknown_name(diag, "unknown check", name, names, COUNT);
	}
	free(copy);
	return status;
}

uint32_t hd_sim_check_places(const struct hd_sim *sim)
{
	const struct hd_check *check = hd_check_of(&sim->gpu);
	return check ? hd_check_places(check) : 0;
}

void hd_sim_check_end(struct hd_sim *sim)
{
	if (hd_check_of(&sim->gpu))
		hd_check_end(hd_check_of(&sim->gpu));
}

void hd_sim_check_summary(const struct hd_sim *sim, char *text, size_t size)
{
	*text = '\0';
	if (hd_check_of(&sim->gpu))
		hd_check_summary(hd_check_of(&sim->gpu), text, size);
}

bool hd_sim_interrupt(struct hd_sim *sim, int signal)
{
	if (!sim || !sim->gpu.running || sim->gpu.interrupted)
		return false;
	sim->gpu.interrupted = signal;
	return true;
}

int hd_sim_interrupted(const struct hd_sim *sim)
{
	return sim->gpu.interrupted;
}

int hd_sim_checkpoint_end(struct hd_sim *sim)
{
	return hd_checkpoint_end(&sim->gpu);
}

int hd_sim_checkpoint_check(const char *path, struct hd_diag *diag)
{
	return hd_checkpoint_check(path, diag);
}

bool hd_sim_corun_over(const struct hd_sim *sim)
{
	return sim->gpu.corun && hd_corun_over(sim->gpu.corun);
}

int hd_sim_occupancy(const struct hd_sim *sim, const struct hd_kernel *kernel, uint32_t block_threads,
		     uint32_t dynamic_shared, uint32_t *ctas)
{
	*ctas = hd_kernel_occupancy(&sim->gpu, kernel, block_threads, dynamic_shared);
	return 0;
}
