/*
 * What is known about one function of an object, or about the linear version of a kernel, instruction by instruction:
 * its blocks, the relocation and the call record of each instruction, and its metadata; and how it is printed.
 */
#ifndef HD_LIB_OBJECT_LISTING_H
#define HD_LIB_OBJECT_LISTING_H

#include <stdio.h>

#include "heddle/object.h"

struct hd_listing {
	const struct hd_object *object;
	const struct hd_function *function;
	const struct hd_linear *linear;		  /* whose body the function is, or NULL */
	const struct hd_meta_function *meta;	  /* NULL when the metadata has no such function */
	uint32_t *block;			  /* of each instruction; blocks are numbered in order of address */
	const struct hd_reloc **reloc;		  /* of each instruction, or NULL */
	const struct hd_meta_call **call;	  /* of each instruction, or NULL */
	const struct hd_meta_interval **interval; /* whose entry the instruction is, or NULL */
};

/* Everything is in the arena. */
void hd_listing_init_linear(struct hd_listing *listing, const struct hd_object *object, const struct hd_linear *linear,
			    struct hd_arena *arena);
void hd_listing_init(struct hd_listing *listing, const struct hd_object *object, const struct hd_function *function,
		     struct hd_arena *arena);
/* Name of the symbol that the instruction's relocation names, or NULL. */
const char *hd_listing_symbol(const struct hd_listing *listing, uint32_t index);
/* Assembly text with the callee's name in place of its number; `text` has HD_LISTING_TEXT bytes. */
enum { HD_LISTING_TEXT = 512 };
void hd_listing_format(const struct hd_listing *listing, uint32_t index, char text[HD_LISTING_TEXT]);

/* "block-index parts" where one of a linear version's streams begins, else NULL. */
const char *hd_listing_stream(const struct hd_listing *listing, uint32_t index);

/* How a listing looks beside its text; all may be NULL. */
struct hd_listing_style {
	const char *bold, *dim, *plain; /* what a terminal obeys */
	/* The line of a source file of the object, NULL when it is not known. */
	const char *(*source)(void *context, uint32_t file, uint32_t line);
	void *context;
	bool control; /* control bits in front of each instruction that has some */
};

/*
 * Prints the code, an instruction a line in columns: the byte offset, the guard, the instruction, its role, its control
 * flow, calls and addresses, and its source where that is not the line above's. Lines between say where blocks, streams
 * and register-intervals begin.
 */
void hd_listing_print(FILE *out, const struct hd_listing *listing, const struct hd_listing_style *style);
/* The register table of a linear version, a line each. */
void hd_listing_print_linear_registers(FILE *out, const struct hd_linear *linear);

#endif
