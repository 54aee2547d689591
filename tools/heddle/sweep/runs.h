/*
 * The runs of a plan: the cross product of its lists for every workload and configuration, without what it excludes.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_RUNS_H
#define HD_TOOLS_HEDDLE_SWEEP_RUNS_H

#include "lib/hash.h"
#include "lib/sha256.h"
#include "tools/heddle/sweep/plan.h"

enum { MOST_PARTNERS = 3 }; /* beside a program, in `heddle corun` */
enum { RUN_KEY = 41 };	    /* digits of a result's name and the terminating NUL: 160 bits of a SHA-256 */

/* One name with the value that a run has for it: "workload", "gpu", "l1_bytes", a variable. */
struct coordinate {
	const char *name, *value;
	const char *template;  /* the value as the plan has it, with its variables */
	uint32_t line;	       /* of the plan */
	bool of_configuration; /* from a [configuration] */
};

struct sweep_run {
	const struct coordinate *coordinates;
	uint32_t count;
	uint32_t program, config; /* of sweep_runs */
	struct sweep_partner {
		uint32_t program;
		const char *arguments;
	} partners[MOST_PARTNERS]; /* that run concurrently, `heddle corun` */
	uint32_t partner_count;
	const struct plan_list *check; /* what lines of its output match; NULL: any output will do */
	uint32_t same;		       /* the first run with the same key; its own index: it is the first */
	char key[RUN_KEY];	       /* "": the program is not there yet */
};

/* A program that is there, or that is compiled from sources. */
struct sweep_program {
	const char *path;
	const char *source, *compile; /* NULL: it is not compiled here */
	uint32_t line;		      /* of the plan */
	char digest[HD_SHA256_TEXT];  /* of its content; "": it is not there */
};

/* A GPU with what is changed in it. */
struct sweep_config {
	const char *wish;      /* how the plan's values say it */
	const char *gpu, *set; /* "key=value;..." */
	bool good;
	char digest[HD_SHA256_TEXT];
};

struct sweep_runs {
	const struct plan *plan;
	struct hd_arena arena;
	HD_VEC(struct sweep_run) runs;
	HD_VEC(struct sweep_program) programs;
	HD_VEC(struct sweep_config) configs;
	HD_VEC(const char *) checked; /* policies and configurations that are known to be good */
	struct hd_hash_set program_set, config_set, checked_set;
	uint32_t excluded;
};

struct runs_options {
	const char *size;	/* of the workloads' arguments; NULL: the default ones */
	struct plan_list *only; /* of these names only these values */
	uint32_t only_count;
};

/* 0, or -1 with the errors reported. Released either way; the plan outlives it. */
int runs_expand(struct sweep_runs *runs, const struct plan *plan, const struct runs_options *options,
		struct hd_diag *diag);
void runs_release(struct sweep_runs *runs);

/* "" where the run has no such name. */
const char *run_value(const struct sweep_run *run, const char *name);
/* "workload configuration arguments ..." for messages, in the arena. */
const char *run_title(const struct sweep_run *run, struct hd_arena *arena);

/*
 * A hash of all coordinates but some: those of the names in the list, those that came with the configuration if it is
 * among them, and variables that only these mention. Runs with the same one differ in these alone.
 */
uint64_t run_others(const struct sweep_run *run, const char *const *names, uint32_t count);

/* check.c: reports the workload's checks that are no regular expressions. */
void runs_check_expressions(const struct plan *plan, const struct plan_section *workload, struct hd_diag *diag);

/* runs_config.c: checks the run's GPU, policy and configuration and gives it its struct sweep_config. 0 or -1. */
int runs_configure(struct sweep_runs *runs, struct sweep_run *run, struct hd_diag *diag);

#endif
