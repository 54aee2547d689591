/*
 * heddle-cc(1) and the words of completion, from the table of options.
 */
#include "tools/heddle-cc/options.h"

#include <stdio.h>
#include <string.h>

#include "lib/mdoc.h"
#include "lib/strbuf.h"

/* Help texts begin with the value's name, or with blanks where there is none. */
static const char *meaning(const struct hd_cc_option *option)
{
	const char *text = option->help + (option->takes_value ? strcspn(option->help, " ") : 0);
	return text + strspn(text, " ");
}

static void list_option(const struct hd_cc_option *option)
{
	struct hd_strbuf value = {0};
	hd_strbuf_append_bytes(&value, option->help, strcspn(option->help, " "));
	fputs(".It Fl ", stdout);
	fputs(option->name + 1, stdout);
	if (option->takes_value)
		printf("%s%s", option->joined ? " Ns Ar " : " Ar ", hd_strbuf_text(&value));
	putchar('\n');
	hd_mdoc_text(stdout, meaning(option));
	hd_strbuf_release(&value);
}

void hd_cc_manual(void)
{
	static const char *const see[] = {"heddle 1", "heddle-passes 7", NULL};
	struct hd_cc_option option;
	hd_mdoc_begin(stdout, "heddle-cc", 1, "compiles CUDA programs for the simulated GPU");
	hd_mdoc_section(stdout, "SYNOPSIS");
	fputs(".Nm\n.Op Ar option ...\n.Ar file ...\n", stdout);
	hd_mdoc_section(stdout, "DESCRIPTION");
	hd_mdoc_text(stdout,
		     "Replaces nvcc: compiles and links CUDA (.cu), C and C++ sources. Accepts nvcc's usual options "
		     "in short and long form.\n\n");
	hd_mdoc_text(stdout, hd_cc_help_text);
	hd_mdoc_section(stdout, "OPTIONS");
	hd_mdoc_list_begin(stdout);
	for (unsigned i = 0; hd_cc_option_at(i, &option); i++)
		if (option.help)
			list_option(&option);
	hd_mdoc_list_end(stdout);
	hd_mdoc_section(stdout, "ENVIRONMENT");
	hd_mdoc_list_begin(stdout);
	hd_mdoc_item(stdout, "HEDDLE_CLANG", "The clang++ to use instead of clang++-" HD_LLVM ".");
	hd_mdoc_item(stdout, "HEDDLE_DATA",
		     "Folder with headers and device libraries (default: share/heddle next to the program).");
	hd_mdoc_item(stdout, "TMPDIR", "Folder for temporary files (default: /tmp).");
	hd_mdoc_list_end(stdout);
	hd_mdoc_section(stdout, "EXIT STATUS");
	hd_mdoc_text(stdout, "0; 2 for a usage or input error. After an error no output is left half-written.\n");
	hd_mdoc_see_also(stdout, see);
}

/* ------------------------------------------------------------ completion */

static void list_parameters(void)
{
#define HD_OPTION(key, field, type, ...) printf(" %s%s", key, VALUE_##type);
#define VALUE_STRING "="
#define VALUE_NUMBER "="
#define VALUE_CHOICE "="
#define VALUE_NAMES "="
#define VALUE_FLAG ""
#include "passes/options.def"
#undef HD_OPTION
}

/* "NAME|OTHER  what it is for": the names. */
static void list_choices(const struct hd_cc_option *option)
{
	size_t length = strcspn(option->help, " ");
	if (!memchr(option->help, '|', length))
		return;
	putchar(' ');
	for (size_t i = 0; i < length; i++)
		putchar(option->help[i] == '|' ? ' ' : option->help[i]);
}

void hd_cc_words(void)
{
	struct hd_cc_option option;
	for (unsigned i = 0; hd_cc_option_at(i, &option); i++) {
		if (!option.help)
			continue;
		printf("%s%s", option.name, option.takes_value && !option.joined ? "=" : "");
		if (!strcmp(option.name, "-arch"))
			hd_cc_list_targets();
		else if (!strcmp(option.name, "-Xheddle"))
			list_parameters();
		else if (option.takes_value)
			list_choices(&option);
		putchar('\n');
	}
}
