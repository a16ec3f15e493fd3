/* What can this GPU do at best? */
#include "analysis/model/gpu_peaks.h"

#include "base/mem.h"

#include <strings.h>

/* Rates with sparsity, as many datasheets print them, are twice the dense ones. */
#define S(x) ((x) / 2.0)
#define GPU(title, names, source, fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4) \
	{title, names, {0, fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4}, source},
static const struct gpu_peak peaks[] = {
#include "analysis/model/gpu_peaks.def"
};
#undef S
#undef GPU

static const struct {
	const char *name;
	enum dtype dtype;
} dtypes[] = {
	/* What we call it comes first. */
	{"fp64", DTYPE_FP64},	    {"fp32", DTYPE_FP32},    {"tf32", DTYPE_TF32},
	{"fp16", DTYPE_FP16},	    {"bf16", DTYPE_BF16},    {"fp8", DTYPE_FP8},
	{"int8", DTYPE_INT8},	    {"fp4", DTYPE_FP4},	     {"float64", DTYPE_FP64},
	{"float32", DTYPE_FP32},    {"float16", DTYPE_FP16}, {"bfloat16", DTYPE_BF16},
	{"half", DTYPE_FP16},	    {"float8", DTYPE_FP8},   {"float8_e4m3fn", DTYPE_FP8},
	{"float8_e5m2", DTYPE_FP8}, {"nvfp4", DTYPE_FP4},    {"float", DTYPE_FP32},
	{"double", DTYPE_FP64},
};

const struct gpu_peak *gpu_peak_at(size_t i)
{
	return i < ARRAY_LEN(peaks) ? &peaks[i] : NULL;
}

static struct str without_maker(struct str name)
{
	const size_t n = sizeof("NVIDIA ") - 1;

	return str_starts(name, "NVIDIA ") ? (struct str){name.s + n, name.len - n} : name;
}

bool gpu_is_one_of(struct str name, const char *names)
{
	name = without_maker(name);
	for (const char *at = names; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
		if (str_eq((struct str){at, strcspn(at, "|")}, name))
			return true;
	}
	return false;
}

const struct gpu_peak *gpu_peak_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(peaks); i++) {
		if (gpu_is_one_of(name, peaks[i].names))
			return &peaks[i];
	}
	return NULL;
}

const char *dtype_name(enum dtype d)
{
	for (size_t i = 0; i < ARRAY_LEN(dtypes); i++) {
		if (dtypes[i].dtype == d)
			return dtypes[i].name;
	}
	return "?";
}

enum dtype dtype_find(struct str name)
{
	if (str_starts(name, "torch."))
		name = (struct str){name.s + 6, name.len - 6};
	for (size_t i = 0; i < ARRAY_LEN(dtypes); i++) {
		if (strlen(dtypes[i].name) == name.len &&
		    strncasecmp(dtypes[i].name, name.s, name.len) == 0)
			return dtypes[i].dtype;
	}
	return DTYPE_NONE;
}
