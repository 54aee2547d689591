/*
 * The compiler's tables as the tools show them: the rows of passes.def, and the steps and switches of mir.def.
 */
#ifndef HD_TOOLS_HEDDLE_PASS_TABLES_H
#define HD_TOOLS_HEDDLE_PASS_TABLES_H

#include <stdbool.h>
#include <stdint.h>

enum pass_id {
#define HD_PASS(id, ...) PASS_##id,
#include "passes/passes.def"
#undef HD_PASS
	PASS_COUNT
};
enum {
	STEP_COUNT = 0
#define HD_STEP(...) +1
#include "passes/mir.def"
};
enum {
	SWITCH_COUNT = 0
#define HD_SWITCH(...) +1
#include "passes/mir.def"
};

struct pass_row {
	const char *name, *doc;
	const char *level; /* "module" or "function" */
	uint64_t
		requires;  /* bits of enum pass_id */
	bool printer;	   /* print<heddle-NAME> */
	const char *paper; /* key and sections; NULL none */
};
struct step_row {
	const char *name, *doc;
	const char *needs, *leaves; /* forms of the code: SSA, VIRTUAL, PHYSICAL, FRAMED */
	const char *paper;
};
struct switch_row {
	const char *name, *step, *doc; /* step: of a step, or of a pass before them */
};

extern const struct pass_row pass_table[PASS_COUNT];
extern const struct step_row step_table[STEP_COUNT];
extern const struct switch_row switch_table[SWITCH_COUNT];

#endif
