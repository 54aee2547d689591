// A function that stays a call into the device library, and parameters over 4 KB.
struct Large { int values[2000]; };
__global__ void compares(int *to, const char *from) { *to = __builtin_memcmp(from, from + *to, *to) + __builtin_strlen(from); }
__global__ void takes(Large from, int *to) { *to = from.values[*to]; }
