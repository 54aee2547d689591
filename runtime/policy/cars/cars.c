/*
 * CARS: concurrency-aware register stacks (cars-hpca24). The policy's table, and what calls, returns, pushes and pops
 * do; the parts are named in cars.h.
 *
 * Loading a program, the FRU of each call site and function is taken from the metadata, and callee saves and restores
 * become pushes and pops (IV-A): they take an issue slot and a place in the operand collector, where RSP is moved
 * (IV-B2), and neither registers nor the load/store unit. So does the micro-operation that pushes the caller's RFP,
 * which writes a register. The paper inserts it before the call; here it follows it, at the same cost. A function
 * whose saves are not a run from R16 up keeps them as they are, and its calls leave the stack alone.
 *
 * The checks that CARS adds to the issue and operand-collector stages are a pipeline stage each, for all instructions:
 * the paper's worst case (IV-C). An indirect call asks for the FRU of its site's worst callee (III-C); where the site
 * cannot name its callees, that of the function called.
 */
#include "runtime/policy/cars/cars.h"

#include "heddle/figures.h"
#include "lib/strbuf.h"

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	char *end;
	(void)config;
	if (!*parameter || !strcmp(parameter, "low") || !strcmp(parameter, "high"))
		return 0;
	unsigned long n = strtoul(parameter, &end, 10);
	if (*end || n < 1 || n > 1000 || *parameter < '0' || *parameter > '9')
		return hd_error(diag, HD_NOWHERE, "policy 'cars:%s': wrong parameter (expected %s)", parameter,
				policy->parameters);
	return 0;
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	cars_gpu_of(self, gpu)->parameter = self->parameter;
	cars_gpu_of(self, gpu)->joined = cars_is_joined(gpu);
}

/* ---- a program is loaded */

static bool is_save(const struct hd_dinst *inst)
{
	return inst->inst.role == HD_ROLE_CALLEE_SAVE || inst->inst.role == HD_ROLE_CALLEE_RESTORE;
}

static uint32_t saved_register(const struct hd_dinst *inst)
{
	return inst->inst.role == HD_ROLE_CALLEE_SAVE ? inst->inst.c : inst->inst.dst;
}

/* Are the saves a run of registers from R16? Then how many. */
static bool saves_a_run(const struct hd_dinst *code, uint32_t count, uint32_t *pushed)
{
	uint64_t saved[4] = {0};
	uint32_t registers = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (code[i].inst.role != HD_ROLE_CALLEE_SAVE)
			continue;
		for (uint32_t reg = code[i].inst.c, k = 0; k < code[i].access_bytes / 4u; k++, reg++)
			saved[reg / 64 & 3] |= UINT64_C(1) << reg % 64;
	}
	for (uint32_t word = 0; word < 4; word++)
		registers += (uint32_t)__builtin_popcountll(saved[word]);
	for (uint32_t reg = CARS_FIRST_SAVED; reg < CARS_FIRST_SAVED + registers; reg++)
		if (reg >= HD_RZ || !(saved[reg / 64] >> reg % 64 & 1))
			return false;
	*pushed = registers;
	return true;
}

static void make_rename(struct hd_dinst *inst)
{
	inst->pipe = HD_PIPE_RENAME;
	inst->interval = 1;
	inst->read_count = inst->write_count = inst->operand_count = inst->named_count = 0;
	memset(&inst->hazards, 0, sizeof(inst->hazards));
	memset(&inst->writes, 0, sizeof(inst->writes));
}

static void *grow(struct hd_gpu *gpu, void *old, uint32_t *count, uint32_t wanted, size_t bytes)
{
	if (wanted <= *count)
		return old;
	uint32_t capacity = 2 * *count > wanted ? 2 * *count : wanted;
	void *array = hd_arena_alloc(&gpu->arena, capacity * bytes);
	if (*count)
		memcpy(array, old, *count * bytes);
	*count = capacity;
	return array;
}

static void take_sites(struct hd_gpu *gpu, struct cars_gpu *cars, const struct hd_pfunction *function)
{
	uint32_t end = function->first + function->count;
	cars->site_fru = grow(gpu, cars->site_fru, &cars->site_count, end, sizeof(*cars->site_fru));
	memset(cars->site_fru + function->first, 0, function->count * sizeof(*cars->site_fru));
	for (uint32_t i = 0; function->meta && i < function->meta->call_count; i++) {
		const struct hd_meta_call *call = &function->meta->calls[i];
		if (call->pc / HD_INST_BYTES < function->count)
			cars->site_fru[function->first + call->pc / HD_INST_BYTES] = (uint16_t)call->fru;
	}
}

static void decode(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		   struct hd_dinst *code)
{
	struct cars_gpu *cars = cars_gpu_of(self, gpu);
	uint32_t index = (uint32_t)(function - gpu->program.functions.data), pushed = 0;
	cars->function_fru =
		grow(gpu, cars->function_fru, &cars->function_count, index + 1, sizeof(*cars->function_fru));
	take_sites(gpu, cars, function);
	if (!saves_a_run(code, function->count, &pushed)) {
		cars->function_fru[index] = CARS_UNRENAMED;
		cars->unrenamed = true;
		return;
	}
	cars->function_fru[index] = pushed + 1;
	if (function->meta && !function->meta->kernel && pushed + 1 > cars->largest_fru)
		cars->largest_fru = pushed + 1;
	for (uint32_t i = 0; i < function->count; i++)
		if (is_save(&code[i]))
			make_rename(&code[i]);
}

/* ---- calls and returns */

static void push_rfp(struct hd_warp *warp)
{
	const struct hd_injected push = {.rows = 1, .mask = warp->cta->sm->effect.mask, .kind = HD_INJECT_MICRO};
	hd_warp_inject(warp, &push);
}

static uint32_t call(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		     uint32_t callee, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct cars_gpu *cars = cars_gpu_of(self, sm->gpu);
	struct cars_counts *counts = &cars_sm_of(self, sm)->counts;
	struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	uint32_t site = cars->site_fru[inst - sm->gpu->program.code.data], own = cars->function_fru[callee];
	bool renames = own != CARS_UNRENAMED;
	uint32_t fru = renames && own > site ? own : site;
	(void)now;
	struct cars_move move = cars_stack_call(stack, fru, sm->effect.mask, renames, &sm->arena);
	hd_vec_last(&stack->frames).call = hd_vec_last(&warp->stack).call;
	counts->calls++;
	counts->unrenamed_calls += !hd_vec_last(&stack->frames).renamed;
	if (move.rows) {
		cars_verify_spill(self, warp, &move);
		counts->traps++;
		counts->call_traps++;
		counts->spilled_bytes += cars_trap(warp, &move, HD_INJECT_STORE);
	}
	if (hd_vec_last(&stack->frames).renamed) {
		cars_verify_push(self, warp, stack->rsp - 1, stack->rsp);
		push_rfp(warp);
	}
	return move.rows ? cars_trap_cycles(sm) : 0;
}

static uint32_t open_calls(const struct hd_warp *warp)
{
	uint32_t open = 0;
	for (uint32_t i = 0; i < warp->stack.len; i++)
		open += warp->stack.data[i].call_return != HD_PC_NONE;
	return open;
}

/* Threads that exit may end several calls at once; a return ends one. */
static uint32_t depth_now(const struct hd_warp *warp, const struct cars_warp *mine, bool exits)
{
	return exits || mine->exited ? open_calls(warp) : mine->stack.frames.len - 1;
}

static uint32_t call_return(const struct hd_policy_handle *self, struct hd_warp *warp, bool all_threads, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct cars_warp *mine = cars_warp_of(self, warp);
	struct cars_counts *counts = &cars_sm_of(self, sm)->counts;
	bool exits = sm->effect.event == HD_EVENT_EXIT;
	(void)now;
	if (warp->reordered)
		return cars_follow_path(self, warp, true);
	if (!all_threads)
		return 0; /* the frame is released with the last of them (III-C) */
	mine->exited |= exits;
	struct cars_move move = cars_stack_return(&mine->stack, depth_now(warp, mine, exits));
	if (!move.rows)
		return 0;
	cars_verify_fill(self, warp, &move);
	counts->traps++;
	counts->filled_bytes += cars_trap(warp, &move, HD_INJECT_LOAD);
	return cars_trap_cycles(sm);
}

/* ---- pushes and pops */

/* A save of a function that got no frame: it goes to memory after all, where the program has its place. */
static void access_memory(struct hd_warp *warp, const struct hd_dinst *inst)
{
	const struct hd_effect *effect = &warp->cta->sm->effect;
	uint32_t lane = (uint32_t)__builtin_ctz(effect->mask);
	struct hd_injected access = {.address = effect->address[lane] - lane * sizeof(uint32_t),
				     .stride = HD_ROW_BYTES,
				     .rows = inst->access_bytes / 4u,
				     .mask = effect->mask,
				     .kind = inst->inst.role == HD_ROLE_CALLEE_SAVE ? HD_INJECT_STORE : HD_INJECT_LOAD};
	hd_warp_inject(warp, &access);
}

static void push(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct cars_counts *counts = &cars_sm_of(self, warp->cta->sm)->counts;
	struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	uint32_t before = stack->rsp;
	struct cars_move move = cars_stack_push(stack, saved_register(inst), inst->access_bytes / 4u);
	counts->pushes++;
	if (move.rows) {
		cars_verify_spill(self, warp, &move);
		counts->traps++;
		counts->spilled_bytes += cars_trap(warp, &move, HD_INJECT_STORE);
	}
	cars_verify_push(self, warp, before, stack->rsp);
}

static bool memory_access(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now)
{
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	(void)now;
	if (!is_save(inst) || inst->pipe == HD_PIPE_LSU)
		return true;
	if (!stack->frames.len || !hd_vec_last(&stack->frames).renamed)
		access_memory(warp, inst);
	else if (inst->inst.role == HD_ROLE_CALLEE_SAVE)
		push(self, warp, inst);
	else
		cars_sm_of(self, warp->cta->sm)->counts.pops++;
	return false;
}

static uint32_t rename_register(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg)
{
	return cars_stack_place(&cars_warp_of(self, warp)->stack, reg);
}

const struct hd_policy_hooks hd_hooks_cars = {
	.gpu_bytes = sizeof(struct cars_gpu),
	.sm_bytes = sizeof(struct cars_sm),
	.cta_bytes = sizeof(struct cars_cta),
	.stages = CARS_STAGES,
	.configure = configure,
	.start = start,
	.decode = decode,
	.own_state = true,
	.grid_begin = cars_grid_begin,
	.grid_end = cars_grid_end,
	.allocation.admit = cars_admit,
	.allocation.cta_launch = cars_cta_launch,
	.allocation.cta_retire = cars_cta_retire,
	.allocation.warp_done = cars_warp_done,
	.operands.rename = rename_register,
	.calls.call = call,
	.calls.call_return = call_return,
	.calls.path_switch = cars_path_switch,
	.memory.memory_access = memory_access,
	.issue.write_back = cars_write_back,
	.issue.barrier_wait = cars_barrier_wait,
	.issue.barrier_resume = cars_barrier_resume,
	.observation.verify_before = cars_verify_before,
	.observation.verify_after = cars_verify_after,
	.observation.report = cars_report,
	.observation.reported = cars_reported,
	.observation.dump = cars_dump,
	.observation.why_held = cars_why_held,
};
