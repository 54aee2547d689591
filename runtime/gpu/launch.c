/*
 * A launch: checks it against the GPU's limits, and makes its grid with constant bank 0 (ntid, nctaid, windows, stack
 * top, dynamic shared offset, parameters).
 *
 * Local memory of a thread is what the linker computed for the deepest chain of calls; options.stack_bytes is added
 * when that chain has no known depth (recursion, or an indirect call that may leave the known program).
 *
 * Cost: O(functions of the program).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/occupancy.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/later.h"
#include "runtime/exec/linear.h"
#include "runtime/gpu/clusters.h"
#include "runtime/gpu/gpu.h"

#define MAX_PARAM_BYTES (HD_CB_BYTES - HD_CB_PARAMS)
#define STACK_ALIGN 16u

/* CUDA's limits of each dimension (compute capability 3.0 and later). */
static const uint32_t max_grid[3] = {2147483647u, 65535u, 65535u};
static const uint32_t max_block[3] = {1024u, 1024u, 64u};

/* Does anything that the function reaches have a call whose depth is not known, or a stack object of dynamic size?
 * `seen` is a flag a function. */
static bool depth_unknown(const struct hd_metadata *metadata, const struct hd_meta_function *function, bool *seen)
{
	uint32_t index = (uint32_t)(function - metadata->functions);
	if (index >= metadata->function_count)
		return true;
	if (seen[index])
		return false;
	seen[index] = true;
	if (function->recursive || function->dynamic_stack)
		return true;
	for (uint32_t i = 0; i < function->call_count; i++) {
		const struct hd_meta_call *call = &function->calls[i];
		if (call->recursive || call->unknown_callees)
			return true;
		for (uint32_t j = 0; j < call->callee_count; j++) {
			const struct hd_meta_function *callee = hd_metadata_find(metadata, call->callees[j]);
			if (!callee || depth_unknown(metadata, callee, seen))
				return true;
		}
	}
	return false;
}

static uint32_t local_bytes_of(const struct hd_gpu *gpu, const struct hd_launch *launch)
{
	const struct hd_kernel *kernel = launch->kernel;
	uint32_t wanted = launch->stack_bytes ? launch->stack_bytes : gpu->options.stack_bytes;
	uint32_t extra = wanted ? wanted : HD_SIM_STACK_BYTES;
	uint32_t bytes = extra;
	if (kernel->meta) {
		const struct hd_metadata *metadata = &kernel->module->object.metadata;
		bool *seen = hd_xcalloc(metadata->function_count + 1, sizeof *seen);
		bytes = kernel->meta->max_stack_bytes + (depth_unknown(metadata, kernel->meta, seen) ? extra : 0);
		free(seen);
	}
	/* A linear version keeps other values in its frame. */
	uint32_t index = kernel->function - kernel->module->first_function;
	const struct hd_linear *linear = hd_object_linear(&kernel->module->object, index);
	uint32_t frame = kernel->module->object.functions[index].frame_bytes;
	if (linear && linear->body.frame_bytes > frame)
		bytes += linear->body.frame_bytes - frame;
	return (bytes + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
}

static const struct hd_pfunction *function_of(const struct hd_gpu *gpu, const struct hd_kernel *kernel)
{
	return &gpu->program.functions.data[kernel->function];
}

static uint32_t registers_of(const struct hd_gpu *gpu, const struct hd_kernel *kernel)
{
	const struct hd_pfunction *function = function_of(gpu, kernel);
	uint32_t own = function->object ? function->object->registers : 0;
	return kernel->meta && kernel->meta->registers > own ? kernel->meta->registers : own;
}

static uint32_t shared_of(const struct hd_gpu *gpu, const struct hd_kernel *kernel)
{
	const struct hd_pfunction *function = function_of(gpu, kernel);
	if (kernel->meta)
		return kernel->meta->shared_bytes;
	return function->object ? function->object->shared_bytes : 0;
}

/* Rows of register storage: an indirect call may reach any loaded function. */
static uint32_t rows_of(const struct hd_gpu *gpu, uint32_t registers)
{
	for (uint32_t i = 0; i < gpu->program.functions.len; i++) {
		const struct hd_function *object = gpu->program.functions.data[i].object;
		const struct hd_linear *linear = gpu->program.functions.data[i].linear;
		uint32_t rows = object ? linear ? hd_linear_rows(linear) : object->registers : 0;
		if (rows < gpu->program.functions.data[i].rows)
			rows = gpu->program.functions.data[i].rows;
		if (rows > registers)
			registers = rows;
	}
	return registers ? registers : 1;
}

static int check_shape(struct hd_gpu *gpu, const struct hd_launch *launch)
{
	const char *name = hd_kernel_title(launch->kernel);
	for (uint32_t i = 0; i < 3; i++) {
		if (!launch->grid[i] || launch->grid[i] > max_grid[i])
			return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH, "kernel %s: grid (%u,%u,%u): %c must be 1 to %u",
					     name, launch->grid[0], launch->grid[1], launch->grid[2], "xyz"[i],
					     max_grid[i]);
		if (!launch->block[i] || launch->block[i] > max_block[i])
			return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH, "kernel %s: block (%u,%u,%u): %c must be 1 to %u",
					     name, launch->block[0], launch->block[1], launch->block[2], "xyz"[i],
					     max_block[i]);
	}
	if ((uint64_t)launch->grid[0] * launch->grid[1] > UINT32_MAX / launch->grid[2])
		return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH, "kernel %s: more than 2^32 - 1 blocks", name);
	return 0;
}

/* Code of sm_90a runs on GPUs of capability 9.0 and no others, newer ones included. */
static int check_target(struct hd_gpu *gpu, const struct hd_launch *launch)
{
	const char *target = launch->kernel->module->object.metadata.target;
	const struct hd_config *config = gpu->config;
	if (!hd_target_is_special(target) ||
	    strtoul(target + 3, NULL, 10) == (unsigned long)(config->compute_major * 10 + config->compute_minor))
		return 0;
	return hd_gpu_refuse(
		gpu, HD_SIM_WRONG_TARGET,
		"kernel %s: its code is for %s alone, and the GPU has compute capability %d.%d (heddle run "
		"--gpu h100 models one that takes it)",
		hd_kernel_title(launch->kernel), target, (int)config->compute_major, (int)config->compute_minor);
}

static int check_threads(struct hd_gpu *gpu, const struct hd_launch *launch)
{
	const struct hd_meta_function *meta = launch->kernel->meta;
	const uint32_t *block = launch->block;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	const char *name = hd_kernel_title(launch->kernel);
	if (threads > gpu->config->max_threads_per_cta)
		return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH,
				     "kernel %s: %" PRIu64 " threads per block, but the GPU allows %" PRIu64, name,
				     threads, gpu->config->max_threads_per_cta);
	if (meta && meta->max_threads && threads > meta->max_threads)
		return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH,
				     "kernel %s: %" PRIu64 " threads per block, but its __launch_bounds__ allow %u",
				     name, threads, meta->max_threads);
	if (meta && meta->reqntid[0] &&
	    (meta->reqntid[0] != block[0] || meta->reqntid[1] != block[1] || meta->reqntid[2] != block[2]))
		return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH, "kernel %s: block (%u,%u,%u), but it requires (%u,%u,%u)",
				     name, block[0], block[1], block[2], meta->reqntid[0], meta->reqntid[1],
				     meta->reqntid[2]);
	return 0;
}

static int check_params(struct hd_gpu *gpu, const struct hd_launch *launch)
{
	const struct hd_meta_function *meta = launch->kernel->meta;
	const char *name = hd_kernel_title(launch->kernel);
	if (launch->param_bytes > MAX_PARAM_BYTES)
		return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH, "kernel %s: %u bytes of parameters, but the limit is %d",
				     name, launch->param_bytes, MAX_PARAM_BYTES);
	if (meta && launch->param_bytes < meta->param_bytes)
		return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH, "kernel %s: %u bytes of parameters given, but it takes %u",
				     name, launch->param_bytes, meta->param_bytes);
	return 0;
}

/* What one SM has room for; refuses a kernel of which not one CTA fits. */
static int check_resources(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid *grid,
			   struct hd_occupancy *fit)
{
	const char *name = hd_kernel_title(launch->kernel);
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	uint64_t shared = (uint64_t)shared_of(gpu, launch->kernel) + launch->dynamic_shared;
	if (shared > gpu->config->shared_per_cta)
		return hd_gpu_refuse(gpu, HD_SIM_TOO_MUCH_SHARED,
				     "kernel %s: %" PRIu64
				     " bytes of shared memory per block (%u static), but the GPU has %" PRIu64,
				     name, shared, shared_of(gpu, launch->kernel), gpu->config->shared_per_cta);
	if (launch->shared_limited && launch->dynamic_shared > launch->most_dynamic_shared)
		return hd_gpu_refuse(
			gpu, HD_SIM_TOO_MUCH_SHARED,
			"kernel %s: %u bytes of dynamic shared memory, but the limit is %u (raise it with "
			"cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES))",
			name, launch->dynamic_shared, launch->most_dynamic_shared);
	grid->shared_bytes = (uint32_t)(shared + 3) / 4 * 4; /* atomics of 8 and 16 bits exchange whole words */
	grid->registers = registers_of(gpu, launch->kernel);
	if (grid->registers > gpu->config->max_regs_per_thread)
		return hd_gpu_refuse(gpu, HD_SIM_TOO_MANY_REGISTERS,
				     "kernel %s: %u registers per thread, but the GPU has %" PRIu64
				     " (compile it for its architecture, or with -maxrregcount %" PRIu64 ")",
				     name, grid->registers, gpu->config->max_regs_per_thread,
				     gpu->config->max_regs_per_thread);
	*fit = hd_occupancy_compute(&limits, grid->registers, grid->block_threads, grid->shared_bytes);
	if (!fit->ctas)
		return hd_gpu_refuse(gpu,
				     fit->limit == HD_LIMIT_REGISTERS ? HD_SIM_TOO_MANY_REGISTERS : HD_SIM_BAD_LAUNCH,
				     "kernel %s: not one block fits on an SM (%s): %u threads, %u registers per "
				     "thread, %u bytes of shared memory",
				     name, hd_occupancy_limit_name(fit->limit), grid->block_threads, grid->registers,
				     grid->shared_bytes);
	return 0;
}

/* ---- clusters of blocks */

enum { PORTABLE = 8, COMPUTE_MAJOR = 9 };

static int refuse_cluster(struct hd_gpu *gpu, const struct hd_launch *launch, const uint32_t size[3], const char *why)
{
	return hd_gpu_refuse(gpu, HD_SIM_BAD_CLUSTER, "kernel %s: a cluster of (%u,%u,%u) blocks %s",
			     hd_kernel_title(launch->kernel), size[0], size[1], size[2], why);
}

/* Of the launch, or else of the source; where both say one they agree. */
static int find_cluster(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid *grid)
{
	const struct hd_meta_function *meta = launch->kernel->meta;
	const uint32_t *asked = launch->cluster, *own = meta ? meta->cluster : grid->cluster;
	bool some = asked[0] || asked[1] || asked[2], needs = own[0] != 0;
	for (uint32_t i = 0; i < 3; i++)
		grid->cluster[i] = some ? asked[i] : needs ? own[i] : 1;
	grid->explicit_clusters = some || needs;
	if (some && needs && memcmp(asked, own, sizeof launch->cluster) != 0)
		return refuse_cluster(gpu, launch, asked, "is not what the kernel requires (__cluster_dims__)");
	return 0;
}

static int check_cluster(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid *grid)
{
	const struct hd_meta_function *meta = launch->kernel->meta;
	const uint32_t *size = grid->cluster, most = launch->large_clusters ? HD_CLUSTER_MOST : PORTABLE;
	int error = find_cluster(gpu, launch, grid);
	if (error)
		return error;
	for (uint32_t i = 0; i < 3; i++)
		if (!size[i] || size[i] > HD_CLUSTER_MOST)
			return refuse_cluster(gpu, launch, size, "is none, or too large");
	grid->cluster_blocks = size[0] * size[1] * size[2];
	if (gpu->config->compute_major < COMPUTE_MAJOR && grid->cluster_blocks > 1)
		return refuse_cluster(gpu, launch, size, "needs a GPU of compute capability 9.0 or later");
	if (grid->cluster_blocks > most)
		return refuse_cluster(
			gpu, launch, size,
			launch->large_clusters
				? "is larger than 16 blocks"
				: "is larger than 8 blocks (cudaFuncAttributeNonPortableClusterSizeAllowed allows 16)");
	if (meta && meta->max_cluster && grid->cluster_blocks > meta->max_cluster)
		return refuse_cluster(gpu, launch, size, "is larger than its __launch_bounds__ allow");
	for (uint32_t i = 0; i < 3; i++)
		if (launch->grid[i] % size[i])
			return refuse_cluster(gpu, launch, size, "does not divide the grid");
	return 0;
}

static bool meets_clusters(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct hd_module *module = grid->kernel->module;
	struct hd_kernel *kernel = &module->kernels[grid->kernel - module->kernels];
	if (gpu->config->compute_major < COMPUTE_MAJOR)
		return false;
	if (kernel->looked_at_barriers != gpu->program.there)
		kernel->meets_clusters = hd_program_meets_clusters(&gpu->program, grid->entry);
	kernel->looked_at_barriers = gpu->program.there;
	return kernel->meets_clusters;
}

/* Designs that give out, rename or cache registers, and those that move warps, know none that are in flight, and no
 * warps with other counts than the grid's; those that hold warps back do not know that the four of a group meet. */
static int check_products(struct hd_gpu *gpu, const struct hd_launch *launch, const struct hd_grid *grid)
{
	const uint32_t apart = HD_TOUCH_ALLOCATION | HD_TOUCH_REGFILE | HD_TOUCH_CALLS | HD_TOUCH_CODE |
			       HD_TOUCH_START | HD_TOUCH_PLACES | HD_TOUCH_SCHEDULER;
	if (!gpu->policy_count || gpu->config->compute_major < COMPUTE_MAJOR)
		return 0;
	const char *what = hd_program_has_products(&gpu->program, grid->entry) ? "products of warpgroups (wgmma)"
			   : hd_program_resizes(&gpu->program, grid->entry)
				   ? "registers that warps hand on (setmaxnreg)"
				   : NULL;
	for (uint32_t i = 0; what && i < gpu->policy_count; i++)
		if (gpu->policies[i].policy->touches & apart || gpu->policies[i].hooks->moves)
			return hd_gpu_refuse(gpu, HD_SIM_BAD_LAUNCH,
					     "kernel %s: policy '%s' works on registers or single warps, and knows no "
					     "%s",
					     hd_kernel_title(launch->kernel), gpu->policies[i].policy->name, what);
	return 0;
}

/* Designs that place blocks or warps, or that keep some from running, do so for each by itself. */
static int check_policies(struct hd_gpu *gpu, const struct hd_launch *launch, const struct hd_grid *grid)
{
	const uint32_t apart =
		HD_TOUCH_ALLOCATION | HD_TOUCH_DISPATCH | HD_TOUCH_START | HD_TOUCH_PLACES | HD_TOUCH_SHARES;
	for (uint32_t i = 0; grid->clusters && i < gpu->policy_count; i++)
		if (gpu->policies[i].policy->touches & apart || gpu->policies[i].hooks->allocation.quota)
			return hd_gpu_refuse(gpu, HD_SIM_BAD_CLUSTER,
					     "kernel %s: policy '%s' places blocks or warps one by one, and knows no "
					     "clusters",
					     hd_kernel_title(launch->kernel), gpu->policies[i].policy->name);
	return 0;
}

static int place_clusters(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid *grid)
{
	grid->clusters = grid->cluster_blocks > 1 || meets_clusters(gpu, grid);
	grid->balanced = launch->balanced;
	if (grid->cluster_blocks > 1 && !hd_clusters_fit(gpu->run, grid->cluster_blocks, grid->fit.ctas))
		return refuse_cluster(gpu, launch, grid->cluster, "fits no GPC");
	int error = check_policies(gpu, launch, grid);
	return error ? error : check_products(gpu, launch, grid);
}

uint32_t hd_grid_clusters(const struct hd_grid *grid)
{
	return hd_clusters_fit(grid->kernel->module->gpu->run, grid->cluster_blocks, grid->fit.ctas);
}

static void put32(uint8_t *constants, uint32_t offset, uint32_t value)
{
	memcpy(constants + offset, &value, sizeof value);
}

static void put64(uint8_t *constants, uint32_t offset, uint64_t value)
{
	memcpy(constants + offset, &value, sizeof value);
}

static void fill_constants(const struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid *grid)
{
	uint32_t static_shared = shared_of(gpu, launch->kernel), unit = (uint32_t)gpu->config->shared_unit;
	uint8_t *constants = grid->constants;
	for (uint32_t i = 0; i < 3; i++) {
		put32(constants, HD_CB_NTID_X + 4 * i, launch->block[i]);
		put32(constants, HD_CB_NCTAID_X + 4 * i, launch->grid[i]);
	}
	for (uint32_t i = 0; i < 3; i++) {
		put32(constants, HD_CB_CLUSTER_X + 4 * i, grid->cluster[i]);
		put32(constants, HD_CB_NCLUSTERID_X + 4 * i, launch->grid[i] / grid->cluster[i]);
	}
	put32(constants, HD_CB_CLUSTER_BLOCKS, grid->cluster_blocks);
	put32(constants, HD_CB_CLUSTER_EXPLICIT, grid->explicit_clusters);
	put64(constants, HD_CB_SHARED_WINDOW, HD_SHARED_WINDOW);
	put64(constants, HD_CB_LOCAL_WINDOW, HD_LOCAL_WINDOW);
	put32(constants, HD_CB_STACK_TOP, grid->local_bytes);
	put32(constants, HD_CB_DYN_SHARED, static_shared);
	put32(constants, HD_CB_DYN_BYTES, launch->dynamic_shared);
	put32(constants, HD_CB_SHARED_BYTES, (grid->shared_bytes + unit - 1) / unit * unit);
	if (launch->param_bytes)
		memcpy(constants + HD_CB_PARAMS, launch->params, launch->param_bytes);
	grid->constant_bytes = HD_CB_PARAMS + launch->param_bytes;
}

/* Parameters in device memory, where the code may point to them (__grid_constant__). */
static int copy_parameters(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid *grid)
{
	enum { ALIGN = 256 }; /* of what one may be, and more: a parameter has the alignment of its offset */
	uint32_t room = (launch->param_bytes + ALIGN) / ALIGN * ALIGN;
	if (hd_devmem_alloc(gpu->devmem, room, ALIGN, &grid->parameters) != 0) {
		grid->parameters = 0;
		return hd_gpu_refuse(gpu, HD_SIM_NO_MEMORY, "kernel %s: no device memory for its parameters",
				     hd_kernel_title(launch->kernel));
	}
	uint64_t at = grid->parameters;
	if (launch->param_bytes)
		memcpy(hd_devmem_at(gpu->devmem, at, launch->param_bytes), launch->params, launch->param_bytes);
	grid->parameter_bytes = launch->param_bytes;
	put64(grid->constants, HD_CB_PARAM_COPY, at - HD_CB_PARAMS);
	return 0;
}

/* A bank is much larger than what a launch writes there: one goes from grid to grid. */
static uint8_t *take_bank(struct hd_gpu *gpu)
{
	uint8_t *bank = gpu->zero_bank ? gpu->zero_bank : hd_xcalloc(1, HD_CB_BYTES);
	gpu->zero_bank = NULL;
	return bank;
}

static void leave_bank(struct hd_gpu *gpu, uint8_t *bank, uint32_t written)
{
	if (gpu->zero_bank) {
		free(bank);
		return;
	}
	memset(bank, 0, written);
	gpu->zero_bank = bank;
}

static int fill_grid(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid *grid)
{
	int wrong = check_target(gpu, launch);
	if (wrong)
		return wrong;
	if (check_shape(gpu, launch) || check_threads(gpu, launch) || check_params(gpu, launch))
		return HD_SIM_BAD_LAUNCH;
	int bad = check_cluster(gpu, launch, grid);
	if (bad)
		return bad;
	memcpy(grid->grid, launch->grid, sizeof grid->grid);
	memcpy(grid->block, launch->block, sizeof grid->block);
	grid->block_threads = launch->block[0] * launch->block[1] * launch->block[2];
	grid->block_warps = (grid->block_threads + HD_WARP_LANES - 1) / HD_WARP_LANES;
	grid->cta_total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	uint64_t share = (grid->cta_total + gpu->sm_count - 1) / gpu->sm_count;
	grid->cta_share = share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
	grid->cooperative = launch->cooperative;
	grid->stream = launch->stream;
	grid->priority = launch->priority;
	grid->function = launch->kernel->function;
	grid->entry = function_of(gpu, launch->kernel)->first;
	grid->local_bytes = local_bytes_of(gpu, launch);
	int error = check_resources(gpu, launch, grid, &grid->fit);
	if (error)
		return error;
	error = place_clusters(gpu, launch, grid);
	if (error)
		return error;
	if (grid->cooperative && grid->cta_share > grid->fit.ctas)
		return hd_gpu_refuse(gpu, HD_SIM_TOO_LARGE,
				     "kernel %s: %" PRIu64
				     " blocks of a cooperative launch, but only %u fit on each of %" PRIu64 " SMs",
				     hd_kernel_title(launch->kernel), grid->cta_total, grid->fit.ctas, gpu->sm_count);
	grid->register_rows = rows_of(gpu, grid->registers);
	grid->dynamic_shared = launch->dynamic_shared;
	grid->stack_bytes = launch->stack_bytes;
	grid->mute = launch->mute;
	grid->id = grid->ticket = gpu->grids_launched++;
	grid->in_a_row = launch->in_a_row;
	grid->earliest = launch->earliest;
	grid->programmatic = launch->programmatic && gpu->config->compute_major >= COMPUTE_MAJOR;
	grid->prepared = gpu->now;
	grid->first_block = HD_NEVER;
	grid->policy_space = gpu->policy_bytes.grid ? hd_xcalloc(1, gpu->policy_bytes.grid) : NULL;
	grid->watch_space = gpu->watch_bytes.grid ? hd_xcalloc(1, gpu->watch_bytes.grid) : NULL;
	grid->constants = take_bank(gpu);
	grid->cta_look = grid->cycle_look = HD_NEVER;
	fill_constants(gpu, launch, grid);
	return gpu->program.points_to_parameters ? copy_parameters(gpu, launch, grid) : 0;
}

/* Without the counters, which are most of it. */
static struct hd_grid *take_grid(struct hd_gpu *gpu)
{
	struct hd_grid *grid = gpu->spare_grid ? gpu->spare_grid : hd_xmalloc(sizeof *grid);
	gpu->spare_grid = NULL;
	memset(grid, 0, offsetof(struct hd_grid, before));
	return grid;
}

static void leave_grid(struct hd_gpu *gpu, struct hd_grid *grid)
{
	free(gpu->spare_grid);
	gpu->spare_grid = grid;
}

int hd_grid_new(struct hd_gpu *gpu, const struct hd_launch *launch, struct hd_grid **grid)
{
	*grid = take_grid(gpu);
	(*grid)->kernel = launch->kernel;
	int error = fill_grid(gpu, launch, *grid);
	if (error) {
		hd_grid_free(*grid);
		*grid = NULL;
	}
	return error;
}

int hd_grid_again(struct hd_gpu *gpu, const struct hd_grid *grid, struct hd_grid **again)
{
	struct hd_launch launch = {.kernel = (struct hd_kernel *)grid->kernel, .dynamic_shared = grid->dynamic_shared};
	memcpy(launch.grid, grid->grid, sizeof launch.grid);
	memcpy(launch.block, grid->block, sizeof launch.block);
	if (grid->explicit_clusters)
		memcpy(launch.cluster, grid->cluster, sizeof launch.cluster);
	launch.large_clusters = true;
	launch.balanced = grid->balanced;
	launch.cooperative = grid->cooperative;
	launch.stream = grid->stream;
	launch.priority = grid->priority;
	launch.stack_bytes = grid->stack_bytes;
	launch.mute = grid->mute;
	launch.params = grid->constants + HD_CB_PARAMS;
	launch.param_bytes = MAX_PARAM_BYTES;
	int error = hd_grid_new(gpu, &launch, again);
	if (!error)
		(*again)->ticket = grid->ticket;
	return error;
}

void hd_grid_free(struct hd_grid *grid)
{
	struct hd_gpu *gpu = grid->kernel->module->gpu;
	hd_linear_end(grid);
	if (grid->watch_space)
		HD_TELL(gpu, grid_free, grid);
	hd_vec_release(&grid->requeued);
	free(grid->policy_space);
	free(grid->watch_space);
	if (grid->parameters)
		hd_devmem_release(gpu->devmem, grid->parameters);
	if (grid->constants)
		leave_bank(gpu, grid->constants, grid->constant_bytes);
	leave_grid(gpu, grid);
}

uint32_t hd_kernel_occupancy(const struct hd_gpu *gpu, const struct hd_kernel *kernel, uint32_t block_threads,
			     uint32_t dynamic_shared)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu->config);
	uint64_t shared = (uint64_t)shared_of(gpu, kernel) + dynamic_shared;
	return hd_occupancy_compute(&limits, registers_of(gpu, kernel), block_threads, shared).ctas;
}
