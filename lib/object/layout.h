/* clang-format off */
/*
 * Layout of the kernel object on disk, shared by its writer and its reader. All numbers are
 * little-endian. Beside what ELF itself says:
 *
 *   ELF header          e_machine OBJECT_MACHINE, EI_OSABI 255 (stand-alone), EI_ABIVERSION the object's version.
 *                       An image for libomptarget is ET_EXEC for EM_CUDA, with 70 for sm_70 in e_flags: it loads no
 *                       other. The section header table ends the file, so the header tells the object's size.
 *   .heddle.functions   u32 count, count x {u32 text section, flags, registers, frame bytes, shared bytes,
 *                       parameter bytes, jump tables, result words}, then for each table u32 n and n x u32 target
 *   .heddle.symbols     for each entry of .symtab but the first {u32 flags, u32 function, u64 alignment}
 *   .heddle.shared      no bytes; gives shared variables a section for their offsets
 *   .heddle.note        an ELF note "Heddle" of type 1: u32 version, u32 0, u64 size of the object
 *   .heddle.meta .debug.heddle .heddle.linear .heddle.control .heddle.ir   packed: parts.h
 *
 * Relocation types are enum hd_relkind + 1, type 0 being no relocation in every ELF.
 */
/* clang-format on */
#ifndef HD_LIB_OBJECT_LAYOUT_H
#define HD_LIB_OBJECT_LAYOUT_H

#include <stdint.h>

enum {
	OBJECT_MACHINE = 0x4844,   /* "HD"; assigned to nobody */
	OBJECT_HAS_MANAGED = 1,	   /* in e_flags: some variable is managed */
	OBJECT_ADDRESS_64 = 0x400, /* of an image for libomptarget: LLVM's EF_CUDA_64BIT_ADDRESS */
	OBJECT_HEADER_BYTES = 64,
	SECTION_HEADER_BYTES = 64,
	FUNCTION_RECORD_BYTES = 32,
	LINEAR_RECORD_BYTES = 14 * 4 + 16,
	SYMBOL_RECORD_BYTES = 16,
	LINEAR_CHECK_BYTES = 24,       /* and the words */
	NOTE_SIZE_OFFSET = 12 + 8 + 8, /* of the object's size in .heddle.note */
	NOTE_BYTES = NOTE_SIZE_OFFSET + 8,
};

enum { FUNCTION_IS_KERNEL = 1, FUNCTION_IS_HELPER = 2, FUNCTION_FLAGS = 3 };

enum {
	SYMBOL_SPACE_MASK = 3, /* enum hd_space */
	SYMBOL_IS_VARIABLE = 1 << 2,
	SYMBOL_IS_MANAGED = 1 << 3,
	SYMBOL_IS_BSS = 1 << 4,
	SYMBOL_FLAGS = (1 << 5) - 1,
};

#define TEXT_PREFIX ".text."
#define LINEAR_PREFIX ".linear."
#define RELA_PREFIX ".rela"
#define SECTION_SHARED ".heddle.shared"
#define SECTION_FUNCTIONS ".heddle.functions"
#define SECTION_LINEAR ".heddle.linear"
#define SECTION_SYMBOLS ".heddle.symbols"
#define SECTION_CONTROL ".heddle.control"
#define SECTION_ORIGINS ".debug.heddle"
#define SECTION_INLINED ".debug.heddle.inlined"
#define SECTION_META ".heddle.meta"
#define SECTION_IR ".heddle.ir"
#define SECTION_NOTE ".heddle.note"

static inline uint32_t get_u16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}
static inline uint32_t get_u32(const uint8_t *at)
{
	return get_u16(at) | get_u16(at + 2) << 16;
}
static inline uint64_t get_u64(const uint8_t *at)
{
	return get_u32(at) | (uint64_t)get_u32(at + 4) << 32;
}
static inline void put_u32(uint8_t *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}
static inline void put_u64(uint8_t *at, uint64_t value)
{
	put_u32(at, (uint32_t)value);
	put_u32(at + 4, (uint32_t)(value >> 32));
}

#endif
