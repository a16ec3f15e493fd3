/* What do Slurm's programs say? */
#include "fleet/slurm/cluster.h"

#include <ctype.h>
#include <string.h>

enum { ARRAY_MAX_USUAL = 1000 };

/* The digits that it begins with; *ret_len is how many, 0 where it is no number that fits. */
static uint64_t leading_number(struct str s, size_t *ret_len)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < s.len && isdigit((unsigned char)s.s[i]) && i < 19; i++)
		n = n * 10 + (uint64_t)(s.s[i] - '0');
	*ret_len = i;
	return n;
}

/* "17", or "17;cluster"; other lines are what the site has to say. */
bool cluster_parse_id(struct str text, uint64_t *ret)
{
	while (text.len) {
		const struct str line = str_trimmed(str_next_line(&text));
		size_t len;

		*ret = leading_number(line, &len);
		if (len && (len == line.len || line.s[len] == ';'))
			return true;
	}
	return false;
}

/* "MaxArraySize            = 1001": the largest index is one less. */
uint32_t cluster_parse_array_max(struct str text)
{
	while (text.len) {
		const struct str line = str_next_line(&text);
		const char *sign = line.len ? memchr(line.s, '=', line.len) : NULL;
		size_t len;

		if (!str_starts(line, "MaxArraySize") || !sign)
			continue;
		struct str value = {sign + 1, (size_t)(line.s + line.len - sign - 1)};
		const uint64_t most = leading_number(str_trimmed(value), &len);

		return len && most < UINT32_MAX ? (uint32_t)most : 0;
	}
	return ARRAY_MAX_USUAL;
}

/* Up to the next bar, or the rest. */
static struct str next_field(struct str *rest)
{
	const char *end = rest->len ? memchr(rest->s, '|', rest->len) : NULL;
	const struct str field = {rest->s, end ? (size_t)(end - rest->s) : rest->len};

	rest->s += field.len + (end != NULL);
	rest->len -= field.len + (end != NULL);
	return field;
}

static uint32_t whole_task(struct str s)
{
	size_t len;
	const uint64_t n = leading_number(s, &len);

	return len && len == s.len && n < CLUSTER_NO_TASK ? (uint32_t)n : CLUSTER_NO_TASK;
}

static size_t count_lines(struct str text)
{
	size_t count = 1;

	for (size_t i = 0; i < text.len; i++)
		count += text.s[i] == '\n';
	return count;
}

void cluster_parse_jobs(struct cluster_jobs *ret, struct str text)
{
	ret->all = arena_zalloc(&ret->arena, count_lines(text), sizeof(*ret->all));
	ret->count = 0;
	while (text.len) {
		struct str line = str_next_line(&text);
		struct cluster_job *j = &ret->all[ret->count];
		size_t len;

		j->id = leading_number(next_field(&line), &len);
		if (!len)
			continue;
		j->task = whole_task(next_field(&line));
		j->state = next_field(&line);
		j->name = next_field(&line);
		j->nodes = next_field(&line);
		j->reason = line;
		ret->count++;
	}
}

/* The value of " NAME=value " in a line; words alone, as Slurm's states and numbers are. */
static struct str value_of(struct str line, const char *name)
{
	const size_t len = strlen(name);

	for (size_t i = 0; i + len < line.len; i++) {
		const bool begins = i == 0 || line.s[i - 1] == ' ';
		struct str value = {line.s + i + len, 0};

		if (!begins || memcmp(line.s + i, name, len) != 0)
			continue;
		while (i + len + value.len < line.len && value.s[value.len] != ' ')
			value.len++;
		return value;
	}
	return (struct str){0};
}

/* "ExitCode=3:0": a code and a signal. */
static void read_exit(struct str s, struct cluster_end *ret)
{
	size_t len;

	ret->exit_code = (int)(leading_number(s, &len) & 0xff);
	if (len < s.len && s.s[len] == ':') {
		const struct str rest = {s.s + len + 1, s.len - len - 1};

		ret->signal = (int)(leading_number(rest, &len) & 0x7f);
	}
}

/* "7", or "3-9" of tasks that had not begun; the rest is behind a comma, or says how many at once.
 */
static bool next_tasks(struct str *rest, struct cluster_end *ret)
{
	size_t len;
	const uint64_t first = leading_number(*rest, &len);
	uint64_t last = first;

	if (!len || first >= CLUSTER_NO_TASK)
		return false;
	*rest = (struct str){rest->s + len, rest->len - len};
	if (rest->len && rest->s[0] == '-') {
		*rest = (struct str){rest->s + 1, rest->len - 1};
		last = leading_number(*rest, &len);
		*rest = (struct str){rest->s + len, rest->len - len};
	}
	if (!len || last < first || last >= CLUSTER_NO_TASK ||
	    (rest->len && !strchr(",%", rest->s[0])))
		return false;
	if (rest->len)
		*rest = (struct str){rest->s + 1, rest->s[0] == ',' ? rest->len - 1 : 0};
	ret->first = (uint32_t)first;
	ret->last = (uint32_t)last;
	return true;
}

static size_t count_tasks(struct str text)
{
	size_t count = count_lines(text);

	for (size_t i = 0; i < text.len; i++)
		count += text.s[i] == ',';
	return count;
}

void cluster_parse_ends(struct cluster_ends *ret, struct str text)
{
	ret->all = arena_zalloc(&ret->arena, count_tasks(text), sizeof(*ret->all));
	ret->count = 0;
	while (text.len) {
		const struct str line = str_next_line(&text);
		const struct str state = value_of(line, "JobState=");

		struct str tasks = value_of(line, "ArrayTaskId=");
		struct cluster_end end = {.state = state};

		read_exit(value_of(line, "ExitCode="), &end);
		while (state.len && next_tasks(&tasks, &end))
			ret->all[ret->count++] = end;
	}
}
