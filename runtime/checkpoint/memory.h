/*
 * Device memory as checkpoints want it: what changed in it since it was last looked at, by pages of 4 KiB and lines of
 * 64 bytes, and that put back in another process.
 */
#ifndef HD_RUNTIME_CHECKPOINT_MEMORY_H
#define HD_RUNTIME_CHECKPOINT_MEMORY_H

#include "lib/strbuf.h"
#include "runtime/exec/exec.h"

struct hd_mirror; /* of device memory, as it was when it was last looked at */

struct hd_mirror *hd_mirror_new(const struct hd_devmem *memory);
void hd_mirror_free(struct hd_mirror *mirror);
/* Takes what changed into the mirror; a digest of that, which does not depend on an order. */
uint64_t hd_mirror_follow(struct hd_mirror *mirror);
/* Appends what changed to `changes`; `follow`: and takes it into the mirror. */
void hd_mirror_compare(struct hd_mirror *mirror, struct hd_strbuf *changes, bool follow);
/* Puts changes of hd_mirror_compare into the memory: 0, or -1: it has no such addresses, or they are malformed. */
int hd_mirror_put(struct hd_mirror *mirror, const void *changes, size_t bytes);

#endif
