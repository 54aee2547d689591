/*
 * Joins the bitcode of relocatable kernel objects into one module, in the order of the
 * command line, after the checks that a linker makes: one architecture, each symbol defined
 * once, and somewhere. What an object needs is what its code needs (its symbol table), not
 * what its bitcode declares. Nothing is optimised here, so that calls stay calls. Linear in
 * the modules' size.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>

#include "lib/hash.h"
#include "lib/map.h"
#include "tools/heddle-cc/llvm/calls.h"

struct definition {
	const char *name;
	const struct hd_cc_device *device;
	bool strong, local;
};

struct merge {
	struct hd_cc *cc;
	const struct hd_cc_collected *collected;
	LLVMContextRef context;
	LLVMModuleRef *modules; /* one a device */
	HD_VEC(struct definition) definitions;
	struct hd_hash_set definition_ids; /* by name */
	char here[PATH_MAX];		   /* working directory */
};

/* From the C++ run-time library, which LLVM brings along. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

/* "helper(int)" for "_Z6helperi". */
static const char *readable(struct merge *merge, const char *name)
{
	int status = -1;
	char *text = !strncmp(name, "_Z", 2) ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
	const char *result = text && !status ? hd_arena_strdup(&merge->cc->arena, text) : name;
	free(text);
	return result;
}

static void forward(LLVMDiagnosticInfoRef info, void *context)
{
	struct merge *merge = context;
	char *text = LLVMGetDiagInfoDescription(info);
	if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
		hd_error(&merge->cc->diag, HD_NOWHERE, "%s", text);
	else if (LLVMGetDiagInfoSeverity(info) == LLVMDSWarning)
		hd_warning(&merge->cc->diag, HD_NOWHERE, "%s", text);
	LLVMDisposeMessage(text);
}

/* ------------------------------------------------------------ one module */

static int parse(struct merge *merge, uint32_t index)
{
	const struct hd_cc_device *device = &merge->collected->devices.data[index];
	if (!device->object.bitcode_bytes)
		return hd_error(&merge->cc->diag, HD_NOWHERE, "%s: its kernel object has no bitcode to link",
				device->name);
	LLVMMemoryBufferRef buffer =
		LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)device->object.bitcode,
							  device->object.bitcode_bytes, device->name);
	if (LLVMParseBitcodeInContext2(merge->context, buffer, &merge->modules[index])) {
		merge->modules[index] = NULL;
		hd_error(&merge->cc->diag, HD_NOWHERE, "%s: cannot read its bitcode", device->name);
	}
	LLVMDisposeMemoryBuffer(buffer);
	return merge->modules[index] ? 0 : -1;
}

/* The variable that clang made visible under `name` and a suffix, or NULL. */
static LLVMValueRef find_static(LLVMModuleRef module, const char *name)
{
	static const char suffix[] = "__static__";
	size_t length = strlen(name);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g) && !strncmp(LLVMGetValueName(g), name, length) &&
		    !strncmp(LLVMGetValueName(g) + length, suffix, strlen(suffix)))
			return g;
	return NULL;
}

/*
 * A static variable that the host names gets a suffix, so that the host finds it. clang learns of the host's use while
 * it reads the source: kernels that stand before it still name the variable without the suffix, which nobody defines.
 */
static void mend_statics(LLVMModuleRef module)
{
	LLVMValueRef next;
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = next) {
		next = LLVMGetNextGlobal(g);
		LLVMValueRef real = LLVMIsDeclaration(g) ? find_static(module, LLVMGetValueName(g)) : NULL;
		if (!real || LLVMTypeOf(real) != LLVMTypeOf(g))
			continue;
		LLVMReplaceAllUsesWith(g, real);
		LLVMDeleteGlobal(g);
	}
}

static LLVMMetadataRef number(struct merge *merge, uint32_t value)
{
	return LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(merge->context), value, 0));
}

/* Every module says which flavour of math it chose; the choice is made, and the linker must not compare them. */
static void neutralize_flags(struct merge *merge, LLVMModuleRef module)
{
	static const char flags[] = "llvm.module.flags";
	unsigned count = LLVMGetNamedMetadataNumOperands(module, flags), length;
	LLVMValueRef *nodes = hd_xcalloc(count, sizeof *nodes), operands[3];
	LLVMGetNamedMetadataOperands(module, flags, nodes);
	for (unsigned i = 0; i < count; i++) {
		if (LLVMGetMDNodeNumOperands(nodes[i]) != 3)
			continue;
		LLVMGetMDNodeOperands(nodes[i], operands);
		const char *key = LLVMGetMDString(operands[1], &length);
		if (key && length == strlen("nvvm-reflect-ftz") && !memcmp(key, "nvvm-reflect-ftz", length))
			LLVMReplaceMDNodeOperandWith(nodes[i], 2, number(merge, 0));
	}
	free(nodes);
}

/* -maxrregcount of a source holds for the functions of that source only. */
static void keep_register_limit(struct merge *merge, const struct hd_cc_device *device, LLVMModuleRef module)
{
	static const char annotation[] = "maxnreg";
	size_t length;
	const char *text = hd_metadata_parameter(&device->object.metadata, "maxrregcount", &length);
	uint32_t limit = text ? (uint32_t)strtoul(text, NULL, 10) : 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f && limit; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		LLVMMetadataRef parts[] = {LLVMValueAsMetadata(f),
					   LLVMMDStringInContext2(merge->context, annotation, strlen(annotation)),
					   number(merge, limit)};
		LLVMMetadataRef node = LLVMMDNodeInContext2(merge->context, parts, 3);
		LLVMAddNamedMetadataOperand(module, "nvvm.annotations", LLVMMetadataAsValue(merge->context, node));
	}
}

/* ------------------------------------------------------------ checks */

static int check_target(struct merge *merge, const struct hd_cc_device **first, const struct hd_cc_device *device)
{
	const char *target = device->object.metadata.target;
	if (!device->object.function_count) /* nothing in it depends on the architecture */
		return 0;
	if (merge->cc->arch_given && strcmp(target, merge->cc->arch) != 0)
		return hd_error(&merge->cc->diag, HD_NOWHERE, "%s: its device code is for %s, but the link is for %s",
				device->name, target, merge->cc->arch);
	if (*first && strcmp(target, (*first)->object.metadata.target) != 0)
		return hd_error(&merge->cc->diag, HD_NOWHERE, "%s: its device code is for %s, but that of %s is for %s",
				device->name, target, (*first)->name, (*first)->object.metadata.target);
	if (!*first) {
		*first = device;
		merge->cc->arch = target;
	}
	return 0;
}

static bool is_strong(LLVMValueRef value)
{
	return LLVMGetLinkage(value) == LLVMExternalLinkage;
}

/* A static symbol of the same name as one before gets a name that says whose it is: `_ZL1fi__intern__b_cu`. */
static void rename_local(struct merge *merge, LLVMValueRef value)
{
	size_t length;
	const char *file = LLVMGetSourceFileName(LLVMGetGlobalParent(value), &length);
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char *name = hd_arena_printf(&merge->cc->arena, "%s__intern__%s", LLVMGetValueName(value), base);
	for (char *at = name + strlen(name) - strlen(base); *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	LLVMSetValueName2(value, name, strlen(name));
}

static struct hd_hash_slot *slot_of(struct merge *merge, const char *name)
{
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &merge->definition_ids, hd_hash_text(HD_HASH_TEXT, name),
		     !strcmp(merge->definitions.data[slot->id].name, name));
	return slot;
}

/* Valid until the next one is added; NULL: nothing defines it. */
static struct definition *definition_of(struct merge *merge, const char *name)
{
	const struct hd_hash_slot *slot = slot_of(merge, name);
	return hd_hash_found(slot) ? &merge->definitions.data[slot->id] : NULL;
}

static void add_definition(struct merge *merge, const struct hd_cc_device *device, LLVMValueRef value, bool local)
{
	const char *name = hd_arena_strdup(&merge->cc->arena, LLVMGetValueName(value));
	hd_hash_set_put(&merge->definition_ids, slot_of(merge, name), hd_hash_text(HD_HASH_TEXT, name),
			merge->definitions.len);
	hd_vec_push(&merge->definitions, (struct definition){name, device, is_strong(value), local});
}

static int define(struct merge *merge, const struct hd_cc_device *device, LLVMValueRef value)
{
	LLVMLinkage linkage = LLVMGetLinkage(value);
	bool local = linkage == LLVMInternalLinkage;
	if (LLVMIsDeclaration(value) || linkage == LLVMPrivateLinkage || linkage == LLVMAppendingLinkage ||
	    linkage == LLVMAvailableExternallyLinkage)
		return 0;
	struct definition *known = definition_of(merge, LLVMGetValueName(value));
	if (!known)
		add_definition(merge, device, value, local);
	else if (local)
		rename_local(merge, value);
	else if (known->strong && is_strong(value))
		return hd_error(&merge->cc->diag, HD_NOWHERE, "'%s' is defined twice on the device: in %s and in %s",
				readable(merge, known->name), known->device->name, device->name);
	else {
		known->strong = known->strong || is_strong(value);
		known->local = false;
	}
	return 0;
}

static int define_all(struct merge *merge, uint32_t index)
{
	const struct hd_cc_device *device = &merge->collected->devices.data[index];
	int status = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(merge->modules[index]); f; f = LLVMGetNextFunction(f))
		status |= define(merge, device, f);
	for (LLVMValueRef g = LLVMGetFirstGlobal(merge->modules[index]); g; g = LLVMGetNextGlobal(g))
		status |= define(merge, device, g);
	return status;
}

/* The path; relative to the working directory where the compiler worked there, too. */
static const char *file_of(struct merge *merge, LLVMMetadataRef location)
{
	unsigned length, above;
	LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
	const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
	const char *directory = file ? LLVMDIFileGetDirectory(file, &above) : NULL;
	if (!name || !length)
		return NULL;
	bool plain = *name == '/' || !directory || !above ||
		     (strlen(merge->here) == above && !memcmp(merge->here, directory, above));
	return plain ? hd_arena_printf(&merge->cc->arena, "%.*s", (int)length, name)
		     : hd_arena_printf(&merge->cc->arena, "%.*s/%.*s", (int)above, directory, (int)length, name);
}

/* Our headers and clang's define what the language has: the place that counts is where they are used. */
static bool is_builtin(struct merge *merge, const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	return !strncmp(base, "__clang_", 8) || !strncmp(file, merge->cc->include_dir, strlen(merge->cc->include_dir));
}

static struct hd_loc place_of(struct merge *merge, LLVMValueRef inst)
{
	struct hd_loc place = HD_NOWHERE;
	for (LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst); at; at = LLVMDILocationGetInlinedAt(at)) {
		place = (struct hd_loc){file_of(merge, at), LLVMDILocationGetLine(at), LLVMDILocationGetColumn(at)};
		if (place.file && place.line && !is_builtin(merge, place.file))
			break;
	}
	return place.line ? place : HD_NOWHERE;
}

/* The earliest place that uses the value, through constants too; nowhere for a table of functions. */
static struct hd_loc first_use(struct merge *merge, LLVMValueRef value)
{
	struct hd_loc best = HD_NOWHERE;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		struct hd_loc loc = LLVMIsAInstruction(user)	? place_of(merge, user)
				    : LLVMIsAConstantExpr(user) ? first_use(merge, user)
								: HD_NOWHERE;
		if (loc.file && (!best.file || loc.line < best.line))
			best = loc;
	}
	return best;
}

static int check_needs(struct merge *merge, uint32_t index)
{
	const struct hd_cc_device *device = &merge->collected->devices.data[index];
	int status = 0;
	for (uint32_t i = 0; i < device->object.symbol_count; i++) {
		const struct hd_symbol *symbol = &device->object.symbols[i];
		bool function = symbol->kind == HD_SYM_FUNCTION;
		const struct definition *known = definition_of(merge, symbol->name);
		if (symbol->defined || (known && !known->local) || (!function && symbol->space == HD_SPACE_SHARED))
			continue;
		LLVMValueRef value = function ? LLVMGetNamedFunction(merge->modules[index], symbol->name)
					      : LLVMGetNamedGlobal(merge->modules[index], symbol->name);
		if (!value) /* mended */
			continue;
		status = hd_error(&merge->cc->diag, first_use(merge, value), "undefined device %s '%s', needed by %s",
				  function ? "function" : "variable", readable(merge, symbol->name), device->name);
	}
	return status;
}

/* ------------------------------------------------------------ the program */

static int load_all(struct merge *merge)
{
	const struct hd_cc_device *first = NULL;
	int status = 0;
	for (uint32_t i = 0; i < merge->collected->devices.len; i++) {
		const struct hd_cc_device *device = &merge->collected->devices.data[i];
		if (check_target(merge, &first, device) || parse(merge, i))
			return -1;
		mend_statics(merge->modules[i]);
		neutralize_flags(merge, merge->modules[i]);
		keep_register_limit(merge, device, merge->modules[i]);
		status |= define_all(merge, i);
	}
	for (uint32_t i = 0; !status && i < merge->collected->devices.len; i++)
		status |= check_needs(merge, i) ? 2 : 0;
	return status ? -1 : 0;
}

/* PTX kernels by annotation, each with a 1 in the map. */
static void find_kernels(LLVMModuleRef module, struct hd_map *kernels)
{
	unsigned count = LLVMGetNamedMetadataNumOperands(module, "nvvm.annotations"), length;
	LLVMValueRef *nodes = hd_xcalloc(count, sizeof *nodes);
	LLVMGetNamedMetadataOperands(module, "nvvm.annotations", nodes);
	for (unsigned i = 0; i < count; i++) {
		unsigned operands = LLVMGetMDNodeNumOperands(nodes[i]);
		LLVMValueRef *operand = hd_xcalloc(operands, sizeof *operand);
		LLVMGetMDNodeOperands(nodes[i], operand);
		for (unsigned k = 1; operands && operand[0] && k < operands; k += 2) {
			const char *key = operand[k] ? LLVMGetMDString(operand[k], &length) : NULL;
			if (key && length == 6 && !memcmp(key, "kernel", 6))
				hd_map_put(kernels, operand[0], 1, 0);
		}
		free(operand);
	}
	free(nodes);
}

/* What the host cannot name, the optimizer may inline and drop. */
static void internalize(LLVMModuleRef module)
{
	enum { PTX_KERNEL = 71 };
	struct hd_map kernels = {0};
	find_kernels(module, &kernels);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || LLVMGetFunctionCallConv(f) == PTX_KERNEL || hd_map_get(&kernels, f))
			continue;
		LLVMSetLinkage(f, LLVMInternalLinkage);
		LLVMSetVisibility(f, LLVMDefaultVisibility);
	}
	hd_map_release(&kernels);
}

static int join(struct merge *merge, const char *name, const char *path)
{
	LLVMModuleRef whole = merge->modules[0];
	merge->modules[0] = NULL;
	int status = 0;
	for (uint32_t i = 1; !status && i < merge->collected->devices.len; i++) {
		LLVMModuleRef module = merge->modules[i];
		merge->modules[i] = NULL; /* linking consumes it */
		if (LLVMLinkModules2(whole, module))
			status = hd_error(&merge->cc->diag, HD_NOWHERE, "cannot link the device code of %s",
					  merge->collected->devices.data[i].name);
	}
	LLVMSetModuleIdentifier(whole, name, strlen(name));
	LLVMSetSourceFileName(whole, name, strlen(name));
	if (merge->cc->lto)
		internalize(whole);
	if (!status && LLVMWriteBitcodeToFile(whole, path))
		status = hd_error(&merge->cc->diag, HD_NOWHERE, "cannot write %s", path);
	LLVMDisposeModule(whole);
	return status;
}

int hd_llvm_merge(struct hd_cc *cc, const struct hd_cc_collected *collected, const char *name, const char *path)
{
	struct merge merge = {.cc = cc, .collected = collected, .context = LLVMContextCreate()};
	if (!getcwd(merge.here, sizeof merge.here))
		merge.here[0] = '\0';
	LLVMContextSetDiagnosticHandler(merge.context, forward, &merge);
	merge.modules = hd_xcalloc(collected->devices.len, sizeof(LLVMModuleRef));
	int status = load_all(&merge);
	if (!status)
		status = join(&merge, name, path);
	for (uint32_t i = 0; i < collected->devices.len; i++)
		if (merge.modules[i])
			LLVMDisposeModule(merge.modules[i]);
	hd_vec_release(&merge.definitions);
	hd_hash_set_release(&merge.definition_ids);
	free(merge.modules);
	LLVMContextDispose(merge.context);
	return status;
}
