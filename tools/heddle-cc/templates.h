/* Templates of inline assembly that nvcc takes and clang does not (templates.c). */
#ifndef HD_TOOLS_HEDDLE_CC_TEMPLATES_H
#define HD_TOOLS_HEDDLE_CC_TEMPLATES_H

#include "tools/heddle-cc/attributes.h"

/* Mends a text; whether there was something to do. A register grows by a character. */
bool hd_templates_mend(struct hd_text *text);

#endif
