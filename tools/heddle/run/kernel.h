/*
 * Kernels of objects or of LLVM IR, run without a host program: one, `heddle run --kernel NAME --launch SPEC.ini FILE`,
 * or several beside each other, `heddle corun SPEC.ini...`.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_KERNEL_H
#define HD_TOOLS_HEDDLE_RUN_KERNEL_H

#include "heddle/config.h"
#include "heddle/sim.h"
#include "tools/heddle/run/capture.h"
#include "tools/heddle/run/spec.h"

struct run_options;

struct kernel_run {
	struct hd_arena arena;
	struct hd_object object;
	uint8_t *bytes; /* of the object */
	size_t size;
	const char *path;
	const struct hd_meta_function *function;
	struct spec spec;
	struct capture capture; /* what `path` is one of, if at all */
	bool found;		/* by --check, in a launch so far */
};

/*
 * Reads the specification and the object; a .ll, a .bc or a capture (.llir, .json) is compiled first, with opt
 * (HEDDLE_OPT names another than opt of its LLVM) and the pass plugin that lies beside this program. A path that is
 * NULL is the specification's `file`, a kernel that is NULL its `kernel`, or the only one of the object. Whatever the
 * result is, kernel_release() is due. `defines`: as of spec_read(). `gpu` is the one that it will run on, which a
 * capture may not fit. 0 or -1.
 */
int kernel_load(struct kernel_run *run, const char *path, const char *kernel, const char *launch,
		const char *const *defines, const struct hd_config *gpu, struct hd_diag *diag);
/*
 * Buffers that are written after the launch (--dump): each text is NAME, written to NAME.npy, or NAME=PATH. NAME is
 * argN, a device variable of the specification, or a parameter's name in the source. `texts` ends with NULL. 0 or -1.
 */
int kernel_dump(struct kernel_run *run, const char *const *texts, struct hd_diag *diag);
/* Outputs and dumps must not be files that options write. 0 or -1. */
int kernel_check_outputs(struct kernel_run *run, const struct run_options *options, struct hd_diag *diag);

enum kernel_results {
	KERNEL_FORGET,	/* nothing becomes of the buffers */
	KERNEL_COMPARE, /* written and compared as the specification wants */
	KERNEL_PRINT	/* printed, too */
};
/*
 * Launches each on one new simulator, in streams of their own from `stream` on, and waits for all. The statistics' JSON
 * is in *stats (malloc'ed, NULL when the simulator could not start). The tool's exit status: 0, 1 when results differ
 * from a comparison file, 2 for a fault or a wrong input.
 */
int kernels_run(struct kernel_run *runs, uint32_t count, uint64_t stream, const struct hd_sim_options *options,
		enum kernel_results results, char **stats);
void kernel_release(struct kernel_run *run);

#endif
