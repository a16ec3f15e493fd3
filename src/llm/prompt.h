/* What a model is told before it is asked. */
#ifndef LLM_PROMPT_H
#define LLM_PROMPT_H

extern const char model_prompt[];
/* What it is told where it has called enough. */
extern const char model_last_turn[];
/* What `analyze` asks. */
extern const char model_diagnosis[];

#endif
