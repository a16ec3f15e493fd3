/* How does a request get to a server, and its reply back? */
#include "llm/http.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Macros that would have called the functions by their names. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

enum { CONNECT_MS = 10000, MOST_ERROR_BODY = 4096 };

/* What is used of the library. */
static struct {
	typeof(curl_global_init) *global_init;
	typeof(curl_easy_init) *easy_init;
	typeof(curl_easy_setopt) *setopt;
	typeof(curl_easy_perform) *perform;
	typeof(curl_easy_getinfo) *getinfo;
	typeof(curl_easy_strerror) *strerror;
	typeof(curl_easy_cleanup) *cleanup;
	typeof(curl_slist_append) *slist_append;
	typeof(curl_slist_free_all) *slist_free_all;
} curl;

static bool find_functions(void *library)
{
	const struct {
		void *at;
		const char *name;
	} wanted[] = {
		{&curl.global_init, "curl_global_init"},
		{&curl.easy_init, "curl_easy_init"},
		{&curl.setopt, "curl_easy_setopt"},
		{&curl.perform, "curl_easy_perform"},
		{&curl.getinfo, "curl_easy_getinfo"},
		{&curl.strerror, "curl_easy_strerror"},
		{&curl.cleanup, "curl_easy_cleanup"},
		{&curl.slist_append, "curl_slist_append"},
		{&curl.slist_free_all, "curl_slist_free_all"},
	};

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		void *found = dlsym(library, wanted[i].name);

		if (!found)
			return false;
		memcpy(wanted[i].at, &found, sizeof(found));
	}
	return true;
}

static int load_library(struct err *e)
{
	static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
	void *library = NULL;

	if (curl.perform)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(names) && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library || !find_functions(library) ||
	    curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		curl.perform = NULL;
		err_set(e, ERR_SYSTEM, "libcurl, by which models are reached, is not installed");
		return err_hint(e, "on Debian: apt-get install libcurl4");
	}
	return 0;
}

/* A request under way. */
struct sending {
	const struct http_post *post;
	struct http_reply *reply;
	CURL *handle;
	size_t received;
	bool has_failed;
	struct err *e;
};

static size_t take_bytes(char *bytes, size_t size, size_t count, void *ctx)
{
	struct sending *s = ctx;
	const size_t len = size * count;

	s->received += len;
	curl.getinfo(s->handle, CURLINFO_RESPONSE_CODE, &s->reply->status);
	if (s->reply->status != 200) {
		if (s->reply->body.len < MOST_ERROR_BODY)
			buf_add(&s->reply->body, bytes, len);
		return s->received <= s->post->most_bytes ? len : 0;
	}
	if (s->received > s->post->most_bytes) {
		s->has_failed = true;
		err_set(s->e, ERR_INPUT, "the reply is longer than %zu bytes", s->post->most_bytes);
	} else if (s->post->take(s->post->ctx, bytes, len, s->e) < 0) {
		s->has_failed = true;
	}
	return s->has_failed ? 0 : len;
}

/* No name and no setting leads plain HTTP to another machine. */
static curl_socket_t open_loopback(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
	const struct sockaddr_in *four = (const void *)&a->addr;
	const struct sockaddr_in6 *six = (const void *)&a->addr;
	const bool is_here =
		(a->family == AF_INET && (ntohl(four->sin_addr.s_addr) >> 24) == 127) ||
		(a->family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr));

	(void)ctx;
	(void)purpose;
	return is_here ? socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol)
		       : CURL_SOCKET_BAD;
}

/* All must be taken: what a library does not know of may be what keeps a secret. */
static bool set_up(struct sending *s, struct curl_slist *headers, char *why)
{
	const struct http_post *p = s->post;
	CURL *h = s->handle;
	bool ok = curl.setopt(h, CURLOPT_URL, p->url) == CURLE_OK;

	ok &= curl.setopt(h, CURLOPT_PROTOCOLS_STR, p->is_loopback ? "http,https" : "https") ==
	      CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_TIMEOUT_MS, (long)p->timeout_ms) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_HTTPHEADER, headers) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)p->body.len) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_POSTFIELDS, p->body.s) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_WRITEFUNCTION, take_bytes) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_WRITEDATA, s) == CURLE_OK;
	ok &= curl.setopt(h, CURLOPT_ERRORBUFFER, why) == CURLE_OK;
	/* Who vouches for servers, where the user says so as to other programs. */
	if (getenv("SSL_CERT_FILE"))
		ok &= curl.setopt(h, CURLOPT_CAINFO, getenv("SSL_CERT_FILE")) == CURLE_OK;
	if (p->is_loopback) {
		ok &= curl.setopt(h, CURLOPT_PROXY, "") == CURLE_OK;
		ok &= curl.setopt(h, CURLOPT_OPENSOCKETFUNCTION, open_loopback) == CURLE_OK;
	}
	return ok;
}

static int perform(struct sending *s, const char *why)
{
	const CURLcode code = curl.perform(s->handle);
	curl_off_t wait = 0;

	curl.getinfo(s->handle, CURLINFO_RESPONSE_CODE, &s->reply->status);
	if (curl.getinfo(s->handle, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
		s->reply->retry_after_s = (int64_t)wait;
	if (s->has_failed)
		return -1;
	if (code == CURLE_OPERATION_TIMEDOUT)
		return err_set(s->e, ERR_SYSTEM, "it did not reply in time");
	if (code != CURLE_OK && (s->reply->status == 200 || !s->reply->status))
		return err_set(s->e, ERR_SYSTEM, "%s", *why ? why : curl.strerror(code));
	return 0;
}

int http_send(const struct http_post *p, struct http_reply *ret, struct err *e)
{
	struct sending s = {.post = p, .reply = ret, .e = e};
	struct curl_slist *headers = NULL;
	char why[CURL_ERROR_SIZE] = "";
	int result;

	*ret = (struct http_reply){.retry_after_s = -1};
	if (load_library(e) < 0)
		return -1;
	s.handle = curl.easy_init();
	if (!s.handle)
		return err_set(e, ERR_SYSTEM, "libcurl does not begin");
	for (size_t i = 0; i < p->headers->count; i++)
		headers = curl.slist_append(headers, p->headers->all[i]);
	result = set_up(&s, headers, why)
			 ? perform(&s, why)
			 : err_set(e, ERR_SYSTEM, "this libcurl is too old: 7.85 is needed");
	curl.slist_free_all(headers);
	curl.cleanup(s.handle);
	return result;
}
