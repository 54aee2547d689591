/*
 * A hardware design is a file or a folder in runtime/policy/ with a struct hd_policy_hooks, and a row of
 * runtime/policy/policies.def (docs/architecture.md, Policies; walk-through: docs/add-a-policy.md). The baseline is
 * the row without hooks and costs nothing. Policies combine if they replace different units, or if one joins the other
 * (`joins`). Hooks of a combination are called in the order of the `+` list. A name may have a parameter: "swl:4".
 *
 * The engine allocates a policy's state of the GPU and of each SM, CTA and warp, in the sizes that the policy
 * declares. The handle that each hook receives leads to it with one addition (hd_policy_gpu and others in
 * runtime/sm/policy_space.h).
 *
 * A policy may also call the units of an SM, whose headers lie in runtime/sm/: hd_warp_hold and hd_warp_resume
 * (inject.h) keep a warp off the schedulers, at no cost while it waits; hd_warp_inject lets it issue memory accesses;
 * hd_policy_at (alarms.h) sets an alarm.
 */
#ifndef HEDDLE_POLICY_H
#define HEDDLE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/inst.h"
#include "heddle/metadata.h"
#include "heddle/policy/allocation.h"
#include "heddle/policy/calls.h"
#include "heddle/policy/contexts.h"
#include "heddle/policy/issue.h"
#include "heddle/policy/memory.h"
#include "heddle/policy/observation.h"
#include "heddle/policy/operands.h"
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
static inline double hd_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}
/* For a table of counts, #define X_COUNTS(X) X(name, "unit", "help") ...: the fields of the struct, and the rows. */
#define HD_COUNT_FIELD(name_, unit_, help_) uint64_t name_;
#define HD_COUNT_ROW(name_, unit_, help_) {#name_, unit_, help_},

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
	bool own_state;	   /* grid_begin and grid_end look at no SM, but for the policy's own state there */
	bool own_quota;	   /* quota looks at no other SM; it changes in hooks with a struct hd_gpu, or, on an SM whose
			      hook asks for a dispatch then, in hooks of the SM; with `moves`, in any of them. `start`
			      sets hd_gpu.across, counts_blocks and kills if they apply */
	const char *joins; /* a policy with which it shares a unit that both replace; its hooks are called after that
			      policy's */
	const struct hd_policy_energy *energy;	  /* ends with a row without a name; NULL: none */
	const struct hd_policy_setting *settings; /* ends with a row without a name; NULL: none */
	const struct hd_policy_count *counts;	  /* ends with a row without a name; NULL: none */
	uint32_t spare_warps, spare_ctas;	  /* additional warps and CTAs, beyond its slots, that an SM can hold */

	/* Every hook may be NULL. `self` is the policy in its combination. A hook of an SM may change only that SM and
	 * the policy's state there; it may read the policy's state of the GPU and of the grid. A hook with a struct
	 * hd_gpu may change all. test/e2e/Inputs/probe.c counts the calls of each hook. */

	/* Called before the GPU is built, with the parameter ("" if none). May change the configuration. Returns 0,
	 * or -1 after reporting an error. */
	int (*configure)(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
			 struct hd_diag *diag);
	/* Called once, when the GPU is built and has its state. */
	void (*start)(const struct hd_policy_handle *self, struct hd_gpu *gpu);
	/* Called when a function was loaded and linked. `code` is its first instruction. May change how its
	 * instructions are issued. */
	void (*decode)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		       struct hd_dinst *code);
	/* Called when a grid begins and when it has ended, while no SM is active. */
	void (*grid_begin)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
	void (*grid_end)(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
	/* Called in the cycle set by hd_policy_at. */
	void (*alarm)(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
	/* Called at intervals while a grid runs, before the SMs work in that cycle. */
	uint32_t gpu_tick_interval; /* cycles; 0: not called */
	void (*gpu_tick)(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now);

	/* By subject, each with its contract in heddle/policy/<subject>.h. */
	struct hd_policy_allocation allocation;
	struct hd_policy_operands operands;
	struct hd_policy_issue issue;
	struct hd_policy_calls calls;
	struct hd_policy_memory memory;
	struct hd_policy_contexts contexts;
	struct hd_policy_observation observation;
};

/*
 * Hooks that an SM calls per warp, instruction or cycle. An SM has a bit for each hook that some policy has, so that
 * unused hooks cost one test (hooks.h).
 */
#define HD_HOOK_LIST(X) \
	X(allocation, admit) X(allocation, cta_launch) X(allocation, cta_retire) X(allocation, warp_done) \
	X(allocation, launch_without) \
	X(operands, rename) X(operands, range_reads) X(operands, range_writes) X(operands, choose_collector) \
	X(operands, operand_source) X(operands, dispatch) X(operands, result_target) \
	X(issue, can_issue) X(issue, write_back) X(issue, barrier_wait) X(issue, barrier_resume) \
	X(issue, warp_start) X(issue, stream_end) X(issue, elide) X(issue, fetch) X(issue, prefer) \
	X(issue, code_place) X(issue, issued) X(issue, activate) X(issue, deactivate) \
	X(calls, call) X(calls, call_return) X(calls, path_switch) X(calls, forget_names) \
	X(memory, memory_access) X(memory, l1_bypass) X(memory, load_miss) X(memory, first_use) X(memory, send) \
	X(memory, reply) \
	X(contexts, cta_kill) X(contexts, cta_arrive) X(contexts, stopped) X(contexts, drained) \
	X(observation, verify_before) X(observation, verify_after)
enum hd_hook_index {
#define X(subject, hook) HD_HOOK_INDEX_##hook,
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
