/* Atomic functions come with the prelude, heddle_cuda.h. */
#ifndef __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__

#endif
