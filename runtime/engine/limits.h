/*
 * The limits of one SM in the form that hd_occupancy_compute takes.
 */
#ifndef HD_RUNTIME_LIMITS_H
#define HD_RUNTIME_LIMITS_H

#include "heddle/config.h"
#include "heddle/occupancy.h"

struct hd_sm_limits hd_sm_limits_of(const struct hd_config *config);

#endif
