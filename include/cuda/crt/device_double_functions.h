/* Device functions come with the prelude, heddle_cuda.h. */
#ifndef __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__

#endif
