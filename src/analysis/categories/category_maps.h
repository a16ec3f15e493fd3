/* The maps that the program brings with it: maps/NAME.json, made part of it by tools/embed. */
#ifndef ANALYSIS_CATEGORY_MAPS_H
#define ANALYSIS_CATEGORY_MAPS_H

extern const char map_default[], map_default_sha256[];
extern const char map_vllm[], map_vllm_sha256[];
extern const char map_sglang[], map_sglang_sha256[];
extern const char map_trtllm[], map_trtllm_sha256[];
extern const char map_megatron[], map_megatron_sha256[];
extern const char map_torch[], map_torch_sha256[];

#endif
