/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __SM_80_RT_HPP__
#define __SM_80_RT_HPP__

#endif
