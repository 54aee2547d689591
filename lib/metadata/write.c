/*
 * Metadata to JSON (docs/architecture.md, The contract). Keys keep the order in which they are set here and
 * numbers are integers, so the same metadata gives the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/metadata/json.h"

json_t *hd_json_text(const char *text)
{
	if (!text)
		return json_null();
	json_t *value = json_string(text);
	if (value)
		return value;
	/* Paths may be in any encoding; JSON may not. */
	char *copy = strdup(text);
	if (!copy)
		return NULL;
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

json_t *hd_json_source(const struct hd_meta_source *source)
{
	json_t *object = json_object();
	json_object_set_new(object, "file", hd_json_text(source->file));
	json_object_set_new(object, "line", json_integer(source->file ? source->line : 0));
	return object;
}

char *hd_json_dump(const json_t *value)
{
	char *text = json_dumps(value, JSON_INDENT(2));
	size_t len = text ? strlen(text) : 0;
	char *line = text ? realloc(text, len + 2) : NULL;
	if (!line) {
		free(text);
		return NULL;
	}
	line[len] = '\n';
	line[len + 1] = '\0';
	return line;
}

static json_t *names_json(const char *const *names, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, hd_json_text(names[i]));
	return array;
}

static json_t *three_json(const uint32_t numbers[3])
{
	return json_pack("[I,I,I]", (json_int_t)numbers[0], (json_int_t)numbers[1], (json_int_t)numbers[2]);
}

static json_t *params_json(const struct hd_meta_function *function)
{
	static const char *const kinds[] = {"integer", "float", "pointer", "aggregate"};
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->param_count; i++) {
		const struct hd_meta_param *param = &function->params[i];
		json_t *object = json_object();
		json_object_set_new(object, "name", hd_json_text(param->name));
		json_object_set_new(object, "type", hd_json_text(param->type));
		json_object_set_new(object, "kind", json_string(kinds[param->kind]));
		json_object_set_new(object, "offset", json_integer(param->offset));
		json_object_set_new(object, "bytes", json_integer(param->bytes));
		json_object_set_new(object, "align", json_integer(param->align));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *calls_json(const struct hd_meta_function *function)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->call_count; i++) {
		const struct hd_meta_call *call = &function->calls[i];
		json_t *object = json_object();
		json_object_set_new(object, "pc", json_integer(call->pc));
		json_object_set_new(object, "kind", json_string(call->kind == HD_CALL_DIRECT ? "direct" : "indirect"));
		json_object_set_new(object, "callees", names_json(call->callees, call->callee_count));
		json_object_set_new(object, "recursive", json_boolean(call->recursive));
		json_object_set_new(object, "unknown_callees", json_boolean(call->unknown_callees));
		json_object_set_new(object, "fru", json_integer(call->fru));
		json_object_set_new(object, "source", hd_json_source(&call->source));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *saves_json(const struct hd_meta_function *function)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->save_count; i++) {
		const struct hd_meta_save *save = &function->saves[i];
		json_t *object = json_object();
		json_object_set_new(object, "pc", json_integer(save->pc));
		json_object_set_new(object, "register", json_integer(save->reg));
		json_object_set_new(object, "count", json_integer(save->count));
		json_object_set_new(object, "restore", json_boolean(save->restore));
		json_object_set_new(object, "offset", json_integer(save->offset));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *vector_json(const uint64_t vector[4])
{
	json_t *array = json_array();
	for (unsigned reg = 0; reg < 255; reg++)
		if (vector[reg / 64] >> (reg % 64) & 1)
			json_array_append_new(array, json_integer(reg));
	return array;
}

static json_t *predicates_json(const struct hd_meta_registers *set)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < 7; i++)
		if (set->preds >> i & 1)
			json_array_append_new(array, json_integer(i));
	return array;
}

/* 54 bits, more than a reader with doubles keeps. */
static json_t *mask_json(uint64_t mask)
{
	char text[24];
	snprintf(text, sizeof(text), "0x%014llx", (unsigned long long)mask);
	return json_string(text);
}

static json_t *patterns_json(const struct hd_meta_point *point)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < point->pattern_count; i++) {
		const struct hd_meta_pattern *pattern = &point->patterns[i];
		json_t *object = json_object();
		json_object_set_new(object, "register", json_integer(pattern->reg));
		json_object_set_new(object, "pattern", json_string(pattern->strided ? "strided" : "uniform"));
		json_object_set_new(object, "stride",
				    pattern->stride_known ? json_integer(pattern->stride) : json_null());
		json_object_set_new(object, "dimensions", json_integer(pattern->dimensions));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *points_json(const struct hd_meta_function *function)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->point_count; i++) {
		const struct hd_meta_point *point = &function->points[i];
		bool outside = point->loop_pc == UINT32_MAX;
		json_t *object = json_object();
		json_object_set_new(object, "pc", json_integer(point->pc));
		json_object_set_new(object, "kind", json_string(point->kind == HD_PREEMPT_BAR ? "bar.pp" : "pp"));
		json_object_set_new(object, "loop_pc", outside ? json_null() : json_integer(point->loop_pc));
		json_object_set_new(object, "live", vector_json(point->live.regs));
		json_object_set_new(object, "live_divergent", vector_json(point->live_divergent.regs));
		json_object_set_new(object, "predicates", predicates_json(&point->live));
		json_object_set_new(object, "predicates_divergent", predicates_json(&point->live_divergent));
		json_object_set_new(object, "mask", mask_json(point->mask));
		json_object_set_new(object, "mask_divergent", mask_json(point->mask_divergent));
		json_object_set_new(object, "patterns", patterns_json(point));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *barriers_json(const struct hd_meta_function *function)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->barrier_count; i++) {
		const struct hd_meta_barrier *barrier = &function->barriers[i];
		json_t *object = json_object();
		json_object_set_new(object, "pc", json_integer(barrier->pc));
		json_object_set_new(object, "live", vector_json(barrier->live.regs));
		json_object_set_new(object, "predicates", predicates_json(&barrier->live));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *intervals_json(const struct hd_meta_interval *intervals, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_meta_interval *interval = &intervals[i];
		json_t *object = json_object(), *pcs = json_array();
		for (uint32_t pc = 0; pc < interval->pc_count; pc++)
			json_array_append_new(pcs, json_integer(interval->pcs[pc]));
		json_object_set_new(object, "id", json_integer(interval->id));
		json_object_set_new(object, "entry_pc", json_integer(interval->entry_pc));
		json_object_set_new(object, "pcs", pcs);
		json_object_set_new(object, "working_set", vector_json(interval->working_set));
		json_object_set_new(object, "live_in", vector_json(interval->live_in));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *launches_json(const struct hd_meta_function *function)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->launch_count; i++) {
		const struct hd_meta_launch *launch = &function->launches[i];
		json_t *object = json_object();
		json_object_set_new(object, "source", hd_json_source(&launch->source));
		json_object_set_new(object, "block", launch->block_known ? three_json(launch->block) : json_null());
		json_object_set_new(object, "shared_bytes",
				    launch->shared_known ? json_integer(launch->shared_bytes) : json_null());
		json_array_append_new(array, object);
	}
	return array;
}

/* A string of digits; values beyond the last digit do not occur. */
static json_t *digits_json(const uint8_t *values, size_t count, const char *digits)
{
	char *text = malloc(count + 1);
	for (size_t i = 0; i < count && text; i++)
		text[i] = digits[values[i]];
	json_t *string = text ? json_stringn(text, count) : NULL;
	free(text);
	return string;
}

static json_t *reuse_json(const struct hd_meta_reuse *reuse)
{
	json_t *object = json_object(), *histogram = json_array();
	for (unsigned b = 0; b < HD_REUSE_BUCKETS; b++)
		json_array_append_new(histogram, json_integer(reuse->histogram[b]));
	json_object_set_new(object, "rthld", json_integer(reuse->rthld));
	json_object_set_new(object, "profiled", json_boolean(reuse->profiled));
	json_object_set_new(object, "near", json_integer(reuse->near));
	json_object_set_new(object, "far", json_integer(reuse->far));
	json_object_set_new(object, "dead", json_integer(reuse->dead));
	json_object_set_new(object, "histogram", histogram);
	json_object_set_new(object, "tags", digits_json(reuse->tags, reuse->tag_count, "0123456789abcdef"));
	json_object_set_new(object, "exact", digits_json(reuse->exact, (size_t)4 * reuse->tag_count, HD_REUSE_DIGITS));
	return object;
}

static json_t *place_json(const struct hd_meta_place *place)
{
	if (!place->function)
		return json_null();
	json_t *object = json_object();
	json_object_set_new(object, "function", hd_json_text(place->function));
	json_object_set_new(object, "pc", json_integer(place->pc));
	json_object_set_new(object, "source", hd_json_source(&place->source));
	return object;
}

static json_t *idempotence_json(const struct hd_meta_idempotence *facts)
{
	static const char *const why[] = {NULL, "store", "atomic", "volatile", "call", "service", "clock"};
	json_t *object = json_object();
	json_object_set_new(object, "idempotent", json_boolean(facts->why == HD_BREAK_NONE));
	json_object_set_new(object, "why", hd_json_text(why[facts->why]));
	json_object_set_new(object, "at", place_json(&facts->at));
	json_object_set_new(object, "read", place_json(&facts->read));
	return object;
}

/* The object that a field's group names, made where it is first asked for. */
static json_t *group_of(json_t *function, const char *group)
{
	if (!group[0])
		return function;
	json_t *object = json_object_get(function, group);
	if (!object) {
		object = json_object();
		json_object_set_new(function, group, object);
	}
	return object;
}

json_t *hd_metadata_function_json(const struct hd_meta_function *function)
{
	json_t *object = json_object();
	const char *name = function->name ? function->name : "";
	json_object_set_new(object, "name", hd_json_text(name));
	json_object_set_new(object, "demangled", hd_json_text(function->demangled ? function->demangled : name));
	json_object_set_new(object, "source", hd_json_source(&function->source));
#define NUMBER(group, field) json_object_set_new(group_of(object, group), #field, json_integer(function->field));
#define FLAG(group, field) json_object_set_new(group_of(object, group), #field, json_boolean(function->field));
	HD_META_FUNCTION_FIELDS(NUMBER, FLAG)
#undef NUMBER
#undef FLAG
	json_object_set_new(group_of(object, "launch_bounds"), "reqntid", three_json(function->reqntid));
	json_t *stackdepth = group_of(object, "stackdepth");
	json_object_set_new(stackdepth, "high_watermark_chain",
			    names_json(function->high_watermark_chain, function->chain_count));
	json_object_set_new(stackdepth, "saves", saves_json(function));
	json_object_set_new(object, "params", params_json(function));
	json_object_set_new(object, "calls", calls_json(function));
	json_object_set_new(object, "launches", launches_json(function));
	json_object_set_new(object, "intervals", intervals_json(function->intervals, function->interval_count));
	json_object_set_new(group_of(object, "ltrf"), "strands",
			    intervals_json(function->strands, function->strand_count));
	json_object_set_new(group_of(object, "liveness"), "dead_operands",
			    digits_json(function->dead_operands, function->dead_operand_count, "01234567"));
	json_object_set_new(object, "preemption_points", points_json(function));
	json_object_set_new(group_of(object, "preempt"), "barriers", barriers_json(function));
	if (function->reuse)
		json_object_set_new(object, "reuse", reuse_json(function->reuse));
	if (function->idempotence)
		json_object_set_new(object, "idempotence", idempotence_json(function->idempotence));
	hd_json_add_affine(object, function);
	hd_json_add_linear(object, function);
	return object;
}

json_t *hd_metadata_json(const struct hd_metadata *metadata)
{
	json_t *document = json_object(), *kernels = json_array(), *functions = json_array();
	json_object_set_new(document, "version", json_integer(HD_METADATA_VERSION));
	json_object_set_new(document, "producer", hd_json_text(metadata->producer ? metadata->producer : ""));
	json_object_set_new(document, "module", hd_json_text(metadata->module ? metadata->module : ""));
	json_object_set_new(document, "target", hd_json_text(metadata->target ? metadata->target : ""));
	json_object_set_new(document, "flags", hd_json_text(metadata->flags ? metadata->flags : ""));
	json_object_set_new(document, "mode",
			    json_string(metadata->mode == HD_MODE_RELOCATABLE ? "relocatable" : "whole-program"));
	json_object_set_new(document, "kernels", kernels);
	json_object_set_new(document, "functions", functions);
	for (uint32_t i = 0; i < metadata->function_count; i++) {
		const struct hd_meta_function *function = &metadata->functions[i];
		json_array_append_new(function->kernel ? kernels : functions, hd_metadata_function_json(function));
	}
	return document;
}

char *hd_metadata_to_json(const struct hd_metadata *metadata)
{
	json_t *document = hd_metadata_json(metadata);
	char *text = hd_json_dump(document);
	json_decref(document);
	return text;
}
