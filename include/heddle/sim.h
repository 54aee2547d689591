/*
 * The simulator's interface, as libheddle-cudart and the tools use it. One struct hd_sim is one GPU with one policy.
 * Calls return 0, or a negative enum hd_sim_error with the details in hd_sim_error_text and reported through diag.
 */
#ifndef HEDDLE_SIM_H
#define HEDDLE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heddle/metadata.h"
#include "heddle/object.h"
#include "heddle/stats.h"
#include "lib/api.h"
#include "lib/diag.h"

struct hd_config;

enum hd_sim_error {
	HD_SIM_OK = 0,
	HD_SIM_BAD_OBJECT = -1,
	HD_SIM_BAD_LAUNCH = -2,	 /* a grid or a block that the GPU or the kernel does not take */
	HD_SIM_BAD_ADDRESS = -3, /* access outside an allocation */
	HD_SIM_MISALIGNED = -4,
	HD_SIM_TRAP = -5,
	HD_SIM_ASSERT = -6,
	HD_SIM_TIMEOUT = -7, /* --max-cycles, or no progress for as long as --watchdog says */
	HD_SIM_NO_MEMORY = -8,
	HD_SIM_NOT_FOUND = -9,
	HD_SIM_STACK_OVERFLOW = -10,
	HD_SIM_BAD_CALL = -11,	 /* an indirect call to something that is no function */
	HD_SIM_VERIFY = -12,	 /* --verify found an annotation that does not hold */
	HD_SIM_TOO_LARGE = -13,	 /* a cooperative grid of which not all blocks can be resident together */
	HD_SIM_CHECKPOINT = -14, /* the program does not do what it did before the checkpoint that it goes on from */
	HD_SIM_TOO_MUCH_SHARED = -15,	/* a launch with more shared memory than a block may have */
	HD_SIM_TOO_MANY_REGISTERS = -16 /* a launch of a block whose registers do not fit */
};

/* More than the longest sleep (NANOSLEEP, a millisecond); no working kernel waits a tenth of this for anything else. */
#define HD_SIM_WATCHDOG_CYCLES UINT64_C(2000000)
/* Stack for calls of unknown depth, in bytes of a thread: frames here are not ptxas's, so more than a card's 1,024. */
#define HD_SIM_STACK_BYTES 16384u

/* What --check looks for, a bit each in the order of checks.def. */
enum {
#define HD_CHECK(name, option, help) HD_CHECK_INDEX_##name,
#include "heddle/checks.def"
#undef HD_CHECK
	HD_CHECK_RACE = 1 << HD_CHECK_INDEX_race,
	HD_CHECK_INIT = 1 << HD_CHECK_INDEX_init,
	HD_CHECK_SYNC = 1 << HD_CHECK_INDEX_sync,
	HD_CHECK_LEAK = 1 << HD_CHECK_INDEX_leak,
	HD_CHECK_RACE_GLOBAL = 1 << HD_CHECK_INDEX_race_global
};

struct hd_sim;
struct hd_module;
struct hd_kernel;

struct hd_sim_options {
	const struct hd_config *config;
	const char *policy; /* "baseline", "cars+malekeh", ... */
	bool verify;
	bool functional; /* no timing: results and faults, counts of instructions, no cycles (runtime/sim/functional.h)
			  */
	uint64_t max_cycles; /* a launch; 0: no limit beside the watchdog's */
	uint64_t watchdog; /* cycles without progress before a launch is stopped; 0: HD_SIM_WATCHDOG_CYCLES; UINT64_MAX:
			      it never is */
	bool dump_state;   /* when a launch is stopped for that, or for max_cycles: the state of every unit on stderr */
	uint32_t stack_bytes; /* local memory a thread gets for calls whose depth is not known (recursion); 0:
				 HD_SIM_STACK_BYTES */
	uint64_t heap_bytes;  /* device malloc; 0: default 8 MB */
	bool profile;	      /* count executions of each instruction: the key `profile` of the statistics */
	bool blame;	      /* count issue slots by instruction: the key `slots`; needs timing */
	bool ideal;	      /* count what the ideal machines of R2D2's Figure 4 would not execute: counters ideal_* */
	bool warn_outside;    /* loads a little outside an allocation warn, as hardware lets them pass; else faults */
	uint32_t check;	      /* HD_CHECK_*: mistakes of the program to look for; 0: none */
	uint64_t corun_cycles; /* grids that are on their way together are launched again for so long; 0: not */
	uint64_t corun_apart;  /* each of them comes so many cycles after the one before */
	uint64_t sample;       /* cycles; counters of each such interval of a launch: its key `samples`; 0: none */
	double sampling;  /* simulate a part of the launches, so that each kind's mean cycles are known to this share of
			     them (runtime/sim/sampling.h); 0: all */
	uint32_t threads; /* of the host, at most one an SM: results do not depend on it; 0: one */
	uint64_t device_base;	/* the lowest address of device memory; 0: the default */
	uint64_t device_bytes;	/* what device memory there is; 0: the configuration's */
	uint64_t code_shift;	/* of the addresses of functions as data */
	const char *recording;	/* file for what the device is given to do (lib/recording.h); NULL: none */
	bool corun_streams;	/* with corun_cycles: kernels are not launched again, who submits them does that, and
				   the figures are those of each kernel of a stream */
	FILE *progress;		/* a terminal for a line about launches that take longer than two seconds; NULL: none */
	const char *rehearsal;	/* file for what policies record in one run and read in another (hd_policy_rehearses) */
	const char *trace;	/* "issue,lsu@1000:1200"; NULL off */
	const char *checkpoint; /* file for a checkpoint (runtime/sim/checkpoint.h); NULL: none */
	uint64_t checkpoint_at; /* in this cycle, or the first after it that is looked at */
	const char *resume;	/* file of one, from which the program goes on; NULL: it begins */
	struct hd_diag *diag;
	/* Gets the statistics as records, a line of JSON each without its end (runtime/sim/report.c), as they come.
	 * Launches are then not kept, whatever their number; NULL: hd_sim_launch_stats and hd_sim_stats_json have them.
	 */
	void (*record)(void *context, const char *line);
	void *record_context;
};

/* What --sampling or HEDDLE_SAMPLING says, percents, as options.sampling; NULL: 0; "": the default. 0 or -1. */
int hd_sim_sampling_parse(const char *text, double *sampling, struct hd_diag *diag);
/* What --threads or HEDDLE_THREADS says as options.threads; NULL or "": the processors that this process may use. 0 or
 * -1. */
int hd_sim_threads_parse(const char *text, uint32_t *threads, struct hd_diag *diag);

int hd_sim_new(const struct hd_sim_options *options, struct hd_sim **sim);
void hd_sim_free(struct hd_sim *sim);
const char *
hd_sim_error_text(const struct hd_sim *sim); /* of the last failed call: kernel, source line, block, thread, address */

/* "race,init" as bits. 0 or -1 with an unknown name reported. */
int hd_sim_check_parse(const char *text, uint32_t *checks, struct hd_diag *diag);
/* Under options.check: at how many places something was found in the launches so far, each reported through diag at
 * the end of the launch that showed it first; and one line about all of them. */
uint32_t hd_sim_check_places(const struct hd_sim *sim);
/* The program is over: what only shows then is reported, too. */
void hd_sim_check_end(struct hd_sim *sim);
void hd_sim_check_summary(const struct hd_sim *sim, char *text, size_t size);

/* Loads and links an object (functions, globals with initial values). The bytes are copied. */
int hd_sim_load(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name, struct hd_module **module);
/* The same with managed variables placed where the host has them: the device reaches them there. */
struct hd_placement {
	const char *name;
	void *host; /* stays until the module is unloaded */
};
int hd_sim_load_placed(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name,
		       const struct hd_placement *placed, uint32_t count, struct hd_module **module);
/* The same with the sections, and the addresses of functions, at given places; those that are 0 are anywhere. */
struct hd_sim_place {
	uint64_t data, rodata, bss, code;
};
int hd_sim_load_at(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name,
		   const struct hd_sim_place *place, struct hd_module **module);
void hd_sim_unload(struct hd_sim *sim, struct hd_module *module);
const char *hd_sim_target(const struct hd_module *module);		      /* "sm_70": what it was compiled for */
struct hd_kernel *hd_sim_kernel(struct hd_module *module, const char *name);  /* NULL */
struct hd_kernel *hd_sim_kernel_at(struct hd_module *module, uint32_t index); /* NULL behind the last */
HD_API const struct hd_meta_function *hd_kernel_metadata(const struct hd_kernel *kernel);
HD_API const char *hd_kernel_name(const struct hd_kernel *kernel);
/* Address and size of a device variable. */
int hd_sim_symbol(struct hd_module *module, const char *name, uint64_t *address, uint64_t *size);

/* Device memory. Addresses are simulated; every access is checked against the allocations. */
int hd_sim_malloc(struct hd_sim *sim, uint64_t bytes, uint64_t *address); /* 256-byte aligned */
/* At this address: HD_SIM_NO_MEMORY where something is there already. */
int hd_sim_malloc_at(struct hd_sim *sim, uint64_t address, uint64_t bytes);
int hd_sim_free_memory(struct hd_sim *sim, uint64_t address);
int hd_sim_write(struct hd_sim *sim, uint64_t address, const void *from, uint64_t bytes);
int hd_sim_read(struct hd_sim *sim, uint64_t address, void *to, uint64_t bytes);
int hd_sim_set(struct hd_sim *sim, uint64_t address, uint8_t value, uint64_t bytes);
int hd_sim_copy(struct hd_sim *sim, uint64_t to, uint64_t from, uint64_t bytes);
/* Host memory that the device reaches under its own address, until it is dropped. HD_SIM_NO_MEMORY: it cannot. */
int hd_sim_adopt(struct hd_sim *sim, void *host, uint64_t bytes);
int hd_sim_drop(struct hd_sim *sim, void *host);
bool hd_sim_owns(const struct hd_sim *sim, uint64_t address);	   /* inside an allocation or module variable */
bool hd_sim_is_device(const struct hd_sim *sim, uint64_t address); /* among the device's addresses, allocated or not */
/* The allocation or section around an address; false: there is none. */
bool hd_sim_allocation(const struct hd_sim *sim, uint64_t address, uint64_t *low, uint64_t *high);
/* Host pointer to device memory that stays valid until freed (managed and mapped memory), and the address itself where
 * the host's program can have that; what is not asked for so is out of its reach. NULL when not in one allocation. */
void *hd_sim_host_pointer(struct hd_sim *sim, uint64_t address, uint64_t bytes);
bool hd_sim_is_host_visible(const struct hd_sim *sim, uint64_t address); /* under this very address */
/* For a host program's fault at an address of the device: what is there, in words. False: no address of the device.
 * Async-signal-safe but for what snprintf does with integers. */
bool hd_sim_describe_address(const struct hd_sim *sim, uint64_t address, char *text, size_t size);
uint64_t hd_sim_free_bytes(const struct hd_sim *sim);

struct hd_launch {
	struct hd_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	bool shared_limited; /* to this much, whatever the card has: the program has not asked for more */
	uint32_t most_dynamic_shared;
	bool cooperative;   /* all blocks are resident together and may wait for each other, under every policy */
	const void *params; /* laid out as the kernel's metadata says; copied */
	uint32_t param_bytes;
	uint64_t
		stream; /* grids of one stream run in the order of their submission, those of different ones together */
	int priority;	/* the smaller number's blocks get a place first, as in CUDA */
	bool in_a_row;	/* behind another launch, and nobody waited in between (launch_overhead) */
	uint32_t stack_bytes; /* as the simulator's option, for this launch; 0: that */
	bool mute;	      /* what it prints is not wanted */
};

/*
 * Puts a grid on its way. It makes progress, as all do that are on their way, while somebody waits for one; its faults
 * are told by who waits. `ticket` names it. A launch that cannot be run is refused here.
 */
int hd_sim_submit(struct hd_sim *sim, const struct hd_launch *launch, uint64_t *ticket);
/* Whether it would be refused, and told; nothing else. */
int hd_sim_check(struct hd_sim *sim, const struct hd_launch *launch);
bool hd_sim_finished(const struct hd_sim *sim, uint64_t ticket);
bool hd_sim_working(const struct hd_sim *sim);	  /* some grid is on its way */
bool hd_sim_corun_over(const struct hd_sim *sim); /* its cycles have passed */
/* Runs until a grid has ended (device printf goes to stdout). A fault ends all that are on their way. */
int hd_sim_step(struct hd_sim *sim);
/* The same until this one has, or all have: 0, or the first error on the way there. */
int hd_sim_wait(struct hd_sim *sim, uint64_t ticket);
int hd_sim_wait_all(struct hd_sim *sim);
/* hd_sim_submit and hd_sim_wait. */
int hd_sim_launch(struct hd_sim *sim, const struct hd_launch *launch);
/* For signal handlers: ends the launch that is running, which says where it was; false: none is, or it is ending
 * already, or `sim` is NULL. And the signal that ended it, 0: none did. */
bool hd_sim_interrupt(struct hd_sim *sim, int signal);
int hd_sim_interrupted(const struct hd_sim *sim);
uint64_t hd_sim_cycles(const struct hd_sim *sim); /* simulated core cycles so far: the clock of events */

/* Statistics. */
struct hd_launch_stats {
	const char *kernel; /* demangled */
	const char *file;   /* its place in the source; NULL: not known */
	uint32_t line;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	uint32_t resident_ctas; /* an SM, by hd_occupancy_compute */
	uint64_t stream, start; /* start: simulated core cycle at which it got its turn */
	bool shared;		/* others ran beside it: counters are its own, of stalls there is `issued` alone */
	const char *limiter;
	struct hd_stats stats;
};
uint32_t hd_sim_launch_count(const struct hd_sim *sim);
const struct hd_launch_stats *hd_sim_launch_stats(const struct hd_sim *sim, uint32_t index);
void hd_sim_total(const struct hd_sim *sim, struct hd_stats *total);
/* The JSON document of `heddle run --stats` (docs/architecture.md, Statistics): gpu, policy, config, host, total,
 * launches. malloc'ed. */
char *hd_sim_stats_json(const struct hd_sim *sim);
/* The program ends: says that no checkpoint was written. 0, or -1 when one could not be written, or the program did not
 * come to the one that it was to go on from, which is reported. */
int hd_sim_checkpoint_end(struct hd_sim *sim);
/* Whether a file is a checkpoint, whole and undamaged: 0, or -1 with what is wrong reported. */
int hd_sim_checkpoint_check(const char *path, struct hd_diag *diag);
/* The last of the records: the program ends in good order. */
void hd_sim_record_end(const struct hd_sim *sim);

/* Most resident CTAs of a kernel on one SM: of a cooperative launch, which gets them under every policy. */
int hd_sim_occupancy(const struct hd_sim *sim, const struct hd_kernel *kernel, uint32_t block_threads,
		     uint32_t dynamic_shared, uint32_t *ctas);

#endif
