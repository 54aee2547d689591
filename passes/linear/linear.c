/*
 * Linear versions of kernels (r2d2-isca23, 3.2 and 3.3), the row LINEAR: for each kernel whose plan covers uses, its
 * streams and its second body are selected, lowered as any function is, and put one after the other into the object
 * with the register table, the launch conditions and, for --verify, the instruction of the original code that does the
 * same as each access. The original code stays as it is.
 *
 * A kernel has no linear version when nothing would be saved by it, a condition has no form in the object, or a stream
 * does not fit the registers. Nor where it cannot be made, which a remark says with the reason: the original code needs
 * none. Under `check` that is an error, for it is the compiler's. Cost: that of lowering the kernel once
 * more, up to three times where registers are short.
 */
#include <stdlib.h>

#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "lib/object/listing.h"
#include "passes/linear/linear.h"
#include "passes/pass.h"
#include "passes/remark.h"

/* The parts of one version. */
struct version {
	struct hd_unit *unit;
	uint32_t kernel;
	LLVMValueRef function;
	struct hd_linear_layout layout;
	struct hd_mfunc funcs[HD_STREAM_COUNT];
	struct hd_function parts[HD_STREAM_COUNT];
};

enum { UNIT_REGISTERS = 8 };   /* a thread, that launches give: 256 a warp (CUDA, 7.0 to 8.9) */
enum { LEAST_REGISTERS = 16 }; /* that a launch gives to a thread at no cost: 2,048 threads then take half an SM's */

static int lower_part(struct version *version, enum hd_stream stream)
{
	struct hd_unit *unit = version->unit;
	struct hd_mfunc *func = &version->funcs[stream];
	func->callees = unit->functions.data[version->kernel].callees;
	if (hd_lower_function(func, unit->options.check, unit->diag))
		return -1;
	return hd_mfunc_emit(func, &unit->object, &version->parts[stream], &unit->arena, unit->diag);
}

/* Streams only compute; one that spills does not fit. */
static bool is_straight(const struct hd_function *part)
{
	for (uint32_t i = 0; i < part->inst_count; i++)
		if (hd_opinfo[part->insts[i].op].effects & (HD_FX_LOAD | HD_FX_STORE))
			return false;
	return true;
}

static int make_stream(struct version *version, enum hd_stream stream, uint32_t most)
{
	static void (*const build[])(struct hd_select *sel, void *context) = {
		[HD_STREAM_COEFFICIENT] = hd_linear_coefficient_stream,
		[HD_STREAM_THREAD] = hd_linear_thread_stream,
		[HD_STREAM_BLOCK] = hd_linear_block_stream,
	};
	struct hd_mfunc *func = &version->funcs[stream];
	if (hd_select_straight(version->unit, version->function, build[stream], &version->layout, func))
		return -1;
	func->max_registers = most;
	return lower_part(version, stream);
}

/* `most`: registers of a thread; 0: as many as it takes. */
static int make_main(struct version *version, uint32_t most)
{
	struct hd_mfunc *func = &version->funcs[HD_STREAM_MAIN];
	if (hd_select_linear(version->unit, version->function, version->kernel, version->layout.select, func))
		return -1;
	if (most && (!func->max_registers || most < func->max_registers))
		func->max_registers = most;
	return lower_part(version, HD_STREAM_MAIN);
}

/*
 * An SM gives registers away in units of UNIT_REGISTERS a thread. Linear registers lie in what blocks of the original
 * code leave, or in what its body is spared (5.6): where that is no unit, the main stream is to do with one unit less,
 * unless it spills then.
 */
static int make_room(struct version *version)
{
	uint32_t original = version->unit->object.functions[version->kernel].registers;
	uint32_t most = (original + UNIT_REGISTERS - 1) / UNIT_REGISTERS * UNIT_REGISTERS - UNIT_REGISTERS;
	uint32_t frame = version->parts[HD_STREAM_MAIN].frame_bytes;
	if (original <= LEAST_REGISTERS || version->parts[HD_STREAM_MAIN].registers <= most)
		return 0;
	hd_mfunc_free(&version->funcs[HD_STREAM_MAIN]);
	if (make_main(version, most))
		return -1;
	if (version->parts[HD_STREAM_MAIN].frame_bytes <= frame && version->parts[HD_STREAM_MAIN].registers <= most)
		return 0;
	hd_mfunc_free(&version->funcs[HD_STREAM_MAIN]);
	return make_main(version, 0);
}

/*
 * The streams run in the registers of the kernel's threads, so that they should not take more than the main stream
 * does; where that would make them spill they may.
 */
static int make_parts(struct version *version)
{
	if (make_main(version, 0) || make_room(version))
		return -1;
	uint32_t most = version->parts[HD_STREAM_MAIN].registers;
	most = most < LEAST_REGISTERS ? LEAST_REGISTERS : most > HD_LR_MAX_REGS ? HD_LR_MAX_REGS : most;
	for (unsigned i = 0; i < HD_STREAM_MAIN; i++) {
		if (make_stream(version, (enum hd_stream)i, most))
			return -1;
		if (is_straight(&version->parts[i]))
			continue;
		hd_mfunc_free(&version->funcs[i]);
		if (make_stream(version, (enum hd_stream)i, HD_LR_MAX_REGS))
			return -1;
	}
	return 0;
}

/* Estimated instructions of one thread, where what is executed more than once is so `longer` times as often. */
static double weight(const struct hd_mfunc *func, double longer)
{
	double sum = 0;
	for (uint32_t b = 0; b < func->order.len; b++) {
		const struct hd_mblock *block = &func->blocks.data[func->order.data[b]];
		sum += block->frequency * block->insts.len * (block->frequency > 1 ? longer : 1);
	}
	return sum;
}

/* Instructions that each warp is spared. */
static double saved(const struct version *version, double longer)
{
	return weight(&version->unit->functions.data[version->kernel], longer) -
	       weight(&version->funcs[HD_STREAM_MAIN], longer);
}

static bool is_worthwhile(const struct version *version)
{
	for (unsigned i = 0; i < HD_STREAM_MAIN; i++)
		if (!is_straight(&version->parts[i]))
			return false;
	if (version->parts[HD_STREAM_MAIN].registers > HD_LR_MAX_REGS)
		return false;
	return !strcmp(version->unit->options.linear, "always") || saved(version, 1) > 0;
}

/* ------------------------------------------------------------------ one body */

static void append_code(struct hd_function *body, const struct hd_function *part, struct hd_arena *arena)
{
	uint32_t base = body->inst_count;
	for (uint32_t i = 0; i < part->inst_count; i++) {
		struct hd_inst inst = part->insts[i];
		if (inst.op == HD_OP_BRA)
			inst.x += base;
		if (hd_opinfo[inst.op].effects & HD_FX_BRANCH && inst.reconv != HD_NO_PC)
			inst.reconv += base;
		body->insts[base + i] = inst;
		body->origins[base + i] = part->origins[i];
	}
	for (uint32_t i = 0; i < part->reloc_count; i++) {
		body->relocs[body->reloc_count] = part->relocs[i];
		body->relocs[body->reloc_count++].offset += base;
	}
	for (uint32_t i = 0; i < part->table_count; i++) { /* of the main stream alone: their numbers stay */
		struct hd_jump_table *table = &body->tables[body->table_count++];
		*table = part->tables[i];
		table->targets = HD_ARENA_NEW(arena, uint32_t, table->count);
		for (uint32_t k = 0; k < table->count; k++)
			table->targets[k] = part->tables[i].targets[k] + base;
	}
	body->registers = part->registers > body->registers ? part->registers : body->registers;
	body->inst_count += part->inst_count;
}

static void join_parts(struct version *version, struct hd_linear *linear)
{
	struct hd_arena *arena = &version->unit->arena;
	struct hd_function *body = &linear->body;
	uint32_t insts = 0, relocs = 0, tables = 0;
	for (unsigned i = 0; i < HD_STREAM_COUNT; i++) {
		insts += version->parts[i].inst_count;
		relocs += version->parts[i].reloc_count;
		tables += version->parts[i].table_count;
	}
	*body = (struct hd_function){.name = version->unit->object.functions[version->kernel].name};
	body->insts = HD_ARENA_NEW(arena, struct hd_inst, insts);
	body->origins = HD_ARENA_NEW(arena, struct hd_origin, insts);
	body->relocs = HD_ARENA_NEW(arena, struct hd_reloc, relocs + 1);
	body->tables = HD_ARENA_NEW(arena, struct hd_jump_table, tables + 1);
	for (unsigned i = 0; i < HD_STREAM_COUNT; i++) {
		linear->start[i] = body->inst_count;
		append_code(body, &version->parts[i], arena);
	}
	body->frame_bytes = version->parts[HD_STREAM_MAIN].frame_bytes;
}

/* ------------------------------------------------------------------ twins */

struct code_place {
	uint32_t site, pc;
};

static int compare_places(const void *left, const void *right)
{
	const struct code_place *a = left, *b = right;
	return a->site != b->site ? (a->site < b->site ? -1 : 1) : (a->pc > b->pc) - (a->pc < b->pc);
}

static void find_twins(struct version *version, struct hd_linear *linear)
{
	struct hd_arena *arena = &version->unit->arena;
	const struct hd_mfunc *original = &version->unit->functions.data[version->kernel],
			      *main = &version->funcs[HD_STREAM_MAIN];
	uint32_t count = version->unit->object.functions[version->kernel].inst_count;
	struct code_place *places = HD_ARENA_NEW(arena, struct code_place, count);
	for (uint32_t pc = 0; pc < count; pc++)
		places[pc] = (struct code_place){original->sites[pc], pc};
	qsort(places, count, sizeof *places, compare_places);
	linear->undefined = original->undefined_at;
	linear->undefined_count = original->undefined_count;
	linear->twins = HD_ARENA_NEW(arena, uint32_t, linear->body.inst_count);
	for (uint32_t i = 0; i < linear->body.inst_count; i++)
		linear->twins[i] = HD_NO_PC;
	for (uint32_t i = 0; i < version->parts[HD_STREAM_MAIN].inst_count; i++) {
		if (!main->sites[i] || hd_opinfo[version->parts[HD_STREAM_MAIN].insts[i].op].effects & HD_FX_BRANCH)
			continue;
		uint32_t at;
		HD_BISECT(at, 0, count, places[at].site < main->sites[i]);
		if (at < count && places[at].site == main->sites[i])
			linear->twins[linear->start[HD_STREAM_MAIN] + i] = places[at].pc;
	}
}

/* ------------------------------------------------------------------ kernels */

static void add_linear(struct hd_unit *unit, const struct hd_linear *linear)
{
	struct hd_object *object = &unit->object;
	struct hd_linear *all = HD_ARENA_NEW(&unit->arena, struct hd_linear, object->linear_count + 1);
	for (uint32_t i = 0; i < object->linear_count; i++)
		all[i] = object->linears[i];
	all[object->linear_count++] = *linear;
	object->linears = all;
}

/* Loops of the estimate go round ten times. Those of a kernel that is launched with few threads are longer as a rule:
 * each thread has the more to do, a row of a matrix or a tile. */
#define LONG_LOOPS 10.0

/* For launches: what the estimate says, or what is there if every instruction is executed once. */
static double saved_in_launches(const struct version *version)
{
	double estimated = saved(version, LONG_LOOPS);
	double once = (double)version->unit->object.functions[version->kernel].inst_count -
		      version->parts[HD_STREAM_MAIN].inst_count;
	return estimated > once ? estimated : once;
}

static uint32_t thousandths(double number)
{
	double all = number * 1000;
	return all < 0 ? 0 : all > UINT32_MAX ? UINT32_MAX : (uint32_t)all;
}

/* Also the main stream as a function, for the rows behind. */
static int make_version(struct version *version, const struct hd_linear_plan *plan, struct hd_function *main)
{
	struct hd_unit *unit = version->unit;
	struct hd_linear linear = {.kernel = version->kernel};
	if (!hd_linear_layout_make(&version->layout, unit, plan, &unit->arena) ||
	    hd_linear_checks(plan, &linear, &unit->arena))
		return 0;
	if (make_parts(version))
		return -1;
	if (!is_worthwhile(version))
		return 0;
	join_parts(version, &linear);
	find_twins(version, &linear);
	linear.coefficients = version->layout.coefficient_count;
	linear.threads = version->layout.thread_count;
	linear.linears = version->layout.linear_count;
	linear.saved = thousandths(saved_in_launches(version));
	memcpy(linear.thread_of, version->layout.thread_of, sizeof linear.thread_of);
	add_linear(unit, &linear);
	*main = version->parts[HD_STREAM_MAIN];
	main->name = linear.body.name;
	main->kernel = true;
	return 0;
}

/* What is said while a version is made. */
struct attempt {
	struct hd_arena *arena;
	const char *reason; /* first error */
};

static void keep_reason(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct attempt *attempt = context;
	(void)loc;
	if (severity == HD_ERROR && !attempt->reason)
		attempt->reason = hd_arena_strdup(attempt->arena, message);
}

/* As make_version; errors are why there is none. */
static void try_version(struct version *version, const struct hd_linear_plan *plan, struct hd_function *main)
{
	struct hd_unit *unit = version->unit;
	struct attempt attempt = {.arena = &unit->arena};
	struct hd_diag quiet = {.emit = keep_reason, .context = &attempt}, *told = unit->diag;
	unit->diag = &quiet;
	if (make_version(version, plan, main))
		unit->no_linear[version->kernel] = attempt.reason ? attempt.reason : "it cannot be made";
	unit->diag = told;
}

/* Products of warpgroups, and warps that hand registers on, take all registers that a version would keep its linear
 * registers in. */
static const char *reason_of_registers(const struct hd_function *function)
{
	for (uint32_t i = 0; i < function->inst_count; i++) {
		if (function->insts[i].op == HD_OP_WGMMA)
			return "it has products of warpgroups (wgmma)";
		if (function->insts[i].op == HD_OP_USETMAXREG)
			return "its warps hand registers on (setmaxnreg)";
	}
	return NULL;
}

int hd_linear_run(struct hd_unit *unit)
{
	struct hd_linear_plan *const *plans = hd_pass_result(unit, HD_PASS_AFFINE);
	struct hd_function *mains = HD_ARENA_NEW(&unit->arena, struct hd_function, unit->object.function_count);
	int status = 0;
	unit->object.linear_count = 0;
	unit->no_linear = HD_ARENA_NEW(&unit->arena, const char *, unit->object.function_count);
	for (uint32_t f = 0; f < unit->object.function_count && strcmp(unit->options.linear, "never"); f++) {
		struct version version = {.unit = unit, .kernel = f};
		if (!plans[f] || !plans[f]->use_count)
			continue;
		unit->no_linear[f] = reason_of_registers(&unit->object.functions[f]);
		if (unit->no_linear[f])
			continue;
		version.function = LLVMGetNamedFunction(unit->module, unit->object.functions[f].name);
		if (!unit->options.check)
			try_version(&version, plans[f], &mains[f]);
		else if (make_version(&version, plans[f], &mains[f]))
			status = -1;
		for (unsigned i = 0; i < HD_STREAM_COUNT; i++)
			hd_mfunc_free(&version.funcs[i]);
	}
	unit->results[HD_PASS_LINEAR] = mains;
	return status;
}

void hd_linear_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts)
{
	const struct hd_linear *linear = hd_object_linear(&unit->object, function);
	if (!linear)
		return;
	facts->linear_version = HD_ARENA_NEW(&unit->arena, struct hd_meta_linear_version, 1);
	*facts->linear_version = (struct hd_meta_linear_version){
		.registers = linear->body.registers,
		.frame_bytes = linear->body.frame_bytes,
		.linear_registers = linear->linears,
		.thread_registers = linear->threads,
		.coefficient_registers = linear->coefficients,
		.conditions = linear->check_count,
		.coefficient_instructions = linear->start[HD_STREAM_THREAD],
		.thread_instructions = linear->start[HD_STREAM_BLOCK] - linear->start[HD_STREAM_THREAD],
		.block_instructions = linear->start[HD_STREAM_MAIN] - linear->start[HD_STREAM_BLOCK],
		.instructions = linear->body.inst_count - linear->start[HD_STREAM_MAIN],
		.saved_thousandths = linear->saved,
	};
}

void hd_linear_remark(struct hd_remarks *remarks, uint32_t function)
{
	const char *reason = remarks->unit->no_linear[function];
	struct hd_remark remark;
	if (!reason ||
	    !hd_remark_begin(&remark, remarks, HD_PASS_LINEAR, "NoLinearVersion", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": no linear version: ");
	hd_remark_value(&remark, "Reason", "%s", reason);
	hd_remark_end(&remark);
}

/* ------------------------------------------------------------------ printing */

static void print_linear(FILE *out, const struct hd_object *object, const struct hd_linear *linear)
{
	const struct hd_listing_style plain = {0};
	struct hd_listing listing;
	struct hd_arena arena;
	hd_arena_init(&arena);
	fprintf(out, "linear version of %s: registers %u, linear %u, thread-index %u, coefficient %u, conditions %u\n",
		linear->body.name, linear->body.registers, linear->linears, linear->threads, linear->coefficients,
		linear->check_count);
	hd_listing_print_linear_registers(out, linear);
	hd_listing_init_linear(&listing, object, linear, &arena);
	hd_listing_print(out, &listing, &plain);
	hd_arena_release(&arena);
}

void hd_linear_print_unit(FILE *out, const struct hd_unit *unit)
{
	for (uint32_t i = 0; i < unit->object.linear_count; i++)
		print_linear(out, &unit->object, &unit->object.linears[i]);
}
