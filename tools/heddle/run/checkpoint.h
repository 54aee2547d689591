/* The checkpoints of `heddle run`: --checkpoint FILE --checkpoint-at CYCLE, and --resume FILE. */
#ifndef HD_TOOLS_HEDDLE_RUN_CHECKPOINT_H
#define HD_TOOLS_HEDDLE_RUN_CHECKPOINT_H

#include "tools/heddle/run/options.h"

struct run_checkpoint {
	const char *file, *cycle, *resume; /* NULL: not asked for */
};

/* Whether they can be had, before anything starts. `own`: an option of the command that cannot be combined with them;
 * NULL. 0, or -1 with the error reported. */
int run_checkpoint_check(const struct run_checkpoint *checkpoint, const struct run_options *options, const char *own,
			 struct hd_diag *diag);
/* In the process that becomes the program. */
void run_checkpoint_set(const struct run_checkpoint *checkpoint);
/* What the program's processes have reported: -1, told, when more than one of them has checkpoints. */
int run_checkpoint_judge(const char *program, const char *report, struct hd_diag *diag);

#endif
