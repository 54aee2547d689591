/*
 * SHA-256 (FIPS 180-4), for names of results that are made of their content. The hash itself is nettle's, which takes
 * the instructions that the processor has for it.
 */
#ifndef HD_LIB_SHA256_H
#define HD_LIB_SHA256_H

#include <stddef.h>

#include <nettle/sha2.h>

struct hd_sha256 {
	struct sha256_ctx state;
};

enum { HD_SHA256_TEXT = 2 * SHA256_DIGEST_SIZE + 1 }; /* hexadecimal digits and the terminating NUL */

void hd_sha256_init(struct hd_sha256 *hash);
void hd_sha256_add(struct hd_sha256 *hash, const void *bytes, size_t size);
/* Ends the hash and writes its digits. */
void hd_sha256_finish(struct hd_sha256 *hash, char text[HD_SHA256_TEXT]);

#endif
