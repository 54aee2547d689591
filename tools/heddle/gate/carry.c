/*
 * What carries a figure: the call chain to the function that sets it, the place where most registers are live, where
 * registers are spilled. Chains and call sites come from the metadata; places inside a function need its code, which a
 * .heddle.json does not have. With the metadata of before, links of a chain also say what they were.
 *
 * Cost: linear in the functions and calls of the object.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/heddle/gate/carry.h"

#include "heddle/figures.h"
#include "lib/cubin/cubin.h"

enum { MOST_LINKS = 32, SHOWN_AT_ENDS = 3, SHOWN_CHANGES = 4, MOST_SPILLS = 3 };

/* What carries a figure: where in the source it comes from. */
enum carrier {
	CARRIED_NOWHERE,
	CARRIED_LIVE, /* the place where most registers are live */
	CARRIED_LIVE_DIVERGENT,
	CARRIED_REGISTERS, /* the calls to the function that needs most of them, and the place in it */
	CARRIED_LIMIT,	   /* what limits residency: registers, the launch with this block size, shared memory */
	CARRIED_CHAIN,	   /* the high-watermark chain */
	CARRIED_FRAMES,	   /* the calls whose frames go deepest */
	CARRIED_ARRAYS,	   /* arrays in local memory */
	CARRIED_SPILLS,
	CARRIED_POINT, /* the preemption point with most live registers */
	CARRIED_POINT_DIVERGENT,
	CARRIED_IDEMPOTENCE,
	CARRIED_SECTORS, /* the accesses with most sectors a request */
	CARRIED_CONFLICTS,
	CARRIED_UNKNOWN, /* accesses of which nothing is proven */
	CARRIED_SHARED,	 /* the variables in shared memory */
};

static const struct {
	const char *metric;
	enum carrier carrier;
} carriers[] = {
	{"registers", CARRIED_REGISTERS},
	{"own_registers", CARRIED_LIVE},
	{"occupancy", CARRIED_LIMIT},
	{"resident_warps", CARRIED_LIMIT},
	{"resident_ctas", CARRIED_LIMIT},
	{"register_warps", CARRIED_REGISTERS},
	{"spill_bytes", CARRIED_SPILLS},
	{"spill_store_bytes", CARRIED_SPILLS},
	{"spill_load_bytes", CARRIED_SPILLS},
	{"stack_bytes", CARRIED_ARRAYS},
	{"max_stack_bytes", CARRIED_FRAMES},
	{"shared_bytes", CARRIED_SHARED},
	{"max_stack_depth", CARRIED_CHAIN},
	{"low_watermark", CARRIED_CHAIN},
	{"high_watermark", CARRIED_CHAIN},
	{"call_depth", CARRIED_CHAIN},
	{"max_live", CARRIED_LIVE},
	{"max_live_divergent", CARRIED_LIVE_DIVERGENT},
	{"live_at_preemption", CARRIED_POINT},
	{"live_divergent_at_preemption", CARRIED_POINT_DIVERGENT},
	{"idempotent", CARRIED_IDEMPOTENCE},
	{"sectors_per_request", CARRIED_SECTORS},
	{"bank_conflict_degree", CARRIED_CONFLICTS},
	{"unproven_accesses", CARRIED_UNKNOWN},
};

static enum carrier carrier_of(const struct gate_metric *metric)
{
	for (unsigned i = 0; i < sizeof(carriers) / sizeof(carriers[0]); i++)
		if (strcmp(carriers[i].metric, metric->name) == 0)
			return carriers[i].carrier;
	return CARRIED_NOWHERE;
}

void gate_carry_add(const struct gate_carry *carry, struct gate_place place, const char *text)
{
	/* Two calls of one line say one thing. */
	const struct gate_note *last = carry->notes->len ? &hd_vec_last(carry->notes) : NULL;
	if (last && place.file && last->place.line == place.line && !strcmp(last->place.file, place.file) &&
	    !strcmp(last->text, text))
		return;
	if (place.file)
		hd_vec_push(carry->notes, (struct gate_note){place, text});
}

static struct gate_place place_of_source(const struct gate_carry *carry, const struct gate_subject *subject,
					 const struct hd_meta_source *source)
{
	return (struct gate_place){gate_root_source(carry->root, source->file, subject->unit->path, carry->arena),
				   source->line ? source->line : 1};
}

/* ------------------------------------------------------------------ code */

const struct hd_function *gate_code_of(const struct gate_subject *subject)
{
	const struct hd_object *object = &subject->unit->object;
	for (uint32_t i = 0; subject->unit->has_code && i < object->function_count; i++)
		if (strcmp(object->functions[i].name, subject->meta->name) == 0)
			return &object->functions[i];
	return NULL;
}

struct gate_place gate_carry_place(const struct gate_carry *carry, const struct gate_subject *subject,
				   const struct hd_origin *origin)
{
	const struct hd_object *object = &subject->unit->object;
	const struct hd_cubin *cubin = subject->unit->cubin;
	if (origin->file >= (cubin ? cubin->file_count : object->file_count) || !origin->line)
		return (struct gate_place){0};
	struct hd_meta_source source = {cubin ? cubin->files[origin->file] : object->files[origin->file], origin->line};
	return place_of_source(carry, subject, &source);
}

static bool in_own_file(const struct gate_subject *subject, const struct hd_origin *origin)
{
	const struct hd_object *object = &subject->unit->object;
	const char *own = subject->meta->source.file;
	return own && origin->line && origin->file < object->file_count &&
	       strcmp(object->files[origin->file], own) == 0;
}

static struct gate_place place_at(const struct gate_carry *carry, const struct gate_subject *subject, uint32_t pc)
{
	const struct hd_function *code = gate_code_of(subject);
	uint32_t index = pc / HD_INST_BYTES, own = index;
	if (!code || index >= code->inst_count)
		return (struct gate_place){0};
	/* Of inlined code, people want the line of theirs that leads to it. */
	while (own && !in_own_file(subject, &code->origins[own]))
		own--;
	return gate_carry_place(carry, subject,
				&code->origins[in_own_file(subject, &code->origins[own]) ? own : index]);
}

/* Instructions that spill, by line. */
struct spill_line {
	const struct hd_origin *origin;
	uint32_t count;
};

static int by_count(const void *a, const void *b)
{
	const struct spill_line *left = a, *right = b;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->origin < right->origin ? -1 : left->origin > right->origin; /* of one array: by instruction */
}

/* What keeps registers from the code that spills. */
static void carry_limit(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const char *text = hd_metadata_limit(&subject->unit->metadata, subject->meta, carry->arena);
	if (text)
		gate_carry_add(carry, place_of_source(carry, subject, &subject->meta->source), text);
}

static void carry_spills(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const struct hd_function *code = gate_code_of(subject);
	HD_VEC(struct spill_line) lines = {0};
	for (uint32_t i = 0; code && i < code->inst_count; i++) {
		const struct hd_origin *origin = &code->origins[i];
		uint32_t at = 0;
		bool spills = code->insts[i].role == HD_ROLE_SPILL_STORE || code->insts[i].role == HD_ROLE_SPILL_LOAD;
		if (!spills || hd_opinfo[code->insts[i].op].space != HD_AT_LOCAL)
			continue;
		while (at < lines.len &&
		       (lines.data[at].origin->file != origin->file || lines.data[at].origin->line != origin->line))
			at++;
		if (at == lines.len)
			hd_vec_push(&lines, (struct spill_line){origin, 0});
		lines.data[at].count++;
	}
	if (lines.len)
		qsort(lines.data, lines.len, sizeof(*lines.data), by_count);
	for (uint32_t i = 0; i < lines.len && i < MOST_SPILLS; i++)
		gate_carry_add(carry, gate_carry_place(carry, subject, lines.data[i].origin),
			       hd_arena_printf(carry->arena, "%u spill store%s and load%s here", lines.data[i].count,
					       lines.data[i].count == 1 ? "" : "s",
					       lines.data[i].count == 1 ? "" : "s"));
	if (lines.len)
		carry_limit(carry, subject);
	hd_vec_release(&lines);
}

static uint32_t width(const uint64_t regs[4])
{
	uint32_t count = 0;
	for (unsigned i = 0; i < 4; i++)
		count += (uint32_t)__builtin_popcountll(regs[i]);
	return count;
}

static void carry_point(const struct gate_carry *carry, const struct gate_subject *subject, bool divergent)
{
	const struct hd_meta_point *widest = NULL;
	uint32_t most = 0;
	for (uint32_t i = 0; i < subject->meta->point_count; i++) {
		const struct hd_meta_point *point = &subject->meta->points[i];
		uint32_t live = width(divergent ? point->live_divergent.regs : point->live.regs);
		if (!widest || live > most) {
			widest = point;
			most = live;
		}
	}
	if (widest)
		gate_carry_add(carry, place_at(carry, subject, widest->pc),
			       hd_arena_printf(carry->arena, "%u registers are live at this preemption point", most));
}

/* ------------------------------------------------------------------ calls */

typedef uint32_t figure_of(const struct hd_meta_function *function);

const struct gate_subject *gate_carry_old(const struct gate_carry *carry, const struct gate_subject *subject)
{
	return carry->old ? carry->old[subject - carry->subjects->list.data] : NULL;
}

/* Before: NULL when the function was not there. `function` is of the subject's object. */
static const struct hd_meta_function *old_of(const struct gate_carry *carry, const struct gate_subject *subject,
					     const struct hd_meta_function *function)
{
	/* The subjects of an object stand in the order of its functions. */
	const struct gate_subject *old = gate_carry_old(carry, subject + (function - subject->meta));
	return old ? old->meta : NULL;
}

static bool differs(const struct gate_carry *carry, const struct gate_subject *subject,
		    const struct hd_meta_function *function, figure_of *figure)
{
	const struct hd_meta_function *old = carry->old ? old_of(carry, subject, function) : function;
	return !old || figure(old) != figure(function);
}

/* ", 5 before", where the figure is known and was another. */
static const char *before(const struct gate_carry *carry, const struct gate_subject *subject,
			  const struct hd_meta_function *function, figure_of *figure)
{
	if (!differs(carry, subject, function, figure))
		return "";
	const struct hd_meta_function *old = old_of(carry, subject, function);
	return old ? hd_arena_printf(carry->arena, ", %u before", figure(old)) : ", not there before";
}

static const struct hd_meta_call *call_of(const struct hd_meta_function *caller, const char *callee)
{
	for (uint32_t i = 0; i < caller->call_count; i++)
		for (uint32_t j = 0; j < caller->calls[i].callee_count; j++)
			if (strcmp(caller->calls[i].callees[j], callee) == 0)
				return &caller->calls[i];
	return NULL;
}

/* A call chain from the subject down. */
struct chain {
	const struct hd_meta_function *link[MOST_LINKS]; /* the subject first */
	uint32_t count;
};

static void push_link(struct chain *chain, const struct hd_meta_function *callee)
{
	if (chain->count < MOST_LINKS)
		chain->link[chain->count++] = callee;
}

/* Where `caller` calls `callee`, else where that is; functions of the compiler's own library have no place. */
static struct gate_place call_place(const struct gate_carry *carry, const struct gate_subject *subject,
				    const struct hd_meta_call *call, const struct hd_meta_function *callee)
{
	const struct hd_meta_source *source = call && call->source.file ? &call->source : &callee->source;
	return place_of_source(carry, subject, source);
}

/* One link: who calls whom, and what the callee's figure is. A link without a place stands at the one before. */
static void carry_link(const struct gate_carry *carry, const struct gate_subject *subject, const struct chain *chain,
		       uint32_t at, uint32_t left_out, const char *unit, figure_of *figure)
{
	const struct hd_meta_function *caller = chain->link[at - 1], *callee = chain->link[at];
	const struct hd_meta_call *call = call_of(caller, callee->name);
	struct gate_place place = call_place(carry, subject, call, callee);
	const char *gap =
		left_out ? hd_arena_printf(carry->arena, "after %u more call%s, ", left_out, left_out == 1 ? "" : "s")
			 : "";
	if (!place.file && carry->notes->len)
		place = hd_vec_last(carry->notes).place;
	gate_carry_add(carry, place,
		       hd_arena_printf(carry->arena, "%s%s calls %s%s: %u %s%s%s", gap, hd_meta_shown_name(caller),
				       hd_meta_shown_name(callee),
				       call && call->kind == HD_CALL_INDIRECT ? " through a pointer" : "",
				       figure(callee), unit, figure(callee) == 1 ? "" : "s",
				       before(carry, subject, callee, figure)));
}

/* Of a long chain its ends, and between them some of what changed. */
static void carry_links(const struct gate_carry *carry, const struct gate_subject *subject, const struct chain *chain,
			const char *unit, figure_of *figure)
{
	uint32_t left_out = 0, changes = 0;
	for (uint32_t i = 1; i < chain->count; i++) {
		bool end = i <= SHOWN_AT_ENDS || i + SHOWN_AT_ENDS >= chain->count;
		bool changed = !end && changes < SHOWN_CHANGES && differs(carry, subject, chain->link[i], figure);
		changes += changed;
		if (!end && !changed) {
			left_out++;
			continue;
		}
		carry_link(carry, subject, chain, i, left_out, unit, figure);
		left_out = 0;
	}
}

static uint32_t fru_of(const struct hd_meta_function *function)
{
	return function->fru;
}

static uint32_t stack_of(const struct hd_meta_function *function)
{
	return function->stack_bytes;
}

static uint32_t own_registers_of(const struct hd_meta_function *function)
{
	return function->own_registers;
}

static uint32_t max_live_of(const struct hd_meta_function *function)
{
	return function->max_live;
}

static uint32_t max_live_divergent_of(const struct hd_meta_function *function)
{
	return function->max_live_divergent;
}

static void carry_live(const struct gate_carry *carry, const struct gate_subject *subject, uint32_t pc,
		       figure_of *figure)
{
	gate_carry_add(carry, place_at(carry, subject, pc),
		       hd_arena_printf(carry->arena, "%u registers are live here, more than anywhere else in %s%s",
				       figure(subject->meta), hd_meta_shown_name(subject->meta),
				       before(carry, subject, subject->meta, figure)));
}

static void carry_root(const struct gate_carry *carry, const struct gate_subject *subject, const char *unit,
		       figure_of *figure)
{
	gate_carry_add(carry, place_of_source(carry, subject, &subject->meta->source),
		       hd_arena_printf(carry->arena, "%s: %u %s%s of its own%s", hd_meta_shown_name(subject->meta),
				       figure(subject->meta), unit, figure(subject->meta) == 1 ? "" : "s",
				       before(carry, subject, subject->meta, figure)));
}

/* CARS's high-watermark chain. */
static void carry_chain(const struct gate_carry *carry, const struct gate_subject *subject)
{
	struct chain chain = {.link = {subject->meta}, .count = 1};
	for (uint32_t i = 1; i < subject->meta->chain_count; i++) {
		const struct hd_meta_function *callee =
			hd_metadata_find(&subject->unit->metadata, subject->meta->high_watermark_chain[i]);
		if (!callee)
			break;
		push_link(&chain, callee);
	}
	carry_root(carry, subject, "register", fru_of);
	carry_links(carry, subject, &chain, "register", fru_of);
}

/* The callee whose frames go deepest. */
static const struct hd_meta_function *deepest_callee(const struct hd_metadata *metadata,
						     const struct hd_meta_function *caller)
{
	const struct hd_meta_function *deepest = NULL;
	for (uint32_t i = 0; i < caller->call_count; i++)
		for (uint32_t j = 0; j < caller->calls[i].callee_count; j++) {
			const struct hd_meta_function *callee = hd_metadata_find(metadata, caller->calls[i].callees[j]);
			if (callee && (!deepest || callee->max_stack_bytes > deepest->max_stack_bytes))
				deepest = callee;
		}
	return deepest;
}

static void carry_frames(const struct gate_carry *carry, const struct gate_subject *subject)
{
	struct chain chain = {.link = {subject->meta}, .count = 1};
	const struct hd_meta_function *caller = subject->meta, *callee;
	/* Recursion would go round for ever: a link has to take from the depth that is left. */
	while (chain.count < MOST_LINKS && (callee = deepest_callee(&subject->unit->metadata, caller))) {
		if (callee->max_stack_bytes == 0 || callee->max_stack_bytes > caller->max_stack_bytes ||
		    (caller->recursive && callee->recursive))
			break;
		push_link(&chain, callee);
		caller = callee;
	}
	carry_root(carry, subject, "stack byte", stack_of);
	/* What the deepest frame is for. */
	caller = chain.link[chain.count - 1];
	if (caller->stack_bytes)
		gate_carry_arrays(carry, subject + (caller - subject->meta));
	carry_links(carry, subject, &chain, "stack byte", stack_of);
	if (caller->stack_bytes)
		gate_carry_lines(carry, subject + (caller - subject->meta), &gate_kind_local);
}

/* ------------------------------------------------------------------ registers over the call graph */

struct reach {
	const struct hd_metadata *metadata;
	uint32_t *from; /* of each function: who called it first, UINT32_MAX: not reached */
	uint32_t *queue, queued;
};

static uint32_t index_in(const struct reach *reach, const struct hd_meta_function *function)
{
	return (uint32_t)(function - reach->metadata->functions);
}

static void visit_callees(struct reach *reach, uint32_t index)
{
	const struct hd_meta_function *caller = &reach->metadata->functions[index];
	for (uint32_t i = 0; i < caller->call_count; i++)
		for (uint32_t j = 0; j < caller->calls[i].callee_count; j++) {
			const struct hd_meta_function *callee =
				hd_metadata_find(reach->metadata, caller->calls[i].callees[j]);
			if (!callee || reach->from[index_in(reach, callee)] != UINT32_MAX)
				continue;
			reach->from[index_in(reach, callee)] = index;
			reach->queue[reach->queued++] = index_in(reach, callee);
		}
}

void gate_carry_reached(const struct gate_subject *subject, const struct gate_subject ***list, uint32_t *count)
{
	const struct hd_metadata *metadata = &subject->unit->metadata;
	struct reach reach = {.metadata = metadata,
			      .from = hd_xcalloc(metadata->function_count, sizeof(*reach.from)),
			      .queue = hd_xcalloc(metadata->function_count, sizeof(*reach.queue))};
	memset(reach.from, 0xff, metadata->function_count * sizeof(*reach.from));
	*list = hd_xcalloc(metadata->function_count, sizeof(const struct gate_subject *));
	reach.from[index_in(&reach, subject->meta)] = index_in(&reach, subject->meta);
	reach.queue[reach.queued++] = index_in(&reach, subject->meta);
	for (uint32_t at = 0; at < reach.queued; at++) {
		/* The subjects of an object stand in the order of its functions. */
		(*list)[at] = subject + (&metadata->functions[reach.queue[at]] - subject->meta);
		visit_callees(&reach, reach.queue[at]);
	}
	*count = reach.queued;
	free(reach.from);
	free(reach.queue);
}

/* Breadth first from the kernel to the nearest function whose own code needs as many registers. */
static uint32_t find_carrier(struct reach *reach, uint32_t root, uint32_t registers)
{
	reach->from[root] = root;
	reach->queue[reach->queued++] = root;
	for (uint32_t at = 0; at < reach->queued; at++) {
		if (reach->metadata->functions[reach->queue[at]].own_registers == registers)
			return reach->queue[at];
		visit_callees(reach, reach->queue[at]);
	}
	return root;
}

static void carry_path(const struct gate_carry *carry, const struct gate_subject *subject, const struct reach *reach,
		       uint32_t root, uint32_t carrier)
{
	uint32_t path[MOST_LINKS], count = 0;
	struct chain chain = {.link = {subject->meta}, .count = 1};
	for (uint32_t at = carrier; at != root && count + 1 < MOST_LINKS; at = reach->from[at])
		path[count++] = at;
	for (; count; count--)
		push_link(&chain, &reach->metadata->functions[path[count - 1]]);
	carry_links(carry, subject, &chain, "register", own_registers_of);
}

static void carry_registers(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const struct hd_metadata *metadata = &subject->unit->metadata;
	struct reach reach = {.metadata = metadata};
	const struct gate_subject *carrier = subject;
	if (subject->meta->kernel && subject->meta->own_registers < subject->meta->registers) {
		uint32_t root = index_in(&reach, subject->meta);
		reach.from = HD_ARENA_NEW(carry->arena, uint32_t, metadata->function_count);
		reach.queue = HD_ARENA_NEW(carry->arena, uint32_t, metadata->function_count);
		memset(reach.from, 0xff, metadata->function_count * sizeof(*reach.from));
		uint32_t found = find_carrier(&reach, root, subject->meta->registers);
		carry_path(carry, subject, &reach, root, found);
		carrier += &metadata->functions[found] - subject->meta;
	}
	carry_live(carry, carrier, carrier->meta->max_live_pc, max_live_of);
}

/* ------------------------------------------------------------------ residency */

static uint64_t threads_of(const struct hd_meta_launch *launch)
{
	return (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
}

/* The launches with the block size that residency was taken for. */
static void carry_launches(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const struct hd_meta_function *meta = subject->meta;
	for (uint32_t i = 0; i < meta->launch_count; i++)
		if (meta->launches[i].block_known && threads_of(&meta->launches[i]) == carry->setting->block)
			gate_carry_add(carry, place_of_source(carry, subject, &meta->launches[i].source),
				       hd_arena_printf(carry->arena, "launched here with %u threads a CTA",
						       carry->setting->block));
}

static void carry_shared(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const struct hd_meta_function *meta = subject->meta;
	for (uint32_t i = 0; carry->setting->shared && i < meta->launch_count; i++)
		if (meta->launches[i].shared_known && meta->launches[i].shared_bytes == carry->setting->shared)
			gate_carry_add(carry, place_of_source(carry, subject, &meta->launches[i].source),
				       hd_arena_printf(carry->arena,
						       "launched here with %u bytes of dynamic shared "
						       "memory",
						       carry->setting->shared));
	gate_carry_shared(carry, subject);
	if (meta->shared_bytes)
		gate_carry_add(carry, place_of_source(carry, subject, &meta->source),
			       hd_arena_printf(carry->arena, "%s and what it calls have %u bytes of shared memory",
					       hd_meta_shown_name(meta), meta->shared_bytes));
}

static void carry_occupancy_limit(const struct gate_carry *carry, const struct gate_subject *subject)
{
	if (!carry->setting || !carry->setting->block || !carry->setting->gpu) {
		carry_registers(carry, subject);
		return;
	}
	switch (gate_occupancy(subject->meta, carry->setting).limit) {
	case HD_LIMIT_REGISTERS: carry_registers(carry, subject); break;
	case HD_LIMIT_SHARED: carry_shared(carry, subject); break;
	default: carry_launches(carry, subject); break;
	}
}

static void carry_idempotence(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const struct hd_meta_idempotence *facts = subject->meta->idempotence;
	if (!facts || facts->why == HD_BREAK_NONE)
		return;
	if (facts->at.function)
		gate_carry_add(carry, place_of_source(carry, subject, &facts->at.source), "this cannot be done twice");
	if (facts->read.function)
		gate_carry_add(carry, place_of_source(carry, subject, &facts->read.source),
			       "this may read what it overwrote");
}

/* ------------------------------------------------------------------ accesses */

enum { MOST_ACCESSES = 8 };

/* What the metric is about in an access; 0: nothing. */
static uint32_t access_figure(const struct gate_carry *carry, const struct hd_meta_access *access, enum carrier carrier)
{
	bool unproven = !access->sectors_most && !access->conflicts_most;
	bool other = (carrier == CARRIED_SECTORS && access->space == HD_ACCESS_SHARED) ||
		     (carrier == CARRIED_CONFLICTS && access->space == HD_ACCESS_GLOBAL);
	if (carry->about == HD_META_UNPROVEN)
		return unproven && !other;
	if (carrier == CARRIED_SECTORS)
		return access->sectors_most;
	if (carrier == CARRIED_CONFLICTS)
		return access->conflicts_most;
	return unproven;
}

static const char *access_text(const struct gate_carry *carry, const struct gate_subject *subject,
			       const struct hd_meta_access *access)
{
	char text[256];
	if (hd_meta_access_advice(access, text, sizeof(text)))
		return hd_arena_strdup(carry->arena, text);
	if (access->sectors_most)
		return hd_arena_printf(carry->arena, "up to %u sectors a request here", access->sectors_most);
	if (access->conflicts_most)
		return hd_arena_printf(carry->arena, "up to %u accesses of one bank here", access->conflicts_most);
	return access->address ? hd_arena_printf(carry->arena, "the address is %s", access->address)
			       : gate_depends_text(carry, subject, access->pc);
}

/* The accesses with the largest figure, those that say the same once. */
static void carry_accesses(const struct gate_carry *carry, const struct gate_subject *subject, enum carrier carrier)
{
	const struct hd_meta_affine *affine = subject->meta->affine;
	const uint32_t *copies = affine ? hd_meta_access_copies(affine, carry->arena) : NULL;
	uint32_t most = 1, shown = 0;
	for (uint32_t i = 0; affine && i < affine->access_count; i++) {
		uint32_t figure = access_figure(carry, &affine->accesses[i], carrier);
		most = figure > most ? figure : most;
	}
	for (uint32_t i = 0; affine && i < affine->access_count && shown < MOST_ACCESSES; i++) {
		const struct hd_meta_access *access = &affine->accesses[i];
		if (access_figure(carry, access, carrier) != most || !copies[i])
			continue;
		const char *text = access_text(carry, subject, access);
		shown++;
		if (copies[i] > 1)
			text = hd_arena_printf(carry->arena, "%s (%u such accesses)", text, copies[i]);
		gate_carry_add(carry, place_of_source(carry, subject, &access->source), text);
	}
}

void gate_carry_notes(const struct gate_carry *carry, const struct gate_subject *subject,
		      const struct gate_metric *metric)
{
	const struct hd_meta_function *meta = subject->meta;
	enum carrier carrier = carrier_of(metric);
	const struct gate_kind *kind = gate_kind_of(metric);
	if (carrier == CARRIED_ARRAYS) /* ahead of their accesses */
		gate_carry_arrays(carry, subject);
	if (kind)
		gate_carry_lines(carry, subject, kind);
	if (carry->about != HD_META_IS_NUMBER)
		gate_carry_open_calls(carry, subject, metric);
	switch (carrier) {
	case CARRIED_NOWHERE:
	case CARRIED_ARRAYS: break;
	case CARRIED_LIVE: carry_live(carry, subject, meta->max_live_pc, max_live_of); break;
	case CARRIED_LIVE_DIVERGENT:
		carry_live(carry, subject, meta->max_live_divergent_pc, max_live_divergent_of);
		break;
	case CARRIED_REGISTERS: carry_registers(carry, subject); break;
	case CARRIED_LIMIT: carry_occupancy_limit(carry, subject); break;
	case CARRIED_CHAIN: carry_chain(carry, subject); break;
	case CARRIED_FRAMES: carry_frames(carry, subject); break;
	case CARRIED_SPILLS: carry_spills(carry, subject); break;
	case CARRIED_POINT: carry_point(carry, subject, false); break;
	case CARRIED_POINT_DIVERGENT: carry_point(carry, subject, true); break;
	case CARRIED_SHARED: gate_carry_shared(carry, subject); break;
	case CARRIED_IDEMPOTENCE: carry_idempotence(carry, subject); break;
	case CARRIED_SECTORS:
	case CARRIED_CONFLICTS:
	case CARRIED_UNKNOWN:
		carry_accesses(carry, subject, carrier);
		if (carrier == CARRIED_UNKNOWN || carry->about == HD_META_UNPROVEN)
			gate_carry_open_callees(carry, subject);
		break;
	}
}

struct gate_place gate_carry_source(const struct gate_carry *carry, const struct gate_subject *subject,
				    const struct hd_meta_source *source)
{
	return place_of_source(carry, subject, source);
}
