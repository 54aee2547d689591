/*
 * Inline PTX as IR: surfaces (suld.b, sust, sured), and what textures and surfaces say of themselves (txq, suq,
 * istypep). An object is the device address of its descriptor (cuda/heddle_texture.h), whose levels follow each other.
 * Accesses are ordinary ones at the address that the descriptor gives, as those of CUDA's functions
 * (surface_indirect_functions.h): the first coordinate is in bytes, of .p in elements, and what is outside is clamped,
 * reads as zero and is not written, or traps.
 */
#include <stddef.h>
#include <string.h>

#include "cuda/heddle_texture.h"
#include "passes/legalize/asm.h"

enum { GLOBAL = 1, AXES = 3 };			 /* the address space; coordinates */
enum { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT }; /* enum cudaChannelFormatKind */

static value plus(struct hd_asm *a, value x, value y)
{
	return binary(&a->site, LLVMAdd, x, y);
}

static value pointer_of(struct hd_asm *a, value address)
{
	return LLVMBuildIntToPtr(a->site.builder, address, LLVMPointerTypeInContext(a->site.legal->context, GLOBAL),
				 "");
}

/* A field of so many bits. */
static value field(struct hd_asm *a, value object, size_t at, unsigned bits)
{
	value pointer = pointer_of(a, plus(a, object, number(object, at)));
	value out = LLVMBuildLoad2(a->site.builder, int_type(&a->site, bits), pointer, "");
	LLVMSetAlignment(out, bits / 8);
	return out;
}
#define FIELD(a, object, name, bits) field(a, object, offsetof(struct hd_texture, name), bits)

/* ------------------------------------------------------------------ places */

struct place {
	unsigned bits, count; /* of an element; elements */
	bool samples;	      /* the first coordinate counts elements of the surface (.p) */
	value object, at[AXES];
};

/* Which axis each coordinate is of, in the order of PTX: the layer first. */
static const struct geometry {
	const char *name;
	unsigned count, needed; /* registers; of which count */
	unsigned axes[AXES];
} geometries[] = {
	{"1d", 1, 1, {0}},     {"2d", 2, 2, {0, 1}},	 {"3d", 4, 3, {0, 1, 2}},
	{"a1d", 2, 2, {2, 0}}, {"a2d", 4, 3, {2, 0, 1}},
};

static const struct geometry *geometry_of(const struct hd_ptx_statement *now)
{
	for (size_t i = 0; i < sizeof geometries / sizeof geometries[0]; i++)
		if (hd_ptx_statement_has(now, geometries[i].name))
			return &geometries[i];
	return NULL;
}

static bool read_place(struct hd_asm *a, unsigned index, struct place *place)
{
	const struct geometry *geometry = geometry_of(a->now);
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	unsigned given = operand->form == HD_PTX_ADDRESS ? operand->count - 1 : 0;
	*place = (struct place){.bits = hd_ptx_statement_element(a->now).bits,
				.samples = hd_asm_has(a, "p"),
				.count = hd_asm_has(a, "v4")   ? 4
					 : hd_asm_has(a, "v2") ? 2
							       : 1};
	if (!geometry || !place->bits || place->bits * place->count > 128) {
		hd_asm_error(a, ".1d, .2d, .3d, .a1d or .a2d and a type of up to 128 bits expected");
		return false;
	}
	if (given < geometry->needed || given > geometry->count) {
		hd_asm_error(a, "%u coordinates expected behind the surface object", geometry->count);
		return false;
	}
	place->object = hd_asm_read(a, &operand->parts[0], 64);
	for (unsigned axis = 0; axis < AXES; axis++)
		place->at[axis] = hd_asm_word(a, 0);
	for (unsigned i = 0; i < geometry->needed; i++)
		place->at[geometry->axes[i]] = hd_asm_read(a, &operand->parts[1 + i], 32);
	return !a->failed;
}

static value element_bytes(struct hd_asm *a, const struct place *place)
{
	struct hd_site *site = &a->site;
	value bits = binary(site, LLVMMul, FIELD(a, place->object, channels, 32), FIELD(a, place->object, bits, 32));
	return binary(site, LLVMLShr, bits, number(bits, 3));
}

/* The last coordinate of each axis. */
static value last_of(struct hd_asm *a, const struct place *place, unsigned axis)
{
	struct hd_site *site = &a->site;
	value size = field(a, place->object, offsetof(struct hd_texture, size) + axis * sizeof(int), 32);
	if (axis || place->samples)
		return plus(a, size, number(size, UINT32_MAX));
	value each = element_bytes(a, place);
	return plus(a, binary(site, LLVMMul, size, each), number(size, -(uint64_t)(place->bits / 8 * place->count)));
}

static value clamped(struct hd_asm *a, value at, value last)
{
	value args[2] = {at, LLVMConstNull(LLVMTypeOf(at))};
	args[0] = intrinsic(&a->site, "smax", args, 2);
	args[1] = last;
	return intrinsic(&a->site, "smin", args, 2);
}

/* The address; *inside, where it is to be asked (.zero): whether anything is there, else NULL. */
static value address_of(struct hd_asm *a, const struct place *place, value *inside)
{
	struct hd_site *site = &a->site;
	bool clamps = hd_asm_has(a, "clamp"), zero = hd_asm_has(a, "zero");
	value at[AXES], all = truth(site, true), wide;
	for (unsigned axis = 0; axis < AXES; axis++) {
		value last = last_of(a, place, axis);
		at[axis] = clamps ? clamped(a, place->at[axis], last) : place->at[axis];
		/* Below zero is very large. */
		all = binary(site, LLVMAnd, all, compare(site, LLVMIntULE, at[axis], last));
	}
	*inside = zero ? all : NULL;
	if (!clamps && !zero) {
		LLVMBasicBlockRef good = hd_asm_block(a), bad = hd_asm_block(a);
		LLVMBuildCondBr(site->builder, all, good, bad);
		LLVMPositionBuilderAtEnd(site->builder, bad);
		hd_asm_call(a, "llvm.trap", NULL, NULL, 0);
		LLVMBuildUnreachable(site->builder);
		LLVMPositionBuilderAtEnd(site->builder, good);
	}
	if (place->samples)
		at[0] = binary(site, LLVMMul, at[0], element_bytes(a, place));
	wide = plus(a, FIELD(a, place->object, base, 64), cast(site, at[0], 64, false));
	wide = plus(a, wide, binary(site, LLVMMul, FIELD(a, place->object, pitch, 64), cast(site, at[1], 64, false)));
	wide = plus(a, wide, binary(site, LLVMMul, FIELD(a, place->object, slice, 64), cast(site, at[2], 64, false)));
	return wide;
}

/* ------------------------------------------------------------------ accesses */

/* What is done where something is there: begins a block, and ends it. */
struct branch {
	LLVMBasicBlockRef from, next;
};
static struct branch begin(struct hd_asm *a, value inside)
{
	struct branch branch = {LLVMGetInsertBlock(a->site.builder), NULL};
	if (!inside)
		return branch;
	LLVMBasicBlockRef then = hd_asm_block(a);
	branch.next = hd_asm_block(a);
	LLVMBuildCondBr(a->site.builder, inside, then, branch.next);
	LLVMPositionBuilderAtEnd(a->site.builder, then);
	return branch;
}
static void end(struct hd_asm *a, const struct branch *branch)
{
	if (!branch->next)
		return;
	LLVMBuildBr(a->site.builder, branch->next);
	LLVMPositionBuilderAtEnd(a->site.builder, branch->next);
}

static LLVMTypeRef vector_type(struct hd_asm *a, const struct place *place)
{
	return LLVMVectorType(int_type(&a->site, place->bits), place->count);
}

static bool check_elements(struct hd_asm *a, unsigned index, const struct place *place)
{
	const struct hd_ptx_operand *operand = &a->now->operands[index];
	if (operand->form == HD_PTX_ADDRESS || operand->count != place->count)
		hd_asm_error(a, "%u elements expected", place->count);
	return !a->failed;
}

static void load(struct hd_asm *a, unsigned arg)
{
	struct place place;
	value inside, out;
	(void)arg;
	if (!read_place(a, 1, &place) || !check_elements(a, 0, &place))
		return;
	LLVMTypeRef type = vector_type(a, &place);
	value address = address_of(a, &place, &inside), none = LLVMConstNull(type);
	struct branch branch = begin(a, inside);
	out = LLVMBuildLoad2(a->site.builder, type, pointer_of(a, address), "");
	LLVMSetAlignment(out, place.bits / 8 * place.count);
	LLVMBasicBlockRef from[2] = {branch.from, LLVMGetInsertBlock(a->site.builder)};
	end(a, &branch);
	if (inside) {
		value values[2] = {none, out};
		out = LLVMBuildPhi(a->site.builder, type, "");
		LLVMAddIncoming(out, values, from, 2);
	}
	for (unsigned i = 0; i < place.count; i++)
		hd_asm_write(a, &a->now->operands[0].parts[i],
			     LLVMBuildExtractElement(a->site.builder, out, hd_asm_word(a, i), ""), false);
}

static void store(struct hd_asm *a, unsigned arg)
{
	struct place place;
	value inside, in;
	(void)arg;
	if (!read_place(a, 0, &place) || !check_elements(a, 1, &place))
		return;
	in = LLVMGetUndef(vector_type(a, &place));
	for (unsigned i = 0; i < place.count; i++)
		in = LLVMBuildInsertElement(a->site.builder, in,
					    hd_asm_read(a, &a->now->operands[1].parts[i], place.bits),
					    hd_asm_word(a, i), "");
	value address = address_of(a, &place, &inside);
	struct branch branch = begin(a, inside);
	in = LLVMBuildStore(a->site.builder, in, pointer_of(a, address));
	LLVMSetAlignment(in, place.bits / 8 * place.count);
	end(a, &branch);
}

/* sured.b.add.2d.u32.trap [surface, {x, y}], r */
static void reduce(struct hd_asm *a, unsigned arg)
{
	static const struct {
		const char *name;
		LLVMAtomicRMWBinOp of_signed, of_unsigned;
	} operations[] = {
		{"add", LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpAdd},
		{"min", LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpUMin},
		{"max", LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpUMax},
		{"and", LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpAnd},
		{"or", LLVMAtomicRMWBinOpOr, LLVMAtomicRMWBinOpOr},
	};
	const size_t count = sizeof operations / sizeof operations[0];
	struct hd_ptx_type type = hd_ptx_statement_element(a->now);
	struct place place;
	value inside;
	size_t which = 0;
	(void)arg;
	while (which < count && !hd_asm_has(a, operations[which].name))
		which++;
	if (which == count) {
		hd_asm_error(a, "an operation expected");
		return;
	}
	if (type.bits < 32 || (hd_asm_has(a, "p") && type.class != 'b')) {
		hd_asm_error(a, hd_asm_has(a, "p") ? ".b32 or .b64 expected" : "a type of 32 or 64 bits expected");
		return;
	}
	if (!read_place(a, 0, &place))
		return;
	value in = hd_asm_in(a, 1, place.bits), address = address_of(a, &place, &inside);
	struct branch branch = begin(a, inside);
	LLVMAtomicRMWBinOp of_signed = operations[which].of_signed, of_unsigned = operations[which].of_unsigned;
	if (place.samples && of_signed != of_unsigned) {
		/* The surface says how its bits are meant. */
		value kind = FIELD(a, place.object, kind, 32);
		LLVMBasicBlockRef then = hd_asm_block(a), other = hd_asm_block(a), next = hd_asm_block(a);
		LLVMBuildCondBr(a->site.builder, compare(&a->site, LLVMIntEQ, kind, number(kind, KIND_SIGNED)), then,
				other);
		for (unsigned i = 0; i < 2; i++) {
			LLVMPositionBuilderAtEnd(a->site.builder, i ? other : then);
			LLVMBuildAtomicRMW(a->site.builder, i ? of_unsigned : of_signed, pointer_of(a, address), in,
					   LLVMAtomicOrderingMonotonic, false);
			LLVMBuildBr(a->site.builder, next);
		}
		LLVMPositionBuilderAtEnd(a->site.builder, next);
	} else {
		LLVMBuildAtomicRMW(a->site.builder, type.class == 's' ? of_signed : of_unsigned, pointer_of(a, address),
				   in, LLVMAtomicOrderingMonotonic, false);
	}
	end(a, &branch);
}

/* ------------------------------------------------------------------ in the surface's format */

/* A word as a channel of so many bits: floats are rounded, integers clamped to what the channel holds. */
static value converted(struct hd_asm *a, const struct place *place, value word, unsigned bits)
{
	struct hd_site *site = &a->site;
	LLVMContextRef context = site->legal->context;
	uint64_t most = (UINT64_C(1) << bits) - 1;
	if (bits == 32)
		return word;
	value kind = FIELD(a, place->object, kind, 32), args[2] = {word, number(word, most)}, of_unsigned, of_signed,
	      out;
	of_unsigned = intrinsic(site, "umin", args, 2);
	args[1] = number(word, most >> 1);
	args[0] = intrinsic(site, "smin", args, 2);
	args[1] = number(word, ~(most >> 1) & UINT32_MAX);
	of_signed = intrinsic(site, "smax", args, 2);
	out = choose(site, compare(site, LLVMIntEQ, kind, number(kind, KIND_SIGNED)), of_signed, of_unsigned);
	if (bits == 16) {
		value real = LLVMBuildBitCast(site->builder, word, LLVMFloatTypeInContext(context), "");
		real = LLVMBuildFPTrunc(site->builder, real, LLVMHalfTypeInContext(context), "");
		real = cast(site, LLVMBuildBitCast(site->builder, real, int_type(site, 16), ""), 32, false);
		out = choose(site, compare(site, LLVMIntEQ, kind, number(kind, KIND_FLOAT)), real, out);
	}
	return cast(site, out, bits, false);
}

/* sust.p.2d.v2.b32.trap [surface, {x, y}], {r, g}: of the words as many as the surface has channels. */
static void store_formatted(struct hd_asm *a, unsigned arg)
{
	static const unsigned widths[] = {8, 16, 32};
	struct hd_site *site = &a->site;
	struct place place;
	value inside, words[4];
	(void)arg;
	if (!read_place(a, 0, &place) || !check_elements(a, 1, &place))
		return;
	if (hd_ptx_statement_element(a->now).class != 'b' || place.bits != 32) {
		hd_asm_error(a, ".b32 expected");
		return;
	}
	for (unsigned i = 0; i < place.count; i++)
		words[i] = hd_asm_read(a, &a->now->operands[1].parts[i], 32);
	value address = address_of(a, &place, &inside);
	struct branch branch = begin(a, inside);
	value bits = FIELD(a, place.object, bits, 32), channels = FIELD(a, place.object, channels, 32);
	LLVMBasicBlockRef next = hd_asm_block(a);
	value chosen = LLVMBuildSwitch(site->builder, bits, next, 3);
	for (unsigned w = 0; w < 3; w++) {
		LLVMBasicBlockRef block = hd_asm_block(a);
		LLVMAddCase(chosen, number(bits, widths[w]), block);
		LLVMPositionBuilderAtEnd(site->builder, block);
		for (unsigned i = 0; i < place.count; i++) {
			LLVMBasicBlockRef there = hd_asm_block(a), behind = hd_asm_block(a);
			LLVMBuildCondBr(site->builder, compare(site, LLVMIntUGT, channels, number(channels, i)), there,
					behind);
			LLVMPositionBuilderAtEnd(site->builder, there);
			value at = plus(a, address, number(address, (uint64_t)i * widths[w] / 8));
			value made = LLVMBuildStore(site->builder, converted(a, &place, words[i], widths[w]),
						    pointer_of(a, at));
			LLVMSetAlignment(made, widths[w] / 8);
			LLVMBuildBr(site->builder, behind);
			LLVMPositionBuilderAtEnd(site->builder, behind);
		}
		LLVMBuildBr(site->builder, next);
	}
	LLVMPositionBuilderAtEnd(site->builder, next);
	end(a, &branch);
}

/* ------------------------------------------------------------------ questions */

/* txq{.level}.width.b32 d, [t]{, level} */
static void question(struct hd_asm *a, unsigned texture)
{
	static const struct {
		const char *name;
		size_t at;
		bool of_texture;
	} answers[] = {
		{"width", offsetof(struct hd_texture, size[0]), false},
		{"height", offsetof(struct hd_texture, size[1]), false},
		{"depth", offsetof(struct hd_texture, size[2]), false},
		{"array_size", offsetof(struct hd_texture, size[2]), false},
		{"num_mipmap_levels", offsetof(struct hd_texture, levels), true},
		{"normalized_coords", offsetof(struct hd_texture, normalized_coords), true},
		{"filter_mode", offsetof(struct hd_texture, linear), true},
		{"addr_mode_0", offsetof(struct hd_texture, address_mode[0]), true},
		{"addr_mode_1", offsetof(struct hd_texture, address_mode[1]), true},
		{"addr_mode_2", offsetof(struct hd_texture, address_mode[2]), true},
	};
	/* wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border: for CUDA's wrap, clamp, mirror and border */
	static const uint32_t modes = 0x4130;
	bool level = hd_asm_has(a, "level");
	const struct hd_ptx_operand *operand = &a->now->operands[1];
	if (operand->form != HD_PTX_ADDRESS || operand->count != 1 || (level && a->now->count < 3)) {
		hd_asm_error(a, "an object in brackets, and of .level its number expected");
		return;
	}
	value object = hd_asm_read(a, &operand->parts[0], 64), offset;
	if (level) {
		offset = cast(&a->site, hd_asm_in(a, 2, 32), 64, false);
		object = plus(a, object, binary(&a->site, LLVMMul, offset, number(offset, sizeof(struct hd_texture))));
	}
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
		if (hd_asm_has(a, answers[i].name) && (texture || !answers[i].of_texture)) {
			value answer = field(a, object, answers[i].at, 32);
			if (!strncmp(answers[i].name, "addr_mode", 9))
				answer = binary(&a->site, LLVMAnd,
						binary(&a->site, LLVMLShr, number(answer, modes),
						       binary(&a->site, LLVMShl, answer, number(answer, 2))),
						number(answer, 7));
			hd_asm_out(a, 0, answer, false);
			return;
		}
	hd_asm_error(a, "this question about a texture or surface is not supported");
}

/* istypep.texref p, a: of the address of a descriptor, as PTX has it of the addresses of its objects alone. */
static void is_object(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	bool texture = hd_asm_has(a, "texref"), surface = hd_asm_has(a, "surfref");
	value object = hd_asm_in(a, 1, 64), self, kind;
	(void)arg;
	if (!texture && !surface && !hd_asm_has(a, "samplerref"))
		hd_asm_error(a, "expected .texref, .samplerref or .surfref");
	if (a->failed)
		return;
	if (!texture && !surface) { /* a sampler is a part of its texture */
		hd_asm_out(a, 0, truth(site, false), false);
		return;
	}
	self = FIELD(a, object, self, 64);
	kind = FIELD(a, object, surface, 32);
	hd_asm_out(a, 0,
		   binary(site, LLVMAnd, compare(site, LLVMIntEQ, self, object),
			  compare(site, surface ? LLVMIntNE : LLVMIntEQ, kind, number(kind, 0))),
		   false);
}

const struct hd_asm_row hd_asm_surface[] = {
	{"suld.b", 2, NULL, load, 0},	 {"sust.b", 2, NULL, store, 0},
	{"sured.b", 2, NULL, reduce, 0}, {"sust.p", 2, NULL, store_formatted, 0},
	{"sured.p", 2, NULL, reduce, 0}, {"istypep", 2, NULL, is_object, 0},
	{"txq", 2, NULL, question, 1},	 {"suq", 2, NULL, question, 0},
	{NULL, 0, NULL, NULL, 0},
};
