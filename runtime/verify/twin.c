/*
 * --verify of linear versions: beside each warp that runs one, a twin runs the original code of the kernel on
 * registers, predicates, SIMT stack and local memory of its own. What depends on more than a thread's registers (loads,
 * atomics, shuffles, votes, clocks, services) is done by the warp alone; the twin takes the results over, and each
 * thread's addresses and stored values must be those that the original code computes. So every linear register that is
 * read as an address is compared with the original's sum, and every one that is read as a value with what the
 * original does with it: data, branches, numbers of iterations.
 *
 * The object names the instruction of the original that does the same as each access (hd_linear.twins); inside
 * functions, which both share, it is the instruction itself. Threads may meet in another order: each lane has a queue
 * for each such instruction, and the twin waits for what the warp has not done yet. Accesses of local memory are
 * the twin's own, for frames differ; a thread that passes on the address of its own local variable as data is compared
 * as far as both values are such addresses. What was never written (the elements of a last tile that nobody loaded) may
 * differ when it is stored: each lane of a register, a predicate and a word of local memory is known to be undefined
 * until it is written, and so is what is computed of it.
 *
 * The twin goes on with what a load brings at once, so that SMs work cycle by cycle, on one host thread.
 *
 * Cost: the kernel a second time, and 64 bytes for each access that the twin has not come to.
 */
#include "runtime/verify/twin.h"
#include "heddle/opcodes.h"

#include <stdalign.h>

#include "lib/machine/abi.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/linear.h"

enum kind { OWN, LOAD, STORE, ATOMIC, RESULT, SERVICE, REDUCTION };

/* What one lane did at one access. */
struct record {
	uint32_t pc, next; /* pc: of the linear version; next: index + 1 */
	uint64_t address;
	uint32_t in[4], out[4];
	bool pred;
};
struct queue {
	uint32_t pc; /* of the original code */
	uint32_t head[HD_WARP_LANES], tail[HD_WARP_LANES];
};

struct twin {
	struct hd_exec exec; /* of `warp` */
	struct hd_warp warp;
	struct hd_effect effect;
	HD_VEC(struct queue) queues;
	HD_VEC(struct record) records;
	uint32_t free, held; /* records: index + 1 of a free one; how many are not */
	struct record now[HD_WARP_LANES];
	uint32_t pc, key, mask; /* of `now` */
	uint8_t kind;
	bool waits;		     /* `now` is a reduction whose result comes with the release */
	const struct hd_dinst *inst; /* of `now` */
	size_t row_bytes, local_bytes, undefined_bytes;
	void *rows, *local;
	uint32_t undefined[HD_RZ + 1 + HD_PT + 1 + HD_MAX_UREGS]; /* lanes, of what the scoreboard has a bit for */
	uint32_t *undefined_local;				  /* lanes, of each word of local memory */
};

/* ---- start and end */

static void grow(void **memory, size_t *have, size_t bytes)
{
	if (bytes <= *have)
		return;
	free(*memory);
	*have = (bytes + HD_ROW_BYTES - 1) / HD_ROW_BYTES * HD_ROW_BYTES;
	*memory = aligned_alloc(HD_ROW_BYTES, *have);
	if (!*memory)
		abort();
}

static struct twin *twin_new(void)
{
	size_t bytes = (sizeof(struct twin) + alignof(struct twin) - 1) / alignof(struct twin) * alignof(struct twin);
	struct twin *twin = aligned_alloc(alignof(struct twin), bytes);
	if (!twin)
		abort();
	memset(twin, 0, bytes);
	return twin;
}

/* NULL: the warp has had none so far, or is one itself. */
static struct twin *twin_of(const struct hd_watcher_handle *self, const struct hd_warp *warp)
{
	struct twin **slot = HD_WATCHER_OF(self, warp, warp);
	return slot ? *slot : NULL;
}

/* A warp of a launch that runs the linear version begins: its twin begins the original code. */
static void warp_begin(const struct hd_watcher_handle *self, struct hd_exec *exec, struct hd_warp *warp)
{
	const struct hd_grid *grid = warp->cta->grid;
	struct twin **slot = HD_WATCHER_OF(self, warp, warp);
	if (!grid->linear)
		return;
	if (!*slot)
		*slot = twin_new();
	struct twin *twin = *slot;
	size_t rows = ((size_t)grid->register_rows + HD_HIDDEN_ROWS) * HD_ROW_BYTES;
	grow(&twin->rows, &twin->row_bytes, rows);
	grow(&twin->local, &twin->local_bytes, (size_t)grid->local_bytes * HD_WARP_LANES);
	memset(twin->rows, 0, rows);
	grow((void **)&twin->undefined_local, &twin->undefined_bytes, grid->local_bytes);
	if (grid->local_bytes)
		memset(twin->undefined_local, 0xff, grid->local_bytes);
	memset(twin->undefined, 0xff, sizeof twin->undefined);
	twin->undefined[HD_RZ] = twin->undefined[HD_RZ + 1 + HD_PT] = twin->undefined[HD_ABI_STACK_POINTER] = 0;
	twin->exec.gpu = exec->gpu;
	twin->warp.regs = (uint32_t(*)[HD_WARP_LANES])twin->rows + HD_HIDDEN_ROWS;
	twin->warp.local = twin->local;
	twin->warp.id = warp->id;
	twin->warp.replica = true; /* the original code is checked when it runs as such */
	hd_warp_start(&twin->warp, warp->cta, warp->index);
	twin->warp.pc = exec->gpu->program.functions.data[grid->kernel->function].first;
	twin->warp.stack.data[0].pc = twin->warp.pc;
	hd_vec_clear(&twin->queues);
	hd_vec_clear(&twin->records);
	twin->free = twin->held = 0;
	twin->waits = false;
}

/* The warp has another number, and its block is another struct. */
static void warp_moved(const struct hd_watcher_handle *self, const struct hd_sm *from, uint32_t id,
		       struct hd_warp *warp)
{
	struct twin *twin = twin_of(self, warp);
	(void)from;
	(void)id;
	if (!twin)
		return;
	twin->warp.id = warp->id;
	twin->warp.cta = warp->cta;
}

static void warp_free(const struct hd_watcher_handle *self, struct hd_warp *warp)
{
	struct twin *twin = twin_of(self, warp);
	if (!twin)
		return;
	hd_vec_release(&twin->queues);
	hd_vec_release(&twin->records);
	hd_vec_release(&twin->warp.stack);
	free(twin->rows);
	free(twin->local);
	free(twin->undefined_local);
	free(twin);
}

/* ---- instructions */

static bool is_local(const struct hd_dinst *inst)
{
	return hd_opinfo[inst->inst.op].space == HD_AT_LOCAL;
}

static enum kind kind_of(const struct hd_dinst *inst)
{
	switch (inst->inst.op) {
	case HD_OP_LDC:
	case HD_OP_TEX: /* nothing writes what a kernel fetches */
	case HD_OP_TLD:
	case HD_OP_TLD4:
	case HD_OP_TXD: return OWN;
	case HD_OP_S2R: return hd_mod_get(inst->inst.mods, HD_MOD_SR) >= HD_SR_CLOCK_LO ? RESULT : OWN;
	case HD_OP_CS2R:
	case HD_OP_SHFL:
	case HD_OP_VOTE:
	case HD_OP_MATCH:
	case HD_OP_REDUX: return RESULT;
	case HD_OP_LDSM:
	case HD_OP_MOVM: return RESULT;
	case HD_OP_SYSCALL: return SERVICE;
	case HD_OP_BAR: return hd_mod_get(inst->inst.mods, HD_MOD_BARMODE) >= HD_BAR_RED_POPC ? REDUCTION : OWN;
	case HD_OP_SYNCS:
	case HD_OP_ARRIVES:
	case HD_OP_UBLKCP: /* which the copy unit does once */
	case HD_OP_UBLKRED:
	case HD_OP_UTMALDG:
	case HD_OP_UTMASTG:
	case HD_OP_UTMAREDG:
	case HD_OP_UTMAPF:
	case HD_OP_WGMMA: return RESULT;
	case HD_OP_SYNCS_WAIT: return REDUCTION;
	default: break;
	}
	if (inst->effects & HD_FX_ATOMIC)
		return ATOMIC;
	if (inst->pipe == HD_PIPE_TENSOR)
		return RESULT;
	if (is_local(inst))
		return OWN;
	return inst->effects & HD_FX_LOAD ? LOAD : inst->effects & HD_FX_STORE ? STORE : OWN;
}

static bool is_window(uint64_t address)
{
	return address - HD_LOCAL_WINDOW < HD_LOCAL_WINDOW_BYTES;
}

static bool is_wide_address(const struct hd_dinst *inst)
{
	return hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_A) == 2;
}

/* Generic accesses may be local. */
static bool is_generic(const struct hd_dinst *inst)
{
	return hd_opinfo[inst->inst.op].space == HD_AT_GENERIC;
}

static uint64_t address_of(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane)
{
	const struct hd_inst *in = &inst->inst;
	bool wide = is_wide_address(inst);
	uint64_t address = (uint64_t)(int64_t)(int32_t)in->x;
	if (hd_lr_kind(in->linear) && hd_lr_slot(in->linear) == HD_SLOT_A)
		address += hd_linear_value(warp->cta, in, warp->index * HD_WARP_LANES + lane, lane);
	if (!hd_lr_takes(in->linear, HD_SLOT_A))
		address += wide ? hd_lane_pair(warp, in->a, lane) : hd_row(warp, in->a)[lane];
	return wide ? address : (uint32_t)address;
}

/* The operand words of a store or an atomic operation; those beyond its width are 0. */
static void read_data(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane, uint32_t in[4])
{
	unsigned bytes = inst->access_bytes, words = (bytes + 3) / 4;
	memset(in, 0, 4 * sizeof in[0]);
	if (inst->effects & HD_FX_ATOMIC) {
		for (unsigned i = 0; i < words && i < 2; i++) {
			in[i] = hd_row(warp, hd_next_reg(inst->inst.b, i))[lane];
			in[2 + i] = hd_row(warp, hd_next_reg(inst->inst.c, i))[lane];
		}
	} else {
		for (unsigned i = 0; i < words && i < 4; i++)
			in[i] = hd_row(warp, hd_next_reg(inst->inst.c, i))[lane];
	}
	for (unsigned i = 0; bytes < 4 && i < 4; i++)
		in[i] &= (1u << 8 * bytes) - 1;
}

static void read_results(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane, struct record *record)
{
	unsigned words = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST);
	unsigned dst = inst->inst.dst;
	if (inst->inst.op == HD_OP_SYSCALL)
		dst = HD_ABI_FIRST_RESULT, words = hd_service_result_words((enum hd_syscall)inst->inst.x);
	for (unsigned i = 0; i < words && dst != HD_RZ; i++)
		record->out[i] = hd_row(warp, dst + i)[lane];
	record->pred = hd_pred(warp, inst->inst.pdst) >> lane & 1;
}

static void write_results(struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane, const struct record *record)
{
	unsigned words = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST);
	unsigned dst = inst->inst.dst, pdst = inst->inst.pdst;
	if (inst->inst.op == HD_OP_SYSCALL)
		dst = HD_ABI_FIRST_RESULT, words = hd_service_result_words((enum hd_syscall)inst->inst.x);
	for (unsigned i = 0; i < words && dst != HD_RZ; i++)
		hd_dst_row(warp, dst + i)[lane] = record->out[i];
	if (pdst != HD_PT)
		warp->preds[pdst] = (warp->preds[pdst] & ~(1u << lane)) | (uint32_t)record->pred << lane;
}

/* ---- queues */

static struct queue *queue_of(struct twin *twin, uint32_t pc)
{
	for (uint32_t i = 0; i < twin->queues.len; i++)
		if (twin->queues.data[i].pc == pc)
			return &twin->queues.data[i];
	hd_vec_push(&twin->queues, (struct queue){.pc = pc});
	return &hd_vec_last(&twin->queues);
}

static void push_record(struct twin *twin, struct queue *queue, uint32_t lane, const struct record *record)
{
	if (!twin->free) {
		hd_vec_push(&twin->records, (struct record){0});
		twin->free = twin->records.len;
	}
	uint32_t index = twin->free;
	struct record *place = &twin->records.data[index - 1];
	twin->free = place->next;
	*place = *record;
	place->next = 0;
	if (queue->tail[lane])
		twin->records.data[queue->tail[lane] - 1].next = index;
	else
		queue->head[lane] = index;
	queue->tail[lane] = index;
	twin->held++;
}

static struct record pop_record(struct twin *twin, struct queue *queue, uint32_t lane)
{
	uint32_t index = queue->head[lane];
	struct record *place = &twin->records.data[index - 1], record = *place;
	queue->head[lane] = place->next;
	if (!queue->head[lane])
		queue->tail[lane] = 0;
	place->next = twin->free;
	twin->free = index;
	twin->held--;
	return record;
}

/* ---- the twin */

static void differs(struct hd_exec *exec, uint32_t lane, uint32_t pc, const char *what, uint64_t linear,
		    uint64_t original)
{
	char text[160];
	hd_inst_format(&exec->gpu->program.code.data[pc].inst, text, sizeof text);
	hd_gpu_fault(exec->gpu, exec->warp, pc, lane, HD_SIM_VERIFY,
		     "linear version: %s: %s is 0x%llx, the original code's is 0x%llx", text, what,
		     (unsigned long long)linear, (unsigned long long)original);
	exec->fault = true;
}

static bool same_data(const uint32_t *a, const uint32_t *b)
{
	for (unsigned i = 0; i < 4; i++) {
		if (a[i] == b[i])
			continue;
		unsigned low = i & ~1u;
		uint64_t x = a[low] | (uint64_t)a[low + 1] << 32, y = b[low] | (uint64_t)b[low + 1] << 32;
		if (!is_window(x) || !is_window(y))
			return false;
	}
	return true;
}

/* ---- what is undefined */

static uint32_t undefined_reads(const struct twin *twin, const struct hd_dinst *inst)
{
	uint32_t lanes = 0;
	for (unsigned i = 0; i < inst->read_count; i++)
		lanes |= twin->undefined[inst->read_regs[i]];
	for (uint64_t left = inst->hazards.bits[4] & ~inst->writes.bits[4]; left; left &= left - 1)
		lanes |= twin->undefined[HD_RZ + 1 + __builtin_ctzll(left)];
	return lanes;
}

/* What the lanes of `mask` write is undefined in those of `undefined`; one of them leaves a uniform register so. */
static void define_written(struct twin *twin, const struct hd_dinst *inst, uint32_t mask, uint32_t undefined)
{
	for (unsigned word = 0; word < 5; word++)
		for (uint64_t left = inst->writes.bits[word]; left; left &= left - 1) {
			uint32_t *lanes = &twin->undefined[64 * word + (unsigned)__builtin_ctzll(left)];
			*lanes = (*lanes & ~mask) | (undefined & mask);
		}
	if (inst->inst.op == HD_OP_R2UR)
		twin->undefined[HD_RZ + 1 + HD_PT + 1 + inst->inst.dst] = undefined & mask ? HD_FULL : 0;
}

/* Registers that the compiler left without a value here, though something may be in them. */
static void undefine(struct twin *twin, uint32_t pc, uint32_t mask)
{
	const struct hd_grid *grid = twin->warp.cta->grid;
	const struct hd_linear *linear = grid->linear->linear;
	const struct hd_pfunction *kernel = &twin->exec.gpu->program.functions.data[grid->kernel->function];
	uint32_t index = pc - kernel->first, i;
	if (index >= kernel->count || !linear->undefined_count)
		return;
	HD_BISECT(i, 0, linear->undefined_count, linear->undefined[i].pc < index);
	for (; i < linear->undefined_count && linear->undefined[i].pc == index; i++)
		for (uint32_t word = 0; word < linear->undefined[i].words; word++)
			twin->undefined[linear->undefined[i].reg + word] |= mask;
}

/* Words of local memory take over what is known of the registers stored there, and the other way round. */
static void move_local(struct twin *twin, const struct hd_dinst *inst, uint32_t mask)
{
	bool store = inst->effects & HD_FX_STORE;
	unsigned reg = store ? inst->inst.c : inst->inst.dst, words = (inst->access_bytes + 3u) / 4;
	uint64_t end = twin->warp.cta->grid->local_bytes / 4;
	HD_FOR_LANES (lane, mask) {
		uint64_t word = address_of(&twin->warp, inst, lane) / 4;
		uint32_t bit = 1u << lane;
		for (unsigned i = 0; i < words && word + i < end; i++) {
			uint32_t *memory = &twin->undefined_local[word + i],
				 *row = &twin->undefined[reg == HD_RZ ? HD_RZ : reg + i];
			if (store)
				*memory = (*memory & ~bit) | (*row & bit);
			else if (reg != HD_RZ)
				*row = (*row & ~bit) | (*memory & bit);
		}
	}
}

/* A generic access of the twin to its own local memory. */
static void access_local(struct twin *twin, const struct hd_dinst *inst, uint32_t lane, uint64_t address,
			 struct record *record)
{
	uint64_t timing;
	uint8_t *host = hd_exec_lane_access(&twin->exec, inst, lane, address - HD_LOCAL_WINDOW, HD_MEM_LOCAL, &timing);
	if (!host)
		return;
	if (inst->effects & HD_FX_ATOMIC) {
		hd_exec_lane_atomic(&twin->exec, inst, lane, host);
		read_results(&twin->warp, inst, lane, record);
		return;
	}
	if (inst->effects & HD_FX_STORE)
		memcpy(host, record->in, inst->access_bytes);
	if (!(inst->effects & HD_FX_LOAD))
		return;
	unsigned size = hd_mod_get(inst->inst.mods, HD_MOD_SIZE);
	record->out[0] = 0;
	memcpy(record->out, host, inst->access_bytes);
	if (size == HD_SIZE_S8)
		record->out[0] = (uint32_t)(int32_t)(int8_t)record->out[0];
	else if (size == HD_SIZE_S16)
		record->out[0] = (uint32_t)(int32_t)(int16_t)record->out[0];
}

static void replay_lane(struct hd_exec *exec, struct twin *twin, const struct hd_dinst *inst, enum kind kind,
			uint32_t lane, struct record record)
{
	struct hd_warp *warp = &twin->warp;
	if (kind == LOAD || kind == STORE || kind == ATOMIC) {
		uint64_t address = address_of(warp, inst, lane);
		bool local = is_generic(inst) && is_window(address) && is_window(record.address);
		uint32_t data[4];
		if (address != record.address && !local) {
			differs(exec, lane, record.pc, "the address", record.address, address);
			return;
		}
		read_data(warp, inst, lane, data);
		if (kind != LOAD && !same_data(record.in, data) && !(undefined_reads(twin, inst) >> lane & 1)) {
			unsigned i = 0;
			while (i < 3 && record.in[i] == data[i])
				i++;
			differs(exec, lane, record.pc, "a word of the operand", record.in[i], data[i]);
			return;
		}
		if (local)
			access_local(twin, inst, lane, address, &record);
	}
	write_results(warp, inst, lane, &record);
}

/* The twin's next instruction is one that the warp does for it. False: it must wait. */
static bool replay(struct hd_exec *exec, struct twin *twin, const struct hd_dinst *inst, enum kind kind)
{
	struct queue *queue = queue_of(twin, twin->warp.pc);
	uint32_t mask = twin->exec.mask;
	HD_FOR_LANES (lane, mask)
		if (!queue->head[lane])
			return false;
	HD_FOR_LANES (lane, mask)
		if (!exec->fault)
			replay_lane(exec, twin, inst, kind, lane, pop_record(twin, queue, lane));
	return true;
}

/* One instruction of the twin. False: it waits. */
static bool step(struct hd_exec *exec, struct twin *twin)
{
	struct hd_warp *warp = &twin->warp;
	const struct hd_dinst *inst = &exec->gpu->program.code.data[warp->pc];
	enum kind kind = kind_of(inst);
	uint32_t pc = warp->pc;
	twin->exec.warp = warp;
	twin->exec.effect = &twin->effect;
	twin->exec.mask = warp->active & hd_pred(warp, inst->inst.guard);
	twin->exec.fault = false;
	memset(&twin->effect, 0, sizeof twin->effect);
	if (kind != OWN) {
		if (!replay(exec, twin, inst, kind))
			return false;
		define_written(twin, inst, twin->exec.mask, 0);
		hd_simt_jump(warp, warp->pc + 1);
	} else if (inst->exec) {
		if (is_local(inst))
			move_local(twin, inst, twin->exec.mask); /* before a result takes the address's place */
		else
			define_written(twin, inst, twin->exec.mask, undefined_reads(twin, inst));
		if (twin->exec.mask)
			inst->exec(&twin->exec, inst);
		hd_simt_jump(warp, warp->pc + 1);
	} else {
		hd_exec_control(&twin->exec, inst);
	}
	undefine(twin, pc, twin->exec.mask);
	exec->fault |= twin->exec.fault;
	return !exec->fault;
}

static void run(struct hd_exec *exec, struct twin *twin)
{
	while (twin->warp.active && step(exec, twin))
		;
}

/* The warp has ended, and so must the twin. */
static void finish(struct hd_exec *exec, struct twin *twin, uint32_t lane)
{
	run(exec, twin);
	if (exec->fault)
		return;
	if (twin->warp.active) {
		char place[256];
		hd_describe_place(exec->gpu, &twin->warp, twin->warp.pc, (uint32_t)__builtin_ctz(twin->warp.active),
				  place, sizeof place);
		hd_gpu_fault(exec->gpu, exec->warp, twin->pc, lane, HD_SIM_VERIFY,
			     "linear version: it ended, but the original code continues: %s", place);
		exec->fault = true;
	} else if (twin->held) {
		hd_gpu_fault(exec->gpu, exec->warp, twin->pc, lane, HD_SIM_VERIFY,
			     "linear version: it makes %u accesses that the original code does not", twin->held);
		exec->fault = true;
	}
}

/* ---- the warp */

/* The original's instruction: itself in a function that both call. */
static uint32_t key_of(const struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_program *program = &exec->gpu->program;
	const struct hd_pfunction *function = &program->functions.data[inst->function];
	if (!function->linear)
		return exec->warp->pc;
	uint32_t twin = function->linear->twins[exec->warp->pc - function->first];
	if (twin == HD_NO_PC)
		return HD_PC_NONE;
	return program->functions.data[exec->warp->cta->grid->kernel->function].first + twin;
}

static void record_now(struct hd_exec *exec, struct twin *twin)
{
	struct queue *queue = queue_of(twin, twin->key);
	HD_FOR_LANES (lane, twin->mask) {
		read_results(exec->warp, twin->inst, lane, &twin->now[lane]);
		push_record(twin, queue, lane, &twin->now[lane]);
	}
	twin->kind = OWN;
	twin->waits = false;
}

static void step_before(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct twin *twin = twin_of(self, exec->warp);
	if (!twin || exec->fault || !exec->warp->cta->grid->linear)
		return;
	if (twin->waits)
		record_now(exec, twin);
	twin->inst = inst;
	twin->pc = exec->warp->pc;
	twin->mask = exec->mask;
	twin->kind = (uint8_t)kind_of(inst);
	if (twin->kind == OWN || !exec->mask)
		return;
	twin->key = key_of(exec, inst);
	if (twin->key == HD_PC_NONE) {
		HD_FAULT(exec, (uint32_t)__builtin_ctz(exec->mask), HD_SIM_VERIFY,
			 "linear version: an access that the original code does not have");
		return;
	}
	HD_FOR_LANES (lane, exec->mask) {
		struct record *record = &twin->now[lane];
		*record = (struct record){.pc = exec->warp->pc};
		if (twin->kind != LOAD && twin->kind != STORE && twin->kind != ATOMIC)
			continue;
		record->address = address_of(exec->warp, inst, lane);
		read_data(exec->warp, inst, lane, record->in);
	}
}

static void step_after(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct twin *twin = twin_of(self, exec->warp);
	if (!twin || !exec->warp->cta->grid->linear || exec->fault)
		return;
	(void)inst;
	if (twin->kind == REDUCTION && twin->mask) {
		twin->waits = true;
	} else if (twin->kind != OWN && twin->mask) {
		record_now(exec, twin);
		run(exec, twin);
	}
	if (exec->effect->warp_done && !exec->fault)
		finish(exec, twin, twin->mask ? (uint32_t)__builtin_ctz(twin->mask) : 0);
}

static const struct hd_watcher twin_watcher = {
	.name = "twin",
	.warp_bytes = sizeof(struct twin *),
	.stepwise = true,
	.warp_begin = warp_begin,
	.warp_moved = warp_moved,
	.warp_free = warp_free,
	.step_before = step_before,
	.step_after = step_after,
};

void hd_twin_watch(struct hd_gpu *gpu)
{
	bool linear = false;
	HD_POLICIES (gpu, self)
		linear |= self->hooks->linear;
	if (linear)
		hd_watcher_add(gpu, &twin_watcher, NULL);
}
