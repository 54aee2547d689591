/*
 * Accesses outside of what they are meant for, where that is no fault: of one variable in its neighbour, and on the
 * device's heap. Looked for under every --check.
 *
 * An access whose address is made of that of one variable (passes/select/variable.c) stays in it; dynamic shared memory
 * is what lies behind the static one. On the heap an access stays in a block that malloc returned and that was not
 * freed.
 *
 * Cost: for accesses to a known variable a comparison a lane; for those to the heap a binary search.
 */
#include "heddle/opcodes.h"
#include "runtime/check/state.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/load.h"

/* ---- blocks of the heap */

/* The first block that begins behind the address. */
static uint32_t block_after(const struct hd_check *check, uint64_t address)
{
	uint32_t after;
	HD_BISECT(after, 0, check->heap.len, check->heap.data[after].low <= address);
	return after;
}

static const struct hd_heap_block *block_before(const struct hd_check *check, uint64_t address)
{
	uint32_t after = block_after(check, address);
	return after ? &check->heap.data[after - 1] : NULL;
}

static struct hd_heap_block *put_block(struct hd_check *check, uint64_t address)
{
	uint32_t after = block_after(check, address);
	if (after && check->heap.data[after - 1].low == address)
		return &check->heap.data[after - 1];
	hd_vec_insert(&check->heap, after, (struct hd_heap_block){0});
	return &check->heap.data[after];
}

void hd_check_malloc(struct hd_check *check, const struct hd_exec *exec, uint32_t lane, uint64_t address,
		     uint64_t bytes)
{
	const struct hd_warp *warp = exec->warp;
	if (!address)
		return;
	struct hd_heap_block *block = put_block(check, address);
	*block = (struct hd_heap_block){.low = address, .bytes = bytes, .pc = warp->pc};
	hd_finding_place(&block->by, warp, lane);
	hd_check_allocated(check, address, bytes);
	hd_global_forget(check, address, bytes);
}

void hd_check_freed(struct hd_check *check, const struct hd_exec *exec, uint64_t address)
{
	uint32_t after = block_after(check, address);
	if (!after || check->heap.data[after - 1].low != address)
		return;
	check->heap.data[after - 1].freed = true;
	check->heap.data[after - 1].freed_pc = exec->warp->pc;
}

const struct hd_heap_block *hd_check_heap_block(const struct hd_check *check, uint64_t address)
{
	const struct hd_heap_block *before = block_before(check, address);
	uint32_t after = block_after(check, address);
	/* The nearest one: a header of 16 bytes is in front of each. */
	if (after < check->heap.len && address + 16 >= check->heap.data[after].low &&
	    (!before || address - before->low >= before->bytes))
		return &check->heap.data[after];
	return before;
}

static void check_heap(struct hd_check *check, const struct hd_exec *exec, uint32_t lane, uint64_t address,
		       uint32_t bytes)
{
	uint64_t low, high;
	const struct hd_gpu *gpu = exec->gpu;
	if (!gpu->heap_address || !hd_devmem_find(gpu->devmem, gpu->heap_address, &low, &high) || address < low ||
	    address >= high)
		return;
	const struct hd_heap_block *block = hd_check_heap_block(check, address);
	if (block && !block->freed && address >= block->low && address - block->low + bytes <= block->bytes)
		return;
	bool freed = block && block->freed && address >= block->low && address - block->low < block->bytes;
	hd_check_found(check, exec->warp, lane,
		       (struct hd_finding){
			       .kind = freed ? HD_FOUND_FREED : HD_FOUND_HEAP,
			       .pc = exec->warp->pc,
			       .other_pc = !block  ? HD_PC_NONE
					   : freed ? block->freed_pc
						   : block->pc,
			       .other = UINT32_MAX,
			       .bytes = bytes,
			       .space = HD_MEM_GLOBAL,
			       .address = address,
			       .low = block ? block->low : 0,
			       .size = block ? block->bytes : 0,
		       });
}

void hd_check_leaks(struct hd_check *check)
{
	for (uint32_t i = 0; i < check->heap.len; i++) {
		const struct hd_heap_block *block = &check->heap.data[i];
		struct hd_finding finding = block->by;
		if (block->freed)
			continue;
		finding.kind = HD_FOUND_LEAK;
		finding.pc = block->pc;
		finding.other_pc = HD_PC_NONE;
		finding.other = UINT32_MAX;
		finding.size = block->bytes;
		hd_check_found_at(check, &finding);
	}
}

/* ---- variables */

static const struct hd_symbol *variable_of(const struct hd_gpu *gpu, uint32_t pc, const struct hd_module **module)
{
	const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[pc].function];
	*module = function->module;
	if (!function->module || !function->object || !function->object->origins)
		return NULL;
	uint32_t variable = function->object->origins[pc - function->first].variable;
	return variable ? &function->module->object.symbols[variable - 1] : NULL;
}

/* Where it lies in the block's shared memory, or in device memory. False: nobody knows. */
static bool find_variable(const struct hd_exec *exec, const struct hd_module *module, const struct hd_symbol *symbol,
			  uint64_t *low, uint64_t *size)
{
	const struct hd_grid *grid = exec->warp->cta->grid;
	if (symbol->space != HD_SPACE_SHARED)
		return symbol->defined && !hd_program_symbol(module, symbol->name, low, size);
	*low = symbol->section_offset;
	*size = symbol->size;
	if (!symbol->defined) {
		*low = hd_constant(exec->warp, HD_CB_DYN_SHARED);
		*size = grid->shared_bytes - *low;
	}
	return *low <= grid->shared_bytes;
}

/* Is it a fault anyway? */
static bool faults(const struct hd_exec *exec, uint64_t address, uint32_t bytes, uint8_t space)
{
	uint64_t low, high;
	if (space == HD_MEM_SHARED)
		return address + bytes > exec->warp->cta->grid->shared_bytes;
	return !hd_devmem_find(exec->gpu->devmem, address, &low, &high) || bytes > high - address;
}

/* An atomic operation of a byte or two exchanges the word that it is in, with what is beside it. */
static bool exchanges_word(const struct hd_dinst *inst, uint64_t inside, uint64_t size)
{
	bool strong = inst->effects & HD_FX_ATOMIC || hd_mod_get(inst->inst.mods, HD_MOD_SEM) != HD_SEM_WEAK;
	return strong && inst->access_bytes == 4 && (inside < size || inside + 3 < 3);
}

void hd_check_bounds(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		     const struct hd_accesses *accesses)
{
	const struct hd_module *module;
	uint32_t pc = exec->warp->pc, bytes = inst->access_bytes;
	const struct hd_symbol *symbol = variable_of(exec->gpu, pc, &module);
	uint64_t low = 0, size = 0;
	if (symbol && !find_variable(exec, module, symbol, &low, &size))
		symbol = NULL;
	HD_FOR_LANES (lane, exec->mask & hd_op_address_lanes(inst->inst.op, inst->inst.mods)) {
		uint64_t address = accesses->address[lane], inside = address - low;
		bool shared = accesses->space[lane] == HD_MEM_SHARED;
		if (symbol && shared == (symbol->space == HD_SPACE_SHARED) && accesses->space[lane] != HD_MEM_LOCAL &&
		    (inside >= size || bytes > size - inside) && !exchanges_word(inst, inside, size) &&
		    !faults(exec, address, bytes, accesses->space[lane]))
			hd_check_found(check, exec->warp, lane,
				       (struct hd_finding){.kind = HD_FOUND_OUTSIDE,
							   .pc = pc,
							   .other_pc = HD_PC_NONE,
							   .other = UINT32_MAX,
							   .bytes = bytes,
							   .space = accesses->space[lane],
							   .address = address,
							   .low = low,
							   .size = size,
							   .what = symbol->name});
		if (accesses->space[lane] == HD_MEM_GLOBAL)
			check_heap(check, exec, lane, address, bytes);
	}
}
