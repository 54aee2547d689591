/* What `heddle info --intervals` prints about the lengths of register-intervals in a run. */
#ifndef HD_TOOLS_HEDDLE_INFO_INTERVALS_H
#define HD_TOOLS_HEDDLE_INFO_INTERVALS_H

#include <stdbool.h>

/* `object`: the program or kernel object; `trace`: what `heddle trace issue` wrote of it, "-" is standard input. */
int info_intervals(const char *object, const char *trace, bool json);

#endif
