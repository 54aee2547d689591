/*
 * Linear values (R2D2) in the metadata: `linear_registers` and the object `affine`, written and read.
 */
#include "lib/metadata/input.h"

static const char *const kinds[] = {"load", "store", "atomic"};
static const char *const spaces[] = {"global", "shared"};
const char *const hd_meta_class_names[HD_CLASSES] = {"grid", "block", "warp", "affine", "divergent"};
static const char *const assumptions[] = {"nothing", "block", "whole_rows"};

/* ---- writing */

static json_t *texts_json(const char *const *texts, uint32_t count)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, hd_json_text(texts[i]));
	return array;
}

static json_t *registers_json(const struct hd_meta_affine *affine)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < affine->register_count; i++) {
		const struct hd_meta_linear_register *reg = &affine->registers[i];
		json_t *object = json_object();
		json_object_set_new(object, "vector", texts_json(reg->vector, HD_META_VECTOR));
		json_object_set_new(object, "thread_part",
				    reg->thread_part < 0 ? json_null() : json_integer(reg->thread_part));
		json_object_set_new(object, "bits", json_integer(reg->bits));
		json_object_set_new(object, "uses", json_integer(reg->uses));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *conditions_json(const struct hd_meta_affine *affine)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < affine->condition_count; i++) {
		const struct hd_meta_condition *condition = &affine->conditions[i];
		json_t *object = json_object(), *iterations = json_array();
		for (uint32_t l = 0; l < condition->iteration_count; l++) {
			json_t *loop = json_object();
			json_object_set_new(loop, "symbol", hd_json_text(condition->iterations[l].symbol));
			json_object_set_new(loop, "most", hd_json_text(condition->iterations[l].most));
			json_array_append_new(iterations, loop);
		}
		json_object_set_new(object, "vector", texts_json(condition->vector, HD_META_VECTOR));
		json_object_set_new(object, "low", json_integer(condition->low));
		json_object_set_new(object, "high", json_integer(condition->high));
		json_object_set_new(object, "iterations", iterations);
		json_array_append_new(array, object);
	}
	return array;
}

/* null: not known */
static json_t *bounds_json(uint32_t least, uint32_t most)
{
	return most ? json_pack("[I,I]", (json_int_t)least, (json_int_t)most) : json_null();
}

static json_t *access_json(const struct hd_meta_access *access)
{
	json_t *object = json_object();
	json_object_set_new(object, "pc", json_integer(access->pc));
	json_object_set_new(object, "kind", json_string(kinds[access->kind]));
	json_object_set_new(object, "space", json_string(spaces[access->space]));
	json_object_set_new(object, "bytes", json_integer(access->bytes));
	json_object_set_new(object, "address", hd_json_text(access->address));
	json_object_set_new(object, "assumes", json_string(assumptions[access->assumes]));
	json_object_set_new(object, "block",
			    access->assumes == HD_ASSUME_BLOCK
				    ? json_pack("[I,I,I]", (json_int_t)access->block[0], (json_int_t)access->block[1],
						(json_int_t)access->block[2])
				    : json_null());
	json_object_set_new(object, "lane_stride", hd_json_text(access->lane_stride));
	json_object_set_new(object, "stride", access->stride_known ? json_integer(access->stride) : json_null());
	json_object_set_new(object, "alignment", json_integer(access->alignment));
	json_object_set_new(object, "sectors_per_request", bounds_json(access->sectors_least, access->sectors_most));
	json_object_set_new(object, "bank_conflict_degree",
			    bounds_json(access->conflicts_least, access->conflicts_most));
	json_object_set_new(object, "source", hd_json_source(&access->source));
	return object;
}

/* Numbers of the object `affine`, in the order in which they are printed; a line makes a key written and read. */
#define NUMBERS(X)       \
	X(values)        \
	X(linear_values) \
	X(removed)       \
	X(wanted_registers)

static json_t *classes_json(const uint32_t counts[HD_CLASSES])
{
	json_t *object = json_object();
	for (unsigned class = 0; class < HD_CLASSES; class ++)
		json_object_set_new(object, hd_meta_class_names[class], json_integer(counts[class]));
	return object;
}

static json_t *branches_json(const struct hd_meta_affine *affine)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < affine->branch_count; i++) {
		const struct hd_meta_branch *branch = &affine->branches[i];
		json_t *object = json_object();
		json_object_set_new(object, "pc", json_integer(branch->pc));
		json_object_set_new(object, "class", json_string(hd_meta_class_names[branch->class]));
		json_object_set_new(object, "iterates", json_boolean(branch->iterates));
		json_object_set_new(object, "source", hd_json_source(&branch->source));
		json_array_append_new(array, object);
	}
	return array;
}

void hd_json_add_affine(json_t *object, const struct hd_meta_function *function)
{
	const struct hd_meta_affine *affine = function->affine;
	if (!affine)
		return;
	json_t *facts = json_object(), *accesses = json_array();
#define X(field) json_object_set_new(facts, #field, json_integer(affine->field));
	NUMBERS(X)
#undef X
	for (uint32_t i = 0; i < affine->access_count; i++)
		json_array_append_new(accesses, access_json(&affine->accesses[i]));
	json_object_set_new(facts, "value_classes", classes_json(affine->value_classes));
	json_object_set_new(facts, "branch_classes", classes_json(affine->branch_classes));
	json_object_set_new(facts, "branches", branches_json(affine));
	json_object_set_new(facts, "coefficients", texts_json(affine->scalars, affine->scalar_count));
	json_object_set_new(facts, "conditions", conditions_json(affine));
	json_object_set_new(facts, "accesses", accesses);
	json_object_set_new(object, "linear_registers", registers_json(affine));
	json_object_set_new(object, "affine", facts);
}

/* ---- reading */

static void get_vector(struct input *input, const struct place *place, const json_t *object,
		       const char *vector[HD_META_VECTOR])
{
	uint32_t count;
	const char **texts = get_names(input, place, object, "vector", &count);
	if (count != HD_META_VECTOR)
		expected(input, place, "vector", "seven polynomials");
	for (uint32_t i = 0; i < HD_META_VECTOR; i++)
		vector[i] = i < count ? texts[i] : "0";
}

static void read_register(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_linear_register *reg = element;
	get_vector(input, place, object, reg->vector);
	reg->thread_part = -1;
	if (!json_is_null(json_object_get(object, "thread_part")))
		reg->thread_part = (int32_t)get_integer(input, place, object, "thread_part", 0, 15);
	reg->bits = (uint32_t)get_integer(input, place, object, "bits", 32, 64);
	reg->uses = get_number(input, place, object, "uses");
}

static void read_iterations(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_iterations *loop = element;
	loop->symbol = get_text(input, place, object, "symbol");
	loop->most = get_text(input, place, object, "most");
}

static void read_condition(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_condition *condition = element;
	get_vector(input, place, object, condition->vector);
	condition->low = get_integer(input, place, object, "low", INT64_MIN, INT64_MAX);
	condition->high = get_integer(input, place, object, "high", INT64_MIN, INT64_MAX);
	condition->iterations = get_records(input, place, object, "iterations", sizeof(*condition->iterations),
					    &condition->iteration_count, read_iterations);
}

/* So many counts, or null: zeros. */
static void get_counts(struct input *input, const struct place *place, const json_t *object, const char *key,
		       uint32_t *counts, uint32_t count)
{
	const json_t *array = json_object_get(object, key);
	if (json_is_null(array))
		return;
	if (json_array_size(array) != count)
		expected(input, place, key, "null or an array of the right length");
	for (uint32_t i = 0; i < count; i++) {
		json_int_t number = json_integer_value(json_array_get(array, i));
		if (number < 1 || number > UINT32_MAX)
			expected(input, place, key, "counts");
		counts[i] = (uint32_t)number;
	}
}

static void read_access(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_access *access = element;
	uint32_t sectors[2] = {0, 0}, conflicts[2] = {0, 0};
	access->pc = get_number(input, place, object, "pc");
	access->kind = (enum hd_access_kind)get_choice(input, place, object, "kind", kinds, 3, "a kind of access");
	access->space = (enum hd_access_space)get_choice(input, place, object, "space", spaces, 2, "a memory space");
	access->bytes = (uint32_t)get_integer(input, place, object, "bytes", 1, 16);
	access->address = get_optional_text(input, place, object, "address");
	access->assumes = (enum hd_access_assumption)get_choice(input, place, object, "assumes", assumptions, 3,
								"an assumption on blocks");
	get_counts(input, place, object, "block", access->block, 3);
	access->lane_stride = get_optional_text(input, place, object, "lane_stride");
	access->stride_known = !json_is_null(json_object_get(object, "stride"));
	if (access->stride_known)
		access->stride = get_integer(input, place, object, "stride", INT64_MIN, INT64_MAX);
	access->alignment = get_number(input, place, object, "alignment");
	get_counts(input, place, object, "sectors_per_request", sectors, 2);
	access->sectors_least = sectors[0];
	access->sectors_most = sectors[1];
	get_counts(input, place, object, "bank_conflict_degree", conflicts, 2);
	access->conflicts_least = conflicts[0];
	access->conflicts_most = conflicts[1];
	access->source = get_source(input, place, object);
}

static void read_classes(struct input *input, const struct place *place, const json_t *facts, const char *key,
			 uint32_t counts[HD_CLASSES])
{
	const struct place here = {place, key, 0};
	for (unsigned class = 0; class < HD_CLASSES; class ++)
		counts[class] = get_number(input, &here, json_object_get(facts, key), hd_meta_class_names[class]);
}

static void read_branch(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_branch *branch = element;
	branch->pc = get_number(input, place, object, "pc");
	branch->class = (enum hd_value_class)get_choice(input, place, object, "class", hd_meta_class_names, HD_CLASSES,
							"a class of values");
	branch->iterates = get_flag(input, place, object, "iterates");
	branch->source = get_source(input, place, object);
}

void hd_metadata_read_affine(struct input *input, const struct place *place, const json_t *object,
			     struct hd_meta_function *function)
{
	const struct place here = {place, "affine", 0};
	const json_t *facts = json_object_get(object, "affine");
	if (!facts)
		return;
	struct hd_meta_affine *affine = HD_ARENA_NEW(input->arena, struct hd_meta_affine, 1);
#define X(field) affine->field = get_number(input, &here, facts, #field);
	NUMBERS(X)
#undef X
	read_classes(input, &here, facts, "value_classes", affine->value_classes);
	read_classes(input, &here, facts, "branch_classes", affine->branch_classes);
	affine->branches = get_records(input, &here, facts, "branches", sizeof(*affine->branches),
				       &affine->branch_count, read_branch);
	affine->registers = get_records(input, place, object, "linear_registers", sizeof(*affine->registers),
					&affine->register_count, read_register);
	affine->scalars = get_names(input, &here, facts, "coefficients", &affine->scalar_count);
	affine->conditions = get_records(input, &here, facts, "conditions", sizeof(*affine->conditions),
					 &affine->condition_count, read_condition);
	affine->accesses = get_records(input, &here, facts, "accesses", sizeof(*affine->accesses),
				       &affine->access_count, read_access);
	function->affine = affine;
}
