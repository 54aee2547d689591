/*
 * Does a kernel reach a runtime service that other SMs notice: printf, whose lines have an order, malloc and free of
 * the one heap? Or a loop in which lanes may wait for others, or a barrier of a cluster? Follows calls from its first
 * function; an indirect call may go anywhere.
 *
 * Cost: O(code) for a kernel.
 */
#include "heddle/opcodes.h"
#include "lib/object/spins.h"
#include "runtime/exec/later.h"

static bool is_shared_service(const struct hd_dinst *dinst)
{
	const struct hd_inst *inst = &dinst->inst;
	return inst->op == HD_OP_SYSCALL && inst->x != HD_SYS_ASSERTFAIL;
}

static bool is_wait(const struct hd_dinst *dinst)
{
	return dinst->spins != HD_SPIN_NEVER;
}

static bool is_cluster_barrier(const struct hd_dinst *dinst)
{
	return dinst->inst.op == HD_OP_CGABAR_ARV || dinst->inst.op == HD_OP_CGABAR_WAIT;
}

static bool is_product(const struct hd_dinst *dinst)
{
	return dinst->inst.op == HD_OP_WGMMA;
}

static bool is_resize(const struct hd_dinst *dinst)
{
	return dinst->inst.op == HD_OP_USETMAXREG;
}

typedef bool is_wanted(const struct hd_dinst *dinst);

/* Adds the functions that this one calls; true: it has what is looked for. */
static bool look(const struct hd_program *program, uint32_t index, is_wanted *wanted, bool *seen, bool *any)
{
	const struct hd_pfunction *function = &program->functions.data[index];
	for (uint32_t pc = function->first; pc < function->first + function->count; pc++) {
		const struct hd_inst *inst = &program->code.data[pc].inst;
		if (wanted(&program->code.data[pc]))
			return true;
		if (inst->op == HD_OP_CALL && inst->x < program->code.len)
			seen[program->code.data[inst->x].function] = true;
		*any |= inst->op == HD_OP_CALLI;
	}
	return false;
}

static bool reaches(const struct hd_program *program, uint32_t entry, is_wanted *wanted)
{
	uint32_t count = program->functions.len;
	bool *seen = hd_xcalloc(count, sizeof *seen), *looked = hd_xcalloc(count, sizeof *looked);
	bool found = false, any = false, more = true;
	seen[program->code.data[entry].function] = true;
	while (more && !found) {
		more = false;
		for (uint32_t i = 0; i < count && !found; i++) {
			if (looked[i] || !(seen[i] || any) || !program->functions.data[i].there)
				continue;
			looked[i] = more = true;
			found = look(program, i, wanted, seen, &any);
		}
	}
	free(seen);
	free(looked);
	return found;
}

bool hd_program_serves(const struct hd_program *program, uint32_t entry)
{
	return reaches(program, entry, is_shared_service);
}

bool hd_program_waits(const struct hd_program *program, uint32_t entry)
{
	return reaches(program, entry, is_wait);
}

bool hd_program_meets_clusters(const struct hd_program *program, uint32_t entry)
{
	return reaches(program, entry, is_cluster_barrier);
}

bool hd_program_has_products(const struct hd_program *program, uint32_t entry)
{
	return reaches(program, entry, is_product);
}

bool hd_program_resizes(const struct hd_program *program, uint32_t entry)
{
	return reaches(program, entry, is_resize);
}
