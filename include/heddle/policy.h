/*
 * A hardware design is one file in runtime/policy/ that fills in a struct hd_policy_hooks (docs/architecture.md,
 * Policies; how to add one: docs/add-a-policy.md), and a row of runtime/policy/policies.def. The baseline is the row
 * without hooks and costs nothing. Policies combine when they touch different structures, or when one knows of the
 * other (`joins`); hooks of a combination run in the order of the `+` list. A name may carry a parameter: "swl:4".
 *
 * A policy keeps state with the GPU, each SM, CTA and warp: it says how much, the engine sets it aside, and the handle
 * that each hook is given leads to all of it by one addition (hd_policy_gpu and the like in runtime/sm/sm.h).
 *
 * What a policy may do to a warp beside answering hooks is in runtime/sm/sm.h: hd_warp_hold and hd_warp_resume keep
 * a warp off the schedulers and let it go, at no cost while it waits; hd_warp_inject has it issue memory accesses;
 * hd_policy_at has the policy called in a later cycle.
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

/* Structures that a policy takes over: two that share a bit cannot combine. */
enum {
	HD_TOUCH_ALLOCATION = 1 << 0, /* registers a warp gets */
	HD_TOUCH_REGFILE = 1 << 1,    /* operand read and write */
	HD_TOUCH_CALLS = 1 << 2,
	HD_TOUCH_SCHEDULER = 1 << 3,
	HD_TOUCH_DISPATCH = 1 << 4, /* which CTA goes where */
	HD_TOUCH_L1 = 1 << 5,
	HD_TOUCH_CODE = 1 << 6,	  /* which instructions run */
	HD_TOUCH_START = 1 << 7,  /* when a warp that is there begins its body: the policy holds it until then */
	HD_TOUCH_PLACES = 1 << 8, /* where a warp and its registers are: it moves them, or keeps something that stays */
	HD_TOUCH_SHARES = 1 << 9  /* how much of an SM each of several kernels has */
};
#define HD_TOUCH_COUNT 10

#define HD_MAX_POLICIES 4 /* of a combination */

/* A policy, as its users know it: a row of policies.def. */
struct hd_policy {
	const char *name, *help, *paper;
	uint32_t touches;
	const char *parameters; /* what may stand behind "name:", for messages; NULL: nothing */
	const char *best_of;	/* those among which `best-name` looks, as "1,2,3"; NULL: none */
	const struct hd_policy_hooks *hooks;
};

/* A policy in a combination, of one simulated GPU. */
struct hd_policy_handle {
	const struct hd_policy *policy;
	const struct hd_policy_hooks *hooks;
	const char *parameter; /* "" where none was given */
	uint32_t collector_at, gpu_at, sm_at, cta_at, warp_at,
		grid_at;		/* of its state in what each of these has for policies */
	uint32_t energy_at;		/* of its rows in hd_gpu.energy */
	uint32_t settings_at;		/* and in hd_gpu.settings */
	uint32_t counts_at, count_rows; /* of its counts in hd_gpu.counted; in an SM HD_MAX_GRIDS times as far */
};

/* ---- the operand stage (docs/architecture.md) */

struct hd_collector;
struct hd_regfile;

#define HD_MAX_OPERANDS 12
#define HD_NO_COLLECTOR UINT32_MAX

/* A register that an instruction reads: slots in order, low word first, duplicates included. */
struct hd_operand {
	uint8_t reg;
	uint8_t slot : 3; /* enum hd_slot */
	uint8_t word : 3; /* of the slot */
	uint8_t near : 1; /* it is read again soon, says the reuse analysis (malekeh 3.2); of its result: near_result */
	uint8_t dead : 1; /* done with in the whole warp (LTRF+) */
	uint8_t same;	  /* index of the first operand with this register */
};
enum hd_source { HD_FROM_BANK, HD_FROM_CACHE, HD_FROM_BYPASS };

/* A register that is written. */
struct hd_result {
	struct hd_warp *warp;
	const struct hd_dinst *inst;
	uint32_t lanes; /* that executed the instruction */
	uint32_t order; /* of issue in the SM; it wraps around */
	uint8_t reg;
	uint8_t word; /* of the destination */
};
enum hd_target { HD_TO_BANK, HD_TO_CACHE, HD_TO_BOTH };

/* A register of the range that a grid has on an SM (`reserve`): its row, and the lanes that the access moves, for
 * energy; it takes its bank as one of all lanes does. */
struct hd_range_access {
	uint32_t row, lanes;
};
#define HD_MAX_RANGE 8 /* of an instruction */

/* How a warp came to the lanes that it executes next. DIVERGED: some of those that executed last, the others wait.
 * SWITCHED: others, since those that executed last have ended their path. JOINED: those and others. YIELDED: others,
 * since those that executed last made way for them. */
enum hd_path { HD_PATH_DIVERGED, HD_PATH_SWITCHED, HD_PATH_JOINED, HD_PATH_YIELDED };

/* Of loaded registers: hook first_use. */
struct hd_hazard;
struct hd_first_use {
	const struct hd_dinst *inst;	   /* the warp's next */
	const struct hd_hazard *registers; /* used for the first time */
	bool waits;			   /* for some of them; else it issues */
};

/* An answer of L2. */
struct hd_packet;
#define HD_NO_PACKET UINT32_MAX
struct hd_reply {
	const struct hd_packet *packet; /* its line, sectors, kind and size */
	const struct hd_grid *grid;	/* whose request it was */
	uint32_t latency;		/* cycles since that left the SM */
	bool missed;			/* L2 did not have all of it */
};

/* What a warp or block has in an SM and may be without for a time (runtime/sm/context.h). */
enum { HD_PART_SLOT = 1, HD_PART_REGISTERS = 2, HD_PART_SHARED = 4, HD_PART_STACK = 8 };

/*
 * Events of a design's own structures that take energy, which hd_policy_spend counts. They are in the statistics, under
 * the policy's name, and in energy_joules. In the policy's section of an .ini, `[policy NAME]`, the key pj_<name> is
 * the energy of one, and `register_power` what a read or write of a register bank takes, as a multiple of the GPU's.
 */
struct hd_policy_energy {
	const char *name, *help;
	double pj; /* where the .ini says nothing */
};

/*
 * A number that a design leaves open, or that is to be swept: a key of the policy's section, as those of energy are
 * (`--set NAME.KEY=VALUE`). Its value: hd_policy_setting.
 */
struct hd_policy_setting {
	const char *name, *help; /* the help ends with the source */
	double value;		 /* where nothing is said */
	double least, most;
};

/*
 * What a design counts. Its hooks count in a struct of its own of uint64_t alone, one for each row and in their order,
 * which the engine keeps for each grid on each SM (hd_policy_counts), sums (hd_policy_sum) and has in the statistics of
 * launches and of the run.
 */
struct hd_policy_count {
	const char *name, *unit, *help;
};

struct hd_policy_hooks {
	/* State that the engine sets aside, zeroed: that of grids, CTAs and warps whenever one starts, the others once.
	 */
	uint32_t gpu_bytes, sm_bytes, cta_bytes, warp_bytes, grid_bytes;
	/* Pipeline stages that it puts between issue and execution. They delay results and control by a cycle each and
	 * hold no unit. */
	uint32_t stages;
	uint32_t collector_bytes; /* state in each operand collector; zeroed once */
	bool several_grids;	  /* it knows that grids run beside each other; else one runs at a time */
	/* With the first as its parameter it needs what a run with the second wrote to hd_sim_options.rehearsal: the
	 * program runs twice. */
	const char *rehearsal[2];
	bool ideal;	   /* it counts what ideal machines would not execute (runtime/verify/redundancy.c) */
	bool linear;	   /* launches run the linear versions of kernels (runtime/exec/linear.h) */
	bool facts;	   /* it looks at hd_facts_at (runtime/sim/engine.h) */
	bool streams;	   /* and has warps run their streams (hd_warp_run), which else take no time */
	bool moves;	   /* it suspends, moves or kills warps or blocks (runtime/sm/context.h) */
	const char *joins; /* a policy that it works with on what both take over; its hooks come after that one's */
	const struct hd_policy_energy *energy;	  /* a row without a name ends them; NULL: none */
	const struct hd_policy_setting *settings; /* the same */
	const struct hd_policy_count *counts;	  /* the same */
	uint32_t spare_warps, spare_ctas; /* so many more of each than it has slots for an SM can know at a time */

	/* Every hook may be NULL. `self` is the policy in its combination. test/e2e/Inputs/probe.c counts the calls of
	 * each. */
	/* Before the GPU is built: checks the parameter ("" where none is given) and may change the configuration. 0 or
	 * -1 with the error reported. */
	int (*configure)(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
			 struct hd_diag *diag);
	void (*start)(const struct hd_policy_handle *self, struct hd_gpu *gpu);
	/* A function has been loaded and linked: `code` is its first instruction. It may change how they are issued. */
	void (*decode)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		       struct hd_dinst *code);
	void (*grid_begin)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
	/* Registers to reserve for each thread of the grid's warps on this SM; the baseline's number comes in. A block
	 * is launched even when not one fits with them: the policy then holds warps. */
	uint32_t (*admit)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
			  uint32_t registers);
	/* Warp registers that the grid has on this SM beside those of its warps, from its turn to its end: occupancy
	 * counts them, and their values, zero at first, are hd_range_row's. They add up. */
	uint32_t (*reserve)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid);
	/* With several grids: whose block gets the next place on this SM, of those that have blocks left and for which
	 * there is room, the one that would get it first; NULL: none of them now. Without either hook a grid waits
	 * until all blocks of those before it have a place (docs/architecture.md, Grids). */
	struct hd_grid *(*grid_choice)(const struct hd_policy_handle *self, struct hd_sm *sm,
				       struct hd_grid *const *grids, uint32_t count);
	/* Most blocks of a grid on this SM, at this time; with several policies the least. When it rises:
	 * hd_sm_request_dispatch. */
	uint32_t (*quota)(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid);
	/* There is no room for all of a further block: without which HD_PART_* may it start? What it lacks must be
	 * among them; 0: it waits. Warps without a slot have registers if HD_PART_REGISTERS is not among them, and get
	 * slots as these become free, the oldest first, unless they are held. One policy is enough. */
	uint32_t (*launch_without)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid);
	void (*cta_launch)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	void (*cta_retire)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	/* A warp is there and begins its body, unless the policy has it run a stream first (hd_warp_run) or holds it;
	 * warps of its block with higher indices are not there yet. */
	void (*warp_start)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* The stream that a warp ran has ended, with all that it had under way; its registers are as that left them.
	 * The same choice again. */
	void (*stream_end)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* A block that was sent from another SM, or from this one, is here, suspended (hd_cta_send). No SM is at work:
	 * the policy may look at the state that it has with `from`, too. */
	void (*cta_arrive)(const struct hd_policy_handle *self, struct hd_sm *from, struct hd_sm *sm,
			   struct hd_cta *cta, uint64_t now);
	/* A policy kills the block, which is as it was until after this; its warps do not end. */
	void (*cta_kill)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	/* The two-level scheduler takes the warp into its active set: cycles until it may issue, while which it has its
	 * place there. And it takes it out, for a long wait or since it has ended. The policy only looks. */
	uint32_t (*activate)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*deactivate)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* The warp has come to where it was told to stop (hd_warp_stop); it has nothing under way any more that the
	 * policy wanted to wait for (hd_warp_await). */
	void (*stopped)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*drained)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* A warp has ended; its place is free after this. */
	void (*warp_done)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* May the warp issue this instruction now? Asked only for warps that are otherwise ready, and in every cycle: a
	 * warp that waits for long is better held. */
	bool (*can_issue)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/*
	 * Is the instruction executed without an issue slot (runtime/sm/elide.c)? Asked first when the warp comes to
	 * it, not `known`: whether it may be; then it is not fetched, and the policy is asked again when its operands
	 * are there, in warp->regs and warp->preds. *at, `now`, is the cycle from which its result can be used. With
	 * several policies one suffices. Not asked of control, barriers, stores and atomics.
	 */
	bool (*elide)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      bool known, uint64_t now, uint64_t *at);
	/* Where a register lies among those of its warp, for the choice of the bank; with one policy of a combination.
	 */
	uint32_t (*rename)(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg);
	/* Registers of ranges that an instruction reads as operands, or has written when it has its result, beside its
	 * own; asked for instructions whose `range` says so (struct hd_dinst): those with linear operands read, those
	 * of linear streams that leave something write, and `decode` may mark others. Returns their number. */
	uint32_t (*range_reads)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				struct hd_range_access list[HD_MAX_RANGE]);
	uint32_t (*range_writes)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				 struct hd_range_access list[HD_MAX_RANGE]);
	/* Cycle at which the operands are read, given the baseline's answer. */
	uint64_t (*operand_read)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
				 uint64_t now, uint64_t ready);
	/*
	 * Which of its register file's collectors takes the instruction of a warp that issues if there is one: an index
	 * into regfile->collectors whose regfile->free is not after `now`. HD_NO_COLLECTOR: none now, the warp is asked
	 * again in the next cycle; *reason, HD_STALL_collector, may say why. Hooks of the stage are for one policy of a
	 * combination.
	 */
	uint32_t (*choose_collector)(const struct hd_policy_handle *self, struct hd_warp *warp,
				     const struct hd_dinst *inst, const struct hd_regfile *regfile, uint64_t now,
				     uint8_t *reason);
	/* Where an operand of the instruction in the collector comes from; asked of all of them in order at issue. From
	 * cache or bypass it is there at tick *ready, which is now; from its bank when that has read it. */
	enum hd_source (*operand_source)(const struct hd_policy_handle *self, struct hd_collector *collector,
					 const struct hd_operand *operand, uint64_t now, uint64_t *ready);
	/* A register has come from its bank, for the first operand that asked for it and all others. */
	void (*operand_delivered)(const struct hd_policy_handle *self, struct hd_collector *collector,
				  const struct hd_operand *operand, uint64_t now);
	/* The instruction leaves for its unit. From the next cycle on the collector takes another; what the policy
	 * keeps with it stays. */
	void (*dispatch)(const struct hd_policy_handle *self, struct hd_collector *collector, uint64_t now);
	/* Where a register of a result goes; those of a cycle in the order of issue. What goes to the cache alone takes
	 * no port of a bank. */
	enum hd_target (*result_target)(const struct hd_policy_handle *self, const struct hd_result *result,
					uint64_t now);
	/* Among warps that could issue, those with the least value come first; among these the scheduler's rule
	 * decides. Asked for each in every cycle. */
	uint64_t (*prefer)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			   uint64_t now);
	/* The result can be used. */
	void (*write_back)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			   uint64_t now);
	/* Extra cycles before the warp's next issue. `saves` and `restores` reach `memory_access` first. */
	uint32_t (*call)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			 uint32_t callee, uint64_t now);
	/* Also when the last threads of a call have exited inside it. */
	uint32_t (*call_return)(const struct hd_policy_handle *self, struct hd_warp *warp, bool all_threads,
				uint64_t now);
	/* Local access of a given role: return false to keep it away from the memory system (a rename in CARS). */
	bool (*memory_access)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			      uint64_t now);
	/* Does an access of global or local memory go past L1? Its lines there are written back or, by a store, kept up
	 * to date. Asked when the access goes to the load/store unit; one policy is enough. */
	bool (*l1_bypass)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/* A load or atomic has to wait for the memory: the first of its lines was not in L1, was still on its way
	 * there, or is not to be there. Once an instruction. */
	void (*load_miss)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/* An instruction is the first to want what loads of global or local memory bring or have brought: it issues, or
	 * it has to wait for it. Once a register that was loaded. */
	void (*first_use)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
			  uint64_t now);
	/*
	 * Which packet goes from the SM to L2 next: of each grid that has some ready the first in its miss queue, in
	 * turns, as the baseline takes them (struct hd_packet: runtime/memory/packet.h). An index; HD_NO_PACKET: none
	 * now, it is asked again in the next cycle. Asked only where there is one and room for it. One policy of a
	 * combination.
	 */
	uint32_t (*send)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads,
			 uint32_t count, uint64_t now);
	/* L2 has answered a request of the SM. */
	void (*reply)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_reply *reply,
		      uint64_t now);
	void (*barrier)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* The warp waits at a barrier that did not complete; and it goes on. At the latter all warps that the barrier
	 * let go are running again. */
	void (*barrier_wait)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*barrier_resume)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*long_stall)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	void (*wake_up)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* The warp goes on at warp->pc with warp->active, which are not the lanes that executed last. Before `fetch`.
	 */
	void (*path_switch)(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_path how, uint64_t now);
	void (*fetch)(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now);
	/* Byte address at which the instruction cache has the instruction that the warp goes on with, and in *bytes
	 * how long it is; the baseline's, inst_bytes * pc and inst_bytes of the configuration, come in. What the policy
	 * adds to the code stands there, too: all lines of it are fetched. After `fetch`, with one policy of a
	 * combination. */
	uint64_t (*code_place)(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc,
			       uint64_t address, uint32_t *bytes);
	/* An instruction of the program has been issued and executed; `effect` says what it did. */
	void (*issued)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_effect *effect, uint64_t now);
	/* What hd_policy_at asked for. */
	void (*alarm)(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
	/* Of the whole GPU, before its SMs work in that cycle, while any grid runs. */
	uint32_t gpu_tick_interval; /* cycles; 0: no tick */
	void (*gpu_tick)(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now);
	uint32_t tick_interval; /* cycles; 0 no tick */
	void (*tick)(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);
	void (*grid_end)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
	void (*dump)(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out);
	/* For the watchdog: why the policy holds the warp (hd_warp_hold), in words. False: it is not this policy that
	 * does. */
	bool (*why_held)(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size);
	/* Under --verify: around the execution of each instruction. A fault is reported with hd_gpu_fault. */
	void (*verify_before)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst);
	void (*verify_after)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			     const struct hd_effect *effect);
	/* Its figures over time: under --sample their values at the end of each interval, one for each of `series`. */
	const char *const *series; /* names; NULL ends them */
	void (*sample)(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values);
	/* Adds the policy's own figures under its name in the statistics: calls add(context, key, value, unit). They
	 * are of the launch gpu->grid, or of the whole run where that is NULL. */
	void (*report)(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		       void (*add)(void *context, const char *key, double value, const char *unit), void *context);
};

/*
 * Hooks that an SM calls, once a warp, an instruction or a cycle. It has a bit for each that some policy has, so that
 * the others cost a test (hooks.h).
 */
#define HD_HOOK_LIST(X) \
	X(admit) X(cta_launch) X(cta_retire) X(warp_done) X(can_issue) X(rename) X(operand_read) \
	X(write_back) X(call) X(call_return) X(memory_access) X(barrier) X(barrier_wait) X(barrier_resume) \
	X(long_stall) X(wake_up) X(warp_start) X(stream_end) X(range_reads) X(range_writes) X(elide) \
	X(fetch) X(tick) X(verify_before) X(verify_after) X(choose_collector) X(operand_source) \
	X(operand_delivered) X(dispatch) X(result_target) X(prefer) X(path_switch) X(code_place) X(issued) \
	X(l1_bypass) X(load_miss) X(first_use) X(send) X(reply) X(launch_without) X(cta_kill) X(cta_arrive) \
	X(stopped) X(drained) X(activate) X(deactivate)
enum hd_hook_index {
#define X(hook) HD_HOOK_INDEX_##hook,
	HD_HOOK_LIST(X)
#undef X
};
#define HD_HOOK(hook) (UINT64_C(1) << HD_HOOK_INDEX_##hook)
/* Those for which collectors keep their state (stage.c). */
#define HD_STAGE_HOOKS \
	(HD_HOOK(choose_collector) | HD_HOOK(operand_source) | HD_HOOK(operand_delivered) | HD_HOOK(dispatch))

/* All policies, the baseline first; a row without a name ends them. */
extern const struct hd_policy hd_policies[];

/* The policy in a shared object (runtime/sm/policy_object.h), for good: the same one each time. NULL: it cannot be
 * loaded, or is no policy of this Heddle, reported. */
const struct hd_policy *hd_policy_load(const char *path, size_t length, struct hd_diag *diag);
/* Structures in `touches`, HD_TOUCH_*, in words; their number. */
uint32_t hd_policy_touched(uint32_t touches, const char *names[HD_TOUCH_COUNT]);
/* The structures that two policies both take over, which is why they do not combine; 0: they combine, since there are
 * none or since one joins the other. */
uint32_t hd_policy_conflict(const struct hd_policy *a, const struct hd_policy *b);
bool hd_policy_joins(const struct hd_policy *policy, const struct hd_policy *other);
/* Its hooks are those of operand collectors, without which a GPU refuses it. */
bool hd_policy_needs_collectors(const struct hd_policy *policy);
/* It changes when registers are read or written, which instructions issue, or what a wait for a register is: control
 * bits, which are set without it, would not hold, so that a GPU with core = modern refuses it. Which of them, in words
 * ("it works on operand collectors"); NULL: none. Stages that it adds are in the latencies for which bits are set. */
const char *hd_policy_needs_scoreboard(const struct hd_policy *policy);
/* Whether `text` ("cars+malekeh") names policies that exist and combine; reports what is wrong. 0 or -1. */
int hd_policy_check(const char *text, struct hd_diag *diag);
/* Whether a program has to run under other policies before it runs under these: then *first is their list, which the
 * caller frees. False for text that is no list of policies. */
bool hd_policy_rehearses(const char *text, char **first);
/* Whether grids run beside each other under all that `text` names. False for text that is no list of policies. */
bool hd_policy_runs_several(const char *text);
/* `best_of` of the policy of this name; NULL: there is no such policy, or it has none. */
const char *hd_policy_best_of(const char *name, size_t length);

#endif
