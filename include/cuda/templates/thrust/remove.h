#include <thrust/heddle/scan.h>
