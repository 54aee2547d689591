/* Atomic functions come with the prelude, heddle_cuda.h. */
#ifndef __SM_20_ATOMIC_FUNCTIONS_HPP__
#define __SM_20_ATOMIC_FUNCTIONS_HPP__

#endif
