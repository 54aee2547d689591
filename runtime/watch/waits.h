/*
 * Why the warps of a grid wait, in a few lines. Private to runtime/watch.
 */
#ifndef HD_RUNTIME_WATCH_WAITS_H
#define HD_RUNTIME_WATCH_WAITS_H

struct hd_gpu;

struct hd_probe;

/* Notes to options.diag, one for all warps that wait at one place for one reason. `probe`: what a look at the grid
 * found, or NULL. */
void hd_waits_report(const struct hd_gpu *gpu, const struct hd_probe *probe);

#endif
