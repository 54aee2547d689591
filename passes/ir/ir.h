/*
 * Questions about NVPTX IR that every phase asks. None changes the module.
 */
#ifndef HD_PASSES_IR_IR_H
#define HD_PASSES_IR_IR_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "passes/unit.h"

/* NVPTX address spaces. */
enum { HD_AS_GENERIC = 0, HD_AS_GLOBAL = 1, HD_AS_SHARED = 3, HD_AS_CONST = 4, HD_AS_LOCAL = 5, HD_AS_PARAM = 101 };

enum { HD_CONSTANT_BYTES = 0x10000 }; /* for variables in constant memory */

/* ---- kernels.c */
/* Bytes and offsets of kernel parameters in the constant bank, from HD_CB_PARAMS. `offsets`: one a parameter. */
uint32_t hd_kernel_params(LLVMValueRef function, uint32_t *offsets);
bool hd_is_kernel(struct hd_unit *unit, LLVMValueRef function);
/* An annotation of a function or variable of the unit, in nvvm.annotations or as an attribute; 0 when absent. */
uint32_t hd_annotation(struct hd_unit *unit, LLVMValueRef value, const char *name);
/* Whether hd_mark_helper has marked the function as a helper (heddle/object.h). */
bool hd_is_helper(LLVMValueRef function);
void hd_mark_helper(LLVMValueRef function);
/* 75 of a function for sm_75; 70 when nothing is said, as hd_unit_target has it. */
uint32_t hd_capability(LLVMValueRef function);
/* 75 of "sm_75"; 70 of what names no processor; at most 999. */
uint32_t hd_target_number(const char *target);
/* Whether it is a function whose name begins as those of OpenMP's device library do, and no library is installed. */
bool hd_lacks_openmp(struct hd_unit *unit, LLVMValueRef value);
/* Of a function for sm_90a. */
bool hd_is_for_one_architecture(LLVMValueRef function);
LLVMTypeRef hd_byval_type(LLVMValueRef function, unsigned param); /* NULL: not by value */

/* ---- attributes.c */
/* The annotation `key` of a function that LLVM 20 and later write as an attribute; 0 when absent. */
uint32_t hd_attribute_annotation(LLVMValueRef function, const char *key);
/* Refuses attributes of that family that are not known or not numbers. 0, or -1 with the errors reported. */
int hd_check_attributes(struct hd_unit *unit);

/* ---- constants.c */
bool hd_is_scalar(LLVMTypeRef type);
/* Of an integer, floating-point number or pointer as the machine holds it; 0 for other types. */
unsigned hd_scalar_bits(LLVMTypeRef type);
/* Whether a bitcast is selected as it is: each side is one scalar, or elements of a bit, a byte, half a word or whole
 * words, which never cross from one word to the next. Legalisation takes the others apart. */
bool hd_is_word_bitcast(LLVMTypeRef from, LLVMTypeRef to);
/* Value of an integer constant of up to 128 bits. */
bool hd_const_int(LLVMValueRef value, uint64_t words[2]);
/* Whether the value is an integer constant of at most 64 bits; *out is zero-extended. */
bool hd_is_int_constant(LLVMValueRef value, uint64_t *out);
/* What leads to successor `i` of a switch; 0, the default, has no value. */
LLVMValueRef hd_case_value(LLVMValueRef inst, unsigned i);
bool hd_single_use(LLVMValueRef value);
/* Of a load or store, in bytes. clang gives the null pointer 2^32, which LLVM's C API cannot say; this is 2^31. */
unsigned hd_access_alignment(LLVMValueRef inst);
/* A constant as the address of a global + addend. False for what is neither. */
struct hd_const_addr {
	LLVMValueRef global; /* NULL: a plain number */
	uint64_t addend;
};
bool hd_const_address(LLVMTargetDataRef layout, LLVMValueRef value, struct hd_const_addr *out);

/* ---- invariant.c */
/* Whether a value is the same in all threads of a block, whatever way each has come; `kernel`: parameters are. */
bool hd_value_is_invariant(LLVMValueRef value, bool kernel);
/* Whether the instruction is executed only by threads whose index threadIdx.x is one number. */
bool hd_is_for_one_index(LLVMValueRef inst);

/* ---- places.c */
/* Source place of an LLVM instruction or function (HD_NOWHERE without debug information); strings in the arena. */
struct hd_loc hd_ir_loc(struct hd_unit *unit, LLVMValueRef value);
/* Reports "unsupported <what>" at an instruction or function, which is quoted where it has no place in a source.
 * Returns -1. */
int hd_unsupported(struct hd_unit *unit, LLVMValueRef value, const char *what);
/* Of a place (DILocation) that may be inlined from a header of the compiler's: the user's own around it. */
LLVMMetadataRef hd_ir_user_place(LLVMMetadataRef place);
LLVMMetadataRef hd_ir_file(LLVMMetadataRef place); /* its DIFile */
/* ---- inlined.c */
/* 1 + index in unit->inlined of the innermost call that the user's place was inlined by; 0: none. */
uint32_t hd_ir_inlined(struct hd_unit *unit, LLVMMetadataRef place);

/* The file's name as objects have it, in the unit's arena. */
const char *hd_ir_file_name(struct hd_unit *unit, LLVMMetadataRef file);

#endif
