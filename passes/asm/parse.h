/*
 * What the files that take inline PTX apart share.
 */
#ifndef HD_PASSES_ASM_PARSE_H
#define HD_PASSES_ASM_PARSE_H

#include "passes/asm/asm.h"

/* ---- parse.c */
void hd_ptx_skip_space(struct hd_ptx_text *text);
/* Whether this character is the next one, which is then behind us. */
bool hd_ptx_take(struct hd_ptx_text *text, char c);
void hd_ptx_expect(struct hd_ptx_text *text, char c);
bool hd_ptx_take_word(struct hd_ptx_text *text, char *to, size_t room);
/* One without parts, but with room for them. */
struct hd_ptx_operand hd_ptx_new_operand(struct hd_ptx_text *text);
void hd_ptx_part(struct hd_ptx_text *text, struct hd_ptx_part *out);
void hd_ptx_parts_until(struct hd_ptx_text *text, struct hd_ptx_operand *out, char end);
/* Of a type with its dot; 0: it is none. */
unsigned hd_ptx_register_bits(const char *type);
/* The innermost register or variable of that name. */
bool hd_ptx_find_register(struct hd_ptx_text *text, const char *name, size_t length, uint32_t *out);
/* A name that the text does not declare, as one of the program's. */
uint32_t hd_ptx_program_variable(struct hd_ptx_text *text, const char *name);

/* ---- variable.c */
/* The rest of `.shared .align 16 .b8 t[64], u;`, `.global .b32 v[] = {1, 2};`. */
void hd_ptx_variable(struct hd_ptx_text *text, enum hd_ptx_place place);

/* ---- constant.c */
/* A number, or an expression of integers; false: none stands here, and nothing was taken. */
bool hd_ptx_number(struct hd_ptx_text *text, struct hd_ptx_part *part);

/* ---- call.c */
/* The rest of a declaration that begins with this word. */
void hd_ptx_function(struct hd_ptx_text *text, const char *word);
/* The rest of `name: .callprototype ...`. */
void hd_ptx_prototype(struct hd_ptx_text *text, const char *name);
/* The operands of a call in parentheses and the function; what may follow is an ordinary operand. */
void hd_ptx_call(struct hd_ptx_text *text, struct hd_ptx_statement *statement);

#endif
