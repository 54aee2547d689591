/*
 * Loading of modules: reading, decoding and linking of their code.
 */
#ifndef HD_RUNTIME_EXEC_LOAD_H
#define HD_RUNTIME_EXEC_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/program.h"

struct hd_arena;

/* Program: decode, link and resolve a module's object, as far as somebody looks at all of it; unload leaves holes that
 * are never executed. */
int hd_program_load(struct hd_gpu *gpu, struct hd_module *module);
/* The kernel of that name, with all that it may come to in its place. NULL: there is none, or it was refused, which has
 * been reported. */
struct hd_kernel *hd_program_kernel(struct hd_module *module, const char *name);

/* Where an address of code is in the loaded program; HD_PC_NONE: it is none. */
uint32_t hd_program_pc(const struct hd_gpu *gpu, uint64_t address);

/* The function in whose place an instruction is. */
uint32_t hd_program_function(const struct hd_program *program, uint32_t pc);
/* The definition of a symbol: in the module itself, else in one that was loaded before. *home becomes where it is.
 * NULL: nowhere. */
const struct hd_symbol *hd_program_definition(const struct hd_gpu *gpu, const struct hd_module *module,
					      const struct hd_symbol *symbol, const struct hd_module **home);
/* Decodes functions of a module, and their linear versions, into their places; the object has read them. */
int hd_program_fill(struct hd_gpu *gpu, struct hd_module *module, const uint32_t *functions, uint32_t count);
/* demand.c: the same for all functions, or for one and those that it may come to; what they are is read from the
 * object. Nothing happens to what is there. */
int hd_program_fill_all(struct hd_gpu *gpu, struct hd_module *module);
int hd_program_need(struct hd_gpu *gpu, struct hd_module *module, uint32_t function);
/* What the module's data have the addresses of. */
int hd_program_need_data(struct hd_gpu *gpu, struct hd_module *module);
/* Whether somebody looks at code or metadata that does not run. */
bool hd_program_shows_all(const struct hd_gpu *gpu, const struct hd_module *module);
/* Unloading leaves traps where the code was. */
void hd_program_unload(struct hd_gpu *gpu, struct hd_module *module);
/* Gives the module's variables their first values. */
void hd_program_restore_data(struct hd_gpu *gpu, struct hd_module *module);
int hd_program_symbol(const struct hd_module *module, const char *name, uint64_t *address, uint64_t *size);

/* facts.c: what is said of instructions, hd_pfunction.facts; and of the register operands of one. */
void hd_facts_prepare(const struct hd_gpu *gpu, struct hd_module *module, struct hd_pfunction *function);
void hd_facts_tag(const struct hd_meta_function *said, uint32_t index, struct hd_dinst *inst);

/* resizes.c: hd_pfunction.least, in the arena. */
const uint16_t *hd_resizes_least(const struct hd_function *from, struct hd_arena *arena);

#endif
