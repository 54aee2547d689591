/*
 * Building and handing over of remarks, the summary of each function, and the analyses' own lines. Needs the row
 * METADATA. Nothing is computed when nobody listens. Linear in what is said.
 */
#include "passes/remark.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "heddle/figures.h"
#include "passes/analysis/flow.h"

/* ---- places */

/* Of an instruction; of what stands before it in its block, or of the function, where it has none itself. */
static struct hd_loc place_of(const struct hd_remarks *remarks, uint32_t function, uint32_t inst)
{
	const struct hd_object *object = &remarks->unit->object;
	const struct hd_function *code = &object->functions[function];
	const struct hd_flow *flows = hd_pass_result(remarks->unit, HD_PASS_FLOW);
	const struct hd_meta_source *source = &remarks->facts[function]->source;
	uint32_t first = inst < code->inst_count ? flows[function].blocks[flows[function].block_of[inst]].first : inst;
	for (uint32_t i = inst; i < code->inst_count && i + 1 > first; i--) {
		const struct hd_origin *origin = &code->origins[i];
		if (origin->file != UINT32_MAX && origin->line)
			return (struct hd_loc){object->files[origin->file], origin->line, origin->column};
	}
	return (struct hd_loc){source->file, source->line, 0};
}

const char *hd_remark_place_text(struct hd_remarks *remarks, uint32_t function, uint32_t inst)
{
	struct hd_loc loc = place_of(remarks, function, inst);
	return loc.file ? hd_arena_printf(&remarks->arena, "%s:%u", loc.file, loc.line)
			: hd_arena_printf(&remarks->arena, "pc %04x", inst * HD_INST_BYTES);
}

/* ---- one remark */

static bool is_printed(const struct hd_remarks *remarks, const char *pass)
{
	return remarks->pattern && !regexec(&remarks->printed, pass, 0, NULL, 0);
}

bool hd_remark_begin(struct hd_remark *remark, struct hd_remarks *to, enum hd_pass_id pass, const char *name,
		     uint32_t function, uint32_t inst)
{
	LLVMValueRef value = LLVMGetNamedFunction(to->unit->source, to->unit->object.functions[function].name);
	const char *title = hd_passes[pass].title;
	*remark = (struct hd_remark){.to = to, .pass = title, .name = name, .function = value};
	if (!value || (!to->host->wants_remarks(to->unit->source, title) && !is_printed(to, title)))
		return false;
	remark->loc = place_of(to, function, inst);
	return true;
}

static void add(struct hd_remark *remark, const char *key, const char *format, va_list args)
{
	struct hd_strbuf text = {0};
	hd_strbuf_vprintf(&text, format, args);
	hd_vec_push(&remark->parts,
		    (struct hd_remark_part){key, hd_arena_strdup(&remark->to->arena, hd_strbuf_text(&text))});
	hd_strbuf_release(&text);
}

void hd_remark_text(struct hd_remark *remark, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	add(remark, NULL, format, args);
	va_end(args);
}

void hd_remark_value(struct hd_remark *remark, const char *key, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	add(remark, key, format, args);
	va_end(args);
}

void hd_remark_subject(struct hd_remark *remark, uint32_t function, const char *separator)
{
	const struct hd_meta_function *facts = remark->to->facts[function];
	hd_remark_text(remark, "%s ", facts->kernel ? "kernel" : "function");
	hd_remark_value(remark, facts->kernel ? "Kernel" : "DeviceFunction", "%s", facts->demangled);
	hd_remark_text(remark, "%s", separator);
}

/* The line that clang would write. */
static void print(const struct hd_remark *remark)
{
	if (remark->loc.file)
		fprintf(stderr, "%s:%u:%u: ", remark->loc.file, remark->loc.line, remark->loc.column);
	fputs("remark: ", stderr);
	for (uint32_t i = 0; i < remark->parts.len; i++)
		fputs(remark->parts.data[i].text, stderr);
	fprintf(stderr, " [-Rpass-analysis=%s]\n", remark->pass);
}

void hd_remark_end(struct hd_remark *remark)
{
	const struct hd_loc *loc = &remark->loc;
	if (is_printed(remark->to, remark->pass))
		print(remark);
	remark->to->host->remark(remark->function, remark->pass, remark->name, loc->file, loc->line, loc->column,
				 remark->parts.data, remark->parts.len);
	hd_vec_release(&remark->parts);
}

/* ---- the summary */

static void add_code(struct hd_remark *remark, const struct hd_meta_function *facts)
{
	hd_remark_value(remark, "Registers", "%u", facts->registers);
	hd_remark_text(remark, " registers, ");
	hd_remark_value(remark, "Instructions", "%u", facts->instructions);
	hd_remark_text(remark, " instructions, stack ");
	hd_remark_value(remark, "StackBytes", "%u", facts->kernel ? facts->max_stack_bytes : facts->stack_bytes);
	hd_remark_text(remark, " bytes, spills ");
	hd_remark_value(remark, "SpillBytes", "%u", facts->spill_store_bytes + facts->spill_load_bytes);
	hd_remark_text(remark, " bytes");
	if (!facts->kernel)
		return;
	hd_remark_text(remark, ", shared memory ");
	hd_remark_value(remark, "SharedBytes", "%u", facts->shared_bytes);
	hd_remark_text(remark, " bytes");
}

static void add_analyses(struct hd_remark *remark, const struct hd_meta_function *facts)
{
	hd_remark_text(remark, ", FRU ");
	hd_remark_value(remark, "FRU", "%u", facts->fru);
	hd_remark_text(remark, ", MaxStackDepth ");
	hd_remark_value(remark, "MaxStackDepth", "%u", facts->max_stack_depth);
	hd_remark_text(remark, ", most live registers ");
	hd_remark_value(remark, "MaxLive", "%u", facts->max_live);
	hd_remark_text(remark, " (under divergence ");
	hd_remark_value(remark, "MaxLiveDivergent", "%u", facts->max_live_divergent);
	hd_remark_text(remark, "), register-intervals ");
	hd_remark_value(remark, "Intervals", "%u", facts->interval_count);
	hd_remark_text(remark, ", preemption points ");
	hd_remark_value(remark, "PreemptionPoints", "%u", facts->point_count);
	if (facts->kernel && facts->idempotence)
		hd_remark_text(remark, ", blocks can%s be restarted",
			       facts->idempotence->why == HD_BREAK_NONE ? "" : "not");
}

static void summary(struct hd_remarks *remarks, uint32_t function)
{
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_METADATA, "Summary", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": ");
	add_code(&remark, remarks->facts[function]);
	add_analyses(&remark, remarks->facts[function]);
	hd_remark_end(&remark);
}

/* ---- the module */

static bool is_asked_for(const struct hd_unit *unit, uint32_t function)
{
	const struct hd_function *code = &unit->object.functions[function];
	LLVMValueRef value = LLVMGetNamedFunction(unit->source, code->name);
	bool functions = strcmp(unit->options.remarks, "kernels") != 0;
	return value && LLVMCountBasicBlocks(value) && (code->kernel || functions);
}

/* A line of each, for those who want to see everything. */
static void analyses(struct hd_remarks *remarks, uint32_t function)
{
	for (unsigned row = 0; row < HD_PASS_COUNT; row++)
		if (hd_passes[row].remark)
			hd_passes[row].remark(remarks, function);
}

static void emit_function(struct hd_remarks *remarks, uint32_t function)
{
	summary(remarks, function);
	if (strcmp(remarks->unit->options.remarks, "all") == 0)
		analyses(remarks, function);
	hd_remark_findings(remarks, function);
}

static bool wanted(const struct hd_remarks *remarks)
{
	for (unsigned row = 0; row < HD_PASS_COUNT; row++)
		if (is_printed(remarks, hd_passes[row].title) ||
		    remarks->host->wants_remarks(remarks->unit->source, hd_passes[row].title))
			return true;
	return false;
}

static void find_facts(struct hd_remarks *remarks)
{
	const struct hd_unit *unit = remarks->unit;
	remarks->facts = HD_ARENA_NEW(&remarks->arena, const struct hd_meta_function *, unit->object.function_count);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		remarks->facts[f] = hd_metadata_find(&unit->metadata, unit->object.functions[f].name);
}

int hd_remarks_emit(const struct hd_unit *unit, const struct hd_host *host)
{
	struct hd_remarks remarks = {.unit = unit, .host = host, .pattern = unit->options.print_remarks};
	if (remarks.pattern && regcomp(&remarks.printed, remarks.pattern, REG_EXTENDED | REG_NOSUB))
		return hd_error(unit->diag, HD_NOWHERE, "print-remarks: '%s' is not a regular expression",
				remarks.pattern);
	hd_arena_init(&remarks.arena);
	if (wanted(&remarks)) {
		find_facts(&remarks);
		for (uint32_t f = 0; f < unit->object.function_count; f++)
			if (is_asked_for(unit, f))
				emit_function(&remarks, f);
	}
	hd_arena_release(&remarks.arena);
	if (remarks.pattern)
		regfree(&remarks.printed);
	return 0;
}
