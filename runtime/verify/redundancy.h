/* What the ideal machines of R2D2's Figure 4 would not execute (redundancy.c), under hd_sim_options.ideal. */
#ifndef HD_RUNTIME_VERIFY_REDUNDANCY_H
#define HD_RUNTIME_VERIFY_REDUNDANCY_H

struct hd_gpu;

/* From now on it counts. */
void hd_redundancy_start(struct hd_gpu *gpu);
void hd_redundancy_end(struct hd_gpu *gpu);

#endif
