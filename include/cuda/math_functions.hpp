/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __MATH_FUNCTIONS_HPP__
#define __MATH_FUNCTIONS_HPP__

#endif
