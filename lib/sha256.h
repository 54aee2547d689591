/*
 * SHA-256 (FIPS 180-4), for names of results that are made of their content.
 */
#ifndef HD_LIB_SHA256_H
#define HD_LIB_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_sha256 {
	uint32_t state[8];
	uint64_t bytes; /* taken in so far */
	bool plain;	/* without the processor's instructions for it */
	uint8_t block[64];
};

enum { HD_SHA256_TEXT = 65 }; /* hexadecimal digits and the terminating NUL */

void hd_sha256_init(struct hd_sha256 *hash);
void hd_sha256_add(struct hd_sha256 *hash, const void *bytes, size_t size);
/* Ends the hash and writes its digits. */
void hd_sha256_finish(struct hd_sha256 *hash, char text[HD_SHA256_TEXT]);

#endif
