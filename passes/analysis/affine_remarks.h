/* Remarks about linear values and memory accesses of kernels. */
#ifndef HD_PASSES_AFFINE_REMARKS_H
#define HD_PASSES_AFFINE_REMARKS_H

#include <llvm-c/Core.h>

struct hd_unit;
struct hd_remark_part;

/* For each kernel one summary, and one remark at each access that costs more than it had to. Needs the row METADATA. */
void hd_affine_remarks(const struct hd_unit *unit,
		       void (*remark)(LLVMValueRef function, const char *pass, const char *name,
				      const struct hd_remark_part *parts, unsigned count));

#endif
