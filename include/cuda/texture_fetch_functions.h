/* The header that programs include for textures. */
#ifndef __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__

#include "texture_indirect_functions.h"

#endif
