/* Where in the source is a frame, and whose code is it? */
#include "trace/code/places.h"

#include "base/mem.h"

#include <stdlib.h>

const char *const code_owner_names[] = {
	[CODE_YOURS] = "yours",	     [CODE_GENERATED] = "generated",
	[CODE_LIBRARY] = "library",  [CODE_STANDARD] = "standard library",
	[CODE_STUB] = "launch stub", [CODE_NATIVE] = "native library",
};

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

struct str place_base_name(struct str path)
{
	size_t at = path.len;

	if (!path.len)
		return path;
	while (at && !is_separator(path.s[at - 1]))
		at--;
	return (struct str){path.s + at, path.len - at};
}

/* What follows a folder of that name in a path, in whatever case; empty where there is none. */
static struct str after_folder(struct str path, const char *folder)
{
	const size_t n = strlen(folder);

	for (size_t i = 0; i + n + 2 <= path.len; i++) {
		if (is_separator(path.s[i]) && is_separator(path.s[i + n + 1]) &&
		    strncasecmp(path.s + i + 1, folder, n) == 0)
			return (struct str){path.s + i + n + 2, path.len - i - n - 2};
	}
	return (struct str){NULL, 0};
}

static struct str after_packages(struct str path)
{
	const struct str found = after_folder(path, "site-packages");

	return found.len ? found : after_folder(path, "dist-packages");
}

/* ".../lib/python3.12/json/encoder.py", "C:\Python312\Lib\json\encoder.py": what follows. */
static struct str after_standard(struct str path)
{
	struct str rest = after_folder(path, "lib");

	if (!rest.len)
		rest = after_folder(path, "lib64");
	if (str_starts(rest, "python3") || str_starts(rest, "python2")) {
		while (rest.len && !is_separator(rest.s[0]))
			rest = (struct str){rest.s + 1, rest.len - 1};
		return rest.len ? (struct str){rest.s + 1, rest.len - 1} : rest;
	}
	return path.len > 1 && path.s[1] == ':' ? rest : (struct str){NULL, 0};
}

/* "<string>", "<eval_with_key>.3", "/tmp/torchinductor_ada/xy/cxyz.py": nobody wrote that. */
static bool is_generated(struct str file)
{
	return str_starts(file, "<string>") || str_starts(file, "<eval_with_key>") ||
	       str_holds(file, "torchinductor_") || str_holds(file, "/torch_compile_debug/");
}

/* "<frozen importlib._bootstrap>" is Python's own, "<stdin>" and "<ipython-input-3>" are yours. */
static enum code_owner python_owner(struct str file)
{
	if (after_packages(file).len)
		return CODE_LIBRARY;
	if (str_starts(file, "<frozen") || after_standard(file).len)
		return CODE_STANDARD;
	return is_generated(file) ? CODE_GENERATED : CODE_YOURS;
}

/* The program itself is machine code of nobody's library; an interpreter is none's program. */
static enum code_owner native_owner(struct str module)
{
	const struct str base = place_base_name(module);

	return !base.len || str_starts(base, "python") || str_holds(base, ".so") ||
			       str_holds(base, ".dll") || str_holds(base, ".DLL") ||
			       str_starts(base, "[") || str_holds(base, ".ko") ||
			       str_starts(base, "vmlinux")
		       ? CODE_NATIVE
		       : CODE_YOURS;
}

static struct str name_or_none(const struct trace *t, uint32_t name)
{
	return name == NAME_NONE ? (struct str){NULL, 0} : t->names.items[name];
}

/* Libraries may be linked into the program, or are templates that it instantiates. */
static bool is_linked_library(struct str function)
{
	static const char *const heads[] = {
		"cuda", "__cuda", "libcudart_static", "std::", "thrust::", "cub::", "__gnu_cxx::"};
	const struct str name = function_shown(function);

	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		if (str_starts(name, heads[i]))
			return true;
	}
	return str_starts(name, "cu") && name.len > 2 && name.s[2] >= 'A' && name.s[2] <= 'Z';
}

enum code_owner code_owner(const struct trace *t, const struct stacks *s, uint32_t frame)
{
	const struct frame *f = &s->frames[frame];
	const struct str file = name_or_none(t, f->file);

	if (f->line != LINE_NATIVE)
		return python_owner(file);
	if (s->is_stub && s->is_stub[frame])
		return CODE_STUB;
	/* Without a name nobody could find it in their source. */
	return f->function == NAME_NONE || is_linked_library(t->names.items[f->function])
		       ? CODE_NATIVE
		       : native_owner(file);
}

static struct str first_part(struct str path)
{
	size_t n = 0;

	while (n < path.len && !is_separator(path.s[n]))
		n++;
	return (struct str){path.s, n};
}

static struct str without_ending(struct str name)
{
	return str_ends(name, ".py") ? (struct str){name.s, name.len - 3} : name;
}

/* "torch", "json", "train": the package, or the file. */
static struct str module_of(struct str path)
{
	struct str inside = after_packages(path);

	if (!inside.len)
		inside = after_standard(path);
	return without_ending(inside.len ? first_part(inside) : place_base_name(path));
}

/* What places are told apart by. */
struct numbering {
	struct idmap files, places;
	struct strtab functions, modules;
};

/* Functions that differ in template arguments are one to those who read the answer. */
static uint32_t number_function(struct numbering *n, const struct trace *t, const struct frame *f)
{
	const struct str name = name_or_none(t, f->function);

	return name.len ? strtab_add(&n->functions, function_shown(name)) : NAME_NONE;
}

static uint32_t number_place(const struct places *p, struct numbering *n, const struct frame *f)
{
	const uint32_t function = number_function(n, p->trace, f);

	switch (p->by) {
	case CODE_BY_FUNCTION:
		return idmap_number_pair(&n->places, function, f->file);
	case CODE_BY_FILE:
		return idmap_number_pair(&n->places, f->file, 0);
	case CODE_BY_MODULE:
		return strtab_add(&n->modules, module_of(name_or_none(p->trace, f->file)));
	default:
		return idmap_number_pair(&n->places,
					 idmap_number_pair(&n->files, function, f->file), f->line);
	}
}

void places_make(struct places *p, const struct trace *t, const struct stacks *s, enum code_by by)
{
	struct numbering n = {0};

	*p = (struct places){.trace = t, .stacks = s, .by = by};
	p->of_frame = mem_alloc(s->frame_count, sizeof(*p->of_frame));
	p->example = mem_alloc(s->frame_count, sizeof(*p->example));
	p->owner = mem_alloc(s->frame_count, sizeof(*p->owner));
	for (uint32_t i = 0; i < s->frame_count; i++) {
		p->of_frame[i] = number_place(p, &n, &s->frames[i]);
		p->owner[i] = (uint8_t)code_owner(t, s, i);
		if (p->of_frame[i] == p->count)
			p->example[p->count++] = i;
	}
	idmap_free(&n.files);
	idmap_free(&n.places);
	strtab_free(&n.functions);
	strtab_free(&n.modules);
}

void places_free(struct places *p)
{
	free(p->of_frame);
	free(p->example);
	free(p->owner);
	*p = (struct places){0};
}

/* "<genexpr>", "<lambda>": part of the function around it, which people know by its name. */
static bool is_part(const struct places *p, uint32_t stack)
{
	const struct stacks *s = p->stacks;
	const struct frame *f = stacks_top(s, stack);
	const struct str name = name_or_none(p->trace, f->function);

	return str_starts(name, "<") && !str_eq(name, STR_LIT("<module>")) &&
	       s->caller[stack] != STACK_NONE && stacks_top(s, s->caller[stack])->file == f->file;
}

uint32_t places_yours(const struct places *p, uint32_t stack)
{
	uint32_t best = stack;

	for (; stack != STACK_NONE; stack = p->stacks->caller[stack]) {
		if (p->owner[p->stacks->frame[stack]] < p->owner[p->stacks->frame[best]])
			best = stack;
		if (p->owner[p->stacks->frame[best]] == CODE_YOURS)
			break;
	}
	while (is_part(p, best))
		best = p->stacks->caller[best];
	return p->stacks->frame[best];
}

static const struct frame *example(const struct places *p, uint32_t place)
{
	return &p->stacks->frames[p->example[place]];
}

struct str place_function(const struct places *p, uint32_t place)
{
	const struct frame *f = example(p, place);

	return p->by == CODE_BY_LINE || p->by == CODE_BY_FUNCTION
		       ? name_or_none(p->trace, f->function)
		       : (struct str){NULL, 0};
}

struct str place_file(const struct places *p, uint32_t place)
{
	const struct str file = name_or_none(p->trace, example(p, place)->file);

	return p->by == CODE_BY_MODULE ? module_of(file) : file;
}

uint32_t place_line(const struct places *p, uint32_t place)
{
	const uint32_t line = example(p, place)->line;

	return p->by == CODE_BY_LINE && line != LINE_NATIVE ? line : 0;
}

struct str frame_file(const struct places *p, const struct frame *f)
{
	return name_or_none(p->trace, f->file);
}

struct str frame_place(struct arena *a, const struct places *p, const struct frame *f)
{
	const struct str file = place_base_name(frame_file(p, f));

	if (!f->line || f->line == LINE_NATIVE)
		return file;
	return str_of(arena_printf(a, "%.*s:%u", STR_FMT(file), f->line));
}

struct str function_shown(struct str name)
{
	size_t end = 0, begin = 0;

	/* Python's "<module>", "<lambda>" are names. */
	if (!name.len || str_starts(name, "<"))
		return name;
	while (end < name.len && name.s[end] != '<' && name.s[end] != '(')
		end++;
	for (size_t i = 0; i < end; i++)
		begin = name.s[i] == ' ' && i + 1 < end ? i + 1 : begin;
	return (struct str){name.s + begin, end - begin};
}

struct str frame_text(struct arena *a, const struct trace *t, const struct frame *f)
{
	const struct str function = f->function == NAME_NONE
					    ? STR_LIT("?")
					    : function_shown(trace_name(t, f->function));
	const struct str file =
		f->file == NAME_NONE ? STR_LIT("?") : place_base_name(trace_name(t, f->file));

	if (f->line == LINE_NATIVE || !f->line)
		return str_of(arena_printf(a, "%.*s (%.*s)", STR_FMT(function), STR_FMT(file)));
	return str_of(arena_printf(a, "%.*s (%.*s:%u)", STR_FMT(function), STR_FMT(file), f->line));
}

bool frame_is_interpreter(const struct trace *t, const struct frame *f)
{
	const struct str module = f->line == LINE_NATIVE ? place_base_name(name_or_none(t, f->file))
							 : (struct str){NULL, 0};

	return str_starts(module, "python3") || str_starts(module, "libpython3");
}
