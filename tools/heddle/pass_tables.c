/*
 * The compiler's tables, read without its functions: of these only whether there is one. Costs nothing.
 */
#include "tools/heddle/pass_tables.h"

#include <stddef.h>

#define HD_NEEDS(id) (UINT64_C(1) << PASS_##id)
#define LEVEL_MODULE "module"
#define LEVEL_FUNCTION "function"

const struct pass_row pass_table[PASS_COUNT] = {
#define HD_PASS(id, name, doc, level, requires, preserves, compute, print, verify, describe, remark, paper) \
	{name, doc, LEVEL_##level, requires, sizeof(#print) != sizeof("NULL"), paper},
#include "passes/passes.def"
#undef HD_PASS
};

const struct step_row step_table[STEP_COUNT] = {
#define HD_STEP(id, name, doc, needs, leaves, run, paper) {name, doc, #needs, #leaves, paper},
#include "passes/mir.def"
};

const struct switch_row switch_table[SWITCH_COUNT] = {
#define HD_SWITCH(id, name, step, doc) {name, step, doc},
#include "passes/mir.def"
};
