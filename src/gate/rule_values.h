/* Values of rules: shares, times, sizes, days. */
#ifndef GATE_RULE_VALUES_H
#define GATE_RULE_VALUES_H

#include "base/err.h"
#include "text/yaml_read.h"

/* What messages need, too. */
struct rule_file {
	const char *name;
	struct arena *arena;
	struct err *e;
};

enum amount { AMOUNT_TIME, AMOUNT_BYTES, AMOUNT_COUNT };

/* ERR_USAGE: "'FILE', line N: …" */
int rule_refuse(const struct rule_file *f, size_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int rule_must_be(const struct rule_file *f, const struct yaml_node *n, enum yaml_kind kind);
/* ERR_USAGE unless all keys of the mapping are among these, which end with NULL; names the nearest.
 */
int rule_check_keys(const struct rule_file *f, const struct yaml_node *n, const char *const *keys);
const struct yaml_node *rule_member(const struct yaml_node *map, const char *key);

/* "3%" is 0.03. */
int rule_share(const struct rule_file *f, const struct yaml_node *n, double *ret);
/* The same of a whole: no more than 100%. */
int rule_part(const struct rule_file *f, const struct yaml_node *n, double *ret);
/* "50us", "1.5 ms"; "256MB", "1GiB"; "5". */
int rule_amount(const struct rule_file *f, const struct yaml_node *n, enum amount of, double *ret);
/* A number above 0, "1.2e15" too. */
int rule_number(const struct rule_file *f, const struct yaml_node *n, double *ret);
int rule_text(const struct rule_file *f, const struct yaml_node *n, const char **ret);
int rule_day(const struct rule_file *f, const struct yaml_node *n, const char **ret);

#endif
