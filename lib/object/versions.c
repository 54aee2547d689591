/*
 * What objects of earlier versions say differently, from HD_OBJECT_OLDEST on. Most changes add at the end of a list and
 * need no row: opcodes (F2FP, REDUX and the lanes .HERE during version 11). A row is an instruction whose bytes have
 * another meaning since a version, or beside which something has to stand since then. It cannot be rewritten where it
 * takes an instruction more, since code, metadata and origins count instructions. A function that has such an
 * instruction is refused when it is read; the object's other functions run.
 *
 * Nor can a role be added. In version 11 the vote .HERE stands in front of an atomic operation that one lane makes for
 * all. Which of the atomic operations behind it that is, is not said, and without the role a check for races would take
 * it for an access of this lane alone. Where none stands behind the vote, it is __activemask(), as it is today.
 *
 * Constant time for an instruction.
 */
#include "heddle/opcodes.h"
#include "lib/object/parts.h"

static const struct change {
	uint32_t since; /* the first version with the new meaning */
	enum hd_op op;
	enum hd_mod_kind kind; /* of the modifier that has this value */
	uint32_t value;
	bool for_atomic; /* only with an atomic operation behind it */
	const char *what;
} changes[] = {
	{11, HD_OP_MUFU, HD_MOD_MUFUFN, HD_MUFU_SIN, false, "MUFU.SIN of radians, which takes turns"},
	{11, HD_OP_MUFU, HD_MOD_MUFUFN, HD_MUFU_COS, false, "MUFU.COS of radians, which takes turns"},
	{12, HD_OP_VOTE, HD_MOD_MEMBERS, HD_MEMBERS_HERE, true, "VOTE.HERE for an atomic without the role that it has"},
};

const char *object_changed_inst(uint32_t version, const struct hd_inst *inst, bool before_atomic, uint32_t *since)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *change = &changes[i];
		if (version < change->since && inst->op == change->op && (before_atomic || !change->for_atomic) &&
		    hd_mod_get(inst->mods, change->kind) == change->value) {
			*since = change->since;
			return change->what;
		}
	}
	return NULL;
}
