/*
 * The file of a checkpoint: what it is of, as JSON, and entries, with a checksum over all of it.
 *
 *   "HEDDLECK"  u32 format  u32 bytes of the head  the head, JSON
 *   entries:    u32 kind  u32 0  u64 bytes  the bytes
 *   the last:   kind HD_ENTRY_END, the SHA-256 of all before it
 *
 * Numbers are the host's: a checkpoint is of one build of Heddle on one kind of host (image.c).
 */
#ifndef HD_RUNTIME_CHECKPOINT_FILE_H
#define HD_RUNTIME_CHECKPOINT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/diag.h"
#include "lib/sha256.h"

#define HD_CHECKPOINT_FORMAT 2u

enum hd_entry_kind {
	HD_ENTRY_LOAD = 1, /* an object was loaded */
	HD_ENTRY_SUBMIT,   /* a launch was put on its way */
	HD_ENTRY_STEP,	   /* what happened until a launch had ended */
	HD_ENTRY_PART,	   /* what happened until the checkpoint, in the step that it is in */
	HD_ENTRY_IMAGE,	   /* of an area of the heap */
	HD_ENTRY_END
};

/* `to` is opened and closed by who writes. A failure is remembered, and said by hd_entry_failed. */
struct hd_entry_writer {
	FILE *to;
	struct hd_sha256 hash;
	bool failed;
};

void hd_entry_head(struct hd_entry_writer *writer, const char *head);
/* Announces an entry, whose bytes follow in pieces. */
void hd_entry_begin(struct hd_entry_writer *writer, enum hd_entry_kind kind, uint64_t bytes);
void hd_entry_put(struct hd_entry_writer *writer, const void *bytes, size_t size);
/* All that another file has. */
void hd_entry_copy(struct hd_entry_writer *writer, FILE *from);
void hd_entry_end(struct hd_entry_writer *writer);

struct hd_entry_reader {
	FILE *from;
	const char *path;
	char *head; /* the JSON */
};

/* Opens a checkpoint and looks whether it is whole: 0, or -1 with the error reported, which names the file and what is
 * wrong with it. */
int hd_entry_open(struct hd_entry_reader *reader, const char *path, struct hd_diag *diag);
void hd_entry_close(struct hd_entry_reader *reader);
/* The next entry's kind and bytes, which are to be read then, or skipped; 0 or -1. */
int hd_entry_next(struct hd_entry_reader *reader, enum hd_entry_kind *kind, uint64_t *bytes);
int hd_entry_get(struct hd_entry_reader *reader, void *bytes, size_t size);
int hd_entry_skip(struct hd_entry_reader *reader, uint64_t bytes);

#endif
