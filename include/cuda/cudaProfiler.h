/* cuProfilerStart and cuProfilerStop are declared with the driver API. */
#ifndef CUDAPROFILER_H
#define CUDAPROFILER_H

#include "cuda.h"

#endif
