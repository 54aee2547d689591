/*
 * How a simulation is asked for on the command line: the options of options.def and what they come to, for `heddle
 * run` and `heddle corun`.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_OPTIONS_H
#define HD_TOOLS_HEDDLE_RUN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "heddle/config.h"
#include "heddle/sim.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/* Keys of the shared options; a command's own begin at RUN_OWN_KEYS. */
enum {
	RUN_GPU = 'g',
	RUN_POLICY = 'p',
	RUN_STATS = 'o',
	RUN_VERIFY = 'v',
	RUN_SET = 's',
	RUN_JSON = 0x100,
	RUN_MAX_CYCLES,
	RUN_TRACE,
	RUN_PROFILE,
	RUN_SAMPLE,
	RUN_THREADS,
	RUN_TIME_SLICE,
	RUN_BY_LINE,
	RUN_BY_INSTRUCTION,
	RUN_QUIET,
	RUN_WATCHDOG,
	RUN_DUMP_STATE,
	RUN_OUT_OF_BOUNDS,
	RUN_OWN_KEYS
};

struct run_options {
	const char *title;		 /* of the table: what runs */
	const char *checkpoint, *record; /* files that the command writes itself, which must not be those here; NULL */
	const char *threads, *gpu, *stats, *trace, *max_cycles, *watchdog, *sample, *sampling, *corun_cycles,
		*corun_apart, *time_slice, *check, *out_of_bounds, *timeline, *kanata, *timeline_only, *timeline_name;
	bool verify, profile, ideal, json, quiet, dump_state, functional, by_line, by_instruction;
	HD_VEC(const char *) policies;
	struct hd_strbuf set;
};

/* Takes one of the shared options; ARGP_ERR_UNKNOWN for any other key. */
error_t run_options_parse(struct run_options *run, int key, char *arg);
/* When all have been parsed: what they imply. */
void run_options_finish(struct run_options *run);
/* Loads the configuration, and tells what the user named wrongly before anything starts. 0 or -1. */
int run_options_check(const struct run_options *run, struct hd_config *config, struct hd_diag *diag);
/* The option that writes a file of its own to the path; NULL: none. */
const char *run_options_writer(const struct run_options *run, const char *path);
/* Whether each launch's figures are written somewhere, as JSON. */
bool run_options_want_launches(const struct run_options *run);
void run_options_release(struct run_options *run);
/* For a simulator in this process; they passed the check. */
struct hd_sim_options run_options_sim(const struct run_options *run, const struct hd_config *config, const char *policy,
				      struct hd_diag *diag);
/* Digits alone, and no more than 64 bits: strtoull takes " -1" for the largest number. */
bool run_number(const char *text, uint64_t *number);
/* The name of a policy's run in timelines; NULL: none. In `room`, of PATH_MAX bytes, or the options'. */
const char *run_options_name(const struct run_options *run, const char *policy, char *room);
/* The file of a timeline: with several policies each one's name stands before the suffix. In `room`, which is as long
 * as PATH_MAX; NULL: none is wanted. */
const char *run_options_file(const struct run_options *run, const char *file, const char *policy, char *room);
/* What --threads says, or else the environment; NULL: neither. */
const char *run_options_threads(const struct run_options *run);

#endif
