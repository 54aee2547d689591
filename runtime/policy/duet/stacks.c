/*
 * What moves with a context: what the warp's switch point keeps, its slot's state, and CARS' register stacks.
 *
 * Under GPUDuet and Virtual Thread stacks give fewer spills and more warps at once, which neither paper has
 * (cars-hpca24; gpu-multiprogramming-lin, chapter 3). CARS says what registers the warps of a launch have, one number
 * for all (cars/joined.c), and these are what bounds the blocks and what a warp leaves.
 *
 * The compiler's switch points speak of the registers that instructions name; in the register file of CARS those of
 * the callers lie beside them. A context therefore has what the switch point keeps of the kernel's registers, in no
 * call. In a call it has what the point keeps of R0 to R15, which calls do not keep, and the kernel's others, of which
 * any may be its caller's. In both it has the rows of the stack in use, from the bottom to RSP.
 *
 * A place has room for the largest of the former two, one size a kernel as the paper has it, and for the deepest chain
 * of calls; of the stack only rows in use move, and take time (equations 3.1 to 3.3). A warp that is to store or load
 * what a trap moves stays until that is done.
 *
 * Cost: O(switch points of the program) a launch, O(1) a move.
 */
#include "heddle/figures.h"
#include "runtime/exec/exec.h"
#include "runtime/policy/cars/cars.h"
#include "runtime/policy/duet/duet.h"
#include "runtime/sm/hooks.h"

extern const struct hd_policy_hooks hd_hooks_cars;

const struct hd_policy_handle *duet_find_cars(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks == &hd_hooks_cars)
			return &gpu->policies[i];
	return NULL;
}

uint32_t duet_stacks_registers(const struct duet_gpu *duet, const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	uint32_t rows = cars_rows_of_launch(duet->cars, gpu).all;
	return rows > grid->registers ? rows : grid->registers;
}

/* ---- the size of a context */

static uint32_t pattern_bytes(const struct hd_meta_switch *point, uint32_t reg)
{
	for (uint32_t i = 0; i < point->pattern_count; i++)
		if (point->patterns[i].reg == reg)
			return (uint32_t)sizeof(uint32_t) * (point->patterns[i].strided ? 2 : 1);
	return HD_ROW_BYTES;
}

/* Of the registers that calls do not keep. */
static uint64_t scratch_of(const struct hd_meta_switch *point)
{
	return (point->live_divergent.regs[0] | point->loading.regs[0]) & ((UINT64_C(1) << CARS_FIRST_SAVED) - 1);
}

static uint32_t scratch_bytes(const struct hd_meta_switch *point)
{
	uint32_t bytes = 0;
	for (uint64_t left = scratch_of(point); left; left &= left - 1)
		bytes += pattern_bytes(point, (uint32_t)__builtin_ctzll(left));
	return bytes;
}

/* At any switch point in what a kernel may call: any function that is loaded. */
static uint32_t most_scratch(const struct hd_gpu *gpu)
{
	uint32_t most = 0;
	for (uint32_t f = 0; f < gpu->program.functions.len; f++) {
		const struct hd_meta_function *said = gpu->program.functions.data[f].said;
		if (!said)
			return CARS_FIRST_SAVED * HD_ROW_BYTES;
		for (uint32_t i = 0; i < said->switch_count && !said->kernel; i++) {
			uint32_t bytes = scratch_bytes(&said->switches[i]);
			most = bytes > most ? bytes : most;
		}
	}
	return most;
}

static uint32_t units_of(uint32_t bytes)
{
	return (bytes + DUET_UNIT_BYTES - 1) / DUET_UNIT_BYTES;
}

uint32_t duet_stacks_below(const struct duet_gpu *duet, const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel->meta;
	uint32_t base = cars_rows_of_launch(duet->cars, gpu).base, most = 0;
	if (grid->block[0] % HD_WARP_LANES)
		return duet_whole_registers(meta, base);
	for (uint32_t i = 0; i < meta->switch_count; i++)
		most = meta->switches[i].bytes > most ? meta->switches[i].bytes : most;
	if (meta->call_count) {
		uint32_t callers = base > CARS_FIRST_SAVED ? base - CARS_FIRST_SAVED : 0;
		uint32_t called = most_scratch(gpu) + callers * (uint32_t)HD_ROW_BYTES;
		most = called > most ? called : most;
	}
	return units_of(most);
}

uint32_t duet_stacks_most(const struct duet_gpu *duet, const struct hd_gpu *gpu)
{
	return duet->cars ? cars_rows_of_launch(duet->cars, gpu).stack : 0;
}

/* ---- what moves */

static uint32_t rows_that_move(const struct duet_gpu *duet, const struct hd_warp *warp)
{
	uint32_t rows = duet->cars ? cars_rows_in_use(duet->cars, warp) : 0;
	return rows < duet->stack ? rows : duet->stack;
}

uint32_t duet_registers_at(const struct hd_meta_switch *point)
{
	uint32_t count = 0;
	for (uint32_t word = 0; word < 4; word++)
		count += (uint32_t)__builtin_popcountll(point->live_divergent.regs[word] | point->loading.regs[word]);
	return count;
}

/* What the point keeps of the function's own registers, and below the stack of CARS in a call. The compiler's bytes are
 * those of groups of 32 threads; where rows of a block make other groups nothing is compressed. */
static uint32_t units_at(const struct duet_gpu *duet, const struct hd_warp *warp, const struct hd_meta_switch *point)
{
	bool compressed = !(warp->cta->grid->block[0] % HD_WARP_LANES);
	if (!duet->cars || !hd_simt_in_call(warp))
		return compressed ? units_of(point->bytes) : duet_registers_at(point);
	uint32_t base = cars_rows_of_launch(duet->cars, warp->cta->sm->gpu).base;
	uint32_t scratch = (uint32_t)__builtin_popcountll(scratch_of(point));
	return (compressed ? units_of(scratch_bytes(point)) : scratch) +
	       (base > CARS_FIRST_SAVED ? base - CARS_FIRST_SAVED : 0);
}

/* Units of the registers below the stack that its switch point keeps, at most those of its place. */
static uint32_t kept_units(const struct duet_gpu *duet, const struct hd_warp *warp)
{
	const struct hd_meta_switch *point = duet_point_of(warp->cta->sm, warp);
	uint32_t most = duet->kernel.context - duet->kernel.slot - duet->stack;
	return !point || duet->all_moves ? most : duet_least(most, units_at(duet, warp, point));
}

struct duet_load duet_warp_load(const struct duet_gpu *duet, const struct hd_warp *warp)
{
	if (!(duet->parts & HD_PART_REGISTERS))
		return (struct duet_load){duet->kernel.slot, 0};
	uint32_t rows = rows_that_move(duet, warp);
	return (struct duet_load){kept_units(duet, warp) + duet->kernel.slot + rows, rows};
}

struct duet_load duet_block_load(const struct duet_gpu *duet, const struct hd_cta *cta)
{
	if (!(duet->parts & HD_PART_REGISTERS))
		return (struct duet_load){duet->moving, 0};
	struct duet_load load = {0};
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		if (!duet_lives(hd_cta_warp(cta, i)))
			continue;
		struct duet_load warp = duet_warp_load(duet, cta->warps[i]);
		load.units += warp.units;
		load.stacks += warp.stacks;
	}
	return load;
}

void duet_stacks_follow(const struct duet_gpu *duet, struct hd_warp *warp, const struct hd_registers *kept)
{
	if (duet->cars)
		cars_follow(duet->cars, warp, kept);
}
