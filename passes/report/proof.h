/*
 * What the figures of the metadata leave open.
 */
#ifndef HD_PASSES_REPORT_PROOF_H
#define HD_PASSES_REPORT_PROOF_H

#include "passes/unit.h"

/* Fills in the group `proof` of unit->metadata's functions, whose accesses are known. */
void hd_proof_describe(struct hd_unit *unit);

#endif
