/*
 * What NVIDIA's ptxas makes of the same IR, as figures that budgets can name: llc turns the IR that kernel objects hold
 * into PTX, ptxas compiles that, and `-v` says what each function costs.
 *
 * ptxas is looked for where customary: $CUDA_PATH, PATH, /usr/local/cuda. Newer ones know no GPU before sm_75: code for
 * those is compiled for sm_75. Cost: a run of both tools for each object.
 */
#include "tools/heddle/gate/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/figures.h"
#include "lib/child.h"
#include "lib/scratch.h"

enum { OLDEST_OF_ALL = 75 }; /* compute capability that every ptxas from CUDA 10 on takes */

struct ptxas {
	struct hd_arena *arena;
	struct hd_signals *signals;
	struct hd_diag *diag;
	const char *ptxas, *directory;
};

/* ------------------------------------------------------------------ tools */

static const char *find_ptxas(struct hd_arena *arena)
{
	static const char customary[] = "/usr/local/cuda/bin/ptxas";
	const char *toolkit = getenv("CUDA_PATH");
	const char *own = toolkit && toolkit[0] ? hd_arena_printf(arena, "%s/bin/ptxas", toolkit) : NULL;
	if (own && access(own, X_OK) == 0)
		return own;
	char *found = hd_child_find("ptxas");
	if (found) {
		const char *kept = hd_arena_strdup(arena, found);
		free(found);
		return kept;
	}
	return access(customary, X_OK) == 0 ? customary : NULL;
}

/* Runs the words, with what they print in `log`, the shell's word included that they are not there. Their exit status,
 * -1: a signal ended them. */
static int run(const struct ptxas *tool, const char *log, const char *const *words)
{
	HD_VEC(const char *) all = {0};
	hd_vec_push(&all, "sh");
	hd_vec_push(&all, "-c");
	hd_vec_push(&all, "exec \"$@\" >\"$0\" 2>&1");
	hd_vec_push(&all, log);
	for (; *words; words++)
		hd_vec_push(&all, *words);
	hd_vec_push(&all, NULL);
	struct hd_diag silent = hd_diag_silent();
	int status = hd_child_run(tool->signals, (char *const *)all.data, NULL, &silent);
	hd_vec_release(&all);
	return status;
}

/* The function that LLVM was at when it gave up: "Running pass 'NAME' on function '@SYMBOL'"; NULL: it does not say. */
static const struct hd_meta_function *named_in(const struct ptxas *tool, const struct cmd_unit *unit, const char *text)
{
	static const char before[] = " on function '@";
	const char *at = strstr(text, before);
	if (!at)
		return NULL;
	at += strlen(before);
	return hd_metadata_find(&unit->metadata, hd_arena_printf(tool->arena, "%.*s", (int)strcspn(at, "'"), at));
}

static int fail(const struct ptxas *tool, const struct cmd_unit *unit, const char *what, const char *log)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	struct hd_diag silent = hd_diag_silent();
	const char *text = "";
	if (hd_read_file(log, &bytes, &size, &silent) == 0)
		text = hd_arena_printf(tool->arena, "%.*s", (int)size, (const char *)bytes);
	free(bytes);
	int line = (int)strcspn(text, "\n");
	const struct hd_meta_function *function = named_in(tool, unit, text);
	if (!function)
		return hd_error(tool->diag, HD_NOWHERE, "%s: %s: %.*s", unit->path, what, line, text);
	return hd_error(tool->diag, (struct hd_loc){.file = function->source.file, .line = function->source.line},
			"%s: %s, that of %s: %.*s", unit->path, what, function->demangled, line, text);
}

/* ------------------------------------------------------------------ what it says */

static json_t *figures_of(struct gate_subjects *subjects, const struct cmd_unit *unit, const char *name, size_t len)
{
	for (uint32_t i = 0; i < subjects->list.len; i++) {
		const struct gate_subject *subject = &subjects->list.data[i];
		if (subject->unit != unit || strlen(subject->meta->name) != len ||
		    memcmp(subject->meta->name, name, len) != 0)
			continue;
		json_t *figures = (json_t *)subject->figures, *own = json_object_get(figures, "ptxas");
		if (!own) {
			own = json_object();
			json_object_set_new(figures, "ptxas", own);
		}
		return own;
	}
	return NULL;
}

static void set(json_t *figures, const char *key, long long value)
{
	if (figures)
		json_object_set_new(figures, key, json_integer(value));
}

/* Lines of `ptxas -v`: the function, its frame and spills, and of kernels the registers. */
static void read_line(struct gate_subjects *subjects, const struct cmd_unit *unit, const char *line, json_t **current)
{
	static const char function[] = "Function properties for ", entry[] = "Compiling entry function '",
			  used[] = "Used ";
	unsigned long frame, stores, loads;
	const char *at = strstr(line, ": ");
	if (sscanf(line, " %lu bytes stack frame, %lu bytes spill stores, %lu bytes spill loads", &frame, &stores,
		   &loads) == 3) {
		set(*current, "stack_bytes", (long long)frame);
		set(*current, "spill_bytes", (long long)(stores + loads));
		return;
	}
	if (!at)
		return;
	at += 2;
	if (strncmp(at, function, strlen(function)) == 0)
		*current = figures_of(subjects, unit, at + strlen(function), strlen(at + strlen(function)));
	else if (strncmp(at, entry, strlen(entry)) == 0)
		*current = figures_of(subjects, unit, at + strlen(entry), strcspn(at + strlen(entry), "'"));
	else if (strncmp(at, used, strlen(used)) == 0)
		set(*current, "registers", strtol(at + strlen(used), NULL, 10));
}

static int read_log(const struct ptxas *tool, struct gate_subjects *subjects, const struct cmd_unit *unit,
		    const char *log)
{
	uint8_t *bytes;
	size_t size;
	json_t *current = NULL;
	if (hd_read_file(log, &bytes, &size, tool->diag) != 0)
		return -1;
	char *text = hd_arena_printf(tool->arena, "%.*s", (int)size, (const char *)bytes);
	for (char *line; (line = strsep(&text, "\n"));)
		read_line(subjects, unit, line, &current);
	free(bytes);
	return 0;
}

/* ------------------------------------------------------------------ one object */

/* PTX 8.1 is the first with parameters over this; before, the version is what any ptxas knows. */
enum { SMALL_PARAMETERS = 4352 };

static const char *ptx_version(const struct hd_metadata *metadata)
{
	for (uint32_t i = 0; i < metadata->function_count; i++)
		if (metadata->functions[i].kernel && metadata->functions[i].param_bytes > SMALL_PARAMETERS)
			return "-mattr=+ptx81";
	return "-mattr=+ptx75";
}

static int make_ptx(const struct ptxas *tool, const struct cmd_unit *unit, const char *ptx, const char *log)
{
	const char *ir = hd_arena_printf(tool->arena, "%s/unit.bc", tool->directory);
	const char *cpu = hd_arena_printf(tool->arena, "-mcpu=%s", unit->metadata.target);
	const char *const llc[] = {"llc-" HD_LLVM, "-O3", cpu, ptx_version(&unit->metadata), "-o", ptx, ir, NULL};
	if (hd_write_file(ir, unit->object.bitcode, unit->object.bitcode_bytes, tool->diag) != 0)
		return -1;
	return run(tool, log, llc) == 0 ? 0 : fail(tool, unit, "llc-" HD_LLVM " makes no PTX of its IR", log);
}

static bool says(const char *log, const char *what)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	struct hd_diag silent = hd_diag_silent();
	bool found = hd_read_file(log, &bytes, &size, &silent) == 0 && strstr((const char *)bytes, what);
	free(bytes);
	return found;
}

/* Its exit status. Functions that are elsewhere, in other objects or in the device library, are left open with -c. */
static int assemble(const struct ptxas *tool, const struct cmd_unit *unit, const char *target, const char *ptx,
		    const char *log)
{
	struct hd_arena *arena = tool->arena;
	const struct hd_metadata *metadata = &unit->metadata;
	size_t length = 0;
	const char *cap = hd_metadata_parameter(metadata, "maxrregcount", &length);
	bool open = hd_metadata_parameter(metadata, "rdc", &(size_t){0}) != NULL;
	const char *words[10] = {tool->ptxas, "-O3",
				 "-v",	      hd_arena_printf(arena, "-arch=%s", target),
				 "-o",	      hd_arena_printf(arena, "%s/unit.cubin", tool->directory),
				 ptx};
	unsigned count = 7;
	if (cap)
		words[count++] = hd_arena_printf(arena, "-maxrregcount=%.*s", (int)length, cap);
	if (open)
		words[count++] = "-c";
	int status = run(tool, log, words);
	if (status > 0 && !open && says(log, "Unresolved extern function")) {
		words[count++] = "-c";
		status = run(tool, log, words);
	}
	return status;
}

static int compile(const struct ptxas *tool, const struct cmd_unit *unit, const char *log)
{
	const char *target = unit->metadata.target, *ptx = hd_arena_printf(tool->arena, "%s/unit.ptx", tool->directory);
	unsigned long number = strtoul(target + strcspn(target, "0123456789"), NULL, 10);
	if (make_ptx(tool, unit, ptx, log) != 0)
		return -1;
	int status = assemble(tool, unit, target, ptx, log);
	if (status > 0 && number < OLDEST_OF_ALL)
		status = assemble(tool, unit, hd_arena_printf(tool->arena, "sm_%d", OLDEST_OF_ALL), ptx, log);
	return status == 0 ? 0 : fail(tool, unit, "ptxas does not take it", log);
}

static int measure_unit(const struct ptxas *tool, struct gate_subjects *subjects, const struct cmd_unit *unit)
{
	const char *log = hd_arena_printf(tool->arena, "%s/log", tool->directory);
	if (!unit->has_code || !unit->object.bitcode_bytes)
		return hd_error(tool->diag, HD_NOWHERE,
				"%s: contains no IR for ptxas (give the kernel object or the program)", unit->path);
	return compile(tool, unit, log) == 0 ? read_log(tool, subjects, unit, log) : -1;
}

int gate_ptxas_measure(struct gate_subjects *subjects, const struct cmd_input *input, struct hd_diag *diag)
{
	struct hd_arena arena;
	struct hd_signals signals;
	int status = 0;
	hd_arena_init(&arena);
	hd_signals_hold(&signals);
	struct hd_scratch folder;
	struct ptxas tool = {.arena = &arena, .signals = &signals, .diag = diag, .ptxas = find_ptxas(&arena)};
	if (!tool.ptxas)
		status = hd_error(diag, HD_NOWHERE,
				  "--with-ptxas: no ptxas in $CUDA_PATH/bin, PATH or /usr/local/cuda/bin");
	else if ((status = hd_scratch_make(&folder, "heddle", &arena, diag)) == 0) {
		tool.directory = folder.path;
		for (uint32_t i = 0; status == 0 && i < input->units.len; i++)
			status = measure_unit(&tool, subjects, &input->units.data[i]);
		hd_scratch_release(&folder);
	}
	hd_signals_release(&signals);
	hd_arena_release(&arena);
	return status;
}
