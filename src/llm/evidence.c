/* What is in the answers that the model was given? */
#include "llm/evidence.h"

#include "base/mem.h"
#include "llm/told_number.h"
#include "report/cell_text.h"
#include "report/json_value.h"
#include "report/kernel_name.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_QUANTITIES = 200000, DEEPEST = 24, MOST_REFERENCE = 300 };

/* Where a walk through a document is. */
struct place {
	const struct json *table; /* NULL: in none */
	struct evidence_row *row;
	struct str key;		      /* of the nearest member */
	const struct json *container; /* the object that has it */
};

static bool unit_of_word(struct str word, enum unit *ret)
{
	for (enum unit u = UNIT_NAME; u <= UNIT_BOOL; u++) {
		if (str_eq(word, str_of(unit_name(u)))) {
			*ret = u;
			return true;
		}
	}
	return false;
}

static bool unit_of_suffix(struct str key, enum unit *ret)
{
	static const struct {
		const char *end;
		enum unit unit;
	} all[] = {{"start_ns", UNIT_TIME_NS},
		   {"end_ns", UNIT_TIME_NS},
		   {"_ns", UNIT_NS},
		   {"_us", UNIT_US},
		   {"_bytes_per_s", UNIT_BYTES_PER_S},
		   {"_bytes", UNIT_BYTES},
		   {"_pct", UNIT_PERCENT},
		   {"coverage", UNIT_RATIO},
		   {"steps", UNIT_COUNT},
		   {"total_rows", UNIT_COUNT}};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (str_ends(key, all[i].end)) {
			*ret = all[i].unit;
			return true;
		}
	}
	return false;
}

static struct str text_of(const struct json *object, const char *key)
{
	const struct json *v = object ? json_read_member(object, key) : NULL;

	return v ? json_read_string(v) : STR_LIT("");
}

static bool unit_of_column(const struct json *table, struct str key, enum unit *ret)
{
	const struct json *columns = table ? json_read_member(table, "columns") : NULL;

	for (size_t i = 0; columns && i < json_read_length(columns); i++) {
		const struct json *c = json_read_element(columns, i);

		if (str_eq(text_of(c, "key"), key))
			return unit_of_word(text_of(c, "unit"), ret);
	}
	return false;
}

/* By its column, by what stands beside it, or by how its name ends. */
static bool unit_at(const struct place *p, enum unit *ret)
{
	if (p->row && unit_of_column(p->table, p->key, ret))
		return true;
	if (str_eq(p->key, STR_LIT("value")) && unit_of_word(text_of(p->container, "unit"), ret))
		return true;
	if (str_eq(p->key, STR_LIT("result")) && unit_of_word(text_of(p->container, "unit"), ret))
		return true;
	return unit_of_suffix(p->key, ret);
}

/* The first cell that is a text says who a row is. */
static struct evidence_row *make_row(struct evidence_store *s, const struct json *table,
				     const struct json *v)
{
	struct evidence_row *row = arena_zalloc(&s->arena, 1, sizeof(*row));
	struct json_member m = {0};
	enum unit unit = UNIT_NAME;
	SCOPED_BUF brief = {0};

	row->table = table;
	while (json_read_next(v, &m) && !row->name.len) {
		if (!str_eq(m.key, STR_LIT("key")) && json_read_kind(m.value) == JSON_KIND_TEXT) {
			row->name = json_read_string(m.value);
			(void)unit_of_column(table, m.key, &unit);
		}
	}
	if (unit == UNIT_KERNEL)
		kernel_name_add_short(&brief, row->name);
	row->brief = arena_str(&s->arena, buf_str(&brief));
	return row;
}

static void add_quantity(struct evidence_store *s, const struct place *p, double value)
{
	struct quantity q = {.value = value, .evidence = s->count, .row = p->row};

	if (s->quantity_count >= MOST_QUANTITIES)
		s->quantity_count--;
	q.has_unit = unit_at(p, &q.unit);
	MEM_GROW(s->quantities, s->quantity_cap, s->quantity_count + 1);
	s->quantities[s->quantity_count++] = q;
}

/*
 * The program's own sentences round what they tell of. Names are between backticks or quotes there:
 * a sentence with more of these than one name needs is not listened to.
 */
static void add_told(struct evidence_store *s, const struct place *p, struct str text)
{
	static const char prose[] = "verdict_text text title notes may_be_wrong recoverable_how";
	const struct place told = {.key = p->key};
	char quote = '\0';
	size_t quotes = 0;

	if (p->row || !str_is_listed(p->key, prose))
		return;
	for (size_t i = 0; i < text.len; i++)
		quotes += text.s[i] == '`';
	for (size_t i = 0; i < text.len && quotes <= 2; i++) {
		const char c = text.s[i];
		struct told_number n;

		if (quote || c == '`' || c == '\'' || c == '"') {
			quote = quote == c ? '\0' : quote ? quote : c;
			continue;
		}
		if ((i && (isalnum((unsigned char)text.s[i - 1]) || text.s[i - 1] == '_')) ||
		    !told_number_read((struct str){text.s + i, text.len - i}, &n) || n.is_version)
			continue;
		add_quantity(s, &told, n.value * n.factor);
		s->quantities[s->quantity_count - 1].has_unit = true;
		s->quantities[s->quantity_count - 1].unit = told_number_unit(&n);
		i += n.len - 1;
	}
}

/* Numbers too large for JavaScript are texts. */
static bool is_long_whole(struct str s)
{
	const size_t sign = s.len && s.s[0] == '-';

	for (size_t i = sign; i < s.len; i++) {
		if (!isdigit((unsigned char)s.s[i]))
			return false;
	}
	return s.len - sign >= 16 && s.len <= 20;
}

static void walk(struct evidence_store *s, const struct json *v, struct place p, int depth)
{
	struct json_member m = {0};

	if (depth > DEEPEST)
		return;
	switch (json_read_kind(v)) {
	case JSON_KIND_NUMBER:
		add_quantity(s, &p, json_read_number(v));
		break;
	case JSON_KIND_TEXT:
		if (is_long_whole(json_read_string(v)))
			add_quantity(s, &p, strtod(json_read_string(v).s, NULL));
		else
			add_told(s, &p, json_read_string(v));
		break;
	case JSON_KIND_ARRAY:
		for (size_t i = 0; i < json_read_length(v); i++) {
			const struct json *element = json_read_element(v, i);
			struct place below = p;

			if (p.table && !p.row && str_eq(p.key, STR_LIT("rows")))
				below.row = make_row(s, p.table, element);
			walk(s, element, below, depth + 1);
		}
		break;
	case JSON_KIND_OBJECT:
		if (json_read_member(v, "columns") && json_read_member(v, "rows"))
			p.table = v;
		p.container = v;
		while (json_read_next(v, &m)) {
			p.key = m.key;
			walk(s, m.value, p, depth + 1);
		}
		break;
	case JSON_KIND_NULL:
	case JSON_KIND_BOOL:
		break;
	}
}

size_t evidence_add(struct evidence_store *s, struct evidence_item item)
{
	if (s->count == EVIDENCE_MOST) {
		json_read_free(item.document);
		return 0;
	}
	item.tool = arena_strdup(&s->arena, item.tool);
	item.command = item.command ? arena_strdup(&s->arena, item.command) : NULL;
	s->items[s->count++] = item;
	if (!item.is_made)
		walk(s, item.document, (struct place){0}, 0);
	return s->count;
}

void evidence_free(struct evidence_store *s)
{
	for (size_t i = 0; i < s->count; i++)
		json_read_free(s->items[i].document);
	free(s->quantities);
	arena_free(&s->arena);
	*s = (struct evidence_store){0};
}

static const struct json *table_at(const struct json *doc, struct str name)
{
	const struct json *tables = json_read_member(doc, "tables");

	for (size_t i = 0; tables && i < json_read_length(tables); i++) {
		const struct json *t = json_read_element(tables, i);

		if (!name.len || str_eq(text_of(t, "name"), name))
			return t;
	}
	return NULL;
}

/* Takes ".name" or "[3]" off the front; false: it is neither. */
static bool take_step(struct str *rest, struct str *ret_name, size_t *ret_index)
{
	size_t i = 1;

	*ret_name = (struct str){"", 0};
	*ret_index = 0;
	if (rest->len < 2)
		return false;
	if (rest->s[0] == '.') {
		while (i < rest->len && (isalnum((unsigned char)rest->s[i]) || rest->s[i] == '_'))
			i++;
		*ret_name = (struct str){rest->s + 1, i - 1};
	} else if (rest->s[0] == '[') {
		while (i < rest->len && isdigit((unsigned char)rest->s[i]) && i < 8)
			*ret_index = 10 * *ret_index + (size_t)(rest->s[i++] - '0');
		if (i == 1 || i == rest->len || rest->s[i++] != ']')
			return false;
	}
	*rest = (struct str){rest->s + i, rest->len - i};
	return i > 1;
}

/* "rows" of the document is that of its first table, the name of a table its rows. */
static const struct json *step_into_table(const struct json *doc, struct str name, struct place *p)
{
	p->table = table_at(doc, str_eq(name, STR_LIT("rows")) ? STR_LIT("") : name);
	return p->table ? json_read_member(p->table, "rows") : NULL;
}

static const struct json *step_by_name(const struct json *v, struct str name, bool is_first,
				       struct place *p, struct evidence_store *s)
{
	const struct json *next;

	/* What is found outlives the words that referred to it. */
	name = arena_str(&s->arena, name);
	next = json_read_member(v, name.s);
	if (!next && is_first) {
		next = step_into_table(v, name, p);
		name = STR_LIT("rows");
	}
	if (json_read_member(v, "columns") && json_read_member(v, "rows"))
		p->table = v;
	p->key = name;
	p->container = v;
	return next;
}

static const struct json *step_by_index(const struct json *v, size_t index, struct place *p,
					struct evidence_store *s)
{
	const struct json *next = json_read_element(v, index);

	if (next && p->table && !p->row && str_eq(p->key, STR_LIT("rows")))
		p->row = make_row(s, p->table, next);
	return next;
}

static bool find_in(struct evidence_store *s, const struct json *v, struct str rest,
		    struct referred *ret)
{
	struct place p = {0};
	bool is_first = true;

	while (v && rest.len) {
		struct str name;
		size_t index;

		if (!take_step(&rest, &name, &index))
			return false;
		v = name.len ? step_by_name(v, name, is_first, &p, s)
			     : step_by_index(v, index, &p, s);
		is_first = false;
	}
	if (!v || json_read_kind(v) == JSON_KIND_ARRAY || json_read_kind(v) == JSON_KIND_OBJECT ||
	    json_read_kind(v) == JSON_KIND_NULL)
		return false;
	ret->value = v;
	ret->row = p.row;
	ret->column = p.key;
	ret->table = p.row ? text_of(p.table, "name") : STR_LIT("");
	ret->has_unit = unit_at(&p, &ret->unit);
	return true;
}

size_t evidence_reference_length(struct str text)
{
	size_t i = 1;

	if (text.len < 2 || text.s[0] != 'E' || !isdigit((unsigned char)text.s[1]))
		return 0;
	while (i < text.len && i < MOST_REFERENCE &&
	       (isalnum((unsigned char)text.s[i]) || strchr("_.[]", text.s[i])))
		i++;
	while (text.s[i - 1] == '.')
		i--;
	return i;
}

bool evidence_find(struct evidence_store *s, struct str reference, struct referred *ret)
{
	size_t i = 1, n = 0;

	*ret = (struct referred){0};
	reference = str_trimmed(reference);
	if (!reference.len || evidence_reference_length(reference) != reference.len)
		return false;
	for (; i < reference.len && isdigit((unsigned char)reference.s[i]) && i < 4; i++)
		n = 10 * n + (size_t)(reference.s[i] - '0');
	ret->evidence = n;
	return n && n <= s->count && !s->items[n - 1].is_made &&
	       find_in(s, s->items[n - 1].document,
		       (struct str){reference.s + i, reference.len - i}, ret);
}

void referred_add_human(struct buf *b, const struct referred *r)
{
	struct cell cell = cell_str(json_read_string(r->value));
	int64_t whole;

	if (json_read_kind(r->value) == JSON_KIND_BOOL)
		cell = cell_text(json_read_is_true(r->value) ? "yes" : "no");
	else if (json_read_kind(r->value) == JSON_KIND_NUMBER)
		cell = json_read_whole(r->value, &whole) ? cell_int(whole)
							 : cell_real(json_read_number(r->value));
	else if (is_long_whole(cell.s))
		cell = cell_int(strtoll(cell.s.s, NULL, 10));
	cell_add_human(b,
		       cell.kind == CELL_TEXT  ? UNIT_NAME
		       : r->has_unit	       ? r->unit
		       : cell.kind == CELL_INT ? UNIT_ID
					       : UNIT_RATIO,
		       cell);
}
