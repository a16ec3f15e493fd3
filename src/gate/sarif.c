/* How do tools that collect results of analyses read what became of the rules? */
#include "base/mem.h"
#include "base/sha256.h"
#include "base/version.h"
#include "gate/gate_report.h"
#include "text/json_write.h"

#include <stdio.h>

/* What each sort of result means, in the order of their keys. */
static const struct {
	const char *id, *text;
} kinds[] = {
	{"class", "Time of a step by what the GPU does in it"},
	{"finding", "A cause of lost time that must not appear"},
	{"kernel", "Time of a step in a kernel"},
	{"kernels_per_step", "GPU ops that a step launches"},
	{"maximum", "A share of the step that must not be exceeded"},
	{"memory_peak", "The most memory that a GPU has in use"},
	{"minimum", "A share that must be reached"},
	{"range", "Time of a step in an NVTX range"},
	{"step", "Time of a step, or of the window of a capture without steps"},
};

static void add_text(struct json_writer *w, const char *key, const char *text)
{
	json_write_open(w, key, '{');
	json_write_text(w, "text", text);
	json_write_close(w, '}');
}

static void add_driver(struct json_writer *w)
{
	json_write_open(w, "tool", '{');
	json_write_open(w, "driver", '{');
	json_write_text(w, "name", "gpuwhy");
	json_write_text(w, "version", GPUWHY_VERSION);
	json_write_open(w, "rules", '[');
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "id", kinds[i].id);
		add_text(w, "shortDescription", kinds[i].text);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	json_write_close(w, '}');
	json_write_close(w, '}');
}

/* As a reference: what is no letter, digit or one of a few signs is escaped. */
static void add_uri(struct json_writer *w, const char *path)
{
	SCOPED_BUF b = {0};

	for (; *path; path++) {
		const unsigned char c = (unsigned char)*path;

		if (c < 0x80 &&
		    strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/",
			   c))
			buf_addc(&b, (char)c);
		else
			buf_addf(&b, "%%%02X", c);
	}
	json_write_str(w, "uri", buf_str(&b));
}

/* The rule that was broken; without rules the baseline. */
static void add_location(struct json_writer *w, const struct gate_check *c,
			 const struct gate_words *words)
{
	const bool has_rule = words->rules && c->rule->line;

	json_write_open(w, "locations", '[');
	json_write_open(w, NULL, '{');
	json_write_open(w, "physicalLocation", '{');
	json_write_open(w, "artifactLocation", '{');
	add_uri(w, has_rule ? words->rules : words->path);
	json_write_close(w, '}');
	json_write_open(w, "region", '{');
	json_write_int(w, "startLine", has_rule ? (int64_t)c->rule->line : 1);
	json_write_close(w, '}');
	json_write_close(w, '}');
	json_write_open(w, "logicalLocations", '[');
	json_write_open(w, NULL, '{');
	json_write_text(w, "fullyQualifiedName", c->name);
	json_write_close(w, '}');
	json_write_close(w, ']');
	json_write_close(w, '}');
	json_write_close(w, ']');
}

static void add_fingerprint(struct json_writer *w, const struct gate_check *c,
			    const struct gate_words *words)
{
	char text[SHA256_TEXT_BYTES];
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, words->baseline, strlen(words->baseline) + 1);
	sha256_add(&s, c->id, strlen(c->id) + 1);
	/* Two patterns may find one range: each is a check. */
	if (c->rule->names.text)
		sha256_add(&s, c->rule->names.text, strlen(c->rule->names.text));
	sha256_end(&s, text);
	json_write_open(w, "partialFingerprints", '{');
	json_write_text(w, "gpuwhyCheck/v1", text);
	json_write_close(w, '}');
}

static void add_result(struct json_writer *w, const struct gate_check *c,
		       const struct gate_words *words)
{
	static const char *const levels[CHECK_OUTCOMES] = {"error", "warning", "note", "none"};
	SCOPED_BUF text = {0};

	buf_addf(&text, "%s: %s", c->name, c->text);
	json_write_open(w, NULL, '{');
	json_write_text(w, "ruleId", rule_kind_keys[c->rule->kind]);
	json_write_text(w, "level", levels[c->outcome]);
	add_text(w, "message", text.s);
	add_location(w, c, words);
	add_fingerprint(w, c, words);
	if (c->why) {
		json_write_open(w, "suppressions", '[');
		json_write_open(w, NULL, '{');
		json_write_text(w, "kind", "external");
		json_write_text(w, "justification", c->why->reason);
		json_write_close(w, '}');
		json_write_close(w, ']');
	}
	json_write_close(w, '}');
}

void gate_add_sarif(struct buf *b, const struct gate *g, const struct gate_words *w)
{
	struct json_writer to = {.out = b};

	json_write_open(&to, NULL, '{');
	json_write_text(&to, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_write_text(&to, "version", "2.1.0");
	json_write_open(&to, "runs", '[');
	json_write_open(&to, NULL, '{');
	add_driver(&to);
	json_write_open(&to, "results", '[');
	for (size_t i = 0; i < g->count; i++) {
		if (g->all[i].outcome != CHECK_PASSED)
			add_result(&to, &g->all[i], w);
	}
	json_write_close(&to, ']');
	json_write_close(&to, '}');
	json_write_close(&to, ']');
	json_write_close(&to, '}');
}
