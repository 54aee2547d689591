/*
 * What `heddle check`, `diff` and `report` share: the kernels and functions of their inputs as subjects with figures,
 * the table of metrics (heddle/metadata.def), the GPUs and block sizes for which occupancy is computed, and places in
 * the repository.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_GATE_H
#define HD_TOOLS_HEDDLE_GATE_GATE_H

#include <jansson.h>

#include "heddle/config.h"
#include "heddle/occupancy.h"
#include "lib/metadata/fields.h"
#include "tools/heddle/cmd.h"

/* ------------------------------------------------------------------ subjects */

struct gate_run;

/* A kernel or function of an input, as the compiler knows it or as a run found it. */
struct gate_subject {
	const struct cmd_unit *unit;
	const struct hd_meta_function *meta;
	const json_t *figures;	    /* its object in the metadata; of a run: the sums of its launches */
	const struct gate_run *run; /* runs.h; NULL: what the compiler says */
	const char *name;	    /* demangled where known */
	/* Of NVIDIA's code: how far behind this one the next version of the kernel in its file stands, in a ring; 0:
	 * there is no other. */
	int32_t next_version;
	bool chosen; /* to be checked: unless the command line chooses others */
};

struct gate_subjects {
	HD_VEC(struct gate_subject) list; /* by input; kernels and functions in order of symbol */
	HD_VEC(json_t *) documents;	  /* own the figures */
};

/* Everything in `input`, which must outlive the result. 0 or -1 with the error reported. */
int gate_subjects_init(struct gate_subjects *subjects, const struct cmd_input *input, struct hd_diag *diag);
void gate_subjects_release(struct gate_subjects *subjects);
/* Chooses those that the pattern matches, beside those that are; false when there are none. */
bool gate_subjects_choose(struct gate_subjects *subjects, const char *pattern);

/* ------------------------------------------------------------------ GPUs and block sizes */

enum { GATE_MOST_GPUS = 32 };

struct gate_gpus {
	struct hd_config config[GATE_MOST_GPUS];
	unsigned count;
};

/* The index of the GPU, loaded if it was not yet; -1 with the error reported at `loc`. */
int gate_gpus_add(struct gate_gpus *gpus, const char *name, struct hd_loc loc, struct hd_diag *diag);
/* The same for each name of "a, b, c"; sets their bits in *mask. 0 or -1. */
int gate_gpus_add_list(struct gate_gpus *gpus, const char *names, uint32_t *mask, struct hd_loc loc,
		       struct hd_diag *diag);

/* Where a figure is taken. A figure that is the same everywhere does not look at it. */
struct gate_setting {
	const struct hd_config *gpu;
	uint32_t block;	 /* threads of a CTA; 0 unknown */
	uint32_t bound;	 /* 0: of a known launch; else launch bounds are all that is known, and the block may be smaller
			  */
	uint32_t shared; /* dynamic shared memory of a CTA */
};

/*
 * Whether occupancy on the GPU is a figure of the subject: always, but for NVIDIA's code, of which each GPU runs one
 * version in a file (subject.c).
 */
bool gate_runs_on(const struct gate_subject *subject, const struct hd_config *gpu);
/* Whether some version of the subject's kernel in its file runs on the GPU. */
bool gate_file_runs_on(const struct gate_subject *subject, const struct hd_config *gpu);
/* Whether it is the first of these versions. */
bool gate_is_first_version(const struct gate_subject *subject);
/* The first of the GPUs' names, ended by NULL, that has the architecture of NVIDIA's code, or else runs it; variants of
 * a GPU ("v100-sim") do not count. NULL: there is none. */
const char *gate_gpu_of_cubin(const struct cmd_unit *unit, const char *const *names);

enum { GATE_MOST_BLOCKS = 16 };

/*
 * Block sizes of a kernel as its source states them: reqntid, else the launches whose block is a constant, else the
 * launch bounds. Ascending, without repeats; with the largest constant dynamic shared memory of its launches. 0:
 * unknown.
 */
unsigned gate_blocks(const struct hd_meta_function *kernel, uint32_t blocks[GATE_MOST_BLOCKS], uint32_t *shared);
struct hd_occupancy gate_occupancy(const struct hd_meta_function *kernel, const struct gate_setting *setting);

/* ------------------------------------------------------------------ metrics */

enum gate_direction { GATE_LESS, GATE_MORE, GATE_NEITHER }; /* what is better */
enum gate_getter { GATE_PATH, GATE_SUM, GATE_WIDEST, GATE_HIGHEST, GATE_OCCUPANCY, GATE_RUN };

struct gate_metric {
	const char *name, *unit;
	enum gate_direction direction;
	enum gate_getter getter;
	const char *argument;
	const char *doc;
	const char *slack; /* what baselines and comparisons take for the same, "1%" or "0.5"; NULL: nothing */
	/* heddle/metadata.def's column judged */
	bool cost, form;
	unsigned rank;
};

/* The figures of metadata.def that have a short name and those of runs.def, in the order of the rows. */
extern const struct gate_metric gate_metrics[];
extern const unsigned gate_metric_count;

/* Figures of NVIDIA's ptxas (ptxas.def), which subjects have under `check --with-ptxas` only. */
extern const struct gate_metric gate_ptxas_metrics[];
extern const unsigned gate_ptxas_metric_count;
bool gate_metric_is_of_ptxas(const struct gate_metric *metric);

/* Figures that only NVIDIA's code has (cubin.def). */
extern const struct gate_metric gate_cubin_metrics[];
extern const unsigned gate_cubin_metric_count;

/* The metric of a short name; NULL when there is none. */
const struct gate_metric *gate_metric_named(const char *name);
/* How far apart two figures still are the same, by the metric's slack: from `value`. */
double gate_metric_room(const struct gate_metric *metric, double value);
/* Whether its figure depends on the GPU only and not on the block size. */
bool gate_metric_any_block(const struct gate_metric *metric);
/*
 * The metric of a name or of a path that some subject has a number at; NULL when unknown. A metric made for a path
 * belongs to `arena`; its unit, meaning and direction are those of the figure there.
 */
const struct gate_metric *gate_metric_find(const char *name, const struct gate_subjects *subjects,
					   struct hd_arena *arena);
/* What may have been meant: short names and paths near to it; malloc'ed. */
char *gate_metric_nearest(const char *name, const struct gate_subjects *subjects);

/* A figure: a number, or with another state what the number leaves out. Unbounded is worse than unproven, and that
 * worse than any number (heddle/metadata.def says which figure is what). */
struct gate_value {
	double number; /* what is proven */
	enum hd_meta_state state;
	uint32_t places; /* that are not proven, or have no bound */
	bool none;	 /* nothing is proven, so that the number says nothing */
};

/* False: the metadata has no such figure for the subject, or the block size is unknown. */
bool gate_metric_get(const struct gate_metric *metric, const struct gate_subject *subject,
		     const struct gate_setting *setting, struct gate_value *value);

/* ------------------------------------------------------------------ values */

struct gate_value gate_number(double number);
bool gate_value_is_number(const struct gate_value *value);
/* "28", "50 %", "yes" */
char *gate_metric_text(const struct gate_metric *metric, double value, struct hd_arena *arena);
/* "28", "unproven at 2 places, 4 elsewhere", "unbounded, at least 64" */
char *gate_value_text(const struct gate_metric *metric, const struct gate_value *value, struct hd_arena *arena);
/* Counts as integers, everything else with the digits that comparing looks at. */
json_t *gate_number_json(double value);
/* A number; else an object, which cannot be taken for one: state, places, and what is proven (null: nothing). */
json_t *gate_value_json(const struct gate_value *value);
/* Reads that back, from any JSON; false when it is no such value. */
bool gate_value_from_json(const json_t *json, struct gate_value *value);
/*
 * 1: worse, -1: better, 0: the same, within `room` of the number. Where both are unproven, or unbounded, more places or
 * a worse number make it worse, and only less of one without more of the other makes it better.
 */
int gate_value_change(enum gate_direction direction, const struct gate_value *old, const struct gate_value *now,
		      double room);
/* What of the new one to explain: its state, or its number where only that is another. */
enum hd_meta_state gate_value_blamed(const struct gate_value *old, const struct gate_value *now);
/* Whether they are different in anything. */
bool gate_value_differs(const struct gate_value *old, const struct gate_value *now);

/* ------------------------------------------------------------------ places */

/* Where the repository is, and how the names in metadata become names in it. */
struct gate_root {
	char *path;    /* absolute, without a slash at the end */
	char *sources; /* absolute: what relative names in metadata are relative to */
};

/* `root` NULL: the directory of the working tree around the current one (.git), else the current one. 0 or -1. */
int gate_root_init(struct gate_root *root, const char *path, const char *sources, struct hd_diag *diag);
void gate_root_release(struct gate_root *root);
/*
 * A file that the metadata of `object` names, relative to the repository. What lies outside is named with `../`, or by
 * its absolute path where it is far away. NULL: it has no name. In `arena`.
 */
const char *gate_root_source(const struct gate_root *root, const char *file, const char *object,
			     struct hd_arena *arena);
/* The same for a file that the command line names, relative to the current directory; never NULL. */
const char *gate_root_file(const struct gate_root *root, const char *file, struct hd_arena *arena);
/*
 * The text of a file of the repository, malloc'ed; NULL: it is not at hand. An input may name any file of this machine:
 * what lies outside does not get into reports, and what is no regular file (a FIFO) may never end.
 */
char *gate_root_text(const struct gate_root *root, const char *file);
/* The absolute path of a name that leads out of the repository; NULL: it does not. In `arena`. */
const char *gate_root_absolute(const struct gate_root *root, const char *name, struct hd_arena *arena);

#endif
