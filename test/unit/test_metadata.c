/* Metadata: JSON round trip, stable text, errors with their place, search by name. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/machine/abi.h"
#include "lib/metadata/fields.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"
#include "sample.h"

static struct hd_arena arena;
static struct hd_strbuf messages;
static struct hd_diag diag;

static void collect(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)severity, (void)loc;
	hd_strbuf_printf(context, "%s\n", message);
}

static void set_up(void)
{
	hd_arena_init(&arena);
	messages = (struct hd_strbuf){0};
	diag = (struct hd_diag){.emit = collect, .context = &messages, .tool = "test"};
}

static void tear_down(void)
{
	hd_arena_release(&arena);
	hd_strbuf_release(&messages);
}

static char *sample_text(void)
{
	struct hd_metadata metadata = sample_metadata(&arena);
	char *text = hd_metadata_to_json(&metadata);
	ck_assert_ptr_nonnull(text);
	return text;
}

static void same_functions(const struct hd_meta_function *a, const struct hd_meta_function *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert_str_eq(a->demangled ? a->demangled : a->name, b->demangled);
	ck_assert(a->kernel == b->kernel && a->recursive == b->recursive && a->address_taken == b->address_taken);
	ck_assert(a->registers == b->registers && a->spill_store_bytes == b->spill_store_bytes && a->fru == b->fru &&
		  a->max_stack_depth == b->max_stack_depth && a->low_watermark == b->low_watermark &&
		  a->high_watermark == b->high_watermark && a->pushed_registers == b->pushed_registers &&
		  a->instructions == b->instructions && a->max_threads == b->max_threads &&
		  a->reqntid[1] == b->reqntid[1] && a->dynamic_shared == b->dynamic_shared);
	ck_assert(a->param_count == b->param_count && a->call_count == b->call_count &&
		  a->save_count == b->save_count && a->launch_count == b->launch_count &&
		  a->chain_count == b->chain_count);
}

START_TEST(survives_json)
{
	struct hd_metadata metadata = sample_metadata(&arena), back;
	char *text = sample_text();
	ck_assert_msg(hd_metadata_from_json(text, strlen(text), "x", &arena, &back, &diag) == 0, "%s",
		      hd_strbuf_text(&messages));
	ck_assert_str_eq(back.module, "a.cu");
	ck_assert(back.mode == HD_MODE_RELOCATABLE);
	ck_assert_uint_eq(back.function_count, 3);
	for (uint32_t i = 0; i < 3; i++)
		same_functions(&metadata.functions[i], &back.functions[i]);
	const struct hd_meta_function *kernel = &back.functions[1];
	ck_assert_str_eq(kernel->high_watermark_chain[2], "leaf");
	ck_assert(kernel->calls[0].unknown_callees && kernel->calls[0].source.line == 12);
	ck_assert(kernel->saves[0].offset == -24 && kernel->saves[0].restore);
	ck_assert(kernel->launches[0].block[1] == 2 && kernel->launches[0].shared_bytes == 64);
	ck_assert(!kernel->launches[1].block_known && !kernel->launches[1].shared_known);
	ck_assert(kernel->points[0].loop_pc == 32 && kernel->points[1].loop_pc == UINT32_MAX);
	ck_assert(kernel->points[1].kind == HD_PREEMPT_BAR && kernel->points[0].live_divergent.preds == 0x43);
	ck_assert(kernel->points[0].mask_divergent == (UINT64_C(1) << 53 | 0xc));
	ck_assert(kernel->points[0].patterns[0].stride == -4 && !kernel->points[0].patterns[1].stride_known);
	ck_assert(kernel->barriers[0].live.regs[0] == 0x30 && kernel->drain_bounded && kernel->dead_warp_reads == 80);
	ck_assert(kernel->params[0].kind == HD_PARAM_POINTER && kernel->params[0].offset == 8);
	ck_assert_ptr_null(back.functions[0].source.file);
	const struct hd_meta_reuse *reuse = back.functions[0].reuse;
	ck_assert(reuse->profiled && reuse->far == 2 && reuse->histogram[7] == 2 && reuse->tags[2] == 15 &&
		  reuse->tags[4] == 10);
	ck_assert(reuse->exact[1] == 1 && reuse->exact[4] == HD_REUSE_EXACT_MOST && reuse->exact[5] == HD_REUSE_NEVER);
	ck_assert(back.functions[0].dead_operand_count == 7 && back.functions[0].dead_operands[1] == 7);
	ck_assert_uint_eq(kernel->dead_operand_count, 0);
	const struct hd_meta_idempotence *idempotence = back.functions[0].idempotence;
	ck_assert(idempotence->why == HD_BREAK_STORE && idempotence->at.source.line == 20 &&
		  idempotence->read.pc == 16);
	ck_assert(!kernel->reuse && !kernel->idempotence);
	ck_assert(kernel->interval_count == 2 && kernel->strand_count == 1 && kernel->interval_registers == 16);
	ck_assert(kernel->intervals[0].working_set[3] == UINT64_C(1) << 62 && kernel->intervals[0].live_in[0] == 0x10);
	ck_assert(kernel->intervals[1].entry_pc == 48 && kernel->intervals[1].pc_count == 1 &&
		  kernel->intervals[1].pcs[0] == 48 && kernel->intervals[1].working_set[0] == 0);

	char *again = hd_metadata_to_json(&back);
	ck_assert_str_eq(text, again);
	ck_assert(text[strlen(text) - 1] == '\n');
	free(again);
	free(text);
}
END_TEST

START_TEST(keys_keep_their_order)
{
	static const char *const keys[] = {
		"\"version\"",		 "\"producer\"",      "\"kernels\"",	    "\"name\"",
		"\"demangled\"",	 "\"source\"",	      "\"registers\"",	    "\"stack_bytes\"",
		"\"spill_store_bytes\"", "\"shared_bytes\"",  "\"instructions\"",   "\"fru\"",
		"\"max_stack_depth\"",	 "\"low_watermark\"", "\"high_watermark\"", "\"call_depth\"",
		"\"stackdepth\"",	 "\"calls\"",	      "\"functions\""};
	char *text = sample_text();
	const char *at = text;
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		at = strstr(at, keys[i]);
		ck_assert_msg(at != NULL, "%s", keys[i]);
	}
	free(text);
}
END_TEST

/* The sample's text with the first `from` replaced must fail with this message. */
static void expect_error(const char *from, const char *to, const char *expected)
{
	char *text = sample_text();
	const char *at = strstr(text, from);
	ck_assert_msg(at != NULL, "%s", from);
	char *changed = hd_arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	struct hd_metadata metadata;
	ck_assert_int_eq(hd_metadata_from_json(changed, strlen(changed), "x.json", &arena, &metadata, &diag), -1);
	ck_assert_msg(strstr(hd_strbuf_text(&messages), expected) != NULL, "%s", hd_strbuf_text(&messages));
	ck_assert_uint_eq(metadata.function_count, 0);
	hd_strbuf_release(&messages);
	free(text);
}

START_TEST(errors_name_their_place)
{
	expect_error("\"version\": 1", "\"version\": 2",
		     "x.json: metadata of version 2, but this Heddle reads version 1 (compile again)");
	expect_error("\"tags\": \"01f", "\"tags\": \"01g",
		     "functions[0].reuse.tags: expected a digit for each instruction");
	expect_error("\"tags\": \"01f", "\"tags\": \"01",
		     "functions[0].reuse.tags: expected a digit for each instruction");
	expect_error("\"exact\": \"-19az0", "\"exact\": \"-19aZ0", "functions[0].reuse.exact: expected a digit");
	expect_error("\"dead_operands\": \"07", "\"dead_operands\": \"08",
		     "functions[0].liveness.dead_operands: expected");
	expect_error("\"why\": \"store\"", "\"why\": \"whim\"",
		     "functions[0].idempotence.why: expected \"store\", \"atomic\",");
	expect_error("\"why\": \"store\"", "\"why\": null", "functions[0].idempotence.why: expected what breaks");
	expect_error("\"idempotent\": false", "\"idempotent\": true", "functions[0].idempotence.why: expected null");
	expect_error("\"register\": 16", "\"register\": 252",
		     "kernels[0].stackdepth.saves[0].count: expected registers");
	expect_error("\"registers\": 40", "\"registers\": -1",
		     "kernels[0].registers: expected an integer from 0 to 4294967295");
	expect_error("\"registers\": 40", "\"registers\": 4.5", "kernels[0].registers: expected an integer");
	expect_error("\"registers\": 40,", "", "kernels[0].registers");
	expect_error("\"max_threads\": 256", "\"max_threads\": null", "kernels[0].launch_bounds.max_threads");
	expect_error("\"launch_bounds\"", "\"bounds\"", "kernels[0].launch_bounds.max_threads");
	expect_error("\"register\": 16", "\"register\": 255", "kernels[0].stackdepth.saves[0].register");
	expect_error("\"indirect\"", "\"maybe\"", "kernels[0].calls[0].kind: expected \"direct\" or \"indirect\"");
	expect_error("\"_Z3midf\",\n          \"leaf\"", "7",
		     "kernels[0].stackdepth.high_watermark_chain: expected strings");
	expect_error("\"mode\": \"relocatable\"", "\"mode\": 1", "mode: expected");
	expect_error("\"name\": \"leaf\"", "\"name\": \"_Z3midf\"", "_Z3midf: expected one function of this name");
	expect_error("\"pp\"", "\"qq\"", "kernels[0].preemption_points[0].kind: expected \"pp\" or \"bar.pp\"");
	expect_error("\"mask\": \"0x", "\"mask\": \"0xf",
		     "kernels[0].preemption_points[0].mask: expected a mask of 54 bits");
	expect_error("\"stride\": -4", "\"stride\": \"-4\"", "kernels[0].preemption_points[0].patterns[0].stride");
	expect_error("\"drain_bounded\": true", "\"drain_bounded\": 1", "kernels[0].preempt.drain_bounded");
	expect_error("\"interval_count\": 2", "\"interval_count\": 3", "kernels[0].intervals: expected as many as");
	expect_error("\"pcs\": [\n            0,", "\"pcs\": [\n            99,",
		     "kernels[0].intervals[0].pcs: expected pcs in");
	expect_error("\"working_set\": [", "\"working_set\": [255, ", "kernels[0].ltrf.strands[0].working_set");
	expect_error("\"version\"", "version", "x.json: metadata: line 2, column");
	expect_error("\"kernels\": [", "\"kernels\": [[], ", "kernels[0]: expected an object");
}
END_TEST

/* The calling convention is a parameter's value: what other parameters hold is none of its business. */
START_TEST(conventions_come_from_their_parameter)
{
	static const struct {
		const char *flags;
		const struct hd_abi *abi;
	} cases[] = {
		{"", &hd_abi_cars},
		{"abi=observed", &hd_abi_observed},
		{"maxrregcount=32;abi=observed;ipra=1", &hd_abi_observed},
		{"libdevice=/builds/abi=observed/lib.bc", &hd_abi_cars},
		{"noabi=observed;rdc=1", &hd_abi_cars},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = sample_text();
		const char *at = strstr(text, "interval-regs=16");
		char *changed = hd_arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, cases[i].flags,
						at + strlen("interval-regs=16"));
		struct hd_metadata metadata;
		ck_assert_int_eq(hd_metadata_from_json(changed, strlen(changed), "x", &arena, &metadata, &diag), 0);
		ck_assert_msg(metadata.abi == cases[i].abi, "'%s' gives %s", cases[i].flags, metadata.abi->name);
		free(text);
	}
	expect_error("interval-regs=16", "abi=other", "x.json: metadata: flags: expected a calling convention");
}
END_TEST

/* ------------------------------------------------------------------ the table of figures */

/* A kernel in which every figure has a value of its own, but for those that say how long a list is. */
struct figures {
	struct hd_meta_function kernel;
	struct hd_meta_reuse reuse;
	struct hd_meta_affine affine;
	struct hd_meta_linear_version linear_version;
	struct hd_metadata metadata;
	uint32_t count;
};

static bool counts_a_list(const struct hd_meta_field *figure)
{
	for (uint32_t i = 0; i < hd_meta_function_record.count; i++) {
		const char *key = hd_meta_function_record.fields[i].count_key;
		if (key && strcmp(key, figure->key) == 0)
			return true;
	}
	return false;
}

static void fill(struct figures *figures, const struct hd_meta_record *table, void *record)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct hd_meta_field *field = &table->fields[i];
		uint32_t *member = (uint32_t *)(void *)((char *)record + field->at);
		if (field->type == HD_META_FLAG && hd_meta_is_figure(field))
			*(bool *)member = true;
		else if (hd_meta_is_figure(field) && !counts_a_list(field))
			*member = 1000 + figures->count;
		figures->count += hd_meta_is_figure(field);
	}
}

static void make_figures(struct figures *figures)
{
	*figures = (struct figures){.kernel = sample_metadata(&arena).functions[1]};
	fill(figures, &hd_meta_function_record, &figures->kernel);
	fill(figures, &hd_meta_reuse_record, &figures->reuse);
	fill(figures, &hd_meta_affine_record, &figures->affine);
	fill(figures, &hd_meta_linear_version_record, &figures->linear_version);
	figures->reuse.tag_count = figures->kernel.instructions;
	figures->reuse.tags = HD_ARENA_NEW(&arena, uint8_t, figures->kernel.instructions);
	figures->reuse.exact = HD_ARENA_NEW(&arena, uint8_t, 4 * figures->kernel.instructions);
	figures->kernel.reuse = &figures->reuse;
	figures->kernel.affine = &figures->affine;
	figures->kernel.linear_version = &figures->linear_version;
	figures->metadata = (struct hd_metadata){.functions = &figures->kernel, .function_count = 1};
}

/* What stands at "key", "group.key" of the function, or of a part of it, in objects or in their schema. */
static json_t *step_to(json_t *object, const char *key)
{
	return key && key[0] ? json_object_get(object, key) : object;
}

static json_t *schema_step(json_t *schema, const json_t *defs, const char *key)
{
	json_t *at = key && key[0] ? json_object_get(json_object_get(schema, "properties"), key) : schema;
	const char *reference = json_string_value(json_object_get(at, "$ref"));
	ck_assert_msg(at != NULL, "%s", key);
	return reference ? json_object_get(defs, strrchr(reference, '/') + 1) : at;
}

static void is_in_schema(json_t *schema, const char *part, const struct hd_meta_field *figure)
{
	const json_t *defs = json_object_get(schema, "$defs"), *value;
	json_t *at = schema_step(json_object_get(defs, "function"), defs, part);
	bool required = false;
	size_t i;
	at = schema_step(at, defs, figure->group);
	json_array_foreach(json_object_get(at, "required"), i, value) required |=
		strcmp(json_string_value(value), figure->key) == 0;
	ck_assert_msg(required, "%s", figure->key);
	at = json_object_get(json_object_get(at, "properties"), figure->key);
	ck_assert_str_eq(json_string_value(json_object_get(at, "description")), figure->doc);
}

/* Is written with its value, is an error at its place with another type, and is found by its path. */
static void is_written_and_read(const struct figures *figures, const char *part, const struct hd_meta_field *figure,
				uint32_t expected)
{
	json_t *document = hd_metadata_json(&figures->metadata);
	json_t *kernel = json_array_get(json_object_get(document, "kernels"), 0);
	json_t *at = step_to(step_to(kernel, part), figure->group), *value = json_object_get(at, figure->key);
	bool grouped = figure->group[0];
	char *path = hd_arena_printf(&arena, "%s%s%s%s%s", part, part[0] ? "." : "", figure->group, grouped ? "." : "",
				     figure->key);
	struct hd_metadata back;
	if (figure->type == HD_META_FLAG)
		ck_assert_msg(json_is_true(value), "%s", path);
	else if (!counts_a_list(figure))
		ck_assert_msg(json_integer_value(value) == 1000 + expected, "%s", path);
	ck_assert_msg(hd_meta_figure_at(path) == figure, "%s", path);
	json_object_set_new(at, figure->key, json_string("x"));
	char *text = hd_json_dump(document);
	ck_assert_int_eq(hd_metadata_from_json(text, strlen(text), "x", &arena, &back, &diag), -1);
	const char *message = hd_arena_printf(&arena, "kernels[0].%s: expected", path);
	ck_assert_msg(strstr(hd_strbuf_text(&messages), message) != NULL, "%s", hd_strbuf_text(&messages));
	hd_strbuf_release(&messages);
	free(text);
	json_decref(document);
}

START_TEST(a_row_makes_a_figure_written_read_and_part_of_the_schema)
{
	static const struct {
		const char *part;
		const struct hd_meta_record *table;
	} tables[] = {{"", &hd_meta_function_record},
		      {"reuse", &hd_meta_reuse_record},
		      {"affine", &hd_meta_affine_record},
		      {"linear_version", &hd_meta_linear_version_record}};
	struct figures figures;
	make_figures(&figures);
	json_t *schema = hd_metadata_schema_json();
	uint32_t count = 0;
	for (unsigned t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (uint32_t i = 0; i < tables[t].table->count; i++) {
			const struct hd_meta_field *field = &tables[t].table->fields[i];
			if (!hd_meta_is_figure(field))
				continue;
			ck_assert_msg(field->unit[0] && field->doc[0], "%s", field->key);
			is_written_and_read(&figures, tables[t].part, field, count++);
			is_in_schema(schema, tables[t].part, field);
		}
	ck_assert(count == figures.count && count > 60);
	json_decref(schema);

	struct hd_metadata back;
	char *text = hd_metadata_to_json(&figures.metadata);
	ck_assert_msg(hd_metadata_from_json(text, strlen(text), "x", &arena, &back, &diag) == 0, "%s",
		      hd_strbuf_text(&messages));
	char *again = hd_metadata_to_json(&back);
	ck_assert_str_eq(text, again);
	ck_assert(back.functions[0].affine->removed == figures.affine.removed);
	free(again);
	free(text);
}
END_TEST

START_TEST(unknown_keys_are_kept_out)
{
	char *text = sample_text();
	char *changed = hd_arena_printf(&arena, "{\"later\": [1, {}],%s", text + 1);
	struct hd_metadata metadata;
	ck_assert_int_eq(hd_metadata_from_json(changed, strlen(changed), "x", &arena, &metadata, &diag), 0);
	char *again = hd_metadata_to_json(&metadata);
	ck_assert_str_eq(again, text);
	free(again);
	free(text);
}
END_TEST

START_TEST(mutated_text_never_crashes)
{
	uint64_t state = 42;
	char *text = sample_text();
	size_t size = strlen(text);
	for (unsigned round = 0; round < 5000; round++) {
		struct hd_arena local;
		struct hd_metadata metadata;
		size_t cut = sample_random(&state) % 4 ? size : sample_random(&state) % size;
		char *mutant = malloc(cut ? cut : 1);
		memcpy(mutant, text, cut);
		for (unsigned i = 0; cut && i < 2; i++)
			mutant[sample_random(&state) % cut] = (char)sample_random(&state);
		hd_arena_init(&local);
		if (hd_metadata_from_json(mutant, cut, "x", &local, &metadata, &diag) == 0)
			free(hd_metadata_to_json(&metadata));
		hd_arena_release(&local);
		hd_strbuf_release(&messages);
		free(mutant);
	}
	free(text);
}
END_TEST

START_TEST(text_that_is_no_utf8_still_prints)
{
	struct hd_metadata metadata = sample_metadata(&arena), back;
	metadata.module = "caf\xe9.cu";
	char *text = hd_metadata_to_json(&metadata);
	ck_assert_int_eq(hd_metadata_from_json(text, strlen(text), "x", &arena, &back, &diag), 0);
	ck_assert_str_eq(back.module, "caf?.cu");
	free(text);
}
END_TEST

START_TEST(functions_are_found_by_what_people_type)
{
	static const struct hd_meta_function functions[] = {
		{.name = "_Z1fi", .demangled = "f(int)"},
		{.name = "_Z1gIiEvT_", .demangled = "void g<int>(int)"},
		{.name = "_ZN12_GLOBAL__N_11hEPFviE", .demangled = "(anonymous namespace)::h(void (*)(int))"},
		{.name = "_ZNK1S3getEv", .demangled = "S::get() const"},
		{.name = "plain"},
	};
	const struct hd_metadata metadata = {.functions = (struct hd_meta_function *)(uintptr_t)functions,
					     .function_count = 5};
	static const struct {
		const char *typed;
		int index;
	} cases[] = {{"_Z1fi", 0},	 {"f(int)", 0},
		     {"f", 0},		 {"void g<int>(int)", 1},
		     {"g<int>(int)", 1}, {"g<int>", 1},
		     {"void g<int>", 1}, {"(anonymous namespace)::h", 2},
		     {"S::get", 3},	 {"S::get() const", 3},
		     {"plain", 4},	 {"g", -1},
		     {"", -1},		 {"h", -1}};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct hd_meta_function *found = hd_metadata_find(&metadata, cases[i].typed);
		ck_assert_msg(found == (cases[i].index < 0 ? NULL : &functions[cases[i].index]), "%s", cases[i].typed);
	}
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("metadata");
	TCase *tests = tcase_create("metadata");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, survives_json);
	tcase_add_test(tests, keys_keep_their_order);
	tcase_add_test(tests, errors_name_their_place);
	tcase_add_test(tests, conventions_come_from_their_parameter);
	tcase_add_test(tests, a_row_makes_a_figure_written_read_and_part_of_the_schema);
	tcase_add_test(tests, unknown_keys_are_kept_out);
	tcase_add_test(tests, mutated_text_never_crashes);
	tcase_add_test(tests, text_that_is_no_utf8_still_prints);
	tcase_add_test(tests, functions_are_found_by_what_people_type);
	suite_add_tcase(suite, tests);
	return suite;
}
