/* Intrinsics come with the prelude, heddle_cuda.h. */
#ifndef __SM_30_INTRINSICS_HPP__
#define __SM_30_INTRINSICS_HPP__

#endif
