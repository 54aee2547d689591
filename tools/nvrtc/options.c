/*
 * nvrtc's options, each as heddle-cc has it. All else is refused as nvrtc does: heddle-cc's other options would have it
 * write something else, or somewhere else.
 */
#include "tools/nvrtc/program.h"

enum form {
	FORM_NONE,
	FORM_VALUE, /* =VALUE, or the next option */
	FORM_JOINED /* also right behind the short name */
};

enum meaning { PASS, IGNORE, DEVICE_BY_DEFAULT, NO_SOURCE_FOLDER };

static const struct option {
	const char *name, *other; /* with one or two dashes */
	enum form form;
	enum meaning meaning;
} table[] = {
	{"gpu-architecture", "arch", FORM_VALUE, PASS},
	{"relocatable-device-code", "rdc", FORM_VALUE, PASS},
	{"device-c", "dc", FORM_NONE, IGNORE}, /* as what follows from it without a linker at run time */
	{"device-w", "dw", FORM_NONE, IGNORE},
	{"extensible-whole-program", "ewp", FORM_NONE, IGNORE},
	{"device-debug", "G", FORM_NONE, PASS},
	{"generate-line-info", "lineinfo", FORM_NONE, PASS},
	{"dopt", "dopt", FORM_VALUE, PASS},
	{"Ofast-compile", "Ofc", FORM_VALUE, PASS},
	{"ptxas-options", "Xptxas", FORM_VALUE, PASS},
	{"maxrregcount", "maxrregcount", FORM_VALUE, PASS},
	{"ftz", "ftz", FORM_VALUE, PASS},
	{"prec-sqrt", "prec-sqrt", FORM_VALUE, PASS},
	{"prec-div", "prec-div", FORM_VALUE, PASS},
	{"fmad", "fmad", FORM_VALUE, PASS},
	{"use_fast_math", "use_fast_math", FORM_NONE, PASS},
	{"define-macro", "D", FORM_JOINED, PASS},
	{"undefine-macro", "U", FORM_JOINED, PASS},
	{"include-path", "I", FORM_JOINED, PASS},
	{"pre-include", "include", FORM_VALUE, PASS},
	{"std", "std", FORM_VALUE, PASS},
	{"disable-warnings", "w", FORM_NONE, PASS},
	{"device-as-default-execution-space", "default-device", FORM_NONE, DEVICE_BY_DEFAULT},
	{"no-source-include", "no-source-include", FORM_NONE, NO_SOURCE_FOLDER},
	{"extra-device-vectorization", "extra-device-vectorization", FORM_NONE, IGNORE},
	{"modify-stack-limit", "modify-stack-limit", FORM_VALUE, IGNORE},
	{"dlink-time-opt", "dlto", FORM_NONE, IGNORE},
	{"gen-opt-lto", "gen-opt-lto", FORM_NONE, IGNORE},
	{"optimization-info", "opt-info", FORM_VALUE, IGNORE},
	{"builtin-move-forward", "builtin-move-forward", FORM_VALUE, IGNORE},
	{"builtin-initializer-list", "builtin-initializer-list", FORM_VALUE, IGNORE},
	{"restrict", "restrict", FORM_NONE, IGNORE},
	{"device-int128", "device-int128", FORM_NONE, IGNORE},
	{"device-float128", "device-float128", FORM_NONE, IGNORE},
	{"device-stack-protector", "device-stack-protector", FORM_VALUE, IGNORE},
	{"device-syntax-only", "fdevice-syntax-only", FORM_NONE, IGNORE},
	{"display-error-number", "err-no", FORM_NONE, IGNORE},
	{"no-display-error-number", "no-err-no", FORM_NONE, IGNORE},
	{"diag-error", "diag-error", FORM_VALUE, IGNORE},
	{"diag-suppress", "diag-suppress", FORM_VALUE, IGNORE},
	{"diag-warn", "diag-warn", FORM_VALUE, IGNORE},
	{"brief-diagnostics", "brief-diag", FORM_VALUE, IGNORE},
	{"time", "time", FORM_VALUE, IGNORE},
	{"split-compile", "split-compile", FORM_VALUE, IGNORE},
	{"jump-table-density", "jtd", FORM_VALUE, IGNORE},
	{"minimal", "minimal", FORM_NONE, IGNORE},
	{"version-ident", "dQ", FORM_VALUE, IGNORE},
	{"create-pch", "create-pch", FORM_VALUE, IGNORE},
	{"use-pch", "use-pch", FORM_VALUE, IGNORE},
	{"pch", "pch", FORM_NONE, IGNORE},
	{"pch-dir", "pch-dir", FORM_VALUE, IGNORE},
	{"pch-verbose", "pch-verbose", FORM_VALUE, IGNORE},
	{"pch-messages", "pch-messages", FORM_VALUE, IGNORE},
	{"instantiate-templates-in-pch", "instantiate-templates-in-pch", FORM_VALUE, IGNORE},
	{"random-seed", "frandom-seed", FORM_VALUE, IGNORE},
};

/* The text behind a name, which is empty or begins with = unless a value may be joined; NULL: it is another name. */
static const char *behind(const char *word, const char *name, bool joined)
{
	size_t length = strlen(name);
	if (strncmp(word, name, length) != 0)
		return NULL;
	return joined || !word[length] || word[length] == '=' ? word + length : NULL;
}

static const struct option *find(const char *word, const char **rest)
{
	const char *name = word + 1 + (word[1] == '-');
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		if ((*rest = behind(name, table[i].name, false)) || (*rest = behind(name, table[i].other, false)))
			return &table[i];
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].form == FORM_JOINED && (*rest = behind(name, table[i].other, true)))
			return &table[i];
	return NULL;
}

static void take(struct hd_nvrtc_options *options, const struct option *option, const char *value)
{
	struct hd_strbuf word = {0};
	switch (option->meaning) {
	case DEVICE_BY_DEFAULT: options->device_by_default = true; break;
	case NO_SOURCE_FOLDER: options->no_source_folder = true; break;
	case IGNORE: break;
	case PASS:
		hd_strbuf_printf(&word, "--%s%s%s", option->name, value ? "=" : "", value ? value : "");
		hd_vec_push(&options->words, hd_strbuf_detach(&word));
		break;
	}
}

bool hd_nvrtc_options_read(struct hd_nvrtc_options *options, int count, const char *const *given, struct hd_strbuf *log)
{
	for (int i = 0; i < count; i++) {
		const char *word = given[i] ? given[i] + strspn(given[i], " ") : "", *value = NULL;
		const struct option *option = *word == '-' ? find(word, &value) : NULL;
		if (!option || (option->form == FORM_NONE && *value)) {
			hd_strbuf_printf(log, "nvrtc: error: unrecognized option %s found\n", word);
			return false;
		}
		if (option->form != FORM_NONE && !*value && i + 1 < count)
			value = given[++i];
		else
			value += *value == '=';
		if (option->form != FORM_NONE && (!value || !*value)) {
			hd_strbuf_printf(log, "nvrtc: error: option %s needs a value\n", word);
			return false;
		}
		/* "-I folder" in one string */
		take(options, option, option->form == FORM_NONE ? NULL : value + strspn(value, " "));
	}
	return true;
}

void hd_nvrtc_options_release(struct hd_nvrtc_options *options)
{
	for (uint32_t i = 0; i < options->words.len; i++)
		free(options->words.data[i]);
	hd_vec_release(&options->words);
}
