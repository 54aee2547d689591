/*
 * LLVM's intrinsics for surfaces (llvm.nvvm.suld, sust) and for what textures and surfaces say of themselves (txq,
 * suq, istypep), as the inline PTX that they stand for. An intrinsic has its instruction's name, with an element's type
 * in place of bits and vector. Linear in the call's operands.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "passes/legalize/asm.h"

#include <llvm-c/DebugInfo.h>

/* GEOMETRY.TYPE.CLAMP of a name, in PTX. */
struct access {
	const char *geometry, *clamp;
	unsigned coordinates, registers; /* the intrinsic's, and those of PTX, which repeats the last one */
	unsigned elements, bits;
};

static bool read_access(const char *name, struct access *access)
{
	static const struct {
		const char *name, *ptx;
		unsigned coordinates, registers;
	} geometries[] = {
		{"1d.i", "1d", 1, 1},	     {"1d.v", "1d", 1, 1},	  {"2d.i", "2d", 2, 2},
		{"2d.v", "2d", 2, 2},	     {"3d.i", "3d", 3, 4},	  {"3d.v", "3d", 3, 4},
		{"1d.array.i", "a1d", 2, 2}, {"1d.array.v", "a1d", 2, 2}, {"2d.array.i", "a2d", 3, 4},
		{"2d.array.v", "a2d", 3, 4},
	};
	for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
		size_t length = strlen(geometries[i].name);
		if (strncmp(name, geometries[i].name, length))
			continue;
		char *type = (char *)name + length, *end;
		access->geometry = geometries[i].ptx;
		access->coordinates = geometries[i].coordinates;
		access->registers = geometries[i].registers;
		access->elements = 1;
		if (type[-1] == 'v') {
			access->elements = (unsigned)strtoul(type, &type, 10);
			type += *type == 'i';
		}
		access->bits = (unsigned)strtoul(type, &end, 10);
		access->clamp = end;
		return end > type && *end == '.';
	}
	return false;
}

static const char *constraint_of(LLVMTypeRef type)
{
	unsigned bits = LLVMGetIntTypeWidth(type);
	return bits == 16 ? "h" : bits <= 32 ? "r" : "l";
}

/* Registers from `first` on, the last one as often as it takes to make them `width`. */
static void add_group(struct hd_strbuf *text, unsigned first, unsigned count, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		hd_strbuf_printf(text, "%s$%u", i ? ", " : "{", first + (i < count ? i : count - 1));
	hd_strbuf_append(text, "}");
}

/* Its answer, a truth, is a word of the PTX: there are no predicates among the operands of inline assembly. */
static bool write_kind_question(const char *kind, struct hd_strbuf *text)
{
	static const char *const kinds[][2] = {{"texture", "texref"},
					       {"surface", "surfref"},
					       {"sampler", "samplerref"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kind, kinds[i][0])) {
			hd_strbuf_printf(text, "{ .reg .pred p; istypep.%s p, $1; selp.u32 $0, 1, 0, p; }",
					 kinds[i][1]);
			return true;
		}
	return false;
}

/* The text of an instruction whose results come first among its operands. False: it is none of these. */
static bool write_text(const char *name, struct hd_strbuf *text)
{
	struct access access;
	char vector[8] = "";
	bool load = !strncmp(name, "suld.", 5), store = !strncmp(name, "sust.b.", 7) || !strncmp(name, "sust.p.", 7);
	if (!strncmp(name, "txq.", 4) || !strncmp(name, "suq.", 4)) {
		hd_strbuf_printf(text, "%.4s", name);
		for (const char *at = name + 4; *at; at++)
			hd_strbuf_printf(text, "%c", *at == '.' ? '_' : *at);
		hd_strbuf_append(text, ".b32 $0, [$1];");
		return true;
	}
	if (!strncmp(name, "istypep.", 8))
		return write_kind_question(name + 8, text);
	if ((!load && !store) || !read_access(name + (load ? 5 : 7), &access))
		return false;
	if (access.elements > 1)
		snprintf(vector, sizeof vector, ".v%u", access.elements);
	unsigned object = load ? access.elements : 0;
	hd_strbuf_printf(text, "%.6s.%s%s.b%u%s ", load ? "suld.b" : name, access.geometry, vector, access.bits,
			 access.clamp);
	if (load) {
		add_group(text, 0, access.elements, access.elements);
		hd_strbuf_append(text, ", ");
	}
	hd_strbuf_printf(text, "[$%u, ", object);
	add_group(text, object + 1, access.coordinates, access.registers);
	hd_strbuf_append(text, "]");
	if (store) {
		hd_strbuf_append(text, ", ");
		add_group(text, 1 + access.coordinates, access.elements, access.elements);
	}
	hd_strbuf_append(text, ";");
	return true;
}

/* Of the results, then of the arguments. */
static void write_constraints(LLVMValueRef call, struct hd_strbuf *text)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	unsigned results = LLVMGetTypeKind(type) == LLVMVoidTypeKind	 ? 0
			   : LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
									 : 1;
	for (unsigned i = 0; i < results; i++)
		hd_strbuf_printf(text, "%s=%s", i ? "," : "",
				 constraint_of(LLVMGetTypeKind(type) == LLVMStructTypeKind
						       ? LLVMStructGetTypeAtIndex(type, i)
						       : type));
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++)
		hd_strbuf_printf(text, "%s%s", i || results ? "," : "",
				 constraint_of(LLVMTypeOf(LLVMGetOperand(call, i))));
}

LLVMValueRef hd_legal_surface_call(struct hd_legal *legal, LLVMValueRef call)
{
	static const char prefix[] = "llvm.nvvm.";
	LLVMValueRef callee = LLVMGetCalledValue(call), args[16];
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	struct hd_strbuf text = {0}, constraints = {0};
	unsigned count = LLVMGetNumArgOperands(call);
	if (strncmp(name, prefix, sizeof prefix - 1) || count > sizeof args / sizeof *args ||
	    !write_text(name + sizeof prefix - 1, &text)) {
		hd_strbuf_release(&text);
		return NULL;
	}
	write_constraints(call, &constraints);
	for (unsigned i = 0; i < count; i++)
		args[i] = LLVMGetOperand(call, i);
	LLVMTypeRef type = LLVMGlobalGetValueType(callee), result = LLVMTypeOf(call), parameters[16];
	LLVMTypeRef word = LLVMInt32TypeInContext(legal->context);
	bool truth = result == LLVMInt1TypeInContext(legal->context);
	if (truth) {
		LLVMGetParamTypes(type, parameters);
		type = LLVMFunctionType(word, parameters, count, false);
	}
	LLVMValueRef code = LLVMGetInlineAsm(type, text.data, text.len, constraints.data, constraints.len, true, false,
					     LLVMInlineAsmDialectATT, false);
	LLVMPositionBuilderBefore(legal->builder, call);
	LLVMValueRef made = LLVMBuildCall2(legal->builder, type, code, args, count, "");
	LLVMSetMetadata(made, legal->md_ordinal, LLVMGetMetadata(call, legal->md_ordinal));
	LLVMInstructionSetDebugLoc(made, LLVMInstructionGetDebugLoc(call));
	LLVMReplaceAllUsesWith(call,
			       truth ? LLVMBuildICmp(legal->builder, LLVMIntNE, made, LLVMConstNull(word), "") : made);
	LLVMInstructionEraseFromParent(call);
	hd_strbuf_release(&text);
	hd_strbuf_release(&constraints);
	return made;
}
