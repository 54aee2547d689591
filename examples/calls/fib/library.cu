/* Recursive functions of fib: one that calls itself, and two that call each other. */
#include "fib.h"

FUNCTION Wide fib(int n, Wide f0, Wide f1)
{
	if (n < 2)
		return n ? f1 : f0;
	return fib(n - 1, f0, f1) + fib(n - 2, f0, f1);
}

FUNCTION int female(int n)
{
	return n == 0 ? 1 : n - male(female(n - 1));
}

FUNCTION int male(int n)
{
	return n == 0 ? 0 : n - female(male(n - 1));
}
