/* fib: what library.cu has for main.cu. */
#ifndef FIB_H
#define FIB_H

#include "../common.h"

/* The n-th Fibonacci number by its definition: two recursive calls. */
FUNCTION int fib(int n);

/* Hofstadter's female and male sequences, which call each other. */
FUNCTION int female(int n);
FUNCTION int male(int n);

#endif
