/*
 * What writing and reading of recordings share (lib/recording.h).
 */
#ifndef HD_LIB_RECORDING_FORMAT_H
#define HD_LIB_RECORDING_FORMAT_H

#include "lib/recording.h"

#define HD_RECORDING_MAGIC "HEDDLRUN"
enum { HD_RECORDING_MAGIC_BYTES = 8, HD_RECORDING_FORMAT = 1 };

struct hd_recording_entry {
	uint32_t kind, first; /* first: bytes of its first part */
	uint64_t bytes, check;
};

uint64_t hd_recording_check(const struct hd_recording_entry *entry, uint64_t number, const void *first,
			    size_t first_bytes, const void *second, size_t second_bytes);

#endif
