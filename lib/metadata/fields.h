/*
 * What the records of the metadata consist of, as tables: the writer, the reader and the schema walk them, and tools
 * look figures up in them. The figures come from heddle/metadata.def, the rest from fields.c.
 */
#ifndef HD_LIB_METADATA_FIELDS_H
#define HD_LIB_METADATA_FIELDS_H

#include <jansson.h>

#include "heddle/metadata.h"

enum hd_meta_type {
	HD_META_INTEGER,    /* of 1, 4 or 8 bytes, from `least` to `most` */
	HD_META_FLAG,	    /* bool */
	HD_META_IS_NONE,    /* a flag in the JSON: whether the choice at `at` is its first, which is no name */
	HD_META_CHOICE,	    /* index into `names` */
	HD_META_TEXT,	    /* const char * */
	HD_META_SOURCE,	    /* struct hd_meta_source */
	HD_META_TEXTS,	    /* `length` const char * in the record */
	HD_META_TEXT_LIST,  /* const char ** and its count */
	HD_META_NUMBERS,    /* `length` uint32_t in the record, from `least` on */
	HD_META_PCS,	    /* uint32_t *, ascending, and its count */
	HD_META_REGISTERS,  /* uint64_t[4] */
	HD_META_PREDICATES, /* uint8_t */
	HD_META_MASK,	    /* uint64_t, of 54 bits */
	HD_META_DIGITS,	    /* uint8_t * and its count: `length` of `digits` for each instruction of the function */
	HD_META_RECORD,	    /* a record in the record */
	HD_META_OPTIONAL,   /* a pointer to a record; NULL: the key is absent */
	HD_META_LIST,	    /* a pointer to records and their count */
};

/* When a value is null in the JSON. */
enum hd_meta_null {
	HD_META_NEVER_NULL,
	HD_META_NULL_UNKNOWN, /* the bool at `other` is false */
	HD_META_NULL_VALUE,   /* it is the number `none` */
	HD_META_NULL_ZERO,    /* its last number is 0 */
	HD_META_NULL_POINTER, /* it begins with a pointer that is NULL */
};

enum hd_meta_better { HD_META_PLAIN, HD_META_LESS, HD_META_MORE, HD_META_NEITHER };

struct hd_meta_record;

struct hd_meta_field {
	const char *group; /* the object in which the key stands; NULL: that of the record */
	const char *key;
	enum hd_meta_type type;
	uint32_t at, bytes; /* of the member in its struct */
	bool is_signed;
	uint32_t other; /* of its count or flag in the struct */
	enum hd_meta_null null;
	int64_t none, least, most;
	uint32_t multiple; /* of which it is one; 0: of any */
	uint32_t length;
	const char *const *names;     /* NULL ends them; of a choice that may be null, without the name of 0 */
	const char *digits, *pattern; /* of digits or a mask; what the schema says about it */
	bool may_be_empty;	      /* digits: where the analysis did not run */
	const char *form;	      /* in the schema's $defs: of the value, of a list's elements */
	const char *count_key;	      /* of a list: the figure before it that says how long it is */
	bool at_launch;		      /* of a function: a list that a launch reads, and not only who looks at code */
	bool beside; /* in an optional record: the key stands before the record's, in the object around */
	const struct hd_meta_record *record;
	/* figures */
	const char *unit, *metric, *node;
	enum hd_meta_better better;
	const char *doc;
};

struct hd_meta_group {
	const char *name, *doc;
};

struct hd_meta_record {
	const char *name; /* in the schema's $defs */
	const char *doc;
	const struct hd_meta_field *fields; /* in the order in which they are printed */
	uint32_t count, bytes;
	const struct hd_meta_group *groups;				  /* without a name: the end. NULL: none */
	enum { HD_META_CLOSED, HD_META_OPEN_OBJECTS, HD_META_OPEN } open; /* which other keys the schema allows */
	/* A rule over several keys: the key that breaks it, and what was expected there; NULL: it holds.
	 * `object` is NULL where the record does not come from JSON. */
	const char *(*broken)(const json_t *object, const void *record, const char **expected);
};

extern const struct hd_meta_record hd_meta_document_record, hd_meta_function_record;
/* Of those parts of a function that have figures. */
extern const struct hd_meta_record hd_meta_reuse_record, hd_meta_affine_record, hd_meta_linear_version_record;
/* The figure of a function at "key", "group.key" or "record.key"; NULL: it is not one. */
const struct hd_meta_field *hd_meta_figure_at(const char *path);
/* Whether the field is a row of metadata.def. */
static inline bool hd_meta_is_figure(const struct hd_meta_field *field)
{
	return field->unit != NULL;
}
/*
 * Whether a figure is a number: of a metric by its short name, as heddle/metadata.def says. Each is worse than those
 * before it. `places`: at how many places it is not proven, or for how many reasons it has no bound.
 */
enum hd_meta_state { HD_META_IS_NUMBER, HD_META_UNPROVEN, HD_META_UNBOUNDED };
enum hd_meta_state hd_meta_state_of(const struct hd_meta_function *function, const char *metric, uint32_t *places);
/* "unproven at 2 places", "unbounded"; "" for a number. Returns `text`. */
const char *hd_meta_state_text(enum hd_meta_state state, uint32_t places, char *text, size_t size);
/* Sets the calling convention that the flags name. NULL, or what was expected of them. */
const char *hd_meta_find_convention(struct hd_metadata *metadata);
/* A flag is 0 or 1. */
uint32_t hd_meta_figure_value(const struct hd_meta_field *figure, const void *record);

#endif
