#pragma once
struct Pixel { float r, g, b; };
__device__ Pixel darken(Pixel p);            // filters/util.cu
__device__ Pixel mix(Pixel a, Pixel b);      // blend/util.cu, which calls darken
void fill(Pixel *pixels, int n);             // blend/util.cu, host
int plain_sum(int n);                        // plain.cu, a whole program of its own
void report(const char *what, float got, float expected);
extern int failures;
