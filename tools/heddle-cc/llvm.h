/*
 * What of heddle-cc needs LLVM: the scan for launches (libclang), the merge of bitcode, and clang itself. It stands in
 * a library of its own, lib/HeddleClang.so, which is loaded when the first of these is asked for. The loader's work on
 * libLLVM and clang's libraries costs a fifth of the compilation of a small program: commands that compile nothing do
 * without it, and clang runs in children that are forked behind it, so that it is done once and not in each of them.
 */
#ifndef HD_TOOLS_HEDDLE_CC_LLVM_H
#define HD_TOOLS_HEDDLE_CC_LLVM_H

#include "tools/heddle-cc/options.h"
#include "tools/heddle-cc/relocatable.h"

/* A scan: see hd_cc_scan. */
struct hd_cc_scan {
	const char *input, *path, *refused;
	/* The device half's command with its precompiled header (empty: there is none) and without, and the host half's
	 * where it has no exceptions (else empty). */
	hd_arguments device, plain, host;
	bool whole;
	int errors; /* the descriptor for what is said of the source */
	struct hd_diag *diag;
};

enum hd_cc_scan_result {
	HD_CC_SCAN_FAILED = -1,
	HD_CC_SCAN_DONE,	 /* of a whole parse */
	HD_CC_SCAN_REPORTED = 3, /* it has reported the source's errors */
	HD_CC_SCAN_QUICK = 4	 /* errors of instances have not been looked for */
};

struct hd_cc_llvm {
	/* Comes before the others: where memory runs out in them `out_of_memory` is called, which ends the process. */
	void (*begin)(void (*out_of_memory)(void));
	/* Runs in a process of its own: libclang may crash. */
	enum hd_cc_scan_result (*scan)(const struct hd_cc_scan *scan);
	/* hd_cc_merge. */
	int (*merge)(struct hd_cc *cc, const struct hd_cc_collected *collected, const char *name, const char *path);
	/* Whether `clang` does what the program does that this file is, which has no links. */
	bool (*is_clang)(const char *program);
	/* The program's main, for a process of its own: its exit status, with all that it says written. */
	int (*clang)(int argc, char **argv, const char *program);
};

/* The calls; NULL when the library cannot be loaded, which is reported the first time. */
const struct hd_cc_llvm *hd_cc_llvm(struct hd_cc *cc);

/* The symbol of the library that has them: a struct hd_cc_llvm. */
#define HD_CC_LLVM_CALLS "hd_cc_llvm_calls"

#endif
