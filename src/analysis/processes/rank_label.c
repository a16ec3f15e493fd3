/* What does a rank say of itself? */
#include "analysis/processes/rank_label.h"

#include "base/mem.h"
#include "text/pattern.h"

const char *const mesh_axis_names[MESH_AXES] = {"pp", "dp", "tp", "cp", "ep"};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits from *at on, which moves behind them. No real number has more than nine. */
static bool read_number(struct str s, size_t *at, uint32_t *ret)
{
	size_t begin = *at;

	*ret = 0;
	while (*at < s.len && is_digit(s.s[*at]) && *at - begin < 9)
		*ret = *ret * 10 + (uint32_t)(s.s[(*at)++] - '0');
	return *at > begin && (*at == s.len || !is_digit(s.s[*at]));
}

bool rank_number_parse(struct str digits, uint32_t *ret)
{
	size_t at = 0;

	return read_number(digits, &at, ret) && at == digits.len;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Where the value of "key=" begins, as a word of its own; 0: nowhere. */
static size_t find_value(struct str label, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i + len < label.len; i++) {
		if (memcmp(label.s + i, key, len) == 0 && label.s[i + len] == '=' &&
		    (i == 0 || !is_letter(label.s[i - 1])))
			return i + len + 1;
	}
	return 0;
}

static struct mesh_place read_place(struct str label, const char *key)
{
	size_t at = find_value(label, key);
	struct mesh_place p = {0};

	if (at && read_number(label, &at, &p.rank) && at < label.len && label.s[at] == '/') {
		at++;
		p.known = read_number(label, &at, &p.size);
	}
	return p;
}

static int64_t read_count(struct str label, const char *key)
{
	size_t at = find_value(label, key);
	uint32_t n;

	return at && read_number(label, &at, &n) ? (int64_t)n : -1;
}

void rank_setup_parse(struct str label, struct rank_setup *ret)
{
	for (int axis = 0; axis < MESH_AXES; axis++)
		ret->mesh[axis] = read_place(label, mesh_axis_names[axis]);
	ret->micro_batch = read_count(label, "mbs");
	ret->sequence = read_count(label, "seq");
}

/* rank 3, rank-3, [rank3], rank_id=3, {"rank": 3}; −1 is nobody's, and 3.5 no number of a rank. */
#define RANK_NUMBER "rank(?:[_ -]?id)?(?:-|[\"' _=:#]*)(?<rank>\\d+)(?!\\.?\\d)"
const char *const rank_name_patterns[2] = {
	"(?i)(?<![a-z])(?:global|world)[_ -]?" RANK_NUMBER,
	/* A place on one axis of the mesh, on a host or in a group is no rank of the program; nor
	 * is the rank that another is sent something. */
	"(?i)(?<![a-z])(?<!(?<![a-z])[a-z]p[_ -])"
	"(?<!local[_ -]|node[_ -]|host[_ -]|group[_ -]|parallel[_ -]|tensor[_ -]|data[_ -])"
	"(?<!pipe[_ -]|pipeline[_ -]|context[_ -]|sequence[_ -]|expert[_ -]|model[_ -])"
	"(?<!shard[_ -]|replica[_ -]|lora[_ -]|low[_ -])"
	"(?<!to[_ -]|from[_ -]|with[_ -]|peer[_ -]|src[_ -]|dst[_ -]|root[_ -])" RANK_NUMBER,
};

int rank_digits_of_name(struct str name, struct str *ret, struct err *e)
{
	int found = 0;

	for (size_t i = 0; i < ARRAY_LEN(rank_name_patterns) && !found; i++) {
		struct pattern *p;
		uint32_t rank;

		if (pattern_compile(&p, str_of(rank_name_patterns[i]), 0, e) < 0)
			return -1;
		found = pattern_capture(p, name, "rank", ret, e);
		pattern_free(p);
		if (found > 0)
			found = rank_number_parse(*ret, &rank);
	}
	return found;
}

int rank_of_name(struct str name, uint32_t *ret, struct err *e)
{
	struct str digits;
	const int found = rank_digits_of_name(name, &digits, e);

	return found > 0 ? rank_number_parse(digits, ret) : found;
}
