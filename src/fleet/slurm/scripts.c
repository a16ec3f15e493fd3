/* What does a node of the cluster do? */
#include "fleet/slurm/scripts.h"

#include "text/shell_words.h"

/* As many as Slurm gave to the task, whatever else the node has. */
#define THREADS " --threads \"${SLURM_CPUS_ON_NODE:-1}\""

/* A file that may not grow ends no script: what it cannot say, its exit code does. */
static void add_head(struct buf *b, const struct script_places *p, const char *what)
{
	buf_addf(b,
		 "#!/bin/sh\n# Written by gpuwhy fleet --slurm: %s\ntrap '' XFSZ\ngpuwhy=", what);
	word_add_quoted(b, p->gpuwhy);
	/* Slurm goes elsewhere where a node has no such folder. */
	buf_adds(b, "\ncd -- ");
	word_add_quoted(b, p->folder);
	buf_adds(b, " || exit 4\n");
}

static void add_words(struct buf *b, const struct string_list *words)
{
	for (size_t i = 0; i < words->count; i++) {
		buf_addc(b, ' ');
		word_add_quoted(b, words->all[i]);
	}
}

/*
 * The part has a name of the task's own until it is whole, and so has the status: a node that was
 * given up may still be at work while another does the same.
 */
void script_add_map(struct buf *b, const struct script_places *p, const struct string_list *words)
{
	add_head(b, p, "reads one capture of the list.");
	buf_adds(b, "line=$(sed -n \"$(($1 + SLURM_ARRAY_TASK_ID + 1)){p;q}\" list)\n"
		    "key=${line%%\t*}\n"
		    "file=${line#*\t}\n"
		    "[ -n \"$key\" ] || exit 0\n"
		    "own=parts/$key.$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}\n"
		    "said=$(\"$gpuwhy\" fleet map \"$file\" -o \"$own\"");
	add_words(b, words);
	buf_adds(b, THREADS " 2>&1 >/dev/null </dev/null)\n"
			    "code=$?\n"
			    "if [ $code -eq 0 ]; then\n"
			    "\tmv -f \"$own\" \"parts/$key.part\" || code=4\n"
			    "fi\n"
			    "if [ $code -ne 0 ]; then\n"
			    "\tprintf 'exit %s\\n%s\\n' \"$code\" \"$said\" >\"$own.status\" &&\n"
			    "\t\tmv -f \"$own.status\" \"parts/$key.status\"\n"
			    "\trm -f \"$own\" \"$own.status\"\n"
			    "\tprintf '%s\\n' \"$said\"\n"
			    "else\n"
			    "\trm -f \"log/map-${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.txt\"\n"
			    "fi\n"
			    "exit $code\n");
}

void script_add_pack(struct buf *b, const struct script_places *p)
{
	add_head(b, p, "puts the parts of one group of captures into one file.");
	buf_adds(b, "exec \"$gpuwhy\" fleet pack . \"$SLURM_ARRAY_TASK_ID\" </dev/null\n");
}

void script_add_reduce(struct buf *b, const struct script_places *p, const struct script_reduce *r)
{
	add_head(b, p, "makes one answer of the parts.");
	if (r->columns)
		buf_addf(b, "COLUMNS=%zu\nexport COLUMNS\n", r->columns);
	buf_adds(b, "own=$SLURM_JOB_ID\n"
		    "rm -rf " ANSWER_NAME ".* " RESULT_NAME ".* reduce.*[0-9] reduce.*.status\n"
		    "said=$(\"$gpuwhy\" fleet reduce . -o \"" ANSWER_NAME ".$own\"");
	if (r->folder)
		buf_adds(b, " --out \"" RESULT_NAME ".$own\"");
	add_words(b, r->words);
	buf_adds(b, THREADS " 2>&1 >/dev/null </dev/null)\n"
			    "code=$?\n"
			    "printf 'exit %s\\n%s\\n' \"$code\" \"$said\" >\"reduce.$own\" &&\n"
			    "\tmv -f \"reduce.$own\" \"reduce.$own.status\"\n"
			    "exit $code\n");
}
