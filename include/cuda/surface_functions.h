/* The header that programs include for surfaces. */
#ifndef __SURFACE_FUNCTIONS_H__
#define __SURFACE_FUNCTIONS_H__

#include "surface_indirect_functions.h"

#endif
