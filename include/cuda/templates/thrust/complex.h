#include <thrust/heddle/complex.h>
