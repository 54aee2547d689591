/*
 * Annotations of functions in the form of attributes, which LLVM writes since version 20: "nvvm.maxntid"="128,2" is
 * what {function, "maxntidx", 128} and {function, "maxntidy", 2} were in nvvm.annotations (NVPTX usage guide of LLVM,
 * Function attributes). An attribute of that family that nobody knows is refused: ignoring launch bounds gives code
 * that cannot be launched.
 *
 * Cost: a look-up of an attribute.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/ir/ir.h"

/* Attributes with as many numbers, and the annotation that each of these is. */
static const struct {
	const char *attribute;
	unsigned most;
	const char *keys[3];
} known[] = {
	{"nvvm.maxntid", 3, {"maxntidx", "maxntidy", "maxntidz"}},
	{"nvvm.reqntid", 3, {"reqntidx", "reqntidy", "reqntidz"}},
	{"nvvm.cluster_dim", 3, {"cluster_dim_x", "cluster_dim_y", "cluster_dim_z"}},
	{"nvvm.maxclusterrank", 1, {"maxclusterrank"}},
	{"nvvm.minctasm", 1, {"minctasm"}},
	{"nvvm.maxnreg", 1, {"maxnreg"}},
};

enum { KNOWN = sizeof known / sizeof *known, MOST_TEXT = 64 };

/* The numbers of "128,2" as text; false: it is none. */
static bool numbers_of(LLVMAttributeRef attribute, unsigned most, uint32_t numbers[3])
{
	unsigned length = 0, count = 0;
	const char *value = LLVMGetStringAttributeValue(attribute, &length);
	char text[MOST_TEXT], *at = text, *end;
	if (!length || length >= sizeof text)
		return false;
	memcpy(text, value, length);
	text[length] = '\0';
	for (;; at = end + 1) {
		unsigned long number = strtoul(at, &end, 10);
		if (end == at || *at == '-' || *at == '+' || *at == ' ' || number > UINT32_MAX || count == most)
			return false;
		numbers[count++] = (uint32_t)number;
		if (*end == '\0')
			return true;
		if (*end != ',')
			return false;
	}
}

static LLVMAttributeRef find(LLVMValueRef function, const char *name)
{
	return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
}

uint32_t hd_attribute_annotation(LLVMValueRef function, const char *key)
{
	for (unsigned i = 0; i < KNOWN; i++)
		for (unsigned k = 0; k < known[i].most; k++) {
			uint32_t numbers[3] = {0};
			if (strcmp(known[i].keys[k], key) != 0)
				continue;
			LLVMAttributeRef attribute = find(function, known[i].attribute);
			return attribute && numbers_of(attribute, known[i].most, numbers) ? numbers[k] : 0;
		}
	return 0;
}

/* Whether the function's attribute is understood, or none of the family. */
static bool is_understood(LLVMAttributeRef attribute)
{
	static const char family[] = "nvvm.";
	unsigned length = 0;
	const char *name = LLVMGetStringAttributeKind(attribute, &length);
	uint32_t numbers[3];
	if (length < sizeof family || memcmp(name, family, sizeof family - 1) != 0)
		return true;
	for (unsigned i = 0; i < KNOWN; i++)
		if (strlen(known[i].attribute) == length && memcmp(known[i].attribute, name, length) == 0)
			return numbers_of(attribute, known[i].most, numbers);
	return false;
}

static int check_function(struct hd_unit *unit, LLVMValueRef function)
{
	unsigned count = LLVMGetAttributeCountAtIndex(function, LLVMAttributeFunctionIndex), length, value_length;
	LLVMAttributeRef *list = HD_ARENA_NEW(&unit->arena, LLVMAttributeRef, count + 1);
	int status = 0;
	LLVMGetAttributesAtIndex(function, LLVMAttributeFunctionIndex, list);
	for (unsigned i = 0; i < count; i++) {
		if (!LLVMIsStringAttribute(list[i]) || is_understood(list[i]))
			continue;
		const char *name = LLVMGetStringAttributeKind(list[i], &length),
			   *value = LLVMGetStringAttributeValue(list[i], &value_length);
		status = hd_unsupported(unit, function,
					hd_arena_printf(&unit->arena, "attribute \"%.*s\"=\"%.*s\"", (int)length, name,
							(int)value_length, value));
	}
	return status;
}

int hd_check_attributes(struct hd_unit *unit)
{
	int status = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(unit->source); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && check_function(unit, f) != 0)
			status = -1;
	return status;
}
