/*
 * What objects of earlier versions say differently, from HD_OBJECT_OLDEST on. Most changes add at the end of a list and
 * need no row: opcodes (F2FP, REDUX and the lanes .HERE during version 11). A row is an instruction whose bytes have
 * another meaning since a version, or beside which something has to stand since then. It cannot be rewritten where it
 * takes an instruction more, since code, metadata and origins count instructions. Nor can a role be added: in version
 * 11 the vote .HERE stands in front of an atomic operation that one lane makes for all, and which of those behind it
 * that is, is not said; without the role a check for races would take it for an access of this lane alone. A function
 * that has such an instruction is refused when it is read; the object's other functions run. Constant time for an
 * instruction.
 */
#include "heddle/opcodes.h"
#include "lib/object/parts.h"

static const struct change {
	uint32_t since; /* the first version with the new meaning */
	enum hd_op op;
	enum hd_mod_kind kind; /* of the modifier that has this value */
	uint32_t value;
	const char *what;
} changes[] = {
	{11, HD_OP_MUFU, HD_MOD_MUFUFN, HD_MUFU_SIN, "MUFU.SIN of radians, which takes turns"},
	{11, HD_OP_MUFU, HD_MOD_MUFUFN, HD_MUFU_COS, "MUFU.COS of radians, which takes turns"},
	{12, HD_OP_VOTE, HD_MOD_MEMBERS, HD_MEMBERS_HERE, "VOTE.HERE for an atomic without the role that it has"},
};

const char *object_changed_inst(uint32_t version, const struct hd_inst *inst, uint32_t *since)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *change = &changes[i];
		if (version < change->since && inst->op == change->op &&
		    hd_mod_get(inst->mods, change->kind) == change->value) {
			*since = change->since;
			return change->what;
		}
	}
	return NULL;
}
