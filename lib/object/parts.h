/*
 * The sections of the kernel object that are packed and read in parts (items.h), between their writer (pack.c) and
 * their readers (load.c, which reads the code of a function and what belongs to it when somebody asks for that
 * function).
 *
 *   .heddle.meta           item 0: the document; then the figures of each function in order of name; then the tables
 *                          of each (lib/metadata/pack.h)
 *
 *   .debug.heddle          item 0: u32 number of source files, their names, each with its NUL; then an item for each
 *                          body: the functions, and the linear versions behind them. Of each instruction as varints:
 *                          1 + file, 0 unknown; zigzag of the line less that of the one before; column; zigzag of
 *                          1 + IR ordinal less that of the one before, 0 unknown
 *
 *   .debug.heddle.inlined  there when calls are known whose callee was inlined. Item 0: their varint number and of each
 *                          varints 1 + file of the call, 0 unknown; line; column; 1 + number of the call around it,
 *                          0 none; then the callees' names, each with its NUL. Then an item for each body, of each
 *                          instruction as varint: zigzag of 1 + number of the innermost call around it, 0 none, less
 *                          that of the one before
 *
 *   .heddle.linear         there when a kernel has a linear version. Item 0: records of {u32 text section, kernel,
 *                          registers, frame bytes, jump tables, 4 x start, coefficient, thread-index and linear
 *                          registers, checks, instructions saved; 16 bytes of register table}; then an item for each:
 *                          for each instruction u32 twin; u32 n and n x {u32 pc, u32 register + words << 8}; jump
 *                          tables as in .heddle.functions; checks {u64 low, high, u32 words, 0, n x u64 word}
 *
 *   .heddle.control        there when all code has control bits: an item for each body, u32 of hd_control_encode for
 *                          each of its instructions
 *
 *   .heddle.ir             one item: bitcode
 */
#ifndef HD_LIB_OBJECT_PARTS_H
#define HD_LIB_OBJECT_PARTS_H

#include "heddle/object.h"
#include "lib/object/items.h"

/* hd_object_write packs with HD_CODEC_ZSTD. */
int object_write_packed(const struct hd_object *object, enum hd_codec codec, uint8_t **bytes, size_t *size,
			struct hd_diag *diag);

/* Contents of these sections are appended. 0, or -1: they are too large. `sections`: the number of each linear
 * version's code section. */
int object_pack_metadata(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to);
/* `symbols`: the number in the file, from 1 on, of each of the object's. */
int object_pack_origins(const struct hd_object *object, const uint32_t *symbols, enum hd_codec codec,
			struct hd_strbuf *to);
int object_pack_inlined(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to);
int object_pack_linears(const struct hd_object *object, const size_t *sections, enum hd_codec codec,
			struct hd_strbuf *to);
int object_pack_control(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to);
int object_pack_bitcode(const struct hd_object *object, enum hd_codec codec, struct hd_strbuf *to);
void object_append_u32(struct hd_strbuf *blob, uint32_t value);
void object_append_tables(struct hd_strbuf *blob, const struct hd_function *function);

/* ------------------------------------------------------------------ reading */

/* The code of a function or of a linear version, as the file has it. */
struct object_body {
	const uint8_t *text, *relocs;
	uint64_t text_bytes, reloc_bytes;
};

/* What a reader has not taken out of the file yet. */
struct hd_object_rest {
	const char *name; /* of the object, for messages */
	struct object_body *bodies;
	uint32_t body_count;
	struct items meta, origins, linears, control;
	bool has_origins, has_control;
	uint32_t version;   /* of the object's form */
	uint64_t budget;    /* bytes of code and relocations that may still be taken */
	bool *code_read;    /* by function */
	uint8_t *meta_read; /* by function of the metadata: 1 << enum hd_meta_part */
};

__attribute__((format(printf, 3, 4))) int object_damaged(const char *name, struct hd_diag *diag, const char *format,
							 ...);
/* A function, or the body of a linear version, which are counted behind them. */
struct hd_function *object_body(const struct hd_object *object, uint32_t index);
/* An entry of a section of relocations; `unit`: bytes that one step of hd_reloc.offset stands for. 0, or -1: it is
 * none. */
int object_read_reloc(const uint8_t *entry, uint32_t unit, uint32_t symbol_count, struct hd_reloc *reloc);
/* Jump tables of a function whose table_count is known. 0, or -1: they do not fit. */
int object_read_tables(struct hd_span *bytes, struct hd_function *function, struct hd_arena *arena);
/* What an instruction of an object of that version meant, where it means something else since version *since; else
 * NULL. `before_atomic`: an atomic operation stands behind it in the function. */
const char *object_changed_inst(uint32_t version, const struct hd_inst *inst, bool before_atomic, uint32_t *since);
/* The parts of hd_object_verify: what concerns no code, and one function with its linear version. */
int object_verify_frame(const struct hd_object *object, const char *name, struct hd_diag *diag);
int object_verify_function(const struct hd_object *object, uint32_t function, const char *name, struct hd_diag *diag);

#endif
