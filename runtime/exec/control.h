/* Control bits of loaded code, for core = modern. */
#ifndef HD_RUNTIME_EXEC_CONTROL_H
#define HD_RUNTIME_EXEC_CONTROL_H

#include <stdint.h>

struct hd_config;
struct hd_dinst;
struct hd_function;
struct hd_gpu;

/* Of a latency class, as configured; 0: memory. */
uint16_t hd_latency_of(const struct hd_config *config, unsigned lat_class);
/* Those of a function that is being loaded: its object's where they cover this GPU's latencies, else set for these. */
void hd_control_load(const struct hd_gpu *gpu, const struct hd_function *function, struct hd_dinst *code);

#endif
