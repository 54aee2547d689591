/*
 * Shared by globals.c and shared.c: symbols on their way to the object.
 */
#ifndef HD_PASSES_SELECT_GLOBALS_H
#define HD_PASSES_SELECT_GLOBALS_H

#include "passes/select/select.h"

typedef HD_VEC(struct hd_reloc) hd_relocs;

struct hd_globals {
	struct hd_unit *unit;
	LLVMTargetDataRef layout;
	HD_VEC(struct hd_symbol) symbols;
	struct hd_map map; /* function or variable -> index in symbols */
	hd_relocs data_relocs, rodata_relocs;
	LLVMValueRef missing; /* what the note on undefined symbols names, of so many; and what it adds */
	uint32_t missing_count;
	const char *missing_what, *missing_from;
};

/*
 * Gives each shared variable an offset in the CTA's shared memory: those that one kernel can reach never overlap.
 * Sets shared_bytes of the kernels.
 */
void hd_layout_shared(struct hd_globals *globals);

#endif
