/*
 * The simulator's own memory as part of a checkpoint: the areas of the heap at a fixed place (lib/store.h), page by
 * page.
 */
#ifndef HD_RUNTIME_CHECKPOINT_IMAGE_H
#define HD_RUNTIME_CHECKPOINT_IMAGE_H

#include "runtime/checkpoint/file.h"

/* Where this program's code and constants are: addresses of them in the heap change from process to process. */
struct hd_image_code {
	uint64_t base, bytes;
};
struct hd_image_code hd_image_code(void);
/* SHA-256 of the file that they are from, into `text`; 0 or -1. */
int hd_image_build(char text[HD_SHA256_TEXT]);

/* An entry for each area. */
void hd_image_write(struct hd_entry_writer *writer);
/* Takes the place of all areas with what the entries say; `then`: where code was when they were written. 0, or -1: the
 * heap is void. */
int hd_image_read(struct hd_entry_reader *reader, const struct hd_image_code *then);

#endif
