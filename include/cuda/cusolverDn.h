/* cuSOLVER's dense routines (runtime/math/cusolver, libheddle-cusolver.so). */
#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_

#include "cusolver_common.h"
#include "driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverDnContext *cusolverDnHandle_t;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *streamId);

#define HD_CUSOLVER(name, routine, parameters, arguments) cusolverStatus_t cusolverDn##name parameters;
#include "heddle_cusolver.def"
#undef HD_CUSOLVER

#ifdef __cplusplus
}
#endif
#endif
