/*
 * What do people call this kernel? "void at::native::reduce_kernel<512, 1, ReduceOp<float, MeanOps<
 * float>, …>>(T3)" is the mean: the function's own name, and of its template arguments the one or
 * two that say what it computes. One pass over the text, whatever it holds.
 */
#include "report/kernel_name.h"
#include "base/mem.h"
#include "report/kernel_words.h"
#include "text/cxx.h"
#include "text/text.h"

/* The function's name: its last two components and what lies between its template's < and >. */
struct function {
	struct str scope; /* "gemvx" in internal::gemvx::kernel */
	struct str name;
	struct str args;
};

/* A template argument worth naming. */
struct functor {
	struct str name;
	size_t depth;
	size_t lambdas;	     /* how many lambdas deep inside the named function */
	struct str instance; /* the number of the first: "10" in [lambda(int) (instance 10)] */
};

enum { FUNCTORS_SHOWN = 2 };

struct functors {
	struct functor list[FUNCTORS_SHOWN];
	size_t count;
};

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '~' || (c & 0x80);
}

static struct str slice(struct str s, size_t begin, size_t end)
{
	return (struct str){s.s + begin, end - begin};
}

static struct str from(struct str s, size_t begin)
{
	return slice(s, begin, s.len);
}

static size_t name_end(struct str s, size_t i)
{
	while (i < s.len && is_name_char(s.s[i]))
		i++;
	return i;
}

/* The place after the bracket that closes the one at i; the end where nothing closes it. */
static size_t skip_brackets(struct str s, size_t i)
{
	size_t depth = 0;

	for (; i < s.len; i++) {
		if (strchr("<([{", s.s[i]) && s.s[i])
			depth++;
		else if (strchr(">)]}", s.s[i]) && s.s[i] && s.s[i - 1] != '-' && --depth == 0)
			return i + 1;
	}
	return s.len;
}

static bool is_operator(struct str name)
{
	return str_eq(name, STR_LIT("operator"));
}

/* Reads up to the parameter list. What a space ends was the return type. */
static struct function parse_function(struct str s)
{
	struct function f = {0};
	size_t i = 0;

	while (i < s.len && (s.s[i] != '(' || cxx_unnamed_length(from(s, i)))) {
		size_t unnamed = cxx_unnamed_length(from(s, i));
		size_t end = name_end(s, i);

		if (unnamed) {
			i += unnamed;
		} else if (end > i) {
			f.scope = f.name;
			f.name = slice(s, i, end);
			f.args = (struct str){0};
			i = end;
		} else if (s.s[i] == '<') {
			end = skip_brackets(s, i);
			f.args = slice(s, i + 1, end);
			i = end;
		} else if (str_starts(from(s, i), "::")) {
			i += 2;
		} else if (s.s[i] == '[' || s.s[i] == '{') {
			i = skip_brackets(s, i);
		} else {
			f = (struct function){0};
			i++;
		}
	}
	return f;
}

static void add_functor(struct functors *f, struct str name, size_t depth)
{
	for (size_t i = 0; i < f->count; i++)
		if (str_eq(f->list[i].name, name))
			return;
	f->list[f->count++] = (struct functor){.name = name, .depth = depth};
}

/* The digits after "instance " or '#' in a lambda's brackets. */
static struct str lambda_instance(struct str lambda)
{
	size_t end = lambda.len;
	size_t begin;

	while (end > 0 && !(lambda.s[end - 1] >= '0' && lambda.s[end - 1] <= '9'))
		end--;
	begin = end;
	while (begin > 0 && lambda.s[begin - 1] >= '0' && lambda.s[begin - 1] <= '9')
		begin--;
	return slice(lambda, begin, end);
}

static void note_lambda(struct functors *f, struct str lambda, size_t depth)
{
	struct functor *last = f->count ? &f->list[f->count - 1] : NULL;

	if (!last || last->depth != depth)
		return;
	if (last->lambdas++ == 0)
		last->instance = lambda_instance(lambda);
}

/* Parameter lists, casts and array bounds say nothing; angle brackets nest. */
static size_t skip_punctuation(struct functors *f, struct str args, size_t i, size_t *depth)
{
	size_t end = i + 1;

	switch (args.s[i]) {
	case '<':
		++*depth;
		break;
	case '>':
		*depth -= *depth > 0;
		break;
	case '(':
	case '[':
	case '{':
		end = skip_brackets(args, i);
		if (str_starts(from(args, i + 1), "lambda"))
			note_lambda(f, slice(args, i, end), *depth);
		break;
	}
	return end;
}

static struct functors parse_functors(struct str args)
{
	struct functors f = {0};
	size_t depth = 0, i = 0;

	while (i < args.len) {
		size_t unnamed = cxx_unnamed_length(from(args, i));
		size_t end = name_end(args, i);

		if (unnamed) {
			i += unnamed;
			continue;
		}
		if (end == i) {
			i = skip_punctuation(&f, args, i, &depth);
			continue;
		}
		if (!str_starts(from(args, end), "::") && f.count < FUNCTORS_SHOWN &&
		    !kernel_word_is_plumbing(slice(args, i, end)))
			add_functor(&f, slice(args, i, end), depth);
		i = end;
	}
	return f;
}

static void add_functor_name(struct buf *b, const struct functor *f)
{
	buf_addstr(b, f->name);
	if (f->lambdas == 1 && !str_eq(f->instance, STR_LIT("1"))) {
		buf_addc(b, '#');
		buf_addstr(b, f->instance);
	}
}

static void add_functors(struct buf *b, const struct functors *f)
{
	const struct functor *first = &f->list[0], *second = &f->list[1];

	add_functor_name(b, first);
	if (f->count < 2)
		return;
	buf_adds(b, second->depth > first->depth ? "<" : ", ");
	add_functor_name(b, second);
	if (second->depth > first->depth)
		buf_addc(b, '>');
}

void kernel_name_add_short(struct buf *b, struct str name)
{
	struct function f = parse_function(name);
	struct functors functors = parse_functors(f.args);

	if (!f.name.len || is_operator(f.name)) {
		buf_addstr(b, name);
		return;
	}
	if (kernel_word_is_shell(f.name) && functors.count) {
		add_functors(b, &functors);
		return;
	}
	if (str_eq(f.name, STR_LIT("kernel")) && f.scope.len) {
		buf_addstr(b, f.scope);
		buf_adds(b, "::");
	}
	buf_addstr(b, f.name);
	if (functors.count) {
		buf_addc(b, '<');
		add_functors(b, &functors);
		buf_addc(b, '>');
	}
}
