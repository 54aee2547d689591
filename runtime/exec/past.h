/*
 * Global memory as it was when a window of cycles began (past.c).
 */
#ifndef HD_RUNTIME_EXEC_PAST_H
#define HD_RUNTIME_EXEC_PAST_H

#include "runtime/exec/exec.h"

struct hd_past;

struct hd_past *hd_past_new(void);
void hd_past_free(struct hd_past *past);
/* A window begins. */
void hd_past_clear(struct hd_past *past);

/* Before the lanes in exec->mask write so many bytes at host addresses base + offset[lane], checked already. */
void hd_past_keep(struct hd_past *past, const struct hd_exec *exec, uintptr_t base, const uint64_t *offset,
		  unsigned bytes);
/* At most 16 bytes of host memory as they were; whether one of their words has been overwritten. */
bool hd_past_read(const struct hd_past *past, const void *host, unsigned bytes, uint8_t *out);
/* As hd_exec_load_lanes, of what was there. */
void hd_past_load(const struct hd_past *past, const struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base,
		  const uint64_t *offset);

#endif
