/*
 * heddle corun: kernels beside each other on one simulated GPU, each launched again when it has ended until a window of
 * cycles has passed, as co-run experiments want it (Lin, 4.3.1): how much slower is each than alone, and what is that
 * together. A kernel is a launch file (spec.h) that names its object; each has a stream, a priority and buffers of its
 * own in the one device memory.
 *
 * Alone a kernel runs as long as the window, greedy then oldest as in the paper, once for all policies.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/policy.h"
#include "tools/heddle/best.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/corun_figures.h"
#include "tools/heddle/kernel.h"
#include "tools/heddle/run_options.h"
#include "tools/heddle/run_slots.h"
#include "tools/heddle/run_table.h"

enum { MOST_KERNELS = 4, FIRST_STREAM = 1 };

#define DEFAULT_CYCLES "1000000"
#define DEFAULT_ALONE "scheduler=gto"

enum { CORUN_CYCLES = RUN_OWN_KEYS, CORUN_NO_ALONE, CORUN_ALONE_SET, CORUN_ALONE_POLICY };

static const struct argp_option options[] = {
#include "tools/heddle/run_options.def"
	{"corun-cycles", CORUN_CYCLES, "N", 0,
	 "launch each again when it has ended, until N cycles have passed (default " DEFAULT_CYCLES "; 0: each once)",
	 0},
	{"no-alone", CORUN_NO_ALONE, NULL, 0, "do not run each alone, too: no slowdowns and speedups", 0},
	{"alone-set", CORUN_ALONE_SET, "KEY=VALUE", 0,
	 "change a configuration key where each runs alone (default " DEFAULT_ALONE ")", 0},
	{"alone-policy", CORUN_ALONE_POLICY, "NAME", 0, "hardware design where each runs alone (default baseline)", 0},
	{0}};

struct corun {
	struct run_options options;
	HD_VEC(const char *) alone_sets;
	const char *alone_policy, *cycles;
	bool no_alone;
	char **files;
	uint32_t count;
	struct kernel_run kernels[MOST_KERNELS];
	struct hd_config config, alone_config;
	struct hd_strbuf title;
	uint32_t done; /* policies */
	struct hd_diag *diag;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct corun *corun = state->input;
	switch (key) {
	case CORUN_CYCLES: corun->cycles = arg; break;
	case CORUN_NO_ALONE: corun->no_alone = true; break;
	case CORUN_ALONE_SET: hd_vec_push(&corun->alone_sets, arg); break;
	case CORUN_ALONE_POLICY: corun->alone_policy = arg; break;
	case ARGP_KEY_ARGS:
		corun->files = state->argv + state->next;
		corun->count = (uint32_t)(state->argc - state->next);
		break;
	case ARGP_KEY_END:
		if (corun->count < 2 || corun->count > MOST_KERNELS)
			argp_error(state, "two to four launch files run beside each other, not %u", corun->count);
		break;
	default: return run_options_parse(&corun->options, key, arg);
	}
	return 0;
}

/* ---- what the user asks for */

static int check_policies(const struct corun *corun)
{
	int status = 0;
	for (uint32_t i = 0; i < corun->options.policies.len; i++) {
		const char *policy = corun->options.policies.data[i];
		if (!strncmp(policy, "best-", 5) || strstr(policy, "+best-"))
			status = hd_error(
				corun->diag, HD_NOWHERE,
				"%s: best- looks for the fewest cycles, and a co-run has as many as its window",
				policy);
		else if (!hd_policy_runs_several(policy))
			status = hd_error(corun->diag, HD_NOWHERE,
					  "policy %s has one kernel at a time on the GPU: nothing runs beside another",
					  policy);
	}
	return status;
}

static int check_alone(struct corun *corun)
{
	int status = 0;
	corun->alone_config = corun->config;
	if (!corun->alone_sets.len)
		hd_vec_push(&corun->alone_sets, DEFAULT_ALONE);
	for (uint32_t i = 0; i < corun->alone_sets.len; i++)
		if (hd_config_set(&corun->alone_config, corun->alone_sets.data[i], corun->diag))
			status = -1;
	if (!status && hd_config_check(&corun->alone_config, corun->diag))
		status = -1;
	return hd_policy_check(corun->alone_policy, corun->diag) ? -1 : status;
}

static int check_cycles(struct corun *corun)
{
	char *end;
	errno = 0;
	uint64_t cycles = strtoull(corun->cycles, &end, 10);
	if (errno || *end || end == corun->cycles || *corun->cycles == '-')
		return hd_error(corun->diag, HD_NOWHERE, "--corun-cycles needs a number, not '%s'", corun->cycles);
	corun->options.corun_cycles = cycles ? corun->cycles : NULL;
	return 0;
}

/* Two kernels that write their results into one file would leave those of one. */
static int check_output(struct corun *corun, uint32_t kernel, const struct spec_data *data)
{
	for (uint32_t i = 0; data->output && i < kernel; i++) {
		const struct spec *other = &corun->kernels[i].spec;
		for (uint32_t k = 0; k < other->args.len + other->symbols.len; k++) {
			const struct spec_data *theirs =
				k < other->args.len ? &other->args.data[k] : &other->symbols.data[k - other->args.len];
			if (theirs->output && !strcmp(theirs->output, data->output))
				return hd_error(corun->diag,
						(struct hd_loc){corun->files[kernel], data->output_line, 0},
						"output %s is that of %s, too", data->output, corun->files[i]);
		}
	}
	return 0;
}

static int load(struct corun *corun, uint32_t i)
{
	struct kernel_run *kernel = &corun->kernels[i];
	int status = kernel_load(kernel, NULL, NULL, corun->files[i], corun->diag);
	if (!status && kernel->spec.cooperative)
		status = hd_error(corun->diag, (struct hd_loc){corun->files[i], 0, 0},
				  "a cooperative kernel has the GPU to itself: nothing runs beside it");
	for (uint32_t k = 0; !status && k < kernel->spec.args.len; k++)
		status = check_output(corun, i, &kernel->spec.args.data[k]);
	for (uint32_t k = 0; !status && k < kernel->spec.symbols.len; k++)
		status = check_output(corun, i, &kernel->spec.symbols.data[k]);
	return status;
}

/* ---- the runs */

static int run_alone(struct corun *corun, uint32_t i, json_t *alone)
{
	struct hd_sim_options options =
		run_options_sim(&corun->options, &corun->alone_config, corun->alone_policy, corun->diag);
	char *text;
	options.verify = options.profile = options.blame = options.dump_state = false;
	options.sample = 0;
	options.trace = NULL;
	int status = kernels_run(&corun->kernels[i], 1, FIRST_STREAM + i, &options, KERNEL_FORGET, &text);
	json_t *statistics = text ? json_loads(text, 0, NULL) : NULL;
	if (!status)
		corun_figures_alone(alone, corun->files[i], statistics);
	json_decref(statistics);
	free(text);
	return status;
}

static struct run_statistics *run_policy(void *context, const char *policy, int *status)
{
	struct corun *corun = context;
	struct hd_sim_options options = run_options_sim(&corun->options, &corun->config, policy, corun->diag);
	char *text;
	bool print = corun->done++ == 0 && !corun->options.json;
	*status = kernels_run(corun->kernels, corun->count, FIRST_STREAM, &options,
			      print ? KERNEL_PRINT : KERNEL_COMPARE, &text);
	struct run_statistics *statistics = run_statistics_of(text, corun->diag);
	free(text);
	return statistics;
}

/* Runs each alone, and all under each policy, until a run fails. The exit status. */
static int run_all(struct corun *corun, struct run_statistics **stats)
{
	const struct run_options *options = &corun->options;
	json_t *alone = corun->no_alone ? NULL : corun_figures_new(corun->alone_policy);
	int status = 0;
	for (uint32_t i = 0; alone && i < corun->alone_sets.len; i++)
		corun_figures_setting(alone, corun->alone_sets.data[i]);
	for (uint32_t i = 0; alone && i < corun->count && !status; i++)
		status = run_alone(corun, i, alone);
	for (uint32_t i = 0; i < options->policies.len && !status; i++)
		stats[i] = best_run(options->policies.data[i], run_policy, corun, &status);
	for (uint32_t i = 0; i < options->policies.len; i++)
		if (stats[i]) {
			run_slots_choose(stats[i]->document, options->by_line, options->by_instruction);
			corun_figures_add(stats[i], (const char *const *)corun->files, corun->count, FIRST_STREAM,
					  alone);
		}
	json_decref(alone);
	return status;
}

static int prepare(struct corun *corun)
{
	int status = run_options_check(&corun->options, &corun->config, corun->diag);
	if (check_cycles(corun))
		status = -1;
	if (!status && (check_policies(corun) || check_alone(corun)))
		status = -1;
	for (uint32_t i = 0; i < corun->count && !status; i++) {
		hd_strbuf_printf(&corun->title, "%s%s", i ? ", " : "", corun->files[i]);
		status = load(corun, i);
	}
	corun->options.title = hd_strbuf_text(&corun->title);
	return status;
}

int cmd_corun(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"A.ini B.ini [C.ini [D.ini]]",
		"Runs two to four kernels beside each other on one simulated GPU, once for each --policy. Each is a "
		"launch file as 'heddle run --kernel' takes it, and is launched again when it has ended, until "
		"--corun-cycles have passed. Prints what each came to in these cycles, and how much slower than alone "
		"that is; with the harmonic and the weighted speedup of all.\v"
		"A launch file names its kernel: [launch] with file = PATH (.hdo, .ll or .bc, relative to the launch "
		"file), kernel = NAME where the file has several, and priority = N of its stream (the smaller goes "
		"first); grid, block, arguments and device variables as 'heddle run --help' says. Results are "
		"printed, written and compared when all have ended.\n\n"
		"Speedups are of instructions a cycle over those alone: harmonic is their harmonic mean, weighted "
		"their sum.\n\n"
		"Exit status: 1 when a comparison differs; 2 when the simulated GPU reports a fault or the input is "
		"wrong.",
		NULL,
		NULL,
		NULL};
	struct hd_diag diag = {.tool = "heddle corun"};
	struct corun corun = {.options.gpu = "v100",
			      .cycles = DEFAULT_CYCLES,
			      .alone_policy = "baseline",
			      .diag = &diag};
	cmd_parse(&argp, argc, argv, 0, &corun);
	run_options_finish(&corun.options);
	uint32_t policies = corun.options.policies.len;
	struct run_statistics **stats = hd_xcalloc(policies, sizeof(*stats));
	int status = prepare(&corun) ? CMD_ERROR : run_all(&corun, stats);
	int report_status = run_report(&corun.options, stats, &diag);
	for (uint32_t i = 0; i < policies; i++)
		run_statistics_free(stats[i]);
	for (uint32_t i = 0; i < corun.count; i++)
		kernel_release(&corun.kernels[i]);
	free(stats);
	hd_strbuf_release(&corun.title);
	hd_vec_release(&corun.alone_sets);
	run_options_release(&corun.options);
	return status ? status : report_status;
}
