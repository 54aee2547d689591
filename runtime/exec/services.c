/*
 * Does a kernel reach a runtime service that other SMs notice: printf, whose lines have an order, malloc and free of
 * the one heap? Follows calls from its first function; an indirect call may go anywhere.
 *
 * Cost: O(code) for a kernel.
 */
#include "runtime/exec/later.h"

static bool is_shared_service(const struct hd_inst *inst)
{
	return inst->op == HD_OP_SYSCALL && inst->x != HD_SYS_ASSERTFAIL;
}

/* Adds the functions that this one calls; true: it has what is looked for. */
static bool look(const struct hd_program *program, uint32_t index, bool *seen, bool *any)
{
	const struct hd_pfunction *function = &program->functions.data[index];
	for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
		const struct hd_inst *inst = &program->code.data[pc].inst;
		if (is_shared_service(inst))
			return true;
		if (inst->op == HD_OP_CALL && inst->x < program->code.len)
			seen[program->code.data[inst->x].function] = true;
		*any |= inst->op == HD_OP_CALLI;
	}
	return false;
}

bool hd_program_serves(const struct hd_program *program, uint32_t entry)
{
	uint32_t count = program->functions.len;
	bool *seen = hd_xcalloc(count, sizeof *seen), *looked = hd_xcalloc(count, sizeof *looked);
	bool found = false, any = false, more = true;
	seen[program->code.data[entry].function] = true;
	while (more && !found) {
		more = false;
		for (uint32_t i = 0; i < count && !found; i++) {
			if (looked[i] || !(seen[i] || any))
				continue;
			looked[i] = more = true;
			found = look(program, i, seen, &any);
		}
	}
	free(seen);
	free(looked);
	return found;
}
