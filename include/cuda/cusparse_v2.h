/* A former name. */
#include <cusparse.h>
