/*
 * One run of heddle-cc at work: its temporary directory, the processes that it starts and
 * the files that it hands over at the end.
 */
#ifndef HD_TOOLS_HEDDLE_CC_JOB_H
#define HD_TOOLS_HEDDLE_CC_JOB_H

#include "lib/scratch.h"
#include "tools/heddle-cc/options.h"

struct hd_job {
	struct hd_cc *cc;
	struct hd_signals signals; /* held while the directory is there */
	struct hd_scratch directory;
	hd_arguments objects;	/* what the linker gets, in the inputs' order */
	struct json_t *overlay; /* the sources that clang reads in another form (source.c); NULL: none */
	uint32_t mended;	/* how often such a form was written */
};

/*
 * Makes the temporary directory; 0 or -1 with the error reported. Release it either way; the process ends there when a
 * signal came meanwhile.
 */
int hd_job_init(struct hd_job *job, struct hd_cc *cc);
void hd_job_release(struct hd_job *job);

char *hd_job_path(struct hd_job *job, const char *name);       /* in the temporary directory */
const char *hd_job_stem(struct hd_job *job, const char *file); /* "dir/foo.cu" -> "foo" */
/* The input's name with another suffix, in -odir's folder: "dir/foo.cu" -> "foo.o". */
const char *hd_job_named(struct hd_job *job, const char *input, const char *suffix);
/* Puts standard input, where it is an input, into a file of the temporary directory. 0 or -1. */
int hd_job_read_stdin(struct hd_job *job);
/* Has clang read the CUDA sources as nvcc would (source.c). 0 or -1. */
int hd_job_mend_sources(struct hd_job *job);
/*
 * hd_cc_scan, with a precompiled header or NULL; what clang refuses there of __shared__ variables and nvcc takes is
 * mended for what follows (shared.c). Once something had to be, the rest is looked for at once, too.
 */
bool hd_job_scan(struct hd_job *job, const char *input, const char *header, bool whole, const char *path);
/* The outputs of -c and of a link. */
const char *hd_job_object_name(struct hd_job *job, const char *input);
const char *hd_job_program_name(struct hd_job *job);
/* The target of the make rule with a source's headers, and the file of that rule beside the output. */
const char *hd_job_rule_target(struct hd_job *job, const char *input);
const char *hd_job_rule_file(struct hd_job *job, const char *input);
/* Appends up to the NULL that ends the list. */
void hd_job_add(hd_arguments *arguments, const char *first, ...) __attribute__((sentinel));
/* Runs a process and releases its arguments; 0, or -1 when it failed. `environment`: one NAME=VALUE or NULL. */
int hd_job_run(struct hd_job *job, hd_arguments *arguments, const char *environment);

/*
 * Moves a finished file to its place, across file systems too; an old one stays until the new one is whole.
 * A place that is no file (-o /dev/null) is written into; a link stays, and what it leads to is replaced.
 */
int hd_job_deliver(struct hd_job *job, const char *from, const char *to);
/* Adds the options that make clang write the device half's record for `prefix`, where one was asked for. */
void hd_job_add_record(struct hd_job *job, hd_arguments *arguments, const char *prefix);
/* Metadata and optimization record always, annotated IR and object with -keep: beside `output`, under its name. */
int hd_job_deliver_side_files(struct hd_job *job, const char *prefix, const char *output);
/* `output` without ".o", for the names of side files. */
const char *hd_job_output_prefix(struct hd_job *job, const char *output);
/* What ptxas would say of the code whose metadata is at `prefix` (resources.c), of a device link's when `linked`. 0 or
 * -1. */
int hd_job_report(struct hd_job *job, const char *prefix, bool linked);

/* HEDDLE_PASS for the plugin: output prefix, options of the command line, `facts` (a file, or NULL) when it is there,
 * and the file that it leaves when it refuses the module (NULL: none). */
const char *hd_job_pass_environment(struct hd_job *job, const char *prefix, const char *facts, const char *refused,
				    bool relocatable);

#endif
