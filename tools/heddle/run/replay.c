/*
 * Recorded programs done again: see replay.h. A program is one stream of launches. Before each the changes of device
 * memory that came before it are made, which takes no simulated time, as the copies and memsets of a program take none.
 * When the last launch has ended the program begins anew: its allocations go, its modules' variables are zero, and the
 * changes before the first launch fill all again. A program with requests waits for the next of them to arrive first.
 *
 * Cost: one copy of each change a pass.
 */
#include "tools/heddle/run/replay.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "tools/heddle/cmd.h"

struct replaying {
	struct replay *replays;
	uint32_t count;
	struct hd_sim *sim;
	const struct hd_sim_options *options;
	struct hd_diag *diag;
	bool compare;
	uint32_t different; /* allocations */
};

int replay_load(struct replay *replay, const char *path, struct hd_diag *diag)
{
	memset(replay, 0, sizeof *replay);
	if (hd_recording_read(&replay->recording, path, diag))
		return -1;
	uint64_t bytes = 0;
	HD_VEC(struct hd_recorded_range) live = {0};
	for (uint32_t i = 0; i < replay->recording.events.len; i++) {
		const struct hd_recorded_event *event = &replay->recording.events.data[i];
		if (event->kind == HD_RECORDING_ALLOCATE) {
			hd_vec_push(&live, (struct hd_recorded_range){.low = event->low, .high = event->high});
			bytes += event->high - event->low;
		}
		for (uint32_t k = 0; event->kind == HD_RECORDING_RELEASE && k < live.len; k++)
			if (live.data[k].low == event->low) {
				bytes -= live.data[k].high - live.data[k].low;
				live.data[k] = live.data[--live.len];
				break;
			}
		replay->bytes = bytes > replay->bytes ? bytes : replay->bytes;
	}
	hd_vec_release(&live);
	return 0;
}

void replay_release(struct replay *replay)
{
	hd_recording_release(&replay->recording);
}

int replays_check(const struct replay *replays, uint32_t count, const struct hd_config *config, struct hd_diag *diag)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_recording *own = &replays[i].recording;
		bytes += replays[i].bytes;
		for (uint32_t k = 0; k < i; k++)
			if (replays[k].recording.slot == own->slot)
				return hd_error(diag, HD_NOWHERE,
						"%s and %s use the same device addresses (record one of them with "
						"--slot N, with N other than %u)",
						replays[k].recording.path, own->path, own->slot);
	}
	if (bytes > config->dram_bytes)
		return hd_error(diag, HD_NOWHERE,
				"the programs have %llu bytes of device memory together, but the GPU has %llu",
				(unsigned long long)bytes, (unsigned long long)config->dram_bytes);
	return 0;
}

static int wrong(const struct replaying *replaying, const struct replay *replay)
{
	return hd_error(replaying->diag, HD_NOWHERE, "%s: %s", replay->recording.path,
			hd_sim_error_text(replaying->sim));
}

/* ---- begin */

static int load_modules(struct replaying *replaying, struct replay *replay)
{
	const struct hd_recording *recording = &replay->recording;
	replay->modules = hd_xcalloc(recording->modules.len + 1, sizeof(struct hd_module *));
	for (uint32_t i = 0; i < recording->modules.len; i++) {
		const struct hd_recorded_module *module = &recording->modules.data[i];
		const struct hd_recorded_object *object = &recording->objects.data[module->object];
		struct hd_sim_place place = {module->data, module->rodata, module->bss, module->code};
		if (hd_sim_load_at(replaying->sim, object->bytes, object->size, recording->path, &place,
				   &replay->modules[i]))
			return wrong(replaying, replay);
	}
	return 0;
}

static int find_kernels(struct replaying *replaying, struct replay *replay)
{
	const struct hd_recording *recording = &replay->recording;
	replay->kernels = hd_xcalloc(recording->launches.len + 1, sizeof(struct hd_kernel *));
	for (uint32_t i = 0; i < recording->launches.len; i++) {
		const struct hd_recorded_launch *launch = &recording->launches.data[i];
		replay->kernels[i] = hd_sim_kernel(replay->modules[launch->module], launch->kernel);
		if (!replay->kernels[i])
			return hd_error(replaying->diag, HD_NOWHERE, "%s: no kernel %s in its objects", recording->path,
					launch->kernel);
	}
	return 0;
}

/* Memory of a module's section as it is where nothing has been written yet. */
static int clear_section(struct replaying *replaying, uint64_t address)
{
	uint64_t low, high;
	if (!address || !hd_sim_allocation(replaying->sim, address, &low, &high))
		return 0;
	return hd_sim_set(replaying->sim, low, 0, high - low);
}

static int begin_anew(struct replaying *replaying, struct replay *replay)
{
	const struct hd_recording *recording = &replay->recording;
	int status = 0;
	for (uint32_t i = 0; i < replay->live.len && !status; i++)
		status = hd_sim_free_memory(replaying->sim, replay->live.data[i]);
	for (uint32_t i = 0; i < recording->modules.len && !status; i++) {
		const struct hd_recorded_module *module = &recording->modules.data[i];
		status = clear_section(replaying, module->data) || clear_section(replaying, module->rodata) ||
			 clear_section(replaying, module->bss);
	}
	replay->live.len = 0;
	replay->next = 0;
	return status ? wrong(replaying, replay) : 0;
}

/* ---- on the way */

static void forget(struct replay *replay, uint64_t address)
{
	for (uint32_t i = 0; i < replay->live.len; i++)
		if (replay->live.data[i] == address)
			replay->live.data[i] = replay->live.data[--replay->live.len];
}

static int change(struct replaying *replaying, struct replay *replay, const struct hd_recorded_event *event)
{
	int status;
	if (event->kind == HD_RECORDING_ALLOCATE) {
		status = hd_sim_malloc_at(replaying->sim, event->low, event->high - event->low);
		hd_vec_push(&replay->live, event->low);
	} else if (event->kind == HD_RECORDING_RELEASE) {
		status = hd_sim_free_memory(replaying->sim, event->low);
		forget(replay, event->low);
	} else {
		status = hd_sim_write(replaying->sim, event->low, event->bytes, event->high - event->low);
	}
	return status ? wrong(replaying, replay) : 0;
}

static int submit(struct replaying *replaying, struct replay *replay, uint32_t index)
{
	const struct hd_recorded_launch *launch = &replay->recording.launches.data[index];
	struct request *asked = replay->serves && !index ? &replay->requests[replay->request] : NULL;
	uint64_t now = hd_sim_cycles(replaying->sim);
	if (asked)
		asked->began = asked->arrived > now ? asked->arrived : now;
	struct hd_launch request = {
		.kernel = replay->kernels[index],
		.dynamic_shared = launch->shared,
		.cooperative = launch->cooperative,
		.large_clusters = true, /* the program was allowed them */
		.params = launch->params,
		.param_bytes = launch->param_bytes,
		.stream = replay->stream,
		.priority = replay->prioritised ? replay->priority : launch->priority,
		.earliest = asked ? asked->arrived : 0,
		.in_a_row = launch->in_a_row,
		.stack_bytes = launch->stack_bytes,
		.mute = true,
	};
	memcpy(request.grid, launch->grid, sizeof request.grid);
	memcpy(request.block, launch->block, sizeof request.block);
	memcpy(request.cluster, launch->cluster, sizeof request.cluster);
	replay->busy = true;
	return hd_sim_submit(replaying->sim, &request, &replay->ticket) ? wrong(replaying, replay) : 0;
}

/* Up to the next launch, which is put on its way; -1, or 1 where there is none any more. */
static int go_on(struct replaying *replaying, struct replay *replay)
{
	const struct hd_recording *recording = &replay->recording;
	while (replay->next < recording->events.len) {
		const struct hd_recorded_event *event = &recording->events.data[replay->next++];
		if (event->kind == HD_RECORDING_LAUNCH)
			return submit(replaying, replay, event->launch);
		if (change(replaying, replay, event))
			return -1;
	}
	return 1;
}

/* ---- the end */

/* What a pass left, beside what the program had left; told once. */
static int compare(struct replaying *replaying, struct replay *replay)
{
	const struct hd_recording *recording = &replay->recording;
	uint32_t different = 0;
	for (uint32_t i = 0; i < recording->at_end.len && !replay->different; i++) {
		const struct hd_recorded_range *range = &recording->at_end.data[i];
		uint64_t size = range->high - range->low;
		uint8_t *bytes = hd_xmalloc(size + 1);
		int status = hd_sim_read(replaying->sim, range->low, bytes, size);
		bool same = !status && hd_recording_hash(bytes, size) == range->hash;
		free(bytes);
		if (status)
			return wrong(replaying, replay);
		if (!same)
			hd_error(replaying->diag, HD_NOWHERE,
				 "%s: the %llu bytes of device memory at 0x%llx differ from those of the program at "
				 "its end",
				 recording->path, (unsigned long long)size, (unsigned long long)range->low);
		different += !same;
	}
	if (different)
		hd_note(replaying->diag, HD_NOWHERE,
			"%s: results may also depend on the order of blocks, which --functional does not keep (replay "
			"with timing)",
			recording->path);
	replay->different |= different > 0;
	replaying->different += different;
	return 0;
}

static bool is_over(const struct replaying *replaying)
{
	return !replaying->options->corun_cycles || hd_sim_corun_over(replaying->sim);
}

static int end_pass(struct replaying *replaying, struct replay *replay)
{
	bool first = !replay->first;
	if (first)
		replay->first = hd_sim_cycles(replaying->sim);
	replay->passes += !hd_sim_corun_over(replaying->sim); /* without a window it never is */
	if (replaying->compare && compare(replaying, replay))
		return -1;
	replay->finished = is_over(replaying);
	if (replay->serves) {
		replay->requests[replay->request++].ended = hd_sim_cycles(replaying->sim);
		replay->finished = replay->request == replay->request_count;
	}
	return replay->finished ? 0 : begin_anew(replaying, replay);
}

/* Behind a launch of it: the next one, or the end. With the window over, nothing but a first pass that is wanted. */
static int advance(struct replaying *replaying, struct replay *replay)
{
	bool wanted = replay->serves || (!replay->first && (replaying->compare || !replaying->options->corun_cycles));
	replay->busy = false;
	if (is_over(replaying) && !wanted && replay->next < replay->recording.events.len) {
		replay->finished = true;
		return 0;
	}
	int result = go_on(replaying, replay);
	return result > 0 ? end_pass(replaying, replay) : result;
}

static int run(struct replaying *replaying)
{
	for (;;) {
		for (uint32_t i = 0; i < replaying->count; i++) {
			struct replay *replay = &replaying->replays[i];
			while (!replay->finished && !(replay->busy && !hd_sim_finished(replaying->sim, replay->ticket)))
				if (advance(replaying, replay))
					return -1;
		}
		if (!hd_sim_working(replaying->sim))
			return 0;
		if (hd_sim_step(replaying->sim))
			return -1;
	}
}

/* The windows of addresses from the lowest slot to the highest. */
static void set_memory(const struct replaying *replaying, struct hd_sim_options *options)
{
	uint32_t low = HD_RECORDING_SLOTS, high = 0;
	for (uint32_t i = 0; i < replaying->count; i++) {
		uint32_t slot = replaying->replays[i].recording.slot;
		low = slot < low ? slot : low;
		high = slot > high ? slot : high;
	}
	options->device_base = HD_RECORDING_BASE + low * HD_RECORDING_SLOT_BYTES;
	options->device_bytes = (high - low + 1) * HD_RECORDING_SLOT_BYTES;
	options->corun_streams = true;
}

static int start(struct replaying *replaying, uint64_t stream)
{
	for (uint32_t i = 0; i < replaying->count; i++) {
		struct replay *replay = &replaying->replays[i];
		replay->stream = stream + i;
		replay->next = 0;
		replay->passes = replay->first = 0;
		replay->request = 0;
		replay->busy = replay->different = false;
		replay->finished = replay->serves && !replay->request_count;
		if (load_modules(replaying, replay) || find_kernels(replaying, replay) || begin_anew(replaying, replay))
			return -1;
	}
	return 0;
}

int replays_run(struct replay *replays, uint32_t count, uint64_t stream, const struct hd_sim_options *options,
		bool compare_memory, char **stats)
{
	struct hd_sim_options own = *options;
	struct replaying replaying = {
		.replays = replays, .count = count, .options = &own, .diag = options->diag, .compare = compare_memory};
	int status = CMD_ERROR;
	*stats = NULL;
	set_memory(&replaying, &own);
	if (hd_sim_new(&own, &replaying.sim))
		return CMD_ERROR;
	if (!start(&replaying, stream)) {
		status = run(&replaying) ? CMD_ERROR : replaying.different ? CMD_FINDING : CMD_OK;
		*stats = hd_sim_stats_json(replaying.sim);
	}
	hd_sim_free(replaying.sim);
	for (uint32_t i = 0; i < count; i++) {
		free(replays[i].modules);
		free(replays[i].kernels);
		replays[i].modules = NULL;
		replays[i].kernels = NULL;
		hd_vec_release(&replays[i].live);
	}
	return status;
}
