/*
 * Questions about NVPTX IR: which functions are kernels, what is annotated at them, and where their parameters lie.
 * The annotations are read once a module, which is linear in them; a question costs what its value has.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/bits.h"
#include "lib/vec.h"
#include "passes/ir/byval.h"
#include "passes/ir/ir.h"

/* One of the pairs behind a value in a node of nvvm.annotations. */
struct hd_annotation {
	const char *key;
	unsigned length;
	uint32_t number, next; /* next: 1 + the value's next one, 0 none */
};

static void add(struct hd_annotations *index, struct hd_arena *arena, LLVMValueRef node)
{
	unsigned count = LLVMGetMDNodeNumOperands(node);
	LLVMValueRef *ops = hd_xcalloc(count + 1, sizeof(LLVMValueRef));
	LLVMGetMDNodeOperands(node, ops);
	for (unsigned k = 1; ops[0] && k + 1 < count; k += 2) {
		struct hd_annotation annotation = {0};
		annotation.key = ops[k] ? LLVMGetMDString(ops[k], &annotation.length) : NULL;
		if (!annotation.key || !ops[k + 1] || !LLVMIsAConstantInt(ops[k + 1]))
			continue;
		const struct hd_map_entry *first = hd_map_get(&index->first, ops[0]);
		annotation.number = (uint32_t)LLVMConstIntGetZExtValue(ops[k + 1]);
		annotation.next = first ? first->start : 0;
		hd_vec_push_in(&index->list, arena, annotation);
		hd_map_put(&index->first, ops[0], index->list.len, 0);
	}
	free(ops);
}

/* A constant's string, without its zero; NULL: it has none. */
static const char *string_of(LLVMValueRef global, size_t *length)
{
	LLVMValueRef text = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
	if (!text || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
		return NULL;
	const char *bytes = LLVMGetAsString(text, length);
	*length = strnlen(bytes, *length);
	return bytes;
}

/* clang's annotate("heddle.KEY", NUMBER), {value, key, file, line, numbers}: as nvvm.annotations' KEY. */
static void add_source_annotation(struct hd_annotations *index, struct hd_arena *arena, LLVMValueRef entry)
{
	static const char prefix[] = "heddle.";
	enum { PREFIX = sizeof prefix - 1 };
	if (!LLVMIsAConstantStruct(entry) || LLVMGetNumOperands(entry) < 5)
		return;
	LLVMValueRef value = LLVMGetOperand(entry, 0), numbers = LLVMGetOperand(entry, 4);
	size_t length = 0;
	const char *key = string_of(LLVMGetOperand(entry, 1), &length);
	if (!key || length <= PREFIX || memcmp(key, prefix, PREFIX) != 0 || !LLVMIsAGlobalVariable(numbers))
		return;
	LLVMValueRef list = LLVMGetInitializer(numbers);
	LLVMValueRef number = list && LLVMGetNumOperands(list) ? LLVMGetOperand(list, 0) : NULL;
	if (!number || !LLVMIsAConstantInt(number))
		return;
	const struct hd_map_entry *first = hd_map_get(&index->first, value);
	struct hd_annotation annotation = {key + PREFIX, (unsigned)(length - PREFIX),
					   (uint32_t)LLVMConstIntGetZExtValue(number), first ? first->start : 0};
	hd_vec_push_in(&index->list, arena, annotation);
	hd_map_put(&index->first, value, index->list.len, 0);
}

static void add_source_annotations(struct hd_annotations *index, struct hd_arena *arena, LLVMModuleRef module)
{
	LLVMValueRef global = LLVMGetNamedGlobal(module, "llvm.global.annotations");
	LLVMValueRef list = global ? LLVMGetInitializer(global) : NULL;
	for (int i = 0, n = list ? LLVMGetNumOperands(list) : 0; i < n; i++)
		add_source_annotation(index, arena, LLVMGetOperand(list, (unsigned)i));
}

/* From the last to the first, so that each value's own are found from the first on. */
static void fill(struct hd_annotations *index, struct hd_arena *arena, LLVMModuleRef module, unsigned count)
{
	LLVMValueRef *nodes = hd_xcalloc(count + 1, sizeof(LLVMValueRef));
	*index = (struct hd_annotations){.module = module, .nodes = count, .first.arena = arena};
	LLVMGetNamedMetadataOperands(module, "nvvm.annotations", nodes);
	add_source_annotations(index, arena, module);
	for (unsigned i = count; i-- > 0;)
		add(index, arena, nodes[i]);
	free(nodes);
}

uint32_t hd_annotation(struct hd_unit *unit, LLVMValueRef value, const char *name)
{
	LLVMModuleRef module = LLVMGetGlobalParent(value);
	struct hd_annotations *index = &unit->annotations[module == unit->source];
	unsigned count = LLVMGetNamedMetadataNumOperands(module, "nvvm.annotations");
	if (index->module != module || index->nodes != count) /* the first question, or helpers were linked in */
		fill(index, &unit->arena, module, count);
	const struct hd_map_entry *first = hd_map_get(&index->first, value);
	for (uint32_t at = first ? first->start : 0; at; at = index->list.data[at - 1].next) {
		const struct hd_annotation *annotation = &index->list.data[at - 1];
		if (annotation->number && strlen(name) == annotation->length &&
		    !memcmp(annotation->key, name, annotation->length))
			return annotation->number;
	}
	return LLVMIsAFunction(value) ? hd_attribute_annotation(value, name) : 0;
}

bool hd_is_kernel(struct hd_unit *unit, LLVMValueRef function)
{
	enum { PTX_KERNEL = 71 };
	return LLVMGetFunctionCallConv(function) == PTX_KERNEL || hd_annotation(unit, function, "kernel");
}

LLVMTypeRef hd_byval_type(LLVMValueRef function, unsigned param)
{
	LLVMAttributeRef attr =
		LLVMGetEnumAttributeAtIndex(function, param + 1, LLVMGetEnumAttributeKindForName("byval", 5));
	return attr ? LLVMGetTypeAttributeValue(attr) : NULL;
}

uint32_t hd_kernel_params(LLVMValueRef function, uint32_t *offsets)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
	uint64_t at = 0;
	for (unsigned i = 0, n = LLVMCountParams(function); i < n; i++) {
		struct hd_byval byval = hd_byval_of(layout, function, i);
		LLVMTypeRef type = byval.type ? byval.type : LLVMTypeOf(LLVMGetParam(function, i));
		uint64_t align = byval.type ? byval.align : LLVMABIAlignmentOfType(layout, type);
		at = hd_align_up(at, align);
		offsets[i] = (uint32_t)at;
		at += LLVMABISizeOfType(layout, type);
	}
	return at > UINT32_MAX ? UINT32_MAX : (uint32_t)at;
}

static const char helper_mark[] = "heddle-helper";

bool hd_is_helper(LLVMValueRef function)
{
	return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, helper_mark,
					     sizeof helper_mark - 1) != NULL;
}

void hd_mark_helper(LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(context, helper_mark, sizeof helper_mark - 1, "", 0));
}

enum { DEFAULT_CAPABILITY = 70 }; /* the machine that the model follows */

const char *hd_unit_target(struct hd_unit *unit)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(unit->source); f; f = LLVMGetNextFunction(f)) {
		LLVMAttributeRef cpu = LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-cpu", 10);
		unsigned len;
		if (cpu && !LLVMIsDeclaration(f))
			return hd_arena_strdup(&unit->arena, LLVMGetStringAttributeValue(cpu, &len));
	}
	return hd_arena_printf(&unit->arena, "sm_%d", DEFAULT_CAPABILITY);
}

uint32_t hd_target_number(const char *target)
{
	enum { MOST = 999 };
	if (strncmp(target, "sm_", 3) != 0 || target[3] < '0' || target[3] > '9')
		return DEFAULT_CAPABILITY;
	unsigned long number = strtoul(target + 3, NULL, 10);
	return number < MOST ? (uint32_t)number : MOST;
}

uint32_t hd_capability(LLVMValueRef function)
{
	LLVMAttributeRef attr = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "target-cpu", 10);
	unsigned length = 0;
	return hd_target_number(attr ? LLVMGetStringAttributeValue(attr, &length) : "");
}

bool hd_is_for_one_architecture(LLVMValueRef function)
{
	LLVMAttributeRef attr = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "target-cpu", 10);
	unsigned length = 0;
	const char *cpu = attr ? LLVMGetStringAttributeValue(attr, &length) : "";
	return length && cpu[length - 1] == 'a';
}
