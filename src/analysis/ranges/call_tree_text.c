/* What is a node of the tree called? */
#include "analysis/ranges/call_tree_text.h"

#include "trace/ranges/range_paths.h"

int call_tree_text_make(struct call_tree_text *ret, const struct call_tree *tree, struct trace *t,
			struct err *e)
{
	*ret = (struct call_tree_text){.tree = tree};
	return host_names_read(t, &ret->host_names, e);
}

void call_tree_text_free(struct call_tree_text *x)
{
	host_names_free(&x->host_names);
	buf_free(&x->name);
}

static struct str thread_text(struct call_tree_text *x, uint32_t thread)
{
	const struct trace *t = x->tree->trace;
	const struct thread_name *name;
	uint64_t key;

	buf_clear(&x->name);
	if (thread == ID_NONE)
		return STR_LIT("unknown thread");
	key = t->thread_keys.keys[thread];
	name = host_names_thread(&x->host_names, key);
	buf_addstr(&x->name, name && name->name.len ? name->name : STR_LIT("thread"));
	buf_addf(&x->name, " (pid %u, tid %u", process_pid(key >> 24), thread_tid(key));
	if (trace_has_hosts(t))
		buf_addf(&x->name, ", host %u", process_host(key >> 24));
	buf_adds(&x->name, ")");
	return buf_str(&x->name);
}

static struct str range_text(const struct call_tree *tree, const struct call_node *n)
{
	struct str name =
		range_name_shown(n->whole == NAME_NONE ? tree->names.items[n->name]
						       : tree->range_names.names.items[n->whole]);

	return name.len ? name : STR_LIT("(no name)");
}

struct str call_tree_text(struct call_tree_text *x, const struct call_node *n)
{
	switch (n->kind) {
	case CALL_NODE_THREAD:
		return thread_text(x, n->name);
	case CALL_NODE_RANGE:
		return range_text(x->tree, n);
	case CALL_NODE_OUTSIDE:
		return STR_LIT("(outside any NVTX range)");
	case CALL_NODE_NO_CALL:
		return STR_LIT("(launch call not in the trace)");
	default:
		return label_op(x->tree->trace, (enum trace_kind)n->op_kind, n->name);
	}
}

void call_tree_text_add_path(struct call_tree_text *x, struct buf *b, uint32_t node)
{
	uint32_t chain[CALL_TREE_DEEPEST + 2];
	size_t depth = 0;

	for (; node != NODE_NONE && depth < CALL_TREE_DEEPEST + 2;
	     node = x->tree->nodes[node].parent)
		chain[depth++] = node;
	while (depth) {
		buf_addstr(b, call_tree_text(x, &x->tree->nodes[chain[--depth]]));
		if (depth)
			buf_adds(b, " / ");
	}
}
