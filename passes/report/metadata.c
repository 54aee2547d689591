/*
 * The metadata of a unit (docs/architecture.md, The life of a figure): stackdepth's facts, joined with what the source
 * says about each function (debug information, launch bounds, parameters) and with what
 * heddle-cc saw in the host code (launches=FILE). Does no I/O but for reading that file.
 * Linear in functions, launch sites and code.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "heddle/version.h"
#include "passes/analysis/callgraph.h"
#include "passes/analysis/chain.h"
#include "passes/ir/ir.h"
#include "passes/pass.h"
#include "passes/report/mix.h"
#include "passes/report/proof.h"

/* From the C++ run-time library, which is there wherever LLVM is; weak, so that no program has to name it. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status) __attribute__((weak));

/* Separate compilation makes static kernels visible under their name with `__intern__<hash of the source>`. */
static const char *demangle(struct hd_unit *unit, const char *name)
{
	int status = -1;
	char *plain = hd_arena_strdup(&unit->arena, name), *suffix = strstr(plain, "__intern__");
	if (suffix)
		*suffix = 0;
	char *text = !strncmp(plain, "_Z", 2) && __cxa_demangle ? __cxa_demangle(plain, NULL, NULL, &status) : NULL;
	const char *result = text && !status ? hd_arena_strdup(&unit->arena, text) : name;
	free(text);
	return result;
}

/* Absolute paths belong to the build machine. */
static const char *module_name(struct hd_unit *unit)
{
	size_t len;
	const char *name = LLVMGetSourceFileName(unit->source, &len);
	const char *slash = *name == '/' ? strrchr(name, '/') : NULL;
	return hd_arena_strdup(&unit->arena, slash ? slash + 1 : name);
}

static const char *producer(struct hd_unit *unit)
{
	unsigned major, minor, patch;
	LLVMGetVersion(&major, &minor, &patch);
	return hd_arena_printf(&unit->arena, "heddle %s, LLVM %u.%u.%u", HD_VERSION, major, minor, patch);
}

/* maxntid, reqntid and clusters have three dimensions; an absent one is 1 when another is there. */
static uint32_t dimensions(struct hd_unit *unit, LLVMValueRef function, const char *prefix, uint32_t size[3])
{
	uint32_t product = 1, any = 0;
	for (unsigned d = 0; d < 3; d++) {
		char name[20];
		snprintf(name, sizeof(name), "%s%c", prefix, 'x' + (int)d);
		size[d] = hd_annotation(unit, function, name);
		any |= size[d];
	}
	for (unsigned d = 0; d < 3 && any; d++)
		product *= size[d] = size[d] ? size[d] : 1;
	return any ? product : 0;
}

static void launch_bounds(struct hd_unit *unit, LLVMValueRef function, struct hd_meta_function *facts)
{
	uint32_t most[3], exact = dimensions(unit, function, "reqntid", facts->reqntid);
	facts->max_threads = dimensions(unit, function, "maxntid", most);
	dimensions(unit, function, "cluster_dim_", facts->cluster);
	if (exact)
		facts->max_threads = exact;
	facts->min_ctas = hd_annotation(unit, function, "minctasm");
	facts->max_cluster = hd_annotation(unit, function, "maxclusterrank");
	if (!facts->max_cluster) /* its older name */
		facts->max_cluster = hd_annotation(unit, function, "cluster_max_blocks");
}

static enum hd_param_kind kind_of(LLVMTypeRef type, bool by_value)
{
	switch (by_value ? LLVMStructTypeKind : LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: return HD_PARAM_INTEGER;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind: return HD_PARAM_FLOAT;
	case LLVMPointerTypeKind: return HD_PARAM_POINTER;
	default: return HD_PARAM_AGGREGATE;
	}
}

static const char *type_text(struct hd_unit *unit, LLVMTypeRef type)
{
	char *text = LLVMPrintTypeToString(type);
	const char *result = hd_arena_strdup(&unit->arena, text);
	LLVMDisposeMessage(text);
	return result;
}

static uint32_t alignment(LLVMValueRef function, uint32_t param, LLVMTypeRef type, bool by_value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef align = by_value ? LLVMGetEnumAttributeAtIndex(function, param + 1, kind) : NULL;
	return align ? (uint32_t)LLVMGetEnumAttributeValue(align)
		     : LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(LLVMGetGlobalParent(function)), type);
}

static void parameters(struct hd_unit *unit, LLVMValueRef function, struct hd_meta_function *facts)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
	uint32_t count = LLVMCountParams(function), *offsets = HD_ARENA_NEW(&unit->arena, uint32_t, count);
	facts->param_bytes = hd_kernel_params(function, offsets);
	facts->params = HD_ARENA_NEW(&unit->arena, struct hd_meta_param, count);
	facts->param_count = count;
	for (uint32_t i = 0; i < count; i++) {
		LLVMValueRef value = LLVMGetParam(function, i);
		LLVMTypeRef by_value = hd_byval_type(function, i), type = by_value ? by_value : LLVMTypeOf(value);
		size_t len;
		const char *name = LLVMGetValueName2(value, &len);
		facts->params[i] = (struct hd_meta_param){
			.name = len ? hd_arena_strdup(&unit->arena, name) : NULL,
			.type = type_text(unit, type),
			.kind = kind_of(type, by_value != NULL),
			.offset = offsets[i],
			.bytes = (uint32_t)LLVMABISizeOfType(layout, type),
			.align = alignment(function, i, type, by_value != NULL),
		};
	}
}

/*
 * Optimised code keeps a function's variables in a list at its DISubprogram. The C API does not show
 * the fields of a DILocalVariable, but prints them: `!DILocalVariable(name: "x", arg: 1, ...)`.
 */
static void name_from_variable(struct hd_unit *unit, LLVMValueRef variable, struct hd_meta_function *facts)
{
	static const char opening[] = "!DILocalVariable(name: \"";
	char *text = LLVMPrintValueToString(variable), *end;
	char *name = strstr(text, opening), *arg = name ? strstr(name, "\", arg: ") : NULL;
	if (arg) {
		unsigned long index = strtoul(arg + strlen("\", arg: "), &end, 10);
		name += sizeof(opening) - 1;
		if (index && index <= facts->param_count && arg > name) {
			*arg = 0;
			facts->params[index - 1].name = hd_arena_strdup(&unit->arena, name);
		}
	}
	LLVMDisposeMessage(text);
}

static void name_from_debug_info(struct hd_unit *unit, LLVMValueRef function, struct hd_meta_function *facts)
{
	LLVMMetadataRef program = LLVMGetSubprogram(function);
	LLVMContextRef context = LLVMGetModuleContext(unit->source);
	LLVMValueRef node = program ? LLVMMetadataAsValue(context, program) : NULL, list = NULL;
	int count = node ? LLVMGetMDNodeNumOperands(node) : 0;
	LLVMValueRef *operands = HD_ARENA_NEW(&unit->arena, LLVMValueRef, count);
	if (node)
		LLVMGetMDNodeOperands(node, operands);
	for (int i = 0; i < count; i++)
		if (operands[i] && LLVMGetMetadataKind(LLVMValueAsMetadata(operands[i])) == LLVMMDTupleMetadataKind)
			list = operands[i];
	count = list ? LLVMGetMDNodeNumOperands(list) : 0;
	operands = HD_ARENA_NEW(&unit->arena, LLVMValueRef, count);
	if (list)
		LLVMGetMDNodeOperands(list, operands);
	for (int i = 0; i < count; i++)
		if (operands[i])
			name_from_variable(unit, operands[i], facts);
}

static void describe_source(struct hd_unit *unit, struct hd_meta_function *facts)
{
	LLVMValueRef function = LLVMGetNamedFunction(unit->source, facts->name);
	facts->demangled = demangle(unit, facts->name);
	if (!function)
		return;
	struct hd_loc loc = hd_ir_loc(unit, function);
	facts->source = (struct hd_meta_source){loc.file, loc.line};
	if (!facts->kernel)
		return;
	launch_bounds(unit, function, facts);
	parameters(unit, function, facts);
	name_from_debug_info(unit, function, facts);
}

static bool reads_dynamic_shared(const struct hd_function *function)
{
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		if (hd_x_is_constant(inst->xkind) && inst->x == HD_CONST_X(0, HD_CB_DYN_SHARED))
			return true;
	}
	return false;
}

static uint32_t shared_alignment(const struct hd_object *object)
{
	uint32_t align = 0;
	for (uint32_t s = 0; s < object->symbol_count; s++)
		if (object->symbols[s].kind == HD_SYM_VARIABLE && object->symbols[s].space == HD_SPACE_SHARED &&
		    object->symbols[s].align > align)
			align = (uint32_t)object->symbols[s].align;
	return align;
}

/* Shared memory is the kernel's, whichever function uses it. */
static void shared_memory(struct hd_unit *unit, struct hd_meta_function *facts)
{
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	uint32_t count = unit->object.function_count, align = shared_alignment(&unit->object);
	uint32_t *dynamic = HD_ARENA_NEW(&unit->arena, uint32_t, count);
	for (uint32_t f = 0; f < count; f++)
		dynamic[f] = reads_dynamic_shared(&unit->object.functions[f]);
	dynamic = hd_chain_reachable_max(&calls->graph, dynamic, &unit->arena);
	for (uint32_t f = 0; f < count; f++) {
		if (!facts[f].kernel)
			continue;
		facts[f].shared_bytes = unit->object.functions[f].shared_bytes;
		facts[f].dynamic_shared = dynamic[f];
		facts[f].shared_align = facts[f].shared_bytes || dynamic[f] ? align : 0;
	}
}

/* Bytes that a thread's spill code moves from and to local memory, each instruction once. As ptxas says it, spills in
 * shared memory are the kernel's shared memory. */
static void spills(const struct hd_function *function, struct hd_meta_function *facts)
{
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		if (inst->role == HD_ROLE_SPILL_STORE && inst->op == HD_OP_STL)
			facts->spill_store_bytes += hd_op_access_bytes(inst->op, inst->mods);
		else if (inst->role == HD_ROLE_SPILL_LOAD && inst->op == HD_OP_LDL)
			facts->spill_load_bytes += hd_op_access_bytes(inst->op, inst->mods);
	}
}

static void uniform_registers(const struct hd_function *function, struct hd_meta_function *facts)
{
	uint64_t written = 0;
	for (uint32_t i = 0; i < function->inst_count; i++)
		written |= hd_inst_uniform_writes(&function->insts[i]);
	facts->uniform_registers = written ? 64 - (uint32_t)__builtin_clzll(written) : 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct hd_meta_function *)a)->name, ((const struct hd_meta_function *)b)->name);
}

int hd_metadata_run(struct hd_unit *unit)
{
	const struct hd_meta_function *known = hd_pass_result(unit, HD_PASS_STACKDEPTH);
	uint32_t count = unit->object.function_count;
	struct hd_meta_function *facts = HD_ARENA_NEW(&unit->arena, struct hd_meta_function, count);
	if (count) /* the records begin with what STACKDEPTH says */
		memcpy(facts, known, sizeof(*facts) * count);
	for (uint32_t f = 0; f < count; f++) {
		describe_source(unit, &facts[f]);
		spills(&unit->object.functions[f], &facts[f]);
		uniform_registers(&unit->object.functions[f], &facts[f]);
		for (enum hd_pass_id id = 0; id < HD_PASS_COUNT; id++)
			if (hd_passes[id].describe)
				hd_passes[id].describe(unit, f, &facts[f]);
	}
	shared_memory(unit, facts);
	if (count)
		qsort(facts, count, sizeof(*facts), by_name);
	unit->metadata = (struct hd_metadata){
		.arena = &unit->arena,
		.module = module_name(unit),
		.target = hd_unit_target(unit),
		.producer = producer(unit),
		.flags = unit->options.canonical,
		.abi = unit->abi,
		.mode = unit->options.relocatable ? HD_MODE_RELOCATABLE : HD_MODE_WHOLE_PROGRAM,
		.functions = facts,
		.function_count = count,
	};
	/* What accesses do depends on the blocks that kernels are launched with. */
	if (hd_launch_facts_read(unit, unit->options.launch_facts) || hd_affine_facts(unit))
		return -1;
	hd_proof_describe(unit);
	hd_mix_describe(unit);
	return 0;
}

void hd_metadata_print_unit(FILE *out, const struct hd_unit *unit)
{
	char *text = hd_metadata_to_json(&unit->metadata);
	if (text)
		fputs(text, out);
	free(text);
}

/* What the kernel object keeps of the metadata gives the same text. */
static int verify_packed(struct hd_unit *unit, const char *text)
{
	struct hd_object object = {.metadata = unit->metadata}, back;
	struct hd_arena arena;
	uint8_t *bytes;
	size_t size;
	if (hd_object_write(&object, &bytes, &size, unit->diag))
		return -1;
	hd_arena_init(&arena);
	int status = hd_object_read(bytes, size, "metadata", &arena, &back, unit->diag);
	char *again = status ? NULL : hd_metadata_to_json(&back.metadata);
	if (!status && (!again || strcmp(text, again) != 0))
		status = hd_error(unit->diag, HD_NOWHERE,
				  "metadata: the kernel object's copy differs from the JSON text");
	free(again);
	free(bytes);
	hd_arena_release(&arena);
	return status;
}

/* The text must read back: it is a contract. */
int hd_metadata_verify_unit(struct hd_unit *unit)
{
	struct hd_metadata copy;
	struct hd_arena arena;
	char *text = hd_metadata_to_json(&unit->metadata);
	hd_arena_init(&arena);
	int status = text ? hd_metadata_from_json(text, strlen(text), "metadata", &arena, &copy, unit->diag) : -1;
	if (!status)
		status = verify_packed(unit, text);
	hd_arena_release(&arena);
	free(text);
	return status;
}
