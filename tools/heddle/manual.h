/*
 * What is made from the tables of commands, options, passes and parameters beside the help texts: manual pages and the
 * words of completion. `make` writes both; they are no part of the command line that users are told of.
 */
#ifndef HD_TOOLS_HEDDLE_MANUAL_H
#define HD_TOOLS_HEDDLE_MANUAL_H

#include <argp.h>

/* heddle(1), and heddle-passes(7): the plugin's parameters and printers. */
void manual_program(void);
void manual_passes(void);
/* heddle-COMMAND(1); `name` is "heddle COMMAND". */
void manual_command(const struct argp *argp, const char *name);
/* A command's options, one a line as "--long=VALUE" and "-s=VALUE"; the commands of the program. */
void manual_options(const struct argp *argp);
void manual_commands(void);

#endif
