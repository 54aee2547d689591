/* How much of what the metadata states a run under --verify came to check. */
#ifndef HD_RUNTIME_VERIFY_COVERAGE_H
#define HD_RUNTIME_VERIFY_COVERAGE_H

#include <jansson.h>

struct hd_gpu;

/*
 * For the statistics: kind to {"checked", "stated"}; `functions` of those loaded, the others of functions that ran. A
 * new reference.
 */
json_t *hd_verify_json(const struct hd_gpu *gpu);

#endif
