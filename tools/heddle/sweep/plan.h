/*
 * A plan of a sweep as its file has it: sections of keys, each with a list of values. docs/sweep.md says what plans
 * mean; sweep/runs.h makes runs of one.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_PLAN_H
#define HD_TOOLS_HEDDLE_SWEEP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/vec.h"

enum plan_kind {
	PLAN_SWEEP,	/* [sweep]: where results go, and the limits of a run */
	PLAN_VARIABLES, /* [variables]: names that values mention as {name} */
	PLAN_AXES,	/* [axes]: what holds for all workloads and configurations */
	PLAN_WORKLOADS, /* [workloads]: a table of them */
	PLAN_WORKLOAD,	/* [workload NAME] */
	PLAN_CONFIGURATION,
	PLAN_EXCLUDE,
	PLAN_KINDS
};

struct plan_value {
	const char *text;
	uint32_t line;
};

struct plan_list {
	const char *key;
	uint32_t line;
	HD_VEC(struct plan_value) values;
};

struct plan_section {
	enum plan_kind kind;
	const char *name; /* of a workload or configuration; else "" */
	uint32_t line;
	HD_VEC(struct plan_list) lists;
};

/* Everything is in the arena. */
struct plan {
	const char *path;
	struct hd_arena arena;
	HD_VEC(struct plan_section) sections;
};

/* Reads and checks the names of sections and keys; all that is wrong is reported. 0 or -1. Released either way. */
int plan_read(struct plan *plan, const char *path, struct hd_diag *diag);
void plan_release(struct plan *plan);

/* The key's list in a section; NULL: it is not there, or `section` is NULL. */
const struct plan_list *plan_find(const struct plan_section *section, const char *key);
/* The only section of a kind that has no name; NULL: there is none. */
const struct plan_section *plan_section_of(const struct plan *plan, enum plan_kind kind);
/* The [workload NAME]; NULL: there is none. */
const struct plan_section *plan_workload(const struct plan *plan, const char *name);
/* The folder that the plan's paths begin in, and one of these; in the arena. */
const char *plan_root(struct plan *plan);
const char *plan_path(struct plan *plan, const char *path);
/* Adds the workloads of the plan's table, where it has one (workloads.c). Errors are reported. */
void plan_add_workloads(struct plan *plan, struct hd_diag *diag);
/* Gives a variable one value in place of what the plan says: "NAME=VALUE". 0, or -1 with the error reported. */
int plan_define(struct plan *plan, const char *assignment, struct hd_diag *diag);
/* The value of a key of [sweep] that has one, or `otherwise`. */
const char *plan_setting(const struct plan *plan, const char *key, const char *otherwise);
/* "2G", "500M", "64k", "100": bytes. False: it is no such number. */
bool plan_bytes(const char *text, uint64_t *bytes);
/* Whether the name is a key of a GPU's configuration ("l1_bytes") or of a policy ("cars.pj_rename"). */
bool plan_is_configuration(const char *name);
static inline struct hd_loc plan_loc(const struct plan *plan, uint32_t line)
{
	return (struct hd_loc){plan->path, line, 0};
}

#endif
