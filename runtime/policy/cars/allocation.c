/*
 * How many registers a warp gets (cars-hpca24 III-B). At launch the other limits of occupancy are known, whole blocks
 * among them: when the register file divided among the warps that they and Low admit holds the High-watermark, every
 * warp gets its share and nothing is lost. Otherwise there is a choice between N x Low for N = 1, 2, ... and High. Half
 * of the SMs begin with Low, half with High; the cycles of thread blocks from launch to end are averaged for each
 * allocation, and each new block's SM moves one step towards the best one known (Figure 5). The best is where the next
 * launch of a kernel of the same name begins, whatever its grid: an allocation is Low, N x Low or High, and the rows
 * that these come to differ with the warps that a grid leaves an SM. A launch without a choice compares nothing, so
 * that one with a choice after it still begins with Low and High.
 *
 * The blocks of a cooperative grid wait for each other, and a warp that spins keeps its rows: a stalled warp would wait
 * for ever. There only allocations count under which every resident warp has its rows, so that none is ever stalled.
 * As many blocks are resident as without CARS; where that leaves a warp less than Low, the calls that do not fit keep
 * their saves in memory, as in the baseline.
 *
 * Beside a policy that moves warps and their registers (joined.c) a launch has one allocation, and only as many
 * blocks as have theirs at once: those beyond are the other policy's, and no warp is stalled here. The first launch of
 * a kernel takes High, and each further one the best known or one beside it that is not known yet; a block's time is
 * then the time of all SMs over the blocks of the launch.
 *
 * A block's time includes the time for which its warps wait for registers, so that the averages compare throughput.
 * The paper gives Low "what is left over" where another resource limits occupancy; so does this.
 */
#include "runtime/policy/cars/cars.h"

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/occupancy.h"
#include "lib/bits.h"
#include "runtime/sm/hooks.h"

static uint32_t round_up(uint32_t rows, uint32_t unit)
{
	return (rows + unit - 1) / unit * unit;
}

static void add_level(struct cars_levels *levels, uint32_t rows, uint32_t multiple)
{
	levels->rows[levels->count] = rows;
	levels->multiple[levels->count++] = multiple;
}

void cars_levels_make(struct cars_levels *levels, const struct cars_demand *demand)
{
	*levels = (struct cars_levels){.base = demand->base, .low = demand->base + demand->max_fru};
	uint32_t file = demand->file_rows / demand->unit * demand->unit;
	uint32_t low = round_up(levels->low, demand->unit), high = round_up(demand->high, demand->unit);
	uint32_t share = demand->warps ? file / demand->warps / demand->unit * demand->unit : file;
	high = high < low ? low : high > file ? file : high;
	if (share >= high || high == low) {
		add_level(levels, share > high ? share : high, 0);
		return;
	}
	add_level(levels, share > low ? share : low, 1);
	for (uint32_t n = 2; levels->count < CARS_MAX_LEVELS - 1; n++) {
		uint32_t rows = round_up(demand->base + n * demand->max_fru, demand->unit);
		if (rows >= high)
			break;
		if (rows > levels->rows[levels->count - 1])
			add_level(levels, rows, n);
	}
	add_level(levels, high, 0);
}

void cars_levels_force(struct cars_levels *levels, const struct cars_demand *demand, const char *parameter)
{
	uint32_t file = demand->file_rows / demand->unit * demand->unit;
	uint32_t n = (uint32_t)strtoul(parameter, NULL, 10), last = levels->count - 1;
	uint32_t rows = round_up(demand->base + n * demand->max_fru, demand->unit);
	if (!strcmp(parameter, "high")) {
		levels->rows[0] = levels->rows[last];
		levels->multiple[0] = levels->multiple[last];
	} else if (n) {
		levels->rows[0] = rows < file ? rows : file;
		levels->multiple[0] = n;
	} /* else Low, which is there already */
	levels->count = 1;
}

void cars_levels_bound(struct cars_levels *levels, const struct cars_demand *demand)
{
	uint32_t most = demand->file_rows / (demand->warps ? demand->warps : 1) / demand->unit * demand->unit, kept = 0;
	if (!demand->all_run)
		return;
	for (uint32_t i = 0; i < levels->count; i++) {
		if (levels->rows[i] > most)
			continue;
		levels->rows[kept] = levels->rows[i];
		levels->multiple[kept++] = levels->multiple[i];
	}
	if (!kept) {
		uint32_t stack = most > demand->base ? most - demand->base : 0;
		bool low = demand->max_fru && stack >= demand->max_fru;
		levels->rows[kept] = most;
		levels->multiple[kept++] = low ? stack / demand->max_fru : CARS_BELOW_LOW;
	}
	levels->count = kept;
	levels->low = hd_smaller(levels->low, most);
}

void cars_levels_trim(struct cars_levels *levels, const struct cars_demand *demand)
{
	uint32_t deepest = demand->high > levels->low ? demand->high : levels->low, rows;
	for (uint32_t i = 0; i < levels->count && !demand->open; i++)
		if ((rows = round_up(deepest, demand->unit)) < levels->rows[i])
			levels->rows[i] = rows;
}

static bool has_place(uint32_t multiple)
{
	return multiple < CARS_MAX_LEVELS;
}

void cars_levels_recall(struct cars_levels *levels, const struct cars_memory *memory)
{
	for (uint32_t i = 0; i < levels->count; i++)
		levels->remembered[i] = has_place(levels->multiple[i]) ? memory->mean[levels->multiple[i]] : 0;
}

void cars_levels_keep(const struct cars_levels *levels, struct cars_memory *memory)
{
	for (uint32_t i = 0; levels->count > 1 && i < levels->count; i++)
		if (has_place(levels->multiple[i]))
			memory->mean[levels->multiple[i]] = cars_level_mean(levels, i);
}

double cars_level_mean(const struct cars_levels *levels, uint32_t level)
{
	if (levels->blocks[level])
		return (double)levels->cycles[level] / (double)levels->blocks[level];
	return levels->remembered[level];
}

uint32_t cars_level_best(const struct cars_levels *levels, uint32_t fallback)
{
	double best = 0;
	uint32_t level = fallback;
	for (uint32_t i = 0; i < levels->count; i++) {
		double mean = cars_level_mean(levels, i);
		if (mean > 0 && (best == 0 || mean < best)) {
			best = mean;
			level = i;
		}
	}
	return level;
}

uint32_t cars_level_next(const struct cars_levels *levels, uint32_t level)
{
	if (cars_level_mean(levels, level) == 0)
		return level; /* no block has ended under it yet */
	uint32_t best = cars_level_best(levels, level);
	return best > level ? level + 1 : best < level ? level - 1 : level;
}

uint32_t cars_level_of_launch(const struct cars_levels *levels)
{
	uint32_t most = levels->count - 1, best = cars_level_best(levels, UINT32_MAX);
	if (best == UINT32_MAX)
		return most;
	if (best < most && cars_level_mean(levels, best + 1) == 0)
		return best + 1;
	return best && cars_level_mean(levels, best - 1) == 0 ? best - 1 : best;
}

/* ---- of a launch */

static struct cars_kernel *find_kernel(struct hd_gpu *gpu, struct cars_gpu *cars, const char *name)
{
	struct cars_kernel *kernel = cars->kernels;
	while (kernel && strcmp(kernel->name, name) != 0)
		kernel = kernel->next;
	if (kernel)
		return kernel;
	kernel = HD_ARENA_NEW(&gpu->arena, struct cars_kernel, 1);
	*kernel = (struct cars_kernel){.name = hd_arena_strdup(&gpu->arena, name), .next = cars->kernels};
	cars->kernels = kernel;
	return kernel;
}

/* May a call from this kernel reach a function that its metadata does not list? */
static bool reaches_unknown(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	const struct hd_metadata *metadata = &grid->kernel->module->object.metadata;
	if (metadata->mode == HD_MODE_RELOCATABLE || gpu->modules->next)
		return true;
	for (uint32_t f = 0; f < metadata->function_count; f++)
		for (uint32_t c = 0; c < metadata->functions[f].call_count; c++)
			if (metadata->functions[f].calls[c].unknown_callees)
				return true;
	return false;
}

/*
 * Warps of an SM when each has `low` rows: what the other limits, whole blocks and the blocks that the grid has for an
 * SM leave. Where these cost registers, the left-over is divided.
 */
static uint32_t warps_at_low(const struct hd_gpu *gpu, const struct hd_grid *grid, uint32_t low)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	limits.max_regs_per_thread = UINT32_MAX;
	struct hd_occupancy fit = hd_occupancy_compute(&limits, low, grid->block_threads, grid->shared_bytes);
	uint32_t ctas = fit.ctas ? fit.ctas : 1;
	return (grid->cta_share < ctas ? grid->cta_share : ctas) * grid->block_warps;
}

static struct cars_demand demand_of(const struct hd_gpu *gpu, const struct cars_gpu *cars, const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel->meta;
	uint32_t unit = (uint32_t)gpu->config->register_unit / HD_WARP_LANES;
	struct cars_demand demand = {
		.base = meta && !cars->unrenamed ? meta->fru : grid->registers,
		.file_rows = (uint32_t)gpu->config->registers / HD_WARP_LANES,
		.unit = unit ? unit : 1,
	};
	if (meta && meta->call_count) {
		uint32_t deepest = meta->high_watermark > meta->fru ? meta->high_watermark - meta->fru : 0;
		demand.max_fru = meta->max_fru;
		if (reaches_unknown(gpu, grid) && cars->largest_fru > demand.max_fru)
			demand.max_fru = cars->largest_fru;
		demand.high = demand.base + deepest;
		demand.open = meta->recursive_calls || meta->unknown_calls || reaches_unknown(gpu, grid);
	}
	uint32_t low = demand.base + demand.max_fru;
	demand.all_run = grid->cooperative;
	demand.warps = grid->cooperative ? grid->cta_share * grid->block_warps
					 : warps_at_low(gpu, grid, low > grid->registers ? low : grid->registers);
	return demand;
}

/* One block must have all its rows at once; its warps lie in parts of the register file. */
static void bound_to_blocks(const struct hd_gpu *gpu, const struct hd_grid *grid, struct cars_levels *levels,
			    const struct cars_demand *demand)
{
	uint32_t parts = gpu->config->warp_unit ? (uint32_t)gpu->config->warp_unit : 1;
	struct cars_demand block = *demand;
	block.warps = (grid->block_warps + parts - 1) / parts * parts;
	block.all_run = true;
	cars_levels_trim(levels, demand);
	if (!grid->cooperative)
		cars_levels_bound(levels, &block);
}

/* Rows that a stack of the launch has in use at most. */
static uint32_t deepest_of(const struct cars_levels *levels, const struct cars_demand *demand, uint32_t level)
{
	uint32_t rows = levels->rows[level], size = rows > levels->base ? rows - levels->base : 0;
	uint32_t known = demand->high > demand->base ? demand->high - demand->base : 0;
	return demand->open || known > size ? size : known;
}

void cars_grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct cars_gpu *cars = cars_gpu_of(self, gpu);
	struct cars_demand demand = demand_of(gpu, cars, grid);
	struct cars_levels levels;
	cars_levels_make(&levels, &demand);
	if (*cars->parameter)
		cars_levels_force(&levels, &demand, cars->parameter);
	cars_levels_bound(&levels, &demand);
	if (cars->joined)
		bound_to_blocks(gpu, grid, &levels, &demand);
	cars->kernel = find_kernel(gpu, cars, hd_kernel_name(grid->kernel));
	cars_levels_recall(&levels, &cars->kernel->memory);
	uint32_t best = cars_level_best(&levels, UINT32_MAX);
	if (cars->joined) {
		best = cars->level = cars_level_of_launch(&levels);
		cars->deepest = deepest_of(&levels, &demand, best);
	}
	cars->kernel->levels = levels;
	cars_sum_counts(self, gpu, &cars->before);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct cars_sm *sm = cars_sm_of(self, gpu->sms[i]);
		sm->level = best != UINT32_MAX ? best : i < gpu->sm_count / 2 ? 0 : levels.count - 1;
		sm->free_rows = demand.file_rows;
		sm->first = sm->last = CARS_NO_SLOT;
		if (!hd_sm_is_built(gpu->sms[i])) /* the rest is zero */
			continue;
		sm->peak = 0;
		memset(sm->cycles, 0, sizeof(sm->cycles));
		memset(sm->blocks, 0, sizeof(sm->blocks));
		memset(sm->launched, 0, sizeof(sm->launched));
		for (uint32_t id = 0; id < HD_MAX_CONTEXTS; id++)
			sm->warps[id].state = CARS_FREE;
	}
}

uint32_t cars_admit(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
		    uint32_t registers)
{
	const struct cars_gpu *cars = cars_gpu_of(self, sm->gpu);
	const struct cars_levels *levels = &cars->kernel->levels;
	if (grid->cooperative)
		return registers; /* its blocks are counted, and the rows divided among them */
	if (cars->joined && levels->rows[cars->level] > registers)
		return levels->rows[cars->level];
	/* The dispatcher keeps to what the least allocation needs; warps beyond the registers are stalled (IV-B1). */
	return levels->low > registers ? levels->low : registers;
}

static void take_times(struct cars_levels *levels, struct cars_sm *sm)
{
	for (uint32_t i = 0; i < levels->count; i++) {
		levels->cycles[i] += sm->cycles[i];
		levels->blocks[i] += sm->blocks[i];
		sm->cycles[i] = sm->blocks[i] = 0;
	}
}

uint32_t cars_choose_level(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	struct cars_levels *levels = &cars_gpu_of(self, sm->gpu)->kernel->levels;
	struct cars_sm *cars = cars_sm_of(self, sm);
	take_times(levels, cars);
	if (!cars_gpu_of(self, sm->gpu)->joined)
		cars->level = cars_level_next(levels, cars->level);
	cars->launched[cars->level]++;
	return cars->level;
}

void cars_grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct cars_gpu *cars = cars_gpu_of(self, gpu);
	struct cars_levels *levels = &cars->kernel->levels;
	for (uint32_t i = 0; i < gpu->sm_count && !cars->joined; i++)
		if (hd_sm_is_built(gpu->sms[i]))
			take_times(levels, cars_sm_of(self, gpu->sms[i]));
	if (cars->joined) {
		levels->cycles[cars->level] = (gpu->now - grid->started) * gpu->sm_count;
		levels->blocks[cars->level] = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
	}
	cars_levels_keep(levels, &cars->kernel->memory);
}
