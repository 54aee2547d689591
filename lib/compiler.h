/*
 * heddle-cc for the libraries of a program that runs. The process may have threads, handlers of signals and children of
 * its own: the compiler is spawned, and its output is read to its end.
 */
#ifndef HD_LIB_COMPILER_H
#define HD_LIB_COMPILER_H

#include "lib/strbuf.h"

/* Beside the data folder of this installation, or in HEDDLE_DATA's tree; the caller frees it. */
char *hd_compiler_path(void);
/*
 * Runs a program with all that it prints in `output`, or why it cannot be started, which `who` says. Its exit status;
 * -1: it cannot be started, or its status went to somebody else (a SIGCHLD handler of the process).
 */
int hd_compiler_run(char *const *words, const char *who, struct hd_strbuf *output);

#endif
