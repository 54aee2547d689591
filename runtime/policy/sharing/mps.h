/*
 * The parts of mps.c that stand alone: shares, and whose SMs are which.
 */
#ifndef HD_RUNTIME_POLICY_SHARING_MPS_H
#define HD_RUNTIME_POLICY_SHARING_MPS_H

#include "runtime/sm/policy_space.h"

#define MPS_SHARES 8

/* "50,25": per cent, above 0 and up to 100 each. How many there are; 0: it is no such list. */
uint32_t mps_read_shares(const char *text, double shares[MPS_SHARES]);
/* Whether the program at place `which`, from 0, may have blocks on SM `sm` of `sms`. */
bool mps_has(const double *shares, uint32_t count, uint32_t which, uint32_t sm, uint32_t sms);

#endif
