/*
 * The simulated GPU as data: what every room of the runtime knows of it. Rooms above keep what is theirs behind
 * pointers.
 */
#ifndef HD_RUNTIME_CORE_GPU_H
#define HD_RUNTIME_CORE_GPU_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "heddle/policy.h"
#include "heddle/sim.h"
#include "heddle/stats.h"
#include "lib/api.h"
#include "lib/arena.h"
#include "lib/vec.h"
#include "runtime/core/grid.h"
#include "runtime/core/program.h"
#include "runtime/core/watch.h"

struct hd_checkpoint;
struct hd_config;
struct hd_corun;
struct hd_devmem;
struct hd_exec;
struct hd_functional;
struct hd_memory;
struct hd_run;
struct hd_sampling;

/* Loads beside allocations at one place. */
struct hd_outside {
	uint32_t pc;
	uint64_t count; /* in the launch that showed it */
	bool told;
};

/* Of the register files of each SM: in one place, which stays in the host's cache while the SMs take turns. */
struct hd_bank_shape {
	bool modern;			  /* no collectors: modern.c */
	bool accelsim;			  /* collectors in steps: accelsim.c */
	uint32_t skew;			  /* banks by which each warp's registers are moved on */
	uint32_t parts;			  /* register files */
	uint32_t banks, mask;		  /* of one of these; mask 0: no power of two */
	uint32_t read_ports, write_ports; /* of a bank */
	uint32_t writes_at;		  /* in hd_regfile.ports */
	uint32_t read_cycles;		  /* of a read without conflicts */
	uint32_t operand_cycles;	  /* of collection that latencies contain */
	uint64_t busy, latency;		  /* ticks of an access, and until the operand is there */
};

struct hd_sm; /* sm.h: private to the timing core */
HD_API uint32_t hd_sm_id(const struct hd_sm *sm);

struct hd_gpu {
	struct hd_sim_options options;
	struct hd_config *config;
	uint64_t sm_count; /* as configured: loops over SMs are in many files */
	struct hd_bank_shape shape;
	struct hd_arena arena;
	struct hd_program program;
	struct hd_module *modules;
	struct hd_devmem *devmem;
	uint64_t heap_address;	  /* device malloc */
	struct hd_memory *memory; /* timing */
	struct hd_sm **sms;
	uint64_t now;			/* core cycle */
	HD_VEC(struct hd_grid *) grids; /* that wait or run, in the order of their submission */
	uint32_t running;		/* of these */
	uint32_t grid_slots;		/* that grids have had since the start */
	struct hd_grid *grid;		/* that runs alone, or is beginning or ending; NULL: none, or several run */
	struct hd_run *run;		/* gpu.c's */
	struct hd_exec *exec;		/* of what no SM does: streams of linear versions, the end of windows */
	uint64_t grids_launched;
	uint8_t *zero_bank;	    /* HD_CB_BYTES of zeros that the next grid takes; NULL: none */
	struct hd_grid *spare_grid; /* memory for the next one; NULL: none */
	uint64_t corun_end;	    /* of the co-run that is going on (corun.c); HD_NEVER */
	uint64_t begin_next;	    /* cycle in which a grid may begin beside those that run: a co-run's next one, or
				       one whose predecessor has allowed it; HD_NEVER: none waits for that */
	bool awaits_fire;	    /* a grid waits for the blocks of a running one to allow that it begins */
	struct hd_policy_handle policies[HD_MAX_POLICIES];
	uint32_t policy_count;
	struct {
		uint32_t gpu, sm, cta, warp, grid, collector;
	} policy_bytes;				       /* of what each of these has for policies */
	struct hd_policy_energy energy[HD_MAX_ENERGY]; /* rows of all policies, as configured (energy.c) */
	uint64_t spent[HD_MAX_ENERGY];		       /* events of grids that have ended */
	uint32_t energy_count;
	double settings[HD_MAX_SETTINGS]; /* keys of all policies, as configured (keys.c) */
	uint32_t setting_count;
	uint64_t *counted; /* counts of all policies, of grids that have ended (counts.c) */
	uint32_t count_rows;
	bool moves; /* some policy moves warps or blocks */
	/* Set by hooks `start` of policies with own_quota. Hooks of an SM look at other SMs or send blocks there; they
	 * ask how many blocks of a grid have not begun; they kill blocks (hd_cta_requeue). */
	bool across, counts_blocks, kills;
	uint32_t spare_warps, spare_ctas; /* the most that a policy wants */
	uint32_t stages;		  /* that policies add between issue and execution */
	uint8_t *policy_space;		  /* hd_policy_gpu */
	struct hd_stats stats;		  /* of finished launches; SM and memory statistics are summed at snapshot */
	char error_text[1024];
	int error;			   /* sticky within a launch */
	volatile sig_atomic_t interrupted; /* the signal that ends the launch; 0: none */
	HD_VEC(struct hd_outside) outside; /* under options.warn_outside (fault.c) */
	struct hd_functional *functional;  /* under options.functional, and while sampling leaves time out; NULL: with
					      timing */
	struct hd_sampling *sampling;	   /* under options.sampling; else NULL */
	struct hd_checkpoint *checkpoint;  /* under options.checkpoint and options.resume; else NULL */
	struct hd_corun *corun;		   /* under options.corun_cycles; else NULL */
	bool every_cycle;		   /* debugging: visit every cycle; the figures must not change */
	uint64_t watched;		   /* HD_WATCH_BIT of each event that some watcher wants now (watch.h) */
	uint64_t watchable;		   /* the same of watchers that are asleep, too */
	struct hd_watcher_handle watchers[HD_MAX_WATCHERS];
	uint32_t watcher_count;
	struct hd_watch_due due;
	struct {
		uint32_t warp, cta, grid;
	} watch_bytes; /* of what each of these has for watchers */
	/* What some watcher needs: hd_watcher's. */
	bool stepwise, in_order, watched_alone, shows_code, wants_facts, one_grid;
};

/* Every policy `self` (a handle); every one that has the hook. */
#define HD_POLICIES(gpu, self)                                                                                \
	for (const struct hd_policy_handle *self = (gpu)->policies, *self##_end = self + (gpu)->policy_count; \
	     self < self##_end; self++)
#define HD_HOOKED(gpu, self, hook) \
	HD_POLICIES (gpu, self) \
		if (self->hooks->hook)

/* For policies with `facts`: what is said of the instruction at `pc`, in *function if that is not NULL; NULL: nothing.
 */
static inline const struct hd_code_facts *hd_facts_at(const struct hd_gpu *gpu, uint32_t pc,
						      const struct hd_pfunction **function)
{
	const struct hd_pfunction *of = &gpu->program.functions.data[gpu->program.code.data[pc].function];
	if (function)
		*function = of;
	return of->facts ? &of->facts[pc - of->first] : NULL;
}

/* Whether the warp's next instruction may read a register that holds no value of the program: a design may have dropped
 * it. For policies with `facts`, under --verify. */
static inline bool hd_facts_undefined(const struct hd_gpu *gpu, uint32_t pc, uint32_t reg)
{
	const struct hd_code_facts *facts = hd_facts_at(gpu, pc, NULL);
	return facts && facts->undefined.regs[reg / 64] >> (reg % 64) & 1;
}

#endif
