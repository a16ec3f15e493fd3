/* What did the GPUs' own counters say? There may be a hundred times more of them than of all else.
 */
#include "base/mem.h"
#include "export/walk.h"
#include "trace/counters/gpu_metrics.h"
#include "trace/small_table.h"

#include <stdio.h>
#include <stdlib.h>

enum { METRIC_TIME, METRIC_TYPE, METRIC_ID, METRIC_VALUE, METRIC_COLUMNS };

/* A counter of a GPU. */
struct metric {
	uint32_t device;
	struct str name;
	enum timeline_unit unit;
	uint32_t track; /* 0: not told yet */
	bool wanted;
};

struct telling {
	struct walk *walk;
	struct idmap types;   /* the export's number → ours */
	struct idmap metrics; /* type, number in it */
	struct metric *all;
	size_t count, cap;
};

static uint64_t metric_key(struct telling *x, int64_t type, int64_t id)
{
	uint32_t number = idmap_add(&x->types, (uint64_t)type, (uint32_t)x->types.count);

	return (uint64_t)number << 32 | (uint32_t)id;
}

static enum timeline_unit unit_of(struct str name)
{
	if (gpu_metric_is_mhz(name))
		return UNIT_OF_MHZ;
	return str_holds(name, "%]") ? UNIT_OF_PERCENT : UNIT_OF_METRIC;
}

static uint32_t add_metric(struct telling *x, int64_t type, int64_t id, struct str name)
{
	uint32_t i = idmap_add(&x->metrics, metric_key(x, type, id), (uint32_t)x->count);
	struct buf b = {0};
	uint32_t device;

	if (i < x->count)
		return i;
	device = gpu_metrics_device(&x->walk->tracks.machine, &x->walk->tracks.devices,
				    gpu_of_metric_type(type));
	if (!name.len) {
		buf_addf(&b, "metric %lld", (long long)id);
		name = buf_str(&b);
	}
	MEM_GROW(x->all, x->cap, x->count + 1);
	x->all[x->count++] = (struct metric){
		.device = device,
		.name = arena_str(&x->walk->texts.arena, name),
		.unit = unit_of(name),
		.wanted = !x->walk->p->has_device || x->walk->p->device == device,
	};
	buf_free(&b);
	return i;
}

static int read_names(struct telling *x, struct err *e)
{
	static const char *const columns[] = {"typeId", "metricId", "metricName", NULL};
	struct small_table s;

	if (trace_read_small(x->walk->trace, "TARGET_INFO_GPU_METRICS", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++)
		add_metric(x, value_int(small_value(&s, i, 0), 0),
			   value_int(small_value(&s, i, 1), 0), small_value(&s, i, 2)->s);
	return 0;
}

/* Whole numbers stay whole. */
static void set_value(struct timeline_value *to, const struct metric *m,
		      const struct sqlite_values *v, size_t i)
{
	const bool is_real = v->type[i] == SQLITE_IS_REAL;
	const double real = is_real ? sqlite_real(v->num[i]) : (double)v->num[i];
	const double scale = gpu_metric_is_mhz(m->name) && real > CLOCK_MHZ_MOST ? 1e6 : 1;

	to->is_real = is_real || scale != 1;
	if (to->is_real)
		to->real = real / scale;
	else
		to->value = v->num[i];
}

static int tell_sample(struct telling *x, const struct sqlite_values *v, size_t i, struct err *e)
{
	struct walk *w = x->walk;
	struct timeline_value value = {.at_ns = v[METRIC_TIME].num[i]};
	struct metric *m;
	struct span part;
	size_t at;

	if (v[METRIC_TIME].type[i] != SQLITE_IS_INT || v[METRIC_TYPE].type[i] != SQLITE_IS_INT ||
	    v[METRIC_ID].type[i] != SQLITE_IS_INT ||
	    (v[METRIC_VALUE].type[i] != SQLITE_IS_INT &&
	     v[METRIC_VALUE].type[i] != SQLITE_IS_REAL) ||
	    !window_part(w->p, value.at_ns, 0, &part))
		return 0;
	/* Adding may move them: the place first, then the metric. */
	at = add_metric(x, v[METRIC_TYPE].num[i], v[METRIC_ID].num[i], STR_LIT(""));
	m = &x->all[at];
	value.at_ns = sat_add(value.at_ns, w->shift_ns);
	if (!m->wanted || value.at_ns < 0)
		return 0;
	if (!m->track && tracks_counter(&w->tracks, m->device, m->name, m->unit, &m->track, e) < 0)
		return -1;
	value.track = m->track;
	set_value(&value, m, &v[METRIC_VALUE], i);
	w->counts->values++;
	return w->tracks.how->counter(w->tracks.writer, &value, e);
}

static int tell_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	(void)worker;
	for (size_t i = 0; i < b->rows; i++) {
		if (tell_sample(ctx, b->values, i, e) < 0)
			return -1;
	}
	return 0;
}

/* The order of the rows is that of time. */
static int tell_rows(struct telling *x, const struct sqlite_table *table,
		     const int columns[METRIC_COLUMNS], struct err *e)
{
	struct sqlite_scan *scan;
	uint64_t rows;
	int result;

	if (sqlite_scan_open(&scan, x->walk->trace->file, table, columns, METRIC_COLUMNS, &rows,
			     e) < 0)
		return -1;
	result = sqlite_scan_run_in_order(scan, tell_batch, x, e);
	sqlite_scan_close(scan);
	return result;
}

static bool find_columns(const struct sqlite_table *table, int columns[METRIC_COLUMNS])
{
	static const char *const names[METRIC_COLUMNS] = {"timestamp", "typeId", "metricId",
							  "value"};

	for (int i = 0; table && i < METRIC_COLUMNS; i++) {
		columns[i] = sqlite_table_find_column(table, names[i]);
		if (columns[i] < 0)
			return false;
	}
	return table != NULL;
}

int walk_gpu_metrics(struct walk *w, struct err *e)
{
	const struct sqlite_table *table = sqlitefile_find_table(w->trace->file, "GPU_METRICS");
	struct telling x = {.walk = w};
	int columns[METRIC_COLUMNS];
	int result;

	if (!find_columns(table, columns)) {
		snprintf(w->counts->no_metrics, sizeof(w->counts->no_metrics),
			 "'%s' has no GPU metrics: capture with --gpu-metrics-devices=all",
			 w->trace->path);
		return 0;
	}
	result = read_names(&x, e);
	if (result == 0)
		result = tell_rows(&x, table, columns, e);
	free(x.all);
	idmap_free(&x.types);
	idmap_free(&x.metrics);
	return result;
}
