/*
 * Inline PTX as IR: the variables of a text. Those in local and parameter memory are stack objects, those in shared,
 * global and constant memory are the module's, for each piece of assembly its own; names that the text does not declare
 * are the program's variables, functions, and the parameters of the kernel around it, which have no address here.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/legalize/asm.h"

/* ------------------------------------------------------------------ parameters of the kernel */

/* The parameter that "<kernel>_param_2" names; UINT32_MAX: none. */
static unsigned parameter_named(value kernel, const char *name)
{
	size_t length;
	const char *of = LLVMGetValueName2(kernel, &length);
	static const char infix[] = "_param_";
	char *end;
	if (strncmp(name, of, length) != 0 || strncmp(name + length, infix, sizeof infix - 1) != 0)
		return UINT32_MAX;
	const char *digits = name + length + sizeof infix - 1;
	unsigned long index = strtoul(digits, &end, 10);
	return end != digits && !*end && index < LLVMCountParams(kernel) ? (unsigned)index : UINT32_MAX;
}

unsigned hd_asm_take_parameters(struct hd_asm *a, value *args, LLVMTypeRef *types, unsigned room)
{
	value kernel = LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->site.inst));
	unsigned count = 0, index, kind = LLVMGetEnumAttributeKindForName("byval", 5);
	for (uint32_t i = 0; i < a->text.variables.len && hd_is_kernel(a->site.legal->unit, kernel); i++) {
		struct hd_ptx_variable *variable = &a->text.variables.data[i];
		if (variable->place != HD_PTX_PROGRAM || count == room)
			continue;
		index = parameter_named(kernel, a->text.regs.data[variable->reg].name);
		if (index == UINT32_MAX)
			continue;
		LLVMAttributeRef by_value = LLVMGetEnumAttributeAtIndex(kernel, index + 1, kind);
		args[count] = LLVMGetParam(kernel, index);
		types[count] = LLVMTypeOf(args[count]);
		variable->place = HD_PTX_ENTRY;
		variable->bytes = LLVMABISizeOfType(a->site.legal->layout,
						    by_value ? LLVMGetTypeAttributeValue(by_value) : types[count]);
		variable->align = by_value ? 1 : 0;
		count++;
	}
	return count;
}

/* A parameter by value is memory already. */
static value place_parameter(struct hd_asm *a, const struct hd_ptx_variable *variable, value given)
{
	if (variable->align)
		return given;
	value object = LLVMBuildAlloca(a->site.builder, LLVMTypeOf(given), "");
	LLVMBuildStore(a->site.builder, given, object);
	return object;
}

/* Parameters are read, stored and handed on by name. */
static bool may_name_parameter(const struct hd_ptx_statement *statement)
{
	return !strcmp(statement->parts[0], "call") ||
	       ((!strcmp(statement->parts[0], "ld") || !strcmp(statement->parts[0], "st")) &&
		statement->part_count > 1 && !strncmp(statement->parts[1], "param", 5));
}

static void check_parameter(struct hd_asm *a, const struct hd_ptx_variable *variable)
{
	for (uint32_t i = 0; i < a->statements.len; i++)
		for (unsigned k = 0; k < a->statements.data[i].ref_count; k++)
			if (a->text.refs.data[a->statements.data[i].first_ref + k].reg == variable->reg &&
			    !may_name_parameter(&a->statements.data[i])) {
				a->now = &a->statements.data[i];
				hd_asm_error(a, "the address of a parameter cannot be taken");
			}
}

/* ------------------------------------------------------------------ variables of the module */

/* What "v" of an initial value is; NULL: an error has been reported. */
static value named_in_value(struct hd_asm *a, uint32_t reg)
{
	value at = NULL;
	for (uint32_t i = 0; i < a->places.len; i++) {
		enum hd_ptx_place place = a->text.variables.data[i].place;
		if (a->text.variables.data[i].reg == reg &&
		    (place == HD_PTX_GLOBAL || place == HD_PTX_CONST || place == HD_PTX_PROGRAM))
			at = a->places.data[i];
	}
	if (!at)
		hd_asm_error(a, "initial value '%s' is neither a variable in global or constant memory nor a function",
			     a->text.regs.data[reg].name);
	return at;
}

/* The bytes of a masked address stand all eight in order: they are one address. Returns how many of the list's it is.
 */
static uint32_t whole_address(struct hd_asm *a, const struct hd_ptx_address *list, uint32_t count)
{
	if (list->bytes != 1)
		return 1;
	for (uint32_t i = 0; i < 8; i++)
		if (i >= count || list[i].bytes != 1 || list[i].shift != 8 * i || list[i].at != list->at + i ||
		    list[i].reg != list->reg || list[i].offset != list->offset || list[i].generic != list->generic) {
			hd_asm_error(a, "the eight bytes of an address stand together, the lowest first");
			return count;
		}
	return 8;
}

static value bytes_of(struct hd_asm *a, const uint8_t *from, uint64_t count, uint64_t known)
{
	LLVMContextRef context = a->site.legal->context;
	uint8_t *bytes = hd_arena_alloc(&a->site.legal->unit->arena, count + 1);
	memset(bytes, 0, count);
	if (known)
		memcpy(bytes, from, known < count ? known : count);
	return LLVMConstStringInContext2(context, (const char *)bytes, count, true);
}

/* A packed structure of bytes and addresses in turns. */
static value initial_of(struct hd_asm *a, const struct hd_ptx_variable *variable)
{
	LLVMContextRef context = a->site.legal->context;
	LLVMTypeRef word = int_type(&a->site, 64);
	HD_VEC(value) parts = {0};
	uint64_t at = 0, end, known = variable->initial.len;
	for (uint32_t i = 0, count; i <= variable->addresses.len && !a->failed; i += count) {
		const struct hd_ptx_address *address = &variable->addresses.data[i];
		bool last = i == variable->addresses.len;
		end = last ? variable->bytes : address->at;
		count = 1;
		if (end > at)
			hd_vec_push(&parts, bytes_of(a, known > at ? variable->initial.data + at : NULL, end - at,
						     known > at ? known - at : 0));
		if (last)
			break;
		value named = named_in_value(a, address->reg);
		count = whole_address(a, address, variable->addresses.len - i);
		if (a->failed)
			break;
		named = LLVMConstPtrToInt(named, word);
		hd_vec_push(&parts, LLVMConstAdd(named, LLVMConstInt(word, (uint64_t)address->offset, true)));
		at = address->at + 8;
	}
	value out = parts.len == 1 ? parts.data[0] : LLVMConstStructInContext(context, parts.data, parts.len, true);
	hd_vec_release(&parts);
	return out;
}

static value place_module_variable(struct hd_asm *a, const struct hd_ptx_variable *variable)
{
	/* No variable of the program has such a name, and no other text takes it for one. */
	const char *name =
		hd_arena_printf(&a->site.legal->unit->arena, "asm.%s", a->text.regs.data[variable->reg].name);
	bool shared = variable->place == HD_PTX_SHARED;
	LLVMTypeRef type = LLVMArrayType2(int_type(&a->site, 8), variable->bytes);
	value initial = shared			? LLVMGetUndef(type)
			: variable->initial.len ? initial_of(a, variable)
						: LLVMConstNull(type);
	value at = LLVMAddGlobalInAddressSpace(a->site.legal->module, LLVMTypeOf(initial), name,
					       shared				  ? HD_AS_SHARED
					       : variable->place == HD_PTX_GLOBAL ? HD_AS_GLOBAL
										  : HD_AS_CONST);
	LLVMSetLinkage(at, LLVMInternalLinkage);
	LLVMSetInitializer(at, initial);
	LLVMSetAlignment(at, variable->align);
	return at;
}

/* ------------------------------------------------------------------ all */

static value program_variable(struct hd_asm *a, const struct hd_ptx_variable *variable)
{
	const char *name = a->text.regs.data[variable->reg].name;
	bool used = false;
	value at = LLVMGetNamedGlobal(a->site.legal->module, name);
	for (uint32_t i = 0; !at && i < a->statements.len; i++)
		for (unsigned k = 0; k < a->statements.data[i].ref_count; k++)
			if (a->text.refs.data[a->statements.data[i].first_ref + k].reg == variable->reg) {
				a->now = &a->statements.data[i];
				used = true;
			}
	if (used)
		hd_asm_error(a, "unknown name '%s'", name);
	return at ? at : LLVMGetNamedFunction(a->site.legal->module, name);
}

static value local_object(struct hd_asm *a, const struct hd_ptx_variable *variable)
{
	value object = LLVMBuildAlloca(a->site.builder, LLVMArrayType2(int_type(&a->site, 8), variable->bytes), "");
	LLVMSetAlignment(object, variable->align);
	return object;
}

/* The address in its space, as the slot's 64 bits. */
static void keep_address(struct hd_asm *a, const struct hd_ptx_variable *variable, value at)
{
	if (variable->place == HD_PTX_LOCAL)
		at = LLVMBuildAddrSpaceCast(a->site.builder, at,
					    LLVMPointerTypeInContext(a->site.legal->context, HD_AS_LOCAL), "");
	unsigned bits = hd_scalar_bits(LLVMTypeOf(at));
	bool narrow = variable->place == HD_PTX_LOCAL || variable->place == HD_PTX_SHARED;
	at = LLVMBuildPtrToInt(a->site.builder, at, int_type(&a->site, narrow ? 32 : bits), "");
	LLVMBuildStore(a->site.builder, cast(&a->site, at, 64, false), a->slots.data[variable->reg]);
}

void hd_asm_place_variables(struct hd_asm *a)
{
	unsigned next = a->given;
	for (uint32_t i = 0; i < a->text.variables.len && !a->failed; i++) {
		const struct hd_ptx_variable *variable = &a->text.variables.data[i];
		value place = NULL;
		switch (variable->place) {
		case HD_PTX_LOCAL:
		case HD_PTX_PARAM: place = local_object(a, variable); break;
		case HD_PTX_ENTRY: place = place_parameter(a, variable, LLVMGetParam(a->function, next++)); break;
		case HD_PTX_PROGRAM: place = program_variable(a, variable); break;
		default: place = place_module_variable(a, variable); break;
		}
		hd_vec_push(&a->places, place);
		if (variable->place == HD_PTX_PARAM || variable->place == HD_PTX_ENTRY)
			check_parameter(a, variable);
		else if (place)
			keep_address(a, variable, place);
	}
}
