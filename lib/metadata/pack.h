/*
 * Metadata in the kernel object's form (docs/architecture.md, The contract): the values of the tables in fields.c one
 * after the other, without their names. What it says, and its JSON, are the same as the document's.
 *
 *   the document    u64 hd_meta_layout; its fields; the number of functions; of each, in order of name, its name, its
 *                   demangled name and a byte, 1 for a kernel
 *   the figures     of a function: all fields of which a launch or a listing can have need
 *   the tables      of a function: what stands there by point, pc or value
 */
#ifndef HD_LIB_METADATA_PACK_H
#define HD_LIB_METADATA_PACK_H

#include "lib/metadata/fields.h"
#include "lib/packed.h"

/*
 * Fields come in editions: those of one are the fields of the edition before and some more (the table in pack.c).
 * Objects of earlier editions are read; what they lack has the value of its row, or is null where it may be. A field
 * that changes or goes makes objects unreadable. So does a new field without a row in that table.
 */
enum { HD_META_EDITION = 1 };

/* Of the tables as an edition has them; changes with each change of them that changes what packed bytes mean. */
uint64_t hd_meta_layout(uint32_t edition);
/* `value`: what the field is for an object of an edition that lacks it. */
bool hd_meta_field_is_of(const struct hd_meta_field *field, uint32_t edition, int64_t *value);

/* Of one document: sections of an object are numbered with 16 bits, and a function may take two. */
enum { HD_META_MOST_FUNCTIONS = 32000 };

enum hd_meta_part { HD_META_FIGURES, HD_META_TABLES, HD_META_PARTS };

/* Its functions in order of name, in the arena. */
const struct hd_meta_function **hd_meta_pack_order(const struct hd_metadata *metadata, struct hd_arena *arena);
void hd_meta_pack_document(struct hd_strbuf *to, const struct hd_metadata *metadata,
			   const struct hd_meta_function *const *functions);
void hd_meta_pack_function(struct hd_strbuf *to, const struct hd_meta_function *function, enum hd_meta_part part);

/*
 * The same back, from bytes that may be anything; they have to live as long as the metadata, which points into them,
 * and nobody else writes to them. The document gives functions that are all zero but for their names; figures come
 * before tables. 0, or -1 with the error reported.
 */
int hd_meta_unpack_document(const struct hd_span *bytes, const char *name, struct hd_arena *arena,
			    struct hd_metadata *metadata, struct hd_diag *diag);
int hd_meta_unpack_function(const struct hd_span *bytes, const char *name, const struct hd_metadata *document,
			    struct hd_meta_function *function, enum hd_meta_part part, struct hd_diag *diag);
/* Whether the field of a function belongs to the part. */
bool hd_meta_field_is_in(const struct hd_meta_field *field, enum hd_meta_part part);

#endif
