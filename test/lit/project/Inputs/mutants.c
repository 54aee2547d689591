/* Not compiled: what mutants are made of. 1 + 1 */
#include <stdio.h> // 2 < 3
#define TWICE(x) \
	((x) + (x))

static const char *text = "4 == 4";

int step(const int *values, int count, char *out)
{
	assert(count > 0);
	if (count > 7)
		print(out, "many: %d",
		      *values);
	free(out);
	return !count ? 'a' : count * -1;
}
