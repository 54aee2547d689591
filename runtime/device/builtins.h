/*
 * The helper functions that lowering calls for operations without a machine instruction. builtins.c has them; they are
 * compiled to build/share/heddle/builtins.bc and linked into a module only where needed.
 */
#ifndef HEDDLE_RUNTIME_DEVICE_BUILTINS_H
#define HEDDLE_RUNTIME_DEVICE_BUILTINS_H

#include <stdint.h>

__extension__ typedef unsigned __int128 hd_u128;
__extension__ typedef __int128 hd_s128;

uint32_t __heddle_udiv32(uint32_t n, uint32_t d);
uint32_t __heddle_umod32(uint32_t n, uint32_t d);
int32_t __heddle_sdiv32(int32_t n, int32_t d);
int32_t __heddle_smod32(int32_t n, int32_t d);

uint64_t __heddle_udiv64(uint64_t n, uint64_t d);
uint64_t __heddle_umod64(uint64_t n, uint64_t d);
int64_t __heddle_sdiv64(int64_t n, int64_t d);
int64_t __heddle_smod64(int64_t n, int64_t d);

hd_u128 __heddle_udiv128(hd_u128 n, hd_u128 d);
hd_u128 __heddle_umod128(hd_u128 n, hd_u128 d);
hd_s128 __heddle_sdiv128(hd_s128 n, hd_s128 d);
hd_s128 __heddle_smod128(hd_s128 n, hd_s128 d);

float __heddle_fdiv32(float a, float b);
float __heddle_rcp32(float a);
float __heddle_sqrt32(float a);
float __heddle_frem32(float a, float b);

double __heddle_fdiv64(double a, double b);
double __heddle_rcp64(double a);
double __heddle_sqrt64(double a);
double __heddle_frem64(double a, double b);

#endif
