/* What --verify watches of control bits, under core = modern: each warp's results and reads under way. */
#ifndef HD_RUNTIME_VERIFY_CONTROL_H
#define HD_RUNTIME_VERIFY_CONTROL_H

struct hd_gpu;

void hd_verify_control_start(struct hd_gpu *gpu);

#endif
