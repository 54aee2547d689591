/*
 * The probe: every hook of a policy (heddle/policy.h), counted, with the answers of the baseline. What each count must be
 * is in probe.py. With the parameter `kill` each SM kills a block that may begin anew, with `hold` all warps are held, with
 * `stop` they stop at barriers until they are drained, with `move` each SM sends one block to another one.
 * A shared object, built against the installed headers.
 */
#include <string.h>

#include "runtime/sm/context.h"
#include "runtime/sm/policy_object.h"

/* Counted by the hook's name, beside what the hooks tell. */
#define COUNTS(X) \
	X(grid_begin) X(grid_end) X(decode) X(admit) X(reserve) X(launch_without) \
	X(cta_retire) X(cta_kill) X(cta_arrive) X(stream_end) X(warp_done) X(can_issue) X(elide) X(range_reads) \
	X(range_writes) X(operand_source) X(dispatch) \
	X(result_target) X(prefer) X(write_back) X(call) X(call_return) X(memory_access) X(l1_bypass) \
	X(load_miss) X(first_use) X(send) X(reply) X(barrier_wait) X(barrier_resume) \
	X(path_switch) X(forget_names) X(fetch) X(alarm) X(gpu_tick) X(verify_before) \
	X(verify_after) X(stopped) X(drained) X(activate) X(deactivate) X(start) X(quota) X(cta_launch) X(warp_start) X(rename) X(choose_collector) \
	X(code_place) X(issued) X(dump) X(why_held) X(collected) X(operands) X(results) \
	X(accesses) X(far) X(loaded) X(set) X(killed) X(sent) \
	X(sample)

enum {
#define X(name) COUNT_##name,
	COUNTS(X)
#undef X
	COUNT_COUNT
};

struct probe {
	uint64_t counts[COUNT_COUNT];
	bool killed, moves, sent;
};

#define COUNT(sm, name) (((struct probe *)hd_policy_sm(self, (sm)))->counts[COUNT_##name])

static bool is(const struct hd_policy_handle *self, const char *mode)
{
	return !strcmp(self->parameter, mode);
}

/* ---- hooks that do more than count */

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	(void)config;
	if (!*parameter || !strcmp(parameter, "kill") || !strcmp(parameter, "hold") || !strcmp(parameter, "stop") ||
	    !strcmp(parameter, "move"))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'probe': '%s' is not one of %s", parameter, policy->parameters);
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	COUNT(gpu->sms[0], start)++;
}

static uint32_t quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)grid;
	COUNT(sm, quota)++;
	return UINT32_MAX;
}

static void set_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t cycle, uint64_t arg)
{
	COUNT(sm, set)++;
	hd_policy_at(self, sm, cycle, arg);
}

static void cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	COUNT(sm, cta_launch)++;
	hd_policy_spend(self, sm, cta->grid, 1, 1);
	set_alarm(self, sm, sm->now + 1, cta->linear);
	if (is(self, "stop"))
		hd_sm_stop(sm, 1);
}

/* One block leaves as soon as there is one, and goes when it can; whoever has come goes on. Whether one still waits. */
static bool move(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct probe *probe = hd_policy_sm(self, sm);
	bool waits = false;
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		struct hd_cta *cta = &sm->ctas[i];
		if (!cta->used || cta->sent) {
			continue;
		} else if (!probe->moves) {
			probe->moves = true;
			hd_cta_suspend(sm, cta, HD_PART_SHARED | HD_PART_REGISTERS | HD_PART_STACK);
		} else if (!probe->sent && hd_cta_can_leave(sm, cta)) {
			probe->sent = true;
			COUNT(sm, sent)++;
			hd_cta_send(sm, cta, (sm->id + 1) % (uint32_t)sm->gpu->sm_count);
		} else if (cta->away && probe->sent) {
			hd_cta_resume(sm, cta, now);
		}
		waits |= cta->away && !cta->sent;
	}
	return waits;
}

static void alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	struct probe *probe = hd_policy_sm(self, sm);
	COUNT(sm, alarm)++;
	for (uint32_t i = 0; i < sm->cta_count && is(self, "kill") && !probe->killed; i++) {
		struct hd_cta *cta = &sm->ctas[i];
		if (!cta->used || cta->linear != arg || !hd_grid_restarts(cta->grid))
			continue;
		probe->killed = true;
		COUNT(sm, killed)++;
		hd_cta_requeue(sm, cta, now);
	}
	if (is(self, "move") && move(self, sm, now))
		set_alarm(self, sm, now + 50, arg);
}

static void warp_start(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, warp_start)++;
	if (is(self, "hold"))
		hd_warp_hold(warp->cta->sm, warp);
}

static uint32_t rename_register(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg)
{
	COUNT(warp->cta->sm, rename)++;
	return reg;
}

static uint32_t choose_collector(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				 const struct hd_regfile *regfile, uint64_t now, uint8_t *reason)
{
	(void)inst;
	(void)reason;
	COUNT(warp->cta->sm, choose_collector)++;
	for (uint32_t i = 0; i < regfile->collector_count; i++)
		if (regfile->free[i] <= now)
			return i;
	return HD_NO_COLLECTOR;
}

static uint64_t code_place(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc, uint64_t address,
			   uint32_t *bytes)
{
	(void)pc;
	(void)bytes;
	COUNT(warp->cta->sm, code_place)++;
	return address;
}

/* What the instruction must cause. */
static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	bool collected = inst->pipe != HD_PIPE_BRU, memory = effect->event == HD_EVENT_MEMORY && effect->mask;
	uint64_t writes = 0;
	(void)now;
	for (uint32_t i = 0; i < sizeof(inst->writes.bits) / sizeof(*inst->writes.bits); i++)
		writes |= inst->writes.bits[i];
	COUNT(sm, issued)++;
	hd_policy_spend(self, sm, warp->cta->grid, 0, 1);
	COUNT(sm, collected) += collected;
	COUNT(sm, operands) += collected && inst->read_count ? inst->operand_count : 0;
	COUNT(sm, results) += writes && effect->event != HD_EVENT_BARRIER;
	COUNT(sm, accesses) += memory;
	COUNT(sm, far) += memory && effect->space != HD_MEM_SHARED;
	COUNT(sm, loaded) += memory && effect->space != HD_MEM_SHARED ? inst->write_count : 0;
}

static void decode(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		   struct hd_dinst *code)
{
	COUNT(gpu->sms[0], decode)++;
	for (uint32_t i = 0; i < function->count; i++)
		code[i].stops = code[i].inst.op == HD_OP_BAR;
}

static void stopped(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, stopped)++;
	hd_warp_await(warp->cta->sm, warp, HD_PENDING_ALL);
}

static void drained(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	COUNT(warp->cta->sm, drained)++;
	hd_warp_resume(warp->cta->sm, warp, now);
}

static uint32_t activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, activate)++;
	return 0;
}

static void deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, deactivate)++;
}

static void dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out)
{
	COUNT(gpu->sms[0], dump)++;
	fprintf(out, "probe: dumped\n");
}

static bool why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size)
{
	COUNT(warp->cta->sm, why_held)++;
	snprintf(text, size, "it was asked to");
	return true;
}

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	static const char *const names[] = {
#define X(name) #name,
		COUNTS(X)
#undef X
	};
	for (uint32_t at = 0; at < COUNT_COUNT; at++) {
		uint64_t sum = 0;
		for (uint32_t i = 0; i < gpu->sm_count; i++)
			sum += ((const struct probe *)hd_policy_sm(self, gpu->sms[i]))->counts[at];
		add(context, names[at], (double)sum, "calls");
	}
}

/* ---- the others */

static void grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	(void)grid;
	COUNT(gpu->sms[0], grid_begin)++;
}

static void grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	(void)grid;
	COUNT(gpu->sms[0], grid_end)++;
}

static uint32_t admit(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid, uint32_t registers)
{
	(void)grid;
	COUNT(sm, admit)++;
	return registers;
}

static uint32_t reserve(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)grid;
	COUNT(sm, reserve)++;
	return 0;
}

static uint32_t launch_without(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)grid;
	COUNT(sm, launch_without)++;
	return 0;
}

static void cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	COUNT(sm, cta_retire)++;
}

static void cta_kill(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	COUNT(sm, cta_kill)++;
}

static void cta_arrive(const struct hd_policy_handle *self, struct hd_sm *from, struct hd_sm *sm, struct hd_cta *cta,
		       uint64_t now)
{
	(void)from;
	COUNT(sm, cta_arrive)++;
	set_alarm(self, sm, now + 50, cta->linear);
}

static void stream_end(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, stream_end)++;
}

static void warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, warp_done)++;
}

static bool can_issue(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)inst;
	(void)now;
	COUNT(warp->cta->sm, can_issue)++;
	return true;
}

static bool elide(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, bool known, uint64_t now, uint64_t *at)
{
	(void)inst;
	(void)known;
	(void)now;
	(void)at;
	COUNT(warp->cta->sm, elide)++;
	return false;
}

static uint32_t range_reads(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, struct hd_range_access list[HD_MAX_RANGE])
{
	(void)inst;
	(void)list;
	COUNT(warp->cta->sm, range_reads)++;
	return 0;
}

static uint32_t range_writes(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, struct hd_range_access list[HD_MAX_RANGE])
{
	(void)inst;
	(void)list;
	COUNT(warp->cta->sm, range_writes)++;
	return 0;
}

static enum hd_source operand_source(const struct hd_policy_handle *self, struct hd_collector *collector, const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	(void)operand;
	(void)now;
	(void)ready;
	COUNT(collector->warp->cta->sm, operand_source)++;
	return HD_FROM_BANK;
}

static void dispatch(const struct hd_policy_handle *self, struct hd_collector *collector, uint64_t now)
{
	(void)now;
	COUNT(collector->warp->cta->sm, dispatch)++;
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	(void)now;
	COUNT(result->warp->cta->sm, result_target)++;
	return HD_TO_BANK;
}

static uint64_t prefer(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)inst;
	(void)now;
	COUNT(warp->cta->sm, prefer)++;
	return 0;
}

static void write_back(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)inst;
	(void)now;
	COUNT(warp->cta->sm, write_back)++;
}

static uint32_t call(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t callee, uint64_t now)
{
	(void)inst;
	(void)callee;
	(void)now;
	COUNT(warp->cta->sm, call)++;
	return 0;
}

static uint32_t call_return(const struct hd_policy_handle *self, struct hd_warp *warp, bool all_threads, uint64_t now)
{
	(void)all_threads;
	(void)now;
	COUNT(warp->cta->sm, call_return)++;
	return 0;
}

static bool memory_access(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)inst;
	(void)now;
	COUNT(warp->cta->sm, memory_access)++;
	return true;
}

static bool l1_bypass(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)inst;
	(void)now;
	COUNT(warp->cta->sm, l1_bypass)++;
	return false;
}

static void load_miss(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)inst;
	(void)now;
	COUNT(warp->cta->sm, load_miss)++;
}

static void first_use(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use, uint64_t now)
{
	(void)use;
	(void)now;
	COUNT(warp->cta->sm, first_use)++;
}

static uint32_t send(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads, uint32_t count, uint64_t now)
{
	(void)heads;
	(void)count;
	(void)now;
	COUNT(sm, send)++;
	return 0;
}

static void reply(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_reply *reply, uint64_t now)
{
	(void)reply;
	(void)now;
	COUNT(sm, reply)++;
}

static void barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, barrier_wait)++;
}

static void barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, barrier_resume)++;
}

static void path_switch(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_path how, uint64_t now)
{
	(void)how;
	(void)now;
	COUNT(warp->cta->sm, path_switch)++;
}

static void forget_names(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	COUNT(warp->cta->sm, forget_names)++;
}

static void fetch(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now)
{
	(void)pc;
	(void)now;
	COUNT(warp->cta->sm, fetch)++;
}

static void gpu_tick(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	(void)now;
	COUNT(gpu->sms[0], gpu_tick)++;
}

static void verify_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst)
{
	(void)inst;
	COUNT(warp->cta->sm, verify_before)++;
}

static void verify_after(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, const struct hd_effect *effect)
{
	(void)inst;
	(void)effect;
	COUNT(warp->cta->sm, verify_after)++;
}

static const struct hd_policy_energy energy[] = {
	{"issue", "an instruction that the program issues", 2},
	{"block", "a block that begins", 0.5},
	{NULL, NULL, 0},
};

static const char *const series[] = {"sampled", "step", NULL};

static void sample(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values)
{
	values[0] = (double)++COUNT(gpu->sms[0], sample);
	values[1] = hd_policy_setting(self, gpu, 1);
}

static const struct hd_policy_setting settings[] = {
	{"unused", "nothing", 1, 0, 1},
	{"step", "what the second series shows", 2.5, -3, 3},
	{0},
};

static const struct hd_policy_hooks hooks = {
	.energy = energy,
	.settings = settings,
	.observation.series = series,
	.observation.sample = sample,
	.sm_bytes = sizeof(struct probe),
	.several_grids = true,
	.moves = true,
	.gpu_tick_interval = 100,
	.configure = configure,
	.contexts.stopped = stopped,
	.contexts.drained = drained,
	.issue.activate = activate,
	.issue.deactivate = deactivate,
	.start = start,
	.allocation.quota = quota,
	.allocation.cta_launch = cta_launch,
	.issue.warp_start = warp_start,
	.operands.rename = rename_register,
	.operands.choose_collector = choose_collector,
	.issue.code_place = code_place,
	.issue.issued = issued,
	.observation.dump = dump,
	.observation.why_held = why_held,
	.observation.report = report,
	.grid_begin = grid_begin,
	.grid_end = grid_end,
	.decode = decode,
	.allocation.admit = admit,
	.allocation.reserve = reserve,
	.allocation.launch_without = launch_without,
	.allocation.cta_retire = cta_retire,
	.contexts.cta_kill = cta_kill,
	.contexts.cta_arrive = cta_arrive,
	.issue.stream_end = stream_end,
	.allocation.warp_done = warp_done,
	.issue.can_issue = can_issue,
	.issue.elide = elide,
	.operands.range_reads = range_reads,
	.operands.range_writes = range_writes,
	.operands.operand_source = operand_source,
	.operands.dispatch = dispatch,
	.operands.result_target = result_target,
	.issue.prefer = prefer,
	.issue.write_back = write_back,
	.calls.call = call,
	.calls.call_return = call_return,
	.memory.memory_access = memory_access,
	.memory.l1_bypass = l1_bypass,
	.memory.load_miss = load_miss,
	.memory.first_use = first_use,
	.memory.send = send,
	.memory.reply = reply,
	.issue.barrier_wait = barrier_wait,
	.issue.barrier_resume = barrier_resume,
	.calls.path_switch = path_switch,
	.calls.forget_names = forget_names,
	.issue.fetch = fetch,
	.alarm = alarm,
	.gpu_tick = gpu_tick,
	.observation.verify_before = verify_before,
	.observation.verify_after = verify_after,
};

HD_POLICY_OBJECT(.name = "probe", .help = "counts the calls of every hook", .hooks = &hooks, .parameters = "kill, hold, stop or move");
