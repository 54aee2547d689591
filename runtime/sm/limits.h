/*
 * What an SM has room for at most.
 */
#ifndef HD_RUNTIME_SM_LIMITS_H
#define HD_RUNTIME_SM_LIMITS_H

#include "runtime/core/cycle.h"

#define HD_MAX_SCHEDULERS 8
#define HD_MAX_WARPS 128    /* warp slots */
#define HD_MAX_CONTEXTS 256 /* warps that an SM knows: those in slots, and those that policies keep without */

#endif
