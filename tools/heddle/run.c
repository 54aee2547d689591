/*
 * heddle run: runs a CUDA program on the simulated GPU, once for each policy, and prints the figures side by side.
 * The program is an ordinary process; libheddle-cudart in it reads its settings from the environment and records
 * the statistics that are read here. What ends this process ends the program, too. With --kernel, one kernel of an
 * object or of IR runs inside this process.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/config.h"
#include "heddle/object.h"
#include "heddle/policy.h"
#include "heddle/sim.h"
#include "lib/child.h"
#include "lib/scratch.h"
#include "lib/strbuf.h"
#include "tools/heddle/best.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/figures.h"
#include "tools/heddle/kernel.h"
#include "tools/heddle/run_grids.h"
#include "tools/heddle/run_records.h"
#include "tools/heddle/run_slots.h"
#include "tools/heddle/run_statistics.h"

enum {
	KEY_GPU = 'g',
	KEY_POLICY = 'p',
	KEY_STATS = 'o',
	KEY_VERIFY = 'v',
	KEY_SET = 's',
	KEY_JSON = 0x100,
	KEY_MAX_CYCLES,
	KEY_TRACE,
	KEY_PROFILE,
	KEY_SAMPLE,
	KEY_SAMPLING,
	KEY_THREADS,
	KEY_CORUN_CYCLES,
	KEY_TIME_SLICE,
	KEY_IDEAL,
	KEY_BY_LINE,
	KEY_BY_INSTRUCTION,
	KEY_QUIET,
	KEY_KERNEL,
	KEY_LAUNCH,
	KEY_WATCHDOG,
	KEY_DUMP_STATE,
	KEY_CHECK,
	KEY_OUT_OF_BOUNDS,
	KEY_FUNCTIONAL
};

static const struct argp_option options[] = {
	{"gpu", KEY_GPU, "NAME", 0, "GPU to simulate (see 'heddle gpus'); default v100", 0},
	{"policy", KEY_POLICY, "NAME", 0,
	 "hardware design, may be combined as a+b; best-NAME is the best of its parameters; repeat to compare (default "
	 "baseline)",
	 0},
	{"set", KEY_SET, "KEY=VALUE", 0, "change a configuration key (see 'heddle gpus NAME')", 0},
	{"verify", KEY_VERIFY, NULL, 0, "check every annotation against what the program does", 0},
	{"functional", KEY_FUNCTIONAL, NULL, 0,
	 "no timing: results and faults, and counts of instructions, as fast as can be; no cycles", 0},
	{"check", KEY_CHECK, "KINDS", 0,
	 "look for mistakes of the program, of these kinds: race (accesses to shared memory that nothing orders), init "
	 "(use of memory that nothing has written, and of shuffled values of absent lanes), sync (barriers and "
	 "__syncwarp that threads do not take part in); --check=race,init,sync",
	 0},
	{"out-of-bounds", KEY_OUT_OF_BOUNDS, "error|warn", 0,
	 "what a load a little outside an allocation is, which hardware lets pass: a fault (default), or a warning", 0},
	{"max-cycles", KEY_MAX_CYCLES, "N", 0, "stop a kernel after N cycles", 0},
	{"watchdog", KEY_WATCHDOG, "N", 0,
	 "stop a kernel that has made no progress for N cycles (default 2000000; off: never), and say where warps wait "
	 "and why",
	 0},
	{"dump-state", KEY_DUMP_STATE, NULL, 0,
	 "of a kernel that is stopped for that or by --max-cycles, also print the state of every unit", 0},
	{"stats", KEY_STATS, "FILE", 0, "write the statistics as JSON", 0},
	{"trace", KEY_TRACE, "STREAMS", 0, "trace events, e.g. issue,lsu@1000:1200", 0},
	{"profile", KEY_PROFILE, NULL, 0,
	 "count what each instruction and branch does, in the statistics (pass parameter profile=)", 0},
	{"threads", KEY_THREADS, "N", 0,
	 "simulate on N threads of the host, at most one an SM (default: HEDDLE_THREADS, else its processors); no "
	 "result "
	 "depends on it",
	 0},
	{"sample", KEY_SAMPLE, "N", 0, "add to the statistics what each counter counts in every N cycles of a launch",
	 0},
	{"sampling", KEY_SAMPLING, "PERCENT", OPTION_ARG_OPTIONAL,
	 "simulate with time only as many launches that are alike, and blocks of a large grid, as tell their mean "
	 "cycles to "
	 "PERCENT (default 1.5), execute the rest without, and estimate figures with their errors",
	 0},
	{"corun-cycles", KEY_CORUN_CYCLES, "N", 0,
	 "launch kernels of different streams that run together again and again, each when it has ended, for N cycles, "
	 "and "
	 "give the figures of each over these",
	 0},
	{"time-slice", KEY_TIME_SLICE, "N", 0,
	 "kernels of different streams have each SM in turns, for N cycles: `slice` of the policies that have it, with "
	 "no "
	 "`interval`, and policy preempt if none is named",
	 0},
	{"by-line", KEY_BY_LINE, NULL, 0,
	 "tell at which source lines issue slots were lost, and why; in the statistics, too (slots.lines)", 0},
	{"by-instruction", KEY_BY_INSTRUCTION, NULL, 0, "the same by instruction (slots.instructions)", 0},
	{"ideal", KEY_IDEAL, NULL, 0, "count what the ideal machines of R2D2's Figure 4 would not execute", 0},
	{"json", KEY_JSON, NULL, 0, "print the statistics as JSON instead of a table", 0},
	{"quiet", KEY_QUIET, NULL, 0, "no table", 0},
	{"kernel", KEY_KERNEL, "NAME", 0, "run this kernel of FILE (.hdo, .ll or .bc) without a host program", 0},
	{"launch", KEY_LAUNCH, "SPEC.ini", 0, "grid, block and arguments of --kernel", 0},
	{0}};

struct run {
	const char *threads, *gpu, *stats, *trace, *max_cycles, *watchdog, *sample, *sampling, *corun_cycles,
		*time_slice, *check, *out_of_bounds, *kernel, *launch;
	bool verify, profile, ideal, json, quiet, dump_state, functional, by_line, by_instruction;
	bool silent; /* what the program prints is not wanted */
	HD_VEC(const char *) policies;
	struct hd_strbuf set;
	char **program;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run *run = state->input;
	switch (key) {
	case KEY_GPU: run->gpu = arg; break;
	case KEY_POLICY: hd_vec_push(&run->policies, arg); break;
	case KEY_STATS: run->stats = arg; break;
	case KEY_VERIFY: run->verify = true; break;
	case KEY_FUNCTIONAL: run->functional = true; break;
	case KEY_SET: hd_strbuf_printf(&run->set, "%s%s", run->set.len ? ";" : "", arg); break;
	case KEY_MAX_CYCLES: run->max_cycles = arg; break;
	case KEY_WATCHDOG: run->watchdog = arg; break;
	case KEY_DUMP_STATE: run->dump_state = true; break;
	case KEY_CHECK: run->check = arg; break;
	case KEY_OUT_OF_BOUNDS: run->out_of_bounds = arg; break;
	case KEY_TRACE: run->trace = arg; break;
	case KEY_PROFILE: run->profile = true; break;
	case KEY_SAMPLE: run->sample = arg; break;
	case KEY_SAMPLING: run->sampling = arg ? arg : ""; break;
	case KEY_THREADS: run->threads = arg; break;
	case KEY_CORUN_CYCLES: run->corun_cycles = arg; break;
	case KEY_TIME_SLICE: run->time_slice = arg; break;
	case KEY_IDEAL: run->ideal = true; break;
	case KEY_BY_LINE: run->by_line = true; break;
	case KEY_BY_INSTRUCTION: run->by_instruction = true; break;
	case KEY_JSON: run->json = true; break;
	case KEY_QUIET: run->quiet = true; break;
	case KEY_KERNEL: run->kernel = arg; break;
	case KEY_LAUNCH: run->launch = arg; break;
	case ARGP_KEY_ARGS: run->program = state->argv + state->next; break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "which program? (heddle run [OPTION...] -- PROGRAM [ARG...])"); break;
	case ARGP_KEY_END:
		if (!run->kernel != !run->launch)
			argp_error(state, "--kernel and --launch go together");
		if (run->kernel && run->program && run->program[1])
			argp_error(state, "--kernel takes one FILE");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int check_number(const char *option, const char *text, struct hd_diag *diag)
{
	char *end;
	if (text && (!strtoull(text, &end, 10) || *end || *text == '-'))
		return hd_error(diag, HD_NOWHERE, "%s needs a positive number, not '%s'", option, text);
	return 0;
}

static const char *threads_of(const struct run *run)
{
	return run->threads ? run->threads : getenv("HEDDLE_THREADS");
}

/* Whether the statistics can be written in the end. */
static int check_place(const char *path, struct hd_diag *diag)
{
	struct stat status;
	bool exists = !stat(path, &status);
	char *copy = hd_xstrdup(path);
	const char *place = exists && !S_ISREG(status.st_mode) ? path : dirname(copy);
	int error = exists && S_ISDIR(status.st_mode)			? EISDIR
		    : access(place, place == path ? W_OK : W_OK | X_OK) ? errno
									: 0;
	free(copy);
	return error ? hd_error(diag, HD_NOWHERE, "--stats: cannot write %s: %s", path, strerror(error)) : 0;
}

static bool has_slices(const struct hd_policy *policy)
{
	const struct hd_policy_setting *row = policy->hooks ? policy->hooks->settings : NULL;
	while (row && row->name && strcmp(row->name, "slice"))
		row++;
	return row && row->name;
}

/* Whether one of those that "cars+drain:X" names has time slices. */
static bool takes_slices(const char *text)
{
	for (; *text; text += strcspn(text, "+"), text += *text == '+')
		for (const struct hd_policy *policy = hd_policies; policy->name; policy++) {
			size_t length = strlen(policy->name);
			bool named = !strncmp(text, policy->name, length) && strchr("+:", text[length]);
			if (named && has_slices(policy))
				return true;
		}
	return false;
}

static void set_slices(struct run *run)
{
	for (const struct hd_policy *policy = hd_policies; run->time_slice && policy->name; policy++)
		if (has_slices(policy))
			hd_strbuf_printf(&run->set, "%s%s.interval=0;%s.slice=%s", run->set.len ? ";" : "",
					 policy->name, policy->name, run->time_slice);
}

static int check_slices(const struct run *run, struct hd_diag *diag)
{
	for (uint32_t i = 0; run->time_slice && i < run->policies.len; i++)
		if (takes_slices(run->policies.data[i]))
			return 0;
	return run->time_slice
		       ? hd_error(diag, HD_NOWHERE, "--time-slice: no policy here has time slices, as preempt has")
		       : 0;
}

/* What the user named wrongly is told before the program starts. */
static int check_settings(const struct run *run, struct hd_config *config, struct hd_diag *diag)
{
	if (hd_config_load(config, run->gpu, diag))
		return -1;
	char *settings = hd_xstrdup(hd_strbuf_text(&run->set)), *rest = settings;
	int status = 0;
	for (char *item; (item = strsep(&rest, ";"));)
		if (*item && hd_config_set(config, item, diag))
			status = -1;
	free(settings);
	if (!status && hd_config_check(config, diag))
		status = -1;
	for (uint32_t i = 0; i < run->policies.len; i++)
		if (best_check(run->policies.data[i], diag))
			status = -1;
	uint32_t checks;
	if (run->check && hd_sim_check_parse(run->check, &checks, diag))
		status = -1;
	if (run->out_of_bounds && strcmp(run->out_of_bounds, "error") && strcmp(run->out_of_bounds, "warn"))
		status = hd_error(diag, HD_NOWHERE, "--out-of-bounds is error or warn, not '%s'", run->out_of_bounds);
	if (run->stats && check_place(run->stats, diag))
		status = -1;
	bool watchdog_off = run->watchdog && !strcmp(run->watchdog, "off");
	if (!watchdog_off && check_number("--watchdog", run->watchdog, diag))
		status = -1;
	if (check_number("--max-cycles", run->max_cycles, diag) || check_number("--sample", run->sample, diag) ||
	    check_number("--corun-cycles", run->corun_cycles, diag) ||
	    check_number("--time-slice", run->time_slice, diag))
		status = -1;
	uint32_t threads;
	double sampling;
	if (hd_sim_threads_parse(threads_of(run), &threads, diag) ||
	    hd_sim_sampling_parse(run->sampling, &sampling, diag))
		status = -1;
	if (run->sampling && run->time_slice)
		status = hd_error(diag, HD_NOWHERE,
				  "--sampling simulates a part only: it does not go with --time-slice");
	if (run->functional && (run->corun_cycles || run->time_slice))
		status = hd_error(diag, HD_NOWHERE, "%s needs time, which --functional has not",
				  run->corun_cycles ? "--corun-cycles" : "--time-slice");
	if (check_slices(run, diag))
		status = -1;
	if (run->functional && (run->by_line || run->by_instruction))
		status = hd_error(diag, HD_NOWHERE, "%s needs time, which --functional has not",
				  run->by_line ? "--by-line" : "--by-instruction");
	return status;
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
	hd_sim_sampling_parse(run->sampling, &share, NULL);
	snprintf(percent, sizeof percent, "%.10g", 100 * share);
	put("HEDDLE_SAMPLING", run->sampling ? percent : NULL);
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

static void run_child(const struct run *run, const char *policy, const char *folder, int status_fd)
{
	char number[16];
	snprintf(number, sizeof number, "%d", status_fd);
	put("HEDDLE_GPU", run->gpu);
	put("HEDDLE_POLICY", policy);
	put("HEDDLE_SET", hd_strbuf_text(&run->set));
	put("HEDDLE_VERIFY", run->verify ? "1" : NULL);
	put("HEDDLE_FUNCTIONAL", run->functional ? "1" : NULL);
	put("HEDDLE_PROFILE", run->profile ? "1" : NULL);
	put("HEDDLE_SLOTS", run->by_line || run->by_instruction ? "1" : NULL);
	put("HEDDLE_IDEAL", run->ideal ? "1" : NULL);
	put("HEDDLE_MAX_CYCLES", run->max_cycles);
	put("HEDDLE_WATCHDOG", run->watchdog);
	put("HEDDLE_DUMP_STATE", run->dump_state ? "1" : NULL);
	put("HEDDLE_PROGRESS", cmd_progress() && !run->quiet ? "1" : NULL);
	put("HEDDLE_SAMPLE", run->sample);
	put_sampling(run);
	put("HEDDLE_THREADS", threads_of(run));
	put("HEDDLE_CORUN_CYCLES", run->corun_cycles);
	put("HEDDLE_CHECK", run->check);
	put("HEDDLE_OUT_OF_BOUNDS", run->out_of_bounds);
	put("HEDDLE_TRACE", run->trace);
	put("HEDDLE_RECORDS", folder);
	put("HEDDLE_STATUS_FD", number);
	put_library_path();
	if (run->silent && !freopen("/dev/null", "w", stdout))
		dprintf(status_fd, "exec: %s\n", strerror(errno));
	execvp(run->program[0], run->program);
	dprintf(status_fd, "exec: %s\n", strerror(errno));
	_exit(127);
}

enum { FOUND = 3 }; /* exit status when --check found something */

struct outcome {
	int status;		      /* of heddle */
	struct run_statistics *stats; /* NULL: the program made none */
};

static struct outcome judge(const struct run *run, int wait_status, const char *report, struct run_statistics *stats,
			    struct hd_diag *diag)
{
	struct outcome outcome = {0, stats};
	const char *program = run->program[0];
	if (!strncmp(report, "exec: ", 6))
		outcome.status = 2 + 0 * hd_error(diag, HD_NOWHERE, "cannot run %s: %.*s", program,
						  (int)strcspn(report + 6, "\n"), report + 6);
	else if (strstr(report, "fault: "))
		outcome.status = CMD_ERROR; /* the fault itself was reported where it happened */
	else if (WIFSIGNALED(wait_status))
		outcome.status = 2 + 0 * hd_error(diag, HD_NOWHERE, "%s was ended by signal %d (%s)", program,
						  WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else if (strstr(report, "check: "))
		outcome.status = FOUND; /* as were the places */
	else if (WEXITSTATUS(wait_status))
		outcome.status = WEXITSTATUS(wait_status);
	else if (!stats)
		outcome.status =
			2 + 0 * hd_error(diag, HD_NOWHERE,
					 "%s never used the simulated GPU; was it built with heddle-cc?", program);
	return outcome;
}

/* In a folder, for what the program's processes record there. */
static struct outcome run_once(const struct run *run, const char *policy, const char *folder,
			       struct hd_signals *signals, struct hd_diag *diag)
{
	char report[4096] = "";
	int pipe_fds[2];
	if (pipe(pipe_fds))
		return (struct outcome){2 + 0 * hd_error(diag, HD_NOWHERE, "cannot start: %s", strerror(errno)), NULL};
	fcntl(pipe_fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
	pid_t child = hd_child_fork_kept(signals);
	if (child == 0)
		run_child(run, policy, folder, pipe_fds[1]);
	if (child < 0)
		hd_error(diag, HD_NOWHERE, "cannot start a process: %s", strerror(errno));
	close(pipe_fds[1]);
	int wait_status = child < 0 ? W_EXITCODE(CMD_ERROR, 0) : hd_child_wait(signals, child);
	ssize_t length = read(pipe_fds[0], report, sizeof report - 1);
	if (length < 0)
		report[0] = '\0';
	close(pipe_fds[0]);
	struct outcome outcome = {0, run_records_read(folder, diag)};
	/* However the program took the signal, it was the last run; and it is no fault of the program's. */
	if (signals->caught)
		outcome.status = 128 + signals->caught;
	else
		outcome = judge(run, wait_status, report, outcome.stats, diag);
	return outcome;
}

/* What runs are made of: a program, or one kernel without a host program. */
struct runs {
	const struct run *run;
	const struct hd_config *config;
	struct hd_diag *diag;
	struct hd_signals *signals;
	struct kernel_run kernel;
	uint32_t checks; /* HD_CHECK_* */
	uint32_t done;
};

/* The run of the program that a policy needs before the one that counts (hd_policy_rehearses); its status. */
static int rehearse(const struct runs *runs, const char *first, const char *folder)
{
	struct run silent = *runs->run;
	struct hd_strbuf file = {0};
	silent.silent = true;
	silent.trace = silent.check = NULL;
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
	uint32_t threads = 1;
	double sampling = 0;
	hd_sim_threads_parse(threads_of(run), &threads, runs->diag);
	hd_sim_sampling_parse(run->sampling, &sampling, runs->diag);
	struct hd_sim_options sim_options = {
		.config = runs->config,
		.policy = policy,
		.verify = run->verify,
		.functional = run->functional,
		.profile = run->profile,
		.blame = run->by_line || run->by_instruction,
		.ideal = run->ideal,
		.check = runs->checks,
		.warn_outside = run->out_of_bounds && !strcmp(run->out_of_bounds, "warn"),
		.max_cycles = run->max_cycles ? strtoull(run->max_cycles, NULL, 10) : 0,
		.watchdog = !run->watchdog		    ? 0
			    : !strcmp(run->watchdog, "off") ? UINT64_MAX
							    : strtoull(run->watchdog, NULL, 10),
		.dump_state = run->dump_state,
		.progress = cmd_progress() && !run->quiet ? stderr : NULL,
		.sample = run->sample ? strtoull(run->sample, NULL, 10) : 0,
		.sampling = sampling,
		.threads = threads,
		.corun_cycles = run->corun_cycles ? strtoull(run->corun_cycles, NULL, 10) : 0,
		.trace = run->trace,
		.diag = runs->diag,
	};
	char *text = NULL;
	*status = kernel_run(&runs->kernel, &sim_options, runs->done++ == 0 && !run->json, &text);
	struct run_statistics *stats = run_statistics_of(text, runs->diag);
	if (*status == 0 && runs->kernel.found)
		*status = FOUND;
	free(text);
	return stats;
}

/* Runs under each policy, until one fails. The exit status. */
static int run_all(struct runs *runs, struct run_statistics **stats)
{
	const struct run *run = runs->run;
	int status = 0;
	if (run->check && hd_sim_check_parse(run->check, &runs->checks, runs->diag))
		return CMD_ERROR;
	if (run->kernel && kernel_load(&runs->kernel, run->program[0], run->kernel, run->launch, runs->diag))
		status = CMD_ERROR;
	for (uint32_t i = 0; i < run->policies.len && !status; i++)
		stats[i] = best_run(run->policies.data[i], run->kernel ? run_kernel : run_program, runs, &status);
	for (uint32_t i = 0; i < run->policies.len; i++)
		if (stats[i])
			run_slots_choose(stats[i]->document, run->by_line, run->by_instruction);
	if (run->kernel)
		kernel_release(&runs->kernel);
	return status;
}

/* ------------------------------------------------------------ figures */

/* Launches that ran the original code, though the policy wanted linear versions (R2D2 4.4). */
static void print_fallbacks(const json_t *sum)
{
	static const struct {
		const char *key, *why;
	} reasons[] = {
		{"linear_check_fallbacks", "a condition did not hold"},
		{"linear_small_fallbacks", "the grid is small"},
		{"linear_register_fallbacks", "registers did not suffice"},
	};
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (figure_number(sum, reasons[i].key) > 0)
			printf("%10.0f of these: original code, %s\n", figure_number(sum, reasons[i].key),
			       reasons[i].why);
}

/* One line for each kernel. */
static void print_kernels(const struct run_statistics *stats)
{
	json_t *sum;
	const char *name;
	if (json_is_true(json_object_get(stats->document, "functional"))) {
		printf("%10s %18s  kernel\n", "launches", "warp instructions");
		json_object_foreach(stats->kernels, name, sum)
		{
			printf("%10.0f %18.0f  %s\n", figure_number(sum, "launches"),
			       figure_number(sum, "warp_instructions"), name);
			print_fallbacks(sum);
		}
		return;
	}
	printf("%10s %14s %18s %8s  kernel\n", "launches", "cycles", "warp instructions", "IPC");
	json_object_foreach(stats->kernels, name, sum)
	{
		printf("%10.0f %14.0f %18.0f %8.3f  %s\n", figure_number(sum, "launches"), figure_number(sum, "cycles"),
		       figure_number(sum, "warp_instructions"), figure_number(sum, "ipc"), name);
		print_fallbacks(sum);
	}
}

static const json_t *key_of(const struct run_statistics *stats, const char *key)
{
	return stats ? json_object_get(stats->document, key) : NULL;
}

static void print_grids(const struct run_statistics *stats)
{
	double sector = figure_number(key_of(stats, "config"), "sector");
	run_grids_print(stats->grids, sector);
	run_coruns_print(key_of(stats, "coruns"), sector);
}

static void print_rows(const struct run *run, struct run_statistics *const *stats, const struct figure_row *row,
		       unsigned count)
{
	for (unsigned r = 0; r < count; r++) {
		printf("%-26s", row[r].label);
		for (uint32_t i = 0; i < run->policies.len; i++) {
			char text[64] = "-";
			const json_t *total = key_of(stats[i], "total");
			if (total)
				snprintf(text, sizeof text, row[r].format,
					 row[r].value(total, json_object_get(total, "l1d")));
			printf(" %16s", text);
		}
		printf("\n");
	}
}

/* Whose kernels follow, and of a search what it found. */
static void print_policy(const struct run *run, const char *policy, const struct run_statistics *stats)
{
	bool searched = key_of(stats, "best_of");
	if (searched)
		printf("%s: %s\n", policy, json_string_value(key_of(stats, "policy")));
	else if (run->policies.len > 1)
		printf("%s\n", policy);
}

/* How many times as fast as the first policy each is. */
static void print_speedups(const struct run *run, struct run_statistics *const *stats)
{
	double first = figure_number(key_of(stats[0], "total"), "cycles");
	printf("%-26s", "  speedup");
	for (uint32_t i = 0; i < run->policies.len; i++) {
		double cycles = figure_number(key_of(stats[i], "total"), "cycles");
		char text[64] = "-";
		if (first > 0 && cycles > 0 && !json_is_true(key_of(stats[i], "partial")))
			snprintf(text, sizeof text, "%.3f", first / cycles);
		printf(" %16s", text);
	}
	printf("\n");
}

/* Runs end with the first that fails: whose figures are missing, and why. */
static void print_missing(const struct run *run, struct run_statistics *const *stats)
{
	const char *failed = NULL;
	for (uint32_t i = 0; i < run->policies.len; i++) {
		const char *policy = run->policies.data[i];
		if (!stats[i] && !failed)
			printf("\n%s: no figures, since its run failed\n", policy);
		else if (!stats[i])
			printf("\n%s: not run, since the run under %s failed\n", policy, failed);
		if (!failed && (!stats[i] || (i + 1 < run->policies.len && !stats[i + 1])))
			failed = policy;
	}
}

/* Of how much the figures are estimates, and how good those of time and energy are. */
static void print_sampled(const struct run_statistics *stats)
{
	const json_t *total = key_of(stats, "total"), *sampled = json_object_get(total, "sampling");
	const json_t *errors = json_object_get(sampled, "errors");
	static const char *const keys[] = {"cycles", "energy_joules"}, *const names[] = {"cycles", "energy"};
	if (!sampled)
		return;
	double all = figure_number(sampled, "launches"), timed = all - figure_number(sampled, "functional");
	double work = figure_number(sampled, "instructions");
	printf("  sampled: %.0f of %.0f launch%s with time, %.2f %% of instructions; errors:", timed, all,
	       all == 1 ? "" : "es", work > 0 ? 100 * figure_number(sampled, "detailed_instructions") / work : 0);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		bool unknown = json_is_null(json_object_get(errors, keys[i]));
		double value = figure_number(total, keys[i]);
		printf("%s %s ", i ? "," : "", names[i]);
		if (unknown)
			printf("unknown");
		else
			printf("%.2f %%", value > 0 ? 100 * figure_number(errors, keys[i]) / value : 0);
	}
	printf("\n");
}

/* What --verify came to, of what the metadata states about functions that ran; kinds of which there is nothing are left
 * out. */
static void print_verified(const struct run_statistics *stats)
{
	const json_t *kinds = key_of(stats, "verified");
	const char *separator = "  checked: ", *key;
	json_t *kind;
	json_object_foreach((json_t *)kinds, key, kind)
	{
		json_int_t stated = json_integer_value(json_object_get(kind, "stated"));
		json_int_t checked = json_integer_value(json_object_get(kind, "checked"));
		char name[32];
		snprintf(name, sizeof name, "%s", key);
		for (char *at = name; *at; at++)
			*at = *at == '_' ? ' ' : *at;
		if (stated)
			printf("%s%lld of %lld %s", separator, (long long)checked, (long long)stated, name);
		if (stated)
			separator = ", ";
	}
	if (kinds)
		printf("\n");
}

static void print_timing(const struct run *run, struct run_statistics *const *stats)
{
	print_rows(run, stats, figure_rows, 1);
	if (run->policies.len > 1)
		print_speedups(run, stats);
	print_rows(run, stats, figure_rows + 1, figure_row_count - 1);
}

static void print_table(const struct run *run, struct run_statistics *const *stats)
{
	bool partial = false;
	size_t processes = 0;
	for (uint32_t i = 0; i < run->policies.len; i++) {
		size_t count = json_array_size(key_of(stats[i], "processes"));
		processes = count > processes ? count : processes;
		partial = partial || json_is_true(key_of(stats[i], "partial"));
	}
	printf("\n%s on %s%s%s%s", run->program[0], run->gpu, run->functional ? ", without timing" : "",
	       run->verify ? ", verified" : "", partial ? ", up to where it was stopped" : "");
	if (processes)
		printf(", %zu processes", processes);
	printf("\n");
	printf("%-26s", "");
	for (uint32_t i = 0; i < run->policies.len; i++)
		printf(" %16s", run->policies.data[i]);
	printf("\n");
	if (run->functional)
		print_rows(run, stats, figure_functional_rows, figure_functional_row_count);
	else
		print_timing(run, stats);
	if (run->ideal)
		print_rows(run, stats, figure_ideal_rows, figure_ideal_row_count);
	for (uint32_t i = 0; i < run->policies.len; i++)
		if (stats[i]) {
			printf("\n");
			print_policy(run, run->policies.data[i], stats[i]);
			print_kernels(stats[i]);
			print_grids(stats[i]);
			print_sampled(stats[i]);
			print_verified(stats[i]);
			run_slots_print(stats[i]->document);
		}
	print_missing(run, stats);
}

/* To a file, all of it or nothing; or to stdout when `path` is NULL. */
static int write_statistics(const struct run *run, struct run_statistics *const *stats, const char *path,
			    struct hd_diag *diag)
{
	struct hd_output output = {.to = stdout};
	if (path && hd_output_open(&output, path, diag))
		return CMD_ERROR;
	int status = run_statistics_write(stats, run->policies.len, output.to);
	if (status)
		hd_error(diag, HD_NOWHERE, "launches are missing in the statistics: the temporary file of them failed");
	if (path && hd_output_close(&output, diag))
		status = -1;
	return status ? CMD_ERROR : 0;
}

static int report(const struct run *run, struct run_statistics *const *stats, struct hd_diag *diag)
{
	int status = 0;
	bool any = false;
	for (uint32_t i = 0; i < run->policies.len; i++)
		any = any || stats[i];
	if (!any)
		return 0;
	if (run->stats)
		status = write_statistics(run, stats, run->stats, diag);
	if (run->json)
		status = write_statistics(run, stats, NULL, diag) || status ? CMD_ERROR : 0;
	else if (!run->quiet)
		print_table(run, stats);
	return status;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"-- PROGRAM [ARG...]\n--kernel NAME --launch SPEC.ini FILE",
		"Runs a CUDA program that heddle-cc built on the simulated GPU, once for each --policy, and prints the "
		"figures "
		"side by side. Or runs one kernel of a kernel object or of LLVM IR.\v"
		"SPEC.ini: [launch] with grid, block, shared and cooperative (0 or 1); [arg0], [arg1], ... with kind = "
		"i8, u8, "
		"... i64, u64, f32, f64 (value = V), struct (value = TYPE:V, TYPE:V, ... or count and init of its "
		"bytes) or buffer "
		"(type, count, init = zero | ramp | value:V | "
		"random:SEED[:LOW:HIGH] | file:PATH, "
		"output = PATH, print = N, compare = file:PATH with abs and rel); [symbol NAME] for device "
		"variables.\n\n"
		"Exit status: the program's own; 1 when a comparison differs; 2 when the simulated GPU reports a fault "
		"or the input is "
		"wrong; 3 when --check found something. A signal that would end heddle run (HUP, INT, QUIT, TERM) is "
		"passed on to the program; the "
		"figures of the runs "
		"that are complete follow, and then heddle run ends by it. No process of the program stays behind.",
		NULL,
		NULL,
		NULL};
	struct run run = {.gpu = "v100"};
	struct hd_diag diag = {.tool = "heddle run"};
	cmd_parse(&argp, argc, argv, ARGP_IN_ORDER, &run);
	if (!run.policies.len)
		hd_vec_push(&run.policies, run.time_slice ? "preempt" : "baseline");
	set_slices(&run);
	struct hd_config config;
	struct hd_signals signals;
	int status = check_settings(&run, &config, &diag) ? 2 : 0;
	struct run_statistics **stats = hd_xcalloc(run.policies.len, sizeof(*stats));
	if (!run.kernel)
		hd_signals_hold(&signals);
	if (!status)
		status = run_all(&(struct runs){.run = &run, .config = &config, .signals = &signals, .diag = &diag},
				 stats);
	int report_status = report(&run, stats, &diag);
	if (!run.kernel)
		hd_signals_release(&signals);
	for (uint32_t i = 0; i < run.policies.len; i++)
		run_statistics_free(stats[i]);
	free(stats);
	hd_vec_release(&run.policies);
	hd_strbuf_release(&run.set);
	return status ? status : report_status;
}
