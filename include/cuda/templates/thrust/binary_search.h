#include <thrust/heddle/sort.h>
