/*
 * A recording: what a program has the device do, so that it can be done again without the program, beside others. Who
 * records is runtime/corun/recorder.c, `heddle run --record`; who reads is `heddle corun`.
 *
 * The file: "HEDDLRUN", u32 format, u32 0; then entries of u32 kind, u32 bytes of its first part, u64 bytes, u64 check
 * of all that and of how many came before, and the bytes. Numbers are little-endian. Kinds, in the order of what
 * happened:
 *
 *   head      JSON: program, gpu, slot
 *   object    a kernel object, once for all modules that are loaded from it
 *   module    struct hd_recorded_module: it is loaded
 *   allocate  two u64: the first address of an allocation, and that behind its last byte
 *   release   u64: an allocation's first address
 *   memory    u64 address, and bytes that are there from now on
 *   launch    JSON (launch_object in recorder.c)
 *   refused   text: why the program cannot be recorded; the last entry
 *   end       of each allocation three u64: address, address behind it, hash of its contents; the last entry
 *
 * Device addresses are the program's own. So that several programs find room in one device memory each is recorded in a
 * slot: a window of HD_RECORDING_SLOT_BYTES of addresses.
 */
#ifndef HD_LIB_RECORDING_H
#define HD_LIB_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/vec.h"

enum { HD_RECORDING_SLOTS = 64 };
#ifndef HD_RECORDING_BASE /* builds for ThreadSanitizer define it (Makefile) */
#define HD_RECORDING_BASE UINT64_C(0x200000000000)
#endif
/* A power of two above all bits that the mapping of addresses to slices and banks looks at: timing is the same in all.
 */
#define HD_RECORDING_SLOT_BYTES (UINT64_C(1) << 36)
#define HD_RECORDING_CODE_BYTES (UINT64_C(1) << 30) /* of addresses of functions */

enum hd_recording_kind {
	HD_RECORDING_HEAD = 1,
	HD_RECORDING_OBJECT,
	HD_RECORDING_MODULE,
	HD_RECORDING_ALLOCATE,
	HD_RECORDING_RELEASE,
	HD_RECORDING_MEMORY,
	HD_RECORDING_LAUNCH,
	HD_RECORDING_REFUSED,
	HD_RECORDING_END
};

struct hd_recorded_module {
	uint64_t object;		  /* index */
	uint64_t data, rodata, bss, code; /* addresses; 0: it has none */
};

struct hd_recorded_range {
	uint64_t low, high, hash; /* hash: at the end */
};

/* ---- writing */

struct hd_recording_writer {
	FILE *to;
	uint64_t entries;
	bool failed; /* errno says why */
};

/* An entry of two parts, of which the second may be empty. */
void hd_recording_put(struct hd_recording_writer *writer, enum hd_recording_kind kind, const void *first,
		      size_t first_bytes, const void *second, size_t second_bytes);
void hd_recording_begin(struct hd_recording_writer *writer, FILE *to);
/* Of the contents of memory. */
uint64_t hd_recording_hash(const void *bytes, size_t size);

/* ---- reading */

struct hd_recorded_launch {
	uint32_t module;
	const char *kernel;
	uint32_t grid[3], block[3], shared, stack_bytes;
	uint32_t cluster[3]; /* blocks of a cluster; 0: none */
	bool cooperative, in_a_row;
	uint64_t stream;
	int priority;
	const uint8_t *params;
	uint32_t param_bytes;
};

struct hd_recorded_event {
	enum hd_recording_kind kind; /* allocate, release, memory or launch */
	uint64_t low, high;	     /* of memory */
	const uint8_t *bytes;	     /* HD_RECORDING_MEMORY: what is there */
	uint32_t launch;	     /* index */
};

struct hd_recorded_object {
	const uint8_t *bytes;
	size_t size;
};

struct hd_recording {
	struct hd_arena arena;
	uint8_t *bytes; /* the file */
	size_t size;
	const char *path, *program, *gpu;
	uint32_t slot;
	HD_VEC(struct hd_recorded_object) objects;
	HD_VEC(struct hd_recorded_module) modules;
	HD_VEC(struct hd_recorded_launch) launches;
	HD_VEC(struct hd_recorded_event) events;
	HD_VEC(struct hd_recorded_range) at_end;
};

/* Whatever the result is, hd_recording_release() is due. 0, or -1 with the error reported: it is not whole, damaged, or
 * of a program that cannot be recorded. */
int hd_recording_read(struct hd_recording *recording, const char *path, struct hd_diag *diag);
void hd_recording_release(struct hd_recording *recording);

#endif
