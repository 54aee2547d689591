/* Intrinsics come with the prelude, heddle_cuda.h. */
#ifndef __SM_35_INTRINSICS_H__
#define __SM_35_INTRINSICS_H__

#endif
