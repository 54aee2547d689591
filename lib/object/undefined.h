/*
 * Registers that an instruction reads and that may hold no value of the program. Code reads them where a variable has a
 * value on some paths only and nothing depends on the others: what a design drops there, or a preemption point does not
 * save, is no loss (--verify).
 */
#ifndef HD_LIB_OBJECT_UNDEFINED_H
#define HD_LIB_OBJECT_UNDEFINED_H

#include "heddle/object.h"

/*
 * Fills in `of`, a set for each instruction: of what it reads, the registers and predicates that no instruction on some
 * path from the function's entry, or from a call, has written. At the entry, the arguments and the stack pointer have
 * values; behind a call, its results, and callee-saved registers that had one. Results of functions elsewhere, and of
 * calls of an address, are taken for undefined. A call of a helper leaves values as they are. A guarded write counts as
 * none. `function` is one of the object's, or a linear version's body. Linear in the code for each level of loops.
 */
void hd_undefined_find(const struct hd_object *object, const struct hd_function *function, struct hd_regset *of);

#endif
