/*
 * The engine's own structures: the loaded program, grids, CTAs, warps, SMs, the GPU. Private to runtime/.
 *
 * The functional executor (exec*.c, simt.c) changes what a program can see: registers,
 * predicates, memory, SIMT stack. The timing core (sm.c, issue.c, dispatch.c, gpu.c) decides when.
 * They meet in hd_warp_execute.
 */
#ifndef HD_RUNTIME_SIM_ENGINE_H
#define HD_RUNTIME_SIM_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/inst.h"
#include "heddle/object.h"
#include "heddle/occupancy.h"
#include "heddle/policy.h"
#include "heddle/sim.h"
#include "heddle/stats.h"
#include "lib/api.h"
#include "lib/arena.h"
#include "lib/vec.h"
#include "runtime/memory/memory.h"
#include "runtime/sim/progress.h"

struct hd_config;
struct hd_exec;
struct hd_linear_state;
struct hd_twin;
struct hd_redundancy;
struct hd_probe;
struct hd_run;
struct hd_check;
struct hd_functional;
struct hd_sampling;
struct hd_checkpoint;
struct warp_forms;
struct block_seen;
struct hd_regfile;

/* Scoreboard set: 256 registers; in word 4 8 predicates (bit 0 is P0), then the uniform registers. RZ and PT are never
 * in it. */
struct hd_hazard {
	uint64_t bits[5];
};

static inline void hd_hazard_add(struct hd_hazard *to, const struct hd_hazard *what)
{
	for (uint32_t i = 0; i < 5; i++)
		to->bits[i] |= what->bits[i];
}

static inline void hd_hazard_remove(struct hd_hazard *from, const struct hd_hazard *what)
{
	for (uint32_t i = 0; i < 5; i++)
		from->bits[i] &= ~what->bits[i];
}

static inline bool hd_hazard_any(const struct hd_hazard *set)
{
	return set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3] | set->bits[4];
}

static inline bool hd_hazards_meet(const struct hd_hazard *a, const struct hd_hazard *b)
{
	uint64_t both = 0;
	for (uint32_t i = 0; i < 5; i++)
		both |= a->bits[i] & b->bits[i];
	return both;
}

enum { HD_RANGE_READS = 1, HD_RANGE_WRITES = 2 };

/* A decoded instruction, made once at load. Program counters are indices in hd_program.code. */
struct hd_dinst {
	void (*exec)(struct hd_exec *exec, const struct hd_dinst *inst); /* NULL for control: handled by kind */
	struct hd_inst inst;	  /* operands; branch targets and callees in x and reconv are absolute indices here */
	struct hd_hazard hazards; /* everything read or written: must not be pending */
	struct hd_hazard writes;
	uint32_t function; /* index in hd_program.functions */
	uint8_t pipe, lat_class;
	uint16_t effects;
	uint16_t latency;      /* cycles to write-back, from the configuration (memory: 0) */
	uint16_t interval;     /* initiation interval of its unit */
	uint16_t products;     /* multiply-adds of a tensor instruction */
	uint8_t read_regs[12]; /* registers read, for operand collection */
	uint8_t read_count, write_count;
	uint8_t bank_count;    /* of read_regs, from the first on: the others are in the unit already */
	uint8_t operand_count; /* that are collected, in order, with duplicates */
	uint8_t named_count;   /* behind them operands that the unit has already; these with them */
	struct hd_operand operands[HD_MAX_OPERANDS];
	uint8_t access_bytes; /* memory: bytes a lane */
	uint8_t mem_class;    /* enum hd_mem_class, from the role */
	uint8_t spins;	      /* enum hd_spin (lib/object/spins.h) */
	uint8_t range;	      /* HD_RANGE_*: under policies, registers of ranges are read, or written */
	uint8_t extra;	      /* memory, by a policy: cycles from its operands to its access, in a pipeline */
	bool near_result;     /* what it writes is read again soon (malekeh 3.2) */
	uint8_t stops;	      /* kinds of places that a policy calls this (hd_warp_stop); hook decode sets it */
	uint8_t pipeline;     /* enum hd_pipeline */
	/* Under core = modern (runtime/sm/control.c): counters are numbered from 1 on, 0: none. */
	uint8_t stall, wait, raises; /* cycles to the warp's next issue; counters, a bit each */
	uint8_t counter, read_counter;
	uint16_t read_cycles; /* until its sources have been read */
	bool on_fma;	      /* multiplies integers in the first unit of HD_PIPE_FP32 */
	bool helper;	      /* a call of a helper, or a return from one: no call of the program (heddle/object.h) */
	bool meets;	      /* waits for the lanes that it names (runtime/exec/meet.c) */
};

/* What the metadata of its function, hd_pfunction.said, says of an instruction: indices in arrays there, or HD_NO_FACT.
 */
#define HD_NO_FACT UINT32_MAX
struct hd_code_facts {
	uint32_t interval, strand; /* that it belongs to; at an interval's entry_pc a PREFETCH is due (LTRF) */
	uint32_t point, barrier;   /* a preemption point is in front of it (Lin); it is this barrier */
	uint32_t switching;	   /* a switch point is in front of it (Lin) */
	uint32_t save, call;	   /* it is this push or pop (CARS), or call */
	bool diverges;		   /* lanes may go on at different places behind it */
};
struct hd_claim;
struct hd_claims;
struct hd_ways;
struct hd_pfunction {
	const char *name;
	uint32_t first, count;		     /* in hd_program.code */
	const struct hd_meta_function *meta; /* may be NULL for a function without metadata */
	const struct hd_meta_function *said; /* of its instructions: meta; of a linear version what meta
						says of that one's; may be NULL */
	const struct hd_function *object;    /* origins, tables */
	struct hd_module *module;
	const uint32_t *const *tables; /* jump tables as absolute indices */
	const uint32_t *table_counts;
	const struct hd_linear *linear;	   /* its linear version's body (linear.h); NULL: a function of its own */
	const struct hd_dinst *direct;	   /* by instruction, for those with a linear operand: the same on a register */
	const struct hd_code_facts *facts; /* of each instruction, where somebody asks for them; NULL: none */
	const struct hd_claim *claims;	   /* the same */
	bool there;	/* its instructions are in hd_program.code: others wait until a kernel that may come to them is
			   asked for */
	bool *verified; /* of each instruction: --verify has checked it at least once; NULL: off, or no metadata */
};

/* All code that is loaded. It grows by modules; nothing moves while a grid runs. A module's functions have their places
 * from the start, with or without code in them (demand.c). */
struct hd_program {
	HD_VEC(struct hd_dinst) code;
	uint32_t there; /* instructions that were ever put in their places */
	HD_VEC(struct hd_pfunction) functions;
	bool fetches; /* some instruction is a texture fetch */
};

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

struct hd_warp {
	/* Every instruction: together, for with thousands of warps each line of them is one that the host's caches do
	 * not hold. */
	uint32_t (*regs)[HD_WARP_LANES]; /* regs[r][lane]; regs[-1] reads zero, regs[-2] takes what RZ is given */
	uint32_t preds[8];		 /* lane masks; [7] PT is all ones */
	uint32_t pc, active;		 /* of the top SIMT entry, cached */
	uint32_t issued_pc;		 /* under options.blame: of its last instruction; HD_PC_NONE before that */
	struct hd_cta *cta;
	HD_VEC(struct hd_simt) stack;
	struct hd_regfile *regfile; /* that its registers are in */
	uint32_t id;		    /* in hd_sm.warps: what it is known by, whatever slot it is in */
	uint32_t slot;		    /* warp slot of the SM, whose scheduler is slot % schedulers; HD_NO_SLOT: in none */
	uint8_t state;		    /* enum hd_warp_state */
	uint8_t wait_reason;	    /* enum hd_stall while next_issue > now or the scoreboard blocks */
	bool reordered;		    /* a path that spun made way for another one (yield.c) */
	bool fence_wait;
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
	uint32_t index;		  /* warp in its CTA */
	struct hd_shadow *shadow; /* what --verify keeps of this warp (verify.c), from one warp to the next in a slot */
	struct hd_hazard missed;  /* results under way of loads that missed L1, where the scheduler looks at that */
	struct hd_hazard loaded;  /* by loads, and not used yet, where policies look at that (loads.c) */
	uint64_t access_at;	  /* cycle at which the last of the late memory instructions has its operands */
	uint64_t eligible_at;	  /* two-level: since when it may come into the active set */
	uint64_t active_at;	  /* two-level: from when on it may issue, when it was last taken into the active set */
	uint32_t stream_pc, stream_lanes, stream_cycles;
	uint32_t range_writes; /* writes of its grid's range under way */
	struct hd_forward forward;
	struct hd_copies copies;
	struct hd_flights *in_flight; /* what --verify keeps of it under core = modern (verify_control.c) */
	uint8_t *policy_space;	      /* of hd_gpu.policy_bytes.warp; hd_policy_warp */
	struct hd_twin *twin;	      /* the original code beside a linear version, under --verify (twin.c) */
	struct warp_forms *forms;     /* redundancy.c's */
};

struct hd_cta {
	struct hd_grid *grid;
	struct hd_sm *sm;
	uint32_t index[3], linear;
	uint8_t *shared;	/* functional contents */
	uint32_t shared_offset; /* in the SM's shared memory, for bank timing */
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
	struct block_seen *seen;	   /* redundancy.c's */
	struct hd_ways *ways;		   /* verify_affine.c's, of the launch ways_grid - 1 */
	uint64_t ways_grid;
	bool used;
	uint8_t away;		 /* HD_PART_SLOT, HD_PART_SHARED: what it has not got (hd_cta_suspend) */
	bool sent;		 /* it is to go to another SM (hd_cta_send) */
	bool killed;		 /* hd_cta_kill; `used` until its last warp has gone */
	uint32_t killed_warps;	 /* of its warps, those that have not gone yet */
	uint32_t registers_away; /* its warps without a place in the register file */
	uint8_t *policy_space;	 /* hd_policy_cta */
};

/* Grids that the SMs can have warps of at a time, as many as compute capability 3.0 to 6.0 and most later ones have. */
#define HD_MAX_GRIDS 32
#define HD_MAX_ENERGY 16 /* kinds of events of policies that take energy */
#define HD_MAX_SETTINGS 64 /* of all policies */

struct hd_launch_record;

/* A kernel launch that waits for its turn or runs (grids.c). */
struct hd_grid {
	const struct hd_kernel *kernel;
	uint64_t stream;		 /* grids of one run one after the other */
	int priority;			 /* the smaller number goes first, as in CUDA */
	bool running;			 /* its blocks are dispatched */
	uint8_t slot;			 /* while it runs: its place in hd_sm.grids */
	bool in_a_row;			 /* as hd_launch's */
	uint64_t started, dispatch_from; /* cycles: it got its turn; its first block may start */
	bool shared;			 /* others have been running beside it */
	struct hd_launch_record *record; /* from its turn on */
	struct hd_stats before;		 /* all counters when it got its turn */
	struct hd_stats ended_before;	 /* of these, in gpu->stats */
	struct hd_counters slot_before;	 /* and those of its slot, where slot_known */
	bool slot_known;
	struct hd_occupancy fit; /* of the original code, on an SM of its own */
	uint32_t grid[3], block[3];
	uint32_t block_threads, block_warps;
	uint64_t cta_total, cta_next, cta_done;
	HD_VEC(uint64_t) requeued;	/* CTAs that were killed: they come before cta_next, in this order */
	uint64_t cta_stop;		/* no block from here on begins with time (sampling_blocks.c); 0: all do */
	bool cooperative;		/* its blocks wait for each other: every warp must be able to run */
	uint32_t cta_share;		/* of its blocks, spread over all SMs, the most on one */
	uint32_t function, entry;	/* in hd_program.functions; pc */
	struct hd_linear_state *linear; /* the launch runs the kernel's linear version; else NULL */
	uint32_t registers;		/* a thread, as allocated by the hardware model */
	uint32_t register_rows;		/* rows of hd_warp.regs: no loaded function names a register beyond */
	uint32_t local_bytes;		/* a thread, multiple of 16 */
	uint32_t shared_bytes;		/* static + dynamic */
	uint8_t *constants;		/* bank 0, HD_CB_BYTES */
	uint32_t dynamic_shared;
	uint64_t id;
	uint64_t ticket;		  /* id of its first launch */
	uint32_t stack_bytes;		  /* as hd_launch's */
	bool mute;			  /* what it prints is not wanted */
	int error;			  /* enum hd_sim_error of the first fault */
	struct hd_claims *claims;	  /* verify_affine.c's */
	uint8_t *policy_space;		  /* hd_policy_grid */
	struct hd_words_read *words_read; /* --verify of idempotence (verify_memory.c); NULL: none yet */
};

struct hd_kernel {
	struct hd_module *module;
	uint32_t function; /* in hd_program.functions */
	const struct hd_meta_function *meta;
	uint32_t looked_at; /* instructions that were there when window.c looked, and whether it may print or malloc */
	bool serves;
};

/* What an executed instruction means for timing; filled by hd_warp_execute. */
enum hd_event {
	HD_EVENT_NONE,
	HD_EVENT_MEMORY,
	HD_EVENT_BARRIER,
	HD_EVENT_BRANCH,
	HD_EVENT_CALL,
	HD_EVENT_RETURN,
	HD_EVENT_EXIT,
	HD_EVENT_FENCE,
	HD_EVENT_FAULT
};
struct hd_effect {
	uint8_t event;
	uint8_t space;	 /* HD_EVENT_MEMORY: enum hd_mem_space; generic accesses are resolved. Mixed generic
			    accesses report global with the shared/local lanes in `elsewhere`. */
	uint8_t pattern; /* of `address`: enum hd_mem_pattern */
	bool diverged, all_returned, warp_done;
	bool yielded;  /* another path of the warp is on top; behind convergent instructions nothing was executed */
	uint32_t mask; /* lanes that executed (guard applied) */
	uint32_t elsewhere; /* HD_EVENT_MEMORY: lanes that executed and are not in `mask`, since they accessed another
			       space; their accesses cost nothing */
	uint32_t callee;    /* HD_EVENT_CALL: function index */
	/* HD_EVENT_MEMORY: as struct hd_mem_request wants them. A memory instruction that no lane executes, and LDC
	 * (fixed latency), report HD_EVENT_NONE. */
	uint64_t address[HD_WARP_LANES];
	/* Asynchronous copies: where each lane's bytes go, in the SM's shared memory; `elsewhere` are the lanes that
	 * put zeros there. */
	uint64_t to[HD_WARP_LANES];
};

/* All lanes that executed. */
static inline uint32_t hd_effect_lanes(const struct hd_effect *effect)
{
	return effect->mask | effect->elsewhere;
}

/* A range of device addresses that lies in one allocation; void once the memory's epoch has moved on. */
struct hd_devrange {
	uint64_t low, high, epoch;
	uintptr_t host; /* to be added for the host's addresses */
};

/* The texels that a fetch of a warp touches, lane after lane, in the order in which each lane needs them: at most eight
 * of two levels. */
enum { HD_MAX_TEXELS = 16 * HD_WARP_LANES };
struct hd_texels {
	uint32_t count;
	uint32_t bytes;	     /* of the largest */
	uint32_t most_words; /* that one lane reads */
	uint64_t address[HD_MAX_TEXELS];
};

struct hd_later;

/* Context of the functional executor: one for each SM. Zeroed, with `gpu` and `now` set, it is ready; kept from one
 * instruction to the next. */
struct hd_exec {
	struct hd_gpu *gpu;
	struct hd_texels *texels; /* those of the last fetch; NULL: nobody wants to know */
	struct hd_later *later;	  /* what is done to global memory waits there (later.h); NULL: it is done at once */
	struct hd_warp *warp;
	uint32_t mask;
	struct hd_effect *effect;
	uint64_t now;
	bool fault;
	bool stays; /* with `fault`: there is none, but the warp is not to go on to the next instruction (meet.c) */
	struct hd_devrange ranges[16];	/* recently used allocations, by pc */
	uint64_t offset[HD_WARP_LANES]; /* host offsets of an access where they differ from effect->address */
};

/*
 * Executes the instruction at warp->pc for the active lanes and advances pc and SIMT stack (reconvergence included).
 * A fault (bad address, trap, bad call, stack overflow) reports through hd_gpu_fault with place, block and thread, sets
 * HD_EVENT_FAULT and leaves the warp where it is. Barriers: only fills the effect; the timing core parks and releases.
 */
void hd_warp_execute(struct hd_exec *exec, struct hd_warp *warp, struct hd_effect *effect);
/* Result of a BAR.RED for a warp that is being released: writes dst/pdst of the BAR instruction at `pc`. */
void hd_warp_barrier_result(struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint32_t count,
			    uint32_t total);
/*
 * Sets up functional state for a warp of a CTA: registers zero, stack with one entry at grid->entry, live lanes, tid.
 * The dispatcher has set regs (grid->register_rows rows and the two below), local, local_base, slot and cta->shared,
 * and owns that memory; warp->stack keeps its storage from one warp to the next in a slot.
 */
void hd_warp_start(struct hd_warp *warp, struct hd_cta *cta, uint32_t index);
/* Frees what hd_warp_start and execution allocated: stack and shadow. */
void hd_warp_release(struct hd_warp *warp);

/* Program: decode, link and resolve a module's object, as far as somebody looks at all of it; unload leaves holes that
 * are never executed. */
int hd_program_load(struct hd_gpu *gpu, struct hd_module *module);
/* The kernel of that name, with all that it may come to in its place. NULL: there is none, or it was refused, which has
 * been reported. */
struct hd_kernel *hd_program_kernel(struct hd_module *module, const char *name);
/* "kernel foo, file.cu:12, block (1,0,0), thread (5,0,0)" for messages. */
HD_API void hd_describe_place(const struct hd_gpu *gpu, const struct hd_warp *warp, uint32_t pc, uint32_t lane,
			      char *text, size_t size);
HD_API void hd_gpu_fault(struct hd_gpu *gpu, struct hd_warp *warp, uint32_t pc, uint32_t lane, int error,
			 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* A loaded object. */
struct hd_module {
	struct hd_gpu *gpu;
	struct hd_arena arena;
	struct hd_object object;
	const char *name;
	uint32_t first_function; /* in hd_program.functions */
	uint32_t first_linear;	 /* there too: bodies of linear versions, in the object's order */
	uint32_t *functions;	 /* by function of the metadata: 1 + the object's, 0 none */
	struct hd_spins *spins;	 /* of its functions that are there */
	struct hd_kernel *kernels;
	uint32_t kernel_count;
	uint64_t data_address, rodata_address, bss_address; /* device addresses */
	uint64_t code_shift;				    /* of the addresses of its functions as data */
	const struct hd_sim_place *at;			    /* while it is loaded: where it is to be; NULL: anywhere */
	uint64_t *placed; /* by symbol: where a managed variable is, 0: in its section. NULL: there are none */
	struct hd_module *next;
};

/* Functional device memory (devmem.c): one reserved host range; sorted allocations. */
struct hd_devmem;
struct hd_devmem *hd_devmem_new(uint64_t bytes);
/* The same with another lowest address, a multiple of the page. */
struct hd_devmem *hd_devmem_new_at(uint64_t base, uint64_t bytes);
void hd_devmem_free(struct hd_devmem *memory);
int hd_devmem_alloc(struct hd_devmem *memory, uint64_t bytes, uint64_t align, uint64_t *address);
/* An allocation at this address: HD_SIM_NO_MEMORY where something is there already, or it cannot be one. */
int hd_devmem_place(struct hd_devmem *memory, uint64_t address, uint64_t bytes);
int hd_devmem_release(struct hd_devmem *memory, uint64_t address);
/* Host pointer for [address, +bytes) if it lies in one allocation, else NULL. */
void *hd_devmem_at(const struct hd_devmem *memory, uint64_t address, uint64_t bytes);
uint64_t hd_devmem_free_bytes(const struct hd_devmem *memory);

/* Loads beside allocations at one place. */
struct hd_outside {
	uint32_t pc;
	uint64_t count; /* in the launch that showed it */
	bool told;
};

/* Of the register files of each SM: in one place, which stays in the host's cache while the SMs take turns. */
struct hd_bank_shape {
	bool modern;			  /* no collectors: modern.c */
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
	struct hd_progress progress;
	uint64_t grids_launched;
	uint64_t corun_end;  /* of the co-run that is going on (corun.c); UINT64_MAX */
	uint64_t corun_next; /* cycle in which its next kernel comes; UINT64_MAX: none waits for that */
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
	bool moves;			  /* some policy moves warps or blocks */
	uint32_t spare_warps, spare_ctas; /* the most that a policy wants */
	uint32_t stages;		  /* that policies add between issue and execution */
	uint8_t *policy_space;		  /* hd_policy_gpu */
	struct hd_stats stats;		  /* of finished launches; SM and memory statistics are summed at snapshot */
	char error_text[1024];
	int error;			   /* sticky within a launch */
	volatile sig_atomic_t interrupted; /* the signal that ends the launch; 0: none */
	bool verify;
	struct hd_profile_count *profile; /* of each instruction of the program, under options.profile (profile.c) */
	uint32_t profile_count;
	uint64_t *blame;		   /* [1 + instruction][enum hd_stall], under options.blame (blame.c) */
	uint32_t blame_count;		   /* of instructions */
	struct hd_redundancy *redundancy;  /* under options.ideal (redundancy.c) */
	struct hd_probe *probe;		   /* while it is found out whether the grid can go on (probe.c); else NULL */
	HD_VEC(struct hd_outside) outside; /* under options.warn_outside (fault.c) */
	struct hd_check *check;		   /* under options.check (check.c); else NULL */
	struct hd_functional *functional;  /* under options.functional, and while sampling leaves time out; NULL: with
					      timing */
	struct hd_sampling *sampling;	   /* under options.sampling; else NULL */
	struct hd_checkpoint *checkpoint;  /* under options.checkpoint and options.resume; else NULL */
	bool every_cycle;		   /* debugging: visit every cycle; the figures must not change */
	uint32_t trace;			   /* enum hd_trace_stream, a bit each; 0 while outside the window */
	uint32_t trace_streams;		   /* what the option asked for */
	uint64_t trace_from, trace_to;
};

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

#endif
