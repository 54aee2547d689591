/*
 * heddle run: runs a CUDA program on the simulated GPU, once for each policy, and prints the figures side by side.
 * The program is an ordinary process; libheddle-cudart in it reads its settings from the environment and records
 * the statistics that are read here. What ends this process ends the program, too. With --kernel, one kernel of an
 * object or of IR runs inside this process.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/policy.h"
#include "heddle/stats.h"
#include "lib/child.h"
#include "lib/scratch.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/run/best.h"
#include "tools/heddle/run/capture.h"
#include "tools/heddle/run/checkpoint.h"
#include "tools/heddle/run/kernel.h"
#include "tools/heddle/run/options.h"
#include "tools/heddle/run/record.h"
#include "tools/heddle/run/records.h"
#include "tools/heddle/run/reports.h"
#include "tools/heddle/run/slots.h"
#include "tools/heddle/run/sources.h"
#include "tools/heddle/run/statistics.h"
#include "tools/heddle/run/table.h"

enum {
	RUN_FUNCTIONAL = RUN_OWN_KEYS,
	RUN_CHECK,
	RUN_SAMPLING,
	RUN_CORUN_CYCLES,
	RUN_CORUN_APART,
	RUN_IDEAL,
	RUN_KERNEL,
	RUN_LAUNCH,
	RUN_DEFINE,
	RUN_DUMP,
	RUN_CHECKPOINT,
	RUN_CHECKPOINT_AT,
	RUN_RESUME,
	RUN_RECORD,
	RUN_SLOT,
	RUN_TIMELINE,
	RUN_KANATA,
	RUN_TIMELINE_ONLY,
	RUN_TIMELINE_NAME,
	RUN_NO_SOURCE,
	RUN_STALLS
};

static const struct argp_option options[] = {
#include "tools/heddle/run/options.def"
	{"functional", RUN_FUNCTIONAL, NULL, 0,
	 "run without timing, as fast as possible: results, faults and instruction counts, but no cycles", 0},
	{"check", RUN_CHECK, "KINDS", 0,
	 "look for these kinds of program errors, e.g. --check=race,init,sync: race (unordered accesses to "
	 "shared memory), race-global (unordered accesses to global memory), init (use of memory that nothing "
	 "has written, or of shuffled values from inactive lanes), sync (barriers and warp operations that not "
	 "all required threads reach), memory (accesses outside a variable or a device heap block; also found "
	 "by all other kinds), leak (heap blocks that are never freed)",
	 0},
	{"sampling", RUN_SAMPLING, "PERCENT", OPTION_ARG_OPTIONAL,
	 "sampled simulation: time similar launches (and blocks of large grids) until their mean cycle count "
	 "is known within PERCENT (default 1.5); run the rest functionally and report estimates with error "
	 "bounds",
	 0},
	{"corun-cycles", RUN_CORUN_CYCLES, "N", 0,
	 "relaunch kernels that run concurrently on different streams, each as soon as it ends, for N cycles; "
	 "report each kernel's figures over these cycles",
	 0},
	{"corun-apart", RUN_CORUN_APART, "N", 0,
	 "with --corun-cycles: start each kernel N cycles after the previous one, and count its figures from "
	 "its start",
	 0},
	{"ideal", RUN_IDEAL, NULL, 0,
	 "count the instructions that the ideal machines of R2D2's Figure 4 would not execute", 0},
	{"checkpoint", RUN_CHECKPOINT, "FILE", 0,
	 "write the state of the simulation to FILE at the cycle given by --checkpoint-at, then continue", 0},
	{"checkpoint-at", RUN_CHECKPOINT_AT, "CYCLE", 0,
	 "write the checkpoint at this core cycle, counted over all launches (`cycles` in the statistics)", 0},
	{"resume", RUN_RESUME, "FILE", 0,
	 "continue from a checkpoint; program and options must be the same; results and statistics are those "
	 "of an uninterrupted run",
	 0},
	{"kernel", RUN_KERNEL, "NAME", 0,
	 "run this kernel of FILE (.hdo, .ll or .bc) without a host program; needs --launch", 0},
	{"launch", RUN_LAUNCH, "SPEC.ini", 0, "file with the kernel's grid, block and arguments", 0},
	{"define", RUN_DEFINE, "NAME=V", 0, "a value that expressions of the launch file use (several times: several)",
	 0},
	{"dump", RUN_DUMP, "NAME[=PATH]", 0,
	 "with --launch: write this buffer to NAME.npy, or to PATH, after the run; NAME is argN, a device variable of "
	 "the "
	 "launch file, or a parameter's name in the source (several times: several)",
	 0},
	{"record", RUN_RECORD, "FILE.run", 0,
	 "record the program's kernels, launches and memory contents in FILE.run, for 'heddle corun'", 0},
	{"slot", RUN_SLOT, "N", 0,
	 "with --record: use window N (0 to 63) of device addresses (default: derived from FILE's name); "
	 "recordings that run concurrently need different windows",
	 0},
	{"timeline", RUN_TIMELINE, "FILE", 0,
	 "write a timeline of launches, blocks and warps for Perfetto (ui.perfetto.dev), with instructions if "
	 "--timeline-only is given. With several policies, each writes a file with its name before FILE's suffix; "
	 "FILE has all of them.",
	 0},
	{"kanata", RUN_KANATA, "FILE", 0,
	 "write the instructions of SM 0, or those that --timeline-only chooses, for Konata; compressed if FILE ends "
	 "in "
	 ".zst",
	 0},
	{"timeline-name", RUN_TIMELINE_NAME, "TEXT", 0,
	 "put TEXT before the names of --timeline's processes (default with several policies: the policy); files "
	 "with different names can be joined with cat",
	 0},
	{"timeline-only", RUN_TIMELINE_ONLY, "FILTER", 0,
	 "instructions that --timeline and --kanata record: "
	 "cycles=FROM:TO,sm=FIRST-LAST,warp=FIRST-LAST,kernel=PATTERN, "
	 "each part optional",
	 0},
	{"no-source", RUN_NO_SOURCE, NULL, 0,
	 "leave the program's source lines out of the statistics of --by-line and --by-instruction (slots.sources)", 0},
	{"list-stalls", RUN_STALLS, NULL, 0, "list the stall reasons with Nsight Compute's names, and exit", 0},
	{0}};

enum { MOST_TEXTS = 64 };

/* What an option that may stand several times was given. */
struct texts {
	const char *data[MOST_TEXTS + 1]; /* NULL behind the last one */
	uint32_t count;
};

struct run {
	struct run_options options;
	const char *kernel, *launch, *record, *slot;
	struct texts defines, dumps;
	bool triton; /* heddle triton: the kernel is a capture's */
	struct run_checkpoint checkpoint;
	bool no_source; /* in the statistics */
	bool silent;	/* what the program prints is not wanted */
	char **program;
};

static void list_stalls(void)
{
	printf("%-11s  %-57s  %s\n", "reason", "Nsight Compute", "meaning");
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		printf("%-11s  %-57s  %s\n", hd_stall_name[i], *hd_stall_nsight[i] ? hd_stall_nsight[i] : "-",
		       hd_stall_help[i]);
}

static void add_text(struct texts *texts, const char *option, const char *text, struct argp_state *state)
{
	if (texts->count == MOST_TEXTS)
		argp_error(state, "there are more than %d %s", MOST_TEXTS, option);
	else
		texts->data[texts->count++] = text;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run *run = state->input;
	switch (key) {
	case RUN_FUNCTIONAL: run->options.functional = true; break;
	case RUN_CHECK: run->options.check = arg; break;
	case RUN_SAMPLING: run->options.sampling = arg ? arg : ""; break;
	case RUN_TIMELINE: run->options.timeline = arg; break;
	case RUN_KANATA: run->options.kanata = arg; break;
	case RUN_TIMELINE_ONLY: run->options.timeline_only = arg; break;
	case RUN_TIMELINE_NAME: run->options.timeline_name = arg; break;
	case RUN_NO_SOURCE: run->no_source = true; break;
	case RUN_CORUN_CYCLES: run->options.corun_cycles = arg; break;
	case RUN_CORUN_APART: run->options.corun_apart = arg; break;
	case RUN_IDEAL: run->options.ideal = true; break;
	case RUN_KERNEL: run->kernel = arg; break;
	case RUN_LAUNCH: run->launch = arg; break;
	case RUN_DEFINE: add_text(&run->defines, "--define", arg, state); break;
	case RUN_DUMP: add_text(&run->dumps, "--dump", arg, state); break;
	case RUN_CHECKPOINT: run->checkpoint.file = arg; break;
	case RUN_CHECKPOINT_AT: run->checkpoint.cycle = arg; break;
	case RUN_RESUME: run->checkpoint.resume = arg; break;
	case RUN_RECORD: run->record = arg; break;
	case RUN_SLOT: run->slot = arg; break;
	case RUN_STALLS: list_stalls(); exit(fflush(stdout) ? 2 : 0);
	case ARGP_KEY_ARGS: run->program = state->argv + state->next; break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, run->triton ? "missing FILE; usage: heddle triton [OPTION...] --launch SPEC.ini FILE"
					      : "missing PROGRAM; usage: heddle run [OPTION...] -- PROGRAM [ARG...]");
		break;
	case ARGP_KEY_END:
		if (run->triton && !run->launch)
			argp_error(state, "missing --launch SPEC.ini");
		if (run->triton && run->program[1])
			argp_error(state, "there is one FILE, behind the options; '%s' is too much", run->program[1]);
		if (run->triton && !capture_named(run->program[0]))
			argp_error(state, "%s is no .llir or .json", run->program[0]);
		if (!run->triton && !run->kernel != !run->launch)
			argp_error(state, "--kernel and --launch go together");
		if ((run->defines.count || run->dumps.count) && !run->launch)
			argp_error(state, "%s needs --launch", run->defines.count ? "--define" : "--dump");
		if (!run->checkpoint.file != !run->checkpoint.cycle)
			argp_error(state, "--checkpoint FILE and --checkpoint-at CYCLE go together");
		if (run->kernel && run->program && run->program[1])
			argp_error(state, "--kernel takes one FILE");
		break;
	default: return run_options_parse(&run->options, key, arg);
	}
	return 0;
}

static void put(const char *name, const char *value)
{
	if (value && *value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void put_sampling(const struct run *run)
{
	double share = 0;
	char percent[32];
	hd_sim_sampling_parse(run->options.sampling, &share, NULL);
	snprintf(percent, sizeof percent, "%.10g", 100 * share);
	put("HEDDLE_SAMPLING", run->options.sampling ? percent : NULL);
}

/* Programs that know the runtime by its name only, linked by somebody else's makefile, find ours. */
static void put_library_path(void)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char *data = hd_data_dir();
	struct hd_strbuf path = {0};
	hd_strbuf_printf(&path, "%s/../../lib:%s/cuda/lib64%s%s", data, data, before && *before ? ":" : "",
			 before ? before : "");
	put("LD_LIBRARY_PATH", hd_strbuf_text(&path));
	hd_strbuf_release(&path);
	free(data);
}

static void run_child(const struct run *run, const char *policy, const char *folder, const struct run_reports *reports)
{
	char slot[16], timeline[PATH_MAX];
	snprintf(slot, sizeof slot, "%u", run->record ? run_record_slot(run->record, run->slot) : 0);
	put("HEDDLE_GPU", run->options.gpu);
	put("HEDDLE_POLICY", policy);
	put("HEDDLE_SET", hd_strbuf_text(&run->options.set));
	put("HEDDLE_VERIFY", run->options.verify ? "1" : NULL);
	put("HEDDLE_FUNCTIONAL", run->options.functional ? "1" : NULL);
	put("HEDDLE_PROFILE", run->options.profile ? "1" : NULL);
	put("HEDDLE_SLOTS", run->options.by_line || run->options.by_instruction ? "1" : NULL);
	put("HEDDLE_IDEAL", run->options.ideal ? "1" : NULL);
	put("HEDDLE_MAX_CYCLES", run->options.max_cycles);
	put("HEDDLE_WATCHDOG", run->options.watchdog);
	put("HEDDLE_DUMP_STATE", run->options.dump_state ? "1" : NULL);
	put("HEDDLE_PROGRESS", cmd_progress() && !run->options.quiet ? "1" : NULL);
	put("HEDDLE_SAMPLE", run->options.sample);
	put_sampling(run);
	put("HEDDLE_THREADS", run_options_threads(&run->options));
	put("HEDDLE_CORUN_CYCLES", run->options.corun_cycles);
	put("HEDDLE_CORUN_APART", run->options.corun_apart);
	put("HEDDLE_CHECK", run->options.check);
	put("HEDDLE_OUT_OF_BOUNDS", run->options.out_of_bounds);
	put("HEDDLE_TRACE", run->options.trace);
	put("HEDDLE_TIMELINE", run_options_file(&run->options, run->options.timeline, policy, timeline));
	put("HEDDLE_KANATA", run_options_file(&run->options, run->options.kanata, policy, timeline));
	put("HEDDLE_TIMELINE_ONLY", run->options.timeline_only);
	put("HEDDLE_TIMELINE_NAME", run_options_name(&run->options, policy, timeline));
	run_checkpoint_set(&run->checkpoint);
	put("HEDDLE_RECORDS", folder);
	put("HEDDLE_RECORDING", run->record ? folder : NULL);
	put("HEDDLE_RECORDING_SLOT", run->record ? slot : NULL);
	run_reports_set(reports);
	put_library_path();
	if (run->silent && !freopen("/dev/null", "w", stdout))
		dprintf(reports->to, "exec: %s\n", strerror(errno));
	execvp(run->program[0], run->program);
	dprintf(reports->to, "exec: %s\n", strerror(errno));
	_exit(127);
}

enum { FOUND = 3 }; /* exit status when --check found something */

struct outcome {
	int status;		      /* of heddle */
	struct run_statistics *stats; /* NULL: the program made none */
};

/* Whether the program names our runtime library. */
static bool is_linked(const char *program)
{
	static const char library[] = "libheddle-cudart";
	struct hd_diag quiet = hd_diag_silent();
	uint8_t *bytes;
	size_t size;
	if (hd_read_file(program, &bytes, &size, &quiet))
		return false;
	bool names = memmem(bytes, size, library, sizeof library - 1);
	free(bytes);
	return names;
}

static struct outcome judge(const struct run *run, int wait_status, const char *report, struct run_statistics *stats,
			    struct hd_diag *diag)
{
	struct outcome outcome = {0, stats};
	const char *program = run->program[0];
	if (!strncmp(report, "exec: ", 6))
		outcome.status = 2 + 0 * hd_error(diag, HD_NOWHERE, "cannot run %s: %.*s", program,
						  (int)strcspn(report + 6, "\n"), report + 6);
	else if (run_checkpoint_judge(program, report, diag))
		outcome.status = CMD_ERROR;
	else if (strstr(report, "fault: "))
		outcome.status = CMD_ERROR; /* the fault itself was reported where it happened */
	else if (WIFSIGNALED(wait_status))
		outcome.status = 2 + 0 * hd_error(diag, HD_NOWHERE, "%s: killed by signal %d (%s)", program,
						  WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else if (strstr(report, "check: "))
		outcome.status = FOUND; /* as were the places */
	else if (WEXITSTATUS(wait_status))
		outcome.status = WEXITSTATUS(wait_status);
	else if (strstr(report, "timeline: failed"))
		outcome.status = CMD_ERROR;
	else if (!stats && is_linked(program))
		outcome.status =
			2 + 0 * hd_error(diag, HD_NOWHERE, "%s never called CUDA; there is nothing to show", program);
	else if (!stats)
		outcome.status =
			2 + 0 * hd_error(diag, HD_NOWHERE,
					 "%s never used the simulated GPU (was it built with heddle-cc?)", program);
	else if ((run->options.timeline || run->options.kanata) && !strstr(report, "timeline: "))
		outcome.status = 2 + 0 * hd_error(diag, HD_NOWHERE,
						  "%s: no timeline: the program ended without its exit handlers "
						  "(_exit writes none)",
						  program);
	return outcome;
}

/* In a folder, for what the program's processes record there. */
static struct outcome run_once(const struct run *run, const char *policy, const char *folder,
			       struct hd_signals *signals, struct hd_diag *diag)
{
	struct run_reports reports;
	int recorded = 0;
	if (run_reports_open(&reports, diag))
		return (struct outcome){CMD_ERROR, NULL};
	pid_t child = hd_child_fork_kept(signals);
	if (child == 0)
		run_child(run, policy, folder, &reports);
	if (child < 0)
		hd_error(diag, HD_NOWHERE, "cannot start a process: %s", strerror(errno));
	run_reports_listen(&reports);
	int wait_status = child < 0 ? W_EXITCODE(CMD_ERROR, 0) : hd_child_wait(signals, child);
	char *report = run_reports_take(&reports, folder);
	struct outcome outcome = {0, NULL};
	int unread = run_records_read(folder, report, run_options_want_launches(&run->options), &outcome.stats, diag);
	if (run->record && !signals->caught && outcome.stats)
		recorded = run_record_take(folder, run->record, diag);
	/* However the program took the signal, it was the last run; and it is no fault of the program's. */
	if (signals->caught)
		outcome.status = 128 + signals->caught;
	else if (unread)
		outcome.status = CMD_ERROR;
	else
		outcome = judge(run, wait_status, report, outcome.stats, diag);
	free(report);
	if (recorded && !outcome.status)
		outcome.status = CMD_ERROR;
	return outcome;
}

/* What runs are made of: a program, or one kernel without a host program. */
struct runs {
	const struct run *run;
	const struct hd_config *config;
	struct hd_diag *diag;
	struct hd_signals *signals;
	struct kernel_run kernel;
	uint32_t done;
};

/* The run of the program that a policy needs before the one that counts (hd_policy_rehearses); its status. */
static int rehearse(const struct runs *runs, const char *first, const char *folder)
{
	struct run silent = *runs->run;
	struct hd_strbuf file = {0};
	silent.silent = true;
	silent.options.trace = silent.options.check = silent.options.stats = NULL;
	silent.options.timeline = silent.options.kanata = NULL;
	silent.options.json = false;
	hd_strbuf_printf(&file, "%s/rehearsal", folder);
	put("HEDDLE_REHEARSAL", hd_strbuf_text(&file));
	hd_strbuf_release(&file);
	struct hd_arena arena;
	struct hd_scratch records;
	struct outcome outcome = {CMD_ERROR, NULL};
	hd_arena_init(&arena);
	if (!hd_scratch_make(&records, "heddle-run", &arena, runs->diag))
		outcome = run_once(&silent, first, records.path, runs->signals, runs->diag);
	if (outcome.stats)
		run_statistics_free(outcome.stats);
	hd_scratch_release(&records);
	hd_arena_release(&arena);
	return outcome.status;
}

static struct outcome run_in(const struct runs *runs, const char *policy, const char *folder)
{
	struct outcome outcome = {0, NULL};
	char *first = NULL;
	if (hd_policy_rehearses(policy, &first))
		outcome.status = rehearse(runs, first, folder);
	if (!outcome.status)
		outcome = run_once(runs->run, policy, folder, runs->signals, runs->diag);
	put("HEDDLE_REHEARSAL", NULL);
	free(first);
	return outcome;
}

static struct run_statistics *run_program(void *context, const char *policy, int *status)
{
	struct runs *runs = context;
	struct hd_arena arena;
	struct outcome outcome = {CMD_ERROR, NULL};
	hd_arena_init(&arena);
	struct hd_scratch folder;
	if (!hd_scratch_make(&folder, "heddle-run", &arena, runs->diag))
		outcome = run_in(runs, policy, folder.path);
	hd_scratch_release(&folder);
	hd_arena_release(&arena);
	*status = outcome.status;
	return outcome.stats;
}

static struct run_statistics *run_kernel(void *context, const char *policy, int *status)
{
	struct runs *runs = context;
	const struct run *run = runs->run;
	struct hd_sim_options sim_options = run_options_sim(&run->options, runs->config, policy, runs->diag);
	char timeline[PATH_MAX], kanata[PATH_MAX];
	sim_options.timeline = run_options_file(&run->options, run->options.timeline, policy, timeline);
	sim_options.kanata = run_options_file(&run->options, run->options.kanata, policy, kanata);
	char name[PATH_MAX];
	sim_options.timeline_only = run->options.timeline_only;
	sim_options.timeline_name = run_options_name(&run->options, policy, name);
	char *text = NULL;
	bool print = runs->done++ == 0 && !run->options.json;
	*status = kernels_run(&runs->kernel, 1, 0, &sim_options, print ? KERNEL_PRINT : KERNEL_COMPARE, &text);
	struct run_statistics *stats = run_statistics_of(text, run_options_want_launches(&run->options), runs->diag);
	if (*status == 0 && runs->kernel.found)
		*status = FOUND;
	free(text);
	return stats;
}

static int append_file(FILE *to, const char *path, struct hd_diag *diag)
{
	char piece[1 << 16];
	FILE *from = fopen(path, "rb");
	if (!from)
		return hd_error(diag, HD_NOWHERE, "cannot read %s: %s", path, strerror(errno));
	for (size_t size; (size = fread(piece, 1, sizeof piece, from));)
		fwrite(piece, 1, size, to);
	int status = ferror(from) ? hd_error(diag, HD_NOWHERE, "cannot read %s: %s", path, strerror(errno)) : 0;
	fclose(from);
	return status;
}

/* A policy's timelines one behind the other are one with all: they have different names. */
static int join_timelines(const struct run *run, struct hd_diag *diag)
{
	struct hd_output output;
	int status = 0;
	if (hd_output_open(&output, run->options.timeline, diag))
		return -1;
	for (uint32_t i = 0; i < run->options.policies.len && !status; i++) {
		char path[PATH_MAX];
		const char *policy = run->options.policies.data[i];
		status = append_file(output.to, run_options_file(&run->options, run->options.timeline, policy, path),
				     diag);
	}
	if (status)
		hd_output_abandon(&output);
	else
		status = hd_output_close(&output, diag);
	return status;
}

/* Runs under each policy, until one fails. The exit status. */
static int run_all(struct runs *runs, struct run_statistics **stats)
{
	const struct run *run = runs->run;
	int status = 0;
	if (run->launch && (kernel_load(&runs->kernel, run->program[0], run->kernel, run->launch, run->defines.data,
					runs->config, runs->diag) ||
			    kernel_dump(&runs->kernel, run->dumps.data, runs->diag) ||
			    kernel_check_outputs(&runs->kernel, &run->options, runs->diag)))
		status = CMD_ERROR;
	for (uint32_t i = 0; i < run->options.policies.len && !status; i++)
		stats[i] =
			best_run(run->options.policies.data[i], run->launch ? run_kernel : run_program, runs, &status);
	for (uint32_t i = 0; i < run->options.policies.len; i++)
		if (stats[i]) {
			run_slots_choose(stats[i]->document, run->options.by_line, run->options.by_instruction);
			if (!run->launch && !run->no_source)
				run_sources_add(stats[i]->document, run->program[0]);
		}
	if (run->launch)
		kernel_release(&runs->kernel);
	if (!status && run->options.policies.len > 1 && run->options.timeline && join_timelines(run, runs->diag))
		status = CMD_ERROR;
	return status;
}

/* What is recorded is one run of a program, with nothing left out. */
static int check_recording(const struct run *run, struct hd_diag *diag)
{
	const char *with = run->options.policies.len > 1 ? "several policies"
			   : run->options.sampling	 ? "--sampling"
			   : run->options.check		 ? "--check"
			   : run->options.corun_cycles	 ? "--corun-cycles"
			   : run->options.time_slice	 ? "--time-slice"
			   : run->launch		 ? "--kernel"
			   : run->checkpoint.file	 ? "--checkpoint"
			   : run->checkpoint.resume	 ? "--resume"
							 : NULL;
	if (run->slot && !run->record)
		return hd_error(diag, HD_NOWHERE, "--slot needs --record");
	if (!run->record)
		return 0;
	if (with)
		return hd_error(diag, HD_NOWHERE, "--record cannot be combined with %s", with);
	return run_record_check(run->record, run->slot, diag);
}

static int run_command(const struct argp *argp, struct run *run, int argc, char **argv)
{
	struct hd_diag diag = {.tool = run->triton ? "heddle triton" : "heddle run"};
	cmd_parse(argp, argc, argv, ARGP_IN_ORDER, run);
	run_options_finish(&run->options);
	run->options.title = run->program[0];
	run->options.checkpoint = run->checkpoint.file;
	run->options.record = run->record;
	struct hd_config config;
	struct hd_signals signals;
	int status = run_options_check(&run->options, &config, &diag) ||
				     run_checkpoint_check(&run->checkpoint, &run->options,
							  run->launch	? "--kernel"
							  : run->record ? "--record"
									: NULL,
							  &diag) ||
				     check_recording(run, &diag)
			     ? 2
			     : 0;
	struct run_statistics **stats = hd_xcalloc(run->options.policies.len, sizeof(*stats));
	if (!run->launch)
		hd_signals_hold(&signals);
	if (!status)
		status = run_all(&(struct runs){.run = run, .config = &config, .signals = &signals, .diag = &diag},
				 stats);
	int report_status = run_report(&run->options, stats, &diag);
	if (!run->launch)
		hd_signals_release(&signals);
	for (uint32_t i = 0; i < run->options.policies.len; i++)
		run_statistics_free(stats[i]);
	free(stats);
	run_options_release(&run->options);
	return status ? status : report_status;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"-- PROGRAM [ARG...]\n--kernel NAME --launch SPEC.ini FILE",
		"Runs a CUDA program built with heddle-cc on the simulated GPU, once per --policy, and prints "
		"the figures side by side. With --kernel, runs one kernel of a kernel object or of LLVM IR.\v"
		"SPEC.ini has a section [launch] with grid, block, shared and cooperative (0 or 1), whose numbers may "
		"be "
		"expressions like ceil(n/256) over names of a section [define] or of --define; sections "
		"[arg0], [arg1], ... with kind = i8, u8, ... i64, u64, f16, f32, f64 (value = V), struct (value = "
		"TYPE:V, TYPE:V, ... or count and init of its bytes) or buffer (type, count or shape, init = "
		"zero | ramp[:START[:STEP]] | value:V | random:SEED[:LOW:HIGH] | file:PATH | npy:PATH, output = PATH "
		"or PATH.npy, "
		"print = N, compare = file:PATH or npy:PATH with abs and rel); and sections [symbol NAME] for device "
		"variables.\n\n"
		"Exit status: that of the program; 1 if a comparison differs; 2 if the simulated GPU reports a "
		"fault or the input is wrong; 3 if --check found an error. heddle run passes HUP, INT, QUIT "
		"and TERM to the program, prints the figures of the completed runs, and then ends by the same "
		"signal. No process of the program survives.",
		NULL,
		NULL,
		NULL};
	struct run run = {.options.gpu = "v100"};
	return run_command(&argp, &run, argc, argv);
}

/* What a capture says itself, and what is for programs alone. */
static bool is_for_triton(int key)
{
	switch (key) {
	case RUN_KERNEL:
	case RUN_CHECKPOINT:
	case RUN_CHECKPOINT_AT:
	case RUN_RESUME:
	case RUN_RECORD:
	case RUN_SLOT: return false;
	default: return true;
	}
}

int cmd_triton(int argc, char **argv)
{
	static struct argp_option own[sizeof options / sizeof *options]; /* ends with zeroes, as `options` does */
	uint32_t count = 0;
	for (const struct argp_option *option = options; option->name; option++)
		if (is_for_triton(option->key))
			own[count++] = *option;
	static const struct argp argp = {
		own,
		parse,
		"--launch SPEC.ini FILE",
		"Runs a kernel that Triton compiled, from the files of its cache: FILE is NAME.llir or NAME.json. "
		"Name, warps, "
		"shared memory and architecture come from NAME.json, the grid and the arguments from SPEC.ini.\v"
		"SPEC.ini is a launch file as of 'heddle run --kernel'; block and shared may be absent. The arguments "
		"are those "
		"of the kernel's IR, in order: constants of the Triton source are not among them. Pointers that newer "
		"versions "
		"of Triton pass behind the arguments (scratch memory) are added.\n\n"
		"Exit status: 0; 1 if a comparison differs; 2 if the simulated GPU reports a fault or the input is "
		"wrong; 3 if "
		"--check found an error.",
		NULL,
		NULL,
		NULL};
	struct run run = {.options.gpu = "v100", .triton = true};
	return run_command(&argp, &run, argc, argv);
}
