/* What math.h of glibc 2.42 has that older ones have not, and CUDA declares, too. */
#ifndef NEWER_MATH_H
#define NEWER_MATH_H

#include_next <math.h>

#if __GLIBC_MINOR__ < 42
#undef __GLIBC_MINOR__
#define __GLIBC_MINOR__ 42
#undef __GLIBC_USE_IEC_60559_FUNCS_EXT_C23
#define __GLIBC_USE_IEC_60559_FUNCS_EXT_C23 1
extern "C" {
double sinpi(double a) noexcept(true);
float sinpif(float a) noexcept(true);
double cospi(double a) noexcept(true);
float cospif(float a) noexcept(true);
double rsqrt(double a) noexcept(true);
float rsqrtf(float a) noexcept(true);
}
#endif

#endif
