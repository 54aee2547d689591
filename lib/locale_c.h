/*
 * The C locale for a thread that is in here: numbers have decimal points, whatever locale the program has set.
 */
#ifndef HD_LIB_LOCALE_C_H
#define HD_LIB_LOCALE_C_H

#include <locale.h>

/* Returns the locale that the thread had, for uselocale(). "C" is a constant of libc: nothing to free. */
static inline locale_t hd_enter_c_locale(void)
{
	return uselocale(newlocale(LC_ALL_MASK, "C", NULL));
}

static inline void hd_leave_c_locale(const locale_t *callers)
{
	uselocale(*callers);
}

/* Up to the end of the block. */
#define HD_IN_C_LOCALE                                                                       \
	__attribute__((cleanup(hd_leave_c_locale), unused)) const locale_t hd_callers_locale = \
		hd_enter_c_locale()

#endif
