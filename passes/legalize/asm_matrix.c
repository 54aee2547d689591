#include "passes/legalize/asm.h"
const struct hd_asm_row hd_asm_matrix[] = {
	{NULL, 0, NULL, NULL, 0},
};
