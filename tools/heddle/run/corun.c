/*
 * heddle corun: kernels or programs beside each other on one simulated GPU, each again when it has ended until a window
 * of cycles has passed, as co-run experiments want it (Lin, 4.3.1): how much slower is each than alone, and what is
 * that together. A kernel is a launch file (spec.h) that names its object, a program a recording (lib/recording.h), or
 * a command line that is recorded first. Each has a stream and memory of its own in the one device memory.
 *
 * Alone each runs as long as the window, greedy then oldest as in the paper, once for all policies.
 */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/policy.h"
#include "lib/child.h"
#include "lib/scratch.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/run/corun_figures.h"
#include "tools/heddle/run/kernel.h"
#include "tools/heddle/run/options.h"
#include "tools/heddle/run/replay.h"
#include "tools/heddle/run/slots.h"
#include "tools/heddle/run/table.h"

enum { MOST = 4, FIRST_STREAM = HD_CORUN_FIRST_STREAM };

#define DEFAULT_CYCLES "1000000"
#define DEFAULT_ALONE "scheduler=gto"

enum {
	CORUN_CYCLES = RUN_OWN_KEYS,
	CORUN_NO_ALONE,
	CORUN_ALONE_SET,
	CORUN_ALONE_POLICY,
	CORUN_ARRIVALS,
	CORUN_ARRIVAL_SEED,
	CORUN_PRIORITIES
};

static const struct argp_option options[] = {
#include "tools/heddle/run/options.def"
	{"corun-cycles", CORUN_CYCLES, "N", 0,
	 "relaunch each kernel or program when it ends, until N cycles have passed (default " DEFAULT_CYCLES
	 "; 0: run each once)",
	 0},
	{"no-alone", CORUN_NO_ALONE, NULL, 0, "do not run each kernel alone; prints no slowdowns and speedups", 0},
	{"alone-set", CORUN_ALONE_SET, "KEY=VALUE", 0,
	 "change a configuration key for the runs alone (default " DEFAULT_ALONE ")", 0},
	{"alone-policy", CORUN_ALONE_POLICY, "NAME", 0, "hardware design for the runs alone (default baseline)", 0},
	{"arrivals", CORUN_ARRIVALS, "poisson:US,...|every:US,...|FILE", 0,
	 "programs serve requests, one pass each: US microseconds between those of each program, on average or always, "
	 "or "
	 "a FILE with a line for each, its time in microseconds and the program's number; those of the first "
	 "--corun-cycles are served",
	 0},
	{"arrival-seed", CORUN_ARRIVAL_SEED, "N", 0, "seed of poisson arrivals (default 1)", 0},
	{"priorities", CORUN_PRIORITIES, "N,...", 0,
	 "stream priorities of the programs (smaller goes first; default: as recorded)", 0},
	{0}};

struct corun {
	struct run_options options;
	HD_VEC(const char *) alone_sets;
	const char *alone_policy, *cycles, *seed, *priorities;
	struct requests requests; /* without a spec: programs restart until the window ends */
	bool no_alone;
	char **words; /* behind the options */
	uint32_t word_count;
	const char *files[MOST]; /* of what runs beside each other */
	uint32_t count;
	bool programs;		 /* recordings; else launch files */
	const char *names[MOST]; /* of programs that are recorded here; NULL: what the recording says */
	struct kernel_run kernels[MOST];
	struct replay replays[MOST];
	struct hd_config config, alone_config;
	struct hd_arena arena;
	struct hd_strbuf title;
	json_t *alone; /* NULL: not wanted */
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
	case CORUN_ARRIVALS: corun->requests.spec = arg; break;
	case CORUN_ARRIVAL_SEED: corun->seed = arg; break;
	case CORUN_PRIORITIES: corun->priorities = arg; break;
	case ARGP_KEY_ARGS:
		corun->words = state->argv + state->next;
		corun->word_count = (uint32_t)(state->argc - state->next);
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "missing programs; usage: heddle corun [OPTION...] A B"); break;
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
				"%s: best- searches for the fewest cycles, but the window fixes the cycles of a co-run",
				policy);
		else if (!hd_policy_runs_several(policy))
			status = hd_error(corun->diag, HD_NOWHERE,
					  "policy %s runs one kernel at a time, but a co-run needs several", policy);
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
	uint64_t cycles;
	if (!run_number(corun->cycles, &cycles))
		return hd_error(corun->diag, HD_NOWHERE, "--corun-cycles needs a number, not '%s'", corun->cycles);
	corun->requests.window = cycles;
	corun->options.corun_cycles = cycles && !corun->requests.spec ? corun->cycles : NULL;
	return 0;
}

static int check_requests(struct corun *corun)
{
	corun->requests.cycles_per_us = corun->config.core_mhz;
	if (!run_number(corun->seed, &corun->requests.seed))
		return hd_error(corun->diag, HD_NOWHERE, "--arrival-seed needs a number, not '%s'", corun->seed);
	corun->no_alone |= corun->requests.spec != NULL;
	return 0;
}

/* Two kernels that write their results into one file would leave those of one. */
static int check_output(struct corun *corun, uint32_t kernel, const struct spec_data *data)
{
	for (uint32_t i = 0; data->output && i < kernel; i++)
		if (spec_writer(&corun->kernels[i].spec, data->output, NULL))
			return hd_error(corun->diag, (struct hd_loc){corun->files[kernel], data->output_line, 0},
					"output %s is also an output of %s", data->output, corun->files[i]);
	return 0;
}

static int load_kernel(struct corun *corun, uint32_t i)
{
	struct kernel_run *kernel = &corun->kernels[i];
	int status = kernel_load(kernel, NULL, NULL, corun->files[i], NULL, &corun->config, corun->diag);
	if (!status && kernel->spec.cooperative)
		status = hd_error(corun->diag, (struct hd_loc){corun->files[i], 0, 0},
				  "a cooperative kernel cannot run concurrently with others");
	const struct spec_data *data;
	for (uint32_t k = 0; !status && (data = spec_nth(&kernel->spec, k)); k++)
		status = check_output(corun, i, data);
	return status ? status : kernel_check_outputs(kernel, &corun->options, corun->diag);
}

static bool is_recording(const char *path)
{
	const char *end = strrchr(path, '.');
	return end && !strcmp(end, ".run");
}

/* What launch files have no use for. */
static int check_for_programs(const struct corun *corun)
{
	const char *option = corun->requests.spec ? "--arrivals" : corun->priorities ? "--priorities" : NULL;
	if (!option)
		return 0;
	return hd_error(corun->diag, HD_NOWHERE, "%s is for programs and recordings, not for launch files", option);
}

static int take_priorities(struct corun *corun)
{
	const char *text = corun->priorities;
	for (uint32_t i = 0; text && i < corun->count; i++) {
		char *end;
		errno = 0;
		long value = strtol(text, &end, 10);
		if (errno || end == text || value < INT16_MIN || value > INT16_MAX ||
		    *end != (i + 1 < corun->count ? ',' : '\0'))
			return hd_error(corun->diag, HD_NOWHERE, "--priorities needs %u numbers, as in 0,1, not '%s'",
					corun->count, corun->priorities);
		corun->replays[i].prioritised = true;
		corun->replays[i].priority = (int)value;
		text = end + 1;
	}
	return 0;
}

static int take_requests(struct corun *corun)
{
	if (!corun->requests.spec)
		return 0;
	for (uint32_t i = 0; i < corun->count; i++)
		if (!corun->replays[i].recording.launches.len)
			return hd_error(corun->diag, HD_NOWHERE, "%s: no launch that could serve a request",
					corun->replays[i].recording.path);
	if (requests_read(&corun->requests, corun->count, corun->diag))
		return -1;
	for (uint32_t i = 0; i < corun->count; i++) {
		corun->replays[i].serves = true;
		corun->replays[i].requests = corun->requests.of[i].data;
		corun->replays[i].request_count = corun->requests.of[i].len;
	}
	return 0;
}

static int load(struct corun *corun)
{
	int status = 0;
	corun->programs = is_recording(corun->files[0]);
	for (uint32_t i = 0; i < corun->count && !status; i++) {
		if (is_recording(corun->files[i]) != corun->programs)
			return hd_error(corun->diag, HD_NOWHERE,
					"%s and %s: recordings (.run) and launch files cannot be combined",
					corun->files[0], corun->files[i]);
		status = corun->programs ? replay_load(&corun->replays[i], corun->files[i], corun->diag)
					 : load_kernel(corun, i);
	}
	if (status || !corun->programs)
		return status || check_for_programs(corun) ? -1 : 0;
	return take_priorities(corun) || take_requests(corun) ||
			       replays_check(corun->replays, corun->count, &corun->config, corun->diag)
		       ? -1
		       : 0;
}

/* ---- the runs */

static int priority_of(const struct replay *replay)
{
	return replay->prioritised || !replay->recording.launches.len ? replay->priority
								      : replay->recording.launches.data[0].priority;
}

/* The next figures of `each`, with what they are of. */
static void take_figures(struct corun *corun, json_t *each, const json_t *statistics, uint32_t i)
{
	const struct replay *replay = &corun->replays[i];
	json_t *figures = corun_figures_of(statistics, FIRST_STREAM + i, corun->programs ? replay->first : 0);
	json_object_set_new(figures, "stream", json_integer(FIRST_STREAM + i));
	if (corun->programs) {
		json_object_set_new(figures, "recording", json_string(corun->files[i]));
		json_object_set_new(figures, "program", json_string(replay->recording.program));
		json_object_set_new(figures, "priority", json_integer(priority_of(replay)));
		json_object_set_new(figures, "passes", json_integer((json_int_t)replay->passes));
		json_object_set_new(figures, "first_pass_cycles",
				    replay->first ? json_integer((json_int_t)replay->first) : json_null());
	} else {
		json_object_set_new(figures, "launch", json_string(corun->files[i]));
	}
	json_array_append_new(each, figures);
}

static int run_alone(struct corun *corun, uint32_t i)
{
	struct hd_sim_options options =
		run_options_sim(&corun->options, &corun->alone_config, corun->alone_policy, corun->diag);
	char *text;
	options.verify = options.profile = options.blame = options.dump_state = false;
	options.sample = 0;
	options.trace = NULL;
	int status = corun->programs
			     ? replays_run(&corun->replays[i], 1, FIRST_STREAM + i, &options, false, &text)
			     : kernels_run(&corun->kernels[i], 1, FIRST_STREAM + i, &options, KERNEL_FORGET, &text);
	json_t *statistics = text ? json_loads(text, 0, NULL) : NULL;
	if (!status)
		take_figures(corun, json_object_get(corun->alone, "each"), statistics, i);
	json_decref(statistics);
	free(text);
	return status;
}

static struct run_statistics *run_policy(struct corun *corun, const char *policy, int *status)
{
	struct hd_sim_options options = run_options_sim(&corun->options, &corun->config, policy, corun->diag);
	char *text;
	bool print = corun->done++ == 0 && !corun->options.json;
	if (corun->programs)
		*status =
			replays_run(corun->replays, corun->count, FIRST_STREAM, &options, corun->options.verify, &text);
	else
		*status = kernels_run(corun->kernels, corun->count, FIRST_STREAM, &options,
				      print ? KERNEL_PRINT : KERNEL_COMPARE, &text);
	struct run_statistics *statistics =
		run_statistics_of(text, run_options_want_launches(&corun->options), corun->diag);
	json_t *whole = text ? json_loads(text, 0, NULL) : NULL, *each = json_array();
	for (uint32_t i = 0; whole && i < corun->count; i++)
		take_figures(corun, each, whole, i);
	if (statistics && corun->requests.spec)
		requests_add(statistics->document, &corun->requests, each);
	if (statistics && !corun->requests.spec)
		corun_figures_add(statistics->document, corun->programs ? "programs" : "kernels", each, corun->alone);
	else
		json_decref(each);
	json_decref(whole);
	free(text);
	return statistics;
}

static json_t *alone_object(const struct corun *corun)
{
	json_t *settings = json_array();
	for (uint32_t i = 0; i < corun->alone_sets.len; i++)
		json_array_append_new(settings, json_string(corun->alone_sets.data[i]));
	return json_pack("{s:s, s:o, s:[]}", "policy", corun->alone_policy, "settings", settings, "each");
}

/* Runs each alone, and all under each policy, until a run fails. The exit status. */
static int run_all(struct corun *corun, struct run_statistics **stats)
{
	const struct run_options *options = &corun->options;
	int status = 0;
	if (!corun->no_alone)
		corun->alone = alone_object(corun);
	for (uint32_t i = 0; corun->alone && i < corun->count && !status; i++)
		status = run_alone(corun, i);
	for (uint32_t i = 0; i < options->policies.len && !status; i++)
		stats[i] = run_policy(corun, options->policies.data[i], &status);
	for (uint32_t i = 0; i < options->policies.len; i++)
		if (stats[i])
			run_slots_choose(stats[i]->document, options->by_line, options->by_instruction);
	return status;
}

/* ---- programs that are recorded first */

/* The words of a program, up to the next "---". */
static uint32_t program_words(const struct corun *corun, uint32_t from)
{
	uint32_t end = from;
	while (end < corun->word_count && strcmp(corun->words[end], "---"))
		end++;
	return end;
}

/* A program, in a process of its own, without timing: results are the same. */
static int record(struct corun *corun, uint32_t i, uint32_t from, uint32_t to, const char *folder,
		  struct hd_signals *signals)
{
	HD_VEC(const char *) words = {0};
	const char *start[] = {"/proc/self/exe", "run", "--functional", "--quiet", "--gpu", corun->options.gpu};
	corun->files[i] = hd_arena_printf(&corun->arena, "%s/%u.run", folder, i);
	for (size_t k = 0; k < sizeof start / sizeof *start; k++)
		hd_vec_push(&words, start[k]);
	char *settings = hd_arena_strdup(&corun->arena, hd_strbuf_text(&corun->options.set)), *rest = settings;
	for (char *item; (item = strsep(&rest, ";"));)
		if (*item)
			hd_vec_push(&words, hd_arena_printf(&corun->arena, "--set=%s", item));
	hd_vec_push(&words, hd_arena_printf(&corun->arena, "--record=%s", corun->files[i]));
	hd_vec_push(&words, hd_arena_printf(&corun->arena, "--slot=%u", i));
	hd_vec_push(&words, "--");
	for (uint32_t k = from; k < to; k++)
		hd_vec_push(&words, corun->words[k]);
	hd_vec_push(&words, NULL);
	corun->names[i] = corun->words[from];
	fflush(stdout);
	int status = hd_child_run(signals, (char *const *)words.data, NULL, corun->diag);
	hd_vec_release(&words);
	return status;
}

/* All of them, in order. An exit status. */
static int record_all(struct corun *corun, const char *folder, struct hd_signals *signals)
{
	int status = 0;
	for (uint32_t from = 0; from <= corun->word_count && !status;) {
		uint32_t to = program_words(corun, from), i = corun->count++;
		if (from == to || i == MOST)
			return CMD_ERROR + 0 * hd_error(corun->diag, HD_NOWHERE,
							"expected two to four programs: A ARG... --- B ARG...");
		status = record(corun, i, from, to, folder, signals);
		from = to + 1;
	}
	return status < 0 ? CMD_ERROR : status;
}

/* ---- the command */

static bool are_programs(const struct corun *corun)
{
	/* One program alone serves requests, too, and is no recording. */
	return program_words(corun, 0) < corun->word_count ||
	       (corun->requests.spec && corun->word_count && !is_recording(corun->words[0]));
}

static int take_files(struct corun *corun)
{
	if (corun->word_count < 2 - (corun->requests.spec != NULL) || corun->word_count > MOST)
		return hd_error(corun->diag, HD_NOWHERE, "expected two to four launch files or recordings, not %u",
				corun->word_count);
	corun->count = corun->word_count;
	for (uint32_t i = 0; i < corun->count; i++)
		corun->files[i] = corun->words[i];
	return 0;
}

static int check(struct corun *corun)
{
	int status = run_options_check(&corun->options, &corun->config, corun->diag);
	if (check_cycles(corun) || check_requests(corun))
		status = -1;
	return status || check_policies(corun) || check_alone(corun) ? CMD_ERROR : 0;
}

static int load_and_run(struct corun *corun, struct run_statistics **stats)
{
	if (load(corun))
		return CMD_ERROR;
	for (uint32_t i = 0; i < corun->count; i++) {
		if (corun->names[i])
			corun->files[i] = corun->names[i]; /* the recording is nobody's */
		hd_strbuf_printf(&corun->title, "%s%s", i ? ", " : "", corun->files[i]);
	}
	corun->options.title = hd_strbuf_text(&corun->title);
	return run_all(corun, stats);
}

static int run_programs(struct corun *corun, struct run_statistics **stats)
{
	struct hd_signals signals;
	struct hd_scratch folder;
	int status = CMD_ERROR;
	hd_signals_hold(&signals);
	if (!hd_scratch_make(&folder, "heddle-corun", &corun->arena, corun->diag))
		status = record_all(corun, folder.path, &signals);
	int loaded = status || signals.caught ? -1 : 0;
	if (loaded)
		hd_scratch_release(&folder);
	hd_signals_release(&signals);
	if (loaded)
		return status ? status : CMD_ERROR;
	status = load_and_run(corun, stats);
	hd_scratch_release(&folder);
	return status;
}

static void release(struct corun *corun)
{
	for (uint32_t i = 0; i < corun->count; i++)
		if (corun->programs)
			replay_release(&corun->replays[i]);
		else
			kernel_release(&corun->kernels[i]);
	requests_release(&corun->requests);
	json_decref(corun->alone);
	hd_strbuf_release(&corun->title);
	hd_vec_release(&corun->alone_sets);
	run_options_release(&corun->options);
	hd_arena_release(&corun->arena);
}

int cmd_corun(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"A.ini B.ini [C.ini [D.ini]]\nA.run B.run [C.run [D.run]]\n-- PROGRAM [ARG...] --- PROGRAM [ARG...]...",
		"Runs two to four kernels or programs concurrently on one simulated GPU, once per --policy, "
		"and runs each alone. Prints the figures of each, its slowdown against running alone, and the "
		"harmonic and weighted speedup.\n\n"
		"A kernel is given by a launch file, as for 'heddle run --kernel'. It is relaunched when it "
		"ends, until --corun-cycles have passed. A program is given by a recording made with 'heddle "
		"run --record', which holds its launches and the changes of device memory between them. It "
		"restarts after its last launch. Programs after -- are first recorded, once each and without "
		"timing; --- separates them.\v"
		"A launch file needs a section [launch] with file = PATH (.hdo, .ll or .bc, relative to the "
		"launch file). It may set kernel = NAME (needed if the file has several kernels) and priority "
		"= N (stream priority; smaller goes first). 'heddle run --help' explains grid, block, "
		"arguments and device variables. Results are printed, written and compared after all kernels "
		"have ended. With --verify, the first pass of each program runs to its end, and device memory "
		"is compared after each pass with the memory that the recorded program left.\n\n"
		"Speedups use instructions per cycle relative to the runs alone: the harmonic speedup is their "
		"harmonic mean, the weighted speedup their sum.\n\n"
		"Exit status: 1 if a comparison or memory differs; 2 if the simulated GPU reports a fault or "
		"the input is wrong.",
		NULL,
		NULL,
		NULL};
	struct hd_diag diag = {.tool = "heddle corun"};
	struct corun corun = {.options.gpu = "v100",
			      .cycles = DEFAULT_CYCLES,
			      .alone_policy = "baseline",
			      .seed = "1",
			      .diag = &diag};
	cmd_parse(&argp, argc, argv, 0, &corun);
	hd_arena_init(&corun.arena);
	run_options_finish(&corun.options);
	uint32_t policies = corun.options.policies.len;
	struct run_statistics **stats = hd_xcalloc(policies, sizeof(*stats));
	int status = check(&corun);
	if (!status && are_programs(&corun))
		status = run_programs(&corun, stats);
	else if (!status)
		status = take_files(&corun) ? CMD_ERROR : load_and_run(&corun, stats);
	int report_status = run_report(&corun.options, stats, &diag);
	for (uint32_t i = 0; i < policies; i++)
		run_statistics_free(stats[i]);
	free(stats);
	release(&corun);
	return status ? status : report_status;
}
