/*
 * State of the CUDA runtime in one process. The API has no context argument, so there is one
 * struct hd_cudart for the process, made on first use and guarded by one lock; the last error and the
 * launch-configuration stack belong to the host thread.
 *
 * The simulator is configured from the environment, which `heddle run` sets:
 *   HEDDLE_GPU, HEDDLE_POLICY, HEDDLE_SET (key=value;...), HEDDLE_VERIFY, HEDDLE_MAX_CYCLES, HEDDLE_WATCHDOG (cycles or
 *   off), HEDDLE_PROGRESS, HEDDLE_DUMP_STATE, HEDDLE_CHECK (kinds), HEDDLE_OUT_OF_BOUNDS (error or warn), HEDDLE_TRACE,
 *   HEDDLE_TRACE_FD (hd_sim_options.trace_fd), HEDDLE_TIMELINE, HEDDLE_KANATA, HEDDLE_TIMELINE_ONLY
 *   (hd_sim_options.timeline and its neighbours),
 *   HEDDLE_RECORDS (folder for statistics), HEDDLE_REHEARSAL (hd_sim_options.rehearsal), HEDDLE_CHECKPOINT,
 *   HEDDLE_CHECKPOINT_AT, HEDDLE_RESUME (hd_sim_options.checkpoint and its neighbours),
 *   HEDDLE_STATUS_FD (the pipe where faults are reported to `heddle run`: descriptor:device:inode)
 */
#ifndef HD_RUNTIME_CUDART_CONTEXT_H
#define HD_RUNTIME_CUDART_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The API is what the library exports; everything else stays hidden. */
#pragma GCC visibility push(default)
#include "cuda/cuda_runtime_api.h"
#pragma GCC visibility pop

#include "heddle/object.h"
#include "heddle/sim.h"
#include "lib/diag.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "runtime/cudart/records.h"
#include "runtime/cudart/virtual.h"

/* A kernel object that a translation unit registered; loaded when the simulator starts. */
struct hd_binary {
	const uint8_t *bytes;
	size_t size;
	struct hd_module *module; /* NULL before it is loaded */
	struct hd_object *object; /* read at once where there are managed variables; in the arena */
	struct hd_arena arena;
	bool failed, gone;
	bool closed; /* its library is: the shadows of its variables may be no memory any more */
};

/* Host address of a kernel stub or of a variable's shadow -> device name. */
struct hd_registered {
	const void *host; /* key */
	char *name;
	struct hd_binary *binary;
	struct hd_kernel *kernel; /* once looked up */
	bool managed;		  /* variables: the shadow is the variable */
};

/* By their addresses, and in the order in which they came. */
struct hd_registry {
	HD_VEC(struct hd_registered *) all;
	struct hd_map ids;
};

/* A managed variable: the program's pointer variable is set when the simulator starts. */
struct hd_managed {
	void **pointer;
	char *name;
	struct hd_binary *binary;
};

/* What cudaPointerGetAttributes calls the memory at an address. */
struct hd_shared_memory {
	const void *low;
	enum cudaMemoryType type;
	bool pinned; /* by cudaHostAlloc, with these flags */
	unsigned flags;
};

/* What cudaMemAdvise and cudaMemPrefetchAsync said last of a range; see advice.c. */
struct hd_advice {
	uint64_t owner;	    /* the allocation's address */
	uint64_t low, high; /* whole pages */
	int kind, value;
};

/* What cudaFuncSetAttribute said last of a kernel's dynamic shared memory. */
struct hd_opted {
	const struct hd_kernel *kernel;
	uint32_t bytes;
};

/* What it said of a kernel's clusters: more than eight blocks are allowed; blocks of a cluster, 0: not said; where they
 * go (cudaClusterSchedulingPolicy). */
struct hd_clustered {
	const struct hd_kernel *kernel;
	bool large;
	int size[3], policy;
};

/* How a launch is to be made: clusters of so many blocks, 0: as the kernel says. */
struct hd_launch_how {
	bool cooperative;
	bool programmatic; /* may begin before the kernel ahead of it has ended */
	uint32_t cluster[3];
	int policy;
};

/* A function of the program, which may take the program's own locks. */
struct hd_later_call {
	cudaHostFn_t fn;
	void *data;
};

/* Work of streams that waits for its turn (work.c). Pieces have ascending ids. */
struct hd_piece_place {
	uint64_t id;
	struct hd_work *work; /* NULL: done */
};
struct hd_pieces {
	HD_VEC(struct hd_piece_place) places; /* in the order of submission */
	HD_VEC(struct hd_work *) free;	      /* of these, the ones whose needs are done, in the same order */
	uint32_t count, blocking;	      /* pieces; those that the legacy stream waits for */
	bool programmatic; /* some kernel may begin before the one ahead of it has ended; it stays so */
};

struct hd_cudart {
	struct hd_sim *sim;
	struct hd_config *config;
	struct hd_diag diag;
	bool started; /* start was tried */
	pid_t owner;  /* the process that did */
	cudaError_t start_error;
	cudaError_t sticky; /* a fault ends the context: every later call returns it */
	HD_VEC(struct hd_binary *) binaries;
	HD_VEC(struct hd_managed) managed;
	struct hd_registry functions, variables;
	HD_VEC(void *) host_allocations;	/* cudaMallocHost by malloc, when memory cannot be shared */
	HD_VEC(struct hd_shared_memory) shared; /* memory that host and device name alike */
	struct hd_virtual virtual;		/* virtual.c */
	HD_VEC(struct hd_advice) advice;	/* the latest last */
	HD_VEC(struct hd_opted) opted;
	HD_VEC(struct hd_clustered) clustered;
	struct hd_map live; /* handles: handles.c */
	size_t limits[8];
	unsigned device_flags;
	cudaMemPool_t pool;   /* once asked for */
	cudaMemPool_t chosen; /* by cudaDeviceSetMemPool; NULL: the default one */
	HD_VEC(struct hd_graph_memory *) graph_memory;
	uint64_t graph_bytes[4]; /* by cudaGraphMemAttributeType */
	bool in_a_row;		 /* a kernel was launched since the program last waited for anything */
	uint64_t next_id;	 /* of streams, captures and work */
	struct hd_pieces work;	 /* that has not been done */
	HD_VEC(struct hd_capture *) captures;
	HD_VEC(struct hd_reference *) references; /* texture references */
	HD_VEC(struct hd_object_of *) objects;	  /* texture and surface objects */
	HD_VEC(struct CUmod_st *) modules;	  /* of the driver API */
	HD_VEC(struct CUlinkState_st *) links;	  /* that are not destroyed */
	HD_VEC(struct hd_registered *) handles;	  /* of kernels: CUfunction is the kernel itself */
	HD_VEC(struct hd_later_call) later_calls; /* hd_cudart_call_later */
	struct hd_records records;
	bool later_code;   /* there is code of a later architecture than the GPU's */
	bool noted_target; /* that it was launched */
	bool runtime_used; /* which makes the primary context current for the driver API */
};

/* 70: of a GPU of compute capability 7.0. */
int hd_cudart_capability(const struct hd_config *config);
/* And of code for "sm_70"; 0: the name is no such one, or NULL. */
int hd_cudart_target(const char *name);
/* Called for a kernel that is launched while there is later code: notes once that a card would refuse it. */
void hd_cudart_note_target(struct hd_cudart *cudart, const char *target);

/* Holds the lock until the end of the enclosing block. */
struct hd_cudart *hd_cudart_enter(void);
void hd_cudart_leave(struct hd_cudart **cudart);
#define HD_CUDART(name) struct hd_cudart *name __attribute__((cleanup(hd_cudart_leave))) = hd_cudart_enter()

/* Calls fn(data) when the calling thread has given the lock back. */
void hd_cudart_call_later(cudaHostFn_t fn, void *data);

/* Starts the simulator, loads what was registered, and waits for all work that streams have. cudaSuccess, or why the
 * device cannot be used (sticky included). */
cudaError_t hd_cudart_start(struct hd_cudart *cudart);
/* The same without waiting: for what goes on beside the work of streams. */
cudaError_t hd_cudart_start_beside(struct hd_cudart *cudart);
/* The same for questions about the device, which make no context. */
cudaError_t hd_cudart_boot(struct hd_cudart *cudart);
/* Notes the calling thread's last error and returns it. */
cudaError_t hd_cudart_return(cudaError_t error);
/* Translates a failed simulator call; faults become sticky. */
cudaError_t hd_cudart_sim_error(struct hd_cudart *cudart, int error);
cudaError_t *hd_cudart_last_error(void);
/* The process's simulator, without the lock; NULL. */
struct hd_sim *hd_cudart_sim_of_process(void);
/* reach.c: from now on a fault of the host program in device memory is explained. */
void hd_cudart_explain_faults(void);
/* interrupt.c: from now on signals stop a running kernel; after a launch: ends the process when one did. */
void hd_cudart_take_signals(void);
void hd_cudart_end_if_interrupted(struct hd_cudart *cudart);
/* The records of the process, without the lock. */
struct hd_records *hd_cudart_records_of_process(void);
/* The table of live handles; the context is held. */
struct hd_map *hd_cudart_live_of_process(void);
/* Tells `heddle run` of the first finding of --check; `places`: how many there were before. */
void hd_cudart_note_findings(const struct hd_cudart *cudart, uint32_t places);
/* Where `heddle run` listens, when it does: in its pipe, or else in a file in the folder for statistics. */
void hd_cudart_report(const char *kind, const char *text);

/* The kernel of a host stub's address, or of a handle; NULL. Its metadata is there. */
struct hd_kernel *hd_cudart_kernel(struct hd_cudart *cudart, const void *host);
/* What is said of an address that is no kernel's. */
cudaError_t hd_cudart_no_kernel(const void *func);
/* From here on the kernel stands for itself wherever a stub's address may. */
void hd_cudart_add_handle(struct hd_cudart *cudart, struct hd_kernel *kernel);
/* A launch's arguments laid out as the kernel's metadata says. The caller frees the bytes. */
uint8_t *hd_cudart_pack(const struct hd_meta_function *meta, void **args);
/* The bytes that a launch hands over in place of arguments (CU_LAUNCH_PARAM_BUFFER_POINTER). */
cudaError_t hd_cudart_launch_buffer(void **extra, const void **buffer, size_t *size);
/* Before a launch: texture references as the host now has them. */
cudaError_t hd_cudart_refresh_textures(struct hd_cudart *cudart);
void hd_cudart_free_references(struct hd_cudart *cudart);
/* Nothing is bound to them any more. */
void hd_cudart_unbind_references(struct hd_cudart *cudart);
/* registration.c: managed variables of the program have their first values. */
void hd_cudart_restore_managed(struct hd_cudart *cudart);
/* The launch that a node of a kernel says; false: it has none. */
bool hd_cudart_launch_of(const struct hd_cudart *cudart, cudaGraphNode_t node, struct hd_launch *launch);
/* What a launch that was not taken is to the program, and one that failed. */
cudaError_t hd_cudart_refused(struct hd_cudart *cudart, const struct hd_launch *launch, int status);
cudaError_t hd_cudart_launch_error(struct hd_cudart *cudart, int status);
/* Runs a grid to its end. */
cudaError_t hd_cudart_run(struct hd_cudart *cudart, struct hd_kernel *kernel, dim3 grid, dim3 block, size_t shared,
			  const struct hd_launch_how *how, const uint8_t *params);

struct hd_registered *hd_cudart_function(struct hd_cudart *cudart, const void *host); /* with its kernel; NULL */
cudaError_t hd_cudart_variable(struct hd_cudart *cudart, const void *host, uint64_t *address, uint64_t *size);

/* An attribute of the modelled card, by CUDA's number; false: there is none of that number. */
bool hd_cudart_attribute(const struct hd_config *config, int attr, int *value);

/* `HD_TRY(call)` returns from an API function when a step fails. */
#define HD_TRY(call)                                        \
	do {                                                \
		cudaError_t hd_error_ = (call);             \
		if (hd_error_ != cudaSuccess)               \
			return hd_cudart_return(hd_error_); \
	} while (0)

#endif
