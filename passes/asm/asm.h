/*
 * The text of inline PTX as statements, for the legaliser, which takes the control flow and what has no instruction out
 * of it (passes/legalize/asm.c), and for selection (passes/ptx/).
 */
#ifndef HD_PASSES_ASM_ASM_H
#define HD_PASSES_ASM_ASM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/vec.h"

#include <llvm-c/Core.h>

struct hd_arena;

enum { HD_PTX_NAME = 256 }; /* room for a name: those of the program's variables and kernels are mangled */
/* A register of the text: a declared one, or an operand of the assembly ("$0"); also a variable, as its address. */
struct hd_ptx_name {
	char name[HD_PTX_NAME];
	unsigned bits; /* 1: a predicate */
	uint32_t scope;
	bool hidden; /* its scope has ended */
};

/* `.local .align 4 .b8 t[16];` */
enum hd_ptx_place {
	HD_PTX_LOCAL,
	HD_PTX_SHARED,
	HD_PTX_PARAM,
	HD_PTX_GLOBAL,
	HD_PTX_CONST,
	HD_PTX_ENTRY,  /* a parameter of the kernel around the text */
	HD_PTX_PROGRAM /* not of the text, by its name */
};
/* Of an initial value: eight bytes, or one of these. */
struct hd_ptx_address {
	uint64_t at;  /* in the variable */
	uint32_t reg; /* the variable's whose address this is */
	bool generic;
	int64_t offset;
	unsigned bytes; /* 1: one of the address, shifted to the right by so many bits */
	unsigned shift;
};
struct hd_ptx_variable {
	uint32_t reg;
	enum hd_ptx_place place;
	unsigned align;
	uint64_t bytes;
	HD_VEC(uint8_t) initial; /* in global and constant memory; none: zeros */
	HD_VEC(struct hd_ptx_address) addresses;
};

/* `.func (.param .b32 r) f (.param .b64 a);`, or of a label `.callprototype`. */
enum { HD_PTX_PARAMS = 9 }; /* a result, and as many arguments as a call takes */
struct hd_ptx_prototype {
	char name[128];
	bool result;		       /* the first of the parameters is one */
	unsigned count;		       /* parameters */
	uint64_t bytes[HD_PTX_PARAMS]; /* of each */
};

enum hd_ptx_kind {
	HD_PTX_NOTHING,
	HD_PTX_REG,
	HD_PTX_NUMBER,
	HD_PTX_SINGLE,
	HD_PTX_DOUBLE,
	HD_PTX_SPECIAL,
	HD_PTX_SINK,
	HD_PTX_LABEL, /* reg: of the text's labels */
	HD_PTX_SYMBOL /* of a call: a function or a prototype, by its name */
};
struct hd_ptx_part {
	enum hd_ptx_kind kind;
	bool negated;	  /* -r */
	char selector[6]; /* "b0", "h1", "b3210": of a register */
	uint32_t reg;
	uint64_t number; /* also the bits of a float, and enum hd_ptx_special */
	const char *at;	 /* of a special register or a symbol: its name */
	unsigned length;
};

/* Of a vector: an accumulator of m8n8k4; one of wgmma's m64n256, single precision. */
enum { HD_PTX_ELEMENTS = 8, HD_PTX_WGMMA = 128 };
/* A call has three operands or four: results and arguments as vectors, the function between them, a prototype. */
enum hd_ptx_form { HD_PTX_PLAIN, HD_PTX_VECTOR, HD_PTX_ADDRESS };
struct hd_ptx_operand {
	enum hd_ptx_form form;
	bool inverted;		   /* !p */
	unsigned count;		   /* parts of a vector */
	struct hd_ptx_part *parts; /* of the text, at least HD_PTX_ELEMENTS; those behind `count` are HD_PTX_NOTHING. An
				      address: the base; of a texture its coordinates behind it */
	struct hd_ptx_part second; /* d|p */
	int64_t offset;		   /* of an address */
};

/* Where the statement names a register. */
struct hd_ptx_ref {
	const char *at;
	unsigned length;
	char before, after; /* of a vector that is named whole: what stands around its registers; 0: nothing */
	uint32_t reg;
};

enum { HD_PTX_PARTS = 16, HD_PTX_OPERANDS = 10 };
struct hd_ptx_statement {
	char text[160];			 /* the opcode as written */
	char split[160];		 /* its parts, each a string */
	const char *parts[HD_PTX_PARTS]; /* "add", "cc", "u32" */
	unsigned part_count;
	bool guarded, guard_not;
	uint32_t guard; /* register */
	struct hd_ptx_operand operands[HD_PTX_OPERANDS];
	unsigned count;
	const char *begin, *end;       /* in the text */
	uint32_t first_ref, ref_count; /* of the text's refs */
	uint32_t scope, label;	       /* of HD_PTX_AT_LABEL: the label */
};

/* Labels are named before they are met: `known` when it has been. Those of one name in other scopes are others. */
struct hd_ptx_label {
	char name[64];
	uint32_t scope;
	bool known;
	bool table;		  /* `t: .branchtargets a, b;` */
	HD_VEC(uint32_t) targets; /* of a table: labels */
};

struct hd_ptx_text {
	const char *at;		  /* what is left */
	struct hd_arena arena;	  /* parts of operands */
	struct hd_ptx_part *none; /* of an operand that is not there */
	HD_VEC(struct hd_ptx_ref) refs;
	HD_VEC(struct hd_ptx_name) regs;
	HD_VEC(struct hd_ptx_variable) variables;
	HD_VEC(struct hd_ptx_label) labels;
	HD_VEC(struct hd_ptx_prototype) prototypes;
	HD_VEC(uint32_t) outer; /* of each scope */
	uint32_t scope;		/* the innermost */
	bool failed;
	bool spills_in_shared; /* .pragma "enable_smem_spilling" */
	char reason[256];
	struct hd_ptx_statement *now;
};

/* Class of a type: u, s, b; f (float), h (half), g (bfloat), p (predicate); bits of a .x2 type are 32. */
struct hd_ptx_type {
	unsigned bits;
	char class;
};

enum hd_ptx_next { HD_PTX_END, HD_PTX_STATEMENT, HD_PTX_AT_LABEL };

void hd_ptx_text_init(struct hd_ptx_text *text, const char *at);
void hd_ptx_text_release(struct hd_ptx_text *text);
/* How many operands a call of inline assembly has at most: a tied one counts as a result and as an argument. */
unsigned hd_ptx_most_operands(LLVMValueRef call);
/* The text of a call of inline assembly, with LLVM's spelling of operands as register names ("${0:u}" and "$0" as "$0",
 * "$$" as "$") and arguments of constraint "n" or "i" as their numbers; in the arena. */
char *hd_ptx_text_of(struct hd_arena *arena, LLVMValueRef call);
/* The next statement or label; declarations and braces are dealt with on the way. */
enum hd_ptx_next hd_ptx_parse(struct hd_ptx_text *text, struct hd_ptx_statement *statement);
/* Only the first error counts. */
void hd_ptx_text_error(struct hd_ptx_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t hd_ptx_text_declare(struct hd_ptx_text *text, const char *name, unsigned bits);
/* The label that a name means in a scope; UINT32_MAX: none. After the whole text has been read. */
uint32_t hd_ptx_text_label(const struct hd_ptx_text *text, uint32_t named);

/* A floating-point constant as an operand of so many bits. */
uint64_t hd_ptx_float_bits(const struct hd_ptx_part *part, unsigned bits);
/* Whether the opcode has the part behind its first one. */
bool hd_ptx_statement_has(const struct hd_ptx_statement *statement, const char *part);
/* The type that part `back` from the end names (0: the last); bits 0 when it is none. */
struct hd_ptx_type hd_ptx_statement_type(const struct hd_ptx_statement *statement, unsigned back);
/* The first type among the parts behind the first one; bits 0 when there is none. */
struct hd_ptx_type hd_ptx_statement_element(const struct hd_ptx_statement *statement);
struct hd_ptx_type hd_ptx_type_named(const char *name);
static inline bool hd_ptx_type_is_signed(struct hd_ptx_type type)
{
	return type.class == 's';
}

/* Whether there is a special register of the name, "%tid.x"; what it is. */
bool hd_ptx_special_named(const char *name, uint64_t *code);
/* What the number of a special register means: a word of the constant bank from CBANK on, else an enum hd_sr. */
enum hd_ptx_special { HD_PTX_CBANK = 0x100, HD_PTX_CONSTANT = 0x8000, HD_PTX_WIDE = 0x10000 /* 64 bits */ };

#endif
