/*
 * The simulator's interface, used by libheddle-cudart and the tools. A struct hd_sim is one GPU with one policy.
 * Functions return 0, or a negative enum hd_sim_error after reporting the error through diag; hd_sim_error_text has
 * the details.
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
	HD_SIM_BAD_LAUNCH = -2,	 /* grid or block size that the GPU or the kernel does not allow */
	HD_SIM_BAD_ADDRESS = -3, /* access outside an allocation */
	HD_SIM_MISALIGNED = -4,
	HD_SIM_TRAP = -5,
	HD_SIM_ASSERT = -6,
	HD_SIM_TIMEOUT = -7, /* --max-cycles, or no progress for --watchdog cycles */
	HD_SIM_NO_MEMORY = -8,
	HD_SIM_NOT_FOUND = -9,
	HD_SIM_STACK_OVERFLOW = -10,
	HD_SIM_BAD_CALL = -11,		 /* an indirect call of an address that is no function */
	HD_SIM_VERIFY = -12,		 /* --verify found a wrong annotation */
	HD_SIM_TOO_LARGE = -13,		 /* a cooperative grid whose blocks cannot all be resident */
	HD_SIM_CHECKPOINT = -14,	 /* the program differs from its run before the checkpoint */
	HD_SIM_TOO_MUCH_SHARED = -15,	 /* a launch with more shared memory than a block can have */
	HD_SIM_TOO_MANY_REGISTERS = -16, /* a launch of a block whose registers exceed the SM's */
	HD_SIM_WRONG_TARGET = -17,	 /* a launch of code for one other architecture alone (sm_90a) */
	HD_SIM_BAD_CLUSTER = -18	 /* a cluster that the GPU, the grid or the kernel does not allow */
};

/* Longer than the longest sleep (NANOSLEEP, a millisecond); other waits of working kernels take less than a tenth
 * of it. */
#define HD_SIM_WATCHDOG_CYCLES UINT64_C(2000000)
/* Stack for calls of unknown depth, in bytes of a thread: frames here are not ptxas's, so more than a card's 1,024. */
#define HD_SIM_STACK_BYTES 16384u

/* Kinds of errors for --check, one bit each in the order of checks.def. */
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

#define HD_CORUN_FIRST_STREAM 1

struct hd_sim_options {
	const struct hd_config *config;
	const char *policy; /* "baseline", "cars+malekeh", ... */
	bool verify;
	bool functional;      /* no timing (runtime/gpu/functional.h) */
	uint64_t max_cycles;  /* limit per launch; 0: none (the watchdog still applies) */
	uint64_t watchdog;    /* cycles without progress after which a launch is stopped; 0: HD_SIM_WATCHDOG_CYCLES;
				 UINT64_MAX: never */
	bool dump_state;      /* when watchdog or max_cycles stop a launch, print the state of every unit on stderr */
	uint32_t stack_bytes; /* local memory per thread for calls of unknown depth (recursion); 0:
				 HD_SIM_STACK_BYTES */
	uint64_t heap_bytes;  /* size of the device malloc heap; 0: 8 MB */
	bool profile;	      /* count executions of each instruction (statistics: `profile`) */
	bool blame;	      /* count issue slots by instruction (statistics: `slots`); needs timing */
	bool ideal;	      /* count instructions that R2D2's ideal machines (Figure 4) skip: counters ideal_* */
	bool warn_outside;    /* warn about loads slightly past an allocation, which hardware tolerates; false: fault */
	uint32_t check;	      /* HD_CHECK_*: errors to look for; 0: none */
	uint64_t corun_cycles; /* relaunch concurrent grids until this many cycles have passed; 0: no */
	uint64_t corun_apart;  /* start each of them this many cycles after the previous one */
	uint64_t sample;       /* record counters at this interval of cycles (launch key `samples`); 0: no */
	double sampling;       /* sampled simulation: requested error of mean cycles, as a share; 0: time everything */
	uint32_t threads;      /* host threads, at most one per SM; results do not depend on it; 0: one */
	uint64_t device_base;  /* lowest address of device memory; 0: default */
	uint64_t device_bytes; /* size of device memory; 0: from the configuration */
	uint64_t code_shift;   /* offset of function addresses */
	const char *recording; /* file for a recording of the device's work (lib/recording.h); NULL: none */
	bool corun_streams;    /* the caller relaunches kernels of programs, whose streams are numbered from
				  HD_CORUN_FIRST_STREAM on; with corun_cycles figures are per kernel of a stream */
	FILE *shares;	/* gets, at the end, what host threads would share of the work; NULL: nothing is measured */
	FILE *progress; /* terminal for a progress line of launches longer than two seconds; NULL: none */
	FILE *output;	/* gets what kernels print; NULL: stdout */
	const char *rehearsal;	       /* file that a policy writes in its first run and reads in its second
					  (hd_policy_rehearses) */
	const char *trace;	       /* "issue,lsu@1000:1200"; NULL: off */
	int trace_fd;		       /* descriptor that takes its lines; 0: standard error */
	const char *timeline, *kanata; /* files for Perfetto and for Konata; NULL: none */
	const char *timeline_name;     /* of the run in a timeline, so that several fit one file; NULL: none */
	const char *timeline_only;     /* what is in them (runtime/watch/timeline.h); NULL: the default */
	const char *checkpoint;	       /* file for a checkpoint (runtime/checkpoint/checkpoint.h); NULL: none */
	uint64_t checkpoint_at;	       /* cycle of the checkpoint, or the first possible one after it */
	const char *resume;	       /* checkpoint file to resume from; NULL: none */
	struct hd_diag *diag;
	/* Called for each record of the statistics, one line without its line end (runtime/sim/lines.c).
	 * Launches are then not stored. NULL: hd_sim_launch_stats and hd_sim_stats_json return them. */
	void (*record)(void *context, const char *line);
	void *record_context;
	bool unrecorded; /* nobody wants statistics: without `record`, launches are neither stored nor described */
};

/* Parses --sampling or HEDDLE_SAMPLING (percent) into options.sampling. NULL: 0; "": default. Returns 0 or -1. */
int hd_sim_sampling_parse(const char *text, double *sampling, struct hd_diag *diag);
/* Parses --threads or HEDDLE_THREADS into options.threads. NULL or "": the processors available to this process.
 * Returns 0 or -1. */
int hd_sim_threads_parse(const char *text, uint32_t *threads, struct hd_diag *diag);

int hd_sim_new(const struct hd_sim_options *options, struct hd_sim **sim);
void hd_sim_free(struct hd_sim *sim);
/* Writes the timelines; hd_sim_free() does so, too, but says nothing of errors. Launches behind it are not in them.
 * Returns 0, or -1 after reporting an error. */
int hd_sim_timeline_end(struct hd_sim *sim);
const char *hd_sim_error_text(
	const struct hd_sim *sim); /* details of the last failed call: kernel, source line, block, thread, address */

/* Parses "race,init" into bits. Returns 0, or -1 after reporting an unknown name. */
int hd_sim_check_parse(const char *text, uint32_t *checks, struct hd_diag *diag);
/* With options.check: returns the number of places with findings so far. Each is reported through diag at the end
 * of the first launch that shows it. */
uint32_t hd_sim_check_places(const struct hd_sim *sim);
/* Call when the program has ended; reports findings that only show then. */
void hd_sim_check_end(struct hd_sim *sim);
void hd_sim_check_summary(const struct hd_sim *sim, char *text, size_t size);

/* Loads and links an object (functions, globals with initial values). Copies the bytes. */
int hd_sim_load(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name, struct hd_module **module);
/* Like hd_sim_load, with managed variables at host addresses, where the device accesses them. */
struct hd_placement {
	const char *name;
	void *host; /* must stay valid until the module is unloaded */
};
int hd_sim_load_placed(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name,
		       const struct hd_placement *placed, uint32_t count, struct hd_module **module);
/* Like hd_sim_load, with sections and function addresses at given places; 0: any place. */
struct hd_sim_place {
	uint64_t data, rodata, bss, code;
};
int hd_sim_load_at(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name,
		   const struct hd_sim_place *place, struct hd_module **module);
void hd_sim_unload(struct hd_sim *sim, struct hd_module *module);
const char *hd_sim_target(const struct hd_module *module); /* architecture it was compiled for, "sm_70" */
struct hd_kernel *hd_sim_kernel(struct hd_module *module, const char *name);  /* NULL if there is none */
struct hd_kernel *hd_sim_kernel_at(struct hd_module *module, uint32_t index); /* NULL after the last */
HD_API const struct hd_meta_function *hd_kernel_metadata(const struct hd_kernel *kernel);
HD_API const char *hd_kernel_name(const struct hd_kernel *kernel);
HD_API const char *hd_kernel_target(const struct hd_kernel *kernel); /* that of its module */
/* Sets address and size of a device variable. */
int hd_sim_symbol(struct hd_module *module, const char *name, uint64_t *address, uint64_t *size);

/* Device memory. Addresses are simulated; every access is checked against the allocations. */
int hd_sim_malloc(struct hd_sim *sim, uint64_t bytes, uint64_t *address); /* aligned to 256 bytes */
/* Allocates at this address. HD_SIM_NO_MEMORY if it is in use. */
int hd_sim_malloc_at(struct hd_sim *sim, uint64_t address, uint64_t bytes);
int hd_sim_free_memory(struct hd_sim *sim, uint64_t address);
/* Frees all allocations and the heap of kernels, and gives variables of modules their first values. Nothing may be
 * running; adopted memory stays. */
void hd_sim_reset_memory(struct hd_sim *sim);
/* An allocation is gone, but keeps its addresses; and is there again, with its size, uninitialised. */
int hd_sim_hide_memory(struct hd_sim *sim, uint64_t address);
void hd_sim_show_memory(struct hd_sim *sim, uint64_t address, uint64_t bytes);
int hd_sim_write(struct hd_sim *sim, uint64_t address, const void *from, uint64_t bytes);
int hd_sim_read(struct hd_sim *sim, uint64_t address, void *to, uint64_t bytes);
int hd_sim_set(struct hd_sim *sim, uint64_t address, uint8_t value, uint64_t bytes);
int hd_sim_copy(struct hd_sim *sim, uint64_t to, uint64_t from, uint64_t bytes);
/* Makes host memory accessible to the device at its own address, until hd_sim_drop. HD_SIM_NO_MEMORY if that is
 * impossible. */
int hd_sim_adopt(struct hd_sim *sim, void *host, uint64_t bytes);
int hd_sim_drop(struct hd_sim *sim, void *host);
/* Device memory without an address: a file in the host's memory, for the caller to map where hd_sim_adopt is to show it
 * to the device. The file's size is sealed. HD_SIM_NO_MEMORY: errno says why, ENOMEM where so many bytes are not free.
 * hd_sim_free_pages closes the file. */
#define HD_SIM_PAGES_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW)
int hd_sim_malloc_pages(struct hd_sim *sim, uint64_t bytes, int *file);
void hd_sim_free_pages(struct hd_sim *sim, uint64_t bytes, int file);
bool hd_sim_owns(const struct hd_sim *sim,
		 uint64_t address); /* the address is inside an allocation or module variable */
bool hd_sim_is_device(const struct hd_sim *sim,
		      uint64_t address); /* the address is a device address, allocated or not */
/* Sets the bounds of the allocation or section around an address. Returns false if there is none. */
bool hd_sim_allocation(const struct hd_sim *sim, uint64_t address, uint64_t *low, uint64_t *high);
/* Returns a host pointer to device memory, valid until it is freed (managed and mapped memory). It equals the
 * address if the host can map that. Other device memory is not accessible to the host. NULL if the range is not
 * within one allocation. */
void *hd_sim_host_pointer(struct hd_sim *sim, uint64_t address, uint64_t bytes);
bool hd_sim_is_host_visible(const struct hd_sim *sim, uint64_t address); /* accessible to the host at this address */
/* For a host fault at a device address: describes what is there. Returns false if it is no device address.
 * Async-signal-safe, except for snprintf of integers. */
bool hd_sim_describe_address(const struct hd_sim *sim, uint64_t address, char *text, size_t size);
uint64_t hd_sim_free_bytes(const struct hd_sim *sim);

struct hd_launch {
	struct hd_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	bool shared_limited; /* limit dynamic shared memory to most_dynamic_shared; the program has not requested more
			      */
	uint32_t most_dynamic_shared;
	uint32_t cluster[3]; /* blocks of a cluster; 0: what the kernel asks for (its metadata), or none */
	bool large_clusters; /* of more than eight blocks are allowed */
	bool balanced;	     /* blocks of a cluster may share an SM although there are others */
	bool cooperative;    /* all blocks must be resident and may wait for each other, under every policy */
	const void *params;  /* laid out by the kernel's metadata; copied */
	uint32_t param_bytes;
	uint64_t stream;   /* grids of one stream run in order of submission, those of different streams concurrently */
	int priority;	   /* blocks with the smaller number are placed first, as in CUDA */
	uint64_t earliest; /* cycle before which it does not begin, if that is still to come */
	bool programmatic; /* may begin when each block of the grid before it in its stream allows that or has ended
			      (griddepcontrol) */
	bool in_a_row;	   /* follows another launch without a wait in between (launch_overhead) */
	uint32_t stack_bytes; /* as options.stack_bytes, for this launch; 0: that value */
	bool mute;	      /* discard its output */
};

/*
 * Submits a grid; `ticket` identifies it. Grids in flight make progress while a caller waits for one; that call
 * returns their faults. Refuses a launch that cannot run.
 */
int hd_sim_submit(struct hd_sim *sim, const struct hd_launch *launch, uint64_t *ticket);
/* Checks a launch as hd_sim_submit does, and reports the error; does nothing else. */
int hd_sim_check(struct hd_sim *sim, const struct hd_launch *launch);
bool hd_sim_finished(const struct hd_sim *sim, uint64_t ticket);
bool hd_sim_working(const struct hd_sim *sim);	  /* a grid is in flight */
bool hd_sim_corun_over(const struct hd_sim *sim); /* its cycles have passed */
/*
 * Runs until a grid has ended or another may begin beside it (programmatic; a co-run's), so that hd_sim_finished may be
 * true of none. Device printf goes to options.output. A fault ends all grids in flight.
 */
int hd_sim_step(struct hd_sim *sim);
/* Run until this grid, or all grids, have ended. Return 0, or the first error on the way. */
int hd_sim_wait(struct hd_sim *sim, uint64_t ticket);
int hd_sim_wait_all(struct hd_sim *sim);
/* hd_sim_submit followed by hd_sim_wait. */
int hd_sim_launch(struct hd_sim *sim, const struct hd_launch *launch);
/* For signal handlers. hd_sim_interrupt ends the running launch, which then reports where it was. Returns false if
 * no launch runs, it is already ending, or `sim` is NULL. hd_sim_interrupted returns the signal that ended it, or
 * 0. */
bool hd_sim_interrupt(struct hd_sim *sim, int signal);
int hd_sim_interrupted(const struct hd_sim *sim);
uint64_t hd_sim_cycles(const struct hd_sim *sim); /* simulated core cycles so far: the time of events */

/* Statistics. */
struct hd_launch_stats {
	const char *kernel; /* demangled */
	const char *file;   /* source place; NULL: unknown */
	uint32_t line;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	uint32_t resident_ctas; /* per SM, by hd_occupancy_compute */
	uint64_t stream, start; /* start: simulated core cycle at which it became active */
	bool shared;		/* ran concurrently with others: counters are its own; of stalls only `issued` is */
	const char *limiter;
	struct hd_stats stats;
};
uint32_t hd_sim_launch_count(const struct hd_sim *sim);
const struct hd_launch_stats *hd_sim_launch_stats(const struct hd_sim *sim, uint32_t index);
void hd_sim_total(const struct hd_sim *sim, struct hd_stats *total);
/* Returns the JSON document of `heddle run --stats` (docs/architecture.md, Statistics): gpu, policy, config, host,
 * total, launches. The caller frees it. */
char *hd_sim_stats_json(const struct hd_sim *sim);
/* Call when the program ends. Reports that no checkpoint was written, if so. Returns 0, or -1 after reporting that
 * a checkpoint could not be written, or that the program did not reach the one to resume from. */
int hd_sim_checkpoint_end(struct hd_sim *sim);
/* Checks that a file is an undamaged checkpoint. Returns 0, or -1 after reporting the error. */
int hd_sim_checkpoint_check(const char *path, struct hd_diag *diag);
/* Writes the last record: the program ended normally. */
void hd_sim_record_end(const struct hd_sim *sim);

/* Sets the clusters of a launch that are resident at a time; an error: it would be refused. */
int hd_sim_clusters(struct hd_sim *sim, const struct hd_launch *launch, uint32_t *clusters);
/* Sets the maximum resident CTAs of a kernel per SM for a cooperative launch, which it gets under every policy. */
int hd_sim_occupancy(const struct hd_sim *sim, const struct hd_kernel *kernel, uint32_t block_threads,
		     uint32_t dynamic_shared, uint32_t *ctas);

#endif
