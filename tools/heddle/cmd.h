/*
 * What the subcommands of `heddle` share: the table of commands.def, the command line, the
 * inputs (kernel objects, programs that contain them, metadata files) and output helpers.
 */
#ifndef HD_TOOLS_HEDDLE_CMD_H
#define HD_TOOLS_HEDDLE_CMD_H

#include <argp.h>
#include <stdbool.h>

#include "heddle/object.h"

/* Exit statuses of every subcommand. */
enum { CMD_OK = 0, CMD_FINDING = 1, CMD_ERROR = 2 };

struct cmd {
	const char *name, *help;
	int (*run)(int argc, char **argv);
};

#define CMD(name, help) int cmd_##name(int argc, char **argv);
#include "tools/heddle/commands.def"
#undef CMD

/*
 * argp_parse() with the project's manners: an unknown long option is reported with the nearest names and ends
 * the program with status 2, as argp's own usage errors do (main.c sees to that). `flags` as for argp_parse; with
 * ARGP_IN_ORDER the check stops at the first operand.
 */
void cmd_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);
enum { CMD_MOST_THREADS = 1024 }; /* of a CTA, in CUDA */

/* The value of an option that is a number from `min` to `max`; anything else is a usage error. */
uint32_t cmd_parse_count(struct argp_state *state, const char *option, const char *text, uint32_t min, uint32_t max);
/* Reports "heddle: error: ..." and returns CMD_ERROR. */
int cmd_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the value as the project's JSON on stdout and drops the reference. CMD_OK or CMD_ERROR. */
struct json_t;
int cmd_print_json(struct json_t *value);
/* Whether stdout shows colours: a terminal, and NO_COLOR is not set. */
bool cmd_colour(void);
/* Whether stderr can show a line that is written over itself. */
bool cmd_progress(void);

/* One kernel object or metadata document among the inputs. */
struct cmd_unit {
	const char *path; /* as given on the command line */
	bool has_code;	  /* false: a .heddle.json or a cubin, only `metadata` is there */
	struct hd_object object;
	struct hd_metadata metadata;
	const char *metadata_text; /* of a .heddle.json as it is there: also what this Heddle does not know; or NULL */
	size_t metadata_bytes;
	const struct hd_cubin *cubin; /* NVIDIA's code, of which `metadata` has what cubins say (cubin.h); or NULL */
};

struct cmd_input {
	struct hd_arena arena; /* owns the units' contents */
	HD_VEC(struct cmd_unit) units;
	bool need_code;	  /* set before loading: a .heddle.json is an error */
	bool take_cubins; /* set before loading: NVIDIA's code is taken, too, else it is an error */
};

/* Adds what the file holds: an .hdo, a .heddle.json, a built program or NVIDIA's code. 0, or -1 with the error
 * reported. */
int cmd_input_load(struct cmd_input *input, const char *path, struct hd_diag *diag);
void cmd_input_init(struct cmd_input *input, bool need_code);
void cmd_input_release(struct cmd_input *input);

#endif
