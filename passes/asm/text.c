/*
 * The text of a piece of inline assembly as nvcc hands it to ptxas: operands that are registers by a name, and those
 * that are numbers ("n") written out, wherever in the text they stand. Linear in the text.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/strbuf.h"
#include "passes/asm/asm.h"

/* The arguments that are written into the text, by the number of the operand; NULL: a register. */
struct numbers {
	LLVMValueRef *of;
	unsigned count;
};

unsigned hd_ptx_most_operands(LLVMValueRef call)
{
	LLVMTypeRef result = LLVMTypeOf(call);
	bool many = LLVMGetTypeKind(result) == LLVMStructTypeKind;
	return (unsigned)LLVMGetNumArgOperands(call) + (many ? LLVMCountStructElementTypes(result) : 1);
}

static void find_numbers(struct numbers *numbers, LLVMValueRef call)
{
	size_t length = 0;
	const char *at = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length), *end = at + length;
	unsigned operand = 0, argument = 0, arguments = (unsigned)LLVMGetNumArgOperands(call);
	while (at < end && operand < numbers->count) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t each = comma ? (size_t)(comma - at) : (size_t)(end - at);
		if (*at == '~')
			break; /* clobbers are the last */
		if (*at != '=' && argument < arguments) {
			LLVMValueRef value = LLVMGetArgOperand(call, argument++);
			if (each == 1 && (*at == 'n' || *at == 'i'))
				numbers->of[operand] = LLVMIsAConstantInt(value);
		}
		operand++;
		at += each + 1;
	}
}

static void add_operand(struct hd_strbuf *out, const struct numbers *numbers, const char *name, size_t length)
{
	unsigned long operand = strtoul(name, NULL, 10);
	LLVMValueRef number =
		length && isdigit((unsigned char)*name) && operand < numbers->count ? numbers->of[operand] : NULL;
	if (number && LLVMGetIntTypeWidth(LLVMTypeOf(number)) <= 64)
		hd_strbuf_printf(out, "%" PRId64, (int64_t)LLVMConstIntGetSExtValue(number));
	else
		hd_strbuf_printf(out, "$%.*s", (int)length, name);
}

char *hd_ptx_text_of(struct hd_arena *arena, LLVMValueRef call)
{
	size_t length = 0;
	const char *in = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(call), &length), *end = in + length;
	struct numbers numbers = {.count = hd_ptx_most_operands(call)};
	numbers.of = HD_ARENA_NEW(arena, LLVMValueRef, numbers.count);
	struct hd_strbuf out = {0};
	find_numbers(&numbers, call);
	while (in < end) {
		const char *name = in + 1, *last;
		if (*in != '$') {
			hd_strbuf_append_bytes(&out, in++, 1);
			continue;
		}
		if (name < end && *name == '$') {
			hd_strbuf_append(&out, "$");
			in = name + 1;
			continue;
		}
		bool braces = name < end && *name == '{';
		name += braces;
		for (last = name;
		     last < end && (braces ? *last != '}' && *last != ':' : isdigit((unsigned char)*last));)
			last++;
		if (!braces || last > name) /* "${:uid}" tells labels of one text from another's, as scopes do */
			add_operand(&out, &numbers, name, (size_t)(last - name));
		for (in = last; braces && in < end && *in != '}';)
			in++;
		in += braces;
	}
	char *text = hd_arena_printf(arena, "%s", hd_strbuf_text(&out));
	hd_strbuf_release(&out);
	return text;
}
