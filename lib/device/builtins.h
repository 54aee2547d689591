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

uint32_t __heddle_umulo128(hd_u128 a, hd_u128 b); /* whether the product needs more than 128 bits */
uint32_t __heddle_smulo128(hd_s128 a, hd_s128 b);
hd_u128 __heddle_f64_to_u128(double a);
hd_s128 __heddle_f64_to_s128(double a);
double __heddle_u128_to_f64(hd_u128 a);
double __heddle_s128_to_f64(hd_s128 a);
float __heddle_u128_to_f32(hd_u128 a);
float __heddle_s128_to_f32(hd_s128 a);

float __heddle_ldexpf(float a, int n);
double __heddle_ldexp64(double a, int n);
float __heddle_frexpf(float a); /* the significand; ... */
double __heddle_frexp64(double a);
int __heddle_exponentf(float a); /* ... and the exponent */
int __heddle_exponent64(double a);
float __heddle_powif(float a, int n);
double __heddle_powi64(double a, int n);
double __heddle_rsqrt64(double a);

/* Rounded towards zero, down and up. */
double __heddle_fdiv64_rz(double a, double b);
double __heddle_fdiv64_rm(double a, double b);
double __heddle_fdiv64_rp(double a, double b);
double __heddle_sqrt64_rz(double a);
double __heddle_sqrt64_rm(double a);
double __heddle_sqrt64_rp(double a);

/* C's functions: less, equal or greater by bytes; the bytes before the first zero. */
int32_t __heddle_memcmp(const void *a, const void *b, uint64_t bytes);
uint64_t __heddle_strlen(const char *text);
void *__heddle_memchr(const void *bytes, int32_t wanted, uint64_t count);
int32_t __heddle_strcmp(const char *a, const char *b);
int32_t __heddle_strncmp(const char *a, const char *b, uint64_t bytes);
char *__heddle_strchr(const char *text, int32_t wanted);

/* Device only: position of the offset-th set bit from `base`; reductions over the lanes in `mask`. */
uint32_t __heddle_fns(uint32_t mask, uint32_t base, int32_t offset);
uint32_t __heddle_redux_add(uint32_t value, uint32_t mask);
uint32_t __heddle_redux_min(uint32_t value, uint32_t mask);
uint32_t __heddle_redux_max(uint32_t value, uint32_t mask);
uint32_t __heddle_redux_umin(uint32_t value, uint32_t mask);
uint32_t __heddle_redux_umax(uint32_t value, uint32_t mask);
uint32_t __heddle_redux_and(uint32_t value, uint32_t mask);
uint32_t __heddle_redux_or(uint32_t value, uint32_t mask);
uint32_t __heddle_redux_xor(uint32_t value, uint32_t mask);

__attribute__((const)) float __heddle_fdiv32(float a, float b);
float __heddle_rcp32(float a);
float __heddle_sqrt32(float a);
float __heddle_frem32(float a, float b);

__attribute__((const)) double __heddle_fdiv64(double a, double b);
double __heddle_rcp64(double a);
double __heddle_sqrt64(double a);
double __heddle_frem64(double a, double b);

/* Takes the lock (0: free), and returns when this thread holds it. Must not be called by its holder. Frees it. */
void __heddle_lock(uint32_t *lock);
void __heddle_unlock(uint32_t *lock);

#endif
