/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __VECTOR_FUNCTIONS_HPP__
#define __VECTOR_FUNCTIONS_HPP__

#endif
