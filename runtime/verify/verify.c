/*
 * --verify: every static fact that the objects state is checked against what happens, for each
 * lane. A fact that does not hold stops the kernel with HD_SIM_VERIFY and the place.
 *
 *   registers   no instruction names a register beyond its function's own count
 *   stack       R1 stays within max_stack_bytes of the top while no call of unknown depth is open
 *   calls       every executed call but those of helpers is in the metadata, its callee in the site's set, the depth
 *               within the kernel's call_depth; callee-saved registers and R1 come back unchanged
 *   fru         a prologue pushes no more registers than stated, and the FRU covers them (CARS III-A)
 *   dead        a register whose last read was tagged, for its thread or for all of the warp, or that the
 *               reuse analysis says is never read, is not read before it is written (LTRF+, malekeh)
 *   reconv      no lane returns from inside a branch whose paths were said to reconverge
 *
 * verify_analyses.c has intervals and what preemption points save, verify_switching.c switch points, verify_reuse.c
 * reuse distances, verify_memory.c idempotence, and verify_affine.c what linear values prove about accesses and
 * branches.
 *
 * A watcher (core/watch.h): off, it costs nothing. On, a call copies the callee-saved rows.
 */
#include "runtime/verify/verify.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include "lib/machine/abi.h"
#include "runtime/exec/later.h"
#include "runtime/exec/linear.h"
#include "runtime/verify/start.h"

#define ARGUMENTS (((UINT64_C(1) << HD_ABI_ARG_COUNT) - 1) << HD_ABI_FIRST_ARG)

/* A call that is open, the kernel itself first. */
struct frame {
	uint32_t function;
	bool unbounded;			  /* some call on the way here has no known depth */
	uint64_t pushed[4];		  /* registers that the prologue has saved */
	struct hd_hazard coming;	  /* what loads bring that were under way at entry (later.h) */
	uint32_t rows;			  /* of `saved`, `dead` and `lost` */
	uint32_t (*saved)[HD_WARP_LANES]; /* registers at entry */
	uint32_t *dead;			  /* tags at entry: lanes for which the register is dead */
	uint32_t *lost;			  /* the same of what a policy has not kept */
	struct hd_lane_intervals last;	  /* at entry */
};

struct hd_shadow {
	HD_VEC(struct frame) frames; /* the first `depth`, and popped ones, whose buffers are used again */
	uint32_t depth;
	uint32_t dead[256];	      /* lanes */
	uint32_t apart[HD_MAX_UREGS]; /* lanes that were elsewhere when the uniform register was written last */
	struct hd_watch watch;
	bool exited; /* call entries may have gone without a return */
	bool off;    /* lanes are in different calls, of which `frames` has one order */
};

static struct frame *top_frame(const struct hd_shadow *shadow)
{
	return &shadow->frames.data[shadow->depth - 1];
}

static struct frame *push_frame(struct hd_shadow *shadow, uint32_t function, uint32_t rows)
{
	if (shadow->depth == shadow->frames.len)
		hd_vec_push(&shadow->frames, (struct frame){0});
	struct frame *frame = &shadow->frames.data[shadow->depth++];
	if (frame->rows < rows) {
		frame->saved = hd_xrealloc(frame->saved, rows * sizeof(*frame->saved));
		frame->dead = hd_xrealloc(frame->dead, rows * sizeof(*frame->dead));
		frame->lost = hd_xrealloc(frame->lost, rows * sizeof(*frame->lost));
		frame->rows = rows;
	}
	frame->function = function;
	frame->unbounded = false;
	memset(frame->pushed, 0, sizeof(frame->pushed));
	return frame;
}

/* From one warp to the next in a slot. NULL: the slot has had none, or the warp is a twin. */
static struct hd_shadow *kept_of(const struct hd_watcher_handle *self, const struct hd_warp *warp)
{
	struct hd_shadow **slot = HD_WATCHER_OF(self, warp, warp);
	return slot ? *slot : NULL;
}

static void warp_begin(const struct hd_watcher_handle *self, struct hd_exec *exec, struct hd_warp *warp)
{
	struct hd_shadow **slot = HD_WATCHER_OF(self, warp, warp), *shadow;
	const struct hd_grid *grid = warp->cta->grid;
	(void)exec;
	if (!*slot)
		*slot = hd_xcalloc(1, sizeof(**slot));
	shadow = *slot;
	shadow->depth = 0;
	shadow->exited = shadow->off = false;
	memset(shadow->dead, 0, sizeof(shadow->dead));
	memset(shadow->apart, 0, sizeof(shadow->apart));
	hd_watch_begin(&shadow->watch);
	struct frame *frame = push_frame(shadow, grid->function, 0);
	frame->unbounded = !grid->kernel->meta || grid->kernel->meta->dynamic_stack;
}

static void warp_free(const struct hd_watcher_handle *self, struct hd_warp *warp)
{
	struct hd_shadow *shadow = kept_of(self, warp);
	if (!shadow)
		return;
	for (uint32_t i = 0; i < shadow->frames.len; i++) {
		free(shadow->frames.data[i].saved);
		free(shadow->frames.data[i].dead);
		free(shadow->frames.data[i].lost);
	}
	hd_vec_release(&shadow->frames);
	free(shadow);
}

/* What the warp is checked against; NULL: it is not. */
static struct hd_shadow *shadow_of(const struct hd_watcher_handle *self, const struct hd_warp *warp)
{
	struct hd_shadow *shadow = kept_of(self, warp);
	return shadow && !shadow->off ? shadow : NULL;
}

static void yielded(const struct hd_watcher_handle *self, struct hd_warp *warp, bool calls)
{
	struct hd_shadow *shadow = kept_of(self, warp);
	if (!shadow)
		return;
	shadow->off |= calls;
	memset(&shadow->watch.due, 0, sizeof(shadow->watch.due)); /* counted in the warp's instructions */
}

/* Lanes that exit inside a call take its entry with them. */
static void drop_exited_frames(struct hd_shadow *shadow, const struct hd_warp *warp)
{
	uint32_t open = 1;
	for (uint32_t i = 0; i < warp->stack.len; i++)
		open += warp->stack.data[i].call_return != HD_PC_NONE;
	if (shadow->depth > open)
		shadow->depth = open;
	shadow->exited = false;
}

static const struct hd_pfunction *function_of(const struct hd_exec *exec, uint32_t index)
{
	return &exec->gpu->program.functions.data[index];
}

static uint32_t first_lane(uint32_t mask)
{
	return mask ? (uint32_t)__builtin_ctz(mask) : 0;
}

/* ---- before an instruction */

static uint32_t register_bound(const struct hd_hazard *set)
{
	for (unsigned word = 4; word-- > 0;)
		if (set->bits[word])
			return word * 64 + 64 - (uint32_t)__builtin_clzll(set->bits[word]);
	return 0;
}

static void check_registers(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function)
{
	uint32_t bound = register_bound(&inst->hazards);
	if (function->least) { /* its warps hand registers on */
		if (bound > exec->warp->registers)
			HD_FAULT(exec, first_lane(exec->mask), HD_SIM_VERIFY,
				 "R%u is used in %s, where the warp has %u registers", bound - 1, function->name,
				 exec->warp->registers);
	} else if (bound > function->meta->own_registers)
		HD_FAULT(exec, first_lane(exec->mask), HD_SIM_VERIFY, "R%u is used in %s, which has %u registers",
			 bound - 1, function->name, function->meta->own_registers);
	else if (bound > exec->warp->cta->grid->registers)
		HD_FAULT(exec, first_lane(exec->mask), HD_SIM_VERIFY, "R%u is used, the kernel has %u registers",
			 bound - 1, exec->warp->cta->grid->registers);
}

static void check_dead_reads(struct hd_exec *exec, struct hd_shadow *shadow, const struct hd_dinst *inst)
{
	/* A prologue saves what its caller may have no use for. Behind it the register is the function's own, which may
	 * read it where it has put nothing there yet: an undefined value. */
	if (inst->inst.role == HD_ROLE_CALLEE_SAVE) {
		for (unsigned i = 0; i < inst->read_count; i++)
			shadow->dead[inst->read_regs[i]] &= ~exec->mask;
		return;
	}
	for (unsigned i = 0; i < inst->read_count && !exec->fault; i++) {
		uint32_t lanes = shadow->dead[inst->read_regs[i]] & exec->mask;
		if (lanes)
			HD_FAULT(exec, first_lane(lanes), HD_SIM_VERIFY,
				 "R%u is read after it was tagged as not read again", inst->read_regs[i]);
	}
}

/* A prologue may save what its caller has no use for. */
static void check_lost_reads(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_poison *lost)
{
	for (unsigned i = 0; i < inst->read_count && inst->inst.role != HD_ROLE_CALLEE_SAVE; i++) {
		uint32_t lanes = lost->regs[inst->read_regs[i]] & exec->mask;
		if (!lanes)
			continue;
		HD_FAULT(exec, first_lane(lanes), HD_SIM_VERIFY,
			 "R%u is read, but it was not among the registers that were saved when the warp was suspended",
			 inst->read_regs[i]);
		return;
	}
}

static void registers_lost(const struct hd_watcher_handle *self, struct hd_warp *warp, const uint64_t kept[4])
{
	struct hd_shadow *shadow = kept_of(self, warp);
	for (uint32_t reg = 0; shadow && reg < HD_RZ; reg++)
		if (!(kept[reg / 64] >> reg % 64 & 1))
			shadow->watch.lost.regs[reg] = HD_FULL;
}

static void check_push(struct hd_exec *exec, const struct hd_shadow *shadow, const struct hd_dinst *inst,
		       const struct hd_pfunction *function)
{
	struct frame *frame = top_frame(shadow);
	unsigned width = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_C), count = 0;
	for (unsigned reg = inst->inst.c; reg < inst->inst.c + width && reg < HD_RZ; reg++)
		frame->pushed[reg / 64] |= UINT64_C(1) << reg % 64;
	for (unsigned word = 0; word < 4; word++)
		count += (unsigned)__builtin_popcountll(frame->pushed[word]);
	const struct hd_meta_function *meta = function->meta;
	/* Calls of helpers are instructions: these may save, where few registers are scratch, and have no FRU. */
	bool has_fru = !meta->kernel && !function->object->helper;
	if (count > meta->pushed_registers || (has_fru && count + 1 > meta->fru))
		HD_FAULT(exec, first_lane(exec->mask), HD_SIM_VERIFY,
			 "%s pushes %u registers, its metadata says %u and a FRU of %u", function->name, count,
			 meta->pushed_registers, meta->fru);
}

/* Lanes that waited while others wrote the uniform register would read a value that is not theirs. */
static void check_uniform_read(struct hd_exec *exec, const struct hd_shadow *shadow, const struct hd_inst *inst)
{
	uint32_t lanes = hd_x_is_uniform(inst->xkind) ? shadow->apart[inst->x] & exec->mask : 0;
	if (lanes)
		HD_FAULT(exec, first_lane(lanes), HD_SIM_VERIFY,
			 "UR%u is read by a lane that was not there when it was written", inst->x);
}

static void step_before(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_shadow *shadow = shadow_of(self, exec->warp);
	if (!shadow || exec->fault)
		return;
	if (shadow->exited)
		drop_exited_frames(shadow, exec->warp);
	if (inst->inst.op == HD_OP_EXIT || inst->inst.op == HD_OP_RET)
		shadow->exited = true;
	const struct hd_pfunction *function = function_of(exec, inst->function);
	if (top_frame(shadow)->function != inst->function) {
		HD_FAULT(exec, first_lane(exec->mask), HD_SIM_VERIFY, "control is in %s, but the last call was of %s",
			 function->name, function_of(exec, top_frame(shadow)->function)->name);
		return;
	}
	if (function->meta)
		check_registers(exec, inst, function);
	if (!exec->fault)
		check_dead_reads(exec, shadow, inst);
	if (!exec->fault)
		check_lost_reads(exec, inst, &shadow->watch.lost);
	if (!exec->fault)
		check_uniform_read(exec, shadow, &inst->inst);
	if (!exec->fault)
		hd_verify_analyses_before(exec, inst, function, &shadow->watch);
	if (!exec->fault)
		hd_verify_switching_before(exec, inst, function, &shadow->watch);
	if (!exec->fault)
		hd_verify_due(exec, inst, function, &shadow->watch.due);
	if (!exec->fault && exec->mask && function->meta && inst->inst.role == HD_ROLE_CALLEE_SAVE)
		check_push(exec, shadow, inst, function);
	if (!exec->fault)
		hd_verify_affine_before(self, exec, function);
	if (!exec->fault && function->verified)
		__atomic_store_n(&function->verified[exec->warp->pc - function->first], true, __ATOMIC_RELAXED);
}

/* ---- after an instruction */

static void tag_dead(struct hd_shadow *shadow, uint32_t mask, const struct hd_inst *inst)
{
	static const enum hd_slot slots[] = {HD_SLOT_A, HD_SLOT_B, HD_SLOT_C};
	const uint8_t regs[] = {inst->a, inst->b, inst->c};
	for (unsigned i = 0; i < 3; i++) {
		if (!(inst->dead >> i & 1))
			continue;
		unsigned width = hd_op_width(inst->op, inst->mods, slots[i]);
		for (unsigned reg = regs[i]; reg < regs[i] + width && reg < HD_RZ; reg++)
			shadow->dead[reg] |= mask;
	}
}

/* What is written is alive again, in the lanes that wrote it. */
static void revive_written(struct hd_shadow *shadow, uint32_t mask, const struct hd_hazard *writes)
{
	HD_FOR_HAZARD_REGS(reg, writes)
	shadow->dead[reg] &= ~mask;
	hd_verify_poison_written(&shadow->watch.poison, mask, writes);
	hd_verify_poison_written(&shadow->watch.space, mask, writes);
	hd_verify_poison_written(&shadow->watch.stalled, mask, writes);
	hd_verify_poison_written(&shadow->watch.loading, mask, writes);
	hd_verify_poison_written(&shadow->watch.lost, mask, writes);
}

static void check_stack(struct hd_exec *exec, const struct hd_shadow *shadow)
{
	const struct hd_grid *grid = exec->warp->cta->grid;
	if (top_frame(shadow)->unbounded || !grid->kernel->meta)
		return;
	uint32_t most = grid->kernel->meta->max_stack_bytes;
	if (!most && !grid->kernel->meta->call_count)
		return; /* a kernel without frames and calls has no stack pointer: R1 is a register like any other */
	most += hd_linear_extra_frame(grid);
	HD_FOR_LANES (lane, exec->mask) {
		uint32_t used = grid->local_bytes - exec->warp->regs[HD_ABI_STACK_POINTER][lane];
		if (used <= most)
			continue;
		HD_FAULT(exec, lane, HD_SIM_VERIFY, "the stack is %u bytes deep, the kernel's metadata says at most %u",
			 used, most);
		return;
	}
}

static void step_done(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_shadow *shadow = shadow_of(self, exec->warp);
	const struct hd_grid *grid = exec->warp->cta->grid;
	if (!shadow || !exec->mask)
		return;
	/* An indirect call is executed again for the lanes with other targets: the event `call` tags those that go. */
	const struct hd_pfunction *function = function_of(exec, inst->function);
	if (inst->inst.dead && inst->inst.op != HD_OP_CALLI)
		tag_dead(shadow, exec->mask, &inst->inst);
	hd_verify_tag_sources(exec, inst, function, shadow->dead);
	revive_written(shadow, exec->mask, &inst->writes);
	hd_verify_tag_result(exec, inst, function, shadow->dead);
	hd_verify_switching_after(exec, inst, &shadow->watch);
	if (hd_opinfo[inst->inst.op].dst == HD_W_U)
		shadow->apart[inst->inst.dst] = exec->warp->live & ~exec->mask;
	if (inst->inst.op == HD_OP_SYSCALL)
		revive_written(shadow, exec->mask, &(struct hd_hazard){{ARGUMENTS}}); /* and the result, and scratch */
	if (inst->writes.bits[0] >> HD_ABI_STACK_POINTER & 1)
		check_stack(exec, shadow);
	if (!exec->fault && exec->effect->event == HD_EVENT_MEMORY)
		hd_verify_memory(exec, inst, HD_WATCHER_OF(self, grid, grid));
	if (!exec->fault && exec->effect->event == HD_EVENT_BULK)
		hd_verify_bulk(exec, inst);
	if (!exec->fault)
		hd_verify_affine_after(self, exec, function_of(exec, inst->function));
}

static void vote_result(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_warp *warp,
			const struct hd_dinst *inst, uint32_t mask, uint32_t value)
{
	struct hd_shadow *shadow = kept_of(self, warp);
	(void)gpu;
	(void)value;
	if (shadow)
		hd_verify_poison_written(&shadow->watch.lost, mask, &inst->writes);
}

static void made_uniform(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst,
			 const uint32_t *row)
{
	uint32_t first = (uint32_t)__builtin_ctz(exec->mask);
	(void)self;
	HD_FOR_LANES (lane, exec->mask)
		if (row[lane] != row[first]) {
			HD_FAULT(exec, lane, HD_SIM_VERIFY,
				 "UR%u is to hold a value of the whole warp: 0x%x here, 0x%x in thread %u of the warp",
				 inst->inst.dst, row[lane], row[first], first);
			return;
		}
}

/* ---- calls and returns */

static const struct hd_meta_call *site_of(const struct hd_meta_function *caller, uint32_t pc)
{
	for (uint32_t i = 0; i < caller->call_count; i++)
		if (caller->calls[i].pc == pc)
			return &caller->calls[i];
	return NULL;
}

static bool may_call(const struct hd_meta_call *site, const char *name)
{
	for (uint32_t i = 0; i < site->callee_count; i++)
		if (strcmp(site->callees[i], name) == 0)
			return true;
	return site->unknown_callees;
}

/* Whether the depth below this call is not bounded; faults when the call contradicts the metadata. */
static bool check_site(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t mask, uint32_t callee)
{
	const struct hd_pfunction *caller = function_of(exec, inst->function), *to = function_of(exec, callee);
	if (!caller->said)
		return true;
	const struct hd_meta_call *site = site_of(caller->said, (exec->warp->pc - caller->first) * HD_INST_BYTES);
	if (!site) {
		HD_FAULT(exec, first_lane(mask), HD_SIM_VERIFY, "the call of %s in %s is not in the metadata", to->name,
			 caller->name);
		return true;
	}
	if (!may_call(site, to->name))
		HD_FAULT(exec, first_lane(mask), HD_SIM_VERIFY, "%s calls %s, which is not among the site's callees",
			 caller->name, to->name);
	return site->recursive || site->unknown_callees || !to->meta || to->meta->recursive || to->meta->dynamic_stack;
}

/* check_site, of any call on the way here; faults when there are more of them than stated, too. */
static bool check_call(struct hd_exec *exec, const struct hd_shadow *shadow, const struct hd_dinst *inst, uint32_t mask,
		       uint32_t callee)
{
	const struct hd_meta_function *kernel = exec->warp->cta->grid->kernel->meta;
	bool unbounded = check_site(exec, inst, mask, callee) || top_frame(shadow)->unbounded;
	if (!exec->fault && !unbounded && kernel && shadow->depth > kernel->call_depth)
		HD_FAULT(exec, first_lane(mask), HD_SIM_VERIFY,
			 "calls are %u deep, the kernel's metadata says at most %u", shadow->depth, kernel->call_depth);
	return unbounded;
}

/* The calling convention that its module was compiled with. */
static const struct hd_abi *abi_of(const struct hd_pfunction *function)
{
	const struct hd_abi *abi = function->module ? function->module->object.metadata.abi : NULL;
	return abi ? abi : &hd_abi_cars;
}

/* The callee may have written it: who reads it reads an undefined value, whatever the callee's intervals kept of it. */
static void take_scratch(struct hd_shadow *shadow, uint32_t mask, uint32_t reg)
{
	shadow->dead[reg] &= ~mask;
	shadow->watch.space.regs[reg] &= ~mask;
	shadow->watch.lost.regs[reg] &= ~mask;
}

static void call(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst, uint32_t mask,
		 uint32_t callee)
{
	struct hd_warp *warp = exec->warp;
	struct hd_shadow *shadow = shadow_of(self, warp);
	if (!shadow)
		return;
	if (inst->inst.dead)
		tag_dead(shadow, mask, &inst->inst);
	bool unbounded = top_frame(shadow)->unbounded;
	if (!inst->helper)
		unbounded = check_call(exec, shadow, inst, mask, callee);
	if (exec->fault)
		return;
	uint32_t rows = warp->cta->grid->register_rows;
	struct frame *frame = push_frame(shadow, callee, rows);
	frame->unbounded = unbounded;
	memcpy(frame->saved, warp->regs, rows * sizeof(*frame->saved));
	memcpy(frame->dead, shadow->dead, rows * sizeof(*frame->dead));
	memcpy(frame->lost, shadow->watch.lost.regs, rows * sizeof(*frame->lost));
	frame->last = shadow->watch.last;
	/* Of what the caller left in scratch registers the callee reads its arguments and what is undefined; beside
	 * results the caller does. */
	const struct hd_abi *abi = abi_of(function_of(exec, callee));
	for (uint32_t reg = 0; reg < rows; reg++)
		if (!hd_abi_is_saved(abi, reg))
			take_scratch(shadow, mask, reg);
	hd_later_results(exec, warp, &frame->coming);
	hd_watch_called(&shadow->watch, mask);
}

static void check_preserved(struct hd_exec *exec, uint32_t mask, const struct frame *frame, uint32_t reg)
{
	const uint32_t *now = exec->warp->regs[reg], *then = frame->saved[reg];
	HD_FOR_LANES (lane, mask) {
		if (now[lane] == then[lane])
			continue;
		HD_FAULT(exec, lane, HD_SIM_VERIFY, "%s returns with R%u = 0x%x, it was 0x%x at the call",
			 function_of(exec, frame->function)->name, reg, now[lane], then[lane]);
		return;
	}
}

static void call_return(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_shadow *shadow = shadow_of(self, exec->warp);
	uint32_t mask = exec->mask;
	if (!shadow)
		return;
	const struct frame *frame = top_frame(shadow);
	if (hd_vec_last(&exec->warp->stack).reconv != HD_PC_NONE) {
		HD_FAULT(exec, first_lane(mask), HD_SIM_VERIFY,
			 "a thread returns from %s without passing the reconvergence "
			 "point of a branch",
			 function_of(exec, frame->function)->name);
		return;
	}
	const struct hd_pfunction *function = function_of(exec, frame->function);
	const struct hd_abi *abi = abi_of(function);
	uint32_t rows = exec->warp->cta->grid->register_rows;
	if (inst->helper)
		hd_watch_helped(&shadow->watch, mask, &frame->last);
	else
		hd_watch_returned(&shadow->watch, mask);
	for (uint32_t reg = 0; reg < rows && !exec->fault; reg++) {
		if (reg != abi->stack_pointer && !hd_abi_is_saved(abi, reg)) {
			take_scratch(shadow, mask, reg);
			continue;
		}
		/* What was lost meanwhile, or before and then saved and restored, is of no use to the caller, or it
		 * reads it and that is found. */
		shadow->watch.lost.regs[reg] |= frame->lost[reg] & mask;
		if (!(frame->coming.bits[reg / 64] >> reg % 64 & 1))
			check_preserved(exec, mask & ~shadow->watch.lost.regs[reg], frame, reg);
		shadow->dead[reg] = (shadow->dead[reg] & ~mask) | (frame->dead[reg] & mask);
	}
}

static void call_ended(const struct hd_watcher_handle *self, struct hd_exec *exec)
{
	struct hd_shadow *shadow = shadow_of(self, exec->warp);
	if (shadow && shadow->depth > 1)
		shadow->depth--;
}

/* ---- functions, grids, memory */

static void loaded(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_module *module,
		   struct hd_pfunction *function)
{
	(void)self;
	(void)gpu;
	if (!function->linear)
		hd_verify_affine_prepare(module, function);
	if (function->meta)
		function->verified = HD_ARENA_NEW(&module->arena, bool, function->count);
}

static void grid_start(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct hd_verify_grid *kept = HD_WATCHER_OF(self, grid, grid);
	(void)gpu;
	hd_verify_affine_begin(grid, kept);
	hd_verify_remember(grid, kept);
}

static void grid_free(const struct hd_watcher_handle *self, struct hd_grid *grid)
{
	struct hd_verify_grid *kept = HD_WATCHER_OF(self, grid, grid);
	hd_verify_affine_end(kept);
	hd_verify_forget(kept);
}

/* Who reads it all the same finds something else. */
static void left(const struct hd_watcher_handle *self, void *memory, size_t bytes)
{
	enum { NOTHING = 0xa5 };
	(void)self;
	memset(memory, NOTHING, bytes);
}

static const struct hd_watcher verify_watcher = {
	.name = "verify",
	.warp_bytes = sizeof(struct hd_shadow *),
	.cta_bytes = sizeof(struct hd_verify_block),
	.grid_bytes = sizeof(struct hd_verify_grid),
	.all_code = true,
	.facts = true,
	.loaded = loaded,
	.grid_start = grid_start,
	.grid_free = grid_free,
	.warp_begin = warp_begin,
	.warp_free = warp_free,
	.registers_lost = registers_lost,
	.left = left,
	.step_before = step_before,
	.step_done = step_done,
	.call = call,
	.call_return = call_return,
	.call_ended = call_ended,
	.yielded = yielded,
	.made_uniform = made_uniform,
	.vote_result = vote_result,
};

void hd_verify_facts_start(struct hd_gpu *gpu)
{
	hd_watcher_add(gpu, &verify_watcher, NULL);
}
