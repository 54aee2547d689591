/*
 * Functions that policies in shared objects of their own may call (runtime/sm/policy_object.h). They are the only ones
 * that `heddle` and libheddle-cudart.so show to others beside the CUDA API.
 */
#ifndef HD_LIB_API_H
#define HD_LIB_API_H

#define HD_API __attribute__((visibility("default")))

#endif
