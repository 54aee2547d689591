/*
 * --verify of what linear values prove about a kernel's original code (struct hd_meta_affine):
 *
 *   accesses   of a warp with all lanes: stride, alignment, the 32-byte sectors and the bank conflicts that the
 *              coalescer counts are those of the report, in blocks for which it speaks. What follows from the
 *              alignment of pointers is checked where every pointer parameter has the alignment that the report assumes
 *   branches   lanes, blocks or the whole grid agree on a branch that was said to be the same for them. Between
 *              threads in different iterations of a loop there is nothing to compare
 *
 * Off, nothing of this exists; on, a table of the code is made at load, and a byte a branch for the grid and each
 * block. What branches of the whole grid did is told in the order of cycles and SMs (hd_later_tell), where they did
 * something else than is known of them.
 */
#include "heddle/figures.h"
#include "runtime/exec/later.h"
#include "runtime/memory/coalescer.h"
#include "runtime/sm/sm.h"
#include "runtime/verify/verify.h"

enum { GROUP_WIDE = 16, GROUP_WIDEST = 8, REPORT_BANKS = 32 };
#define REPORT_ALIGNMENT 256u /* of pointers: of what cudaMalloc returns (CUDA C++ Programming Guide, 5.3.2) */

/* Of each instruction: 1 + index in the metadata. */
struct hd_claim {
	uint32_t access, branch;
};

/* What branches did so far. */
enum way { UNKNOWN, TAKEN, NOT_TAKEN };
struct hd_ways {
	uint64_t owner; /* blocks: 1 + hd_cta.linear */
	uint8_t way[];
};

/* Of a launch. */
struct hd_claims {
	bool aligned; /* every pointer parameter is */
	struct hd_ways *grid;
};

/* ---- at load */

void hd_verify_affine_prepare(struct hd_module *module, struct hd_pfunction *function)
{
	const struct hd_meta_affine *affine = function->meta ? function->meta->affine : NULL;
	if (!affine || !(affine->access_count + affine->branch_count))
		return;
	struct hd_claim *claims = HD_ARENA_NEW(&module->arena, struct hd_claim, function->count);
	for (uint32_t i = 0; i < affine->access_count; i++)
		if (affine->accesses[i].pc / HD_INST_BYTES < function->count)
			claims[affine->accesses[i].pc / HD_INST_BYTES].access = i + 1;
	for (uint32_t i = 0; i < affine->branch_count; i++)
		if (affine->branches[i].pc / HD_INST_BYTES < function->count)
			claims[affine->branches[i].pc / HD_INST_BYTES].branch = i + 1;
	function->claims = claims;
}

/* ---- of a launch */

/* Members of structures count as pointers where they may be some. */
static bool members_aligned(const struct hd_grid *grid, const struct hd_meta_param *param)
{
	enum { LEAST_POINTER = 4096 };
	for (uint32_t at = 0; at + 8 <= param->bytes && param->offset + at <= HD_CB_BYTES - HD_CB_PARAMS - 8; at += 8) {
		uint64_t word;
		memcpy(&word, grid->constants + HD_CB_PARAMS + param->offset + at, 8);
		if (word >= LEAST_POINTER && word % REPORT_ALIGNMENT)
			return false;
	}
	return true;
}

static bool pointers_aligned(const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel->meta;
	for (uint32_t i = 0; i < meta->param_count; i++) {
		const struct hd_meta_param *param = &meta->params[i];
		uint64_t pointer = 0;
		if (param->kind == HD_PARAM_AGGREGATE && !members_aligned(grid, param))
			return false;
		if (param->kind != HD_PARAM_POINTER || param->bytes != 8 ||
		    param->offset > HD_CB_BYTES - HD_CB_PARAMS - 8)
			continue;
		memcpy(&pointer, grid->constants + HD_CB_PARAMS + param->offset, 8);
		if (pointer % REPORT_ALIGNMENT)
			return false;
	}
	return true;
}

void hd_verify_affine_begin(const struct hd_grid *grid, struct hd_verify_grid *kept)
{
	const struct hd_meta_function *meta = grid->kernel ? grid->kernel->meta : NULL;
	if (!meta || !meta->affine)
		return;
	kept->claims = hd_xcalloc(1, sizeof(*kept->claims));
	kept->claims->aligned = pointers_aligned(grid);
	kept->claims->grid = hd_xcalloc(1, sizeof(*kept->claims->grid) + meta->affine->branch_count);
}

static struct hd_claims *claims_of(const struct hd_watcher_handle *self, struct hd_grid *grid)
{
	struct hd_verify_grid *kept = HD_WATCHER_OF(self, grid, grid);
	return kept->claims;
}

void hd_verify_affine_end(struct hd_verify_grid *kept)
{
	if (!kept->claims)
		return;
	free(kept->claims->grid);
	free(kept->claims);
	kept->claims = NULL;
}

static struct hd_ways *ways_of_block(const struct hd_watcher_handle *self, struct hd_cta *cta, uint32_t count)
{
	struct hd_verify_block *kept = HD_WATCHER_OF(self, cta, cta);
	if (!kept->ways || kept->ways_room < count) {
		kept->ways = hd_arena_alloc(&cta->sm->arena, sizeof(*kept->ways) + count);
		kept->ways_room = count;
	}
	if (kept->ways_grid != cta->grid->id + 1 || kept->ways->owner != (uint64_t)cta->linear + 1) {
		kept->ways_grid = cta->grid->id + 1;
		memset(kept->ways, 0, sizeof(*kept->ways) + count);
		kept->ways->owner = (uint64_t)cta->linear + 1;
	}
	return kept->ways;
}

/* ---- branches */

static bool agrees(struct hd_ways *ways, uint32_t index, bool taken)
{
	enum way way = taken ? TAKEN : NOT_TAKEN;
	bool same = ways->way[index] == UNKNOWN || ways->way[index] == way;
	ways->way[index] = (uint8_t)way;
	return same;
}

static void report_branch(struct hd_exec *exec, uint32_t lane, uint32_t class)
{
	static const char *const whom[] = {"all threads", "the threads of a block", "the lanes of a warp"};
	HD_FAULT(exec, lane, HD_SIM_VERIFY, "the metadata says that this branch is the same for %s, and it is not",
		 whom[class]);
}

/* A warp came to a branch of the grid. */
struct came {
	struct hd_ways *ways;
	uint32_t index, lane;
	bool taken;
};

static void check_way(void *state, struct hd_exec *exec, const void *record)
{
	const struct came *came = record;
	(void)state;
	if (!agrees(came->ways, came->index, came->taken))
		report_branch(exec, came->lane, HD_CLASS_GRID);
}

/* Mostly it is known already, and as expected. */
static void tell_way(struct hd_exec *exec, struct hd_ways *ways, uint32_t index, bool taken, uint32_t lane)
{
	const struct came came = {ways, index, lane, taken};
	if (ways->way[index] != (taken ? TAKEN : NOT_TAKEN))
		hd_later_tell(exec, check_way, NULL, &came, sizeof(came));
}

static void check_branch(const struct hd_watcher_handle *self, struct hd_exec *exec,
			 const struct hd_meta_affine *affine, uint32_t index)
{
	const struct hd_meta_branch *branch = &affine->branches[index];
	struct hd_cta *cta = exec->warp->cta;
	uint32_t taken = exec->mask, active = exec->warp->active;
	bool same = taken == 0 || taken == active;
	if (branch->class > HD_CLASS_WARP)
		return;
	if (same && !branch->iterates && branch->class == HD_CLASS_BLOCK)
		same = agrees(ways_of_block(self, cta, affine->branch_count), index, taken != 0);
	uint32_t lane = (uint32_t)__builtin_ctz(taken ? taken : active);
	if (same && !branch->iterates && branch->class == HD_CLASS_GRID)
		tell_way(exec, claims_of(self, cta->grid)->grid, index, taken != 0, lane);
	if (!same)
		report_branch(exec, lane, branch->class);
}

/* ---- accesses */

static bool speaks_for(const struct hd_meta_access *access, const struct hd_grid *grid)
{
	if (access->assumes == HD_ASSUME_BLOCK)
		return !memcmp(access->block, grid->block, sizeof(grid->block));
	return access->assumes == HD_ASSUME_WHOLE_ROWS && grid->block[0] % HD_WARP_LANES == 0;
}

static void check_stride(struct hd_exec *exec, const struct hd_meta_access *access)
{
	const uint64_t *address = exec->effect->address;
	for (uint32_t lane = 1; lane < HD_WARP_LANES && access->stride_known; lane++) {
		int64_t stride = (int64_t)(address[lane] - address[lane - 1]);
		if (stride == access->stride)
			continue;
		HD_FAULT(exec, lane, HD_SIM_VERIFY,
			 "the address is %lld bytes from its neighbour's, the metadata says %lld", (long long)stride,
			 (long long)access->stride);
		return;
	}
}

static void check_alignment(struct hd_exec *exec, const struct hd_meta_access *access)
{
	bool shared = access->space == HD_ACCESS_SHARED;
	uint64_t address = exec->effect->address[0] - (shared ? exec->warp->cta->shared_offset : 0);
	if (access->alignment && address % access->alignment)
		HD_FAULT(exec, 0, HD_SIM_VERIFY,
			 "the warp's first address 0x%llx is no multiple of %u, as the metadata says",
			 (unsigned long long)address, access->alignment);
}

static void fill_request(const struct hd_exec *exec, const struct hd_meta_access *access,
			 struct hd_mem_request *request)
{
	static const uint8_t kinds[] = {HD_MEM_LOAD, HD_MEM_STORE, HD_MEM_ATOMIC};
	*request = (struct hd_mem_request){.kind = kinds[access->kind],
					   .bytes = (uint8_t)access->bytes,
					   .mask = UINT32_MAX};
	memcpy(request->address, exec->effect->address, sizeof(request->address));
}

/* 32-byte sectors of 128-byte lines, whatever the GPU has. */
static uint32_t count_sectors(const struct hd_exec *exec, const struct hd_meta_access *access)
{
	static const struct hd_coalescer sizes = {7, 5};
	struct hd_access lines[HD_MAX_ACCESSES];
	struct hd_mem_request request;
	uint32_t sectors = 0;
	fill_request(exec, access, &request);
	for (uint32_t i = hd_coalesce(&sizes, &request, lines); i-- > 0;)
		sectors += (uint32_t)__builtin_popcount(lines[i].sectors);
	return sectors;
}

/* Of the busiest bank in a group of lanes that is served at once. */
static uint32_t count_conflicts(const struct hd_exec *exec, const struct hd_meta_access *access)
{
	uint32_t group = access->bytes > 8 ? GROUP_WIDEST : access->bytes > 4 ? GROUP_WIDE : HD_WARP_LANES;
	struct hd_mem_request request;
	uint32_t most = 0;
	fill_request(exec, access, &request);
	for (uint32_t first = 0; first < HD_WARP_LANES; first += group) {
		request.mask = (uint32_t)((UINT64_C(1) << group) - 1) << first;
		uint32_t cycles = hd_shared_cycles(&request, REPORT_BANKS, false);
		most = cycles > most ? cycles : most;
	}
	return most;
}

static void check_bounds(struct hd_exec *exec, uint32_t least, uint32_t most, uint32_t found, const char *what)
{
	if (most && (found < least || found > most))
		HD_FAULT(exec, 0, HD_SIM_VERIFY, "the request has %u %s, the metadata says %u to %u", found, what,
			 least, most);
}

static void check_access(const struct hd_watcher_handle *self, struct hd_exec *exec,
			 const struct hd_meta_access *access)
{
	struct hd_grid *grid = exec->warp->cta->grid;
	bool shared = access->space == HD_ACCESS_SHARED;
	if (access->space == HD_ACCESS_GENERIC || exec->effect->event != HD_EVENT_MEMORY ||
	    exec->effect->mask != UINT32_MAX || !speaks_for(access, grid))
		return;
	check_stride(exec, access);
	if (exec->fault || (!shared && !claims_of(self, grid)->aligned))
		return;
	check_alignment(exec, access);
	if (exec->fault)
		return;
	if (shared)
		check_bounds(exec, access->conflicts_least, access->conflicts_most, count_conflicts(exec, access),
			     "accesses of the busiest bank");
	else
		check_bounds(exec, access->sectors_least, access->sectors_most, count_sectors(exec, access), "sectors");
}

/* ---- around an instruction */

/* Lanes that ran ahead may reconverge with others in another iteration of a loop. */
static const struct hd_claim *claim_at(const struct hd_exec *exec, const struct hd_pfunction *function)
{
	return function->claims && !exec->warp->reordered ? &function->claims[exec->warp->pc - function->first] : NULL;
}

void hd_verify_affine_before(const struct hd_watcher_handle *self, struct hd_exec *exec,
			     const struct hd_pfunction *function)
{
	const struct hd_claim *claim = claim_at(exec, function);
	if (claim && claim->branch)
		check_branch(self, exec, function->meta->affine, claim->branch - 1);
}

void hd_verify_affine_after(const struct hd_watcher_handle *self, struct hd_exec *exec,
			    const struct hd_pfunction *function)
{
	const struct hd_claim *claim = claim_at(exec, function);
	if (claim && claim->access)
		check_access(self, exec, &function->meta->affine->accesses[claim->access - 1]);
}
