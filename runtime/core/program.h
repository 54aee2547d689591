/*
 * Loaded code as data: decoded instructions, functions, modules and kernels, and what the metadata says of an
 * instruction. runtime/exec/load.h fills it in.
 */
#ifndef HD_RUNTIME_CORE_PROGRAM_H
#define HD_RUNTIME_CORE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"
#include "heddle/object.h"
#include "heddle/policy.h"
#include "lib/arena.h"
#include "lib/vec.h"
#include "runtime/core/hazard.h"

struct hd_exec;
struct hd_gpu;
struct hd_module;
struct hd_claim;
struct hd_linear;
struct hd_sim_place;
struct hd_spins;

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
	uint16_t latency;  /* cycles to write-back, from the configuration (memory: 0) */
	uint16_t interval; /* initiation interval of its unit */
	uint32_t products; /* multiply-adds of a tensor instruction */
	uint16_t tensor_cycles,
		shared_cycles; /* of a product of a warpgroup: of the SM's tensor cores, of shared memory */
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
	bool awaited;	      /* one of the instructions behind it wants what it writes */
	bool plain_read;      /* its registers come from banks with one port each (runtime/sm/modern.c) */
};

/* What the metadata of its function, hd_pfunction.said, says of an instruction: indices in arrays there, or HD_NO_FACT.
 */
#define HD_NO_FACT UINT32_MAX
struct hd_code_facts {
	uint32_t interval, strand;  /* that it belongs to; at an interval's entry_pc a PREFETCH is due (LTRF) */
	uint32_t point, barrier;    /* a preemption point is in front of it (Lin); it is this barrier */
	uint32_t switching;	    /* a switch point is in front of it (Lin) */
	uint32_t save, call;	    /* it is this push or pop (CARS), or call */
	bool diverges;		    /* lanes may go on at different places behind it */
	struct hd_regset undefined; /* of what it reads, what may hold no value (lib/object/undefined.h); empty without
				       --verify */
};
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
	const uint16_t *least; /* of each instruction: the fewest registers that USETMAXREG leaves from there on; NULL:
				  it has none (resizes.c) */
	uint32_t rows;	       /* registers that its code names, once it is there */
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
	bool fetches;		   /* some instruction is a texture fetch */
	bool points_to_parameters; /* some function has the address of a parameter (HD_CB_PARAM_COPY) */
};

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

struct hd_kernel {
	struct hd_module *module;
	uint32_t function; /* in hd_program.functions */
	const struct hd_meta_function *meta;
	uint32_t looked_at; /* instructions that were there when window.c looked, and whether it may print or malloc */
	bool serves;
	uint32_t looked_at_barriers; /* the same for the barrier of a cluster (launch.c) */
	bool meets_clusters;
	struct hd_kept_lines *kept; /* records of its launches (sim/lines.c); NULL: none so far */
	const char *title, *file;   /* its name and source file, which outlive the module (sim/records.c); or NULL */
};

#endif
