/*
 * The process's CUDA context: start of the simulator from the environment, errors, what is released at exit.
 */
#include "runtime/cudart/context.h"
#include "heddle/config.h"
#include "lib/locale_c.h"
#include "lib/recording.h"
#include "runtime/cudart/driver.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/work.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct hd_config the_config;
static struct hd_cudart the_context = {.config = &the_config, .diag = {.tool = "heddle"}};
static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local cudaError_t last_error = cudaSuccess;
static _Thread_local locale_t host_locale; /* the program's, while the thread is in here */

struct hd_cudart *hd_cudart_enter(void)
{
	pthread_mutex_lock(&the_lock);
	host_locale = hd_enter_c_locale();
	return &the_context;
}

struct hd_sim *hd_cudart_sim_of_process(void)
{
	return the_context.sim;
}

struct hd_records *hd_cudart_records_of_process(void)
{
	return &the_context.records;
}

struct hd_map *hd_cudart_live_of_process(void)
{
	return &the_context.live;
}

void hd_cudart_call_later(cudaHostFn_t fn, void *data)
{
	hd_vec_push(&the_context.later_calls, ((struct hd_later_call){fn, data}));
}

void hd_cudart_leave(struct hd_cudart **cudart)
{
	(void)cudart;
	__typeof__(the_context.later_calls) calls = the_context.later_calls;
	memset(&the_context.later_calls, 0, sizeof the_context.later_calls);
	uselocale(host_locale);
	pthread_mutex_unlock(&the_lock);
	for (uint32_t i = 0; i < calls.len; i++)
		calls.data[i].fn(calls.data[i].data);
	hd_vec_release(&calls);
}

cudaError_t *hd_cudart_last_error(void)
{
	return &last_error;
}

cudaError_t hd_cudart_return(cudaError_t error)
{
	if (error != cudaSuccess)
		last_error = error;
	return error;
}

enum { MOST_REPORT = 512 }; /* bytes: PIPE_BUF at its least, so that lines of processes do not mix */

/* The pipe to `heddle run`; -1: the program has closed it, or has opened a file of its own under its number. */
static int status_pipe(void)
{
	const char *variable = secure_getenv("HEDDLE_STATUS_FD");
	struct stat status;
	uintmax_t device, inode;
	int fd;
	if (!variable || sscanf(variable, "%d:%ju:%ju", &fd, &device, &inode) != 3 || fstat(fd, &status))
		return -1;
	return status.st_dev == device && status.st_ino == inode ? fd : -1;
}

/* What takes the pipe's place; -1: `heddle run` is gone. */
static int status_file(void)
{
	char path[PATH_MAX];
	const char *folder = secure_getenv("HEDDLE_RECORDS");
	int length = folder ? snprintf(path, sizeof path, "%s/%ld.report", folder, (long)getpid()) : -1;
	if (length < 0 || (size_t)length >= sizeof path)
		return -1;
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void hd_cudart_report(const char *kind, const char *text)
{
	char line[MOST_REPORT];
	int length = snprintf(line, sizeof line - 1, "%s: %s", kind, text);
	if (length < 0 || !secure_getenv("HEDDLE_STATUS_FD"))
		return;
	length = length < MOST_REPORT - 1 ? length : MOST_REPORT - 2;
	line[length++] = '\n';
	int pipe = status_pipe();
	if (pipe >= 0 && write(pipe, line, (size_t)length) == length)
		return;
	int file = status_file();
	if (file < 0)
		return;
	if (write(file, line, (size_t)length) != length)
		hd_note(&the_context.diag, HD_NOWHERE, "heddle run could not be told of this: %s", kind);
	close(file);
}

cudaError_t hd_cudart_sim_error(struct hd_cudart *cudart, int error)
{
	static const struct {
		int sim;
		cudaError_t cuda;
		bool sticky;
	} table[] = {
		{HD_SIM_BAD_OBJECT, cudaErrorInvalidKernelImage, false},
		{HD_SIM_BAD_LAUNCH, cudaErrorInvalidConfiguration, false},
		{HD_SIM_BAD_ADDRESS, cudaErrorIllegalAddress, true},
		{HD_SIM_MISALIGNED, cudaErrorMisalignedAddress, true},
		{HD_SIM_TRAP, cudaErrorLaunchFailure, true},
		{HD_SIM_ASSERT, cudaErrorAssert, true},
		{HD_SIM_TIMEOUT, cudaErrorLaunchTimeout, true},
		{HD_SIM_NO_MEMORY, cudaErrorMemoryAllocation, false},
		{HD_SIM_NOT_FOUND, cudaErrorInvalidSymbol, false},
		{HD_SIM_STACK_OVERFLOW, cudaErrorHardwareStackError, true},
		{HD_SIM_BAD_CALL, cudaErrorInvalidPc, true},
		{HD_SIM_VERIFY, cudaErrorLaunchFailure, true},
		{HD_SIM_TOO_LARGE, cudaErrorCooperativeLaunchTooLarge, false},
		{HD_SIM_CHECKPOINT, cudaErrorLaunchFailure, true},
		{HD_SIM_BAD_CLUSTER, cudaErrorInvalidClusterSize, false},
		{HD_SIM_TOO_MUCH_SHARED, cudaErrorInvalidValue, false},
		{HD_SIM_TOO_MANY_REGISTERS, cudaErrorLaunchOutOfResources, false},
		{HD_SIM_WRONG_TARGET, cudaErrorNoKernelImageForDevice, false},
	};
	if (error >= 0)
		return cudaSuccess;
	cudaError_t result = cudaErrorUnknown;
	bool sticky = true;
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].sim == error) {
			result = table[i].cuda;
			sticky = table[i].sticky;
		}
	if (sticky) {
		cudart->sticky = result;
		hd_cudart_report("fault", cudart->sim ? hd_sim_error_text(cudart->sim) : "");
	}
	return result;
}

/* ------------------------------------------------------------ at exit */

/* Is this a child that got the context by fork? Its device memory is the parent's. */
static bool in_fork(const struct hd_cudart *cudart)
{
	return cudart->started && cudart->owner != getpid();
}

void hd_cudart_note_findings(const struct hd_cudart *cudart, uint32_t places)
{
	if (!places && hd_sim_check_places(cudart->sim))
		hd_cudart_report("check", "something was found");
}

static void report_checks(struct hd_cudart *cudart)
{
	char text[512];
	if (!cudart->sim)
		return;
	uint32_t places = hd_sim_check_places(cudart->sim);
	hd_sim_check_end(cudart->sim);
	hd_cudart_note_findings(cudart, places);
	hd_sim_check_summary(cudart->sim, text, sizeof text);
	if (*text)
		hd_note(&cudart->diag, HD_NOWHERE, "--check: %s", text);
}

static void release_registered(struct hd_registry *registry)
{
	for (uint32_t i = 0; i < registry->all.len; i++) {
		free(registry->all.data[i]->name);
		free(registry->all.data[i]);
	}
	hd_vec_release(&registry->all);
	hd_map_release(&registry->ids);
}

static void end_timelines(struct hd_cudart *cudart)
{
	int status = cudart->sim ? hd_sim_timeline_end(cudart->sim) : 0;
	if (cudart->sim && (secure_getenv("HEDDLE_TIMELINE") || secure_getenv("HEDDLE_KANATA")))
		hd_cudart_report("timeline", status ? "failed" : "complete");
}

/* Runs after the program's own exit handlers that were registered later, and after its static destructors. */
__attribute__((destructor)) static void finish(void)
{
	struct hd_cudart *cudart = &the_context;
	if (in_fork(cudart))
		return; /* what there is to say and to release is the parent's */
	if (cudart->sim && cudart->sticky == cudaSuccess)
		hd_cudart_wait_all(cudart);
	hd_cudart_release_work(cudart);
	if (cudart->sim && hd_sim_checkpoint_end(cudart->sim))
		hd_cudart_report("fault", "checkpoint");
	if (cudart->sim)
		hd_sim_record_end(cudart->sim);
	cudart->records.on = false;
	report_checks(cudart);
	end_timelines(cudart);
	hd_cudart_release_virtual(cudart);
	hd_sim_free(cudart->sim);
	cudart->sim = NULL;
	for (uint32_t i = 0; i < cudart->binaries.len; i++) {
		hd_arena_release(&cudart->binaries.data[i]->arena);
		free(cudart->binaries.data[i]);
	}
	hd_vec_release(&cudart->binaries);
	for (uint32_t i = 0; i < cudart->managed.len; i++)
		free(cudart->managed.data[i].name);
	hd_vec_release(&cudart->managed);
	for (uint32_t i = 0; i < cudart->host_allocations.len; i++)
		free(cudart->host_allocations.data[i]);
	hd_vec_release(&cudart->host_allocations);
	hd_vec_release(&cudart->shared);
	hd_vec_release(&cudart->advice);
	hd_vec_release(&cudart->opted);
	hd_vec_release(&cudart->clustered);
	hd_vec_release(&cudart->captures);
	for (uint32_t i = 0; i < cudart->links.len; i++)
		hd_driver_link_release(cudart->links.data[i]);
	hd_vec_release(&cudart->links);
	for (uint32_t i = 0; i < cudart->modules.len; i++)
		free(cudart->modules.data[i]);
	hd_vec_release(&cudart->modules);
	hd_cudart_free_references(cudart);
	for (uint32_t i = 0; i < cudart->handles.len; i++)
		free(cudart->handles.data[i]);
	hd_vec_release(&cudart->handles);
	hd_vec_release(&cudart->later_calls);
	free(cudart->pool);
	for (uint32_t i = 0; i < cudart->graph_memory.len; i++)
		free(cudart->graph_memory.data[i]);
	hd_vec_release(&cudart->graph_memory);
	hd_handles_release();
	release_registered(&cudart->functions);
	release_registered(&cudart->variables);
}

/* ------------------------------------------------------------ start */

static const char *environment(const char *name, const char *otherwise)
{
	const char *value = secure_getenv(name);
	return value && *value ? value : otherwise;
}

static int apply_settings(struct hd_cudart *cudart)
{
	char *settings = hd_xstrdup(environment("HEDDLE_SET", ""));
	int status = 0;
	char *rest = settings;
	for (char *item; (item = strsep(&rest, ";"));)
		if (*item && hd_config_set(cudart->config, item, &cudart->diag))
			status = -1;
	free(settings);
	return status ? status : hd_config_check(cudart->config, &cudart->diag);
}

static int read_cycles(struct hd_cudart *cudart, const char *variable, uint64_t *cycles)
{
	const char *text = environment(variable, "0");
	char *end;
	errno = 0;
	*cycles = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9')
		return hd_error(&cudart->diag, HD_NOWHERE, "%s: expected a number of cycles, not '%s'", variable, text);
	return 0;
}

static int read_checks(struct hd_cudart *cudart, uint32_t *checks)
{
	const char *text = environment("HEDDLE_CHECK", NULL);
	*checks = 0;
	return text ? hd_sim_check_parse(text, checks, &cudart->diag) : 0;
}

int hd_cudart_capability(const struct hd_config *config)
{
	return (int)(config->compute_major * 10 + config->compute_minor);
}

int hd_cudart_target(const char *name)
{
	return name && !strncmp(name, "sm_", 3) ? atoi(name + 3) : 0;
}

/* The modelled GPU of the least capability, in tens, that takes code of this one: "a100"; NULL: there is none. */
static char *gpu_for(int code)
{
	char **names = hd_config_gpus(NULL), *best = NULL;
	int least = INT_MAX;
	for (unsigned i = 0; names[i]; i++) {
		struct hd_diag quiet = hd_diag_silent();
		struct hd_config config;
		int able = 0;
		if (!hd_config_load(&config, names[i], &quiet))
			able = hd_cudart_capability(&config);
		if (able >= code && able < least) {
			least = able;
			free(best);
			best = hd_xstrdup(names[i]);
		}
		free(names[i]);
	}
	free(names);
	return best;
}

/*
 * A card refuses code of a later architecture. Here it runs, because the machine is one for all models and those of
 * papers are of architectures that code cannot be compiled for any more; of the others it is said. Said of a kernel
 * that is launched: a library may have kernels for several architectures, each in an object of its own.
 */
void hd_cudart_note_target(struct hd_cudart *cudart, const char *target)
{
	const struct hd_config *config = cudart->config;
	int card = hd_cudart_capability(config), code = hd_cudart_target(target);
	if (cudart->noted_target || code <= card || hd_target_is_special(target))
		return; /* a launch of code for one architecture alone is refused */
	cudart->noted_target = true;
	char *gpu = gpu_for(code);
	hd_note(&cudart->diag, HD_NOWHERE,
		"the program is compiled for %s and runs here, but a %s (compute capability %d.%d) would refuse it "
		"with cudaErrorNoKernelImageForDevice (heddle run --gpu %s models a card that accepts it)",
		target, config->product, card / 10, card % 10, gpu ? gpu : "GPU");
	free(gpu);
}

static int load_binary(struct hd_cudart *cudart, struct hd_binary *binary)
{
	if (binary->module || binary->failed || binary->gone)
		return 0;
	HD_VEC(struct hd_placement) placed = {0};
	for (uint32_t i = 0; i < cudart->variables.all.len; i++) {
		const struct hd_registered *entry = cudart->variables.all.data[i];
		if (entry->managed && entry->binary == binary)
			hd_vec_push(&placed, (struct hd_placement){entry->name, (void *)(uintptr_t)entry->host});
	}
	int error = hd_sim_load_placed(cudart->sim, binary->bytes, binary->size, "embedded kernel object", placed.data,
				       placed.len, &binary->module);
	for (uint32_t i = 0; !error && i < placed.len; i++)
		hd_vec_push(&cudart->shared,
			    (struct hd_shared_memory){.low = placed.data[i].host, .type = cudaMemoryTypeManaged});
	hd_vec_release(&placed);
	if (error == HD_SIM_NO_MEMORY)
		hd_error(&cudart->diag, HD_NOWHERE, "%s", hd_sim_error_text(cudart->sim));
	binary->failed = error != 0;
	int card = hd_cudart_capability(cudart->config);
	if (!error && card >= 70 && hd_cudart_target(hd_sim_target(binary->module)) > card)
		cudart->later_code = true;
	return error;
}

/* Sets the program's pointer variables to their device memory, which the host can read (hd_sim_host_pointer). */
static cudaError_t start_managed(struct hd_cudart *cudart)
{
	for (uint32_t i = 0; i < cudart->managed.len; i++) {
		struct hd_managed *managed = &cudart->managed.data[i];
		uint64_t address, size;
		if (!managed->binary->module || *managed->pointer)
			continue;
		int error = hd_sim_symbol(managed->binary->module, managed->name, &address, &size);
		if (error)
			return hd_cudart_sim_error(cudart, error);
		*managed->pointer = hd_sim_host_pointer(cudart->sim, address, size);
	}
	return cudaSuccess;
}

/* A window of addresses of its own, and a file of this process in the folder that `heddle run --record` has. */
static int set_recording(struct hd_cudart *cudart, struct hd_sim_options *options, char *path, size_t size)
{
	const char *folder = environment("HEDDLE_RECORDING", NULL);
	uint64_t slot = strtoull(environment("HEDDLE_RECORDING_SLOT", "0"), NULL, 10);
	if (!folder)
		return 0;
	if (slot >= HD_RECORDING_SLOTS)
		return hd_error(&cudart->diag, HD_NOWHERE, "HEDDLE_RECORDING_SLOT: expected 0 to %d, not %llu",
				HD_RECORDING_SLOTS - 1, (unsigned long long)slot);
	snprintf(path, size, "%s/%ld.run", folder, (long)getpid());
	options->recording = path;
	options->device_base = HD_RECORDING_BASE + slot * HD_RECORDING_SLOT_BYTES;
	options->device_bytes = cudart->config->dram_bytes < HD_RECORDING_SLOT_BYTES ? cudart->config->dram_bytes
										     : HD_RECORDING_SLOT_BYTES;
	options->code_shift = slot * HD_RECORDING_CODE_BYTES;
	return 0;
}

/* A GPU whose L2 reads more than the sector that is missed reads as much as the program allows, in powers of two. */
static void limit_fetches(struct hd_cudart *cudart)
{
	size_t limit = cudart->limits[cudaLimitMaxL2FetchGranularity];
	struct hd_config *config = cudart->config;
	if (!config->l2_fetch || !limit)
		return;
	config->l2_fetch = config->sector;
	while (config->l2_fetch * 2 <= limit && config->l2_fetch < config->l2_line)
		config->l2_fetch *= 2;
}

static cudaError_t start_simulator(struct hd_cudart *cudart)
{
	char recording[4096];
	uint64_t max_cycles, sample, corun, apart, checkpoint_at, watchdog = UINT64_MAX;
	uint32_t checks, threads;
	size_t stack = cudart->limits[cudaLimitStackSize];
	double sampling;
	if (hd_config_load(cudart->config, environment("HEDDLE_GPU", "v100"), &cudart->diag) ||
	    apply_settings(cudart) || read_cycles(cudart, "HEDDLE_MAX_CYCLES", &max_cycles) ||
	    read_cycles(cudart, "HEDDLE_SAMPLE", &sample) || read_cycles(cudart, "HEDDLE_CORUN_CYCLES", &corun) ||
	    read_cycles(cudart, "HEDDLE_CHECKPOINT_AT", &checkpoint_at) ||
	    read_cycles(cudart, "HEDDLE_CORUN_APART", &apart) ||
	    hd_sim_sampling_parse(environment("HEDDLE_SAMPLING", NULL), &sampling, &cudart->diag) ||
	    hd_sim_threads_parse(secure_getenv("HEDDLE_THREADS"), &threads, &cudart->diag) ||
	    read_checks(cudart, &checks) ||
	    (strcmp(environment("HEDDLE_WATCHDOG", "0"), "off") && read_cycles(cudart, "HEDDLE_WATCHDOG", &watchdog)))
		return cudaErrorInitializationError;
	limit_fetches(cudart);
	const bool recorded = hd_cudart_records_start(cudart);
	struct hd_sim_options options = {
		.config = cudart->config,
		.policy = environment("HEDDLE_POLICY", "baseline"),
		.verify = *environment("HEDDLE_VERIFY", "0") != '0',
		.functional = *environment("HEDDLE_FUNCTIONAL", "0") != '0',
		.profile = *environment("HEDDLE_PROFILE", "0") != '0',
		.blame = *environment("HEDDLE_SLOTS", "0") != '0',
		.ideal = *environment("HEDDLE_IDEAL", "0") != '0',
		.check = checks,
		.warn_outside = !strcmp(environment("HEDDLE_OUT_OF_BOUNDS", "error"), "warn"),
		.max_cycles = max_cycles,
		.watchdog = watchdog,
		.progress = *environment("HEDDLE_PROGRESS", "0") != '0' ? stderr : NULL,
		.shares = *environment("HEDDLE_SHARES", "0") != '0' ? stderr : NULL,
		.dump_state = *environment("HEDDLE_DUMP_STATE", "0") != '0',
		.sample = sample,
		.sampling = sampling,
		.threads = threads,
		.corun_cycles = corun,
		.corun_apart = apart,
		.stack_bytes = stack > HD_SIM_STACK_BYTES ? (uint32_t)stack : 0,
		.heap_bytes = cudart->limits[cudaLimitMallocHeapSize],
		.rehearsal = secure_getenv("HEDDLE_REHEARSAL"),
		.trace = secure_getenv("HEDDLE_TRACE"),
		.trace_fd = atoi(environment("HEDDLE_TRACE_FD", "0")),
		.timeline = secure_getenv("HEDDLE_TIMELINE"),
		.kanata = secure_getenv("HEDDLE_KANATA"),
		.timeline_name = secure_getenv("HEDDLE_TIMELINE_NAME"),
		.timeline_only = secure_getenv("HEDDLE_TIMELINE_ONLY"),
		.checkpoint = secure_getenv("HEDDLE_CHECKPOINT"),
		.checkpoint_at = checkpoint_at,
		.resume = secure_getenv("HEDDLE_RESUME"),
		.diag = &cudart->diag,
		.record = recorded ? hd_cudart_record : NULL,
		.unrecorded = !recorded,
		.record_context = cudart,
	};
	if (set_recording(cudart, &options, recording, sizeof recording) || hd_sim_new(&options, &cudart->sim))
		return cudaErrorInitializationError;
	if (*environment("HEDDLE_CHECKPOINT", "") || *environment("HEDDLE_RESUME", ""))
		hd_cudart_report("checkpoint", "a process has one");
	hd_cudart_explain_faults();
	hd_cudart_take_signals();
	return cudaSuccess;
}

cudaError_t hd_cudart_start_beside(struct hd_cudart *cudart)
{
	cudart->runtime_used = true;
	return cudart->sticky != cudaSuccess ? cudart->sticky : hd_cudart_boot(cudart);
}

cudaError_t hd_cudart_start(struct hd_cudart *cudart)
{
	cudaError_t error = hd_cudart_start_beside(cudart);
	cudart->in_a_row = false;
	return error == cudaSuccess ? hd_cudart_wait_all(cudart) : error;
}

cudaError_t hd_cudart_boot(struct hd_cudart *cudart)
{
	if (in_fork(cudart))
		return cudaErrorInitializationError; /* as CUDA has it: a context does not survive fork */
	if (!cudart->started) {
		cudart->started = true;
		cudart->owner = getpid();
		cudart->start_error = start_simulator(cudart);
		if (cudart->start_error != cudaSuccess)
			hd_cudart_report("fault", "the simulator could not be started");
	}
	if (cudart->start_error != cudaSuccess)
		return cudart->start_error;
	for (uint32_t i = 0; i < cudart->binaries.len; i++) {
		int error = load_binary(cudart, cudart->binaries.data[i]);
		if (error)
			return cudart->start_error = hd_cudart_sim_error(cudart, error);
	}
	return start_managed(cudart);
}
