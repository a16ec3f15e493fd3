/* On which host was the trace recorded, and under which driver? */
#include "trace/system/system_facts.h"

#include "trace/small_table.h"

#include <stdio.h>

/* A whole number of at most nine digits; -1: it is none. */
static int64_t whole_number(struct str s)
{
	int64_t n = 0;

	if (!s.len || s.len > 9)
		return -1;
	for (size_t i = 0; i < s.len; i++) {
		if (s.s[i] < '0' || s.s[i] > '9')
			return -1;
		n = n * 10 + (s.s[i] - '0');
	}
	return n;
}

/* CUDA writes 12.8 as 12080. */
static void set_cuda(struct system_facts *f, struct str version)
{
	const int64_t n = whole_number(version);

	if (n >= 1000)
		snprintf(f->cuda, sizeof(f->cuda), "%lld.%lld", (long long)(n / 1000),
			 (long long)(n % 1000 / 10));
	else
		snprintf(f->cuda, sizeof(f->cuda), "%.*s",
			 (int)(version.len < sizeof(f->cuda) ? version.len : sizeof(f->cuda) - 1),
			 version.len ? version.s : "");
}

static void take(struct system_facts *f, struct str name, struct str value)
{
	if (str_eq(name, STR_LIT("NvDriverVersion")))
		f->driver = value;
	else if (str_eq(name, STR_LIT("CudaDriverVersion")))
		set_cuda(f, value);
	else if (str_eq(name, STR_LIT("OsDescription")))
		f->os = value;
	else if (str_eq(name, STR_LIT("CpuDescription")))
		f->cpu = value;
	else if (str_eq(name, STR_LIT("CpuCores")))
		f->cores = whole_number(value);
}

static int read_captured_at(struct trace *t, struct str *ret, struct err *e)
{
	static const char *const columns[] = {"utcTime", NULL};
	struct small_table s;

	if (trace_read_small(t, "TARGET_INFO_SESSION_START_TIME", columns, &s, e) < 0)
		return -1;
	if (s.rows)
		*ret = small_value(&s, 0, 0)->s;
	return 0;
}

int system_facts_read(struct trace *t, struct system_facts *ret, struct err *e)
{
	static const char *const columns[] = {"name", "value", NULL};
	struct small_table s;

	*ret = (struct system_facts){.cores = -1};
	if (trace_read_small(t, "TARGET_INFO_SYSTEM_ENV", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++)
		take(ret, small_value(&s, i, 0)->s, small_value(&s, i, 1)->s);
	return read_captured_at(t, &ret->captured_at, e);
}

int system_is_windows(struct trace *t, bool *ret, struct err *e)
{
	struct system_facts f;

	if (system_facts_read(t, &f, e) < 0)
		return -1;
	*ret = str_holds(f.os, "Windows");
	return 0;
}
