/*
 * The helpers behind calls of __heddle_* (builtins.bc) and the math library behind those of __nv_* (device.bc), both
 * found beside the plugin (../share/heddle) or through HEDDLE_DATA, are linked in; what is not called is removed again.
 * OpenMP's functions are in LLVM's own device library, which is linked where it is installed.
 */
#include "lib/map.h"
#include "passes/legalize/legalize.h"

#include <dlfcn.h>
#include <libgen.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <unistd.h>

static const char prefix[] = "__heddle_";
/* What each library is for, by the beginnings of the names; __cxa_: what stands for functions that are pure or deleted.
 */
static const char *const helpers[] = {prefix, NULL}, *const device[] = {"__nv_", "__cxa_", NULL},
			 *const openmp[] = {"__kmpc_", "omp_", "ompx_", "__llvm_omp_", "llvm_omp_", NULL};

static bool is_of(LLVMValueRef function, const char *const beginnings[])
{
	const char *name = LLVMGetValueName(function);
	while (*beginnings && strncmp(name, *beginnings, strlen(*beginnings)) != 0)
		beginnings++;
	return *beginnings != NULL;
}

static char *library_path(struct hd_legal *legal, const char *name)
{
	struct hd_arena *arena = &legal->unit->arena;
	const char *data = getenv("HEDDLE_DATA");
	if (data && *data)
		return hd_arena_printf(arena, "%s/%s", data, name);
	Dl_info info;
	if (!dladdr(prefix, &info) || !info.dli_fname)
		return NULL;
	return hd_arena_printf(arena, "%s/../share/heddle/%s", dirname(hd_arena_strdup(arena, info.dli_fname)), name);
}

static LLVMModuleRef read_library(struct hd_legal *legal, const char *name)
{
	char *path = strchr(name, '/') ? (char *)name : library_path(legal, name), *message = NULL;
	LLVMMemoryBufferRef buffer = NULL;
	LLVMModuleRef module = NULL;
	if (!path || LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
		hd_error(legal->unit->diag, HD_NOWHERE, "cannot read the device library '%s': %s", path ? path : name,
			 message ? message : "no path");
		LLVMDisposeMessage(message);
		return NULL;
	}
	if (LLVMParseBitcodeInContext2(legal->context, buffer, &module))
		hd_error(legal->unit->diag, HD_NOWHERE, "'%s' is not bitcode of this LLVM", path);
	LLVMDisposeMemoryBuffer(buffer);
	return module;
}

static void drop_attribute(LLVMValueRef function, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				       LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/*
 * What LLVM compares before it inlines one function into another: the library's functions get them from one that the
 * user's compiler made, as clang does for the bitcode that it links.
 */
static void inherit(LLVMValueRef function, LLVMValueRef from)
{
	static const char *const names[] = {"target-cpu", "target-features", "denormal-fp-math",
					    "denormal-fp-math-f32"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		unsigned length = (unsigned)strlen(names[i]);
		LLVMAttributeRef attribute =
			LLVMGetStringAttributeAtIndex(from, LLVMAttributeFunctionIndex, names[i], length);
		LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, names[i], length);
		if (attribute)
			LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
	}
}

/* Whether the helper does nothing but compute: no memory, no other lanes. Operations among lanes have an effect, on
 * memory that nobody reaches. */
static bool is_arithmetic(LLVMValueRef function)
{
	unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
	LLVMAttributeRef effects = LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, memory);
	unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
	return effects && !LLVMGetEnumAttributeValue(effects) &&
	       !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, convergent);
}

/* Helpers of 32-bit operations become part of their caller, as ptxas's fast paths do, and those around the call of
 * another helper; the others stay calls. */
static bool is_inlined(const char *name)
{
	static const char *const around[] = {"sdiv128", "smod128", "smulo128"};
	size_t length = strlen(name), begin = sizeof prefix - 1;
	if (strncmp(name, prefix, begin))
		return false;
	for (unsigned i = 0; i < sizeof around / sizeof *around; i++)
		if (!strcmp(name + begin, around[i]))
			return true;
	return !strcmp(name + length - 2, "32") && strcmp(name + begin, "frem32");
}

static void prepare(struct hd_legal *legal, LLVMValueRef function)
{
	const char *name = LLVMGetValueName(function);
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	drop_attribute(function, "optnone");
	LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "target-cpu", 10);
	LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "target-features", 15);
	if (!is_inlined(name))
		return;
	drop_attribute(function, "noinline");
	LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(legal->context, always, 0));
}

/* libclc says that its table of the bits of 2 / pi, an array of bytes, may begin anywhere, and reads 16 at a time. */
static void align_table(struct hd_legal *legal, LLVMValueRef global)
{
	const unsigned widest = 16;
	if (!LLVMIsDeclaration(global) && LLVMGetAlignment(global) < widest &&
	    LLVMABISizeOfType(legal->layout, LLVMGlobalGetValueType(global)) > widest)
		LLVMSetAlignment(global, widest);
}

/* Removes what is not used, until nothing more falls away; tables that are used get their place. */
static void drop_unused(struct hd_legal *legal, const struct hd_map *before)
{
	bool changed = true;
	while (changed) {
		changed = false;
		LLVMValueRef next;
		for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = next) {
			next = LLVMGetNextFunction(f);
			if (hd_map_get(before, f) || LLVMGetFirstUse(f))
				continue;
			LLVMDeleteFunction(f);
			changed = true;
		}
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(legal->module), next; g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (hd_map_get(before, g))
			continue;
		if (LLVMGetFirstUse(g))
			align_table(legal, g);
		else
			LLVMDeleteGlobal(g);
	}
}

/* Lists of what has to stay: in a library, what nobody calls need not. */
static void drop_used(LLVMModuleRef library)
{
	static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
	for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
		LLVMValueRef list = LLVMGetNamedGlobal(library, lists[i]);
		if (list)
			LLVMDeleteGlobal(list);
	}
}

/*
 * Links the library in, which was read from `file` and is used up; declarations of the names `wanted` are what it is
 * for. like: a function whose attributes the linked ones take over, for the optimizer; NULL: it has done its work.
 */
static int link_module(struct hd_legal *legal, LLVMModuleRef library, const char *file, const char *const wanted[],
		       LLVMValueRef like)
{
	struct hd_map before = {0};
	/* Bodies that the module has already, and everything that is not wanted, stay. */
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) || !is_of(f, wanted))
			hd_map_put(&before, f, 0, 1);
	for (LLVMValueRef g = LLVMGetFirstGlobal(legal->module); g; g = LLVMGetNextGlobal(g))
		hd_map_put(&before, g, 0, 1);
	drop_used(library);
	LLVMSetTarget(library, LLVMGetTarget(legal->module));
	LLVMSetDataLayout(library, LLVMGetDataLayoutStr(legal->module));
	if (LLVMLinkModules2(legal->module, library)) {
		hd_map_release(&before);
		return hd_error(legal->unit->diag, HD_NOWHERE, "cannot link the device library '%s'", file);
	}
	drop_unused(legal, &before);
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && !hd_map_get(&before, f)) {
			prepare(legal, f);
			if (wanted == helpers && is_arithmetic(f))
				hd_mark_helper(f);
			if (like)
				inherit(f, like);
		}
	hd_map_release(&before);
	return 0;
}

/* The same of a path or a file of our own. */
static int link_library(struct hd_legal *legal, const char *file, const char *const wanted[], LLVMValueRef like)
{
	LLVMModuleRef library = read_library(legal, file);
	return library ? link_module(legal, library, file, wanted, like) : -1;
}

int hd_legal_builtins(struct hd_legal *legal)
{
	return link_library(legal, "builtins.bc", helpers, NULL);
}

static int link_device(struct hd_legal *legal, LLVMValueRef like)
{
	const char *given = legal->unit->options.libdevice;
	if (given && !strchr(given, '/'))
		given = hd_arena_printf(&legal->unit->arena, "./%s", given);
	return link_library(legal, given ? given : "device.bc", device, like);
}

int hd_legal_device(struct hd_legal *legal)
{
	return link_device(legal, NULL);
}

/* Whether a name is called that the module lacks, and that the library, if there is one, has. */
static bool calls(LLVMModuleRef module, const char *const beginnings[], LLVMModuleRef library)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || !is_of(f, beginnings))
			continue;
		LLVMValueRef body = library ? LLVMGetNamedFunction(library, LLVMGetValueName(f)) : NULL;
		if (!library || (body && !LLVMIsDeclaration(body)))
			return true;
	}
	return false;
}

bool hd_legal_calls_device(LLVMModuleRef module)
{
	return calls(module, device, NULL);
}

/* ------------------------------------------------------------ OpenMP */

/* LLVM's device library for the newest architecture that is not beyond the target's; NULL: none is installed. */
static const char *openmp_library(struct hd_unit *unit)
{
	enum { OLDEST = 35 };
	char path[sizeof HD_LLVM_LIB + sizeof "/libomptarget-nvptx-sm_0123456789.bc"];
	for (uint32_t number = hd_target_number(hd_unit_target(unit)); number >= OLDEST; number--) {
		snprintf(path, sizeof path, HD_LLVM_LIB "/libomptarget-nvptx-sm_%u.bc", number);
		if (access(path, R_OK) == 0)
			return hd_arena_strdup(&unit->arena, path);
	}
	return NULL;
}

/*
 * LLVM's pass for OpenMP may add calls of these. The library has state, so it cannot be linked again when that pass has
 * run: these functions are linked with the others, and kept until then.
 */
static const char *const introduced[] = {
	"__kmpc_alloc_shared",
	"__kmpc_barrier_simple_generic",
	"__kmpc_barrier_simple_spmd",
	"__kmpc_free_shared",
	"__kmpc_get_hardware_num_threads_in_block",
	"__kmpc_get_hardware_thread_id_in_block",
	"__kmpc_get_warp_size",
	"__kmpc_is_spmd_exec_mode",
	"__kmpc_kernel_end_parallel",
	"__kmpc_kernel_parallel",
	"__kmpc_parallel_level",
};

enum { INTRODUCED = sizeof introduced / sizeof *introduced };

/*
 * Metadata of a module that the library is linked into: its operands are the lists of the functions that are kept. The
 * list's own name says nothing, since the program may have a variable of that name.
 */
static const char kept[] = "heddle.openmp";

static void declare_introduced(struct hd_legal *legal, LLVMValueRef list[INTRODUCED])
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(legal->context), NULL, 0, false);
	for (unsigned i = 0; i < INTRODUCED; i++) {
		list[i] = LLVMGetNamedFunction(legal->module, introduced[i]);
		if (!list[i])
			list[i] = LLVMAddFunction(legal->module, introduced[i], type);
	}
}

static const char used[] = "llvm.compiler.used";

/* What has to stay in the module. A list that is only declared is empty. */
static LLVMValueRef *used_entries(struct hd_legal *legal, unsigned more, unsigned *count)
{
	LLVMValueRef list = LLVMGetNamedGlobal(legal->module, used);
	LLVMValueRef array = list ? LLVMGetInitializer(list) : NULL;
	*count = array && LLVMIsAConstantArray(array) ? (unsigned)LLVMGetNumOperands(array) : 0;
	LLVMValueRef *entries = HD_ARENA_NEW(&legal->unit->arena, LLVMValueRef, *count + more);
	for (unsigned i = 0; i < *count; i++)
		entries[i] = LLVMGetOperand(array, i);
	return entries;
}

static void set_used(struct hd_legal *legal, LLVMValueRef *entries, unsigned count)
{
	LLVMValueRef old = LLVMGetNamedGlobal(legal->module, used);
	LLVMValueRef array = LLVMConstArray2(LLVMPointerTypeInContext(legal->context, 0), entries, count);
	LLVMValueRef list = LLVMAddGlobal(legal->module, LLVMTypeOf(array), "");
	LLVMSetInitializer(list, array);
	LLVMSetLinkage(list, LLVMAppendingLinkage);
	LLVMSetSection(list, "llvm.metadata");
	if (old) {
		LLVMReplaceAllUsesWith(old, list);
		LLVMDeleteGlobal(old);
	}
	LLVMSetValueName2(list, used, sizeof used - 1);
}

/* The list of what LLVM may call, among what has to stay. */
static void keep(struct hd_legal *legal, LLVMValueRef functions[INTRODUCED])
{
	LLVMValueRef array = LLVMConstArray2(LLVMPointerTypeInContext(legal->context, 0), functions, INTRODUCED);
	LLVMValueRef list = LLVMAddGlobal(legal->module, LLVMTypeOf(array), kept);
	LLVMSetInitializer(list, array);
	LLVMSetLinkage(list, LLVMInternalLinkage);
	LLVMSetGlobalConstant(list, true);
	unsigned count;
	LLVMValueRef *stay = used_entries(legal, 1, &count);
	stay[count] = list;
	set_used(legal, stay, count + 1);
	LLVMMetadataRef operand = LLVMValueAsMetadata(list);
	LLVMAddNamedMetadataOperand(legal->module, kept,
				    LLVMMetadataAsValue(legal->context,
							LLVMMDNodeInContext2(legal->context, &operand, 1)));
}

/* What the library calls and LLVM 19 has for other targets alone; builtins.bc has it. */
static const struct {
	const char *name, *helper;
} lacking[] = {
	{"_ZN4impl15setCriticalLockEP10omp_lock_t", "__heddle_lock"},
	{"_ZN4impl17unsetCriticalLockEP10omp_lock_t", "__heddle_unlock"},
};

static void supply_lacking(LLVMModuleRef module)
{
	for (unsigned i = 0; i < sizeof lacking / sizeof *lacking; i++) {
		LLVMValueRef function = LLVMGetNamedFunction(module, lacking[i].name);
		LLVMValueRef helper = LLVMGetNamedFunction(module, lacking[i].helper);
		if (!function || !LLVMIsDeclaration(function))
			continue;
		if (helper) { /* of a module that was linked in */
			LLVMReplaceAllUsesWith(function, helper);
			LLVMDeleteFunction(function);
		} else {
			LLVMSetValueName2(function, lacking[i].helper, strlen(lacking[i].helper));
		}
	}
}

/*
 * What is not installed stays undefined; selection says what defines it. So does what the library lacks. In a module
 * that the library is linked into already, its state would be there twice.
 */
static int link_openmp(struct hd_legal *legal, LLVMValueRef like)
{
	LLVMValueRef list[INTRODUCED];
	bool linked = LLVMGetNamedMetadataNumOperands(legal->module, kept) > 0;
	const char *path = !linked && calls(legal->module, openmp, NULL) ? openmp_library(legal->unit) : NULL;
	LLVMModuleRef library = path ? read_library(legal, path) : NULL;
	if (!library)
		return path ? -1 : 0;
	if (!calls(legal->module, openmp, library)) {
		LLVMDisposeModule(library);
		return 0;
	}
	if (like) {
		declare_introduced(legal, list);
		keep(legal, list);
	}
	int status = link_module(legal, library, path, openmp, like);
	supply_lacking(legal->module);
	return status;
}

int hd_legal_openmp(struct hd_legal *legal)
{
	int status = link_openmp(legal, NULL);
	for (unsigned i = 0; i < sizeof lacking / sizeof *lacking; i++) {
		LLVMValueRef function = LLVMGetNamedFunction(legal->module, lacking[i].helper);
		legal->needs_builtins |= function && LLVMIsDeclaration(function);
	}
	return status;
}

/* Whether it is one of the lists that a module's metadata names. */
static bool is_kept(LLVMValueRef value, LLVMValueRef *nodes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef list = NULL;
		if (LLVMGetMDNodeNumOperands(nodes[i]) == 1)
			LLVMGetMDNodeOperands(nodes[i], &list);
		if (list == value)
			return true;
	}
	return false;
}

bool hd_legal_release_openmp(struct hd_legal *legal)
{
	unsigned nodes = LLVMGetNamedMetadataNumOperands(legal->module, kept), count, left = 0;
	if (!nodes)
		return false;
	LLVMValueRef *lists = HD_ARENA_NEW(&legal->unit->arena, LLVMValueRef, nodes);
	LLVMGetNamedMetadataOperands(legal->module, kept, lists);
	LLVMValueRef *entries = used_entries(legal, 1, &count);
	for (unsigned i = 0; i < count; i++)
		if (!is_kept(entries[i], lists, nodes))
			entries[left++] = entries[i];
	if (left < count)
		set_used(legal, entries, left);
	return left < count;
}

bool hd_lacks_openmp(struct hd_unit *unit, LLVMValueRef value)
{
	return LLVMIsAFunction(value) && is_of(value, openmp) && !openmp_library(unit);
}

/* ------------------------------------------------------------ before LLVM's passes */

/* A toolkit's library asks about the target; LLVM's own pass that answers has run. */
static void answer_reflection(struct hd_legal *legal)
{
	LLVMValueRef reflect = LLVMGetNamedFunction(legal->module, "__nvvm_reflect");
	LLVMUseRef next;
	for (LLVMUseRef use = reflect ? LLVMGetFirstUse(reflect) : NULL; use; use = next) {
		next = LLVMGetNextUse(use);
		struct hd_site site = {.legal = legal, .inst = LLVMGetUser(use)};
		if (!LLVMIsACallInst(site.inst))
			continue;
		LLVMReplaceAllUsesWith(site.inst, hd_legal_reflect(&site));
		LLVMInstructionEraseFromParent(site.inst);
	}
}

void hd_legal_link_early(struct hd_unit *unit)
{
	struct hd_legal legal = {.unit = unit,
				 .module = unit->source,
				 .context = LLVMGetModuleContext(unit->source),
				 .layout = LLVMGetModuleDataLayout(unit->source)};
	LLVMValueRef like = LLVMGetFirstFunction(legal.module);
	while (like && LLVMIsDeclaration(like))
		like = LLVMGetNextFunction(like);
	if (!like || link_openmp(&legal, like))
		return;
	if (hd_legal_calls_device(legal.module) && !link_device(&legal, like))
		answer_reflection(&legal);
}
