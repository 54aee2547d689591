/* Why the warps of one run waited, as text or JSON: heddle explain with one run. */
#ifndef HD_TOOLS_HEDDLE_EXPLAIN_WAITS_H
#define HD_TOOLS_HEDDLE_EXPLAIN_WAITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Prints for each line and reason of `run`, one of the statistics in file `path`, the slots that were lost and the
 * instructions that these waited for, most slots first; as text at most `limit` rows. `data` is report_data() of the
 * run's programs and of `path`, and `nth` the run's number in it. Returns an exit status.
 */
int explain_waits(const json_t *data, size_t nth, const char *path, const json_t *run, uint32_t limit, bool json);

#endif
