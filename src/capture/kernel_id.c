/* Which launches does a --kernel-id mean? */
#include "capture/kernel_id.h"

#include "text/pattern.h"

#define OPERATOR "regex:"

static int refuse_form(const char *text, struct err *e)
{
	err_set(e, ERR_USAGE,
		"--kernel-id takes context-id:stream-id:[regex:]kernel-name:invocation-nr, not "
		"'%s'",
		text);
	return err_hint(e, "parts may be empty: ::NAME: is every launch of NAME, ::NAME:2 its "
			   "second, ::regex:^gemm: those whose name begins with gemm");
}

static int refuse_name(struct str name, struct err *e)
{
	err_set(e, ERR_USAGE, "--kernel-id: '%.*s' is not the name of a function", STR_FMT(name));
	return err_hint(e, "ncu compares function names without namespaces and template arguments: "
			   "::vectorized_elementwise_kernel:2; the only operator is regex:");
}

/* ids and numbers may be expressions: 1|5 */
static int check_expression(const char *part, struct str text, struct err *e)
{
	struct pattern *compiled = NULL;
	int result = text.len ? pattern_compile(&compiled, text, 0, e) : 0;

	pattern_free(compiled);
	return result < 0 ? err_wrap(e, "--kernel-id: the %s '%.*s'", part, STR_FMT(text)) : 0;
}

static int check_invocation(struct str text, struct err *e)
{
	if (text.len && (text.s[0] == '-' || strspn(text.s, "0") == text.len)) {
		err_set(e, ERR_USAGE, "--kernel-id: there is no launch %s",
			text.s[0] == '-' ? text.s : "0");
		return err_hint(e, "ncu counts launches from 1");
	}
	return check_expression("invocation number", text, e);
}

static int check_name(struct kernel_id *ret, struct str name, struct err *e)
{
	ret->regex = str_starts(name, OPERATOR);
	if (ret->regex)
		name = (struct str){name.s + strlen(OPERATOR), name.len - strlen(OPERATOR)};
	else if (name.len && (memchr(name.s, ':', name.len) || memchr(name.s, '<', name.len) ||
			      memchr(name.s, '(', name.len)))
		return refuse_name(name, e);
	ret->name = name.len ? name.s : NULL;
	ret->name_len = name.len;
	return ret->regex ? check_expression("kernel name", name, e) : 0;
}

int kernel_id_read(struct kernel_id *ret, const char *text, struct err *e)
{
	const char *stream = strchr(text, ':'), *name = stream ? strchr(stream + 1, ':') : NULL;
	const char *last = strrchr(text, ':');
	struct str context, ids, invocation;

	*ret = (struct kernel_id){.text = text};
	if (!name || last == name || strspn(text, ":") == strlen(text))
		return refuse_form(text, e);
	context = (struct str){text, (size_t)(stream - text)};
	ids = (struct str){stream + 1, (size_t)(name - stream - 1)};
	invocation = str_of(last + 1);
	ret->has_invocation = invocation.len > 0;
	ret->only_name = !context.len && !ids.len && !invocation.len;
	if (check_expression("context id", context, e) < 0 ||
	    check_expression("stream id", ids, e) < 0 || check_invocation(invocation, e) < 0)
		return -1;
	return check_name(ret, (struct str){name + 1, (size_t)(last - name - 1)}, e);
}
