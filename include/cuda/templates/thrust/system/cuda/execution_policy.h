#include <thrust/heddle/base.h>
