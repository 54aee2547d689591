/*
 * Shared by the files of legalisation, which lowers what has no machine instruction in a clone of
 * the user's module.
 */
#ifndef HD_PASSES_LEGALIZE_LEGALIZE_H
#define HD_PASSES_LEGALIZE_LEGALIZE_H

#include <llvm-c/TargetMachine.h>

#include "passes/ir/ir.h"

struct hd_legal {
	struct hd_unit *unit;
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	unsigned md_ordinal, md_fpmath, md_scaled;
	/* what the module has, from one scan */
	bool vectors, returns, atomics, allocas, masked, matrices, questions, unoptimised;
	uint32_t longest_block; /* instructions */
	uint32_t most_blocks;	/* of a function */
	bool needs_builtins;	/* a helper was called */
	bool needs_device;	/* a function of the device library was called */
	bool linked;		/* helpers were linked in */
	bool assembly;		/* inline assembly has become functions, which are to be inlined */
	int status;
};

/* An instruction that is replaced, and where its replacement is built. */
struct hd_site {
	struct hd_legal *legal;
	LLVMBuilderRef builder;
	LLVMValueRef inst, ordinal;
	bool again; /* what was built is to be looked at, too */
};

/* origin.c: around the load-store vectorizer, so that what it makes has the ordinal of its first access. */
void hd_legal_note_accesses(const struct hd_legal *legal);
/* The ordinal of an access at that address, or NULL: its own, or what was noted. */
LLVMValueRef hd_legal_origin(const struct hd_legal *legal, LLVMValueRef inst, LLVMValueRef address, bool store);
void hd_legal_find_accesses(const struct hd_legal *legal);
/* Whether the value is an instruction of the block. */
bool hd_legal_is_inside(LLVMValueRef value, LLVMBasicBlockRef block);
/* Whether a call is of something that the lanes of a warp do together, or may lead there. */
bool hd_legal_is_convergent(LLVMValueRef call);
/* LLVM's passes, on the clone. 0 or -1. */
int hd_legal_run(struct hd_legal *legal, LLVMTargetMachineRef machine, const char *pipeline);
/* reduce.c: straight-line strength reduction that keeps what it can of nsw and nuw. 0 or -1. */
int hd_legal_reduce(struct hd_legal *legal, LLVMTargetMachineRef machine);
/* bases.c: accesses of a block that are a constant apart have one address. */
void hd_legal_share_bases(const struct hd_legal *legal);
/* math.c: whether a division, root or the like may have another rounding than IEEE 754's. */
bool hd_legal_may_approximate(const struct hd_legal *legal, LLVMValueRef inst);

/* unroll.c: small loops, as ptxas. 0 or -1. */
int hd_legal_unroll(struct hd_legal *legal, LLVMTargetMachineRef machine);
/* hoist.c: addresses of conditional reads of constant memory, in front of the branch. */
void hd_legal_hoist(struct hd_legal *legal);
/* expand.c: what has neither an instruction nor a division in it. */
void hd_legal_expand(struct hd_legal *legal);
/* "llvm.ctlz.i128" as "ctlz": without the prefix and the types that it is overloaded on. False: no such name. */
bool hd_legal_base_name(const char *name, char *out, size_t room);
/* What takes the place of an intrinsic of integers, of a width without an instruction. NULL: nothing. */
LLVMValueRef hd_legal_integer(struct hd_site *site, const char *name);
/* rare.c, vector.c: what takes the place of an intrinsic, whose name is given without "llvm." and
 * types, or in full; of va_arg; of a call of a function that is memcpy or its kin. NULL: nothing. */
LLVMValueRef hd_legal_rare(struct hd_site *site, const char *name);
LLVMValueRef hd_legal_vector(struct hd_site *site, const char *name);
/* The bits of `in` as a value of the type, built so that each part can be selected. */
LLVMValueRef hd_legal_bitcast(struct hd_site *site, LLVMValueRef in, LLVMTypeRef type);
LLVMValueRef hd_legal_va_arg(struct hd_site *site);
LLVMValueRef hd_legal_memory(struct hd_site *site, const char *name);
/* asm.c: inline assembly with labels, variables, and instructions that the machine has not in one. */
void hd_legal_asm(struct hd_legal *legal);
/* Inline assembly in place of a call of an intrinsic for surfaces and questions about textures; NULL: it is none. */
LLVMValueRef hd_legal_surface_call(struct hd_legal *legal, LLVMValueRef call);
/* strict.c: floating point that may trap becomes ordinary. */
void hd_legal_strict(struct hd_legal *legal);
/* atomic.c, blocks.c: atomic operations and jumps to addresses that LLVM's passes leave. */
void hd_legal_atomics(struct hd_legal *legal);
/* LLVM's atomic-expand; 0 or -1 with an error. */
int hd_legal_expand_atomics(struct hd_legal *legal, LLVMTargetMachineRef machine);
void hd_legal_blocks(struct hd_legal *legal);
/* byval.c: by-value arguments that travel in registers, or can be stored where they are passed, taken apart. */
void hd_legal_byval(struct hd_legal *legal);
/* The attributes of a call, of its result or of an argument; `apart`: only those that say how an address is passed. */
void hd_legal_copy_attributes(LLVMValueRef to, LLVMValueRef from, unsigned index, bool apart);
/* exits.c: after LLVM's passes, early returns of kernels that they have joined with the kernel's end part again. */
void hd_legal_exits(struct hd_legal *legal);
/* constants.c: arithmetic on addresses that no relocation expresses, as instructions. */
void hd_legal_constants(const struct hd_legal *legal);
/* undefined.c: nothing of the module says that an undefined value is impossible; a freeze has one value. */
void hd_legal_allow_undefined(LLVMModuleRef module);
void hd_legal_freezes(const struct hd_legal *legal);
/* A call of a helper, __heddle_NAME, or of the device library, which are linked in later. */
LLVMValueRef hd_legal_call(struct hd_site *site, const char *name, LLVMTypeRef result, LLVMValueRef *args,
			   unsigned count);
/* nvvm.c: what takes the place of llvm.NAME, an NVVM intrinsic; of a question to __nvvm_reflect. NULL:
 * nothing. */
LLVMValueRef hd_legal_nvvm(struct hd_site *site, const char *name);
LLVMValueRef hd_legal_reflect(struct hd_site *site);
/* half.c: the same for half precision. */
LLVMValueRef hd_legal_half(struct hd_site *site, const char *name);
/* An intrinsic, on the type where it is overloaded. */
LLVMValueRef hd_legal_intrinsic(struct hd_site *site, const char *name, LLVMTypeRef type, LLVMValueRef *args,
				unsigned count);
/* masked.c: loads and stores of some elements of a vector, known ones, as accesses of these. */
void hd_legal_masked(struct hd_legal *legal);
/* align.c: shared arrays as aligned as the widest access. Whether there are any. */
bool hd_legal_align(struct hd_legal *legal);
/* wide_int.c: integers of more than 128 bits, as bit-fields of packed structs have, on words. 0 or -1. */
int hd_legal_wide_integers(struct hd_legal *legal, LLVMTargetMachineRef machine);
/* math.c: divisions, remainders and square roots into shifts, multiplications or calls of helpers. */
void hd_legal_math(struct hd_legal *legal);
/* spaces.c: parameters and stack objects get their address spaces, for infer-address-spaces to spread. */
void hd_legal_spaces(struct hd_legal *legal);
/* null.c: around infer-address-spaces, so that null stays a generic pointer. */
void hd_legal_hide_nulls(struct hd_legal *legal);
void hd_legal_show_nulls(struct hd_legal *legal);
/* What is written or pointed to of a kernel's by-value parameters becomes a stack object that they are copied to. */
void hd_legal_own_parameters(struct hd_legal *legal, LLVMValueRef kernel);
/* grid_constant.c: before anything else looks at parameters; whether one is a by-value aggregate in the bank. */
void hd_legal_grid_constants(struct hd_legal *legal);
/* Behind LLVM's last passes: what uses the address of one otherwise than to read from the bank. */
void hd_legal_grid_constant_uses(struct hd_legal *legal);
bool hd_legal_is_grid_constant(LLVMValueRef kernel, unsigned param);
/* builtins.c: links the device library's functions (device.bc) that are called; then, when divisions and
 * roots have been replaced,  the helpers that are called; those of 32 bits are marked for inlining. 0 or -1. */
int hd_legal_device(struct hd_legal *legal);
/* The same with LLVM's device library for OpenMP, where it is installed. */
int hd_legal_openmp(struct hd_legal *legal);
/* No longer keeps what LLVM's pass for OpenMP might have called. Whether there was something. */
bool hd_legal_release_openmp(struct hd_legal *legal);
int hd_legal_builtins(struct hd_legal *legal);
/* align.c: loads of aggregates that are less aligned than their parts become loads of the parts. */
void hd_legal_split_loads(LLVMModuleRef module);
/* dependence.c: functions that wait for the grid before theirs: memory changes at the wait. */
void hd_legal_dependences(LLVMModuleRef module);
/*
 * fast_math.c: CUDA's -prec-div, -prec-sqrt and -use_fast_math, by the unit's options, as marks in its source. Before
 * the device library is linked, whose own divisions and roots stay as they are.
 */
void hd_legal_fast_math(struct hd_unit *unit);
/* Calls of the device library in functions that take float denormals for zero; before it is linked. */
void hd_legal_flush(LLVMModuleRef module);
/* Removes flushes of what is read only by operations that flush by themselves; a sign is their modifier then. */
void hd_legal_flush_once(LLVMModuleRef module);
/* Whether the function takes float denormals for zero (-ftz=true). */
bool hd_legal_flushes(LLVMValueRef function);
/* A float with denormals as zero, of its sign. */
LLVMValueRef hd_legal_flushed(LLVMBuilderRef builder, LLVMModuleRef module, LLVMValueRef x);
/* The mark of a division whose operands are scaled already: the hardware's reciprocal is right for the divisor. */
#define HD_SCALED_DIVISION "heddle.scaled"
/* Whether a division may have an error of 2 ulp, in the full range of its type; and what takes its place. */
bool hd_legal_is_full(const struct hd_legal *legal, LLVMValueRef division);
void hd_legal_mark_full(LLVMContextRef context, LLVMValueRef division);
LLVMValueRef hd_legal_full_division(struct hd_site *site);
/* Whether math functions are called that are still to be linked. */
bool hd_legal_calls_device(LLVMModuleRef module);
/* Links them into the unit's source before the optimizer sees it, so that it can inline them. Where that fails the
 * legaliser tries again, and says why. */
void hd_legal_link_early(struct hd_unit *unit);

#endif
