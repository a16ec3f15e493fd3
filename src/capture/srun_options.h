/* The options of srun, as far as one must know them to find the program behind them. */
#ifndef CAPTURE_SRUN_OPTIONS_H
#define CAPTURE_SRUN_OPTIONS_H

#include <stddef.h>

/* How many words the option takes, itself and its value; 0: it is not known. */
size_t srun_option_words(const char *option);

#endif
