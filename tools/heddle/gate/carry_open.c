/*
 * What carries a figure that is no number: the recursive calls, the calls whose callees are not known, the functions
 * with frames of dynamic size, and the callees whose accesses nothing is proven of.
 *
 * Cost: linear in the functions and calls that the subject reaches.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "tools/heddle/gate/carry.h"

enum { MOST_PLACES = 8 };

struct walk {
	const struct gate_carry *carry;
	const struct gate_subject *subject;
	const char *metric;
	const struct hd_metadata *metadata;
	bool *seen; /* of each function */
	uint32_t shown;
};

static void show(struct walk *walk, const struct hd_meta_source *source, const char *text)
{
	if (walk->shown == MOST_PLACES)
		return;
	uint32_t before = walk->carry->notes->len;
	gate_carry_add(walk->carry, gate_carry_source(walk->carry, walk->subject, source), text);
	walk->shown += walk->carry->notes->len > before;
}

static const char *callee_title(const struct walk *walk, const struct hd_meta_call *call)
{
	const struct hd_meta_function *callee =
		call->callee_count ? hd_metadata_find(walk->metadata, call->callees[0]) : NULL;
	return callee ? hd_meta_shown_name(callee) : call->callee_count ? call->callees[0] : "a function";
}

static bool is_known(const struct walk *walk, const struct hd_meta_call *call)
{
	bool known = !call->unknown_callees;
	for (uint32_t i = 0; i < call->callee_count; i++)
		known &= hd_metadata_find(walk->metadata, call->callees[i]) != NULL;
	return known;
}

static void show_call(struct walk *walk, const struct hd_meta_function *caller, const struct hd_meta_call *call)
{
	struct hd_arena *arena = walk->carry->arena;
	if (walk->carry->about == HD_META_UNBOUNDED && call->recursive)
		show(walk, &call->source,
		     hd_arena_printf(arena, "%s calls %s here in a cycle: how deep is not known",
				     hd_meta_shown_name(caller), callee_title(walk, call)));
	if (walk->carry->about == HD_META_UNPROVEN && !is_known(walk, call))
		show(walk, &call->source,
		     hd_arena_printf(arena, "what %s calls here is not all known", hd_meta_shown_name(caller)));
}

static void show_function(struct walk *walk, const struct hd_meta_function *function)
{
	struct hd_arena *arena = walk->carry->arena;
	bool stack = strcmp(walk->metric, "max_stack_bytes") == 0 || strcmp(walk->metric, "stack_bytes") == 0;
	if (walk->carry->about == HD_META_UNBOUNDED && stack && function->dynamic_stack)
		show(walk, &function->source,
		     hd_arena_printf(arena, "%s has stack objects of a size that is known at run time only",
				     hd_meta_shown_name(function)));
}

/* The subject first. */
static void visit(struct walk *walk, const struct hd_meta_function *function)
{
	uint32_t index = (uint32_t)(function - walk->metadata->functions);
	if (walk->seen[index])
		return;
	walk->seen[index] = true;
	show_function(walk, function);
	for (uint32_t i = 0; i < function->call_count; i++)
		show_call(walk, function, &function->calls[i]);
	for (uint32_t i = 0; i < function->call_count; i++)
		for (uint32_t c = 0; c < function->calls[i].callee_count; c++) {
			const struct hd_meta_function *callee =
				hd_metadata_find(walk->metadata, function->calls[i].callees[c]);
			if (callee)
				visit(walk, callee);
		}
}

void gate_carry_open_calls(const struct gate_carry *carry, const struct gate_subject *subject,
			   const struct gate_metric *metric)
{
	const struct hd_metadata *metadata = &subject->unit->metadata;
	struct walk walk = {.carry = carry, .subject = subject, .metric = metric->name, .metadata = metadata};
	walk.seen = hd_xcalloc(metadata->function_count + 1, sizeof(*walk.seen));
	visit(&walk, subject->meta);
	free(walk.seen);
}

/* Callees of the kernel itself that lead to accesses: what they do depends on their arguments. */
void gate_carry_open_callees(const struct gate_carry *carry, const struct gate_subject *subject)
{
	struct walk walk = {.carry = carry, .subject = subject, .metadata = &subject->unit->metadata};
	for (uint32_t i = 0; i < subject->meta->call_count; i++) {
		const struct hd_meta_call *call = &subject->meta->calls[i];
		uint32_t accesses = 0;
		for (uint32_t c = 0; c < call->callee_count; c++) {
			const struct hd_meta_function *callee = hd_metadata_find(walk.metadata, call->callees[c]);
			accesses += callee ? callee->unproven_accesses : 0;
		}
		if (accesses)
			show(&walk, &call->source,
			     hd_arena_printf(carry->arena,
					     "%s and what it calls have %u access%s of which nothing is proven",
					     callee_title(&walk, call), accesses, accesses == 1 ? "" : "es"));
	}
}
