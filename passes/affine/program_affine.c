/*
 * The row AFFINE: linear values and the plan of their uses for each kernel of a unit (r2d2-isca23 section 3.1), and how
 * print<heddle-affine> shows them.
 */
#include <string.h>

#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "passes/affine/affine_internal.h"
#include "passes/affine/coalescing.h"
#include "passes/affine/linear_plan.h"
#include "passes/ir/ir.h"
#include "passes/ir/uniformity.h"
#include "passes/pass.h"

/* Most threads of a block in each dimension and in all, and most blocks of a grid: CUDA's limits since compute
 * capability 3.0. */
static const uint32_t most_block[3] = {1024, 1024, 64}, most_grid[3] = {2147483647, 65535, 65535};

static void bounds_of(struct hd_unit *unit, LLVMValueRef kernel, struct hd_affine_bounds *bounds)
{
	static const char *const required[] = {"reqntidx", "reqntidy", "reqntidz"};
	uint32_t exact[3], any = 0, threads = hd_annotation(unit, kernel, "maxntidx");
	for (unsigned d = 0; d < 3; d++) {
		exact[d] = hd_annotation(unit, kernel, required[d]);
		any |= exact[d];
	}
	/* __launch_bounds__ gives maxntidx alone: it bounds the product, and so each dimension. */
	uint32_t y = hd_annotation(unit, kernel, "maxntidy"), z = hd_annotation(unit, kernel, "maxntidz");
	threads *= (y ? y : 1) * (z ? z : 1);
	bounds->exact = any != 0;
	for (unsigned d = 0; d < 3; d++) {
		bounds->grid[d] = most_grid[d];
		bounds->block[d] = any ? (exact[d] ? exact[d] : 1) : most_block[d];
		if (!any && threads && threads < bounds->block[d])
			bounds->block[d] = threads;
	}
}

static struct hd_linear_plan *plan_of(struct hd_unit *unit, LLVMValueRef kernel, LLVMTargetDataRef layout)
{
	struct hd_affine_bounds bounds;
	uint32_t *offsets = HD_ARENA_NEW(&unit->arena, uint32_t, LLVMCountParams(kernel));
	bounds_of(unit, kernel, &bounds);
	hd_kernel_params(kernel, offsets);
	return hd_linear_plan_compute(hd_affine_compute(kernel, layout, offsets, &bounds, &unit->arena));
}

int hd_affine_run(struct hd_unit *unit)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(unit->module);
	struct hd_linear_plan **plans =
		HD_ARENA_NEW(&unit->arena, struct hd_linear_plan *, unit->object.function_count);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		LLVMValueRef function = LLVMGetNamedFunction(unit->module, unit->object.functions[f].name);
		if (function && !LLVMIsDeclaration(function) && hd_is_kernel(unit, function))
			plans[f] = plan_of(unit, function, layout);
	}
	unit->results[HD_PASS_AFFINE] = plans;
	return 0;
}

/* ---- branches */

/* A branch or switch that has a choice. */
static LLVMValueRef choice_of(const struct hd_affine *affine, uint32_t block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(affine->blocks[block].block);
	bool chooses = LLVMIsABranchInst(last) ? LLVMIsConditional(last) : LLVMGetNumSuccessors(last) > 1;
	return chooses ? last : NULL;
}

/* ---- metadata */

static void vector_text(const struct hd_affine *affine, const struct hd_affine_vector *vector,
			const char *text[HD_META_VECTOR])
{
	for (unsigned i = 0; i < HD_INDICES; i++)
		text[i] = hd_affine_poly_text(affine, vector->part[i]);
}

static void describe_registers(const struct hd_linear_plan *plan, struct hd_meta_affine *facts)
{
	facts->register_count = plan->register_count;
	facts->registers = HD_ARENA_NEW(plan->affine->arena, struct hd_meta_linear_register, plan->register_count);
	for (uint32_t r = 0; r < plan->register_count; r++) {
		const struct hd_linear_register *reg = &plan->registers[r];
		static const struct hd_thread_part no_part;
		bool shares = reg->thread_part != HD_LINEAR_NONE;
		const struct hd_thread_part *part = shares ? &plan->thread_parts[reg->thread_part] : &no_part;
		struct hd_affine_vector vector = {{reg->base, part->x, part->y, part->z, reg->x, reg->y, reg->z}};
		vector_text(plan->affine, &vector, facts->registers[r].vector);
		facts->registers[r].thread_part = shares ? (int32_t)reg->thread_part : -1;
		facts->registers[r].bits = reg->bits;
		facts->registers[r].uses = reg->uses;
	}
	facts->scalar_count = plan->scalar_count;
	facts->scalars = HD_ARENA_NEW(plan->affine->arena, const char *, plan->scalar_count);
	for (uint32_t s = 0; s < plan->scalar_count; s++)
		facts->scalars[s] = hd_affine_poly_text(plan->affine, plan->scalars[s]);
}

static void describe_condition(const struct hd_affine *affine, uint32_t id, struct hd_meta_condition *condition)
{
	const struct hd_affine_condition *from = &affine->conditions.data[id];
	vector_text(affine, hd_affine_vector(affine, from->vector), condition->vector);
	condition->low = from->low;
	condition->high = from->high;
	uint32_t loops[HD_POLY_TERMS], count = hd_affine_iterations(affine, from->vector, loops);
	condition->iterations = HD_ARENA_NEW(affine->arena, struct hd_meta_iterations, count);
	for (uint32_t l = 0; l < count; l++) {
		const struct hd_affine_loop *facts = &affine->loop_facts[loops[l]];
		bool repeated = false;
		for (uint32_t before = 0; before < l; before++)
			repeated |= loops[before] == loops[l];
		if (!repeated)
			condition->iterations[condition->iteration_count++] =
				(struct hd_meta_iterations){hd_unknown_get(affine->polys, facts->symbol)->name,
							    hd_affine_poly_text(affine, facts->most)};
	}
}

static void describe_conditions(const struct hd_linear_plan *plan, struct hd_meta_affine *facts)
{
	const struct hd_affine *affine = plan->affine;
	facts->conditions = HD_ARENA_NEW(affine->arena, struct hd_meta_condition, affine->conditions.len);
	for (uint32_t c = 0; c < affine->conditions.len; c++)
		if (plan->conditions >> c & 1)
			describe_condition(affine, c, &facts->conditions[facts->condition_count++]);
}

static void count_values(struct hd_affine *affine, struct hd_meta_affine *facts)
{
	struct hd_affine_value value;
	for (uint32_t b = 0; b < affine->graph.nodes; b++) {
		LLVMValueRef inst = LLVMGetFirstInstruction(affine->blocks[b].block);
		for (; inst; inst = LLVMGetNextInstruction(inst)) {
			facts->values += hd_affine_bits(affine, LLVMTypeOf(inst)) > 1;
			facts->linear_values += hd_affine_value(affine, inst, &value) && value.bits > 1;
		}
	}
}

/* The position of an instruction's original in its function, which legalisation notes; UINT32_MAX: it has none. */
static uint32_t ordinal_of(LLVMValueRef inst, unsigned kind)
{
	LLVMValueRef node = LLVMGetMetadata(inst, kind), number = NULL;
	if (node && LLVMGetMDNodeNumOperands(node) == 1)
		LLVMGetMDNodeOperands(node, &number);
	return number && LLVMIsAConstantInt(number) ? (uint32_t)LLVMConstIntGetZExtValue(number) : UINT32_MAX;
}

/* What the machine branches of an ordinal are; class HD_CLASSES: they may be of something else, too. */
struct choice {
	uint8_t class;
	bool iterates, known;
};

static void note_choice(struct choice *choice, enum hd_value_class class, bool iterates)
{
	choice->class = choice->known && choice->class > class ? choice->class : (uint8_t)class;
	choice->iterates |= iterates;
	choice->known = true;
}

/* By ordinal. */
static struct choice *find_choices(const struct hd_affine *affine, const struct hd_affine_classes *classes,
				   struct hd_meta_affine *facts, uint32_t *count)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(affine->function));
	unsigned kind = LLVMGetMDKindIDInContext(context, "heddle.ord", 10);
	HD_VEC(struct choice) choices = {0};
	for (uint32_t b = 0; b < affine->graph.nodes; b++) {
		LLVMValueRef branch = choice_of(affine, b);
		LLVMValueRef inst = LLVMGetFirstInstruction(affine->blocks[b].block);
		for (; inst; inst = LLVMGetNextInstruction(inst)) {
			uint32_t ordinal = ordinal_of(inst, kind);
			bool iterates = false;
			enum hd_value_class class = HD_CLASSES;
			if (inst == branch) {
				class = hd_affine_branch_class(classes, branch, &iterates);
				facts->branch_classes[class]++;
			}
			while (ordinal != UINT32_MAX && choices.len <= ordinal)
				hd_vec_push(&choices, (struct choice){0});
			if (ordinal != UINT32_MAX)
				note_choice(&choices.data[ordinal], class, iterates);
		}
	}
	struct choice *result = HD_ARENA_NEW(affine->arena, struct choice, choices.len);
	if (choices.len)
		memcpy(result, choices.data, sizeof(*result) * choices.len);
	*count = choices.len;
	hd_vec_release(&choices);
	return result;
}

static void describe_branches(const struct hd_unit *unit, struct hd_affine *affine, const struct hd_function *code,
			      struct hd_meta_affine *facts)
{
	struct hd_affine_classes *classes = hd_affine_classify(affine, hd_uniformity_of(unit, affine->function));
	uint32_t count;
	const struct choice *choices = find_choices(affine, classes, facts, &count);
	hd_affine_count_classes(classes, facts->value_classes);
	facts->branches = HD_ARENA_NEW(affine->arena, struct hd_meta_branch, code->inst_count);
	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct hd_origin *origin = &code->origins[i];
		bool chooses = code->insts[i].op == HD_OP_BRA && code->insts[i].guard != HD_PT;
		if (!chooses || origin->ir >= count || !choices[origin->ir].known ||
		    choices[origin->ir].class == HD_CLASSES)
			continue;
		struct hd_meta_branch *branch = &facts->branches[facts->branch_count++];
		*branch = (struct hd_meta_branch){.pc = i * HD_INST_BYTES,
						  .class = (enum hd_value_class)choices[origin->ir].class,
						  .iterates = choices[origin->ir].iterates};
		if (origin->file < unit->object.file_count)
			branch->source = (struct hd_meta_source){unit->object.files[origin->file], origin->line};
	}
}

static struct hd_meta_affine *describe(const struct hd_unit *unit, const struct hd_linear_plan *plan,
				       const struct hd_function *code, const struct hd_mfunc *selected,
				       const struct hd_meta_function *function)
{
	struct hd_meta_affine *facts = HD_ARENA_NEW(plan->affine->arena, struct hd_meta_affine, 1);
	facts->removed = plan->removed;
	facts->wanted_registers = plan->candidates;
	count_values(plan->affine, facts);
	describe_branches(unit, plan->affine, code, facts);
	describe_registers(plan, facts);
	describe_conditions(plan, facts);
	hd_coalescing_describe(plan->affine, &unit->object, code, selected,
			       hd_uniformity_of(unit, plan->affine->function), function, facts);
	return facts;
}

int hd_affine_facts(struct hd_unit *unit)
{
	struct hd_linear_plan *const *plans = hd_pass_result(unit, HD_PASS_AFFINE);
	for (uint32_t m = 0; m < unit->metadata.function_count; m++) {
		struct hd_meta_function *function = &unit->metadata.functions[m];
		for (uint32_t f = 0; f < unit->object.function_count; f++)
			if (plans[f] && !strcmp(unit->object.functions[f].name, function->name))
				function->affine = describe(unit, plans[f], &unit->object.functions[f],
							    &unit->functions.data[f], function);
	}
	return 0;
}

/* ---- printing */

static void print_poly(FILE *out, const struct hd_affine *affine, const char *before, uint32_t poly)
{
	struct hd_strbuf text = {0};
	hd_poly_print(&text, affine->polys, poly);
	fprintf(out, "%s%s", before, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
}

/* The first line of LLVM's text, without leading blanks and debug metadata. */
static void print_inst(FILE *out, LLVMValueRef inst)
{
	char *text = LLVMPrintValueToString(inst), *end = strstr(text, ", !");
	size_t skip = strspn(text, " ");
	if (end)
		*end = 0;
	fprintf(out, "%s", text + skip);
	LLVMDisposeMessage(text);
}

static void print_value(FILE *out, struct hd_affine *affine, LLVMValueRef value)
{
	struct hd_affine_value facts;
	struct hd_strbuf text = {0};
	if (!hd_affine_value(affine, value, &facts))
		return;
	hd_affine_print_vector(&text, affine, facts.vector);
	fprintf(out, "  %s i%u%s ", hd_strbuf_text(&text), facts.bits,
		facts.exact_signed     ? (facts.exact_unsigned ? " exact" : " signed")
		: facts.exact_unsigned ? " unsigned"
				       : "");
	hd_strbuf_release(&text);
	for (uint32_t c = 0; c < affine->conditions.len; c++)
		if (facts.conditions >> c & 1)
			fprintf(out, "if#%u ", c);
	fprintf(out, "; ");
	print_inst(out, value);
	fputc('\n', out);
}

static void print_conditions(FILE *out, const struct hd_affine *affine)
{
	for (uint32_t c = 0; c < affine->conditions.len; c++) {
		struct hd_strbuf text = {0};
		hd_affine_print_vector(&text, affine, affine->conditions.data[c].vector);
		fprintf(out, "  condition #%u: %lld <= %s <= %lld\n", c, (long long)affine->conditions.data[c].low,
			hd_strbuf_text(&text), (long long)affine->conditions.data[c].high);
		hd_strbuf_release(&text);
	}
}

static void print_plan(FILE *out, const struct hd_linear_plan *plan)
{
	const struct hd_affine *affine = plan->affine;
	for (uint32_t t = 0; t < plan->thread_part_count; t++) {
		fprintf(out, "  %%tr%u:", t);
		print_poly(out, affine, " ", plan->thread_parts[t].x);
		print_poly(out, affine, ", ", plan->thread_parts[t].y);
		print_poly(out, affine, ", ", plan->thread_parts[t].z);
		fputc('\n', out);
	}
	for (uint32_t r = 0; r < plan->register_count; r++) {
		const struct hd_linear_register *reg = &plan->registers[r];
		fprintf(out, "  %%lr%u: ", r);
		if (reg->thread_part != HD_LINEAR_NONE)
			fprintf(out, "%%tr%u + ", reg->thread_part);
		print_poly(out, affine, "{", reg->base);
		print_poly(out, affine, ", ", reg->x);
		print_poly(out, affine, ", ", reg->y);
		print_poly(out, affine, ", ", reg->z);
		fprintf(out, "} i%u, %u uses, value %.1f\n", reg->bits, reg->uses, reg->value);
	}
	for (uint32_t s = 0; s < plan->scalar_count; s++) {
		fprintf(out, "  %%cr%u:", s);
		print_poly(out, affine, " ", plan->scalars[s]);
		fputc('\n', out);
	}
	for (uint32_t o = 0; o < plan->offset_count; o++) {
		fprintf(out, "  offset%u: loop i%u,", o, plan->offsets[o].loop);
		print_poly(out, affine, " step ", plan->offsets[o].step);
		if (plan->offsets[o].start != HD_LINEAR_NONE)
			fprintf(out, ", from offset%u", plan->offsets[o].start);
		if (plan->offsets[o].phi) {
			fprintf(out, " ; ");
			print_inst(out, plan->offsets[o].phi);
		}
		fputc('\n', out);
	}
}

static void print_use(FILE *out, const struct hd_linear_use *use)
{
	const char *plus = "";
	fprintf(out, "  use ");
	if (use->reg != HD_LINEAR_NONE) {
		fprintf(out, "%%lr%u", use->reg);
		plus = "+";
	}
	if (use->scalar != HD_LINEAR_NONE) {
		fprintf(out, "%s%%cr%u", plus, use->scalar);
		plus = "+";
	}
	if (use->offset != HD_LINEAR_NONE) {
		fprintf(out, "%soffset%u", plus, use->offset);
		plus = "+";
	}
	if (use->imm || !*plus)
		fprintf(out, "%s%d", use->imm < 0 ? "" : plus, (int)use->imm);
	fprintf(out, " i%u as operand %u ; ", use->bits, use->operand);
	print_inst(out, use->inst);
	fputc('\n', out);
}

static void print_branches(FILE *out, const struct hd_unit *unit, struct hd_affine *affine)
{
	const struct hd_affine_classes *classes = hd_affine_classify(affine, hd_uniformity_of(unit, affine->function));
	for (uint32_t b = 0; b < affine->graph.nodes; b++) {
		LLVMValueRef branch = choice_of(affine, b);
		bool iterates;
		if (!branch)
			continue;
		enum hd_value_class class = hd_affine_branch_class(classes, branch, &iterates);
		fprintf(out, "  %s branch%s ; ", hd_meta_class_names[class], iterates ? " in an iteration" : "");
		print_inst(out, branch);
		fputc('\n', out);
	}
}

static void print_kernel(FILE *out, const struct hd_unit *unit, const struct hd_linear_plan *plan)
{
	struct hd_affine *affine = plan->affine;
	fprintf(out, "linear values of %s\n", LLVMGetValueName(affine->function));
	for (uint32_t b = 0; b < affine->graph.nodes; b++) {
		LLVMValueRef inst = LLVMGetFirstInstruction(affine->blocks[b].block);
		for (; inst; inst = LLVMGetNextInstruction(inst))
			print_value(out, affine, inst);
	}
	print_conditions(out, affine);
	print_plan(out, plan);
	for (uint32_t u = 0; u < plan->use_count; u++)
		print_use(out, &plan->uses[u]);
	print_branches(out, unit, affine);
	fprintf(out, "  removed: %u instructions, %.0f %% of those executed\n", plan->removed,
		100 * plan->removed_share);
}

void hd_affine_print_unit(FILE *out, const struct hd_unit *unit)
{
	struct hd_linear_plan *const *plans = hd_pass_result(unit, HD_PASS_AFFINE);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		if (plans[f])
			print_kernel(out, unit, plans[f]);
}
