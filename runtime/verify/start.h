/* --verify begins (start.c, verify.c). */
#ifndef HD_RUNTIME_VERIFY_START_H
#define HD_RUNTIME_VERIFY_START_H

struct hd_gpu;

/* From now on the GPU is watched by all that belongs to --verify. */
void hd_verify_start(struct hd_gpu *gpu);
/* By what checks the metadata alone, which needs no timing. */
void hd_verify_facts_start(struct hd_gpu *gpu);

#endif
