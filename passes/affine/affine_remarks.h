/* Remarks about linear values and memory accesses of kernels. */
#ifndef HD_PASSES_AFFINE_AFFINE_REMARKS_H
#define HD_PASSES_AFFINE_AFFINE_REMARKS_H

#include <stdint.h>

struct hd_remarks;

/* The remark about the analysis of a kernel, and one at each access of it that costs more than it had to. */
void hd_affine_remark(struct hd_remarks *remarks, uint32_t function);
void hd_access_remarks(struct hd_remarks *remarks, uint32_t function);

#endif
