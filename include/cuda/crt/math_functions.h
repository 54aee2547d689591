/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#endif
