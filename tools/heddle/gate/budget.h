/*
 * Budgets: limits on figures of kernels, from .ini files.
 *
 *     [defaults]                  ; for every kernel; its settings are those of sections that have none of their own
 *     gpu = v100, rtx3070
 *     registers <= 128
 *
 *     [kernel "nbody*"]           ; a shell pattern over demangled names, with or without parameters
 *     gpu = v100                  ; settings: gpu, policy, block, shared, optional, unproven, unbounded
 *     block = 128, 16x16
 *     occupancy >= 50%            ; limits: a metric or a path into the metadata, <=, >= or =, and a number or `any`
 *
 *     [function "pull*"]          ; device functions
 *     stack_bytes <= 64
 *
 *     [baseline]                  ; how figures are compared with the committed baseline (baseline.h)
 *     allow = better              ; verdicts that do not fail
 *     instructions = 5%           ; this figure, too, and what change does not count; `any`: not this figure
 *
 * A figure that is not proven everywhere, or has no bound, breaks its limit, unless the last section that says so about
 * the kernel has `unproven = allow` (or `unbounded = allow`): then what is proven is held against it.
 *
 * Of several limits on one metric in one direction the last one holds, for the GPUs and block sizes that its section
 * covers. A pattern that matches nothing is a finding, unless its section says `optional = yes`.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_BUDGET_H
#define HD_TOOLS_HEDDLE_GATE_BUDGET_H

#include "tools/heddle/gate/gate.h"

enum gate_operator { GATE_AT_MOST, GATE_AT_LEAST, GATE_EQUAL };

struct gate_limit {
	const char *name; /* as written */
	const struct gate_metric *metric;
	enum gate_operator op;
	double value; /* infinite: any */
	bool percent;
	uint32_t line, section;
	bool met; /* an input is of the kind that it limits, a build or a run */
};

enum gate_section_kind { GATE_SECTION_DEFAULTS, GATE_SECTION_KERNEL, GATE_SECTION_FUNCTION, GATE_SECTION_BASELINE };

/* What a baseline says about a figure or a kernel. */
enum gate_verdict { GATE_NEW, GATE_REMOVED, GATE_BETTER, GATE_WORSE, GATE_VERDICTS };

/* What a section says about figures that are unproven (0) or unbounded (1): `allow` holds limits against what is
 * proven. */
enum gate_word { GATE_NO_WORD, GATE_FAIL, GATE_ALLOW };
enum { GATE_SETTLED = HD_META_UNBOUNDED };

struct gate_section {
	enum gate_section_kind kind;
	const char *pattern; /* NULL: everything */
	const char *path;    /* the file */
	uint32_t line;
	uint32_t gpus; /* bits over struct gate_gpus; 0: not said */
	uint32_t blocks[GATE_MOST_BLOCKS];
	unsigned block_count; /* 0: not said */
	uint32_t shared;
	bool shared_given, optional;
	const char *policy;		   /* runs under this one only; NULL: not said */
	enum gate_word word[GATE_SETTLED]; /* what of figures that are no number */
	unsigned allowed;		   /* [baseline]: bits of enum gate_verdict */
	uint32_t matches;		   /* kernels or functions that the pattern covers */
};

struct gate_budget {
	struct hd_arena *arena;
	struct gate_gpus *gpus;
	HD_VEC(struct gate_section) sections;
	HD_VEC(struct gate_limit) limits; /* in the order of the files */
};

/* "new", "removed" and "better" as bits; they may be allowed. *wrong: the first other word, malloc'ed. */
unsigned gate_verdicts_parse(const char *names, char **wrong);
void gate_budget_init(struct gate_budget *budget, struct hd_arena *arena, struct gate_gpus *gpus);
void gate_budget_release(struct gate_budget *budget);
/* Adds what the file says. Every error is reported with its line. 0 or -1. */
int gate_budget_load(struct gate_budget *budget, const char *path, struct hd_diag *diag);
/* The same from text. */
int gate_budget_parse(struct gate_budget *budget, const char *path, const char *text, size_t size,
		      struct hd_diag *diag);
/* Finds the metrics; unknown ones are errors with the nearest names. 0 or -1. */
int gate_budget_resolve(struct gate_budget *budget, const struct gate_subjects *subjects, struct hd_diag *diag);
/* "registers <= 64" */
char *gate_limit_text(const struct gate_limit *limit, struct hd_arena *arena);

#endif
