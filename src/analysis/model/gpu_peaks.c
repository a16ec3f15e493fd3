/* What can this GPU do at best? */
#include "analysis/model/gpu_peaks.h"

#include "base/mem.h"

#include <strings.h>

/* Rates with sparsity, as many datasheets print them, are twice the dense ones. */
#define SPARSE(x) ((x) / 2.0)

#define V100_SHEET "Tesla V100 datasheet"
#define A100_SHEET "A100 datasheet"
#define H100_SHEET "H100 datasheet"

/* Where accumulating in FP32 is slower than in FP16, the rate is that of FP32: models need it. */
static const struct gpu_peak peaks[] = {
	{"P100 SXM2",
	 "Tesla P100-SXM2-16GB",
	 {[DTYPE_FP64] = 5.3, [DTYPE_FP32] = 10.6, [DTYPE_FP16] = 21.2},
	 "Tesla P100 datasheet"},
	{"P100 PCIe",
	 "Tesla P100-PCIE-16GB|Tesla P100-PCIE-12GB",
	 {[DTYPE_FP64] = 4.7, [DTYPE_FP32] = 9.3, [DTYPE_FP16] = 18.7},
	 "Tesla P100 datasheet"},
	{"V100 SXM2",
	 "Tesla V100-SXM2-16GB|Tesla V100-SXM2-32GB",
	 {[DTYPE_FP64] = 7.8, [DTYPE_FP32] = 15.7, [DTYPE_FP16] = 125},
	 V100_SHEET},
	{"V100 PCIe",
	 "Tesla V100-PCIE-16GB|Tesla V100-PCIE-32GB",
	 {[DTYPE_FP64] = 7, [DTYPE_FP32] = 14, [DTYPE_FP16] = 112},
	 V100_SHEET},
	{"V100S PCIe",
	 "Tesla V100S-PCIE-32GB",
	 {[DTYPE_FP64] = 8.2, [DTYPE_FP32] = 16.4, [DTYPE_FP16] = 130},
	 V100_SHEET},
	{"T4",
	 "Tesla T4|T4",
	 {[DTYPE_FP32] = 8.1, [DTYPE_FP16] = 65, [DTYPE_INT8] = 130},
	 "T4 datasheet"},
	{"A100",
	 "A100-SXM4-40GB|A100-SXM4-80GB|A100-PCIE-40GB|A100-PCIE-80GB|A100 80GB PCIe",
	 {[DTYPE_FP64] = 19.5,
	  [DTYPE_FP32] = 19.5,
	  [DTYPE_TF32] = 156,
	  [DTYPE_FP16] = 312,
	  [DTYPE_BF16] = 312,
	  [DTYPE_INT8] = 624},
	 A100_SHEET},
	{"A800",
	 "A800-SXM4-40GB|A800-SXM4-80GB|A800-PCIE-40GB|A800-PCIE-80GB|A800 80GB PCIe",
	 {[DTYPE_FP64] = 19.5,
	  [DTYPE_FP32] = 19.5,
	  [DTYPE_TF32] = 156,
	  [DTYPE_FP16] = 312,
	  [DTYPE_BF16] = 312,
	  [DTYPE_INT8] = 624},
	 "A800 datasheet"},
	{"A30",
	 "A30",
	 {[DTYPE_FP64] = 10.3,
	  [DTYPE_FP32] = 10.3,
	  [DTYPE_TF32] = 82,
	  [DTYPE_FP16] = 165,
	  [DTYPE_BF16] = 165,
	  [DTYPE_INT8] = 330},
	 "A30 datasheet"},
	{"A10",
	 "A10",
	 {[DTYPE_FP32] = 31.2,
	  [DTYPE_TF32] = 62.5,
	  [DTYPE_FP16] = 125,
	  [DTYPE_BF16] = 125,
	  [DTYPE_INT8] = 250},
	 "A10 datasheet"},
	{"A10G",
	 "A10G",
	 {[DTYPE_FP32] = 35,
	  [DTYPE_TF32] = 35,
	  [DTYPE_FP16] = 70,
	  [DTYPE_BF16] = 70,
	  [DTYPE_INT8] = 140},
	 "A10G datasheet"},
	{"A40",
	 "A40",
	 {[DTYPE_FP32] = 37.4,
	  [DTYPE_TF32] = 74.8,
	  [DTYPE_FP16] = 149.7,
	  [DTYPE_BF16] = 149.7,
	  [DTYPE_INT8] = 299.3},
	 "A40 datasheet"},
	{"RTX A6000",
	 "RTX A6000",
	 {[DTYPE_FP32] = 38.7,
	  [DTYPE_TF32] = 77.4,
	  [DTYPE_FP16] = 154.8,
	  [DTYPE_BF16] = 154.8,
	  [DTYPE_INT8] = 309.7},
	 "GA102 whitepaper"},
	{"GeForce RTX 3090",
	 "GeForce RTX 3090",
	 {[DTYPE_FP32] = 35.6,
	  [DTYPE_TF32] = 35.6,
	  [DTYPE_FP16] = 71,
	  [DTYPE_BF16] = 71,
	  [DTYPE_INT8] = 284},
	 "GA102 whitepaper, FP32 accumulation"},
	{"L4",
	 "L4",
	 {[DTYPE_FP32] = 30.3,
	  [DTYPE_TF32] = SPARSE(120),
	  [DTYPE_FP16] = SPARSE(242),
	  [DTYPE_BF16] = SPARSE(242),
	  [DTYPE_FP8] = SPARSE(485),
	  [DTYPE_INT8] = SPARSE(485)},
	 "L4 datasheet, its sparse figures halved"},
	{"L40",
	 "L40",
	 {[DTYPE_FP32] = 90.5,
	  [DTYPE_TF32] = 90.5,
	  [DTYPE_FP16] = 181.05,
	  [DTYPE_BF16] = 181.05,
	  [DTYPE_FP8] = 362,
	  [DTYPE_INT8] = 362},
	 "L40 datasheet"},
	{"L40S",
	 "L40S",
	 {[DTYPE_FP32] = 91.6,
	  [DTYPE_TF32] = 183,
	  [DTYPE_FP16] = 362.05,
	  [DTYPE_BF16] = 362.05,
	  [DTYPE_FP8] = 733,
	  [DTYPE_INT8] = 733},
	 "L40S datasheet"},
	{"RTX 6000 Ada",
	 "RTX 6000 Ada Generation",
	 {[DTYPE_FP32] = 91.1,
	  [DTYPE_TF32] = 182.1,
	  [DTYPE_FP16] = 364.2,
	  [DTYPE_BF16] = 364.2,
	  [DTYPE_FP8] = 728.5,
	  [DTYPE_INT8] = 728.5},
	 "Ada professional whitepaper"},
	{"GeForce RTX 4090",
	 "GeForce RTX 4090",
	 {[DTYPE_FP32] = 82.6,
	  [DTYPE_TF32] = 82.6,
	  [DTYPE_FP16] = 165.2,
	  [DTYPE_BF16] = 165.2,
	  [DTYPE_FP8] = 330.3,
	  [DTYPE_INT8] = 660.6},
	 "Ada whitepaper, FP32 accumulation"},
	{"H100 SXM5",
	 "H100 80GB HBM3",
	 {[DTYPE_FP64] = 67,
	  [DTYPE_FP32] = 67,
	  [DTYPE_TF32] = SPARSE(989),
	  [DTYPE_FP16] = SPARSE(1979),
	  [DTYPE_BF16] = SPARSE(1979),
	  [DTYPE_FP8] = SPARSE(3958),
	  [DTYPE_INT8] = SPARSE(3958)},
	 H100_SHEET ", its sparse figures halved"},
	{"H100 PCIe",
	 "H100 PCIe",
	 {[DTYPE_FP64] = 51,
	  [DTYPE_FP32] = 51,
	  [DTYPE_TF32] = SPARSE(756),
	  [DTYPE_FP16] = SPARSE(1513),
	  [DTYPE_BF16] = SPARSE(1513),
	  [DTYPE_FP8] = SPARSE(3026),
	  [DTYPE_INT8] = SPARSE(3026)},
	 H100_SHEET ", its sparse figures halved"},
	{"H100 NVL",
	 "H100 NVL",
	 {[DTYPE_FP64] = 60,
	  [DTYPE_FP32] = 60,
	  [DTYPE_TF32] = SPARSE(835),
	  [DTYPE_FP16] = SPARSE(1671),
	  [DTYPE_BF16] = SPARSE(1671),
	  [DTYPE_FP8] = SPARSE(3341),
	  [DTYPE_INT8] = SPARSE(3341)},
	 H100_SHEET ", its sparse figures halved"},
	{"H800 SXM5",
	 "H800",
	 {[DTYPE_FP32] = 67,
	  [DTYPE_TF32] = SPARSE(989),
	  [DTYPE_FP16] = SPARSE(1979),
	  [DTYPE_BF16] = SPARSE(1979),
	  [DTYPE_FP8] = SPARSE(3958),
	  [DTYPE_INT8] = SPARSE(3958)},
	 "H800 datasheet, its sparse figures halved"},
	{"H20",
	 "H20",
	 {[DTYPE_FP64] = 1,
	  [DTYPE_FP32] = 44,
	  [DTYPE_TF32] = 74,
	  [DTYPE_FP16] = 148,
	  [DTYPE_BF16] = 148,
	  [DTYPE_FP8] = 296,
	  [DTYPE_INT8] = 296},
	 "H20 specifications"},
	{"H200 SXM5",
	 "H200",
	 {[DTYPE_FP64] = 67,
	  [DTYPE_FP32] = 67,
	  [DTYPE_TF32] = SPARSE(989),
	  [DTYPE_FP16] = SPARSE(1979),
	  [DTYPE_BF16] = SPARSE(1979),
	  [DTYPE_FP8] = SPARSE(3958),
	  [DTYPE_INT8] = SPARSE(3958)},
	 "H200 datasheet, its sparse figures halved"},
	{"H200 NVL",
	 "H200 NVL",
	 {[DTYPE_FP64] = 60,
	  [DTYPE_FP32] = 60,
	  [DTYPE_TF32] = SPARSE(835),
	  [DTYPE_FP16] = SPARSE(1671),
	  [DTYPE_BF16] = SPARSE(1671),
	  [DTYPE_FP8] = SPARSE(3341),
	  [DTYPE_INT8] = SPARSE(3341)},
	 "H200 datasheet, its sparse figures halved"},
	{"GH200",
	 "GH200 480GB|GH200 120GB|GH200 144G HBM3e",
	 {[DTYPE_FP64] = 67,
	  [DTYPE_FP32] = 67,
	  [DTYPE_TF32] = SPARSE(989),
	  [DTYPE_FP16] = SPARSE(1979),
	  [DTYPE_BF16] = SPARSE(1979),
	  [DTYPE_FP8] = SPARSE(3958),
	  [DTYPE_INT8] = SPARSE(3958)},
	 "GH200 datasheet, its sparse figures halved"},
	{"B200",
	 "B200",
	 {[DTYPE_FP64] = 37,
	  [DTYPE_FP32] = 75,
	  [DTYPE_TF32] = SPARSE(2250),
	  [DTYPE_FP16] = SPARSE(4500),
	  [DTYPE_BF16] = SPARSE(4500),
	  [DTYPE_FP8] = SPARSE(9000),
	  [DTYPE_INT8] = SPARSE(9000),
	  [DTYPE_FP4] = SPARSE(18000)},
	 "HGX B200 datasheet, an eighth, its sparse figures halved"},
	{"GB200",
	 "GB200",
	 {[DTYPE_FP64] = 40,
	  [DTYPE_FP32] = 80,
	  [DTYPE_TF32] = SPARSE(2500),
	  [DTYPE_FP16] = SPARSE(5000),
	  [DTYPE_BF16] = SPARSE(5000),
	  [DTYPE_FP8] = SPARSE(10000),
	  [DTYPE_INT8] = SPARSE(10000),
	  [DTYPE_FP4] = SPARSE(20000)},
	 "GB200 NVL72 datasheet, a 72nd, its sparse figures halved"},
	{"B300",
	 "B300 SXM6 AC",
	 {[DTYPE_FP32] = 75,
	  [DTYPE_TF32] = SPARSE(2250),
	  [DTYPE_FP16] = SPARSE(4500),
	  [DTYPE_BF16] = SPARSE(4500),
	  [DTYPE_FP8] = SPARSE(9000)},
	 "HGX B300 datasheet, an eighth, its sparse figures halved"},
	{"GeForce RTX 5090",
	 "GeForce RTX 5090",
	 {[DTYPE_FP32] = 104.8,
	  [DTYPE_TF32] = 104.8,
	  [DTYPE_FP16] = 209.5,
	  [DTYPE_BF16] = 209.5,
	  [DTYPE_FP8] = 419,
	  [DTYPE_INT8] = 838,
	  [DTYPE_FP4] = 1676},
	 "RTX Blackwell whitepaper, FP32 accumulation"},
};

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

static bool has_name(const struct gpu_peak *p, struct str name)
{
	for (const char *at = p->names; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
		if (str_eq((struct str){at, strcspn(at, "|")}, name))
			return true;
	}
	return false;
}

const struct gpu_peak *gpu_peak_find(struct str name)
{
	name = without_maker(name);
	for (size_t i = 0; i < ARRAY_LEN(peaks); i++) {
		if (has_name(&peaks[i], name))
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
