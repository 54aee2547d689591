/* cuSOLVER's dense routines: the functions of include/cuda/heddle_cusolver.def. */
#include "runtime/math/cusolver/cholesky.cuh"
#include "runtime/math/cusolver/eigen.cuh"
#include "runtime/math/cusolver/lu.cuh"
#include "runtime/math/cusolver/qr.cuh"
#include "runtime/math/cusolver/svd.cuh"

#define HD_CUSOLVER(name, routine, parameters, arguments)                                                              \
	extern "C" cusolverStatus_t cusolverDn##name parameters                                                        \
	{                                                                                                              \
		return hd_solver::routine arguments;                                                                   \
	}
#include <heddle_cusolver.def>
