/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __COMMON_FUNCTIONS_H__
#define __COMMON_FUNCTIONS_H__

#endif
