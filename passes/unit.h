/*
 * A compilation unit: one LLVM module on its way to a kernel object. Created by the
 * plugin's entry, filled in by the steps of passes.def, released as a whole.
 */
#ifndef HD_PASSES_UNIT_H
#define HD_PASSES_UNIT_H

#include <llvm-c/Core.h>

#include "heddle/metadata.h"
#include "heddle/object.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "passes/mir/mir.h"

struct hd_remarks; /* remark.h */

/* Pass parameters: `heddle<o=PREFIX;maxrregcount=64;...>`, or HEDDLE_PASS in the environment under clang. */
struct hd_options {
	const char *output;	   /* o=: PREFIX.hdo and PREFIX.heddle.json; NULL: annotate only */
	const char *libdevice;	   /* libdevice=: a toolkit's math library; NULL: our own */
	uint32_t max_registers;	   /* maxrregcount=; 0: 255 */
	uint32_t target_registers; /* registers=: what the processor has for a thread; 0: 255 */
	uint32_t interval_regs;	   /* interval-regs= */
	uint32_t rthld;		   /* rthld= */
	const char *profile;	   /* profile=: what a run counted */
	uint32_t preempt_every;	   /* preempt-every= */
	const char *abi;	   /* abi=cars|observed */
	const char *launch_facts;  /* launches=FILE: what libclang saw, JSON written by heddle-cc */
	uint64_t without;	   /* without=: enum hd_switch, improvements of the code left out, to measure each */
	uint64_t dump;		   /* dump=prune+regalloc: enum hd_step, MIR after these steps, on stderr */
	const char *linear; /* linear=never|saving|always: kernels that get a second version, with linear registers */
	const char *division, *square_root; /* division=exact|full|approximate, square-root=exact|approximate */
	bool fast_functions;		    /* fast-functions: sinf as __sinf */
	const char *uniform;	   /* uniform=never|short|always: values of a whole warp in uniform registers */
	const char *spills;	   /* spills=local|shared: where those of kernels are */
	bool inlined;		   /* the calls around inlined code go into the object */
	const char *remarks;	   /* remarks=kernels|functions|all: what is remarked upon */
	const char *print_remarks; /* print-remarks=: the plugin writes remarks of these passes itself */
	const char *refused;	   /* refused=: the file that says that the front end took a module and we do not */
	bool relocatable;	   /* rdc: undefined functions are allowed; set where some are */
	bool whole_program;	   /* whole-program: they are errors; declared variables are definitions */
	bool offload;		   /* the object is an image for libomptarget */
	bool ipra;		   /* calls in the module change only what the callee writes (regalloc/ipra.c) */
	bool check;		   /* verify after each step; on by default in debug builds and under check=1 */
	const char *canonical;	   /* the non-default parameters in canonical order, for the metadata */
};

struct hd_annotation; /* ir/kernels.c */

/* What stands in nvvm.annotations of a module, by value. */
struct hd_annotations {
	LLVMModuleRef module; /* NULL: not read yet */
	unsigned nodes;
	struct hd_map first; /* of a value: 1 + index into list, the rest behind it */
	HD_VEC(struct hd_annotation) list;
};

struct hd_unit {
	struct hd_arena arena; /* names, metadata, the object's arrays: lives as long as the unit */
	struct hd_diag *diag;
	struct hd_options options;
	LLVMModuleRef source;		      /* the user's module: annotated, never lowered */
	LLVMModuleRef module;		      /* a clone that lowering may legalise; NULL before the `legalize` step */
	struct hd_annotations annotations[2]; /* of the module and of the source */
	const struct hd_abi *abi;
	HD_VEC(struct hd_mfunc) functions; /* in the order of object.functions */
	struct hd_map symbols;		   /* index into object.symbols, by the function or variable of `module` */
	struct hd_object object;
	struct hd_inlined_calls inlined;
	struct hd_metadata metadata;
	const char *
		*no_linear; /* by function, of the row LINEAR: why its linear version cannot be made; NULL: it can */
	uint64_t valid;	    /* bit per row of passes.def: result present */
	void *results[64];  /* per row, owned by the arena */
};

/*
 * Legalises a clone of unit->source in place of the constructs that have no machine instruction: links
 * builtins.bc for the helpers that are needed, expands divisions, frem, wide integers, memory intrinsics,
 * switches; infers address spaces. Errors name the construct and its source line. 0 or -1.
 */
int hd_legalize(struct hd_unit *unit);

/*
 * Symbols, device globals, constants, shared-memory layout: fills unit->object's symbol and data parts from
 * unit->module. Functions get symbols and hd_object.functions entries (names only). 0 or -1.
 */
int hd_globals_run(struct hd_unit *unit);

/* Selects machine IR in SSA form for every function with a body: fills unit->functions. 0 or -1. */
int hd_select(struct hd_unit *unit);

/* The processor that the module's functions are compiled for: "sm_86". */
const char *hd_unit_target(struct hd_unit *unit);

/* hd_lower_function and hd_mfunc_emit on each function; fills unit->object.functions. 0 or -1. */
int hd_lower(struct hd_unit *unit);

#endif
