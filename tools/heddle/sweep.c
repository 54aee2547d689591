/*
 * heddle sweep: runs the cross product that a plan describes, each different run once, keeps a result of each, and
 * gathers them. docs/sweep.md has plans, the folder of results and the database.
 */
#include <argp.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/scratch.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/sweep/gather.h"
#include "tools/heddle/sweep/sweep.h"
#include "tools/heddle/sweep/values.h"

enum {
	KEY_SIZE = 0x100,
	KEY_ONLY,
	KEY_AGAIN,
	KEY_QUIET,
	KEY_LIST,
	KEY_COMPILE,
	KEY_DATABASE,
	KEY_CSV,
	KEY_JSONL,
	KEY_ENGINE,
	KEY_PARTITION,
	KEY_TIME,
	KEY_MEMORY,
	KEY_ACCOUNT,
	KEY_CHUNK,
	KEY_TASK
};

enum { CHUNK = 60 /* seconds of a task in Slurm's queue, which takes about a second of its own */ };

static const struct argp_option options[] = {
	{"dry-run", 'n', NULL, 0, "count the runs and estimate their time from earlier runs", 0},
	{"list", KEY_LIST, NULL, 0, "print each run as a line of JSON with its state and the path of its result", 0},
	{"compile", KEY_COMPILE, NULL, 0, "compile the plan's programs and run nothing", 0},
	{"gather", 'g', NULL, 0, "gather the results of the plan's runs into an SQLite file (default: DIR/results.db)",
	 0},
	{"database", KEY_DATABASE, "FILE", 0, "gather the results into this SQLite file", 0},
	{"csv", KEY_CSV, "FILE", 0,
	 "gather the results as comma-separated values, one row per run (no SQLite file unless --database is "
	 "given)",
	 0},
	{"jsonl", KEY_JSONL, "FILE", 0,
	 "gather the results as JSON lines, one line per run (no SQLite file unless --database is given)", 0},
	{"out", 'o', "DIR", 0, "folder for the results (default: that of the plan, else NAME.sweep)", 0},
	{"jobs", 'j', "N", 0,
	 "use N processors (default: that of the plan, else all); with Slurm: keep at most N tasks in the queue", 0},
	{"size", KEY_SIZE, "NAME", 0, "run only workloads that have `arguments.NAME`, with these arguments", 0},
	{"define", 'D', "NAME=VALUE", 0, "set a variable of the plan to this value or list", 0},
	{"only", KEY_ONLY, "NAME=VALUES", 0, "run only runs with one of these values, e.g. workload=fib,mst", 0},
	{"again", KEY_AGAIN, NULL, 0, "repeat runs that failed before", 0},
	{"quiet", KEY_QUIET, NULL, 0, "print no progress and no summary", 0},
	{"engine", KEY_ENGINE, "NAME", 0, "`local`: run on this machine; `slurm`: run in a cluster's queue", 0},
	{"partition", KEY_PARTITION, "NAME", 0, "Slurm partition", 1},
	{"time", KEY_TIME, "TIME", 0, "time limit of a Slurm task (default: from the plan's limit per run)", 1},
	{"mem", KEY_MEMORY, "SIZE", 0, "memory of a Slurm task (default: from the plan's limit per run)", 1},
	{"account", KEY_ACCOUNT, "NAME", 0, "Slurm account", 1},
	{"chunk", KEY_CHUNK, "SECONDS", 0,
	 "group short runs into Slurm tasks of about this estimated length (default: 60; 0: one run per task)", 1},
	{"task", KEY_TASK, NULL, OPTION_HIDDEN, "run the jobs of a file", 0},
	{0}};

enum mode { MODE_RUN, MODE_COMPILE, MODE_DRY_RUN, MODE_LIST, MODE_GATHER, MODE_TASK };

struct arguments {
	enum mode mode;
	const char *plan, *out, *size;
	uint32_t jobs;
	bool again, quiet, cluster;
	const char *slurm_option; /* one that was given */
	struct slurm_options slurm;
	struct gather_options gather;
	HD_VEC(const char *) defines, only;
};

static const char *gather(struct arguments *arguments, const char *path)
{
	arguments->mode = MODE_GATHER;
	return path;
}

static const char *of_slurm(struct arguments *arguments, const char *name, const char *value)
{
	arguments->slurm_option = name;
	return value;
}

static bool is_slurm(struct argp_state *state, const char *name)
{
	if (strcmp(name, "slurm") != 0 && strcmp(name, "local") != 0)
		argp_error(state, "--engine: invalid value '%s' (expected local or slurm)", name);
	return !strcmp(name, "slurm");
}

static void check_arguments(const struct arguments *arguments, struct argp_state *state)
{
	if (arguments->slurm_option && !arguments->cluster)
		argp_error(state, "--%s needs --engine slurm", arguments->slurm_option);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct slurm_options *slurm = &arguments->slurm;
	switch (key) {
	case 'n': arguments->mode = MODE_DRY_RUN; break;
	case KEY_LIST: arguments->mode = MODE_LIST; break;
	case KEY_COMPILE: arguments->mode = MODE_COMPILE; break;
	case 'g': arguments->mode = MODE_GATHER; break;
	case KEY_DATABASE: arguments->gather.database = gather(arguments, arg); break;
	case KEY_CSV: arguments->gather.csv = gather(arguments, arg); break;
	case KEY_JSONL: arguments->gather.lines = gather(arguments, arg); break;
	case 'o': arguments->out = arg; break;
	case 'j': arguments->jobs = cmd_parse_count(state, "--jobs", arg, 1, 4096); break;
	case KEY_SIZE: arguments->size = arg; break;
	case 'D': hd_vec_push(&arguments->defines, arg); break;
	case KEY_ONLY: hd_vec_push(&arguments->only, arg); break;
	case KEY_AGAIN: arguments->again = true; break;
	case KEY_QUIET: arguments->quiet = true; break;
	case KEY_ENGINE: arguments->cluster = is_slurm(state, arg); break;
	case KEY_PARTITION: slurm->partition = of_slurm(arguments, "partition", arg); break;
	case KEY_TIME: slurm->time = of_slurm(arguments, "time", arg); break;
	case KEY_MEMORY: slurm->memory = of_slurm(arguments, "mem", arg); break;
	case KEY_ACCOUNT: slurm->account = of_slurm(arguments, "account", arg); break;
	case KEY_CHUNK:
		slurm->chunk = cmd_parse_count(state, "--chunk", of_slurm(arguments, "chunk", arg), 0, 1000000);
		break;
	case KEY_TASK: arguments->mode = MODE_TASK; break;
	case ARGP_KEY_END: check_arguments(arguments, state); break;
	case ARGP_KEY_ARG:
		if (arguments->plan)
			argp_error(state, "more than one PLAN");
		arguments->plan = arg;
		break;
	case ARGP_KEY_NO_ARGS: argp_error(state, "missing PLAN"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ------------------------------------------------------------ settings */

static int wrong_setting(const struct sweep *sweep, const char *key, const char *needs)
{
	const struct plan_list *list = plan_find(plan_section_of(&sweep->plan, PLAN_SWEEP), key);
	return hd_error(sweep->diag, plan_loc(&sweep->plan, list->line), "%s needs %s, not '%s'", key, needs,
			list->values.data[0].text);
}

static int count_setting(const struct sweep *sweep, const char *key, uint32_t otherwise, uint32_t *value)
{
	const char *text = plan_setting(&sweep->plan, key, NULL);
	char *end;
	*value = otherwise;
	if (!text)
		return 0;
	unsigned long number = strtoul(text, &end, 10);
	*value = (uint32_t)number;
	return *end || *text < '1' || *text > '9' || number > 4096
		       ? wrong_setting(sweep, key, "a number from 1 to 4096")
		       : 0;
}

static int read_settings(struct sweep *sweep, const struct arguments *arguments)
{
	const char *time = plan_setting(&sweep->plan, "time", NULL),
		   *memory = plan_setting(&sweep->plan, "memory", NULL);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	char *end;
	int status = count_setting(sweep, "threads", 1, &sweep->threads);
	status |= count_setting(sweep, "jobs", processors > 0 ? (uint32_t)processors : 1, &sweep->jobs);
	if (arguments->jobs)
		sweep->jobs = arguments->jobs;
	if (time) {
		sweep->seconds = strtod(time, &end);
		if (end == time || *end || !(sweep->seconds > 0))
			status = wrong_setting(sweep, "time", "seconds");
	}
	if (memory && !plan_bytes(memory, &sweep->bytes))
		status = wrong_setting(sweep, "memory", "bytes, as in 500M or 2G");
	return status;
}

/* --only NAME=VALUES as lists, in the arena. */
static int read_only(struct sweep *sweep, const struct arguments *arguments, struct runs_options *options)
{
	options->only = HD_ARENA_NEW(&sweep->arena, struct plan_list, arguments->only.len + 1);
	for (uint32_t i = 0; i < arguments->only.len; i++) {
		const char *text = arguments->only.data[i], *equals = strchr(text, '=');
		struct plan_list *list = &options->only[options->only_count++];
		if (!equals)
			return hd_error(sweep->diag, HD_NOWHERE, "--only: expected NAME=VALUES, not '%s'", text);
		list->key = hd_arena_printf(&sweep->arena, "%.*s", (int)(equals - text), text);
		const char *wrong = values_add(list, equals + 1, 0, &sweep->arena);
		if (wrong)
			return hd_error(sweep->diag, HD_NOWHERE, "--only %s: %s", text, wrong);
	}
	return 0;
}

static const char *absolute(struct sweep *sweep, const char *folder, const char *path)
{
	return *path == '/' ? path : hd_arena_printf(&sweep->arena, "%s/%s", folder, path);
}

/* --out is relative to here, the plan's `out` to its root. */
static const char *out_of(struct sweep *sweep, const struct arguments *arguments, const char *here, const char *root)
{
	const char *out = plan_setting(&sweep->plan, "out", NULL);
	const char *base = basename(hd_arena_strdup(&sweep->arena, sweep->plan.path));
	const char *dot = strrchr(base, '.');
	if (arguments->out)
		return absolute(sweep, here, arguments->out);
	if (out)
		return absolute(sweep, root, out);
	return hd_arena_printf(&sweep->arena, "%s/%.*s.sweep", here, (int)(dot ? dot - base : (long)strlen(base)),
			       base);
}

static void place_gathered(struct sweep *sweep, struct gather_options *gather, const char *here)
{
	const char **paths[] = {&gather->database, &gather->csv, &gather->lines};
	if (!gather->database && !gather->csv && !gather->lines)
		gather->database = hd_arena_printf(&sweep->arena, "%s/results.db", sweep->store.path);
	for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++)
		if (*paths[i])
			*paths[i] = absolute(sweep, here, *paths[i]);
}

/* Reads the plan, finds the folders, and goes to the plan's root. */
static int prepare(struct sweep *sweep, struct arguments *arguments)
{
	struct runs_options options = {.size = arguments->size};
	char here[4096], root[4096];
	if (plan_read(&sweep->plan, arguments->plan, sweep->diag))
		return -1;
	for (uint32_t i = 0; i < arguments->defines.len; i++)
		if (plan_define(&sweep->plan, arguments->defines.data[i], sweep->diag))
			return -1;
	if (read_settings(sweep, arguments) || read_only(sweep, arguments, &options))
		return -1;
	if (!getcwd(here, sizeof here) || chdir(plan_root(&sweep->plan)) || !getcwd(root, sizeof root))
		return hd_error(sweep->diag, HD_NOWHERE, "%s: %s", plan_root(&sweep->plan), strerror(errno));
	if (runs_expand(&sweep->runs, &sweep->plan, &options, sweep->diag))
		return -1;
	const char *out = out_of(sweep, arguments, here, root);
	int status = store_open(&sweep->store, out, arguments->mode <= MODE_COMPILE, sweep->diag);
	place_gathered(sweep, &arguments->gather, here);
	return status;
}

/* heddle is this program, and heddle-cc lies beside it. */
static void find_programs(struct sweep *sweep)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	sweep->heddle = length > 0 ? hd_arena_strdup(&sweep->arena, path) : "heddle";
	sweep->heddle_cc = length > 0 ? hd_arena_printf(&sweep->arena, "%s/heddle-cc", dirname(path)) : "heddle-cc";
}

/* ------------------------------------------------------------ modes */

/* Compiling was the local engine's; the runs are Slurm's. */
static int drive(struct sweep *sweep, const struct arguments *arguments)
{
	struct engine *local = sweep->engine;
	struct slurm_options options = arguments->slurm;
	if (!arguments->cluster)
		return sweep_drive(sweep);
	const char *folder = hd_arena_printf(&sweep->arena, "%s/slurm", sweep->store.path);
	options.tasks = arguments->jobs;
	sweep->cluster = true;
	sweep->work = hd_arena_printf(&sweep->arena, "%s/runs", folder);
	sweep->engine = engine_slurm(&sweep->signals, &options, folder, sweep->heddle, sweep->diag);
	int status = sweep->engine ? sweep_drive(sweep) : CMD_ERROR;
	if (sweep->engine)
		sweep->engine->release(sweep->engine);
	sweep->engine = local;
	return status;
}

static int act(struct sweep *sweep, const struct arguments *arguments)
{
	enum mode mode = arguments->mode;
	int compiled = sweep_compile(sweep, mode <= MODE_COMPILE), status = CMD_ERROR;
	if (compiled < 0 || mode == MODE_COMPILE)
		return compiled ? CMD_ERROR : 0;
	identity_keys(&sweep->identity, &sweep->runs);
	estimates_open(&sweep->estimates, &sweep->store, mode == MODE_RUN);
	switch (mode) {
	case MODE_RUN: status = drive(sweep, arguments); break;
	case MODE_COMPILE:
	case MODE_TASK: break;
	case MODE_DRY_RUN: status = sweep_dry_run(sweep); break;
	case MODE_LIST: status = sweep_list(sweep); break;
	case MODE_GATHER: status = sweep_gather(sweep, &arguments->gather); break;
	}
	estimates_close(&sweep->estimates);
	return compiled ? CMD_ERROR : status;
}

/* What is made meanwhile goes where the results are, or, where these are only read, elsewhere. */
static int act_in_folder(struct sweep *sweep, const struct arguments *arguments)
{
	struct hd_scratch scratch = {0};
	int status = CMD_ERROR;
	if (sweep->store.temporary || !hd_scratch_make(&scratch, "heddle-sweep", &sweep->arena, sweep->diag)) {
		if (!sweep->store.temporary)
			sweep->store.temporary = scratch.path;
		hd_signals_hold(&sweep->signals);
		sweep->work = sweep->store.temporary;
		sweep->engine = engine_local(&sweep->signals, sweep->jobs);
		status = act(sweep, arguments);
		sweep->engine->release(sweep->engine);
	}
	if (scratch.path)
		hd_scratch_release(&scratch);
	return status;
}

int cmd_sweep(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"PLAN.ini",
		"Runs programs on simulated GPUs, once for each combination of the values in a plan, and "
		"stores the statistics of each run. Runs with a stored result are not repeated.\v"
		"A plan has sections [sweep], [axes], [variables], [workload NAME], [configuration NAME] and "
		"[exclude]; docs/sweep.md explains them.\n\n"
		"Exit status: 0; 1 if runs failed; 2 for a wrong plan or an unusable folder. A signal (Ctrl-C) "
		"ends the active runs; the same command continues with the remaining ones.",
		NULL,
		NULL,
		NULL};
	struct arguments arguments = {.slurm = {.chunk = CHUNK}};
	struct hd_diag diag = {.tool = "heddle sweep"};
	struct sweep sweep = {.diag = &diag, .store = {.lock = -1}};
	cmd_parse(&argp, argc, argv, 0, &arguments);
	if (arguments.mode == MODE_TASK) {
		hd_vec_release(&arguments.defines);
		hd_vec_release(&arguments.only);
		return engine_task(arguments.plan);
	}
	hd_arena_init(&sweep.arena);
	hd_arena_init(&sweep.runs.arena);
	hd_arena_init(&sweep.store.arena);
	sweep.again = arguments.again;
	sweep.quiet = arguments.quiet;
	find_programs(&sweep);
	int status = CMD_ERROR;
	if (!identity_init(&sweep.identity, &diag) && !prepare(&sweep, &arguments))
		status = act_in_folder(&sweep, &arguments);
	identity_release(&sweep.identity);
	store_close(&sweep.store);
	runs_release(&sweep.runs);
	plan_release(&sweep.plan);
	hd_arena_release(&sweep.arena);
	hd_vec_release(&arguments.defines);
	hd_vec_release(&arguments.only);
	if (sweep.engine)
		hd_signals_release(&sweep.signals);
	return status;
}
