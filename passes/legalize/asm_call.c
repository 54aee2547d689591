/*
 * Inline PTX as IR: calls of the module's functions and of declared ones, and the variables of their parameters. A
 * parameter is a stack object, which LLVM turns into a value.
 *
 *   { .param .b32 p, r; st.param.b32 [p], %1; call.uni (r), f, (p); ld.param.b32 %0, [r]; }
 */
#include <string.h>

#include "passes/legalize/asm.h"

enum { MOST = HD_PTX_ELEMENTS };

/* ------------------------------------------------------------------ parameters */

static const struct hd_ptx_variable *variable_of(struct hd_asm *a, const struct hd_ptx_part *part, value *place)
{
	for (uint32_t i = 0; part->kind == HD_PTX_REG && i < a->text.variables.len; i++)
		if (a->text.variables.data[i].reg == part->reg) {
			*place = a->places.data[i];
			return &a->text.variables.data[i];
		}
	return NULL;
}

/* The place of so many bytes that `[p + 8]` names in a parameter, to store there as operand 0; NULL: an error has been
 * reported. */
static value field_of(struct hd_asm *a, unsigned index, uint64_t bytes)
{
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	value place = NULL;
	const struct hd_ptx_variable *variable =
		operand->form == HD_PTX_ADDRESS ? variable_of(a, &operand->parts[0], &place) : NULL;
	if (!variable || (variable->place != HD_PTX_PARAM && variable->place != HD_PTX_ENTRY)) {
		hd_asm_error(a, "a parameter in brackets expected");
		return NULL;
	}
	if (!index && variable->place == HD_PTX_ENTRY) {
		hd_asm_error(a, "a parameter of the kernel is not written");
		return NULL;
	}
	if (operand->offset < 0 || (uint64_t)operand->offset + bytes > variable->bytes) {
		hd_asm_error(a, "%u bytes at %ld are not in the parameter", (unsigned)bytes, (long)operand->offset);
		return NULL;
	}
	value offset = LLVMConstInt(int_type(&a->site, 64), (uint64_t)operand->offset, false);
	return LLVMBuildGEP2(a->site.builder, int_type(&a->site, 8), place, &offset, 1, "");
}

/* ld.param.v2.b32 {a, b}, [p]; st.param.b64 [p + 8], w; */
static void access_parameter(struct hd_asm *a, unsigned store)
{
	const struct hd_ptx_operand *operand = &a->now->operands[store ? 1 : 0];
	struct hd_ptx_type type = hd_ptx_statement_element(a->now);
	unsigned count = operand->form == HD_PTX_VECTOR ? operand->count : 1, bytes = type.bits / 8;
	if (!bytes || operand->form == HD_PTX_ADDRESS) {
		hd_asm_error(a, "a type, a register and a parameter in brackets expected");
		return;
	}
	value place = field_of(a, store ? 0 : 1, (uint64_t)bytes * count);
	for (unsigned i = 0; i < count && place && !a->failed; i++) {
		value offset = LLVMConstInt(int_type(&a->site, 64), (uint64_t)i * bytes, false), access;
		value at = LLVMBuildGEP2(a->site.builder, int_type(&a->site, 8), place, &offset, 1, "");
		if (store) {
			access = LLVMBuildStore(a->site.builder, hd_asm_read(a, &operand->parts[i], type.bits), at);
		} else {
			access = LLVMBuildLoad2(a->site.builder, int_type(&a->site, type.bits), at, "");
			hd_asm_write(a, &operand->parts[i], access, hd_ptx_type_is_signed(type));
		}
		LLVMSetAlignment(access, 1);
	}
}

/* ------------------------------------------------------------------ calls */

static const struct hd_ptx_prototype *prototype_of(const struct hd_asm *a, const struct hd_ptx_part *name)
{
	for (uint32_t i = 0; name->kind == HD_PTX_SYMBOL && i < a->text.prototypes.len; i++) {
		const struct hd_ptx_prototype *each = &a->text.prototypes.data[i];
		if (strlen(each->name) == name->length && !strncmp(each->name, name->at, name->length))
			return each;
	}
	return NULL;
}

/* Of a declaration: bits, an array of bytes where there are more than a register has. */
static LLVMTypeRef type_of(struct hd_asm *a, uint64_t bytes)
{
	if (bytes <= 8 && !(bytes & (bytes - 1)))
		return int_type(&a->site, (unsigned)bytes * 8);
	return LLVMArrayType2(int_type(&a->site, 8), bytes);
}

static LLVMTypeRef function_type(struct hd_asm *a, const struct hd_ptx_prototype *prototype)
{
	LLVMTypeRef types[HD_PTX_PARAMS], result = LLVMVoidTypeInContext(a->site.legal->context);
	unsigned first = prototype->result ? 1 : 0;
	if (first)
		result = type_of(a, prototype->bytes[0]);
	for (unsigned i = first; i < prototype->count; i++) {
		types[i - first] = type_of(a, prototype->bytes[i]);
		if (LLVMGetTypeKind(types[i - first]) == LLVMArrayTypeKind)
			hd_asm_error(a, "parameter %u: a structure is taken only by functions of this module",
				     i - first + 1);
	}
	return LLVMFunctionType(result, types, prototype->count - first, false);
}

/* What is called, and its type; NULL: an error has been reported. */
static value callee_of(struct hd_asm *a, LLVMTypeRef *type)
{
	const struct hd_ptx_part *name = &a->now->operands[1].parts[0];
	const struct hd_ptx_prototype *prototype;
	char text[256];
	value callee;
	if (name->kind != HD_PTX_SYMBOL) {
		prototype = a->now->count > 3 ? prototype_of(a, &a->now->operands[3].parts[0]) : NULL;
		if (!prototype) {
			hd_asm_error(a, "a call through a register needs a .callprototype");
			return NULL;
		}
		*type = function_type(a, prototype);
		callee = hd_asm_read(a, name, 64);
		return LLVMBuildIntToPtr(a->site.builder, callee, LLVMPointerTypeInContext(a->site.legal->context, 0),
					 "");
	}
	snprintf(text, sizeof text, "%.*s", (int)name->length, name->at);
	callee = LLVMGetNamedFunction(a->site.legal->module, text);
	prototype = prototype_of(a, name);
	if (!callee && prototype) {
		callee = LLVMAddFunction(a->site.legal->module, text, function_type(a, prototype));
		unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
		LLVMAddAttributeAtIndex(callee, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(a->site.legal->context, convergent, 0));
	}
	if (!callee)
		hd_asm_error(a, "function '%s' is neither in this module nor declared (.func)", text);
	else
		*type = LLVMGlobalGetValueType(callee);
	return a->failed ? NULL : callee;
}

static uint64_t bytes_of(const struct hd_asm *a, LLVMTypeRef type)
{
	return LLVMABISizeOfType(a->site.legal->layout, type);
}

/* An argument of the type, from a register, a number or a parameter; by_value: the type of a structure that is handed
 * over by its address. */
static value argument_of(struct hd_asm *a, const struct hd_ptx_part *part, LLVMTypeRef type, LLVMTypeRef by_value)
{
	value place = NULL, out;
	const struct hd_ptx_variable *variable = variable_of(a, part, &place);
	if (variable && ((variable->place != HD_PTX_PARAM && variable->place != HD_PTX_ENTRY) ||
			 variable->bytes < bytes_of(a, by_value ? by_value : type))) {
		hd_asm_error(a, "'%s' is not a parameter of this size", a->text.regs.data[part->reg].name);
	} else if (variable && by_value) {
		return place;
	} else if (variable) {
		out = LLVMBuildLoad2(a->site.builder, type, place, "");
		LLVMSetAlignment(out, 1);
		return out;
	} else if (by_value || !hd_is_scalar(type)) {
		hd_asm_error(a, "a structure is handed over in a .param variable");
	} else {
		out = hd_asm_read(a, part, hd_scalar_bits(type));
		if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
			return LLVMBuildIntToPtr(a->site.builder, out, type, "");
		return LLVMTypeOf(out) == type ? out : LLVMBuildBitCast(a->site.builder, out, type, "");
	}
	return LLVMGetUndef(type);
}

static void result_to(struct hd_asm *a, const struct hd_ptx_part *part, value out)
{
	value place = NULL, store;
	const struct hd_ptx_variable *variable = variable_of(a, part, &place);
	if (variable && (variable->place != HD_PTX_PARAM || variable->bytes < bytes_of(a, LLVMTypeOf(out)))) {
		hd_asm_error(a, "'%s' is not a parameter of this size", a->text.regs.data[part->reg].name);
	} else if (variable) {
		store = LLVMBuildStore(a->site.builder, out, place);
		LLVMSetAlignment(store, 1);
	} else if (!hd_is_scalar(LLVMTypeOf(out))) {
		hd_asm_error(a, "a structure is returned in a .param variable");
	} else {
		hd_asm_write(a, part, out, false);
	}
}

static void call(struct hd_asm *a, unsigned arg)
{
	const struct hd_ptx_operand *results = &a->now->operands[0], *given = &a->now->operands[2];
	LLVMTypeRef type = NULL, types[MOST];
	value callee = callee_of(a, &type), args[MOST];
	unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
	(void)arg;
	if (!callee)
		return;
	bool returns = LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind;
	if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) != given->count || results->count > returns) {
		hd_asm_error(a, "the function has %u parameters and %u results", LLVMCountParamTypes(type), returns);
		return;
	}
	LLVMGetParamTypes(type, types);
	bool known = LLVMIsAFunction(callee) != NULL;
	LLVMAttributeRef by_value[MOST] = {NULL};
	for (unsigned i = 0; i < given->count; i++) {
		by_value[i] = known ? LLVMGetEnumAttributeAtIndex(callee, i + 1, kind) : NULL;
		args[i] = argument_of(a, &given->parts[i], types[i],
				      by_value[i] ? LLVMGetTypeAttributeValue(by_value[i]) : NULL);
	}
	if (a->failed)
		return;
	value made = LLVMBuildCall2(a->site.builder, type, callee, args, given->count, "");
	for (unsigned i = 0; i < given->count; i++)
		if (by_value[i])
			LLVMAddCallSiteAttribute(made, i + 1, by_value[i]);
	if (results->count)
		result_to(a, &results->parts[0], made);
}

const struct hd_asm_row hd_asm_calls[] = {
	{"ld.param", 2, NULL, access_parameter, 0},
	{"ld.param::entry", 2, NULL, access_parameter, 0},
	{"ld.param::func", 2, NULL, access_parameter, 0},
	{"st.param", 2, NULL, access_parameter, 1},
	{"st.param::func", 2, NULL, access_parameter, 1},
	{"call", 3, NULL, call, 0},
	{NULL, 0, NULL, NULL, 0},
};
