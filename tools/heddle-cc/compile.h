/*
 * One source to an object: the device half with the pass, the host half with the kernel object in it, or C and C++
 * beside them. With usual options the halves run at the same time and take a precompiled header (prelude.h).
 */
#ifndef HD_TOOLS_HEDDLE_CC_COMPILE_H
#define HD_TOOLS_HEDDLE_CC_COMPILE_H

#include "tools/heddle-cc/job.h"

/* The device half alone: PREFIX.ll, PREFIX.hdo and PREFIX.heddle.json, and what ptxas would say of it. 0 or -1. */
int hd_compile_device(struct hd_job *job, const char *input, const char *prefix);

/*
 * Both halves: the same, and `output`, an object (kind "-c") or assembly ("-S") with the kernel object in it; the
 * headers for make where they were asked for. 0 or -1.
 */
int hd_compile_cuda(struct hd_job *job, const char *input, const char *prefix, const char *kind, const char *output);

/* C and C++: no device half. The runtime's headers are found. 0 or -1. */
int hd_compile_plain(struct hd_job *job, const char *input, const char *object);

/* Before a link: -1 with an error where it names a library of CUDA's that is nowhere (libraries.c). */
int hd_cc_check_libraries(struct hd_cc *cc);

#endif
