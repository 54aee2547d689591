/*
 * The row IDEMPOTENCE: idempotence.c on a unit, with the legalised module as the IR behind the code; its
 * printer, verifier and remarks. Linear in the functions.
 */
#include <stdlib.h>

#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "lib/strbuf.h"
#include "passes/analysis/idempotence.h"
#include "passes/pass.h"
#include "passes/remark.h"

static LLVMValueRef function_of(void *context, uint32_t index)
{
	const struct hd_unit *unit = context;
	LLVMValueRef function = LLVMGetNamedFunction(unit->module, unit->object.functions[index].name);
	return function && LLVMCountBasicBlocks(function) ? function : NULL;
}

int hd_idempotence_run(struct hd_unit *unit)
{
	struct hd_idempotence_source source = {function_of, unit};
	unit->results[HD_PASS_IDEMPOTENCE] =
		hd_idempotence_compute(&unit->object, hd_pass_result(unit, HD_PASS_CALLGRAPH), &source, &unit->arena);
	return 0;
}

void hd_idempotence_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts)
{
	struct hd_meta_idempotence *results = hd_pass_result(unit, HD_PASS_IDEMPOTENCE);
	facts->idempotence = &results[function];
}

static void print_place(struct hd_strbuf *text, const struct hd_meta_place *place, const char *name)
{
	if (strcmp(place->function, name) != 0)
		hd_strbuf_printf(text, "%s+", place->function);
	hd_strbuf_printf(text, "%04x", place->pc);
	if (place->source.file)
		hd_strbuf_printf(text, " (%s:%u)", place->source.file, place->source.line);
}

char *hd_idempotence_text(const struct hd_meta_idempotence *facts, const char *name)
{
	static const char *const causes[] = {
		[HD_BREAK_STORE] = "store at ",
		[HD_BREAK_ATOMIC] = "atomic operation at ",
		[HD_BREAK_VOLATILE] = "volatile load at ",
		[HD_BREAK_CALL] = "call of unknown code at ",
		[HD_BREAK_SERVICE] = "output or allocation at ",
		[HD_BREAK_CLOCK] = "clock or place read at ",
	};
	struct hd_strbuf text = {0};
	if (facts->why == HD_BREAK_NONE)
		return hd_strbuf_detach(&text);
	hd_strbuf_append(&text, causes[facts->why]);
	print_place(&text, &facts->at, name);
	if (facts->why == HD_BREAK_STORE) {
		hd_strbuf_append(&text, " may overwrite what is read at ");
		print_place(&text, &facts->read, name);
	}
	return hd_strbuf_detach(&text);
}

void hd_idempotence_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_meta_idempotence *facts = hd_pass_result(unit, HD_PASS_IDEMPOTENCE);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const struct hd_function *function = &unit->object.functions[f];
		char *text = hd_idempotence_text(&facts[f], function->name);
		fprintf(out, "%s %s: %sidempotent%s%s\n", function->kernel ? "kernel" : "function", function->name,
			*text ? "not " : "", *text ? ": " : "", text);
		free(text);
	}
}

/* A caller of what cannot be restarted cannot be restarted, and the place is one of the program. */
static const char *what_is_wrong(const struct hd_unit *unit, uint32_t index)
{
	const struct hd_meta_idempotence *facts = hd_pass_result(unit, HD_PASS_IDEMPOTENCE);
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	for (uint32_t e = calls->graph.succ_start[index]; e < calls->graph.succ_start[index + 1]; e++)
		if (facts[calls->graph.succ[e]].why != HD_BREAK_NONE && facts[index].why == HD_BREAK_NONE)
			return "it calls what is not idempotent";
	const struct hd_function *function = &unit->object.functions[index];
	for (uint32_t i = 0; i < function->inst_count; i++) {
		uint16_t op = function->insts[i].op;
		if ((op == HD_OP_ATOMG || op == HD_OP_UTMAREDG) && facts[index].why == HD_BREAK_NONE)
			return "it has an atomic operation on global memory";
	}
	return !facts[index].at.function != (facts[index].why == HD_BREAK_NONE) ? "no place is named" : NULL;
}

int hd_idempotence_verify_unit(struct hd_unit *unit)
{
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const char *wrong = what_is_wrong(unit, f);
		if (wrong)
			return hd_error(unit->diag, HD_NOWHERE, "idempotence of '%s': %s",
					unit->object.functions[f].name, wrong);
	}
	return 0;
}

void hd_idempotence_remark(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_meta_idempotence *facts = remarks->facts[function]->idempotence;
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_IDEMPOTENCE, "Idempotence", function, HD_REMARK_FUNCTION))
		return;
	char *text = hd_idempotence_text(facts, remarks->facts[function]->name);
	hd_remark_subject(&remark, function,
			  *text ? ": blocks cannot be restarted: " : ": blocks can be restarted from their beginning");
	if (*text)
		hd_remark_value(&remark, "Breaks", "%s", text);
	hd_remark_end(&remark);
	free(text);
}
