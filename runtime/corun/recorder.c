/*
 * Recorder: see recorder.h. It has a copy of device memory as it was when the last kernel had ended: what is different
 * when the next one begins is what the host, copies, memsets, managed memory or anything else has changed, whoever that
 * was. Kernels run one at a time meanwhile (grids.c), so that there is such a moment between any two.
 *
 * What cannot be done again without the program is said in the file, which ends there: memory of the host's own under
 * the host's addresses, and the heap of device malloc, which is one for all programs.
 *
 * Cost: two passes over the allocations a launch, and memory for the copy.
 */
#include "runtime/corun/recorder.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "lib/recording.h"
#include "lib/sha256.h"
#include "lib/strbuf.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"

_Static_assert(HD_RECORDING_BASE == HD_DEVICE_BASE, "slots begin where device memory does");

#define GRAIN 256u    /* bytes that are compared, and recorded, together */
#define STRIDE 65536u /* that are looked at first */

struct shadow {
	uint64_t low, high;
	uint8_t *bytes; /* as they were; zero at first, as memory is */
};

struct hd_recorder {
	const struct hd_gpu *gpu;
	struct hd_recording_writer writer;
	HD_VEC(struct shadow) shadows; /* by address */
	HD_VEC(const struct hd_module *) modules;
	HD_VEC(char *) objects; /* digests */
	bool done;		/* ended, or refused */
};

static void refuse(struct hd_recorder *recorder, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void refuse(struct hd_recorder *recorder, const char *format, ...)
{
	struct hd_strbuf text = {0};
	va_list args;
	va_start(args, format);
	hd_strbuf_vprintf(&text, format, args);
	va_end(args);
	if (!recorder->done)
		hd_recording_put(&recorder->writer, HD_RECORDING_REFUSED, hd_strbuf_text(&text), text.len, NULL, 0);
	recorder->done = true;
	hd_strbuf_release(&text);
}

static void put_json(struct hd_recorder *recorder, enum hd_recording_kind kind, json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);
	hd_recording_put(&recorder->writer, kind, text, strlen(text), NULL, 0);
	free(text);
	json_decref(object);
}

int hd_recorder_new(const struct hd_gpu *gpu, struct hd_recorder **out)
{
	const char *path = gpu->options.recording;
	FILE *file = fopen(path, "wbe");
	*out = NULL;
	if (!file)
		return hd_error(gpu->options.diag, HD_NOWHERE, "cannot record to %s: %s", path, strerror(errno));
	struct hd_recorder *recorder = *out = hd_xcalloc(1, sizeof *recorder);
	recorder->gpu = gpu;
	hd_recording_begin(&recorder->writer, file);
	uint64_t slot = (gpu->options.device_base - HD_RECORDING_BASE) / HD_RECORDING_SLOT_BYTES;
	put_json(recorder, HD_RECORDING_HEAD,
		 json_pack("{s:s, s:s, s:I}", "program", program_invocation_short_name, "gpu", gpu->config->name,
			   "slot", (json_int_t)slot));
	return 0;
}

void hd_recorder_free(struct hd_recorder *recorder)
{
	if (!recorder)
		return;
	fclose(recorder->writer.to);
	for (uint32_t i = 0; i < recorder->shadows.len; i++)
		free(recorder->shadows.data[i].bytes);
	for (uint32_t i = 0; i < recorder->objects.len; i++)
		free(recorder->objects.data[i]);
	hd_vec_release(&recorder->shadows);
	hd_vec_release(&recorder->modules);
	hd_vec_release(&recorder->objects);
	free(recorder);
}

/* ---- objects */

static uint32_t object_index(struct hd_recorder *recorder, const uint8_t *bytes, size_t size)
{
	struct hd_sha256 hash;
	char digest[HD_SHA256_TEXT];
	hd_sha256_init(&hash);
	hd_sha256_add(&hash, bytes, size);
	hd_sha256_finish(&hash, digest);
	for (uint32_t i = 0; i < recorder->objects.len; i++)
		if (!strcmp(recorder->objects.data[i], digest))
			return i;
	hd_recording_put(&recorder->writer, HD_RECORDING_OBJECT, bytes, size, NULL, 0);
	hd_vec_push(&recorder->objects, hd_xstrdup(digest));
	return recorder->objects.len - 1;
}

void hd_recorder_load(struct hd_recorder *recorder, const struct hd_module *module, const uint8_t *bytes, size_t size,
		      bool placed)
{
	const struct hd_gpu *gpu = recorder->gpu;
	if (recorder->done)
		return;
	if (placed) {
		refuse(recorder, "it uses managed variables, which are host memory");
		return;
	}
	struct hd_recorded_module entry = {
		.object = object_index(recorder, bytes, size),
		.data = module->data_address,
		.rodata = module->rodata_address,
		.bss = module->bss_address,
	};
	if (module->object.function_count)
		entry.code = HD_CODE_WINDOW + module->code_shift +
			     (uint64_t)HD_INST_BYTES * gpu->program.functions.data[module->first_function].first;
	hd_recording_put(&recorder->writer, HD_RECORDING_MODULE, &entry, sizeof entry, NULL, 0);
	hd_vec_push(&recorder->modules, module);
}

/* ---- memory */

/* Sections come and go with their module. */
static bool is_section(const struct hd_recorder *recorder, uint64_t address)
{
	for (uint32_t i = 0; i < recorder->modules.len; i++) {
		const struct hd_module *module = recorder->modules.data[i];
		if (address == module->data_address || address == module->rodata_address ||
		    address == module->bss_address)
			return true;
	}
	return false;
}

static void gone(struct hd_recorder *recorder, struct shadow *shadow)
{
	if (!is_section(recorder, shadow->low))
		hd_recording_put(&recorder->writer, HD_RECORDING_RELEASE, &shadow->low, sizeof shadow->low, NULL, 0);
	free(shadow->bytes);
}

static struct shadow come(struct hd_recorder *recorder, uint64_t low, uint64_t high)
{
	uint64_t words[2] = {low, high};
	if (!is_section(recorder, low))
		hd_recording_put(&recorder->writer, HD_RECORDING_ALLOCATE, words, sizeof words, NULL, 0);
	return (struct shadow){low, high, hd_xcalloc(high - low + 1, 1)};
}

/* Allocations are compared with those of the last time, first what is gone: others may have its place. Those of no
 * bytes cannot be found, and come anew each time. */
static void follow_allocations(struct hd_recorder *recorder)
{
	const struct hd_devmem *memory = recorder->gpu->devmem;
	HD_VEC(struct shadow) now = {0};
	uint64_t low, high;
	bool adopted;
	uint32_t old = 0;
	for (uint32_t i = 0; i < recorder->shadows.len; i++) {
		struct shadow *shadow = &recorder->shadows.data[i];
		if (hd_devmem_find(memory, shadow->low, &low, &high) && low == shadow->low && high == shadow->high)
			recorder->shadows.data[old++] = *shadow;
		else
			gone(recorder, shadow);
	}
	recorder->shadows.len = old;
	old = 0;
	for (uint32_t i = 0; hd_devmem_range(memory, i, &low, &high, &adopted); i++) {
		if (adopted) {
			refuse(recorder, "the device reaches memory that the program registers or maps "
					 "(cudaHostRegister, cuMemMap)");
			continue;
		}
		bool known = old < recorder->shadows.len && recorder->shadows.data[old].low == low;
		hd_vec_push(&now, known ? recorder->shadows.data[old] : come(recorder, low, high));
		old += known;
	}
	hd_vec_release(&recorder->shadows);
	memcpy(&recorder->shadows, &now, sizeof now);
}

static void put_change(struct hd_recorder *recorder, const struct shadow *shadow, const uint8_t *host, uint64_t from,
		       uint64_t to)
{
	uint64_t address = shadow->low + from;
	if (to > from)
		hd_recording_put(&recorder->writer, HD_RECORDING_MEMORY, &address, sizeof address, host + from,
				 to - from);
}

/* Records what differs in [at, end), but for the run that reaches its end; *run: where a run began, or UINT64_MAX. */
static void compare(struct hd_recorder *recorder, const struct shadow *shadow, const uint8_t *host, uint64_t at,
		    uint64_t end, uint64_t *run)
{
	for (; at < end; at += GRAIN) {
		uint64_t size = end - at < GRAIN ? end - at : GRAIN;
		bool same = !memcmp(host + at, shadow->bytes + at, size);
		if (same && *run != UINT64_MAX)
			put_change(recorder, shadow, host, *run, at);
		*run = same ? UINT64_MAX : *run == UINT64_MAX ? at : *run;
	}
}

static void put_changes(struct hd_recorder *recorder, const struct shadow *shadow)
{
	const uint8_t *host = hd_devmem_at(recorder->gpu->devmem, shadow->low, 0);
	uint64_t bytes = shadow->high - shadow->low, run = UINT64_MAX;
	for (uint64_t at = 0; at < bytes; at += STRIDE) {
		uint64_t size = bytes - at < STRIDE ? bytes - at : STRIDE;
		if (run != UINT64_MAX || memcmp(host + at, shadow->bytes + at, size))
			compare(recorder, shadow, host, at, at + size, &run);
	}
	if (run != UINT64_MAX)
		put_change(recorder, shadow, host, run, bytes);
}

static void take_over(struct hd_recorder *recorder, struct shadow *shadow)
{
	const uint8_t *host = hd_devmem_at(recorder->gpu->devmem, shadow->low, 0);
	uint64_t bytes = shadow->high - shadow->low;
	for (uint64_t at = 0; at < bytes; at += STRIDE) {
		uint64_t size = bytes - at < STRIDE ? bytes - at : STRIDE;
		if (memcmp(host + at, shadow->bytes + at, size))
			memcpy(shadow->bytes + at, host + at, size);
	}
}

/* ---- launches */

static json_t *three(const uint32_t sizes[3])
{
	return json_pack("[I, I, I]", (json_int_t)sizes[0], (json_int_t)sizes[1], (json_int_t)sizes[2]);
}

static uint32_t module_index(const struct hd_recorder *recorder, const struct hd_module *module)
{
	uint32_t index = 0;
	while (index < recorder->modules.len && recorder->modules.data[index] != module)
		index++;
	return index;
}

static json_t *launch_object(const struct hd_recorder *recorder, const struct hd_grid *grid)
{
	struct hd_strbuf params = {0};
	uint32_t bytes = grid->kernel->meta ? grid->kernel->meta->param_bytes : 0;
	for (uint32_t i = 0; i < bytes; i++)
		hd_strbuf_printf(&params, "%02x", grid->constants[HD_CB_PARAMS + i]);
	json_t *object = json_pack("{s:I, s:s, s:o, s:o, s:I, s:b, s:I, s:i, s:b, s:I, s:s}", "module",
				   (json_int_t)module_index(recorder, grid->kernel->module), "kernel",
				   hd_kernel_name(grid->kernel), "grid", three(grid->grid), "block", three(grid->block),
				   "shared", (json_int_t)grid->dynamic_shared, "cooperative", grid->cooperative,
				   "stream", (json_int_t)grid->stream, "priority", grid->priority, "in_a_row",
				   grid->in_a_row, "stack_bytes", (json_int_t)recorder->gpu->options.stack_bytes,
				   "params", hd_strbuf_text(&params));
	hd_strbuf_release(&params);
	if (grid->explicit_clusters)
		json_object_set_new(object, "cluster", three(grid->cluster));
	return object;
}

void hd_recorder_begin(struct hd_recorder *recorder, const struct hd_grid *grid)
{
	if (recorder->done)
		return;
	follow_allocations(recorder);
	for (uint32_t i = 0; i < recorder->shadows.len && !recorder->done; i++)
		put_changes(recorder, &recorder->shadows.data[i]);
	if (!recorder->done)
		put_json(recorder, HD_RECORDING_LAUNCH, launch_object(recorder, grid));
}

void hd_recorder_end(struct hd_recorder *recorder, const struct hd_grid *grid)
{
	const struct hd_gpu *gpu = recorder->gpu;
	if (recorder->done)
		return;
	if (gpu->error)
		refuse(recorder, "kernel %s failed", hd_kernel_name(grid->kernel));
	if (gpu->heap_address)
		refuse(recorder, "kernel %s allocates device memory (malloc)", hd_kernel_name(grid->kernel));
	for (uint32_t i = 0; i < recorder->shadows.len; i++)
		take_over(recorder, &recorder->shadows.data[i]);
}

/* What the last kernel left. */
void hd_recorder_finish(struct hd_recorder *recorder)
{
	HD_VEC(struct hd_recorded_range) ranges = {0};
	if (recorder->done)
		return;
	for (uint32_t i = 0; i < recorder->shadows.len; i++) {
		const struct shadow *shadow = &recorder->shadows.data[i];
		uint64_t hash = hd_recording_hash(shadow->bytes, shadow->high - shadow->low);
		hd_vec_push(&ranges, (struct hd_recorded_range){shadow->low, shadow->high, hash});
	}
	hd_recording_put(&recorder->writer, HD_RECORDING_END, ranges.data, ranges.len * sizeof *ranges.data, NULL, 0);
	recorder->done = true;
	hd_vec_release(&ranges);
	if (fflush(recorder->writer.to) || recorder->writer.failed)
		hd_error(recorder->gpu->options.diag, HD_NOWHERE, "the recording is incomplete: %s", strerror(errno));
}
