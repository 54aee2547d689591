/* fib: what library.cu has for main.cu. */
#ifndef FIB_H
#define FIB_H

#include "../common.h"

/* Numbers of four words, the largest that a function returns in registers with room to spare. */
typedef unsigned __int128 Wide;

/* The n-th Fibonacci number by its definition, with f0 and f1 the first two: two recursive calls. */
FUNCTION Wide fib(int n, Wide f0, Wide f1);

/* Hofstadter's female and male sequences, which call each other. */
FUNCTION int female(int n);
FUNCTION int male(int n);

#endif
