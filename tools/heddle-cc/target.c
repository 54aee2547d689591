/*
 * The architecture that device code is made for, out of those that nvcc's options name. nvcc puts code for each into
 * one program and the card takes what suits it; here the kernel object holds one, the oldest of those that the machine
 * models, since all newer cards run it. Where all are older than those, or all newer, the nearest stands for them.
 * sm_90a is for cards of that architecture alone, which prefer it to sm_90: it is taken where nothing older is named.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "tools/heddle-cc/options.h"

enum { OLDEST = 70, NEWEST = 90, DEFAULT_TARGET = 70, FEW_REGISTERS = 63, SPECIAL = 90 /* has code for it alone */ };

/* All that a CUDA toolkit had, by clang's and nvcc's documentation. */
static const int known[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,	 61, 62,
			    70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

static bool is_known(int number)
{
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] == number)
			return true;
	return false;
}

/* Fermi's instructions and the first of Kepler's name 63 registers (CUDA C++ Programming Guide up to 8.0, Table of
 * technical specifications), all since 255. Tesla's 127 are not kept apart from those. */
static bool has_few_registers(int number)
{
	return number == 20 || number == 21 || number == 30;
}

/* clang 19 has no sm_88. */
static bool is_modelled(int number)
{
	return number >= OLDEST && number <= NEWEST && number != 88 && is_known(number);
}

/* Code for one architecture alone, sm_90a, runs on no other. */
static bool is_special(const char *name)
{
	size_t length = strlen(name);
	return length && name[length - 1] == 'a';
}

/* Those of clusters came with sm_90 and PTX 7.8. */
const char *hd_cc_ptx_level(const struct hd_cc *cc)
{
	return strncmp(cc->arch, "sm_9", 4) ? "--cuda-feature=+ptx75" : "--cuda-feature=+ptx80";
}

void hd_cc_list_targets(void)
{
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (is_modelled(known[i]))
			printf(known[i] == SPECIAL ? " sm_%d sm_%da" : " sm_%d", known[i], known[i]);
}

void hd_cc_print_targets(const struct hd_cc *cc)
{
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		if (!is_modelled(known[i]))
			continue;
		if (cc->lists_code && cc->lists_arch)
			printf("arch=compute_%d,code=[sm_%d,compute_%d]\n", known[i], known[i], known[i]);
		else
			printf("%s_%d\n", cc->lists_code ? "sm" : "compute", known[i]);
		if (known[i] == SPECIAL && cc->lists_code && cc->lists_arch)
			printf("arch=compute_%da,code=[sm_%da,compute_%da]\n", known[i], known[i], known[i]);
		else if (known[i] == SPECIAL)
			printf("%s_%da\n", cc->lists_code ? "sm" : "compute", known[i]);
	}
}

/* "sm_75", "compute_75", "lto_75", each with a letter behind (sm_90a); -1: it is no name of this form. */
static int number_of(const char *name)
{
	static const char *const prefixes[] = {"sm_", "compute_", "lto_", "ltoir_"};
	const char *digits = "";
	for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			digits = name + strlen(prefixes[i]);
	char *end;
	long number = isdigit((unsigned char)*digits) ? strtol(digits, &end, 10) : -1;
	if (number < 0 || number > 999 || (*end && (!strchr("af", *end) || end[1])))
		return -1;
	return (int)number;
}

static bool is_listed(const char *name)
{
	return !strcmp(name, "native") || !strcmp(name, "all") || !strcmp(name, "all-major");
}

static int add_name(struct hd_cc *cc, const char *name)
{
	int number = is_listed(name) ? DEFAULT_TARGET : number_of(name);
	if (number < 0)
		return hd_error(&cc->diag, HD_NOWHERE, "unknown GPU architecture '%s'", name);
	struct hd_cc_target target = {name, number, !is_listed(name) && is_special(name)};
	hd_vec_push(&cc->targets, target);
	return 0;
}

/* Whether code for `code` can be made of the intermediate code for `arch`: the architecture itself or, as machine code,
 * a later one. */
static bool is_made_of(const char *code, const char *arch)
{
	int from = number_of(arch), to = number_of(code);
	if (is_special(arch) || !strncmp(code, "compute_", strlen("compute_")))
		return from == to && is_special(arch) == is_special(code);
	return to >= from;
}

/* "sm_75", "sm_75,compute_75", "[sm_75,compute_75]", with quotes that a makefile leaves there: code for `arch`. */
static int add_codes(struct hd_cc *cc, const char *option, const char *arch, const char *list)
{
	static const char separators[] = ",[]\"' \t";
	uint32_t before = cc->targets.len;
	if (is_listed(arch))
		return hd_error(&cc->diag, HD_NOWHERE, "%s: arch '%s' cannot be used with code", option, arch);
	if (number_of(arch) < 0)
		return hd_error(&cc->diag, HD_NOWHERE, "%s: unknown GPU architecture '%s'", option, arch);
	if (!strncmp(arch, "sm_", 3))
		return hd_error(&cc->diag, HD_NOWHERE, "%s: arch '%s' must be a virtual architecture (compute_%s)",
				option, arch, arch + 3);
	char *text = hd_arena_strdup(&cc->arena, list), *rest;
	for (char *name = strtok_r(text, separators, &rest); name; name = strtok_r(NULL, separators, &rest)) {
		if (add_name(cc, name))
			return -1;
		if (!is_made_of(name, arch))
			return hd_error(&cc->diag, HD_NOWHERE, "%s: code '%s' cannot be made for arch '%s'", option,
					name, arch);
	}
	return cc->targets.len > before ? 0 : hd_error(&cc->diag, HD_NOWHERE, "%s: code is empty", option);
}

/* The end of a value: a comma that stands in no brackets and no quotes. */
static const char *end_of_value(const char *at)
{
	char closing = 0;
	for (; *at && (closing || *at != ','); at++)
		if (closing)
			closing = *at == closing ? 0 : closing;
		else
			closing = *at == '[' ? ']' : *at == '"' || *at == '\'' ? *at : 0;
	return at;
}

/* arch=compute_NN,code=LIST in any order. */
int hd_cc_add_gencode(struct hd_cc *cc, const char *text)
{
	static const char *const keys[] = {"arch=", "code="};
	const char *values[2] = {NULL, NULL};
	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		unsigned key = strncmp(at, keys[0], strlen(keys[0])) != 0;
		end = end_of_value(at);
		if (strncmp(at, keys[key], strlen(keys[key])) != 0)
			return hd_error(&cc->diag, HD_NOWHERE,
					"-gencode %s: '%.*s' is neither arch=... nor code=... (lists: code=[A,B])",
					text, (int)(end - at), at);
		if (values[key])
			return hd_error(&cc->diag, HD_NOWHERE, "-gencode %s: %s is given twice", text, keys[key]);
		values[key] = hd_arena_printf(&cc->arena, "%.*s", (int)(end - at - 5), at + 5);
	}
	for (unsigned key = 0; key < 2; key++)
		if (!values[key])
			return hd_error(&cc->diag, HD_NOWHERE, "-gencode %s: %s is missing", text, keys[key]);
	return add_codes(cc, hd_arena_printf(&cc->arena, "-gencode %s", text), values[0], values[1]);
}

static void warn(struct hd_cc *cc, const struct hd_strbuf *names, const char *what)
{
	if (names->len && !cc->quiet)
		hd_warning(&cc->diag, HD_NOWHERE, "%s %s", hd_strbuf_text(names), what);
}

static void append_name(struct hd_strbuf *names, const char *name)
{
	hd_strbuf_printf(names, "%s%s", names->len ? ", " : "", name);
}

/* -arch alone, or -arch with -code. */
static int add_arch(struct hd_cc *cc)
{
	if (cc->code_names && !cc->arch_names)
		return hd_error(&cc->diag, HD_NOWHERE, "-code %s: -arch is missing (-arch=compute_NN)", cc->code_names);
	if (cc->code_names)
		return add_codes(cc, "-code", cc->arch_names, cc->code_names);
	return cc->arch_names ? add_name(cc, cc->arch_names) : 0;
}

/* -arch and -code add to what -gencode named. */
int hd_cc_choose_target(struct hd_cc *cc)
{
	if (add_arch(cc))
		return -1;
	struct hd_strbuf older = {0}, others = {0};
	int best = 0;
	bool few = false;
	const char *special = NULL;
	for (uint32_t i = 0; i < cc->targets.len; i++) {
		struct hd_cc_target target = cc->targets.data[i];
		if (target.special && target.number == SPECIAL)
			special = target.name;
		else if (is_modelled(target.number) && !target.special)
			best = !best || target.number < best ? target.number : best;
		else
			append_name(target.number < OLDEST && is_known(target.number) ? &older : &others, target.name);
		few = few || has_few_registers(target.number);
	}
	int status = 0;
	cc->arch_given = cc->targets.len > 0;
	bool exact = special && (!best || best == SPECIAL);
	if (special && !exact && !cc->quiet)
		hd_warning(&cc->diag, HD_NOWHERE,
			   "%s left out: the code is for sm_%d, for it runs on all newer GPUs; -arch=sm_90a makes code "
			   "for that architecture alone",
			   special, best);
	if (best || exact) {
		best = exact ? SPECIAL : best;
		warn(cc, &others, "left out: sm_70 to sm_90 are modelled");
		if (exact)
			warn(cc, &older, "left out: sm_70 to sm_90 are modelled");
	} else if (older.len) {
		warn(cc, &older,
		     few ? "taken as sm_70, the oldest architecture that is modelled, with 63 registers a thread"
			 : "taken as sm_70, the oldest architecture that is modelled");
		cc->target_registers = few ? FEW_REGISTERS : 0;
		warn(cc, &others, "left out: sm_70 to sm_90 are modelled");
	} else if (others.len && is_known(cc->targets.data[0].number)) {
		warn(cc, &others, "taken as sm_90, the newest architecture that is modelled");
		best = NEWEST;
	} else if (others.len) {
		status = hd_error(&cc->diag, HD_NOWHERE, "unknown GPU architecture '%s'", cc->targets.data[0].name);
	}
	cc->arch = hd_arena_printf(&cc->arena, "sm_%d%s", best ? best : DEFAULT_TARGET, exact ? "a" : "");
	hd_strbuf_release(&older);
	hd_strbuf_release(&others);
	return status;
}
