/*
 * The runner of passes.def, and the printers and verifiers of the lowering steps, which
 * have no file of their own. The runner costs nothing beside the rows that it computes.
 */
#include "passes/pass.h"

#include <assert.h>
#include <string.h>

#include <llvm-c/Analysis.h>

#include "passes/affine/affine_remarks.h"
#include "passes/analysis/idempotence.h"
#include "passes/analysis/intervals.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/preempt.h"
#include "passes/analysis/reuse.h"
#include "passes/analysis/stackdepth.h"

const struct hd_pass hd_passes[HD_PASS_COUNT] = {
#define HD_PASS(id, name, doc, level, requires, preserves, compute, print, verify, describe, remark, paper) \
	{name, doc, "heddle-" name, HD_LEVEL_##level, requires, preserves, compute, print, verify, describe, remark},
#include "passes/passes.def"
#undef HD_PASS
};

enum hd_pass_id hd_pass_find(const char *name)
{
	enum hd_pass_id id = 0;
	while (id < HD_PASS_COUNT && strcmp(hd_passes[id].name, name) != 0)
		id++;
	return id;
}

static bool is_valid(const struct hd_unit *unit, enum hd_pass_id id)
{
	return unit->valid >> id & 1;
}

int hd_pass_require(struct hd_unit *unit, enum hd_pass_id id)
{
	const struct hd_pass *pass = &hd_passes[id];
	if (is_valid(unit, id))
		return 0;
	for (enum hd_pass_id other = 0; other < HD_PASS_COUNT; other++)
		if (pass->requires >> other & 1 && hd_pass_require(unit, other))
			return -1;
	unsigned errors = unit->diag->errors;
	if (pass->compute && pass->compute(unit))
		return -1;
	assert(unit->diag->errors == errors); /* a row that reports an error also returns -1 */
	(void)errors;
	unit->valid = (unit->valid & pass->preserves) | UINT64_C(1) << id;
	return unit->options.check && pass->verify ? pass->verify(unit) : 0;
}

void hd_unit_init(struct hd_unit *unit, LLVMModuleRef source, struct hd_diag *diag)
{
	*unit = (struct hd_unit){.diag = diag, .source = source};
	hd_arena_init(&unit->arena);
	unit->object.arena = &unit->arena;
	unit->metadata.arena = &unit->arena;
}

void hd_unit_release(struct hd_unit *unit)
{
	for (uint32_t i = 0; i < unit->functions.len; i++)
		hd_mfunc_free(&unit->functions.data[i]);
	hd_vec_release(&unit->functions);
	hd_map_release(&unit->inlined.number);
	hd_hash_set_release(&unit->inlined.known);
	hd_vec_release(&unit->inlined.list);
	hd_vec_release(&unit->inlined.files);
	if (unit->module)
		LLVMDisposeModule(unit->module);
	hd_arena_release(&unit->arena);
}

/* The IR must stay well-formed: LLVM's verifier says what is wrong with it. */
static int verify_module(struct hd_unit *unit, LLVMModuleRef module, const char *what)
{
	char *message = NULL;
	int status = 0;
	if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
		size_t len = strlen(message);
		while (len && message[len - 1] == '\n')
			message[--len] = 0;
		status = hd_error(unit->diag, HD_NOWHERE, "%s does not verify: %s", what, message);
	}
	LLVMDisposeMessage(message);
	return status;
}

int hd_verify_legalized(struct hd_unit *unit)
{
	return verify_module(unit, unit->module, "the legalised module");
}

int hd_annotate_verify(struct hd_unit *unit)
{
	return verify_module(unit, unit->source, "the annotated module");
}

void hd_print_legalized(FILE *out, const struct hd_unit *unit)
{
	char *text = LLVMPrintModuleToString(unit->module);
	fputs(text, out);
	LLVMDisposeMessage(text);
}

void hd_print_selected(FILE *out, const struct hd_unit *unit)
{
	for (uint32_t i = 0; i < unit->functions.len; i++)
		hd_mfunc_print(out, &unit->functions.data[i]);
}

int hd_verify_selected(struct hd_unit *unit)
{
	for (uint32_t i = 0; i < unit->functions.len; i++)
		if (hd_mfunc_verify(&unit->functions.data[i], true, unit->diag))
			return -1;
	return 0;
}

int hd_verify_code(struct hd_unit *unit)
{
	return hd_object_verify(&unit->object, "the generated code", unit->diag);
}
