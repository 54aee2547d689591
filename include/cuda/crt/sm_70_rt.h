/* Read by name in some sources; the functions come with the prelude, heddle_cuda.h. */
#ifndef __SM_70_RT_H__
#define __SM_70_RT_H__

#endif
