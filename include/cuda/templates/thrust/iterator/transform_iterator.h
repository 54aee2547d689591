#include <thrust/heddle/iterators.h>
