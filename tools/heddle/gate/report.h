/*
 * What a check found, and the forms in which it is written: one list of findings, one writer for each format.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_REPORT_H
#define HD_TOOLS_HEDDLE_GATE_REPORT_H

#include <jansson.h>

#include "lib/strbuf.h"
#include "tools/heddle/gate/gate.h"

/* What a finding is an instance of. Rules of budgets are made from the metric, the others are in rules.def. */
struct gate_rule {
	const char *id, *name; /* "budget-registers", "BudgetRegisters" */
	const char *brief, *help;
};

struct gate_place {
	const char *file; /* relative to the repository, or a way out of it (gate_root_absolute); NULL: none */
	uint32_t line;
};

/* A place that explains a finding: the limit, a call on the chain, the point of most live registers. */
struct gate_note {
	struct gate_place place;
	const char *text;
};

typedef HD_VEC(struct gate_note) gate_notes;

struct gate_finding {
	const struct gate_rule *rule;
	struct gate_place place;
	uint32_t gpus;	     /* the GPUs that it holds for */
	bool every_gpu;	     /* it does not depend on the GPU */
	bool by_gpu;	     /* of a baseline: the message ends with the GPUs that it holds for */
	bool of_run;	     /* what a run found of the subject, not what the compiler says */
	bool told_only;	     /* a gain beside a loss of the same kernel: it is told, and nothing fails for it */
	const char *subject; /* demangled; NULL: about the budget or the baseline itself */
	const char *symbol, *object;
	const char *metric; /* NULL: none */
	bool compared;	    /* whether there are the next two */
	struct gate_value value, limit;
	const char *message;
	const char *fingerprint;
	gate_notes notes;
};

/* One comparison, passed or not. */
struct gate_case {
	uint32_t gpus;
	bool every_gpu;
	const char *subject, *name;
	int32_t finding; /* index, -1: passed */
};

/* What differs about how the baseline's kernels and the inputs' were made, and for how many of its entries. */
struct gate_build {
	const char *what, *old, *now;
	uint32_t entries;
};

typedef HD_VEC(struct gate_build) gate_builds;

/* The source file that was read last: most findings of a kernel are in one. */
struct gate_source {
	const char *file; /* NULL: none yet */
	char *text;	  /* NULL: not at hand */
};

/* An input that could not be read. */
struct gate_trouble {
	struct hd_loc loc;
	const char *message;
};

struct gate_report {
	struct hd_arena *arena;
	const struct gate_root *root;
	const struct gate_gpus *gpus;
	uint32_t used_gpus; /* bits of those that were asked for */
	HD_VEC(struct gate_finding) findings;
	HD_VEC(struct gate_case) cases;
	HD_VEC(struct gate_trouble) troubles;
	gate_builds builds;
	HD_VEC(const struct gate_rule *) rules; /* those of the findings, in order of id */
	uint32_t kernels, functions, runs;	/* looked at; runs: of kernels */
	const char *patch;			/* the baseline's change; NULL: there is none */
	const json_t *history;			/* the lines of --history; NULL: not asked for */
	bool colour;				/* text is for a terminal that shows colours */
	const char *fallback;			/* the first input, for findings without any other place */
	struct gate_source *source;		/* of write_sarif.c, which gets its reports read only */
};

void gate_report_init(struct gate_report *report, struct hd_arena *arena, const struct gate_root *root,
		      const struct gate_gpus *gpus);
void gate_report_release(struct gate_report *report);

/* Rules. The same id gives the same rule. */
const struct gate_rule *gate_rule_of_metric(struct gate_report *report, const struct gate_metric *metric);
const struct gate_rule *gate_rule_named(struct gate_report *report, const char *id);

/* Identifies a finding in reports that are compared with later ones: how it is made stays as it is. */
const char *gate_fingerprint(struct hd_arena *arena, const char *rule, const char *subject, const char *key);
bool gate_report_in_repository(const struct gate_report *report, struct gate_place place);
/* Where services show a finding: its file in the repository, else that of a note, such as the limit's; else none. */
struct gate_place gate_finding_anchor(const struct gate_report *report, const struct gate_finding *finding);
/* How many findings let the check fail. */
uint32_t gate_report_failures(const struct gate_report *report);
/* "error", or "note" of what is only told. */
const char *gate_finding_level(const struct gate_finding *finding);
/* Adds a finding, for whose place and fingerprint `subject` (may be NULL) and `key` decide; the place is the subject's,
 * else `other`. It is valid until the next. */
struct gate_finding *gate_report_add(struct gate_report *report, const struct gate_rule *rule,
				     const struct gate_subject *subject, struct gate_place other, const char *key);
/* Notes on what carries the figure, its number or what it is not proven or bounded for, as it was taken in `setting`
 * (NULL: it is the same everywhere); the finding's place is the
 * first of these, and the kernel's first line a note. */
void gate_report_carriers(struct gate_report *report, struct gate_finding *finding, const struct gate_subject *subject,
			  const struct gate_metric *metric, enum hd_meta_state about,
			  const struct gate_setting *setting);
void gate_report_note(struct gate_finding *finding, struct gate_place place, const char *text);
void gate_report_case(struct gate_report *report, uint32_t gpus, bool every_gpu, const char *subject, const char *name,
		      bool failed);
struct gate_place gate_place_in(const struct gate_report *report, const char *file, uint32_t line);
/* {"file", "line"}; the file is null where none is known. */
json_t *gate_place_json(struct gate_place place);
/* The bit of a GPU's name; 0 when it is not in use. */
uint32_t gate_gpu_bit(const struct gate_report *report, const char *name);
/* "v100, titanv", or "" when the finding holds for every GPU. */
const char *gate_gpu_names(const struct gate_report *report, uint32_t gpus, bool every);

/* ------------------------------------------------------------------ formats */

#define GATE_FORMATS(X)                                                        \
	X(text, "file:line and one line a finding, notes below it")            \
	X(json, "everything, for scripts")                                     \
	X(sarif, "SARIF 2.1.0, for code scanning; one run and category a GPU") \
	X(junit, "JUnit XML; a test case a comparison")                        \
	X(github, "annotations of GitHub Actions")                             \
	X(gitlab, "a Code Quality report of GitLab CI")                        \
	X(markdown, "a step summary")                                          \
	X(svg, "a picture with bars, for comments on pull requests")           \
	X(history, "a page of each figure over commits, with --history")       \
	X(patch, "the baseline's change, for git apply")

enum gate_format {
#define X(name, help) GATE_FORMAT_##name,
	GATE_FORMATS(X)
#undef X
		GATE_FORMAT_COUNT
};

/* Length of the UTF-8 sequence at `at` that XML 1.0 allows; 0: none (write_junit.c). */
unsigned gate_xml_character(const unsigned char *at);

#define X(name, help) void gate_write_##name(const struct gate_report *report, struct hd_strbuf *out);
GATE_FORMATS(X)
#undef X

/* The format of a name; GATE_FORMAT_COUNT when there is none. */
enum gate_format gate_format_find(const char *name);
const char *gate_format_name(enum gate_format format);
void gate_write(const struct gate_report *report, enum gate_format format, struct hd_strbuf *out);

#endif
