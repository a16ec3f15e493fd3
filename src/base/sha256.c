/* What is the SHA-256 of these bytes? */
#include "base/sha256.h"

#include "base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 14 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, int by)
{
	return x >> by | x << (32 - by);
}

static void expand(const unsigned char *block, uint32_t w[64])
{
	for (int i = 0; i < 16; i++, block += 4)
		w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
		       (uint32_t)block[2] << 8 | block[3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void mix(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[64], v[8];

	expand(block, w);
	memcpy(v, state, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
		uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		uint32_t a = v[7] + s1 + choice + constants[i] + w[i];
		uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
		uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += a;
		v[0] = a + s0 + majority;
	}
	for (int i = 0; i < 8; i++)
		state[i] += v[i];
}

void sha256_begin(struct sha256 *s)
{
	/* The same of the square roots of the first eight. */
	static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	*s = (struct sha256){0};
	memcpy(s->state, first, sizeof(first));
}

void sha256_add(struct sha256 *s, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	while (len) {
		size_t used = s->bytes % sizeof(s->block), n = sizeof(s->block) - used;

		n = len < n ? len : n;
		memcpy(s->block + used, at, n);
		s->bytes += n;
		at += n;
		len -= n;
		if (used + n == sizeof(s->block))
			mix(s->state, s->block);
	}
}

void sha256_end(struct sha256 *s, char ret[SHA256_TEXT_BYTES])
{
	static const unsigned char zeros[64] = {0};
	const uint64_t bits = s->bytes * 8;
	unsigned char length[8];

	sha256_add(s, "\x80", 1);
	sha256_add(s, zeros, (sizeof(s->block) + 56 - s->bytes % 64) % 64);
	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(s, length, sizeof(length));
	for (int i = 0; i < 8; i++)
		snprintf(ret + 8 * (size_t)i, 9, "%08x", s->state[i]);
}

int sha256_file(const char *path, char ret[SHA256_TEXT_BYTES], struct err *e)
{
	SCOPED_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char piece[PIECE_BYTES];
	struct sha256 s;
	ssize_t got;

	if (fd < 0)
		return err_set_errno(e, "cannot read '%s'", path);
	sha256_begin(&s);
	while ((got = read(fd, piece, PIECE_BYTES)) > 0)
		sha256_add(&s, piece, (size_t)got);
	if (got < 0)
		return err_set_errno(e, "cannot read '%s'", path);
	sha256_end(&s, ret);
	return 0;
}
