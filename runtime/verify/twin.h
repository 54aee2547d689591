/* Under --verify: a linear version beside the original code (twin.c). */
#ifndef HD_RUNTIME_VERIFY_TWIN_H
#define HD_RUNTIME_VERIFY_TWIN_H

struct hd_gpu;

void hd_twin_watch(struct hd_gpu *gpu);

#endif
