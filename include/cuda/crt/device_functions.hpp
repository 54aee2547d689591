/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __DEVICE_FUNCTIONS_HPP__
#define __DEVICE_FUNCTIONS_HPP__

#endif
