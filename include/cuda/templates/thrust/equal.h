#include <thrust/heddle/reduce.h>
