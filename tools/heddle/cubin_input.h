/*
 * NVIDIA's code as an input of `heddle info`, `check` and `diff`: its cubins as units whose metadata has what a cubin
 * says. All other figures are not there, and are no zeroes.
 */
#ifndef HD_TOOLS_HEDDLE_CUBIN_INPUT_H
#define HD_TOOLS_HEDDLE_CUBIN_INPUT_H

#include <jansson.h>

#include "lib/cubin/cubin.h"
#include "tools/heddle/cmd.h"

struct hd_config;

/* Adds the cubins in the bytes of a file (hd_cubin_expected). 0, 1: there are none, or -1 with the error reported. */
int cubin_input_load(struct cmd_input *input, const char *path, const uint8_t *bytes, size_t size,
		     struct hd_diag *diag);
/* The figures of a function of such a unit, under the keys of the metadata's JSON, and "cubin": the others. */
json_t *cubin_figures(const struct cmd_unit *unit, const struct hd_meta_function *function);
/* The cubin's own record of the function. */
const struct hd_cubin_function *cubin_function(const struct cmd_unit *unit, const struct hd_meta_function *function);
/* Whether the GPU can run the unit's code. */
bool cubin_runs_on(const struct cmd_unit *unit, const struct hd_config *gpu);

#endif
