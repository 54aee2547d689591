/* heddle-cc makes its precompiled header of this file and heddle_cuda.h, which it includes ahead of every source. */
