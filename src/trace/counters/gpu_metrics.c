/* Counters of GPUs, a row for each value: a hundred times more than of all else. */
#include "trace/counters/gpu_metrics.h"

#include "base/mem.h"
#include "base/sort.h"
#include "trace/small_table.h"
#include "trace/trace_cache.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { TIME, TYPE, METRIC, VALUE, COLUMNS };
enum { GIVE_BACK_BYTES = 1 << 25 };

/* Samples of one GPU in a run of rows. The first and the last may go on in the runs beside it. */
struct piece {
	uint64_t row; /* the first */
	uint32_t gpu;
	size_t count, cap, value_cap;
	int64_t *at_ns;
	float *values;
};

struct pieces {
	struct piece *all;
	size_t count, cap;
};

struct reading {
	struct gpu_metrics *to;
	pthread_mutex_t lock;
	struct pieces found;
};

static struct measured_gpu *find_gpu(const struct gpu_metrics *m, int64_t type)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->gpus[i].type == type)
			return &m->gpus[i];
	}
	return NULL;
}

static struct measured_gpu *add_gpu(struct gpu_metrics *m, size_t *cap, int64_t type)
{
	struct measured_gpu *known = find_gpu(m, type);

	if (known || m->count == GPUS_MOST)
		return known;
	MEM_GROW(m->gpus, *cap, m->count + 1);
	m->gpus[m->count] = (struct measured_gpu){.type = type, .gpu = gpu_of_metric_type(type)};
	m->gpus[m->count].names = mem_alloc(METRICS_MOST, sizeof(struct str));
	m->gpus[m->count].ids = mem_alloc(METRICS_MOST, sizeof(int64_t));
	return &m->gpus[m->count++];
}

/* Metrics of a GPU come in one order: the next is where the last was, and one further. */
static size_t find_metric(const struct measured_gpu *g, int64_t id, size_t near)
{
	for (size_t i = 0; i < g->metrics; i++) {
		const size_t at = (near + i) % g->metrics;

		if (g->ids[at] == id)
			return at;
	}
	return g->metrics;
}

static int read_names(struct trace *t, struct gpu_metrics *ret, struct err *e)
{
	static const char *const columns[] = {"typeId", "metricId", "metricName", NULL};
	struct small_table s;
	size_t cap = 0;

	if (trace_read_small(t, "TARGET_INFO_GPU_METRICS", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		const struct value *type = small_value(&s, i, 0), *id = small_value(&s, i, 1);
		struct measured_gpu *g;

		if (type->type != SQLITE_IS_INT || id->type != SQLITE_IS_INT)
			continue;
		g = add_gpu(ret, &cap, type->i);
		if (!g || g->metrics == METRICS_MOST ||
		    (g->metrics && find_metric(g, id->i, 0) < g->metrics))
			continue;
		g->ids[g->metrics] = id->i;
		g->names[g->metrics++] = small_value(&s, i, 2)->s;
	}
	return 0;
}

static void add_sample(struct piece *p, const struct measured_gpu *g, int64_t at_ns)
{
	MEM_GROW(p->at_ns, p->cap, p->count + 1);
	MEM_GROW(p->values, p->value_cap, (p->count + 1) * g->metrics);
	p->at_ns[p->count] = at_ns;
	for (size_t i = 0; i < g->metrics; i++)
		p->values[p->count * g->metrics + i] = NAN;
	p->count++;
}

/* What was grown in steps is cut to its length: there are many pieces. */
static void keep_piece(struct reading *r, struct piece *p)
{
	const size_t metrics = p->count ? r->to->gpus[p->gpu].metrics : 0;

	if (!p->count)
		return;
	p->at_ns = mem_resize(p->at_ns, p->count, sizeof(*p->at_ns));
	p->values = mem_resize(p->values, p->count * metrics, sizeof(*p->values));
	pthread_mutex_lock(&r->lock);
	MEM_GROW(r->found.all, r->found.cap, r->found.count + 1);
	r->found.all[r->found.count++] = *p;
	pthread_mutex_unlock(&r->lock);
	*p = (struct piece){0};
}

static bool is_number(const struct sqlite_values *v, size_t i)
{
	return v->type[i] == SQLITE_IS_INT || v->type[i] == SQLITE_IS_REAL;
}

static float number(const struct sqlite_values *v, size_t i)
{
	return v->type[i] == SQLITE_IS_REAL ? (float)sqlite_real(v->num[i]) : (float)v->num[i];
}

static int take_rows(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct sqlite_values *v = b->values;
	struct reading *r = ctx;
	const struct measured_gpu *g = NULL;
	struct piece p = {0};
	size_t metric = 0;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		if (v[TIME].type[i] != SQLITE_IS_INT || v[TYPE].type[i] != SQLITE_IS_INT ||
		    v[METRIC].type[i] != SQLITE_IS_INT || !is_number(&v[VALUE], i))
			continue;
		if (!g || g->type != v[TYPE].num[i]) {
			keep_piece(r, &p);
			g = find_gpu(r->to, v[TYPE].num[i]);
			if (!g)
				continue;
			p = (struct piece){.row = b->first_row + i,
					   .gpu = (uint32_t)(g - r->to->gpus)};
		}
		metric = find_metric(g, v[METRIC].num[i], metric + 1);
		if (metric == g->metrics)
			continue;
		if (!p.count || p.at_ns[p.count - 1] != v[TIME].num[i])
			add_sample(&p, g, v[TIME].num[i]);
		p.values[(p.count - 1) * g->metrics + metric] = number(&v[VALUE], i);
	}
	keep_piece(r, &p);
	return 0;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *p = a, *q = b;

	return (p->row > q->row) - (p->row < q->row);
}

/* A moment whose rows do not lie together is one. */
static void append(struct measured_gpu *g, int64_t at_ns, const float *from)
{
	float *to;

	if (!g->samples || g->at_ns[g->samples - 1] != at_ns) {
		g->at_ns[g->samples++] = at_ns;
		memmove(&g->values[(g->samples - 1) * g->metrics], from,
			g->metrics * sizeof(*from));
		return;
	}
	to = &g->values[(g->samples - 1) * g->metrics];
	for (size_t k = 0; k < g->metrics; k++)
		to[k] = isnan(from[k]) ? to[k] : from[k];
}

static void join_moments(struct measured_gpu *g)
{
	const size_t count = g->samples;

	g->samples = 0;
	for (size_t i = 0; i < count; i++)
		append(g, g->at_ns[i], &g->values[i * g->metrics]);
}

/* As the profiler writes them, samples are in order of time; others are put in order. */
static void sort_samples(struct measured_gpu *g)
{
	uint32_t *order;
	int64_t *at_ns;
	float *values;
	size_t i = 1;

	while (i < g->samples && g->at_ns[i - 1] <= g->at_ns[i])
		i++;
	if (i >= g->samples)
		return;
	order = sort_new_order(g->at_ns, g->samples);
	at_ns = mem_alloc(g->samples, sizeof(*at_ns));
	values = mem_alloc(g->samples * g->metrics, sizeof(*values));
	for (i = 0; i < g->samples; i++) {
		at_ns[i] = g->at_ns[order[i]];
		memcpy(&values[i * g->metrics], &g->values[order[i] * g->metrics],
		       g->metrics * sizeof(*values));
	}
	free(order);
	free(g->at_ns);
	free(g->values);
	g->at_ns = at_ns;
	g->values = values;
	join_moments(g);
}

static void clocks_in_mhz(struct measured_gpu *g)
{
	for (size_t k = 0; k < g->metrics; k++) {
		double most = 0;

		for (size_t i = 0; gpu_metric_is_mhz(g->names[k]) && i < g->samples; i++)
			most = gpu_metric(g, i, k) > most ? gpu_metric(g, i, k) : most;
		for (size_t i = 0; most > CLOCK_MHZ_MOST && i < g->samples; i++)
			g->values[i * g->metrics + k] /= 1e6F;
	}
}

/* At most: those whose rows lie in two pieces are counted twice. */
static void make_room(struct reading *r)
{
	for (size_t i = 0; i < r->found.count; i++)
		r->to->gpus[r->found.all[i].gpu].cap += r->found.all[i].count;
	for (size_t i = 0; i < r->to->count; i++) {
		struct measured_gpu *g = &r->to->gpus[i];

		g->at_ns = mem_alloc(g->cap, sizeof(*g->at_ns));
		g->values = mem_alloc(g->cap * g->metrics, sizeof(*g->values));
	}
}

static void settle(struct reading *r)
{
	size_t copied = 0;

	make_room(r);
	if (r->found.count)
		qsort(r->found.all, r->found.count, sizeof(*r->found.all), compare_pieces);
	for (size_t i = 0; i < r->found.count; i++) {
		struct piece *p = &r->found.all[i];

		for (size_t k = 0; k < p->count; k++)
			append(&r->to->gpus[p->gpu], p->at_ns[k],
			       &p->values[k * r->to->gpus[p->gpu].metrics]);
		free(p->at_ns);
		free(p->values);
		/* What is copied would be there twice. */
		copied += p->count * r->to->gpus[p->gpu].metrics * sizeof(*p->values);
		if (copied >= GIVE_BACK_BYTES) {
			mem_give_back();
			copied = 0;
		}
	}
	free(r->found.all);
	for (size_t i = 0; i < r->to->count; i++) {
		sort_samples(&r->to->gpus[i]);
		clocks_in_mhz(&r->to->gpus[i]);
		r->to->gpus[i].period_ns =
			sort_usual_step(r->to->gpus[i].at_ns, r->to->gpus[i].samples);
	}
}

static int scan(struct trace *t, const struct sqlite_table *table, const int *columns,
		struct gpu_metrics *ret, struct err *e)
{
	struct reading r = {.to = ret};
	struct sqlite_scan *s;
	uint64_t rows;
	int result;
	TRACE_LOCK_SCOPE(t);

	if (sqlite_scan_open(&s, t->file, table, columns, COLUMNS, &rows, e) < 0)
		return -1;
	pthread_mutex_init(&r.lock, NULL);
	result = sqlite_scan_run(s, take_rows, &r, e);
	sqlite_scan_close(s);
	pthread_mutex_destroy(&r.lock);
	settle(&r);
	return result;
}

static void free_all(void *made)
{
	struct gpu_metrics *m = made;

	for (size_t i = 0; i < m->count; i++) {
		free(m->gpus[i].names);
		free(m->gpus[i].ids);
		free(m->gpus[i].at_ns);
		free(m->gpus[i].values);
	}
	free(m->gpus);
	*m = (struct gpu_metrics){0};
}

static int read_all(struct trace *t, const void *ctx, void *made, struct err *e)
{
	struct gpu_metrics *ret = made;
	static const char *const names[COLUMNS] = {"timestamp", "typeId", "metricId", "value"};
	const struct sqlite_table *table = sqlitefile_find_table(t->file, "GPU_METRICS");
	int columns[COLUMNS];

	(void)ctx;
	for (int i = 0; i < COLUMNS; i++) {
		columns[i] = table ? sqlite_table_find_column(table, names[i]) : -1;
		if (columns[i] < 0)
			return 0;
	}
	if (read_names(t, ret, e) == 0 && scan(t, table, columns, ret, e) == 0)
		return 0;
	free_all(ret);
	return -1;
}

static const struct cached cached_metrics = {sizeof(struct gpu_metrics), read_all, free_all};

int gpu_metrics_read(struct trace *t, struct gpu_metrics *ret, struct err *e)
{
	*ret = (struct gpu_metrics){0};
	return trace_cache_keep(t, &cached_metrics, ret, &ret->shared, e);
}

int gpu_metrics_require(const struct gpu_metrics *m, struct err *e)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->gpus[i].samples)
			return 0;
	}
	err_set(e, ERR_INPUT,
		"no counters of GPUs in this trace: capture with nsys profile "
		"--gpu-metrics-devices=cuda-visible");
	e->absent = true;
	return -1;
}

uint32_t gpu_metrics_device(const struct machine *m, const struct device_map *map, uint32_t gpu)
{
	for (size_t i = 0; i < m->gpu_count && !map->gpus.count; i++) {
		if (m->gpus[i].id == gpu && m->gpus[i].cuda_device >= 0)
			return (uint32_t)m->gpus[i].cuda_device;
	}
	return gpu;
}

void gpu_metrics_free(struct gpu_metrics *m)
{
	if (!m->shared)
		free_all(m);
	*m = (struct gpu_metrics){0};
}

struct span gpu_metric_span(const struct measured_gpu *g, size_t sample)
{
	const int64_t at = g->at_ns[sample], far = sat_add(at, sat_add(g->period_ns, g->period_ns));
	const int64_t next =
		sample + 1 < g->samples ? g->at_ns[sample + 1] : sat_add(at, g->period_ns);

	return (struct span){at, next < far ? next : far};
}
