/*
 * Inline PTX as IR: operands of statements as values, results into registers, and short pieces of assembly.
 */
#include <stdarg.h>
#include <string.h>

#include "passes/legalize/asm.h"

void hd_asm_error(struct hd_asm *a, const char *format, ...)
{
	char reason[256], what[512];
	const char *text = a->now ? a->now->text : "";
	if (a->failed)
		return;
	a->failed = true;
	va_list args;
	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	snprintf(what, sizeof what, "inline assembly%s%s%s: %s", *text ? " '" : "", text, *text ? "'" : "", reason);
	a->site.legal->status = hd_unsupported(a->site.legal->unit, a->site.inst, what);
}

value hd_asm_word(struct hd_asm *a, uint64_t number)
{
	return LLVMConstInt(int_type(&a->site, 32), number, false);
}

value hd_asm_bits(struct hd_asm *a, value v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
		return v;
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(a->site.builder, v, int_type(&a->site, hd_scalar_bits(type)), "");
	return LLVMBuildBitCast(a->site.builder, v,
				int_type(&a->site, (unsigned)LLVMSizeOfTypeInBits(a->site.legal->layout, type)), "");
}

value hd_asm_piece(struct hd_asm *a, const char *text, unsigned bits, value *args, unsigned count)
{
	LLVMTypeRef types[8], result = bits ? int_type(&a->site, bits) : LLVMVoidTypeInContext(a->site.legal->context);
	char constraints[32] = "";
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(args[i]);
	strcat(constraints, bits ? "=r" : "");
	for (unsigned i = 0; i < count; i++)
		strcat(constraints, *constraints ? ",r" : "r");
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	value callee = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
					LLVMInlineAsmDialectATT, false);
	value call = LLVMBuildCall2(a->site.builder, type, callee, args, count, "");
	unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(a->site.legal->context, convergent, 0));
	return call;
}

static value special(struct hd_asm *a, const struct hd_ptx_part *part, unsigned bits)
{
	char text[80];
	snprintf(text, sizeof text, "mov.%s $0, %.*s;",
		 bits == 1    ? "pred"
		 : bits == 64 ? "b64"
			      : "b32",
		 (int)part->length, part->at);
	value out = hd_asm_piece(a, text, bits == 1 || bits == 64 ? bits : 32, NULL, 0);
	return cast(&a->site, out, bits, false);
}

value hd_asm_read(struct hd_asm *a, const struct hd_ptx_part *part, unsigned bits)
{
	const struct hd_ptx_name *reg;
	value v = LLVMConstNull(int_type(&a->site, bits));
	switch (part->kind) {
	case HD_PTX_NUMBER: return LLVMConstInt(int_type(&a->site, bits), part->number, bits > 64);
	case HD_PTX_SINGLE:
	case HD_PTX_DOUBLE: return LLVMConstInt(int_type(&a->site, bits), hd_ptx_float_bits(part, bits), false);
	case HD_PTX_SPECIAL: return special(a, part, bits);
	case HD_PTX_REG:
		reg = &a->text.regs.data[part->reg];
		if ((bits == 1) != (reg->bits == 1) || reg->bits < bits) {
			hd_asm_error(a, "operand '%s' has %u bits instead of %u", reg->name, reg->bits, bits);
			return v;
		}
		v = LLVMBuildLoad2(a->site.builder, int_type(&a->site, reg->bits), a->slots.data[part->reg], "");
		return cast(&a->site, v, bits, false);
	default: hd_asm_error(a, "expected an operand"); return v;
	}
}

value hd_asm_in(struct hd_asm *a, unsigned index, unsigned bits)
{
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	if (index >= a->now->count || operand->form != HD_PTX_PLAIN) {
		hd_asm_error(a, "operand %u is missing or has the wrong form", index + 1);
		return LLVMConstNull(int_type(&a->site, bits));
	}
	value v = hd_asm_read(a, &operand->parts[0], bits);
	return operand->inverted ? LLVMBuildNot(a->site.builder, v, "") : v;
}

void hd_asm_write(struct hd_asm *a, const struct hd_ptx_part *part, value v, bool is_signed)
{
	if (part->kind == HD_PTX_SINK || a->failed)
		return;
	if (part->kind != HD_PTX_REG || part->negated) {
		hd_asm_error(a, "the result is not a register");
		return;
	}
	v = hd_asm_bits(a, v);
	const struct hd_ptx_name *reg = &a->text.regs.data[part->reg];
	if ((width_of(v) == 1) != (reg->bits == 1) || reg->bits < width_of(v)) {
		hd_asm_error(a, "the result has %u bits, but '%s' has %u", width_of(v), reg->name, reg->bits);
		return;
	}
	LLVMBuildStore(a->site.builder, cast(&a->site, v, reg->bits, is_signed), a->slots.data[part->reg]);
}

void hd_asm_out(struct hd_asm *a, unsigned index, value v, bool is_signed)
{
	if (index >= a->now->count || a->now->operands[index].form != HD_PTX_PLAIN)
		hd_asm_error(a, "the result is not a register");
	else
		hd_asm_write(a, &a->now->operands[index].parts[0], v, is_signed);
}

unsigned hd_asm_space(const struct hd_asm *a)
{
	return hd_asm_has(a, "global")					 ? HD_AS_GLOBAL
	       : hd_asm_has(a, "shared") || hd_asm_has(a, "shared::cta") ? HD_AS_SHARED
	       : hd_asm_has(a, "local")					 ? HD_AS_LOCAL
	       : hd_asm_has(a, "const")					 ? HD_AS_CONST
									 : HD_AS_GENERIC;
}

value hd_asm_pointer(struct hd_asm *a, unsigned index, unsigned space)
{
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	unsigned bits = space == HD_AS_SHARED || space == HD_AS_LOCAL ? 32 : 64;
	LLVMTypeRef type = LLVMPointerTypeInContext(a->site.legal->context, space);
	if (index >= a->now->count || operand->form != HD_PTX_ADDRESS || operand->count != 1) {
		hd_asm_error(a, "expected an address in brackets");
		return LLVMConstNull(type);
	}
	value address = hd_asm_read(a, &operand->parts[0], bits);
	if (operand->offset)
		address = binary(&a->site, LLVMAdd, address, number(address, (uint64_t)operand->offset));
	return LLVMBuildIntToPtr(a->site.builder, address, type, "");
}

bool hd_asm_is_real(struct hd_ptx_type type)
{
	return type.class && strchr("fhg", type.class);
}

LLVMTypeRef hd_asm_real_type(struct hd_asm *a, struct hd_ptx_type type)
{
	LLVMContextRef context = a->site.legal->context;
	return type.class == 'h'   ? LLVMHalfTypeInContext(context)
	       : type.class == 'g' ? LLVMBFloatTypeInContext(context)
	       : type.bits == 64   ? LLVMDoubleTypeInContext(context)
				   : LLVMFloatTypeInContext(context);
}

value hd_asm_real(struct hd_asm *a, unsigned index, struct hd_ptx_type type)
{
	value v = LLVMBuildBitCast(a->site.builder, hd_asm_in(a, index, type.bits), hd_asm_real_type(a, type), "");
	return type.class == 'f'
		       ? v
		       : LLVMBuildFPExt(a->site.builder, v, LLVMFloatTypeInContext(a->site.legal->context), "");
}

value hd_asm_call(struct hd_asm *a, const char *name, LLVMTypeRef type, value *args, unsigned count)
{
	return hd_legal_intrinsic(&a->site, name, type, args, count);
}
