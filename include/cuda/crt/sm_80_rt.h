/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __SM_80_RT_H__
#define __SM_80_RT_H__

#endif
