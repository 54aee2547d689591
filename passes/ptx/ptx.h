/*
 * Inline PTX: what the files that lower it share. parse.c takes the text apart, ptx.c binds operands and runs
 * the statements in order, alu.c, bits.c, float.c, simd.c, convert.c, system.c, copy.c, matrix.c and
 * texture.c have the instructions. A statement becomes the machine instructions that selection would make of the same
 * operation; there are no labels and no branches, and an instruction outside the tables is an error with its source
 * line.
 */
#ifndef HD_PASSES_PTX_PTX_H
#define HD_PASSES_PTX_PTX_H

#include "passes/select/select.h"

/* A register of the text: a declared one, or an operand of the statement ("$0"). */
struct hd_ptx_reg {
	char name[64];
	unsigned bits; /* 1: a predicate */
	unsigned depth;
	bool set;
	struct hd_leaf leaf;
};

enum hd_ptx_kind {
	HD_PTX_NOTHING,
	HD_PTX_REG,
	HD_PTX_NUMBER,
	HD_PTX_SINGLE,
	HD_PTX_DOUBLE,
	HD_PTX_SPECIAL,
	HD_PTX_SINK
};
struct hd_ptx_part {
	enum hd_ptx_kind kind;
	uint32_t reg;
	uint64_t number; /* also the bits of a float, and enum hd_ptx_special */
};

enum { HD_PTX_ELEMENTS = 8 }; /* of a vector: an accumulator of m8n8k4 */
enum hd_ptx_form { HD_PTX_PLAIN, HD_PTX_VECTOR, HD_PTX_ADDRESS };
struct hd_ptx_operand {
	enum hd_ptx_form form;
	bool inverted;				   /* !p */
	unsigned count;				   /* parts of a vector */
	struct hd_ptx_part parts[HD_PTX_ELEMENTS]; /* an address: the base; of a texture its coordinates behind it */
	struct hd_ptx_part second;		   /* d|p */
	int64_t offset;				   /* of an address */
};

enum { HD_PTX_PARTS = 16, HD_PTX_OPERANDS = 6 };
struct hd_ptx_statement {
	char text[160];			 /* the opcode as written */
	char split[160];		 /* its parts, each a string */
	const char *parts[HD_PTX_PARTS]; /* "add", "cc", "u32" */
	unsigned part_count;
	bool guarded, guard_not;
	uint32_t guard; /* register */
	struct hd_ptx_operand operands[HD_PTX_OPERANDS];
	unsigned count;
};

struct hd_ptx {
	struct hd_select *sel;
	const char *at; /* what is left of the text */
	HD_VEC(struct hd_ptx_reg) regs;
	unsigned depth;
	struct hd_popnd carry; /* true when the last .cc carried or borrowed */
	bool failed;
	struct hd_ptx_statement *now;
};

/* Class of a type: u, s, b; f (float), h (half), g (bfloat), p (predicate); bits of a .x2 type are 32. */
struct hd_ptx_type {
	unsigned bits;
	char class;
};

typedef void (*hd_ptx_handler)(struct hd_ptx *ptx, unsigned arg);
struct hd_ptx_row {
	const char *name;      /* the opcode's first parts, e.g. "shl" or "bar.sync" */
	const char *modifiers; /* what may follow, between spaces; NULL: anything, it is refused anyway */
	unsigned operands;     /* at least */
	hd_ptx_handler select;
	unsigned arg;
	bool effect; /* a guard needs a branch: the result cannot simply be dropped */
};
/* A NULL name ends. */
extern const struct hd_ptx_row hd_ptx_alu[], hd_ptx_bits[], hd_ptx_float[], hd_ptx_simd[], hd_ptx_convert[],
	hd_ptx_system[], hd_ptx_copy[], hd_ptx_matrix[], hd_ptx_texture[];

/* ---- parse.c */
enum hd_ptx_next { HD_PTX_END, HD_PTX_STATEMENT };
/* The next statement; declarations and braces are dealt with on the way. */
enum hd_ptx_next hd_ptx_parse(struct hd_ptx *ptx, struct hd_ptx_statement *statement);
/* "inline assembly '<statement>': <reason>" as an error; only the first is reported. */
void hd_ptx_error(struct hd_ptx *ptx, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t hd_ptx_declare(struct hd_ptx *ptx, const char *name, unsigned bits);
enum hd_ptx_special { HD_PTX_CBANK = 0x100, HD_PTX_WIDE = 0x10000 /* 64 bits */ };

/* ---- ptx.c: operands */
bool hd_ptx_has(const struct hd_ptx *ptx, const char *part);
/* The type that part `back` from the end names (0: the last); bits 0 when it is none. */
struct hd_ptx_type hd_ptx_type(const struct hd_ptx *ptx, unsigned back);
/* Operand `index` as a value of `bits` bits; of 1, a predicate. */
struct hd_leaf hd_ptx_in(struct hd_ptx *ptx, unsigned index, unsigned bits);
struct hd_leaf hd_ptx_read(struct hd_ptx *ptx, const struct hd_ptx_part *part, unsigned bits);
struct hd_opnd hd_ptx_word(struct hd_ptx *ptx, unsigned index); /* 32 bits */
struct hd_popnd hd_ptx_pred(struct hd_ptx *ptx, unsigned index);
void hd_ptx_out(struct hd_ptx *ptx, unsigned index, struct hd_leaf leaf, unsigned bits);
void hd_ptx_write(struct hd_ptx *ptx, const struct hd_ptx_part *part, struct hd_leaf leaf, unsigned bits);
bool hd_ptx_constant(struct hd_ptx *ptx, unsigned index, uint64_t *value);
uint16_t hd_ptx_rounding(const struct hd_ptx *ptx);

/* ---- system.c */
/* The address in brackets at operand `index`, in `space`. */
struct hd_leaf hd_ptx_pointer(struct hd_ptx *ptx, unsigned index, unsigned space);

/* ---- alu.c */
/* The type of the opcode's last part, which has to be an integer of 16, 32 or 64 bits (or untyped). */
struct hd_ptx_type hd_ptx_integer_type(struct hd_ptx *ptx);
struct hd_leaf hd_ptx_plain_add(struct hd_ptx *ptx, struct hd_leaf a, struct hd_leaf b, bool subtract);
/* LLVMShl, LLVMLShr or LLVMAShr; distances beyond the width count as the width. */
struct hd_leaf hd_ptx_shifted(struct hd_ptx *ptx, LLVMOpcode op, struct hd_leaf value, struct hd_leaf amount,
			      unsigned bits);

/* ---- float.c */
LLVMTypeKind hd_ptx_kind(struct hd_ptx_type type);
/* Addition, multiplication or fma by enum hd_fp_op; | 0x10: a subtraction. */
void hd_ptx_float_op(struct hd_ptx *ptx, unsigned op);
struct hd_leaf hd_ptx_float_minmax(struct hd_ptx *ptx, struct hd_ptx_type type, bool max);

#endif
