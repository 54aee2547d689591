/*
 * Symbols, device variables and their initialisers. Variables of the global and generic address
 * spaces lie in .data or .bss, constant ones in .rodata; shared ones get their offsets in
 * shared.c.
 */
#include "passes/select/select.h"

#include "passes/select/globals.h"

/* ------------------------------------------------------------------ initialisers */

struct hd_image {
	struct hd_unit *unit;
	struct hd_map *symbols;
	LLVMTargetDataRef layout;
	uint8_t *bytes; /* of the variable */
	uint32_t base;	/* its offset in the section */
	hd_relocs *relocs;
	bool failed;
};

static void put(struct hd_image *image, uint64_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		image->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void put_scalar(struct hd_image *image, LLVMValueRef value, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned bytes = (unsigned)LLVMStoreSizeOfType(image->layout, type);
	uint64_t words[2];
	if (hd_const_int(value, words)) {
		put(image, at, words[0], bytes < 8 ? bytes : 8);
		if (bytes > 8)
			put(image, at + 8, words[1], bytes - 8);
		return;
	}
	if (LLVMIsAConstantFP(value) && bytes <= 8) {
		LLVMTypeRef bits = LLVMIntTypeInContext(LLVMGetTypeContext(type), 8 * bytes);
		put(image, at, LLVMConstIntGetZExtValue(LLVMConstBitCast(value, bits)), bytes);
		return;
	}
	struct hd_const_addr address;
	if (bytes == 8 && hd_const_address(image->layout, value, &address)) {
		const struct hd_map_entry *symbol = address.global ? hd_map_get(image->symbols, address.global) : NULL;
		if (!address.global) {
			put(image, at, address.addend, 8);
			return;
		}
		if (symbol) {
			hd_vec_push(image->relocs,
				    (struct hd_reloc){HD_REL_ABS64, symbol->start, image->base + (uint32_t)at,
						      (int64_t)address.addend});
			return;
		}
	}
	image->failed = true;
}

/* Elements that fill no bytes lie bit by bit, the first lowest. */
static void put_bits(struct hd_image *image, LLVMValueRef vector, uint64_t at, uint64_t width)
{
	for (unsigned i = 0, n = LLVMGetVectorSize(LLVMTypeOf(vector)); i < n; i++) {
		LLVMValueRef element = LLVMGetAggregateElement(vector, i);
		if (LLVMIsUndef(element)) /* poison, too */
			continue;
		uint64_t words[2];
		if (!hd_const_int(element, words)) {
			image->failed = true;
			return;
		}
		for (uint64_t bit = 0; bit < width; bit++)
			if (words[bit / 64] >> bit % 64 & 1)
				image->bytes[at + (i * width + bit) / 8] |= (uint8_t)(1u << (i * width + bit) % 8);
	}
}

/* More bits than hd_const_int reads, byte by byte; a builder folds constants. */
static void put_wide(struct hd_image *image, LLVMValueRef value, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMContextRef context = LLVMGetTypeContext(type);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	for (unsigned bit = 0; bit < LLVMGetIntTypeWidth(type); bit += 8) {
		LLVMValueRef moved = LLVMBuildLShr(builder, value, LLVMConstInt(type, bit, 0), "");
		LLVMValueRef byte = LLVMBuildTrunc(builder, moved, LLVMInt8TypeInContext(context), "");
		if (LLVMIsAConstantInt(byte))
			image->bytes[at + bit / 8] = (uint8_t)LLVMConstIntGetZExtValue(byte);
	}
	LLVMDisposeBuilder(builder);
}

static void put_constant(struct hd_image *image, LLVMValueRef value, uint64_t at)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	uint64_t stride = 0;
	if (LLVMIsNull(value) || LLVMIsUndef(value) || LLVMIsPoison(value))
		return;
	if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(type) > 128) {
		put_wide(image, value, at);
		return;
	}
	if (hd_is_scalar(type)) {
		put_scalar(image, value, at);
		return;
	}
	if (kind == LLVMStructTypeKind) {
		for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
			put_constant(image, LLVMGetAggregateElement(value, i),
				     at + LLVMOffsetOfElement(image->layout, type, i));
		return;
	}
	if (LLVMIsConstantString(value)) {
		size_t length = 0;
		const char *text = LLVMGetAsString(value, &length);
		memcpy(image->bytes + at, text, length);
		return;
	}
	uint64_t count;
	if (kind == LLVMVectorTypeKind) {
		count = LLVMGetVectorSize(type);
		stride = LLVMSizeOfTypeInBits(image->layout, LLVMGetElementType(type));
		if (stride % 8) {
			put_bits(image, value, at, stride);
			return;
		}
		stride /= 8;
	} else {
		count = LLVMGetArrayLength2(type);
		stride = LLVMABISizeOfType(image->layout, LLVMGetElementType(type));
	}
	for (uint64_t i = 0; i < count; i++)
		put_constant(image, LLVMGetAggregateElement(value, (unsigned)i), at + i * stride);
}

/* ------------------------------------------------------------------ symbols */

static bool is_local_linkage(LLVMValueRef value)
{
	LLVMLinkage linkage = LLVMGetLinkage(value);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

static bool is_syscall(const char *name)
{
	for (unsigned i = 0; i < HD_SYS_COUNT; i++)
		if (!strcmp(hd_syscall_name((enum hd_syscall)i), name))
			return true;
	return false;
}

static void name_if_unnamed(LLVMValueRef value, unsigned *next)
{
	size_t length = 0;
	LLVMGetValueName2(value, &length);
	if (length)
		return;
	char name[40];
	snprintf(name, sizeof name, "__heddle_unnamed.%u", (*next)++);
	LLVMSetValueName2(value, name, strlen(name));
}

/* The earliest place where the value is used, by line. */
static struct hd_loc first_use(struct hd_unit *unit, LLVMValueRef value)
{
	struct hd_loc best = HD_NOWHERE;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		struct hd_loc loc = LLVMIsAInstruction(user)	? hd_ir_loc(unit, user)
				    : LLVMIsAConstantExpr(user) ? first_use(unit, user)
								: HD_NOWHERE;
		if (loc.file && (!best.file || loc.line < best.line))
			best = loc;
	}
	return best;
}

/* Valid until the next symbol. */
static struct hd_symbol *add_symbol(struct hd_globals *globals, LLVMValueRef value, enum hd_symkind kind)
{
	struct hd_symbol symbol = {.name = hd_arena_strdup(&globals->unit->arena, LLVMGetValueName(value)),
				   .kind = kind,
				   .global = !is_local_linkage(value)};
	hd_vec_push(&globals->symbols, symbol);
	hd_map_put(&globals->map, value, globals->symbols.len - 1, 1);
	return &hd_vec_last(&globals->symbols);
}

/* What would define the function, if that is known: it follows on a message. */
static const char *where_from(struct hd_globals *globals, LLVMValueRef value)
{
	if (!hd_lacks_openmp(globals->unit, value))
		return "";
	return hd_arena_printf(
		&globals->unit->arena,
		"; functions of such names are in LLVM's device library for OpenMP, which is not installed "
		"for %s (Debian: libomp-%d-dev)",
		hd_unit_target(globals->unit), LLVM_VERSION_MAJOR);
}

/*
 * Another module may define it, unless the front end said that this one is the whole program. The steps that follow
 * ask whether the code is relocatable; those before do not.
 */
static int undefined(struct hd_globals *globals, LLVMValueRef value, const char *what)
{
	struct hd_unit *unit = globals->unit;
	if (!LLVMGetFirstUse(value) || (unit->options.relocatable && !globals->missing_count))
		return 0;
	const char *from = where_from(globals, value);
	if (unit->options.whole_program)
		return hd_error(unit->diag, first_use(unit, value), "undefined %s '%s'%s", what,
				LLVMGetValueName(value), from);
	if (!globals->missing_count++ || (*from && !*globals->missing_from)) {
		globals->missing = value;
		globals->missing_what = what;
		globals->missing_from = from;
	}
	unit->options.relocatable = true;
	return 0;
}

/* One note for all that other modules have to define. */
static void note_missing(const struct hd_globals *globals)
{
	uint32_t more = globals->missing_count - 1;
	if (!globals->missing_count)
		return;
	const char *also = more ? hd_arena_printf(&globals->unit->arena, " and %u more", more) : "";
	hd_note(globals->unit->diag, HD_NOWHERE,
		"undefined %s '%s'%s: the code is relocatable, and another module must define what this one lacks%s",
		globals->missing_what, LLVMGetValueName(globals->missing), also, globals->missing_from);
}

static int add_functions(struct hd_globals *globals)
{
	struct hd_unit *unit = globals->unit;
	HD_VEC(struct hd_function) functions = {0};
	unsigned unnamed = 0;
	int status = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
		name_if_unnamed(f, &unnamed);
		const char *name = LLVMGetValueName(f);
		if (LLVMGetIntrinsicID(f) || !strncmp(name, "llvm.", 5))
			continue;
		if (LLVMIsDeclaration(f)) {
			if (is_syscall(name) || !LLVMGetFirstUse(f))
				continue;
			if (undefined(globals, f, "function"))
				status = -1;
			add_symbol(globals, f, HD_SYM_FUNCTION);
			continue;
		}
		struct hd_symbol *symbol = add_symbol(globals, f, HD_SYM_FUNCTION);
		symbol->defined = true;
		symbol->function = functions.len;
		hd_vec_push(&functions, (struct hd_function){.name = symbol->name, .kernel = hd_is_kernel(unit, f)});
	}
	unit->object.function_count = functions.len;
	unit->object.functions = HD_ARENA_NEW(&unit->arena, struct hd_function, functions.len + 1);
	if (functions.len)
		memcpy(unit->object.functions, functions.data, functions.len * sizeof(struct hd_function));
	hd_vec_release(&functions);
	return status;
}

static int variable_space(unsigned address_space, enum hd_space *space)
{
	switch (address_space) {
	case HD_AS_GENERIC:
	case HD_AS_GLOBAL: *space = HD_SPACE_GLOBAL; return 0;
	case HD_AS_CONST: *space = HD_SPACE_CONSTANT; return 0;
	case HD_AS_SHARED: *space = HD_SPACE_SHARED; return 0;
	default: return -1;
	}
}

static bool is_defined(LLVMValueRef global)
{
	return !LLVMIsDeclaration(global) && LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage;
}

static bool is_managed(struct hd_unit *unit, LLVMValueRef global)
{
	const char *section = LLVMGetSection(global); /* as host_defines.h marks it: clang 19 has no attribute for it */
	return hd_annotation(unit, global, "managed") != 0 || (section && !strcmp(section, "heddle_managed"));
}

/*
 * nvcc's front end defines what a program of one source only declares: `extern "C" __device__ int x[16];`. Not so
 * arrays without a size, and not managed variables here, of which the host would have its own.
 */
static void define_extern(struct hd_globals *globals, LLVMValueRef global)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	if (!globals->unit->options.whole_program || globals->unit->options.relocatable || !LLVMTypeIsSized(type) ||
	    !LLVMABISizeOfType(globals->layout, type) || is_managed(globals->unit, global))
		return;
	hd_warning(globals->unit->diag, first_use(globals->unit, global),
		   "variable '%s' is declared extern, but defined nowhere; it is defined here as zero",
		   LLVMGetValueName(global));
	LLVMSetInitializer(global, LLVMConstNull(type));
	LLVMSetLinkage(global, LLVMExternalLinkage);
}

static int add_variable(struct hd_globals *globals, LLVMValueRef global)
{
	struct hd_unit *unit = globals->unit;
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	if (LLVMIsDeclaration(global) && LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != HD_AS_SHARED)
		define_extern(globals, global);
	struct hd_symbol *symbol = add_symbol(globals, global, HD_SYM_VARIABLE);
	unsigned align = LLVMGetAlignment(global);
	if (variable_space(LLVMGetPointerAddressSpace(LLVMTypeOf(global)), &symbol->space))
		return hd_error(unit->diag, first_use(unit, global), "unsupported address space of variable '%s'",
				symbol->name);
	symbol->defined = is_defined(global);
	symbol->size = LLVMTypeIsSized(type) ? LLVMABISizeOfType(globals->layout, type) : 0;
	symbol->align = align ? align : LLVMABIAlignmentOfType(globals->layout, type);
	symbol->managed = is_managed(unit, global);
	if (symbol->size > UINT32_MAX)
		return hd_error(unit->diag, HD_NOWHERE, "variable '%s' of %llu bytes is too large", symbol->name,
				(unsigned long long)symbol->size);
	if (!symbol->defined && symbol->space != HD_SPACE_SHARED)
		return undefined(globals, global, "variable");
	return 0;
}

static int add_variables(struct hd_globals *globals)
{
	unsigned unnamed = 0;
	int status = 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(globals->unit->module); g; g = LLVMGetNextGlobal(g)) {
		name_if_unnamed(g, &unnamed);
		const char *name = LLVMGetValueName(g);
		if (!strcmp(name, "llvm.global_ctors") || !strcmp(name, "llvm.global_dtors")) {
			if (LLVMGetNumOperands(LLVMGetInitializer(g)))
				status = hd_error(globals->unit->diag, HD_NOWHERE,
						  "unsupported dynamic initialisation of device variables");
			continue;
		}
		if (!strncmp(name, "llvm.", 5) || (!is_defined(g) && !LLVMGetFirstUse(g)))
			continue;
		if (add_variable(globals, g))
			status = -1;
	}
	return status;
}

/* ------------------------------------------------------------------ sections */

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

/* Zeroed variables of the global space take no bytes in the file. */
static bool is_zero(LLVMValueRef global)
{
	LLVMValueRef init = LLVMGetInitializer(global);
	return !init || LLVMIsNull(init) || LLVMIsUndef(init);
}

/* What a card has, and ptxas and nvlink hold a program to, in their words (CUDA guide, Compute Capabilities). */
#define SHARED_BYTES 0xc000 /* shared variables of a kernel; more can only be dynamic */

static int check_sizes(struct hd_globals *globals, uint64_t constants)
{
	const struct hd_object *object = &globals->unit->object;
	int status = 0;
	if (constants > HD_CONSTANT_BYTES)
		status = hd_error(globals->unit->diag, HD_NOWHERE,
				  "file uses too much global constant data (0x%llx bytes, 0x%x max)",
				  (unsigned long long)constants, HD_CONSTANT_BYTES);
	for (uint32_t i = 0; i < object->function_count; i++)
		if (object->functions[i].kernel && object->functions[i].shared_bytes > SHARED_BYTES)
			status = hd_error(globals->unit->diag, HD_NOWHERE,
					  "entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)",
					  object->functions[i].name, object->functions[i].shared_bytes, SHARED_BYTES);
	return status;
}

static int place_variables(struct hd_globals *globals, uint64_t sizes[3])
{
	sizes[0] = sizes[1] = sizes[2] = 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(globals->unit->module); g; g = LLVMGetNextGlobal(g)) {
		const struct hd_map_entry *entry = hd_map_get(&globals->map, g);
		struct hd_symbol *symbol = entry ? &globals->symbols.data[entry->start] : NULL;
		if (!symbol || !symbol->defined || symbol->space == HD_SPACE_SHARED)
			continue;
		symbol->bss = symbol->space == HD_SPACE_GLOBAL && is_zero(g);
		uint64_t *at = &sizes[symbol->bss ? 2 : symbol->space == HD_SPACE_CONSTANT];
		*at = align_up(*at, symbol->align);
		symbol->section_offset = (uint32_t)*at;
		*at += symbol->size;
		if (*at > UINT32_MAX)
			return hd_error(globals->unit->diag, HD_NOWHERE, "device variables exceed 4 GiB");
	}
	return check_sizes(globals, sizes[1]);
}

static int fill_sections(struct hd_globals *globals)
{
	struct hd_object *object = &globals->unit->object;
	int status = 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(globals->unit->module); g; g = LLVMGetNextGlobal(g)) {
		const struct hd_map_entry *entry = hd_map_get(&globals->map, g);
		struct hd_symbol *symbol = entry ? &globals->symbols.data[entry->start] : NULL;
		struct hd_image image = {.unit = globals->unit, .symbols = &globals->map, .layout = globals->layout};
		if (!symbol || !symbol->defined || symbol->space == HD_SPACE_SHARED || symbol->bss || is_zero(g))
			continue;
		image.bytes =
			(symbol->space == HD_SPACE_CONSTANT ? object->rodata : object->data) + symbol->section_offset;
		image.base = symbol->section_offset;
		image.relocs = symbol->space == HD_SPACE_CONSTANT ? &globals->rodata_relocs : &globals->data_relocs;
		put_constant(&image, LLVMGetInitializer(g), 0);
		if (image.failed)
			status = hd_error(globals->unit->diag, first_use(globals->unit, g),
					  "unsupported initialiser of '%s'", symbol->name);
	}
	return status;
}

static struct hd_reloc *keep_relocs(struct hd_globals *globals, const hd_relocs *relocs, uint32_t *count)
{
	struct hd_reloc *kept = HD_ARENA_NEW(&globals->unit->arena, struct hd_reloc, relocs->len + 1);
	if (relocs->len)
		memcpy(kept, relocs->data, relocs->len * sizeof(*kept));
	*count = relocs->len;
	return kept;
}

static int build_sections(struct hd_globals *globals)
{
	struct hd_object *object = &globals->unit->object;
	struct hd_arena *arena = &globals->unit->arena;
	uint64_t sizes[3];
	if (place_variables(globals, sizes))
		return -1;
	object->data = hd_arena_alloc(arena, sizes[0] + 1);
	object->data_bytes = (uint32_t)sizes[0];
	object->rodata = hd_arena_alloc(arena, sizes[1] + 1);
	object->rodata_bytes = (uint32_t)sizes[1];
	object->bss_bytes = (uint32_t)sizes[2];
	if (fill_sections(globals))
		return -1;
	object->data_relocs = keep_relocs(globals, &globals->data_relocs, &object->data_reloc_count);
	object->rodata_relocs = keep_relocs(globals, &globals->rodata_relocs, &object->rodata_reloc_count);
	return 0;
}

int hd_globals_run(struct hd_unit *unit)
{
	struct hd_globals globals = {.unit = unit, .layout = LLVMGetModuleDataLayout(unit->module)};
	globals.map.arena = &unit->arena;
	int status = add_functions(&globals);
	if (add_variables(&globals))
		status = -1;
	note_missing(&globals);
	if (!status)
		hd_layout_shared(&globals);
	unit->object.symbols = HD_ARENA_NEW(&unit->arena, struct hd_symbol, globals.symbols.len + 1);
	if (!status)
		status = build_sections(&globals);
	if (globals.symbols.len)
		memcpy(unit->object.symbols, globals.symbols.data, globals.symbols.len * sizeof(struct hd_symbol));
	unit->object.symbol_count = globals.symbols.len;
	hd_vec_release(&globals.symbols);
	hd_vec_release(&globals.data_relocs);
	hd_vec_release(&globals.rodata_relocs);
	unit->symbols = globals.map;
	return status;
}
