#include <thrust/heddle/pointer.h>
