/*
 * A hardware design is one file in runtime/policy/ with a struct hd_policy_hooks, and a row of
 * runtime/policy/policies.def (docs/architecture.md, Policies; walk-through: docs/add-a-policy.md). The baseline is
 * the row without hooks and costs nothing. Policies combine if they replace different units, or if one joins the other
 * (`joins`). Hooks of a combination are called in the order of the `+` list. A name may have a parameter: "swl:4".
 *
 * The engine allocates a policy's state of the GPU and of each SM, CTA and warp, in the sizes that the policy
 * declares. The handle that each hook receives leads to it with one addition (hd_policy_gpu and others in
 * runtime/sm/sm.h).
 *
 * A policy may also call functions of runtime/sm/sm.h: hd_warp_hold and hd_warp_resume keep a warp off the schedulers,
 * at no cost while it waits; hd_warp_inject lets it issue memory accesses; hd_policy_at sets an alarm.
 */
#ifndef HEDDLE_POLICY_H
#define HEDDLE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/inst.h"
#include "heddle/metadata.h"
#include "heddle/stats.h"
#include "lib/diag.h"

struct hd_gpu;
struct hd_sm;
struct hd_cta;
struct hd_warp;
struct hd_grid;
struct hd_dinst;
struct hd_pfunction;
struct hd_effect;
struct hd_config;

/* Units that a policy replaces: two policies that share a bit do not combine. */
enum {
	HD_TOUCH_ALLOCATION = 1 << 0, /* register allocation of warps */
	HD_TOUCH_REGFILE = 1 << 1,    /* operand reads and writes */
	HD_TOUCH_CALLS = 1 << 2,
	HD_TOUCH_SCHEDULER = 1 << 3,
	HD_TOUCH_DISPATCH = 1 << 4, /* placement of CTAs */
	HD_TOUCH_L1 = 1 << 5,
	HD_TOUCH_CODE = 1 << 6,	 /* executed instructions */
	HD_TOUCH_START = 1 << 7, /* start of a resident warp's body; the policy holds the warp until then */
	HD_TOUCH_PLACES =
		1 << 8, /* places of warps and their registers; the policy moves them, or depends on a fixed place */
	HD_TOUCH_SHARES = 1 << 9 /* shares of an SM among concurrent kernels */
};
#define HD_TOUCH_COUNT 10

#define HD_MAX_POLICIES 4 /* most policies in a combination */

/* A row of policies.def. */
struct hd_policy {
	const char *name, *help, *paper;
	uint32_t touches;
	const char *parameters; /* meaning of X in "name:X", for messages; NULL: no parameter */
	const char *best_of;	/* parameters that `best-name` tries, as "1,2,3"; NULL: none */
	const struct hd_policy_hooks *hooks;
};

/* A policy in a combination, in one simulated GPU. */
struct hd_policy_handle {
	const struct hd_policy *policy;
	const struct hd_policy_hooks *hooks;
	const char *parameter; /* "" if none was given */
	uint32_t collector_at, gpu_at, sm_at, cta_at, warp_at,
		grid_at;      /* offsets of its state in each object's policy state */
	uint32_t energy_at;   /* offset of its rows in hd_gpu.energy */
	uint32_t settings_at; /* offset of its rows in hd_gpu.settings */
	uint32_t counts_at,
		count_rows; /* offset of its counts in hd_gpu.counted; in an SM, multiplied by HD_MAX_GRIDS */
};

/* ---- the operand stage (docs/architecture.md) */

struct hd_collector;
struct hd_regfile;

#define HD_MAX_OPERANDS 12
#define HD_NO_COLLECTOR UINT32_MAX

/* A register operand. Operands are in slot order, low word first, with duplicates. */
struct hd_operand {
	uint8_t reg;
	uint8_t slot : 3; /* enum hd_slot */
	uint8_t word : 3; /* of the slot */
	uint8_t near : 1; /* the value is read again soon (reuse analysis, malekeh 3.2); for the result: near_result */
	uint8_t dead : 1; /* last read in the whole warp (LTRF+) */
	uint8_t same;	  /* index of the first operand with this register */
};
enum hd_source { HD_FROM_BANK, HD_FROM_CACHE, HD_FROM_BYPASS };

/* A register of a result. */
struct hd_result {
	struct hd_warp *warp;
	const struct hd_dinst *inst;
	uint32_t lanes; /* lanes that executed the instruction */
	uint32_t order; /* issue order in the SM; wraps around */
	uint8_t reg;
	uint8_t word; /* of the destination */
};
enum hd_target { HD_TO_BANK, HD_TO_CACHE, HD_TO_BOTH };

/* A register of the range that a grid reserves on an SM (`reserve`): its row, and the lanes that the access moves,
 * for energy. It occupies its bank like an access of all lanes. */
struct hd_range_access {
	uint32_t row, lanes;
};
#define HD_MAX_RANGE 8 /* most per instruction */

/* How the lanes that a warp executes next relate to those that executed last. DIVERGED: a part of them; the others
 * wait. SWITCHED: other lanes, because the last ones have ended their path. JOINED: the last ones plus others.
 * YIELDED: other lanes, because the last ones made way. */
enum hd_path { HD_PATH_DIVERGED, HD_PATH_SWITCHED, HD_PATH_JOINED, HD_PATH_YIELDED };

/* First use of loaded registers: hook first_use. */
struct hd_hazard;
struct hd_first_use {
	const struct hd_dinst *inst;	   /* the warp's next instruction */
	const struct hd_hazard *registers; /* registers used for the first time */
	bool waits;			   /* true: the instruction waits for some of them; false: it issues */
};

/* A reply of L2. */
struct hd_packet;
#define HD_NO_PACKET UINT32_MAX
struct hd_reply {
	const struct hd_packet *packet; /* its line, sectors, kind and size */
	const struct hd_grid *grid;	/* grid of the request */
	uint32_t latency;		/* cycles since the request left the SM */
	bool missed;			/* some data were not in L2 */
};

/* Resources of a warp or block in an SM that it may lack for a time (runtime/sm/context.h). */
enum { HD_PART_SLOT = 1, HD_PART_REGISTERS = 2, HD_PART_SHARED = 4, HD_PART_STACK = 8 };

/*
 * Events of a design's own structures that take energy; hd_policy_spend counts them. They are in the statistics, under
 * the policy's name, and in energy_joules. In a section `[policy NAME]` of an .ini, pj_<name> sets the energy of one
 * event, and `register_power` scales the energy of register-bank accesses.
 */
struct hd_policy_energy {
	const char *name, *help;
	double pj; /* default */
};

/*
 * A free parameter of a design: a key of the policy's section (`--set NAME.KEY=VALUE`). hd_policy_setting returns its
 * value.
 */
struct hd_policy_setting {
	const char *name, *help; /* the help ends with the source of the default */
	double value;		 /* default */
	double least, most;
};

/*
 * A count of a design. Its hooks count in a struct with one uint64_t per row, in their order. The engine keeps that
 * struct for each grid on each SM (hd_policy_counts), sums it (hd_policy_sum), and writes it into the statistics of
 * launches and of the run.
 */
struct hd_policy_count {
	const char *name, *unit, *help;
};

struct hd_policy_hooks {
	/* Sizes of the state that the engine allocates, zeroed. State of grids, CTAs and warps is zeroed at each
	 * start, other state once. */
	uint32_t gpu_bytes, sm_bytes, cta_bytes, warp_bytes, grid_bytes;
	/* Pipeline stages added between issue and execution. Each delays results and control by one cycle and
	 * occupies no unit. */
	uint32_t stages;
	uint32_t collector_bytes; /* state per operand collector, zeroed once */
	bool several_grids;	  /* supports concurrent grids; false: grids run one at a time */
	/* If the parameter is rehearsal[0], the program runs twice: first with rehearsal[1], whose output for
	 * hd_sim_options.rehearsal the second run reads. */
	const char *rehearsal[2];
	bool ideal;	   /* counts instructions that ideal machines skip (runtime/verify/redundancy.c) */
	bool linear;	   /* launches run linear versions of kernels (runtime/exec/linear.h) */
	bool facts;	   /* uses hd_facts_at (runtime/core/gpu.h) */
	bool streams;	   /* warps run their linear streams (hd_warp_run); false: streams take no time */
	bool moves;	   /* suspends, moves or kills warps or blocks (runtime/sm/context.h) */
	const char *joins; /* a policy with which it shares a unit that both replace; its hooks are called after that
			      policy's */
	const struct hd_policy_energy *energy;	  /* ends with a row without a name; NULL: none */
	const struct hd_policy_setting *settings; /* ends with a row without a name; NULL: none */
	const struct hd_policy_count *counts;	  /* ends with a row without a name; NULL: none */
	uint32_t spare_warps, spare_ctas;	  /* additional warps and CTAs, beyond its slots, that an SM can hold */

	/* Every hook may be NULL. `self` is the policy in its combination.
	 * test/e2e/Inputs/probe.c counts the calls of each hook. */
	/* Called before the GPU is built, with the parameter ("" if none). May change the configuration. Returns 0,
	 * or -1 after reporting an error. */
	int (*configure)(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
			 struct hd_diag *diag);
	void (*start)(const struct hd_policy_handle *self, struct hd_gpu *gpu);
	/* Called when a function was loaded and linked. `code` is its first instruction. May change how its
	 * instructions are issued. */
	void (*decode)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		       struct hd_dinst *code);
	void (*grid_begin)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
	/* Called when a grid gets its turn on an SM. `registers` is the baseline's allocation per thread. Returns
	 * the registers to reserve per thread. If not even one block fits, a block is launched anyway; the policy
	 * must then hold warps. */
	uint32_t (*admit)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
			  uint32_t registers);
	/* Called when a grid gets its turn on an SM. Returns the warp registers that it needs there in addition to
	 * those of its warps, until it ends. Occupancy counts them. hd_range_row gives their values, initially
	 * zero. The numbers of several policies add up. */
	uint32_t (*reserve)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid);
	/* Returns the current maximum number of blocks of a grid on an SM. The minimum over several policies
	 * counts. Call hd_sm_request_dispatch when it rises. Without this hook, a grid waits until all blocks of
	 * earlier grids are placed (docs/architecture.md, Grids). */
	uint32_t (*quota)(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid);
	/* Called when the SM cannot hold another complete block. Returns the HD_PART_* resources the block may
	 * start without; it starts only if every missing resource is among them. 0: wait. Warps without a slot have
	 * registers unless HD_PART_REGISTERS is among them; the oldest ones get slots as these become free, unless
	 * they are held. One policy that allows it suffices. */
	uint32_t (*launch_without)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid);
	void (*cta_launch)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	void (*cta_retire)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	/* Called when a warp becomes resident, before its body. The policy may let it run a stream first
	 * (hd_warp_run) or hold it. Warps of its block with higher indices are not resident yet. */
	void (*warp_start)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when the stream of a warp has ended, with nothing in flight; registers are as the stream left
	 * them. The choice is that of warp_start. */
	void (*stream_end)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when a block sent by hd_cta_send has arrived, suspended. No SM is active: the policy may also
	 * access its state of `from`. */
	void (*cta_arrive)(const struct hd_policy_handle *self, struct hd_sm *from, struct hd_sm *sm,
			   struct hd_cta *cta, uint64_t now);
	/* Called before a policy kills a block; the block is unchanged until the hook returns. warp_done is not
	 * called for its warps. */
	void (*cta_kill)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	/* activate: called when the two-level scheduler moves a warp into its active set. Returns cycles until the
	 * warp may issue; it occupies its place meanwhile. deactivate: called when the warp leaves the set, for a
	 * long wait or at its end. Must not change the warp. */
	uint32_t (*activate)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*deactivate)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* stopped: called when a warp reaches the point where it should stop (hd_warp_stop). drained: called when
	 * nothing that the policy waits for (hd_warp_await) is in flight any more. */
	void (*stopped)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*drained)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when a warp has ended; its place is free afterwards. */
	void (*warp_done)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called every cycle for every ready warp. Returns whether it may issue. To block a warp for long, use
	 * hd_warp_hold instead. */
	bool (*can_issue)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/*
	 * Returns whether an instruction is executed without an issue slot (runtime/sm/elide.c). Called twice. First
	 * when the warp reaches the instruction (`known` is false): true means that it may be elided and is not
	 * fetched. Then when its operands are available (`known` is true), in warp->regs and warp->preds. *at is
	 * `now`; set it to the cycle from which the result can be used. One policy that returns true suffices. Never
	 * called for control, barriers, stores and atomics.
	 */
	bool (*elide)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      bool known, uint64_t now, uint64_t *at);
	/* Returns the position of a register among those of its warp, to choose its bank. Only one policy of a
	 * combination may have this hook. */
	uint32_t (*rename)(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg);
	/* Fill `list` with range registers that an instruction reads as operands, or writes with its result, in
	 * addition to its own registers. Return their number. Called for instructions marked by `range` (struct
	 * hd_dinst): those with linear operands read, outputs of linear streams write; `decode` may mark others. */
	uint32_t (*range_reads)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				struct hd_range_access list[HD_MAX_RANGE]);
	uint32_t (*range_writes)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				 struct hd_range_access list[HD_MAX_RANGE]);
	/*
	 * Called when a warp's instruction could issue. Returns the collector for it: an index into
	 * regfile->collectors whose regfile->free is not after `now`. HD_NO_COLLECTOR: none now; called again in the
	 * next cycle; *reason (HD_STALL_collector) may be set to the stall reason. Only one policy of a combination
	 * may have hooks of the operand stage.
	 */
	uint32_t (*choose_collector)(const struct hd_policy_handle *self, struct hd_warp *warp,
				     const struct hd_dinst *inst, const struct hd_regfile *regfile, uint64_t now,
				     uint8_t *reason);
	/* Called at issue for all operands in order. Returns the source of the operand. From cache or bypass it is
	 * available at tick *ready (default: now); from a bank, when the bank has read it. */
	enum hd_source (*operand_source)(const struct hd_policy_handle *self, struct hd_collector *collector,
					 const struct hd_operand *operand, uint64_t now, uint64_t *ready);
	/* Called when the instruction moves to its unit. The collector is free from the next cycle; the policy's
	 * state in it stays. */
	void (*dispatch)(const struct hd_policy_handle *self, struct hd_collector *collector, uint64_t now);
	/* Called for each result register, within a cycle in order of issue. Returns its target. A result for the
	 * cache only uses no bank port. */
	enum hd_target (*result_target)(const struct hd_policy_handle *self, const struct hd_result *result,
					uint64_t now);
	/* Called every cycle for every warp that can issue. Warps with the smallest value issue first; the
	 * scheduler's rule decides among equal ones. */
	uint64_t (*prefer)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			   uint64_t now);
	/* Called when the result can be used. */
	void (*write_back)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			   uint64_t now);
	/* Called at a call. Returns extra cycles before the warp's next issue. `memory_access` has already been
	 * called for saves and restores. */
	uint32_t (*call)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			 uint32_t callee, uint64_t now);
	/* Called at a return, and when the last threads of a call have exited inside it. Returns extra cycles
	 * before the warp's next issue. */
	uint32_t (*call_return)(const struct hd_policy_handle *self, struct hd_warp *warp, bool all_threads,
				uint64_t now);
	/* Called for a local access with a role. Returns false to keep it from the memory system (CARS: a rename). */
	bool (*memory_access)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			      uint64_t now);
	/* Called when a global or local access goes to the load/store unit. Returns whether it bypasses L1; its
	 * lines there are written back, or updated by a store. One policy that returns true suffices. */
	bool (*l1_bypass)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/* Called once per load or atomic that must wait for memory: its first line missed L1, was in flight, or
	 * bypasses L1. */
	void (*load_miss)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/* Called once per loaded register, at its first use by an instruction that issues or must wait for it
	 * (global and local loads). */
	void (*first_use)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
			  uint64_t now);
	/*
	 * Called when an SM can send a packet to L2. `heads` has the first ready packet of each grid's miss queue, in
	 * the baseline's order, which alternates (struct hd_packet: runtime/memory/packet.h). Returns an index, or
	 * HD_NO_PACKET to send none now; called again in the next cycle. Only one policy of a combination may have
	 * this hook.
	 */
	uint32_t (*send)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads,
			 uint32_t count, uint64_t now);
	/* Called when a reply of L2 reaches the SM. */
	void (*reply)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_reply *reply,
		      uint64_t now);
	/* barrier_wait: called when a warp waits at an incomplete barrier. barrier_resume: called when it
	 * continues; all warps released by the barrier are running again. */
	void (*barrier_wait)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*barrier_resume)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when a warp continues at warp->pc with lanes warp->active that differ from the last ones. Called
	 * before `fetch`. */
	void (*path_switch)(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_path how, uint64_t now);
	void (*fetch)(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now);
	/* Called after `fetch`. Returns the byte address of the warp's next instruction in the instruction cache,
	 * and sets *bytes to its length; `address` and *bytes are the baseline's (inst_bytes * pc, inst_bytes). All
	 * lines of it are fetched, so it may include code added by the policy. Only one policy of a combination may
	 * have this hook. */
	uint64_t (*code_place)(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc,
			       uint64_t address, uint32_t *bytes);
	/* Called after a program instruction was issued and executed; `effect` describes its effects. */
	void (*issued)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_effect *effect, uint64_t now);
	/* Called in the cycle set by hd_policy_at. */
	void (*alarm)(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
	/* gpu_tick: called at intervals while a grid runs, before the SMs work in that cycle. */
	uint32_t gpu_tick_interval; /* cycles; 0: not called */
	void (*gpu_tick)(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now);
	void (*grid_end)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
	void (*dump)(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out);
	/* Called by the watchdog. Writes why the policy holds the warp (hd_warp_hold). Returns false if another
	 * policy holds it. */
	bool (*why_held)(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size);
	/* Called with --verify, before and after the execution of each instruction. Report faults with
	 * hd_gpu_fault. */
	void (*verify_before)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst);
	void (*verify_after)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			     const struct hd_effect *effect);
	/* Figures over time. Called with --sample at the end of each interval; fills one value per name in
	 * `series`. */
	const char *const *series; /* names, ended by NULL */
	void (*sample)(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values);
	/* Called when statistics are written. Calls add(context, key, value, unit) for figures under the policy's
	 * name: of the launch gpu->grid, or of the whole run if that is NULL. */
	void (*report)(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		       void (*add)(void *context, const char *key, double value, const char *unit), void *context);
};

/*
 * Hooks that an SM calls per warp, instruction or cycle. An SM has a bit for each hook that some policy has, so that
 * unused hooks cost one test (hooks.h).
 */
#define HD_HOOK_LIST(X) \
	X(admit) X(cta_launch) X(cta_retire) X(warp_done) X(can_issue) X(rename) \
	X(write_back) X(call) X(call_return) X(memory_access) X(barrier_wait) X(barrier_resume) \
	X(warp_start) X(stream_end) X(range_reads) X(range_writes) X(elide) \
	X(fetch) X(verify_before) X(verify_after) X(choose_collector) X(operand_source) \
	X(dispatch) X(result_target) X(prefer) X(path_switch) X(code_place) X(issued) \
	X(l1_bypass) X(load_miss) X(first_use) X(send) X(reply) X(launch_without) X(cta_kill) X(cta_arrive) \
	X(stopped) X(drained) X(activate) X(deactivate)
enum hd_hook_index {
#define X(hook) HD_HOOK_INDEX_##hook,
	HD_HOOK_LIST(X)
#undef X
};
#define HD_HOOK(hook) (UINT64_C(1) << HD_HOOK_INDEX_##hook)
/* Hooks for which collectors keep policy state (stage.c). */
#define HD_STAGE_HOOKS (HD_HOOK(choose_collector) | HD_HOOK(operand_source) | HD_HOOK(dispatch))

/* All policies, baseline first, ended by a row without a name. */
extern const struct hd_policy hd_policies[];

/* Returns the policy in a shared object (runtime/sm/policy_object.h), which stays loaded; the same pointer for each
 * call. NULL after reporting an error: it cannot be loaded, or is no policy for this Heddle. */
const struct hd_policy *hd_policy_load(const char *path, size_t length, struct hd_diag *diag);
/* Fills `names` with the units in `touches` (HD_TOUCH_*). Returns their number. */
uint32_t hd_policy_touched(uint32_t touches, const char *names[HD_TOUCH_COUNT]);
/* Returns the units that both policies replace, which prevents their combination; 0 if they combine, because there
 * are none or one joins the other. */
uint32_t hd_policy_conflict(const struct hd_policy *a, const struct hd_policy *b);
bool hd_policy_joins(const struct hd_policy *policy, const struct hd_policy *other);
/* Returns whether the policy needs operand collectors; a GPU without collectors refuses it. */
bool hd_policy_needs_collectors(const struct hd_policy *policy);
/* Returns the reason why a policy needs the scoreboard ("it works on operand collectors"), or NULL. Such a policy
 * changes when registers are read or written, which instructions issue, or what a wait for a register is. Control
 * bits are computed without it and would be wrong, so a GPU with core = modern refuses it. Added pipeline stages
 * are included in the latencies of control bits. */
const char *hd_policy_needs_scoreboard(const struct hd_policy *policy);
/* Checks that `text` ("cars+malekeh") names existing policies that combine. Returns 0, or -1 after reporting an
 * error. */
int hd_policy_check(const char *text, struct hd_diag *diag);
/* Returns whether a program must first run under other policies; *first is then their list, which the caller frees.
 * False if `text` is no list of policies. */
bool hd_policy_rehearses(const char *text, char **first);
/* Returns whether all policies in `text` support concurrent grids. False if `text` is no list of policies. */
bool hd_policy_runs_several(const char *text);
/* Returns `best_of` of the policy with this name, or NULL. */
const char *hd_policy_best_of(const char *name, size_t length);

#endif
