/*
 * The simulator for programs in other languages, in libheddle-sim.so: handles, numbers, texts and bytes alone, so that
 * a foreign function interface needs no structures (heddle/sim.h is the interface for C). A session is one GPU with
 * one policy.
 *
 * Functions that return int return 0 or a number that is not negative, or -1 (or a negative enum hd_sim_error) with
 * the reason in hd_session_error(). Nothing is printed and nothing ends the process, except where the host has no
 * memory left: a message on standard error, then abort(). A session is used by one thread at a time, except for
 * hd_session_interrupt(). Texts that are returned belong to the session, and stay until the next call of the same
 * function or hd_session_free(); that of hd_session_error() stays until the next call of any function.
 */
#ifndef HEDDLE_SESSION_H
#define HEDDLE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/api.h"

/* Grows when a function changes or goes. */
#define HD_SESSION_VERSION 1

struct hd_session;

HD_API uint32_t hd_session_version(void);
/* Names, one per line: "gpus", "policies" or "options". NULL for another word. The caller frees it with
 * hd_session_free_text(). */
HD_API char *hd_session_names(const char *what);
HD_API void hd_session_free_text(char *text);

HD_API struct hd_session *hd_session_new(void);
/* Ends the session's work: writes files of `timeline` and `kanata`. Nothing can be submitted afterwards. */
HD_API int hd_session_end(struct hd_session *session);
/* Frees all of it. Where hd_session_end() was not called, files are written and their errors lost. */
HD_API void hd_session_free(struct hd_session *session);
/* Sets an option of session.def before the start. `set` may be given several times. */
HD_API int hd_session_option(struct hd_session *session, const char *name, const char *value);
/* Builds the GPU. */
HD_API int hd_session_start(struct hd_session *session);

/* The errors of the last call that failed, one per line; "" when there were none. */
HD_API const char *hd_session_error(const struct hd_session *session);
/* Warnings, notes and findings of `check` since the last call of this function, one per line. */
HD_API const char *hd_session_messages(struct hd_session *session);
/* What kernels printed since the last call of this function; it may have zeros in it. */
HD_API const char *hd_session_output(struct hd_session *session, size_t *size);

/* Loads a kernel object from memory, after a wait for what was submitted; `name` is for messages. Returns its
 * number. */
HD_API int hd_session_load(struct hd_session *session, const void *bytes, size_t size, const char *name);
/* The object's metadata as JSON (docs/metadata.md); NULL: no such number. */
HD_API const char *hd_session_metadata(struct hd_session *session, int module);
/* The symbol of a kernel by any form of its name that heddle's tools accept; NULL: there is none. */
HD_API const char *hd_session_kernel(struct hd_session *session, int module, const char *name);
HD_API int hd_session_symbol(struct hd_session *session, int module, const char *name, uint64_t *address,
			     uint64_t *size);

/* Device memory. `set` fills with one byte. What is released while grids are submitted stays until they have ended. */
HD_API int hd_session_malloc(struct hd_session *session, uint64_t bytes, uint64_t *address);
HD_API int hd_session_release(struct hd_session *session, uint64_t address);
HD_API int hd_session_write(struct hd_session *session, uint64_t address, const void *from, uint64_t bytes);
HD_API int hd_session_read(struct hd_session *session, uint64_t address, void *to, uint64_t bytes);
HD_API int hd_session_set(struct hd_session *session, uint64_t address, uint8_t value, uint64_t bytes);

/*
 * Submits a grid. `kernel` is a name as for hd_session_kernel(); `grid` and `block` have three
 * numbers each; `params` are the bytes that the metadata's parameters describe. Grids of one stream run one after the
 * other, those of different streams beside each other. Nothing runs before hd_session_wait(), which runs all and
 * returns the first error.
 */
HD_API int hd_session_submit(struct hd_session *session, int module, const char *kernel, const uint32_t *grid,
			     const uint32_t *block, uint32_t shared, bool cooperative, uint64_t stream, int priority,
			     const void *params, uint32_t param_bytes);
HD_API int hd_session_wait(struct hd_session *session);
/* From another thread: ends what runs; hd_session_wait() then returns an error. */
HD_API void hd_session_interrupt(struct hd_session *session);

/* Figures: launches that have ended, one of them as JSON (as in `launches` of `heddle run --json`), and everything. */
HD_API uint32_t hd_session_launches(const struct hd_session *session);
HD_API const char *hd_session_launch(struct hd_session *session, uint32_t index);
HD_API const char *hd_session_statistics(struct hd_session *session);
/* With option `check`: how many places have findings. Ends the check: what shows at a program's end is reported. */
HD_API int hd_session_findings(struct hd_session *session);

#endif
