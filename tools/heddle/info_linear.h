/* What `heddle info` prints about the linear values and the memory accesses of a kernel. */
#ifndef HD_TOOLS_HEDDLE_INFO_LINEAR_H
#define HD_TOOLS_HEDDLE_INFO_LINEAR_H

#include <stdbool.h>

#include "heddle/metadata.h"

/* `all`: every linear register and access, not only the accesses that might be cheaper. */
void info_print_linear(const struct hd_meta_function *kernel, bool all);

#endif
