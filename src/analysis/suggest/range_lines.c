/* Which lines of code add a range? */
#include "analysis/suggest/range_lines.h"

/* What comes before and after a name, on one line and with all that it takes. */
struct syntax {
	const char *language;
	const char *before, *after;
	const char *head, *rest;     /* instead of `after`, where it may be several lines */
	const char *step, *step_all; /* for each step of a loop */
};

static const struct syntax syntaxes[] = {
	[LANGUAGE_PYTORCH] = {"python", "with torch.cuda.nvtx.range(\"", "\"):", "import torch\n",
			      "\"):\n    ...", "with torch.cuda.nvtx.range(f\"step {i}\"):",
			      "import torch\n"
			      "for i, batch in enumerate(loader):\n"
			      "    with torch.cuda.nvtx.range(f\"step {i}\"):\n"
			      "        ..."},
	[LANGUAGE_PYTHON] = {"python", "with nvtx.annotate(\"", "\"):", "import nvtx\n",
			     "\"):\n    ...", "with nvtx.annotate(f\"step {i}\"):",
			     "import nvtx\n"
			     "for i in range(steps):\n"
			     "    with nvtx.annotate(f\"step {i}\"):\n"
			     "        ..."},
	[LANGUAGE_JULIA] = {"julia", "NVTX.@range \"", "\" begin … end", "using NVTX\n",
			    "\" begin\n    …\nend", "NVTX.@range \"step\" begin … end",
			    "using NVTX\n"
			    "for i in 1:steps\n"
			    "    NVTX.@range \"step\" begin\n"
			    "        …\n"
			    "    end\n"
			    "end"},
	[LANGUAGE_C] = {"c", "nvtxRangePushA(\"", "\"); … nvtxRangePop();",
			"#include <nvtx3/nvToolsExt.h>\n", "\");\n…\nnvtxRangePop();",
			"nvtxRangePushA(\"step\"); … nvtxRangePop();",
			"#include <nvtx3/nvToolsExt.h>\n"
			"for (int i = 0; i < steps; i++) {\n"
			"    nvtxRangePushA(\"step\");\n"
			"    …\n"
			"    nvtxRangePop();\n"
			"}"},
};

const char *language_name(enum language l)
{
	return syntaxes[l].language;
}

enum language language_of(const struct launched *l, uint32_t thread)
{
	const struct launching_thread *th = &l->threads[thread];
	const struct launching_process *p =
		th->process == ID_NONE ? NULL : &l->processes[th->process];
	const struct str process = p ? p->name : STR_LIT("");

	if (str_holds(process, "julia") || str_holds(th->name, "julia"))
		return LANGUAGE_JULIA;
	/* Whatever the process is called: "VLLM::EngineCore" is Python, too. */
	if ((p && p->torch) || str_starts(th->name, "pt_"))
		return LANGUAGE_PYTORCH;
	return str_holds(process, "python") || str_holds(th->name, "python") ? LANGUAGE_PYTHON
									     : LANGUAGE_C;
}

void range_lines_short(struct buf *b, enum language l, const char *name)
{
	buf_addf(b, "%s%s%s", syntaxes[l].before, name, syntaxes[l].after);
}

void range_lines_all(struct buf *b, enum language l, const char *name)
{
	buf_addf(b, "%s%s%s%s", syntaxes[l].head, syntaxes[l].before, name, syntaxes[l].rest);
}

const char *autograd_lines_short(void)
{
	return "with torch.autograd.profiler.emit_nvtx():";
}

const char *autograd_lines_all(void)
{
	return "import torch\n"
	       "with torch.autograd.profiler.emit_nvtx():\n"
	       "    loss = model(batch)\n"
	       "    loss.backward()";
}

const char *step_lines_short(enum language l)
{
	return syntaxes[l].step;
}

const char *step_lines_all(enum language l)
{
	return syntaxes[l].step_all;
}
