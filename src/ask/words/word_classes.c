/* Which words say nothing of what is meant, and which are a family of kernels? */
#include "ask/words/words.h"

/* Words of any question: no row is meant by them, though names of rows may have them. */
static const char common_words[] =
	"kernel time gpu cuda device host step launch call memory thread process stream rank "
	"range "
	"gap idle total average duration percentage share long longest short shortest slow slowest "
	"fast fastest large largest big biggest small smallest high highest low lowest most least "
	"first last top many number count run running ran operation op ops event work busy wait "
	"nvtx api function line code data bytes size rate bandwidth throughput window capture "
	"trace profile program single instance overall each compute computing computation cpu "
	"expensive worst best median maximum minimum peak begin end start take used use order name "
	"called named between during pass phase part section on in at of second seconds ms us s "
	"utilization active activity occur happen spend spent get list show much often group type "
	"kind version model average mean typical typically whole entire collective communication "
	"compared more less faster slower longer shorter larger smaller biggest";

bool word_is_kernel_family(const char *word)
{
	return str_is_listed(str_of(word), "gemm sgemm matmul attention flash softmax layernorm "
					   "norm elementwise optimizer mlp triton cutlass cublas "
					   "nvjet");
}

bool word_is_common(const struct word *w)
{
	return str_is_listed(str_of(w->text), common_words) ||
	       str_is_listed(str_of(w->stem), common_words);
}

bool word_is_collective(const char *word)
{
	return str_is_listed(str_of(word),
			     "allreduce allgather reducescatter alltoall sendrecv broadcast");
}
