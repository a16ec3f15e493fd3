/* Which collective is this kernel, and how does it work? */
#include "analysis/comm/collective_name.h"

#include "text/cxx.h"

#include <ctype.h>

static const char *const type_names[COLL_TYPES] = {
	[COLL_ALL_REDUCE] = "AllReduce",
	[COLL_ALL_GATHER] = "AllGather",
	[COLL_REDUCE_SCATTER] = "ReduceScatter",
	[COLL_BROADCAST] = "Broadcast",
	[COLL_REDUCE] = "Reduce",
	[COLL_SEND_RECV] = "SendRecv",
	[COLL_ALL_TO_ALL] = "AllToAll",
	[COLL_OTHER] = "other",
};

/* Words of names without case and underscores; the first that is found counts. */
static const struct {
	const char *word;
	enum collective_type type;
} type_words[] = {
	{"allreduce", COLL_ALL_REDUCE},
	{"reducescatter", COLL_REDUCE_SCATTER},
	{"allgather", COLL_ALL_GATHER},
	{"alltoall", COLL_ALL_TO_ALL},
	{"broadcast", COLL_BROADCAST},
	{"sendrecv", COLL_SEND_RECV},
	{"crossdevicereduce", COLL_ALL_REDUCE},
	{"multimemoneshot", COLL_ALL_REDUCE},
	{"bcast", COLL_BROADCAST},
	{"reduce", COLL_REDUCE},
	{"send", COLL_SEND_RECV},
	{"recv", COLL_SEND_RECV},
};

/* A word of a name and what it means; the first that is found counts. */
struct word {
	const char *text, *meaning;
};

static const struct word algorithms[] = {
	{"NVLS_TREE", "NVLS_TREE"},
	{"NVLSTREE", "NVLS_TREE"},
	{"NVLS", "NVLS"},
	{"COLLNET_DIRECT", "COLLNET_DIRECT"},
	{"COLLNET_CHAIN", "COLLNET_CHAIN"},
	{"COLLNETDIRECT", "COLLNET_DIRECT"},
	{"COLLNETCHAIN", "COLLNET_CHAIN"},
	{"COLLNET", "COLLNET"},
	{"CollNet", "COLLNET"},
	{"TREE", "TREE"},
	{"Tree", "TREE"},
	{"RING", "RING"},
	{"Ring", "RING"},
	{"_PAT", "PAT"},
	{"ncclSym", "SYMMETRIC"},
};

static const struct word protocols[] = {
	{"LL128", "LL128"}, {"SIMPLE", "SIMPLE"}, {"Simple", "SIMPLE"},
	{"_LL", "LL"},	    {"LLKernel", "LL"},
};

/* Whole words: what is around them is neither letter nor digit. */
static const struct word datatypes[] = {
	{"bf16", "bf16"},
	{"f16", "f16"},
	{"f32", "f32"},
	{"f64", "f64"},
	{"i8", "i8"},
	{"u8", "u8"},
	{"i32", "i32"},
	{"u32", "u32"},
	{"i64", "i64"},
	{"u64", "u64"},
	{"f8e4m3", "f8e4m3"},
	{"f8e5m2", "f8e5m2"},
	{"nv_bfloat16", "bf16"},
	{"half", "f16"},
	{"float", "f32"},
	{"double", "f64"},
	{"uint8_t", "u8"},
	{"int8_t", "i8"},
	{"uint32_t", "u32"},
	{"int32_t", "i32"},
	{"uint64_t", "u64"},
	{"int64_t", "i64"},
	{"nv_fp8_e4m3", "f8e4m3"},
	{"nv_fp8_e5m2", "f8e5m2"},
};

static const struct word reductions[] = {
	{"SumPostDiv", "SumPostDiv"},
	{"PreMulSum", "PreMulSum"},
	{"MinMax", "MinMax"},
	{"Sum", "Sum"},
	{"sum", "Sum"},
	{"Prod", "Prod"},
	{"prod", "Prod"},
	{"Max", "Max"},
	{"max", "Max"},
	{"Min", "Min"},
	{"min", "Min"},
	{"Avg", "Avg"},
	{"avg", "Avg"},
};

enum { LONGEST_LOOKED_AT = 200 };

static struct str identifier(struct str kernel)
{
	struct str name = cxx_qualified_name(kernel);

	return (struct str){name.s, name.len < LONGEST_LOOKED_AT ? name.len : LONGEST_LOOKED_AT};
}

static struct str plain(struct str name, char *out)
{
	size_t len = 0;

	for (size_t i = 0; i < name.len && i < LONGEST_LOOKED_AT; i++) {
		if (isalnum((unsigned char)name.s[i]))
			out[len++] = (char)tolower((unsigned char)name.s[i]);
	}
	return (struct str){out, len};
}

static enum collective_type find_type(struct str name)
{
	char letters[LONGEST_LOOKED_AT];
	struct str text = plain(name, letters);

	for (size_t i = 0; i < ARRAY_LEN(type_words); i++) {
		if (str_holds(text, type_words[i].word))
			return type_words[i].type;
	}
	return COLL_OTHER;
}

static bool holds_word(struct str name, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= name.len; i++) {
		if (memcmp(name.s + i, word, len) == 0 &&
		    (!i || !isalnum((unsigned char)name.s[i - 1])) &&
		    (i + len == name.len || !isalnum((unsigned char)name.s[i + len])))
			return true;
	}
	return false;
}

static const char *find_meaning(struct str name, const struct word *words, size_t count,
				bool (*holds)(struct str name, const char *word))
{
	for (size_t i = 0; i < count; i++) {
		if (holds(name, words[i].text))
			return words[i].meaning;
	}
	return NULL;
}

/* Kernels that reduce nothing are compiled once, for bytes: the type in their names means nothing.
 */
static bool reduces(enum collective_type type)
{
	return type == COLL_ALL_REDUCE || type == COLL_REDUCE_SCATTER || type == COLL_REDUCE;
}

struct collective_name collective_name_parse(struct str kernel)
{
	struct str name = identifier(kernel);
	struct collective_name ret = {.type = find_type(name)};

	if (!cxx_part_begins(name, "nccl") && !cxx_part_begins(name, "rccl"))
		return ret;
	ret.algorithm = find_meaning(name, algorithms, ARRAY_LEN(algorithms), str_holds);
	ret.protocol = find_meaning(name, protocols, ARRAY_LEN(protocols), str_holds);
	if (reduces(ret.type)) {
		ret.datatype = find_meaning(name, datatypes, ARRAY_LEN(datatypes), holds_word);
		ret.reduction = find_meaning(name, reductions, ARRAY_LEN(reductions), holds_word);
	}
	return ret;
}

const char *collective_type_name(enum collective_type type)
{
	return type < COLL_TYPES ? type_names[type] : "";
}

enum collective_type collective_type_of_call(struct str call)
{
	static const struct {
		const char *call;
		enum collective_type type;
	} calls[] = {
		{"ncclAllReduce", COLL_ALL_REDUCE},
		{"ncclAllGather", COLL_ALL_GATHER},
		{"ncclReduceScatter", COLL_REDUCE_SCATTER},
		{"ncclBroadcast", COLL_BROADCAST},
		{"ncclBcast", COLL_BROADCAST},
		{"ncclReduce", COLL_REDUCE},
		{"ncclSend", COLL_SEND_RECV},
		{"ncclRecv", COLL_SEND_RECV},
		{"ncclAlltoAll", COLL_ALL_TO_ALL},
		{"ncclAllToAll", COLL_ALL_TO_ALL},
		{"ncclAllToAllv", COLL_ALL_TO_ALL},
		{"ncclGather", COLL_OTHER},
		{"ncclScatter", COLL_OTHER},
	};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		if (str_eq(call, str_of(calls[i].call)))
			return calls[i].type;
	}
	return COLL_TYPES;
}

bool collective_range_is_all_to_all(struct str range)
{
	char letters[LONGEST_LOOKED_AT];

	return str_holds(plain(range, letters), "alltoall");
}

double collective_bus_bytes(enum collective_type type, double message, double ranks)
{
	switch (type) {
	case COLL_ALL_REDUCE:
		return message * 2 * (ranks - 1) / ranks;
	case COLL_ALL_GATHER:
	case COLL_REDUCE_SCATTER:
	case COLL_ALL_TO_ALL:
		return message * (ranks - 1);
	default:
		return message;
	}
}
