/*
 * What the command line says of a simulation: see options.h.
 */
#include "tools/heddle/run/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "heddle/policy.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/run/best.h"

error_t run_options_parse(struct run_options *run, int key, char *arg)
{
	switch (key) {
	case RUN_GPU: run->gpu = arg; break;
	case RUN_POLICY: hd_vec_push(&run->policies, arg); break;
	case RUN_STATS: run->stats = arg; break;
	case RUN_VERIFY: run->verify = true; break;
	case RUN_SET: hd_strbuf_printf(&run->set, "%s%s", run->set.len ? ";" : "", arg); break;
	case RUN_MAX_CYCLES: run->max_cycles = arg; break;
	case RUN_WATCHDOG: run->watchdog = arg; break;
	case RUN_DUMP_STATE: run->dump_state = true; break;
	case RUN_OUT_OF_BOUNDS: run->out_of_bounds = arg; break;
	case RUN_TRACE: run->trace = arg; break;
	case RUN_PROFILE: run->profile = true; break;
	case RUN_SAMPLE: run->sample = arg; break;
	case RUN_THREADS: run->threads = arg; break;
	case RUN_TIME_SLICE: run->time_slice = arg; break;
	case RUN_BY_LINE: run->by_line = true; break;
	case RUN_BY_INSTRUCTION: run->by_instruction = true; break;
	case RUN_JSON: run->json = true; break;
	case RUN_QUIET: run->quiet = true; break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const char *run_options_file(const struct run_options *run, const char *file, const char *policy, char *room)
{
	const char *slash = file ? strrchr(file, '/') : NULL, *dot = file ? strchr(slash ? slash : file, '.') : NULL;
	if (!file || run->policies.len < 2)
		return file;
	int before = dot ? (int)(dot - file) : (int)strlen(file);
	snprintf(room, PATH_MAX, "%.*s.%s%s", before, file, policy, dot ? dot : "");
	/* A policy may be a path. */
	for (char *at = room + before; *at; at++)
		if (*at == '/')
			*at = '_';
	return room;
}

const char *run_options_name(const struct run_options *run, const char *policy, char *room)
{
	if (run->policies.len < 2)
		return run->timeline_name;
	snprintf(room, PATH_MAX, "%s%s%s", run->timeline_name ? run->timeline_name : "", run->timeline_name ? " " : "",
		 policy);
	return room;
}

bool run_number(const char *text, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int check_number(const char *option, const char *text, struct hd_diag *diag)
{
	uint64_t number;
	if (text && (!run_number(text, &number) || !number))
		return hd_error(diag, HD_NOWHERE, "%s needs a positive number, not '%s'", option, text);
	return 0;
}

const char *run_options_threads(const struct run_options *run)
{
	return run->threads ? run->threads : getenv("HEDDLE_THREADS");
}

/* Whether what the option names can be written in the end. */
static int check_place(const char *option, const char *path, struct hd_diag *diag)
{
	int error = path ? hd_output_check(path) : 0;
	return error ? hd_error(diag, HD_NOWHERE, "%s: cannot write %s: %s", option, path, strerror(error)) : 0;
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

static void set_slices(struct run_options *run)
{
	for (const struct hd_policy *policy = hd_policies; run->time_slice && policy->name; policy++)
		if (has_slices(policy))
			hd_strbuf_printf(&run->set, "%s%s.interval=0;%s.slice=%s", run->set.len ? ";" : "",
					 policy->name, policy->name, run->time_slice);
}

static int check_slices(const struct run_options *run, struct hd_diag *diag)
{
	for (uint32_t i = 0; run->time_slice && i < run->policies.len; i++)
		if (takes_slices(run->policies.data[i]))
			return 0;
	return run->time_slice
		       ? hd_error(diag, HD_NOWHERE, "--time-slice: none of the policies has time slices (preempt has)")
		       : 0;
}

/* Each policy's timeline needs a file and a name of its own. */
static int check_timelines(const struct run_options *run, const char *option, const char *file, struct hd_diag *diag)
{
	char first[PATH_MAX], second[PATH_MAX];
	for (uint32_t i = 0; file && i < run->policies.len; i++)
		for (uint32_t j = i + 1; j < run->policies.len; j++) {
			const char *one = run->policies.data[i], *other = run->policies.data[j];
			if (!strcmp(run_options_file(run, file, one, first),
				    run_options_file(run, file, other, second)))
				return hd_error(diag, HD_NOWHERE, "%s: the policies '%s' and '%s' would both write %s",
						option, one, other, first);
		}
	return 0;
}

struct written {
	const char *option;
	char path[PATH_MAX];
};

static void add_written(const char *option, const char *path, struct written *list, uint32_t *count)
{
	if (path)
		snprintf(list[*count].path, PATH_MAX, "%s", path);
	if (path)
		list[(*count)++].option = option;
}

/* What is written by options; the caller frees the list. */
static uint32_t list_written(const struct run_options *run, struct written **files)
{
	uint32_t policies = run->policies.len, count = 0;
	struct written *list = *files = hd_xcalloc(2 * (size_t)policies + 5, sizeof *list);
	char room[PATH_MAX];
	add_written("--stats", run->stats, list, &count);
	add_written("--timeline", run->timeline, list, &count); /* with several policies: the file with all */
	add_written("--checkpoint", run->checkpoint, list, &count);
	add_written("--record", run->record, list, &count);
	for (uint32_t i = 0; i < policies; i++) {
		const char *policy = run->policies.data[i];
		if (policies > 1)
			add_written("--timeline", run_options_file(run, run->timeline, policy, room), list, &count);
		add_written("--kanata", run_options_file(run, run->kanata, policy, room), list, &count);
	}
	return count;
}

const char *run_options_writer(const struct run_options *run, const char *path)
{
	struct written *list;
	uint32_t count = list_written(run, &list);
	const char *option = NULL;
	for (uint32_t i = 0; i < count && !option; i++)
		option = hd_output_same(list[i].path, path) ? list[i].option : NULL;
	free(list);
	return option;
}

/* One option's file must not replace another's. */
static int check_distinct(const struct run_options *run, struct hd_diag *diag)
{
	struct written *list;
	uint32_t count = list_written(run, &list);
	int status = 0;
	for (uint32_t i = 0; i < count && !status; i++)
		for (uint32_t j = i + 1; j < count && !status; j++)
			if (hd_output_same(list[i].path, list[j].path))
				status = hd_error(diag, HD_NOWHERE, "%s and %s would both write %s", list[i].option,
						  list[j].option, list[i].path);
	free(list);
	return status;
}

int run_options_check(const struct run_options *run, struct hd_config *config, struct hd_diag *diag)
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
		status = hd_error(diag, HD_NOWHERE, "--out-of-bounds: expected error or warn, not '%s'",
				  run->out_of_bounds);
	if (check_place("--stats", run->stats, diag) || check_place("--timeline", run->timeline, diag) ||
	    check_place("--kanata", run->kanata, diag) || check_timelines(run, "--timeline", run->timeline, diag) ||
	    check_timelines(run, "--kanata", run->kanata, diag) || check_distinct(run, diag))
		status = -1;
	bool watchdog_off = run->watchdog && !strcmp(run->watchdog, "off");
	if (!watchdog_off && check_number("--watchdog", run->watchdog, diag))
		status = -1;
	if (check_number("--max-cycles", run->max_cycles, diag) || check_number("--sample", run->sample, diag) ||
	    check_number("--corun-cycles", run->corun_cycles, diag) ||
	    check_number("--corun-apart", run->corun_apart, diag) ||
	    check_number("--time-slice", run->time_slice, diag))
		status = -1;
	uint32_t threads;
	double sampling;
	if (hd_sim_threads_parse(run_options_threads(run), &threads, diag) ||
	    hd_sim_sampling_parse(run->sampling, &sampling, diag))
		status = -1;
	if (run->sampling && run->time_slice)
		status = hd_error(diag, HD_NOWHERE,
				  "--sampling cannot be combined with --time-slice: it simulates only a part");
	if (run->corun_apart && !run->corun_cycles)
		status = hd_error(diag, HD_NOWHERE, "--corun-apart needs --corun-cycles");
	if (run->functional && (run->corun_cycles || run->time_slice))
		status = hd_error(diag, HD_NOWHERE, "%s cannot be combined with --functional, which has no timing",
				  run->corun_cycles ? "--corun-cycles" : "--time-slice");
	if (check_slices(run, diag))
		status = -1;
	if (run->functional && (run->by_line || run->by_instruction))
		status = hd_error(diag, HD_NOWHERE, "%s cannot be combined with --functional, which has no timing",
				  run->by_line ? "--by-line" : "--by-instruction");
	if (run->functional && (run->timeline || run->kanata))
		status = hd_error(diag, HD_NOWHERE, "%s cannot be combined with --functional, which has no timing",
				  run->timeline ? "--timeline" : "--kanata");
	if (run->timeline_only && !run->timeline && !run->kanata)
		status = hd_error(diag, HD_NOWHERE, "--timeline-only needs --timeline or --kanata");
	if (run->timeline_name && !run->timeline)
		status = hd_error(diag, HD_NOWHERE, "--timeline-name needs --timeline");
	return status;
}

void run_options_finish(struct run_options *run)
{
	if (!run->policies.len)
		hd_vec_push(&run->policies, run->time_slice ? "preempt" : "baseline");
	set_slices(run);
}

bool run_options_want_launches(const struct run_options *run)
{
	return run->stats || run->json;
}

void run_options_release(struct run_options *run)
{
	hd_vec_release(&run->policies);
	hd_strbuf_release(&run->set);
}

struct hd_sim_options run_options_sim(const struct run_options *run, const struct hd_config *config, const char *policy,
				      struct hd_diag *diag)
{
	uint32_t threads = 1, checks = 0;
	double sampling = 0;
	hd_sim_threads_parse(run_options_threads(run), &threads, diag);
	hd_sim_sampling_parse(run->sampling, &sampling, diag);
	if (run->check)
		hd_sim_check_parse(run->check, &checks, diag);
	return (struct hd_sim_options){
		.config = config,
		.policy = policy,
		.verify = run->verify,
		.functional = run->functional,
		.profile = run->profile,
		.blame = run->by_line || run->by_instruction,
		.ideal = run->ideal,
		.check = checks,
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
		.corun_apart = run->corun_apart ? strtoull(run->corun_apart, NULL, 10) : 0,
		.trace = run->trace,
		.timeline_only = run->timeline_only,
		.diag = diag,
	};
}
