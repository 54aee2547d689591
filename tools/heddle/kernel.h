/*
 * One kernel of an object or of LLVM IR, run without a host program: `heddle run --kernel NAME --launch SPEC.ini FILE`.
 */
#ifndef HD_TOOLS_HEDDLE_KERNEL_H
#define HD_TOOLS_HEDDLE_KERNEL_H

#include "heddle/sim.h"
#include "tools/heddle/spec.h"

struct kernel_run {
	struct hd_arena arena;
	struct hd_object object;
	uint8_t *bytes; /* of the object */
	size_t size;
	const char *path;
	const struct hd_meta_function *function;
	struct spec spec;
	bool found; /* by --check, in a launch so far */
};

/*
 * Reads the specification and the object; a .ll or .bc is compiled first, with opt (HEDDLE_OPT names another than
 * opt-19) and the pass plugin that lies beside this program. Whatever the result is, kernel_release() is due. 0 or -1.
 */
int kernel_load(struct kernel_run *run, const char *path, const char *kernel, const char *launch, struct hd_diag *diag);
/*
 * Launches it once on a new simulator. `print`: also print what the specification wants printed. The statistics' JSON
 * is in *stats (malloc'ed, NULL when the simulator could not start). The tool's exit status: 0, 1 when results differ
 * from a comparison file, 2 for a fault or a wrong input.
 */
int kernel_run(struct kernel_run *run, const struct hd_sim_options *options, bool print, char **stats);
void kernel_release(struct kernel_run *run);

#endif
