/*
 * Legalisation: LLVM's straight-line strength reduction, with the flags that it drops. It makes (b + 2) * s of
 * (b + 1) * s by adding s, and the sum has neither nsw nor nuw, since that does not follow from its operands: what
 * the factors were is gone. But where the product that is replaced and the one that is added to did not wrap, they are
 * the products of integers, and so their difference is as large as it should be: where that is what is added, the sum
 * does not wrap either. The analysis of linear values lives on these flags (r2d2-isca23 3.1.1).
 *
 * Products and sums that do not wrap are noted before the pass, under the names of instructions, which the pass hands
 * on to what takes their place. Near linear in the instructions.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm/Config/llvm-config.h>

#include "lib/hash.h"
#include "lib/vec.h"
#include "passes/legalize/legalize.h"

#define NOT_KNOWN UINT32_MAX
enum { MOST_FORMS = 4 };

/* What a value is the same as, whatever takes its instruction's place: the note of an instruction, another value. */
struct identity {
	uint32_t note; /* NOT_KNOWN: of `value` */
	LLVMValueRef value;
};

/* (base + index) * stride for a product, base + index * stride for a sum, over the integers: as numbers that are
 * signed, unsigned or both. */
struct form {
	bool product, is_signed, is_unsigned;
	struct identity base, stride;
	LLVMValueRef factor; /* the stride where it is a constant; NULL */
	int64_t index;	     /* sign-extended */
	uint64_t unsigned_index;
};

/* An instruction before the pass. */
struct note {
	char *name;
	bool given; /* the name is ours */
	uint32_t count;
	struct form forms[MOST_FORMS];
};

struct notes {
	HD_VEC(struct note) all;
	struct hd_hash_set names;
};

/* ------------------------------------------------------------------ notes by name */

static uint32_t note_named(struct notes *notes, const char *name)
{
	struct hd_hash_slot *slot;
	if (!*name)
		return NOT_KNOWN;
	HD_HASH_FIND(slot, &notes->names, hd_hash_text(HD_HASH_TEXT, name),
		     !strcmp(notes->all.data[slot->id].name, name));
	return hd_hash_found(slot) ? slot->id : NOT_KNOWN;
}

static uint32_t note_of(struct notes *notes, LLVMValueRef value)
{
	size_t len;
	return LLVMIsAInstruction(value) ? note_named(notes, LLVMGetValueName2(value, &len)) : NOT_KNOWN;
}

static void add_note(struct notes *notes, LLVMValueRef inst)
{
	size_t len;
	char own[32];
	bool given = !*LLVMGetValueName2(inst, &len);
	if (given) /* where it is the user's already, LLVM adds to it */
		LLVMSetValueName2(inst, own, (size_t)snprintf(own, sizeof own, "sum%u", notes->all.len));
	const char *name = LLVMGetValueName2(inst, &len);
	struct note note = {.name = hd_xstrdup(name), .given = given};
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &notes->names, hd_hash_text(HD_HASH_TEXT, name),
		     !strcmp(notes->all.data[slot->id].name, name));
	hd_hash_set_put(&notes->names, slot, hd_hash_text(HD_HASH_TEXT, name), notes->all.len);
	hd_vec_push(&notes->all, note);
}

static struct identity identity_of(struct notes *notes, LLVMValueRef value)
{
	uint32_t note = note_of(notes, value);
	return (struct identity){note, note == NOT_KNOWN ? value : NULL};
}

static bool same(struct identity a, struct identity b)
{
	return a.note == b.note && a.value == b.value;
}

/* ------------------------------------------------------------------ forms */

static bool is_op(LLVMValueRef value, LLVMOpcode op)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == op;
}

static LLVMValueRef constant_operand(LLVMValueRef inst)
{
	return LLVMIsAConstantInt(LLVMGetOperand(inst, 1));
}

static void push_form(struct note *note, struct form form)
{
	if (note->count < MOST_FORMS && (form.is_signed || form.is_unsigned))
		note->forms[note->count++] = form;
}

static struct form form_of(struct notes *notes, LLVMValueRef inst, LLVMValueRef base, LLVMValueRef stride)
{
	return (struct form){
		.product = is_op(inst, LLVMMul),
		.is_signed = LLVMGetNSW(inst),
		.is_unsigned = LLVMGetNUW(inst),
		.base = identity_of(notes, base),
		.stride = identity_of(notes, stride),
		.factor = LLVMIsAConstantInt(stride),
	};
}

/* (base + constant) * stride, and base * stride. */
static void note_product(struct notes *notes, struct note *note, LLVMValueRef inst, unsigned side)
{
	LLVMValueRef left = LLVMGetOperand(inst, side), stride = LLVMGetOperand(inst, 1 - side);
	push_form(note, form_of(notes, inst, left, stride));
	bool disjoint = is_op(left, LLVMOr) && LLVMGetIsDisjoint(left);
	if (!(disjoint || is_op(left, LLVMAdd)) || !constant_operand(left))
		return;
	struct form form = form_of(notes, inst, LLVMGetOperand(left, 0), stride);
	form.is_signed &= disjoint || LLVMGetNSW(left);
	form.is_unsigned &= disjoint || LLVMGetNUW(left);
	form.index = LLVMConstIntGetSExtValue(constant_operand(left));
	form.unsigned_index = LLVMConstIntGetZExtValue(constant_operand(left));
	push_form(note, form);
}

/* base + stride, and base + stride * constant. */
static void note_sum(struct notes *notes, struct note *note, LLVMValueRef inst, unsigned side)
{
	LLVMValueRef base = LLVMGetOperand(inst, 1 - side), right = LLVMGetOperand(inst, side);
	struct form form = form_of(notes, inst, base, right);
	form.index = 1;
	form.unsigned_index = 1;
	push_form(note, form);
	bool shift = is_op(right, LLVMShl);
	if (!(shift || is_op(right, LLVMMul)) || !constant_operand(right))
		return;
	uint64_t factor = LLVMConstIntGetZExtValue(constant_operand(right));
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(inst));
	if (shift && factor >= bits - 1) /* a power of two that is negative as a signed number */
		return;
	form = form_of(notes, inst, base, LLVMGetOperand(right, 0));
	form.is_signed &= LLVMGetNSW(right);
	form.is_unsigned &= LLVMGetNUW(right);
	form.unsigned_index = shift ? UINT64_C(1) << factor : factor;
	form.index = shift ? INT64_C(1) << factor : LLVMConstIntGetSExtValue(constant_operand(right));
	push_form(note, form);
}

/* Products and sums of integers that have a form. */
static bool is_arithmetic(LLVMValueRef inst)
{
	if (LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(inst)) > 64)
		return false;
	return is_op(inst, LLVMMul) || is_op(inst, LLVMAdd);
}

static void fill_note(struct notes *notes, LLVMValueRef inst)
{
	uint32_t index = note_of(notes, inst);
	if (index == NOT_KNOWN || !is_arithmetic(inst))
		return;
	for (unsigned side = 0; side < 2; side++)
		(is_op(inst, LLVMMul) ? note_product : note_sum)(notes, &notes->all.data[index], inst, side);
}

/* ------------------------------------------------------------------ what was added */

/* `added` is (to - from) strides over the integers, or their opposite where it is subtracted. */
static bool is_distance(struct notes *notes, const struct form *form, __int128 steps, LLVMValueRef added, bool minus,
			bool is_signed)
{
	steps = minus ? -steps : steps;
	if (!form->factor)
		return steps == 1 && same(form->stride, identity_of(notes, added));
	if (!LLVMIsAConstantInt(added))
		return false;
	if (is_signed)
		return steps * LLVMConstIntGetSExtValue(form->factor) == LLVMConstIntGetSExtValue(added);
	return steps * (__int128)LLVMConstIntGetZExtValue(form->factor) == (__int128)LLVMConstIntGetZExtValue(added);
}

static void restore(struct notes *notes, LLVMValueRef inst, const struct form *to, const struct form *from)
{
	bool minus = is_op(inst, LLVMSub);
	LLVMValueRef added = LLVMGetOperand(inst, 1);
	if (to->product != from->product || !same(to->base, from->base) || !same(to->stride, from->stride))
		return;
	if (to->is_signed && from->is_signed &&
	    is_distance(notes, to, (__int128)to->index - from->index, added, minus, true))
		LLVMSetNSW(inst, true);
	if (to->is_unsigned && from->is_unsigned &&
	    is_distance(notes, to, (__int128)to->unsigned_index - from->unsigned_index, added, minus, false))
		LLVMSetNUW(inst, true);
}

static void visit_result(struct notes *notes, LLVMValueRef inst)
{
	uint32_t index = note_of(notes, inst);
	if (index == NOT_KNOWN || !(is_op(inst, LLVMAdd) || is_op(inst, LLVMSub)) || LLVMGetNSW(inst) ||
	    LLVMGetNUW(inst))
		return;
	uint32_t from = note_of(notes, LLVMGetOperand(inst, 0));
	if (from == NOT_KNOWN)
		return;
	const struct note *to = &notes->all.data[index], *basis = &notes->all.data[from];
	for (uint32_t i = 0; i < to->count; i++)
		for (uint32_t k = 0; k < basis->count; k++)
			restore(notes, inst, &to->forms[i], &basis->forms[k]);
}

/* ------------------------------------------------------------------ the pass */

static void each_instruction(LLVMValueRef function, struct notes *notes, void (*visit)(struct notes *, LLVMValueRef))
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			visit(notes, inst);
}

/* All integers: what a form is made of has to be known again, too. */
static void note_integer(struct notes *notes, LLVMValueRef inst)
{
	if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMIntegerTypeKind)
		add_note(notes, inst);
}

static void forget_name(struct notes *notes, LLVMValueRef inst)
{
	uint32_t index = note_of(notes, inst);
	if (index != NOT_KNOWN && notes->all.data[index].given)
		LLVMSetValueName2(inst, "", 0);
}

static void release(struct notes *notes)
{
	for (uint32_t i = 0; i < notes->all.len; i++)
		free(notes->all.data[i].name);
	hd_vec_release(&notes->all);
	hd_hash_set_release(&notes->names);
}

int hd_legal_reduce(struct hd_legal *legal, LLVMTargetMachineRef machine)
{
	uint32_t count = 0, f = 0;
	for (LLVMValueRef i = LLVMGetFirstFunction(legal->module); i; i = LLVMGetNextFunction(i))
		count++;
	struct notes *notes = hd_xcalloc(count + 1, sizeof *notes);
	bool discards = LLVMContextShouldDiscardValueNames(legal->context);
	LLVMContextSetDiscardValueNames(legal->context, false);
	for (LLVMValueRef i = LLVMGetFirstFunction(legal->module); i; i = LLVMGetNextFunction(i), f++) {
		each_instruction(i, &notes[f], note_integer);
		each_instruction(i, &notes[f], fill_note);
	}
	/* LLVM 22's takes sext(i + 7) for sext(i) + 7 where the sum may wrap around. */
	int status = LLVM_VERSION_MAJOR < 22 ? hd_legal_run(legal, machine, "function(slsr)") : 0;
	f = 0;
	for (LLVMValueRef i = LLVMGetFirstFunction(legal->module); i; i = LLVMGetNextFunction(i), f++) {
		each_instruction(i, &notes[f], visit_result);
		each_instruction(i, &notes[f], forget_name);
		release(&notes[f]);
	}
	LLVMContextSetDiscardValueNames(legal->context, discards);
	free(notes);
	return status;
}
