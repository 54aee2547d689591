#include <cstdio>
int failures;
void report(const char *what, float got, float expected)
{
    failures += got != expected;
    printf("%s: %g%s\n", what, got, got == expected ? "" : " WRONG");
}
