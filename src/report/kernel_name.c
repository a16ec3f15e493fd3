/* What do people call a kernel, or a copy? */
#include "report/kernel_name.h"

#include "base/mem.h"
#include "text/cxx.h"

/* clang-format off */
static const char *const plumbing[] = {
	/* numbers */
	"void", "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double",
	"float2", "float4", "uint4", "complex", "half", "__half", "__nv_bfloat16", "Half", "BFloat16",
	"Float8_e4m3fn", "Float8_e5m2", "Int64", "Float32", "Float64",
	/* grammar */
	"const", "volatile", "operator", "type", "value_type", "result_type",
	/* containers */
	"array", "Array", "tuple", "null_type", "NullType", "KeyValuePair", "OpaqueType", "device_ptr",
	"use_default",
	/* what PyTorch, CUB and Thrust wrap around a functor */
	"ReduceOp", "gpu_kernel_impl", "gpu_kernel_impl_nocast", "gpu_index_kernel",
	"uniform_and_transform", "distribution_nullary_kernel",
	"_cuda_scatter_gather_internal_kernel", "policy_hub", "ScanTileState", "InputValue",
	"VSMemHelper", "ParallelForAgent",
};

static const char *const plumbing_begins[] = {
	"Policy", "cublasGemv", "curandState", "CUDAGenerator", "always_true",
};

static const char *const plumbing_ends[] = {
	"Policy",     "_iterator", "Iterator",	  "identity", "Metadata", "_t", "_tag", "traits",
	"Calculator", "WithCast",  "WithoutCast", "Params",   "_params",
};

static const char *const shells[] = {"Kernel", "Kernel2", "_kernel_agent"};
/* clang-format on */

static bool equals(struct str s, const char *other)
{
	return str_eq(s, str_of(other));
}

static bool is_any(struct str s, bool (*is)(struct str s, const char *one), const char *const *list,
		   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is(s, list[i]))
			return true;
	return false;
}

/* Types of numbers, and what libraries wrap around the functor: they name no operation. */
static bool kernel_word_is_plumbing(struct str word)
{
	return (word.s[0] >= '0' && word.s[0] <= '9') ||
	       is_any(word, equals, plumbing, ARRAY_LEN(plumbing)) ||
	       is_any(word, str_starts, plumbing_begins, ARRAY_LEN(plumbing_begins)) ||
	       is_any(word, str_ends, plumbing_ends, ARRAY_LEN(plumbing_ends));
}

/* Names that only say "a kernel": what they run is the name people know. */
static bool kernel_word_is_shell(struct str word)
{
	return is_any(word, equals, shells, ARRAY_LEN(shells));
}

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

static bool skip(struct str *s, struct str head)
{
	if (s->len < head.len || memcmp(s->s, head.s, head.len) != 0)
		return false;
	*s = (struct str){s->s + head.len, s->len - head.len};
	return true;
}

bool copy_name_add_short(struct buf *b, struct str name)
{
	const struct str to = STR_LIT("-to-");
	const char *between;
	bool unified;

	if (!skip(&name, STR_LIT("[CUDA memcpy ")))
		return false;
	unified = skip(&name, STR_LIT("Unified "));
	between = memmem(name.s, name.len, to.s, to.len);
	if (!between || between == name.s)
		return false;
	buf_addf(b, "memcpy %s%c2%c", unified ? "U " : "", name.s[0], between[to.len]);
	return true;
}
