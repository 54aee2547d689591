/*
 * heddle info --intervals: how long register-intervals are where it counts, in a run (ltrf-asplos18, 6.5 and
 * Table 4). Reads the text of `heddle trace issue` and the object with its intervals:
 *
 *   real      instructions of a warp between one PREFETCH and the next: a warp that comes into an
 *             interval from elsewhere, be it a callee or the other side of a branch, fetches its set
 *   optimal   the longest runs of a warp's instructions, whatever the control flow, that need at
 *             most N registers; each is taken as long as it goes, which gives the fewest
 *
 * Instructions of device functions count for the kernel that their warp runs. One pass over the
 * trace; keeps a record for each warp slot.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/machine/regset.h"
#include "lib/metadata/json.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/info_intervals.h"

struct options {
	const char *object, *trace;
	bool json;
};

/* A function of the inputs, and what its warps did when it is a kernel. */
struct function {
	const struct hd_function *code;
	const struct hd_meta_function *meta;
	uint32_t *interval; /* of each instruction */
	uint64_t instructions, prefetches, best_prefetches;
};

struct warp {
	const struct function *in; /* NULL: nothing ran in this slot */
	struct function *kernel;
	uint32_t cta, index, inst; /* the last instruction's */
	struct hd_regset run;	   /* registers of the optimal interval that is open */
};

enum { MOST_SMS = 4096, MOST_WARPS = 128 };

struct sm {
	struct warp warps[MOST_WARPS];
};

struct tracing {
	const struct options *options;
	struct hd_arena arena;
	HD_VEC(struct function) functions; /* by name */
	struct sm *sms[MOST_SMS];
	uint64_t lines;
};

/* ---- functions */

static int by_name(const void *a, const void *b)
{
	const struct function *left = a, *right = b;
	return strcmp(left->meta->name, right->meta->name);
}

static void add_function(struct tracing *tracing, const struct hd_function *code, const struct hd_metadata *metadata)
{
	struct function function = {.code = code, .meta = hd_metadata_find(metadata, code->name)};
	if (!function.meta || !function.meta->interval_count)
		return;
	function.interval = HD_ARENA_NEW(&tracing->arena, uint32_t, code->inst_count);
	for (uint32_t i = 0; i < function.meta->interval_count; i++) {
		const struct hd_meta_interval *interval = &function.meta->intervals[i];
		for (uint32_t p = 0; p < interval->pc_count; p++)
			if (interval->pcs[p] / HD_INST_BYTES < code->inst_count)
				function.interval[interval->pcs[p] / HD_INST_BYTES] = i;
	}
	hd_vec_push(&tracing->functions, function);
}

static void add_functions(struct tracing *tracing, const struct cmd_input *input)
{
	for (uint32_t u = 0; u < input->units.len; u++) {
		const struct cmd_unit *unit = &input->units.data[u];
		for (uint32_t f = 0; f < unit->object.function_count; f++)
			add_function(tracing, &unit->object.functions[f], &unit->metadata);
	}
	if (tracing->functions.len)
		qsort(tracing->functions.data, tracing->functions.len, sizeof(struct function), by_name);
}

static struct function *find_function(struct tracing *tracing, const char *name)
{
	uint32_t at, count = tracing->functions.len;
	struct function *functions = tracing->functions.data;
	HD_BISECT(at, 0, count, strcmp(functions[at].meta->name, name) < 0);
	return at < count && !strcmp(functions[at].meta->name, name) ? &functions[at] : NULL;
}

/* ---- one instruction of a warp */

static struct hd_regset registers_of(const struct hd_inst *inst)
{
	struct hd_regset set, writes;
	hd_inst_reads(inst, &set);
	hd_inst_writes(inst, &writes);
	hd_regset_union(&set, &writes);
	set.preds = 0;
	return set;
}

/* The slot may hold a new warp: its kernel begins again, and not because it branched there. */
static bool begins(const struct warp *warp, const struct function *function, uint32_t inst, uint32_t cta,
		   uint32_t index)
{
	if (!warp->in || warp->cta != cta || warp->index != index)
		return true;
	return !inst && function->code->kernel &&
	       !(hd_opinfo[warp->in->code->insts[warp->inst].op].effects & HD_FX_BRANCH);
}

static void count_real(struct warp *warp, const struct function *function, uint32_t inst, bool begin)
{
	const struct hd_meta_interval *interval = &function->meta->intervals[function->interval[inst]];
	struct hd_regset set = {0};
	bool same = !begin && warp->in == function && function->interval[warp->inst] == function->interval[inst] &&
		    !(hd_opinfo[function->code->insts[warp->inst].op].effects & HD_FX_RET);
	memcpy(set.regs, interval->working_set, sizeof(set.regs));
	warp->kernel->prefetches += !same && hd_regset_count(&set);
}

static void count_optimal(struct warp *warp, const struct hd_inst *inst, bool begin)
{
	struct hd_regset own = registers_of(inst), both = own;
	hd_regset_union(&both, &warp->run);
	if (!begin && hd_regset_count(&both) <= warp->kernel->meta->interval_registers) {
		warp->run = both;
		return;
	}
	warp->run = own;
	warp->kernel->best_prefetches++;
}

static void issue(struct warp *warp, struct function *function, uint32_t inst, uint32_t cta, uint32_t index)
{
	bool begin = begins(warp, function, inst, cta, index);
	if (begin)
		warp->kernel = function;
	warp->kernel->instructions++;
	count_real(warp, function, inst, begin);
	count_optimal(warp, &function->code->insts[inst], begin);
	warp->in = function;
	warp->inst = inst;
	warp->cta = cta;
	warp->index = index;
}

/* ---- the trace */

static int bad_line(const struct tracing *tracing, const char *what, const char *name)
{
	return cmd_error("%s:%" PRIu64 ": %s '%s' of %s", tracing->options->trace, tracing->lines, what, name,
			 tracing->options->object);
}

/* Lines of other streams and what the program printed are passed over. 0 or CMD_ERROR. */
static int read_line(struct tracing *tracing, char *line)
{
	unsigned sm, slot, cta, index, pc;
	int end = 0;
	if (sscanf(line, "%*u issue sm %u warp %u cta %u.%u in %n", &sm, &slot, &cta, &index, &end) != 4 || !end)
		return 0;
	char *name = line + end, *space = strchr(name, ' ');
	if (!space || sscanf(space, " pc 0x%x", &pc) != 1)
		return 0;
	*space = '\0';
	struct function *function = find_function(tracing, name);
	if (!function)
		return bad_line(tracing, "there is no function", name);
	if (pc / HD_INST_BYTES >= function->code->inst_count || sm >= MOST_SMS || slot >= MOST_WARPS)
		return bad_line(tracing, "this is not a trace of", name);
	if (!tracing->sms[sm])
		tracing->sms[sm] = HD_ARENA_NEW(&tracing->arena, struct sm, 1);
	issue(&tracing->sms[sm]->warps[slot], function, pc / HD_INST_BYTES, cta, index);
	return 0;
}

static int read_trace(struct tracing *tracing, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	int status = CMD_OK;
	while (status == CMD_OK && getline(&line, &size, file) >= 0) {
		tracing->lines++;
		status = read_line(tracing, line);
	}
	/* Memory may run out as well, which ferror() does not tell. */
	if (status == CMD_OK && !feof(file))
		status = cmd_error("%s: %s", tracing->options->trace, strerror(errno));
	free(line);
	return status;
}

/* ---- what came out */

static double length(uint64_t instructions, uint64_t prefetches)
{
	return prefetches ? (double)instructions / (double)prefetches : 0;
}

/* Table 4: over the kernels that ran. */
struct summary {
	unsigned kernels;
	double sum, least, most;
};

static void add_length(struct summary *summary, double value)
{
	summary->sum += value;
	summary->least = !summary->kernels || value < summary->least ? value : summary->least;
	summary->most = value > summary->most ? value : summary->most;
	summary->kernels++;
}

static json_t *summary_json(const struct summary *summary)
{
	json_t *object = json_object();
	json_object_set_new(object, "average", json_real(summary->kernels ? summary->sum / summary->kernels : 0));
	json_object_set_new(object, "minimum", json_real(summary->least));
	json_object_set_new(object, "maximum", json_real(summary->most));
	return object;
}

static json_t *kernel_json(const struct function *kernel)
{
	json_t *object = json_object();
	json_object_set_new(object, "name", hd_json_text(kernel->meta->name));
	json_object_set_new(object, "demangled", hd_json_text(kernel->meta->demangled));
	json_object_set_new(object, "interval_registers", json_integer(kernel->meta->interval_registers));
	json_object_set_new(object, "warp_instructions", json_integer((json_int_t)kernel->instructions));
	json_object_set_new(object, "prefetches", json_integer((json_int_t)kernel->prefetches));
	json_object_set_new(object, "optimal_prefetches", json_integer((json_int_t)kernel->best_prefetches));
	json_object_set_new(object, "real_length", json_real(length(kernel->instructions, kernel->prefetches)));
	json_object_set_new(object, "optimal_length", json_real(length(kernel->instructions, kernel->best_prefetches)));
	return object;
}

static void print_kernel(const struct function *kernel)
{
	double real = length(kernel->instructions, kernel->prefetches);
	double best = length(kernel->instructions, kernel->best_prefetches);
	printf("%4u %12" PRIu64 " %11" PRIu64 " %8.1f %8.1f %6.0f %%  %s\n", kernel->meta->interval_registers,
	       kernel->instructions, kernel->prefetches, real, best, best > 0 ? 100 * real / best : 0,
	       kernel->meta->demangled);
}

static void print_summary(const char *what, const struct summary *summary)
{
	printf("%-8s average %.1f, minimum %.1f, maximum %.1f\n", what,
	       summary->kernels ? summary->sum / summary->kernels : 0, summary->least, summary->most);
}

static int report(const struct tracing *tracing)
{
	struct summary real = {0}, best = {0};
	json_t *kernels = tracing->options->json ? json_array() : NULL;
	if (!kernels)
		printf("%4s %12s %11s %8s %8s %8s  %s\n", "N", "instructions", "PREFETCHes", "real", "optimal", "",
		       "kernel");
	for (uint32_t i = 0; i < tracing->functions.len; i++) {
		const struct function *kernel = &tracing->functions.data[i];
		if (!kernel->instructions)
			continue;
		add_length(&real, length(kernel->instructions, kernel->prefetches));
		add_length(&best, length(kernel->instructions, kernel->best_prefetches));
		if (kernels)
			json_array_append_new(kernels, kernel_json(kernel));
		else
			print_kernel(kernel);
	}
	if (!kernels) {
		print_summary("real", &real);
		print_summary("optimal", &best);
		return CMD_OK;
	}
	json_t *document = json_object();
	json_object_set_new(document, "kernels", kernels);
	json_object_set_new(document, "real", summary_json(&real));
	json_object_set_new(document, "optimal", summary_json(&best));
	return cmd_print_json(document);
}

/* ---- the command */

static int trace(struct options *options, const struct cmd_input *input)
{
	struct tracing *tracing = hd_xcalloc(1, sizeof(*tracing));
	bool standard = strcmp(options->trace, "-") == 0;
	FILE *file = standard ? stdin : fopen(options->trace, "r");
	tracing->options = options;
	hd_arena_init(&tracing->arena);
	int status = file ? CMD_OK : cmd_error("%s: %s", options->trace, strerror(errno));
	options->trace = standard ? "standard input" : options->trace;
	if (file) {
		add_functions(tracing, input);
		status = read_trace(tracing, file);
		bool any = false;
		for (uint32_t i = 0; i < tracing->functions.len; i++)
			any |= tracing->functions.data[i].instructions != 0;
		if (status == CMD_OK)
			status = any ? report(tracing)
				     : cmd_error("%s: no instructions; `heddle trace issue PROGRAM` prints them",
						 options->trace);
	}
	if (file && !standard)
		fclose(file);
	hd_vec_release(&tracing->functions);
	hd_arena_release(&tracing->arena);
	free(tracing);
	return status;
}

int info_intervals(const char *object, const char *trace_path, bool json)
{
	struct options options = {object, trace_path, json};
	struct hd_diag diag = {.tool = "heddle"};
	struct cmd_input input;
	cmd_input_init(&input, true);
	int status = cmd_input_load(&input, options.object, &diag) == 0 ? trace(&options, &input) : CMD_ERROR;
	cmd_input_release(&input);
	return status;
}
