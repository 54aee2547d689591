/*
 * Parts of the page that `heddle report` makes: what the compiler knows about kernels, and what runs of them cost.
 */
#ifndef HD_TOOLS_HEDDLE_REPORT_REPORT_H
#define HD_TOOLS_HEDDLE_REPORT_REPORT_H

#include "tools/heddle/gate/evaluate.h"
#include "tools/heddle/page/page.h"

/* Statistics of one run, from a file of `heddle run --stats`. */
struct report_run {
	const char *path;
	const json_t *stats;
};

struct report {
	struct hd_arena arena;
	struct hd_diag diag;
	struct gate_root root;
	struct gate_gpus gpus;
	struct gate_choice choice;
	struct cmd_input input;
	struct gate_subjects subjects;
	HD_VEC(json_t *) documents; /* own the runs */
	HD_VEC(struct report_run) runs;
	json_t *page;
};

/* Adds the runs in a document to the list; false when it is no document of statistics. */
bool report_take_runs(struct report *report, const char *path, const json_t *document);
/* Adds the GPUs that the runs were made on, as their statistics describe them. 0 or -1. */
int report_add_gpus(struct report *report);
/* What `heddle report --format data` prints of these files; NULL: a message has said why not. */
json_t *report_data(const char *const *files, uint32_t count);
void report_add_kernels(struct report *report);
void report_add_runs(struct report *report);

#endif
