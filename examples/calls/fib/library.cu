/* Recursive functions of fib: one that calls itself, and two that call each other. */
#include "fib.h"

FUNCTION int fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

FUNCTION int female(int n)
{
	return n == 0 ? 1 : n - male(female(n - 1));
}

FUNCTION int male(int n)
{
	return n == 0 ? 0 : n - female(male(n - 1));
}
