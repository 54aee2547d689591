/*
 * The folder of precompiled headers. Each is two files, KEY.info and KEY.NUMBER.pch: the first says what the second was
 * made of. Both are written under other names and renamed, so that whoever reads them beside us finds whole ones.
 */
#ifndef HD_TOOLS_HEDDLE_CC_PRELUDE_STORE_H
#define HD_TOOLS_HEDDLE_CC_PRELUDE_STORE_H

#include "tools/heddle-cc/options.h"

struct hd_prelude_entry {
	const char *header; /* path of the precompiled header */
	const char *info;   /* the text of its KEY.info */
};

/* The folder, made where it is not there; NULL: there is none that is ours alone and that can be read. */
const char *hd_prelude_folder(struct hd_cc *cc);

/* The entry of `key`; false: there is none, or a file that it was made of has changed since. */
bool hd_prelude_load(struct hd_cc *cc, const char *folder, const char *key, struct hd_prelude_entry *entry);

/*
 * Makes the entry of `key` with clang and the given arguments. False: clang refused, the folder cannot be written, or
 * somebody else is making one just now.
 */
bool hd_prelude_make(struct hd_cc *cc, struct hd_signals *signals, const char *folder, const char *key,
		     const hd_arguments *arguments);

/* Whether `name` is a word of the headers that it was made of, so that a macro of this name may change them. */
bool hd_prelude_has_word(const struct hd_prelude_entry *entry, const char *name, size_t length);

/*
 * Whether a folder of headers has a file by a name that these headers include, so that it may be found in place of
 * theirs. `ahead`: the folder comes before Heddle's own.
 */
bool hd_prelude_is_hidden(struct hd_cc *cc, const struct hd_prelude_entry *entry, const char *folder, bool ahead);

#endif
