/*
 * A ray tracer whose vectors, rays and hits travel by value, and arguments of many shapes, for both the device and the
 * host. Everything is integers or exact in single precision, so that the two agree to the last bit.
 */
#pragma once
#define BOTH __host__ __device__ __noinline__

struct vec3 { float x, y, z; };                                        /* 3 words */
struct ray { vec3 from, to; };                                         /* 6 */
struct hit { float t; vec3 at, normal; int sphere; };                  /* 8 */
struct sphere { vec3 center; float radius; };                          /* 4 */

BOTH vec3 add(vec3 a, vec3 b);
BOTH vec3 scale(vec3 a, float by);
BOTH float dot(vec3 a, vec3 b);
BOTH hit meet(ray r, sphere s, int number, hit best);                  /* 18 words: the hit goes on the stack */
BOTH float shade(hit h, vec3 light, ray r);                            /* 17: the ray does */

struct odd { char a; short b; char c; };
struct three { char a, b, c; };
struct wide { double d; float f; int i; long long l; };                /* 3 pairs, the second of two words */
struct alignas(16) quad { float v[4]; };
struct list { int v[6]; };
struct large { int v[20]; };                                           /* 80 bytes: never in registers */
struct huge { int v[40]; };                                            /* more than is taken apart */
union mixed { struct { char tag; double d; } pair; int raw[4]; };      /* data in what is padding of the other member */
struct empty {};

BOTH int small(odd o, three t, empty, int q);
BOTH long long middle(int first, wide w, wide v, int last);
BOTH float aligned(int first, quad a, float between, quad b);
BOTH int pick(list l, int i);                                          /* read where is known at run time only */
BOTH int change(list l, int i, int to);                                /* ... written */
BOTH int through(list l, int i);                                       /* passed on twice, changed between */
BOTH int big(large l, int i);
BOTH int two_big(large l, large m, int i);
BOTH int very_big(huge h, int i);
BOTH int raws(mixed m, int i);
BOTH int fall(list l, int depth);                                      /* recursion */
BOTH int late(long long a, long long b, long long c, long long d, long long e, long long f, list l, int i);
BOTH list turned(list l, large m);                                     /* a result by value, too */

typedef int (*picker)(list, int);
BOTH picker choose(int which);
