/*
 * What carries a figure (carry.c, lines.c): notes with the places and calls in the source that it comes from.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_CARRY_H
#define HD_TOOLS_HEDDLE_GATE_CARRY_H

#include "heddle/facts.h"
#include "tools/heddle/gate/report.h"

/* Where notes on what carries a figure go. */
struct gate_carry {
	const struct gate_root *root;
	struct hd_arena *arena;
	const struct gate_subjects *subjects;
	const struct gate_subject *const
		*old;			    /* what each of them was, NULL if nothing; NULL: nothing to compare with */
	enum hd_meta_state about;	    /* of the figure: its number, or why it is none */
	const struct gate_setting *setting; /* where the figure was taken; NULL: it is the same everywhere */
	gate_notes *notes;
};

void gate_carry_notes(const struct gate_carry *carry, const struct gate_subject *subject,
		      const struct gate_metric *metric);

/* Instructions that a figure counts. */
struct gate_kind {
	const char *name, *names; /* "conversion", "conversions" */
	bool over_calls;	  /* also in the functions that the subject may call */
	int mix;		  /* of NVIDIA's code: enum hd_mix_kind; -1: every instruction; -2: not known */
	/* How many the instruction at `at` counts as, 0 or 1. */
	uint32_t (*counts)(const struct hd_object *object, const struct hd_function *code, uint32_t at);
};

/* The lines that most of these instructions come from; with something to compare with, those that made them more or
 * fewer. */
void gate_carry_lines(const struct gate_carry *carry, const struct gate_subject *subject, const struct gate_kind *kind);
/* Accesses of local memory in the subject's own code. */
extern const struct gate_kind gate_kind_local;
/* The kind that the metric counts; NULL: it counts no instructions (kinds.c). */
const struct gate_kind *gate_kind_of(const struct gate_metric *metric);
/* The subject and the functions that it may call, without library functions for arithmetic; *list is malloc'ed. */
void gate_carry_reached(const struct gate_subject *subject, const struct gate_subject ***list, uint32_t *count);

/* The subject's code; NULL when its input is metadata only. */
const struct hd_function *gate_code_of(const struct gate_subject *subject);
/* The place of an instruction of the subject's code; without a file when it has none in the repository. */
struct gate_place gate_carry_place(const struct gate_carry *carry, const struct gate_subject *subject,
				   const struct hd_origin *origin);
/* The place of a source that the subject's metadata names. */
struct gate_place gate_carry_source(const struct gate_carry *carry, const struct gate_subject *subject,
				    const struct hd_meta_source *source);
/* The calls and functions for which a figure over the call graph is what carry->about says (carry_open.c). */
void gate_carry_open_calls(const struct gate_carry *carry, const struct gate_subject *subject,
			   const struct gate_metric *metric);
/* The calls that lead to accesses of which nothing is proven. */
void gate_carry_open_callees(const struct gate_carry *carry, const struct gate_subject *subject);
/* Where variables in shared memory, and arrays in local memory, are declared (declared.c). */
void gate_carry_shared(const struct gate_carry *carry, const struct gate_subject *subject);
void gate_carry_arrays(const struct gate_carry *carry, const struct gate_subject *subject);
/* What the address of the access at `pc`, of which nothing is proven, depends on (depends.c); in carry->arena. */
const char *gate_depends_text(const struct gate_carry *carry, const struct gate_subject *subject, uint32_t pc);
/* Adds a note where there is a place, unless the one before says it. */
void gate_carry_add(const struct gate_carry *carry, struct gate_place place, const char *text);
/* What the subject was; NULL: not there, or nothing to compare with. */
const struct gate_subject *gate_carry_old(const struct gate_carry *carry, const struct gate_subject *subject);

#endif
