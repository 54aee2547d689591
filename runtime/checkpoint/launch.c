/*
 * What a launch is, in a number: for comparing a launch with the one that a checkpoint has in its place.
 *
 * Of the parameters those bytes count that the kernel's code names: in what it does not read, such as the padding of
 * structures and objects without members, programs hand over whatever was on their stack.
 *
 * Cost: O(code of the kernel).
 */
#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "runtime/checkpoint/checkpoint.h"

/* Bytes of constant bank 0 that an instruction reads become true. An address in a register may be any. */
static void mark_reads(const struct hd_inst *inst, bool read[HD_CB_BYTES])
{
	uint32_t from = inst->x & 0xffff, bytes = 0;
	if (inst->op == HD_OP_LDC) {
		bool any = inst->a != HD_RZ;
		from = any ? 0 : inst->x;
		bytes = any ? HD_CB_BYTES : hd_op_access_bytes(inst->op, inst->mods);
	} else if (hd_x_is_constant(inst->xkind)) {
		enum hd_slot slot = inst->xkind == HD_X_CONST_B ? HD_SLOT_B : HD_SLOT_C;
		bytes = 4 * hd_op_width(inst->op, inst->mods, slot);
	}
	for (uint32_t i = from; i < HD_CB_BYTES && i - from < bytes; i++)
		read[i] = true;
}

uint64_t hd_checkpoint_digest(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	const struct hd_pfunction *function = &gpu->program.functions.data[grid->function];
	bool read[HD_CB_BYTES] = {false};
	uint64_t digest = HD_HASH_TEXT, others[] = {grid->stream,	  (uint64_t)(int64_t)grid->priority,
						    grid->dynamic_shared, grid->cooperative,
						    grid->in_a_row,	  grid->ticket,
						    grid->grid[0],	  grid->grid[1],
						    grid->grid[2],	  grid->block[0],
						    grid->block[1],	  grid->block[2],
						    grid->programmatic};
	for (uint32_t i = 0; i < function->count; i++)
		mark_reads(&gpu->program.code.data[function->first + i].inst, read);
	for (uint32_t i = 0; i < HD_CB_BYTES; i++)
		if (read[i])
			digest = hd_hash_byte(digest, grid->constants[i]);
	for (uint32_t i = 0; i < sizeof others / sizeof *others; i++)
		digest = hd_hash_mix(digest, others[i]);
	return digest;
}
