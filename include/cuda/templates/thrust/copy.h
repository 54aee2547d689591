#include <thrust/heddle/basic.h>
