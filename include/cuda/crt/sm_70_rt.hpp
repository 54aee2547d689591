/* Read by clang's CUDA intrinsics, which define all of its functions themselves. */
#ifndef __SM_70_RT_HPP__
#define __SM_70_RT_HPP__

#endif
