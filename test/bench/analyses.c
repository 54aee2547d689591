/*
 * What the register analyses cost beside register allocation, for `make bench-analyses`: reads IR files and prints
 * for each one line of `name value` pairs: machine instructions, CPU seconds of the way out of SSA (with coalescing),
 * of allocation and of each row between the finished code and the metadata, the bytes that their results keep, and how
 * far the process grew while they ran (0 where Linux does not tell).
 *
 * Each module goes through twice: once up to allocation, and once as a compilation does.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <llvm-c/IRReader.h>

#include "passes/pass.h"
#include "passes/regalloc/regalloc.h"

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* VmRSS, or VmHWM: the most it was since forget_peak(). */
static long resident_kilobytes(const char *which)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kilobytes = 0;
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, which, strlen(which)))
			kilobytes = strtol(line + strlen(which) + 1, NULL, 10);
	if (file)
		fclose(file);
	return kilobytes;
}

static void forget_peak(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "w");
	if (file && fputs("5", file) >= 0)
		fclose(file);
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef module;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) ||
	    LLVMParseIRInContext(context, buffer, &module, &message)) {
		fprintf(stderr, "%s: %s\n", path, message);
		exit(2);
	}
	return module;
}

static void require(struct hd_unit *unit, enum hd_pass_id row)
{
	if (hd_pass_require(unit, row))
		exit(2);
}

static void print_allocation(LLVMModuleRef module)
{
	struct hd_diag diag = {.tool = "bench"};
	struct hd_unit unit;
	double leaving = 0, allocating = 0;
	hd_unit_init(&unit, module, &diag);
	if (hd_options_parse(&unit, NULL))
		exit(2);
	require(&unit, HD_PASS_SELECT);
	for (uint32_t i = 0; i < unit.functions.len; i++) {
		struct hd_mfunc *func = &unit.functions.data[i];
		for (enum hd_step step = 0; step <= HD_STEP_SHARED_SLOTS; step++) {
			double start = seconds();
			if (hd_steps[step].run(func, &diag))
				exit(2);
			leaving += step == HD_STEP_OUT_OF_SSA ? seconds() - start : 0;
			allocating += step == HD_STEP_REGALLOC || step == HD_STEP_SHARED_SLOTS ? seconds() - start : 0;
		}
	}
	hd_unit_release(&unit);
	printf("out_of_ssa %.6f allocation %.6f", leaving, allocating);
}

static void measure(const char *path)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = read_module(context, path);
	struct hd_diag diag = {.tool = "bench"};
	struct hd_unit unit;
	uint32_t instructions = 0;
	print_allocation(module);
	hd_unit_init(&unit, module, &diag);
	if (hd_options_parse(&unit, NULL))
		exit(2);
	require(&unit, HD_PASS_UNIFORMITY);
	require(&unit, HD_PASS_LOWER);
	for (uint32_t f = 0; f < unit.object.function_count; f++)
		instructions += unit.object.functions[f].inst_count;
	printf(" instructions %u", instructions);
	malloc_trim(0);
	forget_peak();
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
	long resident = resident_kilobytes("VmRSS");
	for (enum hd_pass_id row = HD_PASS_CALLGRAPH; row < HD_PASS_METADATA; row++) {
		double start = seconds();
		require(&unit, row);
		printf(" %s %.6f", hd_passes[row].name, seconds() - start);
	}
	printf(" kept_bytes %zu grown_kilobytes %ld\n", mallinfo2().uordblks + mallinfo2().hblkhd - before,
	       resident_kilobytes("VmHWM") - resident);
	hd_unit_release(&unit);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	return argc < 2;
}
