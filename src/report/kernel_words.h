/* What is known about the words that kernels' names are made of. */
#ifndef REPORT_KERNEL_WORDS_H
#define REPORT_KERNEL_WORDS_H

#include "base/str.h"

/* Types of numbers, and what libraries wrap around the functor: they name no operation. */
bool kernel_word_is_plumbing(struct str word);
/* Names that only say "a kernel": what they run is the name people know. */
bool kernel_word_is_shell(struct str word);

#endif
