/* Atomic functions come with the prelude, heddle_cuda.h. */
#ifndef __SM_32_ATOMIC_FUNCTIONS_HPP__
#define __SM_32_ATOMIC_FUNCTIONS_HPP__

#endif
