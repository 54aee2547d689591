/*
 * The statistics of a run as `heddle run` holds and writes them: the document without its launches, of which there may
 * be any number, and these in a file without a name, so that memory does not grow with them.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_STATISTICS_H
#define HD_TOOLS_HEDDLE_RUN_STATISTICS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"

struct run_statistics {
	json_t *document; /* its "launches" are an empty array, and in `launches` */
	json_t *kernels;  /* their sums, as figure_kernels has them */
	json_t *grids;	  /* and of those beside others, as run_grids_add has them */
	bool wanted;	  /* launches, for JSON; else only their sums are kept */
	FILE *launches;	  /* JSON texts as json_dumps indents them; NULL: not wanted, or no file could be made */
};

/* Takes the document. `launches` may be NULL (reported where they are wanted). The caller frees what comes back by
 * run_statistics_free. */
struct run_statistics *run_statistics_new(json_t *document, bool wanted, FILE *launches, struct hd_diag *diag);
/* Of a whole document's text; NULL for no text. */
struct run_statistics *run_statistics_of(const char *text, bool wanted, struct hd_diag *diag);
void run_statistics_free(struct run_statistics *statistics);
void run_statistics_add(struct run_statistics *statistics, const json_t *launch);

/* One document as it is; several as {"runs": [...]}, null for those that are NULL. 0, or -1 when launches are missing.
 */
int run_statistics_write(struct run_statistics *const *list, uint32_t count, FILE *to);

#endif
