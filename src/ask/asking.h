/*
 * A question on its way to an answer: what was asked, where that leads, what was told. The ways to
 * answer, by the rows of a table or by findings, are files of their own.
 */
#ifndef ASK_ASKING_H
#define ASK_ASKING_H

#include "ask/asked_analysis.h"
#include "ask/chosen_rows.h"
#include "ask/route/route.h"
#include "ask/sentences.h"

/* Analyses that one question may run. */
enum { MOST_RUNS = 4 };

struct asking {
	struct trace *trace;
	struct report *report;
	struct report_answer *answer;
	struct corpus corpus;
	struct question question;
	struct route route;
	struct sentences told;
	struct answer_evidence evidence[MOST_RUNS];
	size_t runs;	      /* analyses that were asked */
	size_t told_runs;     /* those whose answer is the evidence */
	size_t kept_runs;     /* those of requests that are answered already */
	size_t later;	      /* requests that are still to be answered */
	bool has_window;      /* that of the first answer is the report's */
	bool is_told_outside; /* what is not in the window was found elsewhere */
	bool is_edge_lost;    /* first or last steps are named, which cannot be heeded */
	bool has_no_work;     /* there is none of the work that was asked for, in the window */
	bool has_mean;	      /* that of the rows of a table has been told */
};

struct ask_memory;

/* asking_sentence.c: the sentence that asks: the first with a question mark; what comes before it
 * is what somebody tells first, what comes after it is none, unless all of it is understood.
 * Without a mark, all. */
struct str asking_sentence(const struct asking *a, const char *question);
/* Of what was said besides: where, when, how many. */
void asking_take_context(struct asking *a, const char *question, struct str asked);
/*
 * ask_memory.c: what was asked before with what is said now, where that goes on from it. Whether
 * the question is the one before, at another place. `before` is to be freed.
 */
bool asking_recall(struct asking *a, struct ask_memory *m, struct question *before);
void asking_remember(struct ask_memory *m, const struct asking *a, struct str meant, bool is_same);
/* known_answer.c: of the best candidate, and where it knows no such name of the next ones; steps
 * one after the other. */
int asking_answer_known(struct asking *a, struct err *e);
/* ask.c: runs an analysis; NULL: the trace cannot be read. One without an answer has failed, and is
 * evidence, too. */
struct asked_analysis *asking_run(struct asking *a, const struct candidate *c, size_t step,
				  struct err *e);
/* Whether so many more analyses may be asked: each of the requests to come needs one. */
bool asking_may_run(const struct asking *a, size_t more);
/* What was asked has no answer: it is no evidence. That of the requests before stays. */
void asking_drop_evidence(struct asking *a);
/* ask.c: of the request that is the question now. */
int asking_answer_request(struct asking *a, struct err *e);
/* requests.c: a question that is several requests: each of them. 1: it is one. */
int asking_answer_requests(struct asking *a, struct err *e);
/* told_all.c: an answer that has told half of what is asked for is not sure. */
void asking_doubt_halves(struct asking *a);
/* known_answer.c: the same, and tells what it says. 1: the next candidate may know more. */
int asking_answer_by(struct asking *a, const struct candidate *c, struct err *e);
/* kinds_answer.c: kernels and copies, each by itself; 1: that is not asked. */
int asking_answer_kinds(struct asking *a, struct err *e);
/* presence.c: whether something is used, with what shows it; 1: that is not asked. */
int asking_answer_presence(struct asking *a, struct err *e);
/* trace_names.c: names of the trace that may be in no table of strings, where a word may be one. */
int asking_load_names(const struct asking *a, struct str asked, struct err *e);
/* Whether a name of the trace, which is `ctx`, has the word: then it is no slip of the fingers. */
bool asking_is_name(void *ctx, const char *word);
/* Whether a range is called so, in any case. */
bool asking_is_range(const struct trace *t, struct str said);
/* Names that look like any other word become names; what nothing is called is none. */
void asking_take_names(struct asking *a);
/* os_calls.c: words that are calls of the operating system become names. */
void asking_take_os_calls(struct asking *a);
/* kernel_words.c: words of names of kernels say which of single launches are meant. */
void asking_take_kernel_words(struct asking *a);
/* The same of kernels that communicate, where they are asked for one by one. */
void asking_take_nccl_kernels(struct asking *a);
/* What stands above the rows, or findings, that were asked last. */
void asking_head_evidence(struct asking *a);
/*
 * Whether what a topic needs was not recorded: then that is told, with the flag that brings it, and
 * what `doctor` says is what it rests on.
 */
bool asking_tell_unrecorded(struct asking *a, const struct topic *topic);
/* The same for what only one sort of recording brings, whatever topic fits best. */
bool asking_refuse_unrecorded(struct asking *a);
/* Whether a GPU or a time is asked about that is not there: then that is told. */
bool asking_refuse_absent(struct asking *a);
/* Why an analysis has no answer. */
void asking_tell_failure(struct asking *a, const struct asked_analysis *asked);
/* work_answer.c: which single ops an answer is about, where it is about such. */
void asking_tell_work(struct asking *a);
/* " longer than 1.00 ms"; nothing where nothing is said. */
void asking_add_threshold(struct buf *b, const struct threshold *h);
/* None is a number, too: of what is asked for. */
void asking_keep_zeros(struct asking *a, const char *table);
/* That there is no such work. */
void asking_tell_no_work(struct asking *a, const char *table);
/* Whether the stream is asked for on which kernels of a name run. */
bool asking_wants_stream_of(const struct question *q);
/* 1: no row has the name that was asked for, and another analysis may know it. */
int asking_answer_table(struct asking *a, struct asked_analysis *asked);
/* template_answer.c: that another kernel is first, where all instances of a template are one. */
void asking_tell_template(struct asking *a, const struct chosen_rows *r);
/* Rows as evidence. */
void asking_show_rows(struct asking *a, const struct chosen_rows *r);
/* unread.c: a word that says what is meant, and that no topic, column or row has taken; NULL: none.
 */
const struct word *asking_unread_word(const struct asking *a, const struct asked_analysis *asked,
				      const struct chosen_rows *r);
/* table_doubts.c: what was asked for, and is not what the rows tell. */
void asking_tell_doubts(struct asking *a, const struct asked_analysis *asked,
			const struct chosen_rows *r);
/* told_all.c: numbers that are asked for as well, and that the rows have. */
void asking_tell_besides(struct asking *a, const struct chosen_rows *r);
/* What another topic of the analysis says besides; nothing, where it knows nothing. */
void asking_add_table(struct asking *a, struct asked_analysis *asked);
/* Whether a guide answers it: how to record something, or what guides alone know. */
bool asking_wants_guide(const struct asking *a);
/* How to make a capture: the guide that says it, and a command. */
void asking_answer_guide(struct asking *a);
/* Findings in order of what they cost; one that shares words with the question comes first. */
void asking_answer_findings(struct asking *a, const struct asked_analysis *asked);
/* What was not recorded may be seen nevertheless: a finding that says what was asked is told
 * instead. */
int asking_answer_whether(struct asking *a, struct err *e);
/* Whether a remedy would pay, by what findings advise; 1: that is not asked. */
int asking_answer_remedy(struct asking *a, struct err *e);

#endif
