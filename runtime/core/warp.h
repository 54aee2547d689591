/*
 * Warps and blocks as data: what they execute on, and what the timing of them is about. runtime/exec changes what a
 * program can see of a warp, runtime/sm decides when.
 */
#ifndef HD_RUNTIME_CORE_WARP_H
#define HD_RUNTIME_CORE_WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"
#include "heddle/object.h"
#include "lib/vec.h"
#include "runtime/core/hazard.h"

struct hd_cluster;
struct hd_cta;
struct hd_exec;
struct hd_grid;
struct hd_linear_parts;
struct hd_regfile;
struct hd_sm;

#define HD_ROW_BYTES (HD_WARP_LANES * sizeof(uint32_t)) /* a register of a warp */
#define HD_HIDDEN_ROWS 2				/* below row 0: what RZ reads and what it takes */

/* SIMT stack entry. pc HD_NO_PC_ABS in reconv: none. */
#define HD_PC_NONE 0xffffffffu
struct hd_simt {
	uint32_t pc, reconv;
	uint32_t mask;
	uint32_t call_return; /* entries of a call: pc after the call; else HD_PC_NONE */
	uint32_t callee;      /* entries of a call: function index */
	uint32_t call;	      /* entries of a call: its number in the warp, which entries of its paths share */
	uint32_t turn;	      /* hd_warp.turns when a spinning path last made way for this one */
	uint64_t wakes;	      /* its lanes sleep before this cycle (NANOSLEEP in a loop that waits, yield.c) */
};

/* What a policy has a warp issue (inject.c): accesses to rows of local memory, one a register; micro-operations, which
 * write a register; control instructions of the policy, which take an issue slot and nothing else. */
#define HD_MAX_INJECTED 6
enum hd_inject_kind { HD_INJECT_LOAD, HD_INJECT_STORE, HD_INJECT_MICRO, HD_INJECT_CONTROL, HD_INJECT_KINDS };
struct hd_injected {
	uint64_t address; /* of lane 0 of the first row; the lanes lie side by side */
	uint64_t stride;  /* to the next row */
	uint32_t rows, mask;
	enum hd_inject_kind kind; /* of micro-operations and control instructions, `rows` is their number */
};
struct hd_injection {
	uint32_t count;	      /* entries of `queue` */
	uint32_t outstanding; /* loads under way */
	struct hd_injected queue[HD_MAX_INJECTED];
};

/* Results that some readers have and others do not yet (forward.c). */
struct hd_forward {
	struct {
		struct hd_hazard results;
		uint64_t at;	  /* cycle in which the last of them was there */
	} fresh[HD_PIPELINES][2]; /* of even and of odd cycles */
	uint64_t guards[8];	  /* cycle from which each predicate guards */
};

/* Asynchronous copies of a warp (copies.c): those of group g that are under way, in left[g % HD_COPY_GROUPS]. Groups
 * from `oldest` on are not done; `open` is the one that copies join. Numbers run over. */
struct hd_copies {
	uint8_t oldest, open;
	uint16_t under_way; /* of all groups */
	uint16_t left[HD_COPY_GROUPS];
};

/* DONE: its last thread has exited; KILLED: by a policy. Both go when nothing that they started is under way. */
enum hd_warp_state { HD_WARP_FREE, HD_WARP_RUNNING, HD_WARP_BARRIER, HD_WARP_DONE, HD_WARP_KILLED };

/* Why a policy keeps a warp: hd_warp_hold, hd_warp_pause, hd_warp_stop. */
enum { HD_HELD_OFF = 1, HD_HELD_PAUSED = 2, HD_HELD_STOPPED = 4 };

#define HD_NO_SLOT UINT32_MAX				/* hd_warp.slot of a warp without one */

struct hd_warp {
	/* Every instruction: together, for with thousands of warps each line of them is one that the host's caches do
	 * not hold. */
	uint32_t (*regs)[HD_WARP_LANES]; /* regs[r][lane]; regs[-1] reads zero, regs[-2] takes what RZ is given */
	uint32_t preds[8];		 /* lane masks; [7] PT is all ones */
	uint32_t pc, active;		 /* of the top SIMT entry, cached */
	struct hd_cta *cta;
	HD_VEC(struct hd_simt) stack;
	struct hd_regfile *regfile; /* that its registers are in */
	uint32_t id;		    /* in hd_sm.warps: what it is known by, whatever slot it is in */
	uint32_t slot;		    /* warp slot of the SM, whose scheduler is slot % schedulers; HD_NO_SLOT: in none */
	uint8_t state;		    /* enum hd_warp_state */
	uint8_t wait_reason;	    /* enum hd_stall while next_issue > now or the scoreboard blocks */
	bool replica;		    /* a watcher runs it beside a warp, in the order of that one (verify/twin.c) */
	bool reordered;		    /* a path that spun made way for another one (yield.c) */
	bool fence_wait;
	bool sync_wait;	      /* suspended at a barrier in shared memory (mbarrier.c) */
	bool bulk_wait;	      /* suspended at copies in bulk (bulk.c) */
	bool product_wait;    /* the same for products of its warpgroup (wgmma.c) */
	uint8_t held;	      /* by a policy: HD_HELD_* */
	uint8_t stops;	      /* kinds of places where it stops: hd_warp_stop */
	uint8_t awaits;	      /* HD_PENDING_* whose end is to be told: hd_warp_await */
	bool stream, fresh;   /* it runs a stream (stream.c); it has not begun to execute that, or its body */
	bool unfetched;	      /* a policy may have its next instruction elided (elide.c) */
	bool declined;	      /* and has decided against */
	bool unplaced;	      /* it has had no slot yet */
	uint8_t away;	      /* HD_PART_* that it has not got: hd_warp_suspend */
	uint32_t outstanding; /* loads, copies and atomics under way; stores: hd_lsu_pending_stores */
	uint32_t late;	      /* memory instructions that wait for their operands */
	uint32_t collected;   /* instructions in collectors, where policies look at these */
	uint64_t age;	      /* launch order, for GTO */
	uint64_t next_issue;  /* not before this cycle (control, fetch, policy) */
	uint64_t last_issue;
	uint64_t wake_at;	/* the last cycle for which it has a timer to go on */
	uint64_t forward_until; /* from this cycle on no reader waits for what `forward` holds */
	/* core = modern */
	uint64_t stall_until; /* it issues nothing before this cycle, also while the path that runs sleeps */
	uint32_t flights;     /* results, and reads of sources, under way */
	uint8_t counters[6];  /* dependence counters; a bit each that is not 0, and of these */
	uint8_t raised, raised_memory, raised_shared, full; /* by memory, by shared memory; at their most */
	uint64_t dispatched;	  /* cycle in which the last of its instructions leaves the operand stage */
	struct hd_hazard pending; /* results under way */
	struct hd_hazard
		pending_memory; /* of these, by memory; and by shared memory or shuffle: for the stall reason */
	struct hd_hazard pending_shared;
	struct hd_injection injection;
	/* What only some do. */
	uint32_t live;			 /* lanes that have not exited */
	uint32_t uregs[HD_MAX_UREGS];	 /* uniform registers */
	uint32_t turns, spins;		 /* how often paths made way; branches back since, while lanes waited */
	uint32_t spin_mask, spins_alike; /* lanes that took the last of these; how many they took in a row */
	uint64_t spin_state;		 /* hash of what they held at one of these */
	/* Operations among lanes (meet.c): lanes that wait at one; lanes whose results have been worked out and that
	 * have not got them yet: a word and a predicate for each. */
	uint32_t waits, met, answered, answers[HD_WARP_LANES];
	uint32_t calls;	     /* so far */
	uint8_t *local;	     /* local memory, lane after lane: local + lane * cta->grid->local_bytes */
	uint64_t local_base; /* its simulated physical address, for timing (hd_local_address) */
	uint32_t tid[3][HD_WARP_LANES];
	uint32_t index;	       /* warp in its CTA */
	uint16_t registers;    /* that a thread has (USETMAXREG) */
	uint64_t access_at;    /* cycle at which the last of the late memory instructions has its operands */
	uint32_t range_writes; /* writes of its grid's range under way */
	struct hd_forward forward;
	struct hd_copies copies;
	uint32_t cluster_phase, cluster_lanes; /* phase of the cluster's barrier at which these lanes have arrived */
	struct hd_copies arrivals; /* the same by what arrives at a barrier when they are done (mbarrier.c) */
	uint32_t bulks;		   /* copies in bulk under way, which `outstanding` counts, too */
	uint8_t *policy_space;	   /* of hd_gpu.policy_bytes.warp; hd_policy_warp */
	uint8_t *watch_space;	   /* of hd_gpu.watch_bytes.warp; NULL: nobody may watch it (watch.h) */
};

/* Suspended by an instruction that has issued: a fence, a barrier in shared memory, copies in bulk, products. */
static inline bool hd_warp_is_suspended(const struct hd_warp *warp)
{
	return warp->fence_wait || warp->sync_wait || warp->bulk_wait || warp->product_wait;
}
static inline void hd_warp_forget_waits(struct hd_warp *warp)
{
	warp->fence_wait = warp->sync_wait = warp->bulk_wait = warp->product_wait = false;
}

struct hd_cta {
	struct hd_grid *grid;
	struct hd_sm *sm;     /* NULL: of no SM (twins, streams of linear versions) */
	struct hd_exec *exec; /* of that SM */
	uint32_t index[3], linear;
	struct hd_cluster *cluster; /* NULL: it is alone */
	uint32_t rank;		    /* in its cluster */
	uint8_t *shared;	    /* functional contents */
	uint32_t shared_offset;	    /* in the SM's shared memory, for bank timing */
	uint32_t warp_count, warps_done;
	struct hd_warp **warps;
	struct {
		uint32_t arrived; /* threads, multiples of the warp size */
		uint32_t expected;
		uint32_t votes; /* RED modes: lanes with psrc true, counted; and / or over them */
		uint32_t participants;
		uint64_t waiting[2]; /* warps of this CTA waiting here, by index */
		uint64_t taken;	     /* cycle from which the last arrival counts (hd_sm.barriers_free) */
		uint8_t mode;
	} barriers[16];
	uint64_t start_cycle, start_age;   /* start_age: hd_warp.age of its first warp */
	uint64_t block_parts[HD_LR_COUNT]; /* of linear registers */
	struct hd_linear_parts *parts;	   /* coefficients and thread-index parts, of the launch or of this SM */
	uint32_t pool;			   /* registers that its warps have given up, of a thread each (registers.c) */
	bool waits_for_registers;	   /* some warp has had to */
	bool used;
	uint8_t away;		 /* HD_PART_SLOT, HD_PART_SHARED: what it has not got (hd_cta_suspend) */
	bool sent;		 /* it is to go to another SM (hd_cta_send) */
	bool killed;		 /* hd_cta_kill; `used` until its last warp has gone */
	bool fired;		 /* it has allowed the next grid to begin */
	uint32_t killed_warps;	 /* of its warps, those that have not gone yet */
	uint32_t registers_away; /* its warps without a place in the register file */
	uint8_t *policy_space;	 /* hd_policy_cta */
	uint8_t *watch_space;	 /* of hd_gpu.watch_bytes.cta */
};

#endif
