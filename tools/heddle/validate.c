/*
 * heddle validate: launches as a profiler measured them on a card, beside the same launches here: for each the cycles,
 * instructions and traffic of the caches and DRAM, and over all the correlation and the mean absolute error. The
 * launches here are of a program that `heddle run` runs, or of statistics that it wrote.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/scratch.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/validate/validate.h"

enum { OPT_JSON = 256, OPT_CSV, OPT_SVG, OPT_PNG, OPT_SMS, OPT_CLOCK, OPT_THREADS };

struct command {
	HD_VEC(const char *) files;
	HD_VEC(const char *) set; /* KEY=VALUE */
	char **program;		  /* NULL: statistics are read */
	const char *gpu, *policy, *threads, *svg, *png;
	uint32_t sms;
	double clock;
	bool json, csv;
};

static const struct argp_option options[] = {
	{"gpu", 'g', "NAME", 0, "with PROGRAM: GPU to simulate (default v100; 'heddle gpus' lists them)", 0},
	{"policy", 'p', "NAME", 0,
	 "hardware design to compare (default: baseline; for STATISTICS.json: its only design)", 0},
	{"set", 's', "KEY=VALUE", 0, "with PROGRAM: change a configuration key ('heddle gpus NAME' lists them)", 0},
	{"threads", OPT_THREADS, "N", 0, "with PROGRAM: simulate on N host threads", 0},
	{"sms", OPT_SMS, "N", 0,
	 "SMs of the card; metrics summed over SMs are divided by N (default: SMs of the simulated GPU)", 0},
	{"clock", OPT_CLOCK, "MHZ", 0,
	 "SM clock of the card; converts times to cycles for profiles without cycle counts", 0},
	{"json", OPT_JSON, NULL, 0, "print JSON", 0},
	{"csv", OPT_CSV, NULL, 0, "print CSV, one row per quantity and launch", 0},
	{"svg", OPT_SVG, "FILE", 0, "plot the comparison as SVG (needs gnuplot)", 0},
	{"png", OPT_PNG, "FILE", 0, "plot the comparison as PNG (needs gnuplot)", 0},
	{0},
};

static double parse_clock(struct argp_state *state, const char *text)
{
	char *end;
	double clock = strtod(text, &end);
	if (end == text || *end || !(clock > 0) || !isfinite(clock))
		argp_error(state, "--clock needs a frequency in MHz, not '%s'", text);
	return clock;
}

static void check_arguments(const struct command *command, struct argp_state *state)
{
	if (!command->files.len)
		argp_error(state,
			   "missing PROFILE; usage: heddle validate PROFILE.csv STATISTICS.json | -- PROGRAM [ARG...]");
	if (command->program ? command->files.len != 1 : command->files.len != 2)
		argp_error(state, "expected a PROFILE, and either STATISTICS or -- PROGRAM");
	if (!command->program && (command->gpu || command->threads || command->set.len))
		argp_error(state,
			   "--gpu, --set and --threads apply only when a PROGRAM is run, not to saved statistics");
	if (command->json && command->csv)
		argp_error(state, "--json and --csv exclude each other");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct command *command = state->input;
	switch (key) {
	case 'g': command->gpu = arg; break;
	case 'p': command->policy = arg; break;
	case 's': hd_vec_push(&command->set, arg); break;
	case OPT_THREADS: command->threads = arg; break;
	case OPT_SMS: command->sms = cmd_parse_count(state, "--sms", arg, 1, 4096); break;
	case OPT_CLOCK: command->clock = parse_clock(state, arg); break;
	case OPT_JSON: command->json = true; break;
	case OPT_CSV: command->csv = true; break;
	case OPT_SVG: command->svg = arg; break;
	case OPT_PNG: command->png = arg; break;
	case ARGP_KEY_ARG:
		if (!state->quoted || state->next <= state->quoted) {
			hd_vec_push(&command->files, arg);
			break;
		}
		command->program = state->argv + state->next - 1;
		state->next = state->argc;
		break;
	case ARGP_KEY_END: check_arguments(command, state); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ------------------------------------------------------------ the run */

typedef HD_VEC(char *) word_list;

static void add(word_list *words, const char *option, const char *value)
{
	if (!value)
		return;
	hd_vec_push(words, (char *)option);
	hd_vec_push(words, (char *)value);
}

/* This program; its name where /proc is not there. */
static const char *own_path(struct hd_arena *arena)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	return length > 0 ? hd_arena_printf(arena, "%.*s", (int)length, path) : "heddle";
}

/* `heddle run` of the program, whose own output goes to stderr. 0, or the exit status. */
static int run_program(const struct command *command, struct validation *validation, const char *folder,
		       struct hd_signals *signals)
{
	word_list words = {0};
	struct hd_arena *arena = &validation->arena;
	validation->source = hd_arena_printf(arena, "%s/statistics", folder);
	/* The shell turns the output, and leaves no process of its own. */
	add(&words, "sh", "-c");
	add(&words, "exec \"$0\" \"$@\" >&2", own_path(arena));
	add(&words, "run", "--quiet");
	add(&words, "--gpu", command->gpu);
	add(&words, "--policy", command->policy);
	add(&words, "--threads", command->threads);
	for (uint32_t i = 0; i < command->set.len; i++)
		add(&words, "--set", command->set.data[i]);
	add(&words, "--stats", validation->source);
	hd_vec_push(&words, "--");
	for (char **word = command->program; *word; word++)
		hd_vec_push(&words, *word);
	hd_vec_push(&words, NULL);
	int status = hd_child_run(signals, words.data, NULL, validation->diag);
	hd_vec_release(&words);
	if (status > 0)
		hd_error(validation->diag, HD_NOWHERE, "%s: exit status %d under heddle run", command->program[0],
			 status);
	return status;
}

/* ------------------------------------------------------------ the command */

static int print(const struct command *command, const struct validation *validation)
{
	if (command->json)
		return cmd_print_json(show_json(validation));
	(command->csv ? show_csv : show_text)(validation, stdout);
	return CMD_OK;
}

static int draw(const struct command *command, const struct validation *validation, const char *folder,
		struct hd_signals *signals)
{
	if (command->svg && draw_comparison(validation, command->svg, true, folder, signals))
		return -1;
	return command->png ? draw_comparison(validation, command->png, false, folder, signals) : 0;
}

static bool any_compared(const struct validation *validation)
{
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		if (validation->figures[q].launches)
			return true;
	return false;
}

static int validate(const struct command *command, struct validation *validation, const char *folder,
		    struct hd_signals *signals)
{
	const char *policy = command->program ? NULL : command->policy;
	validation->profile = command->files.data[0];
	if (profile_read(validation))
		return CMD_ERROR;
	if (command->program ? run_program(command, validation, folder, signals) : 0)
		return CMD_ERROR;
	if (!command->program)
		validation->source = command->files.data[1];
	if (launches_read(validation, policy))
		return CMD_ERROR;
	json_t *config = json_object_get(validation->run, "config");
	validation->clock = command->clock;
	validation->sms =
		command->sms ? command->sms : (uint32_t)json_integer_value(json_object_get(config, "sm_count"));
	if (profile_values(validation))
		return CMD_ERROR;
	launches_count(validation);
	match_launches(validation);
	compare_launches(validation);
	if (!any_compared(validation))
		return cmd_error("%s: none of its launches matches the run", validation->profile);
	if (draw(command, validation, folder, signals) || print(command, validation))
		return CMD_ERROR;
	return validation->only_card ? CMD_FINDING : CMD_OK;
}

static int with_folder(const struct command *command, struct validation *validation)
{
	struct hd_scratch scratch = {.alive = -1};
	struct hd_signals signals;
	bool needed = command->program || command->svg || command->png;
	if (needed)
		hd_signals_hold(&signals);
	int status = needed && hd_scratch_make(&scratch, "heddle-validate", &validation->arena, validation->diag)
			     ? CMD_ERROR
			     : validate(command, validation, scratch.path, &signals);
	if (needed && scratch.path)
		hd_scratch_release(&scratch);
	fflush(stdout);
	if (needed)
		hd_signals_release(&signals);
	return status;
}

int cmd_validate(int argc, char **argv)
{
	static const char doc[] =
		"Compares a profile of a real card with the same launches on the simulated GPU. Prints cycles, "
		"instructions, L1 and L2 sectors and DRAM bytes of each launch, and the correlation and mean "
		"absolute error of each quantity. Where the profile's counter is of whole launches, "
		"profiler_launch_cycles of the configuration is added to cycles here.\v"
		"PROFILE.csv comes from Nsight Compute (`ncu --csv`, with or without `--page raw`) or nvprof "
		"(`nvprof --csv --print-gpu-trace --metrics ... --events elapsed_cycles_sm`), or is a table of means "
		"over the launches of each kernel as AccelWattch's (columns Benchmark, Kernel, Elapsed_Cycles). "
		"STATISTICS.json comes from `heddle run --stats` or `--json`. PROGRAM, built with heddle-cc, is run "
		"instead, with its output on stderr. For each quantity, the first of these metrics that the profile "
		"contains is used:\n\n"
		"cycles: gpc__cycles_elapsed.max, sm__cycles_elapsed.max, smsp__cycles_elapsed.max, Elapsed Cycles, "
		"gpc__cycles_elapsed.avg, sm__cycles_elapsed.avg, smsp__cycles_elapsed.avg; divided by --sms: "
		"sm__cycles_elapsed.sum, elapsed_cycles_sm; Elapsed_Cycles; with --clock: gpu__time_duration.sum, "
		"Duration. All are of whole launches but sm__cycles_elapsed.avg, "
		"smsp__cycles_elapsed.avg, sm__cycles_elapsed.sum and Elapsed_Cycles\n\n"
		"instructions: smsp__inst_executed.sum, sm__inst_executed.sum, Executed Instructions, inst_executed\n\n"
		"thread instructions: smsp__thread_inst_executed_pred_on.sum, sm__thread_inst_executed_pred_on.sum, "
		"not_predicated_off_thread_inst_executed\n\n"
		"L1 traffic: l1tex__t_sectors_pipe_lsu.sum; l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum + "
		"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum + l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum + "
		"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum; l1tex__t_sectors.sum; gld_transactions + "
		"gst_transactions + local_load_transactions + local_store_transactions\n\n"
		"L2 traffic: lts__t_sectors_srcunit_tex.sum; lts__t_sectors_srcunit_tex_op_read.sum + "
		"lts__t_sectors_srcunit_tex_op_write.sum; lts__t_sectors.sum; lts__t_sectors_op_read.sum + "
		"lts__t_sectors_op_write.sum, plus lts__t_sectors_op_atom.sum + lts__t_sectors_op_red.sum if both are "
		"present; l2_tex_read_transactions + l2_tex_write_transactions; l2_read_transactions + "
		"l2_write_transactions\n\n"
		"DRAM reads, and writes: dram__bytes_read.sum, dram_read_bytes, dram__sectors_read.sum, "
		"dram_read_transactions, DRAM_Rd; dram__bytes_write.sum, dram_write_bytes, dram__sectors_write.sum, "
		"dram_write_transactions, DRAM_Wr\n\n"
		"The nth launch of a kernel in the profile is paired with its nth simulated launch with the "
		"same grid and block; a mean with that of all launches of the kernel. Names are compared without "
		"template arguments and parameters. An error is simulated / card - 1. Launches without a partner are "
		"listed.\n\n"
		"Exit status: 1 if the profile has launches that the simulation lacks; 2 for a wrong input or "
		"a failing program.";
	static const struct argp argp = {
		options, parse_option, "PROFILE.csv STATISTICS.json\nPROFILE.csv -- PROGRAM [ARG...]", doc, NULL,
		NULL,	 NULL};
	struct command command = {0};
	struct hd_diag diag = {.tool = "heddle validate"};
	struct validation validation = {.diag = &diag};
	cmd_parse(&argp, argc, argv, ARGP_IN_ORDER, &command);
	hd_arena_init(&validation.arena);
	int status = with_folder(&command, &validation);
	json_decref(validation.document);
	hd_vec_release(&validation.card);
	hd_vec_release(&validation.here);
	hd_vec_release(&command.files);
	hd_vec_release(&command.set);
	hd_arena_release(&validation.arena);
	return status;
}
