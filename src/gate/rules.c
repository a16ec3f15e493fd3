/* What does a project ask of its runs? */
#include "gate/rules.h"

#include "base/mem.h"
#include "diff/account.h"
#include "gate/check_id.h"
#include "gate/rule_values.h"
#include "report/finding.h"
#include "text/nearest.h"

#include <stdlib.h>

static struct rule *add(struct rules *r, enum rule_kind kind, size_t line)
{
	MEM_GROW(r->all, r->cap, r->count + 1);
	r->all[r->count] = (struct rule){.kind = kind, .line = line};
	return &r->all[r->count++];
}

static int name(const struct rule_file *f, const struct yaml_node *n, const char *text,
		struct name_match *ret)
{
	if (!text[0])
		return rule_refuse(f, n->line, "a name is empty");
	return name_match_make(ret, text, f->e) < 0
		       ? err_wrap(f->e, "'%s', line %zu", f->name, n->line)
		       : 0;
}

/* {rel: 3%, abs: 50us}: one of them at least. */
static int read_limits(const struct rule_file *f, const struct yaml_node *n, enum amount of,
		       struct rule *to)
{
	static const char *const keys[] = {"rel", "abs", NULL};
	const struct yaml_node *rel, *abs;

	if (rule_check_keys(f, n, keys) < 0)
		return -1;
	rel = rule_member(n, "rel");
	abs = rule_member(n, "abs");
	if (!rel && !abs)
		return rule_refuse(f, n->line, "'%s' has neither 'rel' nor 'abs'", n->key);
	if (rel && rule_share(f, rel, &to->rel) < 0)
		return -1;
	return abs ? rule_amount(f, abs, of, &to->abs) : 0;
}

static int read_step(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	r->step_is_off = n->kind == YAML_KIND_VALUE && strcmp(n->text, "off") == 0;
	if (r->step_is_off)
		return 0;
	if (n->kind == YAML_KIND_VALUE) {
		rule_must_be(f, n, YAML_KIND_MAP);
		return err_hint(f->e, "step: {rel: 2%%}, or step: off");
	}
	return read_limits(f, n, AMOUNT_TIME, add(r, RULE_STEP, n->line));
}

static int read_memory(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	return read_limits(f, n, AMOUNT_BYTES, add(r, RULE_MEMORY, n->line));
}

static int read_kernel_count(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	return read_limits(f, n, AMOUNT_COUNT, add(r, RULE_KERNELS, n->line));
}

/* A mapping of names to limits. */
static int read_named(const struct rule_file *f, const struct yaml_node *n, enum rule_kind kind,
		      struct rules *r)
{
	if (rule_must_be(f, n, YAML_KIND_MAP) < 0)
		return -1;
	for (const struct yaml_node *m = n->first; m; m = m->next) {
		struct rule *to = add(r, kind, m->line);

		if (name(f, m, m->key, &to->names) < 0 || read_limits(f, m, AMOUNT_TIME, to) < 0)
			return -1;
	}
	return 0;
}

static int read_classes(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	const char *keys[LEAF_CLASSES + 1] = {0};

	for (int i = 0; i < LEAF_CLASSES; i++)
		keys[i] = leaf_class_keys[i];
	return rule_check_keys(f, n, keys) < 0 ? -1 : read_named(f, n, RULE_CLASS, r);
}

static int read_ranges(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	return read_named(f, n, RULE_RANGE, r);
}

static int read_kernels(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	return read_named(f, n, RULE_KERNEL, r);
}

static int check_finding(const struct rule_file *f, const struct yaml_node *n)
{
	struct nearest near = {n->text, NULL, 4};
	const char *id;

	if (finding_kind(n->text) || strcmp(n->text, "new") == 0)
		return 0;
	for (size_t i = 0; (id = finding_kind_at(i)); i++)
		nearest_try(&near, id);
	rule_refuse(f, n->line, "'%.80s' is no finding", n->text);
	if (near.found)
		return err_hint(f->e, "did you mean '%s'?", near.found);
	return err_hint(f->e, "docs/findings.md lists them; new: those that the baseline has not");
}

static int read_forbidden(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	if (rule_must_be(f, n, YAML_KIND_VALUE) < 0 || check_finding(f, n) < 0)
		return -1;
	return name(f, n, n->text, &add(r, RULE_FINDING, n->line)->names);
}

/* A list, or one alone. */
static int read_findings(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	static const char *const keys[] = {"forbid", NULL};
	const struct yaml_node *list;

	if (rule_check_keys(f, n, keys) < 0)
		return -1;
	list = rule_member(n, "forbid");
	if (!list)
		return rule_refuse(f, n->line, "'findings' has no 'forbid'");
	if (list->kind == YAML_KIND_VALUE)
		return read_forbidden(f, list, r);
	if (rule_must_be(f, list, YAML_KIND_LIST) < 0)
		return -1;
	for (const struct yaml_node *m = list->first; m; m = m->next) {
		if (read_forbidden(f, m, r) < 0)
			return -1;
	}
	return 0;
}

static int read_mfu(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	static const char *const keys[] = {"at_least", "flops", "dtype", "peak_tflops", NULL};
	struct rule *to = add(r, RULE_MFU, n->line);
	const struct yaml_node *least, *flops, *dtype, *tflops;

	if (rule_check_keys(f, n, keys) < 0)
		return -1;
	least = rule_member(n, "at_least");
	flops = rule_member(n, "flops");
	dtype = rule_member(n, "dtype");
	tflops = rule_member(n, "peak_tflops");
	if (!least || !flops || (!dtype && !tflops))
		return rule_refuse(f, n->line,
				   "'mfu' needs 'at_least', 'flops' of a step, and "
				   "'dtype' or 'peak_tflops'");
	if (dtype && tflops)
		return rule_refuse(f, n->line, "'mfu' has both 'dtype' and 'peak_tflops'");
	if (rule_part(f, least, &to->share) < 0 || rule_number(f, flops, &to->flops) < 0 ||
	    (tflops && rule_number(f, tflops, &to->tflops) < 0))
		return -1;
	if (!dtype)
		return 0;
	if (rule_must_be(f, dtype, YAML_KIND_VALUE) < 0)
		return -1;
	to->dtype = dtype_find(str_of(dtype->text));
	return to->dtype ? 0 : rule_refuse(f, dtype->line, "'%.80s' is no data type", dtype->text);
}

static int read_minimum(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	static const char *const keys[] = {"overlap", "mfu", NULL};
	const struct yaml_node *overlap, *mfu;

	if (rule_check_keys(f, n, keys) < 0)
		return -1;
	overlap = rule_member(n, "overlap");
	mfu = rule_member(n, "mfu");
	if (overlap && rule_part(f, overlap, &add(r, RULE_OVERLAP, overlap->line)->share) < 0)
		return -1;
	return mfu ? read_mfu(f, mfu, r) : 0;
}

static int read_maximum(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	static const char *const keys[] = {"idle", NULL};
	const struct yaml_node *idle;

	if (rule_check_keys(f, n, keys) < 0)
		return -1;
	idle = rule_member(n, "idle");
	return idle ? rule_part(f, idle, &add(r, RULE_IDLE, idle->line)->share) : 0;
}

static int read_allowance(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	static const char *const keys[] = {"check", "up_to", "reason", "until", NULL};
	const struct yaml_node *check, *up_to, *reason, *until;
	struct allowance *to;
	const char *id;

	if (rule_check_keys(f, n, keys) < 0)
		return -1;
	check = rule_member(n, "check");
	up_to = rule_member(n, "up_to");
	reason = rule_member(n, "reason");
	until = rule_member(n, "until");
	if (!check || !reason || !until)
		return rule_refuse(f, n->line,
				   "what is allowed needs 'check', 'reason' and 'until'");
	MEM_GROW(r->allowances, r->allowance_cap, r->allowance_count + 1);
	to = &r->allowances[r->allowance_count++];
	*to = (struct allowance){.has_up_to = up_to, .line = n->line};
	if (rule_text(f, check, &id) < 0 || name(f, check, id, &to->check) < 0 ||
	    (!to->check.pattern && check_id_find(f, check) < 0) ||
	    rule_text(f, reason, &to->reason) < 0 || rule_day(f, until, &to->until) < 0)
		return -1;
	return up_to ? rule_share(f, up_to, &to->up_to) : 0;
}

static int read_allow(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	if (rule_must_be(f, n, YAML_KIND_LIST) < 0)
		return -1;
	for (const struct yaml_node *m = n->first; m; m = m->next) {
		if (read_allowance(f, m, r) < 0)
			return -1;
	}
	return 0;
}

static int read_version(const struct rule_file *f, const struct yaml_node *n, struct rules *r)
{
	double version;

	(void)r;
	if (rule_number(f, n, &version) < 0)
		return -1;
	return version == RULES_VERSION ? 0
					: rule_refuse(f, n->line, "version %s is not known: %d is",
						      n->text, RULES_VERSION);
}

static const struct {
	const char *key;
	int (*read)(const struct rule_file *f, const struct yaml_node *n, struct rules *r);
} parts[] = {
	{"version", read_version},
	{"step", read_step},
	{"classes", read_classes},
	{"ranges", read_ranges},
	{"kernels", read_kernels},
	{"memory_peak", read_memory},
	{"kernels_per_step", read_kernel_count},
	{"findings", read_findings},
	{"minimum", read_minimum},
	{"maximum", read_maximum},
	{"allow", read_allow},
};

static int read_root(const struct rule_file *f, const struct yaml_node *root, struct rules *r)
{
	const char *keys[ARRAY_LEN(parts) + 1] = {0};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		keys[i] = parts[i].key;
	if (rule_check_keys(f, root, keys) < 0)
		return -1;
	if (!rule_member(root, "version")) {
		rule_refuse(f, root->line, "'version' is missing");
		return err_hint(f->e, "version: %d", RULES_VERSION);
	}
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const struct yaml_node *n = rule_member(root, parts[i].key);

		if (n && parts[i].read(f, n, r) < 0)
			return -1;
	}
	return 0;
}

void rules_default(struct rules *ret, double tolerance)
{
	*ret = (struct rules){.tolerance = tolerance};
	add(ret, RULE_STEP, 0)->rel = tolerance;
}

static int take(struct rules *r, const struct yaml_node *root, const char *name_of_file,
		double tolerance, struct err *e)
{
	const struct rule_file f = {name_of_file, &r->arena, e};

	r->file = arena_strdup(&r->arena, name_of_file);
	r->tolerance = tolerance;
	if (read_root(&f, root, r) < 0)
		return -1;
	if (!rules_step(r) && !r->step_is_off)
		add(r, RULE_STEP, 0)->rel = tolerance;
	return r->count ? 0 : rule_refuse(&f, root->line, "nothing is checked: no rule is left");
}

int rules_read_text(struct rules *ret, struct str text, const char *name_of_file, double tolerance,
		    struct err *e)
{
	const struct yaml_node *root;

	*ret = (struct rules){0};
	if (yaml_read_text(&root, text, name_of_file, &ret->arena, e) < 0)
		return -1;
	return take(ret, root, name_of_file, tolerance, e);
}

int rules_read(struct rules *ret, const char *path, double tolerance, struct err *e)
{
	const struct yaml_node *root;

	*ret = (struct rules){0};
	if (yaml_read_file(&root, path, &ret->arena, e) < 0) {
		/* Rules that cannot be read are no trace that cannot be. */
		e->code = e->code == ERR_INPUT ? ERR_USAGE : e->code;
		return -1;
	}
	return take(ret, root, path, tolerance, e);
}

void rules_free(struct rules *r)
{
	for (size_t i = 0; i < r->count; i++)
		name_match_free(&r->all[i].names);
	for (size_t i = 0; i < r->allowance_count; i++)
		name_match_free(&r->allowances[i].check);
	free(r->all);
	free(r->allowances);
	arena_free(&r->arena);
	*r = (struct rules){0};
}

const struct rule *rules_step(const struct rules *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->all[i].kind == RULE_STEP)
			return &r->all[i];
	}
	return NULL;
}
