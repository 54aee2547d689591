/*
 * Faults of programs and failed calls, with their places.
 */
#ifndef HD_RUNTIME_EXEC_FAULT_H
#define HD_RUNTIME_EXEC_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/api.h"
#include "lib/diag.h"

struct hd_gpu;
struct hd_kernel;
struct hd_warp;

/* "kernel foo, file.cu:12, block (1,0,0), thread (5,0,0)" for messages. */
HD_API void hd_describe_place(const struct hd_gpu *gpu, const struct hd_warp *warp, uint32_t pc, uint32_t lane,
			      char *text, size_t size);
HD_API void hd_gpu_fault(struct hd_gpu *gpu, struct hd_warp *warp, uint32_t pc, uint32_t lane, int error,
			 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* A kernel's name as people write it. */
const char *hd_kernel_title(const struct hd_kernel *kernel);
/* The source line of an instruction; HD_NOWHERE. */
struct hd_loc hd_place_of(const struct hd_gpu *gpu, uint32_t pc);
/* Sets the error text of a failed library call and returns the error. */
int hd_gpu_refuse(struct hd_gpu *gpu, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What of the process is mapped at a host address: "the heap", the name of a file, ... False: nothing that it may
 * touch. */
bool hd_host_mapping(uint64_t address, char *text, size_t size);
/* Under options.warn_outside: a load beside an allocation, reported where it is the first of its place; and after the
 * launch, how many there were. */
void hd_outside_note(struct hd_gpu *gpu, const struct hd_warp *warp, uint32_t lane, uint32_t bytes, const char *where,
		     uint64_t address);
void hd_outside_report(struct hd_gpu *gpu);

#endif
