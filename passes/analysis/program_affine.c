/*
 * The row AFFINE: linear values and the plan of their uses for each kernel of a unit (r2d2-isca23 section 3.1), and how
 * print<heddle-affine> shows them.
 */
#include "heddle/machine.h"
#include "passes/analysis/linear_plan.h"
#include "passes/lower/select.h"
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
	hd_kernel_params(unit, kernel, offsets);
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
	for (uint32_t c = 0; c < affine->condition_count; c++)
		if (facts.conditions >> c & 1)
			fprintf(out, "if#%u ", c);
	fprintf(out, "; ");
	print_inst(out, value);
	fputc('\n', out);
}

static void print_conditions(FILE *out, const struct hd_affine *affine)
{
	for (uint32_t c = 0; c < affine->condition_count; c++) {
		struct hd_strbuf text = {0};
		hd_affine_print_vector(&text, affine, affine->conditions[c].vector);
		fprintf(out, "  condition #%u: %lld <= %s <= %lld\n", c, (long long)affine->conditions[c].low,
			hd_strbuf_text(&text), (long long)affine->conditions[c].high);
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

static void print_kernel(FILE *out, const struct hd_linear_plan *plan)
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
	fprintf(out, "  removed: %u instructions, %.0f %% of those executed\n", plan->removed,
		100 * plan->removed_share);
}

void hd_affine_print_unit(FILE *out, const struct hd_unit *unit)
{
	struct hd_linear_plan *const *plans = hd_pass_result(unit, HD_PASS_AFFINE);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		if (plans[f])
			print_kernel(out, plans[f]);
}
