/*
 * The passes over a module (targets/compile.h).
 */
#include "test/fuzz/targets/compile.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/strbuf.h"
#include "passes/session.h"
#include "test/fuzz/targets/fuzz.h"

static bool take(LLVMModuleRef module, int severity, const char *file, unsigned line, unsigned column,
		 const char *message)
{
	(void)module, (void)severity, (void)file, (void)line, (void)column, (void)message;
	return true;
}

static bool wants_remarks(LLVMModuleRef module, const char *pass)
{
	(void)module, (void)pass;
	return true;
}

static void remark(LLVMValueRef function, const char *pass, const char *name, const char *file, unsigned line,
		   unsigned column, const struct hd_remark_part *parts, unsigned count)
{
	(void)function, (void)pass, (void)name, (void)file, (void)line, (void)column, (void)parts, (void)count;
}

static const char *variable(LLVMValueRef value)
{
	(void)value;
	return NULL;
}

static void fail(LLVMModuleRef module)
{
	(void)module;
}

void fuzz_compile(LLVMModuleRef module)
{
	static const struct hd_host host = {take, wants_remarks, remark, variable, fail};
	struct hd_strbuf parameters = {0};
	hd_strbuf_printf(&parameters, "o=%s", fuzz_file(NULL, 0, ".hdo"));
	struct hd_session *session = hd_session_new(hd_strbuf_text(&parameters), false, &host);
	hd_session_prepare(module);
	for (unsigned row = 0; row < HD_SESSION_ROWS; row++)
		if (hd_session_rows() >> row & 1)
			hd_session_step(session, module, row);
	hd_session_free(session);
	hd_strbuf_release(&parameters);
}
