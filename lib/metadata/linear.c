/*
 * The linear version of a kernel (R2D2) in the metadata: the object `linear_version`, written and read.
 */
#include "lib/metadata/input.h"

/* In the order in which they are printed; a line makes a key written and read. */
#define NUMBERS(X)                  \
	X(registers)                \
	X(frame_bytes)              \
	X(linear_registers)         \
	X(thread_registers)         \
	X(coefficient_registers)    \
	X(conditions)               \
	X(coefficient_instructions) \
	X(thread_instructions)      \
	X(block_instructions)       \
	X(instructions)

void hd_json_add_linear(json_t *object, const struct hd_meta_function *function)
{
	const struct hd_meta_linear_version *version = function->linear_version;
	if (!version)
		return;
	json_t *facts = json_object();
#define X(field) json_object_set_new(facts, #field, json_integer(version->field));
	NUMBERS(X)
#undef X
	json_object_set_new(object, "linear_version", facts);
}

void hd_metadata_read_linear(struct input *input, const struct place *place, const json_t *object,
			     struct hd_meta_function *function)
{
	const struct place here = {place, "linear_version", 0};
	const json_t *facts = json_object_get(object, "linear_version");
	if (!facts)
		return;
	struct hd_meta_linear_version *version = HD_ARENA_NEW(input->arena, struct hd_meta_linear_version, 1);
#define X(field) version->field = get_number(input, &here, facts, #field);
	NUMBERS(X)
#undef X
	function->linear_version = version;
}
