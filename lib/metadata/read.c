/*
 * Metadata from JSON that may be anything: each key is checked for its type and range, and
 * the message names the place, `kernels[2].calls[0].pc: expected an integer from 0 to ...`.
 * Keys that are not known are kept out, so that documents of later analyses still read.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/machine/abi.h"
#include "lib/metadata/input.h"

static void get_three(struct input *input, const struct place *place, const json_t *object, const char *key,
		      uint32_t numbers[3])
{
	const json_t *array = json_object_get(object, key);
	bool good = json_is_array(array) && json_array_size(array) == 3;
	for (unsigned i = 0; good && i < 3; i++) {
		const json_t *number = json_array_get(array, i);
		good = json_is_integer(number) && json_integer_value(number) >= 0 &&
		       json_integer_value(number) <= UINT32_MAX;
		numbers[i] = (uint32_t)json_integer_value(number);
	}
	if (!good)
		expected(input, place, key, "three integers");
}

static void read_param(struct input *input, const struct place *place, const json_t *object, void *element)
{
	static const char *const kinds[] = {"integer", "float", "pointer", "aggregate"};
	struct hd_meta_param *param = element;
	param->name = get_optional_text(input, place, object, "name");
	param->type = get_optional_text(input, place, object, "type");
	param->kind = (enum hd_param_kind)get_choice(input, place, object, "kind", kinds, 4, "a kind of parameter");
	param->offset = get_number(input, place, object, "offset");
	param->bytes = get_number(input, place, object, "bytes");
	param->align = get_number(input, place, object, "align");
}

static void read_call(struct input *input, const struct place *place, const json_t *object, void *element)
{
	static const char *const kinds[] = {"direct", "indirect"};
	struct hd_meta_call *call = element;
	call->pc = get_number(input, place, object, "pc");
	call->kind =
		(enum hd_call_kind)get_choice(input, place, object, "kind", kinds, 2, "\"direct\" or \"indirect\"");
	call->callees = get_names(input, place, object, "callees", &call->callee_count);
	call->recursive = get_flag(input, place, object, "recursive");
	call->unknown_callees = get_flag(input, place, object, "unknown_callees");
	call->fru = get_number(input, place, object, "fru");
	call->source = get_source(input, place, object);
}

static void read_save(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_save *save = element;
	save->pc = get_number(input, place, object, "pc");
	save->reg = (uint8_t)get_integer(input, place, object, "register", 0, 254);
	save->count = (uint8_t)get_integer(input, place, object, "count", 1, 255 - save->reg);
	save->restore = get_flag(input, place, object, "restore");
	save->offset = (int32_t)get_integer(input, place, object, "offset", INT32_MIN, INT32_MAX);
}

/* Numbers below `bound`, ascending; returns how many there are. */
static uint32_t get_ascending(struct input *input, const struct place *place, const json_t *object, const char *key,
			      uint32_t bound, uint8_t *numbers)
{
	const json_t *array = get_array(input, place, object, key);
	json_int_t last = -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		json_int_t number = json_integer_value(json_array_get(array, i));
		if (!json_is_integer(json_array_get(array, i)) || number <= last || number >= (json_int_t)bound) {
			expected(input, place, key, "register numbers in ascending order");
			return 0;
		}
		numbers[i] = (uint8_t)number;
		last = number;
	}
	return (uint32_t)json_array_size(array);
}

static void get_vector(struct input *input, const struct place *place, const json_t *object, const char *key,
		       uint64_t vector[4])
{
	uint8_t numbers[255];
	uint32_t count = get_ascending(input, place, object, key, 255, numbers);
	for (uint32_t i = 0; i < count; i++)
		vector[numbers[i] / 64] |= UINT64_C(1) << (numbers[i] % 64);
}

static struct hd_meta_registers get_registers(struct input *input, const struct place *place, const json_t *object,
					      const char *registers, const char *predicates)
{
	uint8_t numbers[7];
	struct hd_meta_registers set = {0};
	get_vector(input, place, object, registers, set.regs);
	uint32_t count = get_ascending(input, place, object, predicates, 7, numbers);
	for (uint32_t i = 0; i < count; i++)
		set.preds |= (uint8_t)(1u << numbers[i]);
	return set;
}

static uint64_t get_mask(struct input *input, const struct place *place, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	char *end = NULL;
	uint64_t mask = text ? strtoull(text, &end, 16) : 0;
	if (!text || strncmp(text, "0x", 2) != 0 || *end || mask >> 54)
		expected(input, place, key, "a mask of 54 bits in hexadecimal");
	return mask;
}

static void read_pattern(struct input *input, const struct place *place, const json_t *object, void *element)
{
	static const char *const patterns[] = {"uniform", "strided"};
	struct hd_meta_pattern *pattern = element;
	pattern->reg = (uint8_t)get_integer(input, place, object, "register", 0, 254);
	pattern->strided = get_choice(input, place, object, "pattern", patterns, 2, "\"uniform\" or \"strided\"");
	pattern->stride_known = !json_is_null(json_object_get(object, "stride"));
	if (pattern->stride_known)
		pattern->stride = (int32_t)get_integer(input, place, object, "stride", INT32_MIN, INT32_MAX);
	pattern->dimensions = (uint32_t)get_integer(input, place, object, "dimensions", 0, 3);
}

static void read_barrier(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_barrier *barrier = element;
	barrier->pc = get_number(input, place, object, "pc");
	barrier->live = get_registers(input, place, object, "live", "predicates");
}

static void get_pcs(struct input *input, const struct place *place, const json_t *object,
		    struct hd_meta_interval *interval)
{
	const json_t *array = get_array(input, place, object, "pcs");
	json_int_t last = -1;
	interval->pc_count = (uint32_t)json_array_size(array);
	interval->pcs = HD_ARENA_NEW(input->arena, uint32_t, interval->pc_count);
	for (uint32_t i = 0; i < interval->pc_count; i++) {
		const json_t *number = json_array_get(array, i);
		if (!json_is_integer(number) || json_integer_value(number) <= last ||
		    json_integer_value(number) > UINT32_MAX) {
			expected(input, place, "pcs", "pcs in ascending order");
			return;
		}
		last = json_integer_value(number);
		interval->pcs[i] = (uint32_t)last;
	}
}

static void read_interval(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_interval *interval = element;
	interval->id = get_number(input, place, object, "id");
	interval->entry_pc = get_number(input, place, object, "entry_pc");
	get_pcs(input, place, object, interval);
	get_vector(input, place, object, "working_set", interval->working_set);
	get_vector(input, place, object, "live_in", interval->live_in);
}

static void read_launch(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_launch *launch = element;
	launch->source = get_source(input, place, object);
	launch->block_known = !json_is_null(json_object_get(object, "block"));
	launch->shared_known = !json_is_null(json_object_get(object, "shared_bytes"));
	if (launch->block_known)
		get_three(input, place, object, "block", launch->block);
	if (launch->shared_known)
		launch->shared_bytes = get_number(input, place, object, "shared_bytes");
}

static void read_point(struct input *input, const struct place *place, const json_t *object, void *element)
{
	static const char *const kinds[] = {"pp", "bar.pp"};
	struct hd_meta_point *point = element;
	point->pc = get_number(input, place, object, "pc");
	point->kind = (enum hd_preempt_kind)get_choice(input, place, object, "kind", kinds, 2, "\"pp\" or \"bar.pp\"");
	point->loop_pc = UINT32_MAX;
	if (!json_is_null(json_object_get(object, "loop_pc")))
		point->loop_pc = get_number(input, place, object, "loop_pc");
	point->live = get_registers(input, place, object, "live", "predicates");
	point->live_divergent = get_registers(input, place, object, "live_divergent", "predicates_divergent");
	point->mask = get_mask(input, place, object, "mask");
	point->mask_divergent = get_mask(input, place, object, "mask_divergent");
	point->patterns = get_records(input, place, object, "patterns", sizeof(*point->patterns), &point->pattern_count,
				      read_pattern);
}

static void get_histogram(struct input *input, const struct place *place, const json_t *object,
			  uint32_t histogram[HD_REUSE_BUCKETS])
{
	const json_t *array = get_array(input, place, object, "histogram");
	bool good = json_array_size(array) == HD_REUSE_BUCKETS;
	for (unsigned b = 0; good && b < HD_REUSE_BUCKETS; b++) {
		json_int_t count = json_integer_value(json_array_get(array, b));
		good = json_is_integer(json_array_get(array, b)) && count >= 0 && count <= UINT32_MAX;
		histogram[b] = (uint32_t)count;
	}
	if (!good)
		expected(input, place, "histogram", "eight counts");
}

/* A string of `count` digits as their values. */
static uint8_t *get_digits(struct input *input, const struct place *place, const json_t *object, const char *key,
			   size_t count, const char *digits)
{
	const char *text = get_text(input, place, object, key);
	bool good = strlen(text) == count;
	uint8_t *values = HD_ARENA_NEW(input->arena, uint8_t, good ? count : 0);
	for (size_t i = 0; i < count && good; i++) {
		const char *digit = strchr(digits, text[i]);
		good = digit != NULL;
		values[i] = (uint8_t)(digit ? digit - digits : 0);
	}
	if (!good)
		expected(input, place, key, "a digit for each instruction or operand");
	return values;
}

static struct hd_meta_reuse *get_reuse(struct input *input, const struct place *place, const json_t *function,
				       uint32_t instructions)
{
	const struct place here = {place, "reuse", 0};
	const json_t *object = json_object_get(function, "reuse");
	if (!object)
		return NULL;
	struct hd_meta_reuse *reuse = HD_ARENA_NEW(input->arena, struct hd_meta_reuse, 1);
	reuse->rthld = get_number(input, &here, object, "rthld");
	reuse->profiled = get_flag(input, &here, object, "profiled");
	reuse->near = get_number(input, &here, object, "near");
	reuse->far = get_number(input, &here, object, "far");
	reuse->dead = get_number(input, &here, object, "dead");
	get_histogram(input, &here, object, reuse->histogram);
	reuse->tag_count = instructions;
	reuse->tags = get_digits(input, &here, object, "tags", instructions, "0123456789abcdef");
	reuse->exact = get_digits(input, &here, object, "exact", (size_t)4 * instructions, HD_REUSE_DIGITS);
	return reuse;
}

static struct hd_meta_place get_place(struct input *input, const struct place *place, const json_t *object,
				      const char *key)
{
	const struct place here = {place, key, 0};
	const json_t *value = json_object_get(object, key);
	if (json_is_null(value))
		return (struct hd_meta_place){0};
	return (struct hd_meta_place){get_text(input, &here, value, "function"), get_number(input, &here, value, "pc"),
				      get_source(input, &here, value)};
}

static struct hd_meta_idempotence *get_idempotence(struct input *input, const struct place *place,
						   const json_t *function)
{
	static const char *const why[] = {"store", "atomic", "volatile", "call", "service", "clock"};
	const struct place here = {place, "idempotence", 0};
	const json_t *object = json_object_get(function, "idempotence");
	if (!object)
		return NULL;
	struct hd_meta_idempotence *facts = HD_ARENA_NEW(input->arena, struct hd_meta_idempotence, 1);
	if (!get_flag(input, &here, object, "idempotent")) {
		facts->why = (enum hd_idempotence_break)(
			1 + get_choice(input, &here, object, "why", why, 6, "what breaks idempotence"));
		facts->at = get_place(input, &here, object, "at");
		facts->read = get_place(input, &here, object, "read");
	}
	return facts;
}

static void read_function(struct input *input, const struct place *place, const json_t *object, void *element)
{
	struct hd_meta_function *function = element;
	function->name = get_text(input, place, object, "name");
	function->demangled = get_text(input, place, object, "demangled");
	function->source = get_source(input, place, object);

	/* A key of a group stands in the object of that name; a missing object fails at its first key. */
#define GROUP(group) (group[0] ? json_object_get(object, group) : object)
#define PLACE(group) (group[0] ? &(const struct place){place, group, 0} : place)
#define NUMBER(group, field) function->field = get_number(input, PLACE(group), GROUP(group), #field);
#define FLAG(group, field) function->field = get_flag(input, PLACE(group), GROUP(group), #field);
	HD_META_FUNCTION_FIELDS(NUMBER, FLAG)
#undef NUMBER
#undef FLAG
	const struct place ltrf_place = {place, "ltrf", 0};
	const json_t *ltrf = GROUP("ltrf");
	const struct place depth_place = {place, "stackdepth", 0}, preempt_place = {place, "preempt", 0};
	const struct place liveness_place = {place, "liveness", 0};
	const json_t *depth = GROUP("stackdepth"), *preempt = GROUP("preempt"), *liveness = GROUP("liveness");
	get_three(input, PLACE("launch_bounds"), GROUP("launch_bounds"), "reqntid", function->reqntid);
#undef PLACE
#undef GROUP
	function->high_watermark_chain =
		get_names(input, &depth_place, depth, "high_watermark_chain", &function->chain_count);
	function->saves = get_records(input, &depth_place, depth, "saves", sizeof(*function->saves),
				      &function->save_count, read_save);
	function->params = get_records(input, place, object, "params", sizeof(*function->params),
				       &function->param_count, read_param);
	function->calls =
		get_records(input, place, object, "calls", sizeof(*function->calls), &function->call_count, read_call);
	function->launches = get_records(input, place, object, "launches", sizeof(*function->launches),
					 &function->launch_count, read_launch);
	uint32_t count; /* stated twice: interval_count and strand_count are keys too */
	function->intervals =
		get_records(input, place, object, "intervals", sizeof(*function->intervals), &count, read_interval);
	if (count != function->interval_count)
		expected(input, place, "intervals", "as many as interval_count says");
	function->strands =
		get_records(input, &ltrf_place, ltrf, "strands", sizeof(*function->strands), &count, read_interval);
	if (count != function->strand_count)
		expected(input, &ltrf_place, "strands", "as many as strand_count says");
	function->points = get_records(input, place, object, "preemption_points", sizeof(*function->points),
				       &function->point_count, read_point);
	function->barriers = get_records(input, &preempt_place, preempt, "barriers", sizeof(*function->barriers),
					 &function->barrier_count, read_barrier);
	function->dead_operand_count =
		strlen(get_text(input, &liveness_place, liveness, "dead_operands")) ? function->instructions : 0;
	function->dead_operands =
		get_digits(input, &liveness_place, liveness, "dead_operands", function->dead_operand_count, "01234567");
	function->reuse = get_reuse(input, place, object, function->instructions);
	function->idempotence = get_idempotence(input, place, object);
	hd_metadata_read_affine(input, place, object, function);
	hd_metadata_read_linear(input, place, object, function);
}

static int by_name(const void *a, const void *b)
{
	const struct hd_meta_function *left = a, *right = b;
	return strcmp(left->name, right->name);
}

/* Kernels and device functions are two arrays outside and one, in order of name, inside. */
static void read_functions(struct input *input, const json_t *document, struct hd_metadata *metadata)
{
	uint32_t kernel_count = 0, function_count = 0;
	struct hd_meta_function *kernels =
		get_records(input, NULL, document, "kernels", sizeof(*kernels), &kernel_count, read_function);
	struct hd_meta_function *functions =
		get_records(input, NULL, document, "functions", sizeof(*functions), &function_count, read_function);
	if (input->failed)
		return;
	metadata->function_count = kernel_count + function_count;
	metadata->functions = HD_ARENA_NEW(input->arena, struct hd_meta_function, metadata->function_count);
	for (uint32_t i = 0; i < kernel_count; i++) {
		kernels[i].kernel = true;
		metadata->functions[i] = kernels[i];
	}
	for (uint32_t i = 0; i < function_count; i++)
		metadata->functions[kernel_count + i] = functions[i];
	qsort(metadata->functions, metadata->function_count, sizeof(*metadata->functions), by_name);
	for (uint32_t i = 1; i < metadata->function_count; i++)
		if (strcmp(metadata->functions[i - 1].name, metadata->functions[i].name) == 0)
			expected(input, NULL, metadata->functions[i].name, "one function of this name");
}

static const struct hd_abi *convention(struct input *input, const struct hd_metadata *metadata)
{
	size_t length;
	const char *name = hd_metadata_parameter(metadata, "abi", &length);
	const struct hd_abi *abi = name ? hd_abi_find(name, length) : &hd_abi_cars;
	if (!abi)
		expected(input, NULL, "flags", "a calling convention that this Heddle knows behind abi=");
	return abi;
}

static void read_document(struct input *input, const json_t *document, struct hd_metadata *metadata)
{
	static const char *const modes[] = {"whole-program", "relocatable"};
	int64_t version = get_integer(input, NULL, document, "version", 1, INT32_MAX);
	if (!input->failed && version != HD_METADATA_VERSION) {
		hd_error(input->diag, HD_NOWHERE, "%s: metadata of version %lld; this Heddle reads version %d",
			 input->name, (long long)version, HD_METADATA_VERSION);
		input->failed = true;
	}
	metadata->producer = get_text(input, NULL, document, "producer");
	metadata->module = get_text(input, NULL, document, "module");
	metadata->target = get_text(input, NULL, document, "target");
	metadata->flags = get_text(input, NULL, document, "flags");
	metadata->abi = convention(input, metadata);
	metadata->mode = (enum hd_compile_mode)get_choice(input, NULL, document, "mode", modes, 2,
							  "\"whole-program\" or \"relocatable\"");
	read_functions(input, document, metadata);
}

int hd_metadata_from_json(const char *text, size_t size, const char *name, struct hd_arena *arena,
			  struct hd_metadata *metadata, struct hd_diag *diag)
{
	struct input input = {.name = name, .arena = arena, .diag = diag};
	json_error_t error;
	*metadata = (struct hd_metadata){.arena = arena};
	json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!document)
		return hd_error(diag, HD_NOWHERE, "%s: metadata: line %d, column %d: %s", name, error.line,
				error.column, error.text);
	if (json_is_object(document))
		read_document(&input, document, metadata);
	else
		expected(&input, NULL, "document", "an object");
	json_decref(document);
	if (!input.failed)
		return 0;
	*metadata = (struct hd_metadata){.arena = arena};
	return -1;
}
