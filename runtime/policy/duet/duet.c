/*
 * GPUDuet (gpu-multiprogramming-lin, chapter 3): where a kernel leaves the GPU underused, an SM gets ME more of its
 * blocks than it has room for. Where registers or warp slots limit them, their warps take the places of others that
 * stall for long (switch.c); where shared memory does, blocks those of blocks (blocks.c); where both do,
 * nothing happens.
 *
 * The use of the GPU is looked at in windows of 10,000 cycles of a kernel's turn; the first is skipped, the second
 * decides (monitor.h). Where neither register file nor shared memory have room for a context and L1 is hardly used
 * it holds them, and accesses go past it until the kernel ends. ME is bound by what has room for all contexts beside
 * what stays where it is, so that a warp that waits at a barrier always finds a place, and blocks that wait for each
 * other's warps go on.
 *
 * duet:N has N extra blocks, up to that bound, from the first cycle of every kernel on: the paper's static ME. vt is
 * Virtual Thread, with all extra blocks for whose registers and shared memory there is room.
 *
 * With CARS (stacks.c) warps have the registers that it gives them in the launch, and register stacks move, too.
 *
 * Cost: O(SMs) each 100 cycles, O(warps of a block) a launch.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/policy/duet/duet.h"

#include "heddle/config.h"
#include "heddle/figures.h"
#include "lib/bits.h"

#define TICK 100 /* cycles */

/* clang-format off */
#define PORT [DUET_PORT] = {"port", "bytes of a context moved per cycle (Lin, 3.6.2)", 128, 16, 1024}
#define SLOT_BYTES [DUET_SLOT_BYTES] = \
	{"slot_bytes", "a warp's context without its registers: SIMT stack, scoreboard, predicates; bytes", \
	 256, 0, 4096}
#define BOTH_WAYS [DUET_BOTH_WAYS] = \
	{"both_ways", "1: one context leaves while another comes in; 0: one after the other (Lin, 3.6.7)", 0, 0, 1}
/* clang-format on */

static const struct hd_policy_setting settings[] = {
	PORT,
	SLOT_BYTES,
	BOTH_WAYS,
	[DUET_WINDOW] = {"window", "cycles between checks of the GPU's utilisation (Lin, 3.6.4)", 10000, TICK, 1e9},
	[DUET_BARRIERS] = {"barriers",
			   "1: warps that wait at barriers may leave; 0: they stay (for experiments; Lin, 3.6.3)", 1, 0,
			   1},
	[DUET_EAGER] = {"eager", "1: stalled warps leave even if no other warp is ready (Lin, 3.6.6)", 1, 0, 1},
	[DUET_WHOLE] = {"blocks", "1: whole blocks switch even if registers or slots limit them (Lin, 3.7.2)", 0, 0, 1},
	[DUET_L1_BELOW] = {"l1_below",
			   "L1 holds contexts while its utilisation is below this percentage; 0: never (Lin, 3.6.4)", 3,
			   0, 101},
	[DUET_ALL_MOVES] = {"all_moves",
			    "1: a switch moves as much as a context's place holds; 0: what its switch point keeps "
			    "(Lin, equation 3.2)",
			    0, 0, 1},
	[DUET_SLOTS_ALONE] = {"slots_alone",
			      "1: slots move without registers if these have room for all blocks (Lin, 3.6.1); 0: "
			      "registers always move (Lin, equation 3.2)",
			      1, 0, 1},
	{0},
};

static const struct hd_policy_setting virtual_settings[] = {PORT, SLOT_BYTES, BOTH_WAYS, {0}};

static const struct hd_policy_count counts[] = {
	{"switched_out", "warps", "warps that left their slot and registers"},
	{"switched_in", "warps", "warps that returned"},
	{"turned_back", "warps", "warps that returned and found their place taken by a new block"},
	{"swaps", "switches", "switches that exchanged two contexts"},
	{"began", "warps", "warps of extra blocks that got their first slot"},
	{"transfer_cycles", "cycles", "cycles in which contexts moved"},
	{"transfer_bytes", "bytes", "bytes of contexts moved"},
	{"stack_bytes", "bytes", "bytes of register stacks moved (with cars)"},
	{"queue_full", "times", "times that a warp found its queue full"},
	{"stalls", "times", "long stalls of warps while extra blocks existed"},
	{"barrier_stalls", "times", "long stalls at barriers while extra blocks existed"},
	{"barrier_outs", "warps", "warps that left at barriers"},
	{"too_late", "warps", "warps that left just as their data arrived"},
	{"absent_cycles", "cycles", "cycles of warps without their context until their data arrived, summed"},
	{"ready_cycles", "cycles", "cycles from data arrival or block launch until the warp began to return, summed"},
	{"blocks_out", "CTAs", "blocks that left as a whole; their warps are also counted by switched_out"},
	{"blocks_in", "CTAs", "blocks that returned as a whole"},
	{"blocks_began", "CTAs", "blocks that got their first place after other blocks left"},
	{0},
};

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	char *end;
	unsigned long extra = strtoul(parameter, &end, 10);
	uint64_t units = config->registers / HD_WARP_LANES + config->shared_bytes / DUET_UNIT_BYTES;
	if (*parameter && (*parameter < '0' || *parameter > '9' || *end || extra > DUET_MOST_BLOCKS))
		return hd_error(diag, HD_NOWHERE, "policy 'duet': expected %s, as in duet:2", policy->parameters);
	if (units > DUET_MOST_UNITS)
		return hd_error(diag, HD_NOWHERE, "policy 'duet': registers and shared memory together exceed %u KB",
				DUET_MOST_UNITS * DUET_UNIT_BYTES / 1024);
	return 0;
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	duet->fixed = *self->parameter != 0;
	duet->port = (uint32_t)hd_policy_setting(self, gpu, DUET_PORT);
	duet->window = (uint64_t)hd_policy_setting(self, gpu, DUET_WINDOW);
	duet->whole = hd_policy_setting(self, gpu, DUET_WHOLE) > 0;
	duet->barriers = hd_policy_setting(self, gpu, DUET_BARRIERS) > 0;
	duet->eager = hd_policy_setting(self, gpu, DUET_EAGER) > 0;
	duet->l1_below = hd_policy_setting(self, gpu, DUET_L1_BELOW);
	duet->all_moves = hd_policy_setting(self, gpu, DUET_ALL_MOVES) > 0;
	duet->slots_alone = hd_policy_setting(self, gpu, DUET_SLOTS_ALONE) > 0;
	duet->both_ways = hd_policy_setting(self, gpu, DUET_BOTH_WAYS) > 0;
	duet->cars = duet_find_cars(gpu);
}

static void start_virtual(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	duet->fixed = duet->virtual = duet->barriers = true;
	duet->port = (uint32_t)hd_policy_setting(self, gpu, DUET_PORT);
	duet->both_ways = hd_policy_setting(self, gpu, DUET_BOTH_WAYS) > 0;
	duet->cars = duet_find_cars(gpu);
}

/* ---- a kernel begins */

static uint32_t units_of(uint64_t bytes)
{
	return (uint32_t)((bytes + DUET_UNIT_BYTES - 1) / DUET_UNIT_BYTES);
}

/* Units of register file and shared memory, and of L1, as far as addresses reach; none where it is shared memory. */
static uint32_t units_beside_l1(const struct hd_config *config)
{
	struct hd_sm_limits limits = hd_sm_limits_of(config);
	return limits.registers / HD_WARP_LANES + units_of(limits.shared_bytes);
}

static uint32_t l1_units(const struct hd_config *config)
{
	uint32_t units = units_of(config->l1_bytes), left = DUET_MOST_UNITS - units_beside_l1(config);
	return config->l1_unified ? 0 : units < left ? units : left;
}

/* What an SM has room for; with register stacks their registers count. */
static struct hd_occupancy fit_of(const struct duet_gpu *duet, const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	limits.max_regs_per_thread = UINT32_MAX;
	if (!duet->cars)
		return grid->fit;
	return hd_occupancy_compute(&limits, duet_stacks_registers(duet, gpu, grid), grid->block_threads,
				    grid->shared_bytes);
}

uint32_t duet_whole_registers(const struct hd_meta_function *meta, uint32_t all)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < meta->switch_count; i++) {
		uint32_t kept = duet_registers_at(&meta->switches[i]);
		most = kept > most ? kept : most;
	}
	return meta->call_count ? all : most;
}

/* Registers of a context below its stack: the compiler's, which are in groups of 32 threads; in blocks with shorter
 * rows, whose groups are smaller, nothing is compressed. */
static uint32_t context_units(const struct duet_gpu *duet, const struct hd_gpu *gpu, const struct hd_grid *grid,
			      const struct hd_occupancy *fit)
{
	uint32_t full = fit->registers_per_warp / HD_WARP_LANES;
	uint32_t said = units_of(grid->kernel->meta->switch_context_bytes);
	if (!said)
		return 0;
	if (duet->cars)
		said = duet_stacks_below(duet, gpu, grid);
	else if (grid->block[0] % HD_WARP_LANES)
		said = duet_whole_registers(grid->kernel->meta, full);
	return said > full ? full : said;
}

static struct duet_kernel kernel_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
				    const struct hd_grid *grid, const struct hd_occupancy *fit)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	uint32_t slot_bytes = (uint32_t)hd_policy_setting(self, gpu, DUET_SLOT_BYTES);
	uint32_t registers = fit->registers_per_warp / HD_WARP_LANES, below = context_units(duet, gpu, grid, fit);
	duet->stack = duet_least(duet_stacks_most(duet, gpu), registers - below);
	return (struct duet_kernel){
		.warps = grid->block_warps,
		.registers = registers,
		.context = below + duet->stack + units_of(slot_bytes),
		.slot = units_of(slot_bytes),
		.shared = units_of(fit->shared_per_cta),
		.native = fit->ctas,
		.register_units = limits.registers / HD_WARP_LANES,
		.parts = limits.warp_unit,
		.shared_units = limits.shared_bytes / DUET_UNIT_BYTES,
		.warp_slots = limits.max_warps,
		.block_slots = duet_least(limits.max_ctas, DUET_MOST_BLOCKS),
	};
}

static void clear_sm(const struct hd_policy_handle *self, struct hd_sm *sm, const struct duet_gpu *duet)
{
	const struct duet_kernel *kernel = &duet->kernel;
	struct duet_sm *mine = duet_sm_of(self, sm);
	uint32_t blocks = kernel->native + duet->growth.bound;
	memset(mine, 0, sizeof(*mine));
	duet_space_init(&mine->space, kernel->register_units, kernel->shared_units, 0);
	duet_space_keep(&mine->space, DUET_REGISTERS, blocks * kernel->warps * kernel->registers);
	duet_space_keep(&mine->space, DUET_SHARED, blocks * kernel->shared);
}

static void count_so_far(const struct hd_gpu *gpu, uint32_t slot, struct hd_counters *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		hd_counters_add(sum, &gpu->sms[i]->counted[slot]);
	hd_counters_add(sum, hd_memory_counters(gpu->memory, slot));
}

static void note_extra(struct duet_gpu *duet)
{
	duet->most = hd_larger(duet->most, duet->growth.extra);
}

static uint32_t bound_with(const struct duet_kernel *kernel, uint32_t l1)
{
	return duet_outside(kernel, duet_bound(kernel, l1), l1);
}

/* The most extra blocks. L1 is looked at where neither register file nor shared memory have any room. */
static uint32_t find_bound(struct duet_gpu *duet, uint32_t l1)
{
	if (duet->virtual)
		return duet_slots_bound(&duet->kernel);
	uint32_t bound = bound_with(&duet->kernel, 0);
	if (bound || !(duet->l1_below > 0))
		return bound;
	bound = bound_with(&duet->kernel, l1);
	duet->l1_only = bound > 0;
	return bound;
}

/* The extra blocks of kernels whose number does not change. */
static uint32_t fixed_extra(const struct hd_policy_handle *self, const struct duet_gpu *duet, uint32_t bound)
{
	return duet->virtual ? bound : duet_least(bound, (uint32_t)strtoul(self->parameter, NULL, 10));
}

/* Extra blocks whose slots alone need a place, since registers have room for all of them: 0 where there are fewer than
 * the policy may want. */
static uint32_t by_slots_alone(const struct hd_policy_handle *self, const struct duet_gpu *duet, uint32_t bound)
{
	uint32_t slots = duet_slots_bound(&duet->kernel);
	if (!duet->slots_alone || duet->virtual || duet_level_of(&duet->kernel) != DUET_WARPS)
		return 0;
	return slots >= (duet->fixed ? fixed_extra(self, duet, bound) : bound) ? slots : 0;
}

/* What moves, and how many extra blocks there can be. */
static uint32_t choose_level(const struct hd_policy_handle *self, struct duet_gpu *duet, uint32_t l1)
{
	const struct duet_kernel *kernel = &duet->kernel;
	uint32_t bound = find_bound(duet, l1), slots = by_slots_alone(self, duet, bound);
	enum duet_level level = duet->virtual ? DUET_BLOCKS : duet_level_of(kernel);
	if (!bound && !slots)
		return 0;
	duet->parts = HD_PART_SLOT;
	if (slots) {
		bound = slots;
		duet->l1_only = false;
	} else if (!duet->virtual) {
		duet->parts |= level == DUET_BLOCKS ? HD_PART_SHARED : HD_PART_REGISTERS;
	}
	duet->level = duet->whole ? DUET_BLOCKS : level;
	duet->moving = duet_block_units(kernel, duet->parts & HD_PART_REGISTERS, duet->parts & HD_PART_SHARED);
	if (duet->level == DUET_WARPS)
		duet->moving = duet->parts & HD_PART_REGISTERS ? kernel->context : kernel->slot;
	return bound;
}

/* What it has goes back to L2; from now on accesses go past it. */
static void take_l1(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	duet->l1 = true;
	duet->with_l1++;
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		hd_lsu_flush(gpu->sms[i]->lsu);
		duet_space_add_l1(&duet_sm_of(self, gpu->sms[i])->space, l1_units(gpu->config));
	}
}

/* Whether contexts of the grid can move at all. */
static bool switches(const struct duet_gpu *duet, const struct hd_grid *grid)
{
	const struct hd_meta_function *meta = grid->kernel->meta;
	return meta && !grid->cooperative && !grid->linear && (duet->virtual || meta->switch_context_bytes);
}

static void grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	uint32_t bound = 0;
	duet->kernels++;
	duet->grid = grid;
	duet->level = DUET_OFF;
	duet->l1_only = duet->l1 = false;
	duet->parts = duet->moving = duet->stack = 0;
	struct hd_occupancy fit = fit_of(duet, gpu, grid);
	duet->kernel = (struct duet_kernel){.native = fit.ctas};
	if (switches(duet, grid)) {
		duet->kernel = kernel_of(self, gpu, grid, &fit);
		bound = choose_level(self, duet, l1_units(gpu->config));
	}
	duet_growth_begin(&duet->growth, bound);
	duet->next = gpu->now + duet->window;
	count_so_far(gpu, grid->slot, &duet->seen);
	if (duet->fixed) {
		duet->growth.extra = duet->growth.bound = fixed_extra(self, duet, bound);
		note_extra(duet);
		duet->grown += duet->growth.extra > 0;
	}
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		clear_sm(self, gpu->sms[i], duet);
	if (duet->l1_only && duet->growth.extra)
		take_l1(self, gpu);
}

static void grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	if (duet->grid != grid)
		return;
	duet->grid = NULL;
	duet->level = DUET_OFF;
	duet->l1 = false;
}

/* ---- windows */

static void end_window(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	struct hd_counters sum;
	uint32_t before = duet->growth.extra;
	count_so_far(gpu, duet->grid->slot, &sum);
	struct hd_stats window = {.counters = sum}, seen = {.counters = duet->seen};
	hd_stats_subtract(&window, &seen);
	struct duet_use use = duet_use_of(gpu->config, &window.counters, duet->window + now - duet->next);
	if (duet->l1_only && !duet->l1 && duet->growth.windows && use.l1 >= duet->l1_below)
		duet_growth_stop(&duet->growth);
	duet_growth_window(&duet->growth, &use);
	if (duet->l1_only && !duet->l1 && duet->growth.extra)
		take_l1(self, gpu);
	duet->seen = sum;
	duet->next = now + duet->window;
	duet->saturated += duet->growth.windows == 2 && duet->growth.first == DUET_SATURATED;
	duet->grown += !before && duet->growth.extra;
	note_extra(duet);
	for (uint32_t i = 0; i < gpu->sm_count && duet->growth.extra > before; i++)
		hd_sm_request_dispatch(gpu->sms[i]);
}

static void gpu_tick(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct duet_gpu *duet = duet_gpu_of(self, gpu);
	if (duet->level && !duet->fixed && now >= duet->next)
		end_window(self, gpu, now);
}

/* ---- blocks */

static uint32_t quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	enum duet_level level = duet_level_at(self, sm, grid);
	if (!level)
		return UINT32_MAX;
	if (level == DUET_BLOCKS && duet_block_waits(self, sm))
		return sm->grids[grid->slot].resident;
	return duet->kernel.native + duet->growth.extra;
}

static bool l1_bypass(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      uint64_t now)
{
	(void)inst, (void)now;
	return duet_gpu_of(self, warp->cta->sm->gpu)->l1;
}

static uint32_t launch_without(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	return duet_level_at(self, sm, grid) && duet->growth.extra ? duet->parts : 0;
}

/* Of a launch: blocks of an SM, and registers of a warp, all and those of its context. */
static void report_launch(const struct duet_gpu *duet,
			  void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct duet_kernel *kernel = &duet->kernel;
	add(context, "context_bytes", (double)duet->moving * DUET_UNIT_BYTES, "bytes");
	add(context, "native_blocks", kernel->native, "CTAs");
	add(context, "bound_blocks", duet->growth.bound, "CTAs");
	add(context, "extra_blocks", duet->growth.extra, "CTAs");
	add(context, "warp_registers", kernel->registers, "registers");
	add(context, "context_registers", kernel->context - kernel->slot, "registers");
	add(context, "stack_registers", duet->stack, "registers");
}

static const struct hd_policy_count reported[] = {
	{"context_bytes", "bytes", "bytes of a context that moves"},
	{"native_blocks", "CTAs", "blocks of an SM without the design"},
	{"bound_blocks", "CTAs", "most extra blocks that fit"},
	{"extra_blocks", "CTAs", "extra blocks of an SM"},
	{"warp_registers", "registers", "registers of a warp"},
	{"context_registers", "registers", "registers of a warp's context that move"},
	{"stack_registers", "registers", "registers of a warp's stack that move"},
	{"kernels", "launches", "launches"},
	{"kernels_grown", "launches", "launches that were given extra blocks"},
	{"kernels_saturated", "launches", "launches that extra blocks did not make faster"},
	{"kernels_in_l1", "launches", "launches whose contexts were kept in L1, too"},
	{"most_extra_blocks", "CTAs", "most extra blocks of an SM"},
	{"storage_bits", "bits", "storage that the design adds to an SM"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct duet_gpu *duet = duet_gpu_of(self, gpu);
	if (gpu->grid) {
		report_launch(duet, add, context);
		return;
	}
	add(context, "kernels", (double)duet->kernels, "launches");
	add(context, "kernels_grown", (double)duet->grown, "launches");
	add(context, "kernels_saturated", (double)duet->saturated, "launches");
	add(context, "kernels_in_l1", (double)duet->with_l1, "launches");
	add(context, "most_extra_blocks", duet->most, "CTAs");
	uint32_t slots = hd_sm_limits_of(gpu->config).max_warps;
	add(context, "storage_bits",
	    duet->virtual ? duet_slots_storage_bits(slots)
			  : duet_storage_bits(units_beside_l1(gpu->config) + l1_units(gpu->config)),
	    "bits");
}

/* clang-format off */
#define HOOKS \
	.moves = true, \
	.own_quota = true, \
	.joins = "cars", \
	.facts = true, \
	.spare_warps = DUET_MOST_WARPS / 2, \
	.counts = counts, \
	.gpu_bytes = sizeof(struct duet_gpu), \
	.sm_bytes = sizeof(struct duet_sm), \
	.cta_bytes = sizeof(struct duet_cta), \
	.warp_bytes = sizeof(struct duet_warp), \
	.grid_begin = grid_begin, \
	.grid_end = grid_end, \
	.allocation.quota = quota, \
	.allocation.launch_without = launch_without, \
	.memory.l1_bypass = l1_bypass, \
	.allocation.cta_launch = duet_cta_launch, \
	.allocation.cta_retire = duet_cta_retire, \
	.allocation.warp_done = duet_warp_done, \
	.memory.load_miss = duet_load_miss, \
	.memory.first_use = duet_first_use, \
	.issue.barrier_wait = duet_barrier_wait, \
	.issue.barrier_resume = duet_barrier_resume, \
	.contexts.drained = duet_drained, \
	.alarm = duet_alarm, \
	.observation.verify_before = duet_verify_before, \
	.observation.why_held = duet_why_held, \
	.observation.report = report, \
	.observation.reported = reported
/* clang-format on */

const struct hd_policy_hooks hd_hooks_duet = {
	HOOKS,		.settings = settings, .gpu_tick_interval = TICK, .configure = configure,
	.start = start, .gpu_tick = gpu_tick,
};

const struct hd_policy_hooks hd_hooks_vt = {
	HOOKS,
	.settings = virtual_settings,
	.configure = configure,
	.start = start_virtual,
};
