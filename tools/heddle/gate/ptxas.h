/* Figures of NVIDIA's ptxas beside Heddle's (ptxas.c, ptxas.def). */
#ifndef HD_TOOLS_HEDDLE_GATE_PTXAS_H
#define HD_TOOLS_HEDDLE_GATE_PTXAS_H

#include "tools/heddle/gate/gate.h"

/*
 * Has ptxas compile the IR of each kernel object and adds what it says to the subjects' figures, as the object "ptxas".
 * Needs a CUDA toolkit and LLVM's llc. 0, or -1 with the error reported.
 */
int gate_ptxas_measure(struct gate_subjects *subjects, const struct cmd_input *input, struct hd_diag *diag);

#endif
