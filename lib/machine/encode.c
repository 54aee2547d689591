/*
 * The 16-byte encoding of an instruction. One layout for every opcode, so that a decoder
 * needs no table; two little-endian 64-bit words:
 *
 *   word 0   op 0..6   reuse 7..9   xkind 10..12   role 13..15   dst 16..23   a 24..31   b 32..39
 *            c 40..47   mods 48..63            (BRA, BRX: reconv 40..63)
 *   word 1   x 0..31   guard 32..35   psrc 36..39   psrc2 40..43   pdst 44..46
 *            dead 47..49   srcmods 50..54   linear 55..63
 *
 * BRA and BRX have neither a third source nor modifiers, and their 24-bit reconvergence
 * point stands there. Decoding accepts exactly the bytes that encoding can give.
 */
#include "heddle/machine.h"
#include "heddle/opcodes.h"

#define FIELDS(X)                                                                                           \
	X(op, 0, 0, 7) X(reuse, 0, 7, 3)                                                                    \
	X(xkind, 0, 10, 3) X(role, 0, 13, 3) X(dst, 0, 16, 8) X(a, 0, 24, 8) X(b, 0, 32, 8) X(x, 1, 0, 32)  \
		X(guard, 1, 32, 4) X(psrc, 1, 36, 4) X(psrc2, 1, 40, 4) X(pdst, 1, 44, 3) X(dead, 1, 47, 3) \
			X(srcmods, 1, 50, 5) X(linear, 1, 55, 9)

_Static_assert(HD_OP_COUNT <= 1 << 7, "opcodes do not fit in their field");

enum { C_SHIFT = 40, MODS_SHIFT = 48 };

static bool has_reconvergence(unsigned op)
{
	return op == HD_OP_BRA || op == HD_OP_BRX;
}

static void put_word(uint8_t *bytes, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(word >> (8 * i));
}

static uint64_t get_word(const uint8_t *bytes)
{
	uint64_t word = 0;
	for (unsigned i = 0; i < 8; i++)
		word |= (uint64_t)bytes[i] << (8 * i);
	return word;
}

void hd_inst_encode(const struct hd_inst *inst, uint8_t bytes[HD_INST_BYTES])
{
	uint64_t word[2] = {0, 0};
#define X(field, index, shift, bits) word[index] |= ((uint64_t)inst->field & ((UINT64_C(1) << (bits)) - 1)) << (shift);
	FIELDS(X)
#undef X
	if (has_reconvergence(inst->op))
		word[0] |= (uint64_t)inst->reconv << C_SHIFT;
	else
		word[0] |= (uint64_t)inst->c << C_SHIFT | (uint64_t)inst->mods << MODS_SHIFT;
	put_word(bytes, word[0]);
	put_word(bytes + 8, word[1]);
}

int hd_inst_decode(const uint8_t bytes[HD_INST_BYTES], struct hd_inst *inst)
{
	const uint64_t word[2] = {get_word(bytes), get_word(bytes + 8)};
	*inst = (struct hd_inst){.c = HD_RZ, .reconv = HD_NO_PC};
#define X(field, index, shift, bits) \
	inst->field = (__typeof__(inst->field))(word[index] >> (shift) & ((UINT64_C(1) << (bits)) - 1));
	FIELDS(X)
#undef X
	if (inst->op >= HD_OP_COUNT || inst->xkind > HD_X_OTHER || inst->role >= HD_ROLE_COUNT)
		return -1;
	if (has_reconvergence(inst->op)) {
		inst->reconv = (uint32_t)(word[0] >> C_SHIFT);
	} else {
		inst->c = (uint8_t)(word[0] >> C_SHIFT);
		inst->mods = (uint16_t)(word[0] >> MODS_SHIFT);
	}
	return 0;
}
