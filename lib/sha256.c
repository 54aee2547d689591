/* SHA-256: see sha256.h. */
#include "lib/sha256.h"

#include <stdio.h>

#include <nettle/version.h>

void hd_sha256_init(struct hd_sha256 *hash)
{
	sha256_init(&hash->state);
}

void hd_sha256_add(struct hd_sha256 *hash, const void *bytes, size_t size)
{
	sha256_update(&hash->state, size, bytes);
}

void hd_sha256_finish(struct hd_sha256 *hash, char text[HD_SHA256_TEXT])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
#if NETTLE_VERSION_MAJOR >= 4
	sha256_digest(&hash->state, digest);
#else
	sha256_digest(&hash->state, sizeof digest, digest);
#endif
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}
