/*
 * Recording what a program has the device do (options.recording), as lib/recording.h stores it: objects, launches in
 * the order in which they begin, one at a time, and what became different in device memory between them by anything but
 * a kernel.
 */
#ifndef HD_RUNTIME_CORUN_RECORDER_H
#define HD_RUNTIME_CORUN_RECORDER_H

#include "runtime/core/gpu.h"

struct hd_recorder;

/* Opens the file of gpu->options. 0, or -1 with the error reported. */
int hd_recorder_new(const struct hd_gpu *gpu, struct hd_recorder **recorder);
/* A file that was not finished is none. */
void hd_recorder_free(struct hd_recorder *recorder);
/* A module has been loaded from these bytes; `placed`: with variables in the host's memory. */
void hd_recorder_load(struct hd_recorder *recorder, const struct hd_module *module, const uint8_t *bytes, size_t size,
		      bool placed);
/* A grid is about to begin; it has ended, or could not begin. */
void hd_recorder_begin(struct hd_recorder *recorder, const struct hd_grid *grid);
void hd_recorder_end(struct hd_recorder *recorder, const struct hd_grid *grid);
/* The program has ended in good order. */
void hd_recorder_finish(struct hd_recorder *recorder);

#endif
