/*
 * Faults of a running kernel and errors of library calls: where they happened, in words.
 *
 * The first fault of a launch stays in hd_gpu.error and hd_gpu.error_text, and is the one
 * that is reported. Needs nothing but the loaded program; cost is irrelevant.
 */
#include <stdarg.h>
#include <string.h>

#include "heddle/figures.h"
#include "runtime/exec/fault.h"
#include "runtime/exec/later.h"

struct hd_loc hd_place_of(const struct hd_gpu *gpu, uint32_t pc)
{
	if (pc >= gpu->program.code.len)
		return HD_NOWHERE;
	const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[pc].function];
	if (!function->module || !function->object || !function->object->origins)
		return HD_NOWHERE;
	const struct hd_origin *origin = &function->object->origins[pc - function->first];
	if (origin->file >= function->module->object.file_count)
		return HD_NOWHERE;
	return (struct hd_loc){.file = function->module->object.files[origin->file],
			       .line = origin->line,
			       .column = origin->column};
}

const char *hd_kernel_title(const struct hd_kernel *kernel)
{
	if (kernel->meta && kernel->meta->demangled)
		return kernel->meta->demangled;
	return hd_kernel_name(kernel);
}

static void thread_of(const struct hd_warp *warp, uint32_t lane, uint32_t tid[3])
{
	for (int axis = 0; axis < 3; axis++)
		tid[axis] = warp->tid[axis][lane % HD_WARP_LANES];
}

void hd_describe_place(const struct hd_gpu *gpu, const struct hd_warp *warp, uint32_t pc, uint32_t lane, char *text,
		       size_t size)
{
	const uint32_t *block = warp->cta->index;
	struct hd_loc loc = hd_place_of(gpu, pc);
	char where[512] = "";
	uint32_t tid[3];
	thread_of(warp, lane, tid);
	if (loc.file)
		snprintf(where, sizeof(where), ", %s:%u", loc.file, loc.line);
	else if (pc < gpu->program.code.len) {
		const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[pc].function];
		snprintf(where, sizeof(where), ", %s+0x%x", function->name, (pc - function->first) * HD_INST_BYTES);
	}
	snprintf(text, size, "kernel %s%s, block (%u,%u,%u), thread (%u,%u,%u)",
		 warp->cta->grid->kernel ? hd_kernel_title(warp->cta->grid->kernel) : "?", where, block[0], block[1],
		 block[2], tid[0], tid[1], tid[2]);
}

/* The launch ends with the fault. */
static void take_fault(struct hd_gpu *gpu, struct hd_grid *grid, int error, struct hd_loc place)
{
	gpu->error = error;
	if (grid)
		grid->error = error;
	if (gpu->options.diag)
		hd_error(gpu->options.diag, place, "%s", gpu->error_text);
}

/* Where the warp's SM keeps faults of a window; NULL: they are told at once. */
static struct hd_later *later_of(const struct hd_warp *warp)
{
	return warp->cta->exec && hd_puts_off(warp->cta->exec) ? warp->cta->exec->later : NULL;
}

void hd_gpu_fault(struct hd_gpu *gpu, struct hd_warp *warp, uint32_t pc, uint32_t lane, int error, const char *format,
		  ...)
{
	char what[512], place[768];
	struct hd_later *later = later_of(warp);
	if (later ? later->error : gpu->error)
		return;
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	hd_describe_place(gpu, warp, pc, lane, place, sizeof(place));
	char *text = later ? later->fault_text : gpu->error_text;
	size_t size = later ? sizeof(later->fault_text) : sizeof(gpu->error_text);
	snprintf(text, size, "%s: %s", place, what);
	if (!later) {
		take_fault(gpu, warp->cta->grid, error, hd_place_of(gpu, pc));
		return;
	}
	later->error = error;
	later->fault_cycle = warp->cta->exec->now;
	later->fault_grid = warp->cta->grid;
	later->fault_place = hd_place_of(gpu, pc);
}

void hd_later_fault(const struct hd_later *later, struct hd_gpu *gpu)
{
	snprintf(gpu->error_text, sizeof(gpu->error_text), "%s", later->fault_text);
	take_fault(gpu, later->fault_grid, later->error, later->fault_place);
}

int hd_gpu_refuse(struct hd_gpu *gpu, int error, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(gpu->error_text, sizeof(gpu->error_text), format, args);
	va_end(args);
	if (gpu->options.diag)
		hd_error(gpu->options.diag, HD_NOWHERE, "%s", gpu->error_text);
	return error;
}

bool hd_host_mapping(uint64_t address, char *text, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool found = false;
	while (maps && !found && fgets(line, sizeof line, maps)) {
		unsigned long long low, high;
		int name = 0;
		char access[8];
		if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %n", &low, &high, access, &name) < 3 || address < low ||
		    address >= high || !strcmp(access, "---p") || !strcmp(access, "---s"))
			continue;
		found = true;
		line[strcspn(line, "\n")] = '\0';
		const char *what = line + name, *slash = strrchr(what, '/');
		snprintf(text, size, "%s",
			 !strcmp(what, "[heap]")    ? "the heap"
			 : !strcmp(what, "[stack]") ? "the stack"
			 : slash		    ? slash + 1
						    : "the program's");
	}
	if (maps)
		fclose(maps);
	return found;
}

/* ---- loads that hardware lets pass */

void hd_outside_note(struct hd_gpu *gpu, const struct hd_warp *warp, uint32_t lane, uint32_t bytes, const char *where,
		     uint64_t address)
{
	char place[768];
	for (uint32_t i = 0; i < gpu->outside.len; i++)
		if (gpu->outside.data[i].pc == warp->pc) {
			gpu->outside.data[i].count++;
			return;
		}
	hd_vec_push(&gpu->outside, (struct hd_outside){warp->pc, 1, 0});
	hd_describe_place(gpu, warp, warp->pc, lane, place, sizeof place);
	if (gpu->options.diag)
		hd_warning(gpu->options.diag, hd_place_of(gpu, warp->pc), "%s: %u-byte load at address 0x%llx %s",
			   place, bytes, (unsigned long long)address, where);
}

void hd_outside_report(struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->outside.len; i++) {
		struct hd_outside *outside = &gpu->outside.data[i];
		if (outside->count > 1 && !outside->told && gpu->options.diag)
			hd_note(gpu->options.diag, hd_place_of(gpu, outside->pc),
				"%llu loads outside every allocation here in this launch",
				(unsigned long long)outside->count);
		outside->told = true;
	}
}
