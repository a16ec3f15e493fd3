/* Is a kernel the one that somebody calls by its function? */
#include "analysis/counters/kernel_function.h"

#include "analysis/counters/kernel_pattern.h"
#include "base/arena.h"
#include "text/nearest.h"
#include "text/pattern.h"

enum { FAR_LETTERS = 8 }; /* a name that differs in more is another one */

int kernel_function_open(struct kernel_function *f, struct str name, bool is_regex, struct err *e)
{
	*f = (struct kernel_function){.name = name};
	return name.len && is_regex ? pattern_compile(&f->pattern, name, 0, e) : 0;
}

void kernel_function_close(struct kernel_function *f)
{
	pattern_free(f->pattern);
	*f = (struct kernel_function){0};
}

int kernel_function_is(const struct kernel_function *f, struct str kernel, struct err *e)
{
	const struct str own = kernel_pattern_base(kernel);

	if (!f->name.len)
		return 1;
	return f->pattern ? pattern_match(f->pattern, own, e) : str_eq(own, f->name);
}

int kernel_function_refuse(const struct kernel_function *f, const char *path,
			   const struct str *kernels, size_t count, struct err *e)
{
	struct arena a = {0};
	struct nearest n = {arena_str(&a, f->name).s, NULL, FAR_LETTERS};

	for (size_t i = 0; i < count && !f->pattern; i++)
		nearest_try(&n, arena_str(&a, kernel_pattern_base(kernels[i])).s);
	err_set(e, ERR_INPUT, "no kernel of '%s' has a function name %s '%.*s'", path,
		f->pattern ? "that matches" : "that is", STR_FMT(f->name));
	if (n.found)
		err_hint(e, "did you mean '%s'?", n.found);
	else
		err_hint(e,
			 "gpuwhy kernels %s shows their names, of which ncu leaves out namespaces "
			 "and template arguments; regex:PART finds part of a name",
			 path);
	arena_free(&a);
	return -1;
}
