/* How fast may a GPU run, and what keeps it from running faster? */
#include "capture/gpu_state.h"

#include "base/mem.h"
#include "input/ask.h"
#include "input/program.h"
#include "text/decimal.h"

#include <stdio.h>
#include <stdlib.h>

enum field_kind { FIELD_NUMBER, FIELD_WORD, FIELD_REASONS };

static const struct {
	const char *key;	/* in the manifest */
	const char *queries[2]; /* of nvidia-smi, the newest name first; NULL: asked otherwise */
	enum field_kind kind;
	bool setting; /* it stays as somebody has set it */
} fields[] = {
	[GPU_SM_CLOCK] = {"sm_clock_mhz", {"clocks.sm"}, .setting = false},
	[GPU_MEMORY_CLOCK] = {"memory_clock_mhz", {"clocks.mem"}, .setting = false},
	[GPU_MAX_SM_CLOCK] = {"max_sm_clock_mhz", {"clocks.max.sm"}, .setting = true},
	[GPU_MAX_MEMORY_CLOCK] = {"max_memory_clock_mhz", {"clocks.max.mem"}, .setting = true},
	[GPU_APPLICATION_CLOCK] = {"application_clock_mhz",
				   {"clocks.applications.gr"},
				   .setting = true},
	[GPU_POWER] = {"power_draw_w", {"power.draw"}, .setting = false},
	[GPU_POWER_LIMIT] = {"power_limit_w", {"power.limit"}, .setting = true},
	[GPU_ENFORCED_LIMIT] = {"enforced_power_limit_w",
				{"enforced.power.limit"},
				.setting = true},
	[GPU_TEMPERATURE] = {"temperature_c", {"temperature.gpu"}, .setting = false},
	[GPU_PERSISTENCE] = {"persistence_mode", {"persistence_mode"}, FIELD_WORD, .setting = true},
	[GPU_CLOCK_LIMITS] = {"clock_limits",
			      {"clocks_event_reasons.active", "clocks_throttle_reasons.active"},
			      FIELD_REASONS,
			      false},
	[GPU_BOOST] = {"boost_slider", .setting = true},
	[GPU_MAX_BOOST] = {"max_boost_slider", .setting = true},
};
_Static_assert(ARRAY_LEN(fields) == GPU_FIELDS, "each field is described");

/* Bits of NVML's reasons for a clock that is lower than it could be. */
static const char *const reasons[] = {
	"gpu_idle",
	"applications_clocks_setting",
	"sw_power_cap",
	"hw_slowdown",
	"sync_boost",
	"sw_thermal_slowdown",
	"hw_thermal_slowdown",
	"hw_power_brake_slowdown",
	"display_clock_setting",
};

/* Whether the help has the name, which stands there in quotes. */
static bool is_offered(const struct buf *help, const char *query)
{
	SCOPED_BUF quoted = {0};

	buf_addf(&quoted, "\"%s\"", query);
	return str_holds(buf_str(help), quoted.s);
}

/*
 * One name that an nvidia-smi does not know fails the whole query: only what its help has is asked.
 * Returns how many there are, `order` says which.
 */
static size_t choose_queries(char *smi, struct buf *ret, enum gpu_field order[GPU_FIELDS])
{
	char *argv[] = {smi, "--help-query-gpu", NULL};
	SCOPED_BUF help = {0};
	size_t count = 0;

	ask_program(argv, &help);
	buf_adds(ret, "--query-gpu=");
	for (size_t i = 0; i < GPU_FIELDS; i++) {
		for (size_t k = 0; k < ARRAY_LEN(fields[i].queries); k++) {
			const char *query = fields[i].queries[k];

			if (!query || !is_offered(&help, query))
				continue;
			buf_addf(ret, "%s%s", count ? "," : "", query);
			order[count++] = (enum gpu_field)i;
			break;
		}
	}
	return count;
}

/* "[N/A]" and "[Not Supported]" say nothing. */
static bool is_said(enum gpu_field f, const char *text)
{
	if (fields[f].kind == FIELD_NUMBER)
		return decimal_is_plain(text);
	return *text && *text != '[';
}

static void read_values(struct gpu_state *s, char *line, const enum gpu_field *order, size_t count,
			struct arena *a)
{
	char *value;

	for (size_t i = 0; i < count && (value = strsep(&line, ",")); i++) {
		const char *text = arena_str(a, str_trimmed(str_of(value))).s;

		if (is_said(order[i], text))
			s->values[order[i]] = text;
	}
}

static void ask_values(char *smi, struct gpu_state *all, size_t count, struct arena *a)
{
	SCOPED_BUF query = {0}, said = {0};
	enum gpu_field order[GPU_FIELDS];
	const size_t asked = choose_queries(smi, &query, order);
	char *argv[] = {smi, query.s, "--format=csv,noheader,nounits", NULL};
	char *rest, *line;

	if (!asked || !ask_program(argv, &said) || !said.len)
		return;
	rest = said.s;
	for (size_t i = 0; i < count && (line = strsep(&rest, "\n")); i++)
		read_values(&all[i], line, order, asked, a);
}

/* "|   0     vboost           4              0       |": power for the tensor cores. */
static void ask_boost(char *smi, struct gpu_state *all, size_t count, struct arena *a)
{
	char *argv[] = {smi, "boost-slider", "--list", NULL};
	SCOPED_BUF said = {0};
	char *rest, *line;

	if (!ask_program(argv, &said) || !said.len)
		return;
	rest = said.s;
	while ((line = strsep(&rest, "\n"))) {
		unsigned gpu, most, now;

		if (sscanf(line, " | %9u vboost %9u %9u", &gpu, &most, &now) == 3 && gpu < count) {
			all[gpu].values[GPU_BOOST] = arena_printf(a, "%u", now);
			all[gpu].values[GPU_MAX_BOOST] = arena_printf(a, "%u", most);
		}
	}
}

void gpu_states_ask(struct gpu_state *all, size_t count, struct arena *a)
{
	SCOPED char *smi = count ? program_find_absolute("nvidia-smi") : NULL;

	if (!smi)
		return;
	ask_values(smi, all, count, a);
	ask_boost(smi, all, count, a);
}

struct gpu_state gpu_state_copy(const struct gpu_state *s, struct arena *a)
{
	struct gpu_state copy = {0};

	for (size_t i = 0; i < GPU_FIELDS; i++) {
		if (s->values[i])
			copy.values[i] = arena_strdup(a, s->values[i]);
	}
	return copy;
}

static void write_reasons(struct json_writer *w, const char *key, const char *bits)
{
	const unsigned long long set = strtoull(bits, NULL, 0);

	json_write_open(w, key, '[');
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		if (set >> i & 1)
			json_write_text(w, NULL, reasons[i]);
	}
	json_write_close(w, ']');
}

void gpu_state_write(struct json_writer *w, const struct gpu_state *s)
{
	bool open = false;

	for (size_t i = 0; i < GPU_FIELDS; i++) {
		if (!s->values[i])
			continue;
		if (!open)
			json_write_open(w, "state", '{');
		open = true;
		if (fields[i].kind == FIELD_NUMBER)
			json_write_real(w, fields[i].key, strtod(s->values[i], NULL));
		else if (fields[i].kind == FIELD_REASONS)
			write_reasons(w, fields[i].key, s->values[i]);
		else
			json_write_text(w, fields[i].key, s->values[i]);
	}
	if (open)
		json_write_close(w, '}');
}

void gpu_state_add_differences(struct buf *b, const struct gpu_state *x, const struct gpu_state *y)
{
	const char *between = "";

	for (size_t i = 0; i < GPU_FIELDS; i++) {
		if (!fields[i].setting || !x->values[i] || !y->values[i] ||
		    strcmp(x->values[i], y->values[i]) == 0)
			continue;
		buf_addf(b, "%s%s %s and %s", between, fields[i].key, x->values[i], y->values[i]);
		between = ", ";
	}
}
