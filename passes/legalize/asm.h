/*
 * Inline PTX that is replaced by IR: its control flow, and instructions that take more than the machine has in one.
 * asm.c takes a text apart, the files asm_*.c have the instructions.
 */
#ifndef HD_PASSES_LEGALIZE_ASM_H
#define HD_PASSES_LEGALIZE_ASM_H

#include "passes/asm/asm.h"
#include "passes/legalize/build.h"

struct hd_asm {
	struct hd_site site; /* of the assembly */
	struct hd_ptx_text text;
	HD_VEC(struct hd_ptx_statement) statements; /* labels have no opcode */
	HD_VEC(value) slots;			    /* a stack object for each register of the text */
	HD_VEC(value) places;	   /* of each variable of the text: its stack object or the variable of the module */
	LLVMBasicBlockRef *blocks; /* of each label */
	value function;
	unsigned given; /* arguments of the assembly; the function's others are the kernel's parameters that the text
			   names */
	uint32_t carry; /* register that keeps it from piece to piece; UINT32_MAX: none */
	const struct hd_ptx_statement *now;
	bool failed;
	uint32_t first, count; /* statements that stay assembly, and are still to be built */
};

struct hd_asm_row {
	const char *name; /* the opcode's first parts */
	unsigned operands;
	bool (*takes)(const struct hd_ptx_statement *now); /* NULL: always */
	void (*build)(struct hd_asm *a, unsigned arg);
	unsigned arg;
};
/* A NULL name ends. */
extern const struct hd_asm_row hd_asm_integer[], hd_asm_video[], hd_asm_float[], hd_asm_convert[], hd_asm_system[],
	hd_asm_atomic[], hd_asm_matrix[], hd_asm_eight[], hd_asm_sparse[], hd_asm_surface[], hd_asm_stack[],
	hd_asm_calls[];

/* "inline assembly '<statement>': <reason>" as an error; only the first is reported. */
void hd_asm_error(struct hd_asm *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool hd_asm_has(const struct hd_asm *a, const char *part)
{
	return hd_ptx_statement_has(a->now, part);
}
static inline struct hd_ptx_type hd_asm_type(const struct hd_asm *a, unsigned back)
{
	return hd_ptx_statement_type(a->now, back);
}
static inline LLVMBasicBlockRef hd_asm_block(struct hd_asm *a)
{
	return LLVMAppendBasicBlockInContext(a->site.legal->context, a->function, "");
}
/* Operands as integers of so many bits; of 1, a predicate. */
value hd_asm_in(struct hd_asm *a, unsigned index, unsigned bits);
value hd_asm_read(struct hd_asm *a, const struct hd_ptx_part *part, unsigned bits);
/* `v` may be a float; a register that is wider is filled with zeros, or by the sign. */
void hd_asm_out(struct hd_asm *a, unsigned index, value v, bool is_signed);
void hd_asm_write(struct hd_asm *a, const struct hd_ptx_part *part, value v, bool is_signed);
/* The address in brackets, as a pointer of the space. */
value hd_asm_pointer(struct hd_asm *a, unsigned index, unsigned space);
unsigned hd_asm_space(const struct hd_asm *a);
/* A word of assembly of one result, or none (bits 0). */
value hd_asm_piece(struct hd_asm *a, const char *text, unsigned bits, value *args, unsigned count);
/* A floating-point operand of the type, widened to single precision where it is narrower. */
value hd_asm_real(struct hd_asm *a, unsigned index, struct hd_ptx_type type);
LLVMTypeRef hd_asm_real_type(struct hd_asm *a, struct hd_ptx_type type);
bool hd_asm_is_real(struct hd_ptx_type type);
/* The bits of a value as an integer, and back. */
value hd_asm_bits(struct hd_asm *a, value v);
/* llvm.NAME of the arguments, on the type where it is overloaded. */
value hd_asm_call(struct hd_asm *a, const char *name, LLVMTypeRef type, value *args, unsigned count);
value hd_asm_word(struct hd_asm *a, uint64_t number);

/* ---- asm_variables.c */
/* The parameters of the kernel that the text names ("<kernel>_param_0") and their types, as arguments of the function
 * that the text becomes: how many there are. */
unsigned hd_asm_take_parameters(struct hd_asm *a, value *args, LLVMTypeRef *types, unsigned room);
/* Makes the text's variables, each with its address in its slot. */
void hd_asm_place_variables(struct hd_asm *a);

/* ---- asm_eight.c */
/* "e4m3" or "e5m2" */
bool hd_asm_is_eight(const char *type);
/* The two numbers in the lower or the upper half of a word as two halves, exactly. */
value hd_asm_halves(struct hd_asm *a, value word, bool upper, const char *type);

#endif
