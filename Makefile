# gpuwhy. The usual ones: make, make demo, make test, make install. `make help` lists the rest.
#
# A variant is the same build with other flags in another folder (BUILD=…), so they never mix.

# Looking for a rule of make's own for each header took most of make's time.
MAKEFLAGS += --no-builtin-rules

ifeq ($(origin CC),default)
CC := gcc
endif
BUILD   ?= build
PREFIX  ?= /usr/local
CFLAGS  ?= -O3 -g1

# The rooms of the release with loops over millions of rows are optimised as a whole, into one object that the program
# and its tests are linked from; the others less, in half the time.
ifeq ($(origin CFLAGS)-$(findstring clang,$(CC)),file-)
LTO := -flto=auto
COLD := -O2
HOT_ROOMS := base text sqlitefile trace report export \
	$(addprefix analysis/,numbers gpu kernels host processes ranges steps ranks comm findings events nsys)
endif

JOBS    := $(shell nproc)

FUZZ_SECONDS ?= 20
MUTANTS      ?= 10000
# Empty: other mutants each time.
SEED         ?=

WARNINGS := -Wall -Wextra $(WERROR) -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
BASE_CFLAGS := -std=gnu11 -ffp-contract=off -D_GNU_SOURCE -Isrc -MMD -MP -pthread $(WARNINGS)
LDLIBS := -lsqlite3 -lz -lzstd -lpcre2-8 -ljansson -lyaml -lncursesw -ltinfo -lmicrohttpd -pthread -lm
# On ARM the sanitizer's check of a product of 128 bits is a function that libgcc does not have.
ifneq ($(findstring clang,$(CC)),)
LDLIBS += $(shell $(CC) --rtlib=compiler-rt -print-libgcc-file-name)
endif

SOURCES := src/main.c $(wildcard src/*/*.c src/*/*/*.c)
# TOGETHER=yes: many files of a room are compiled as one, in half the time; which, make is told by a file that it makes.
ifdef TOGETHER
$(BUILD)/together.mk: $(SOURCES) $(wildcard src/*/*.h src/*/*/*.h) tools/together
	@mkdir -p $(@D)
	$(Q)tools/together $(BUILD) $(filter-out src/main.c,$(SOURCES)) >$@
include $(BUILD)/together.mk
COMPILED := $(BUILD)/src/main.o $(GROUPS)
else
COMPILED := $(SOURCES:%.c=$(BUILD)/%.o)
endif
OBJECTS := $(COMPILED) \
	$(patsubst %,$(BUILD)/embedded/%.o,html_assets category_maps preset_files completion_scripts \
		skill_files page_files viewer_assets guide_files answer_schema own_words)
HOT     := $(foreach room,$(HOT_ROOMS),$(filter $(BUILD)/src/$(room)/%,$(OBJECTS)))
LINKED  := $(if $(HOT),$(BUILD)/hot.o) $(filter-out $(HOT),$(OBJECTS))
LIBRARY := $(filter-out $(BUILD)/src/main.o,$(LINKED))
UNITS   := $(patsubst tests/unit/%.c,$(BUILD)/unit/%.o,tests/unit/main.c $(wildcard tests/unit/test_*.c))
# All unit tests in one, and programs that other suites run.
TESTERS := $(patsubst %,$(BUILD)/unit/%,tests columns facts gallery learn tracks trials)
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
C_FILES := $(wildcard src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] bench/*.[ch])

# A line per file; make V=1 shows the commands.
ifndef V
Q := @
say = @printf '  %-4s %s\n' $(1) $@
endif

# One build is clang's, the sanitizers' and the fuzzers': clang's warnings do not depend on the rest.
# Only rooms with loops over millions of rows are optimised: the others compile in a quarter of the time.
# Fuzzers do without the depth of the stack: code that keeps it took clang 40 % of all its time.
# It stands at a fixed address: 300,000 of the sanitizers' own pointers need not be set at each of thousands of starts.
# Two dozen programs of 10 to 60 MB are linked: by lld in a third of the time.
QUICK_LINK := $(if $(shell command -v ld.lld),-fuse-ld=lld)
ASAN  = $(MAKE) --no-print-directory BUILD=build-asan TOGETHER=yes CC=clang LDFLAGS="-no-pie $(QUICK_LINK)" CFLAGS="-O0 -gline-tables-only \
	-fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	-fno-sanitize-coverage=stack-depth"
TSAN  = $(MAKE) --no-print-directory BUILD=build-tsan TOGETHER=yes LDFLAGS=$(QUICK_LINK) CFLAGS="-O0 -g1 -fsanitize=thread"
# For work in progress: built in a third of the time that the release takes.
CHECK = $(MAKE) --no-print-directory BUILD=build-check CFLAGS="-O1 -g"

.DELETE_ON_ERROR:
.PHONY: all
all: $(BUILD)/gpuwhy

$(BUILD)/gpuwhy: $(LINKED)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# Warnings that follow values come here, and -Wall has no say in some of them.
FLOW_WARNINGS := -Warray-bounds -Wformat-overflow -Wformat-truncation -Wuse-after-free=2 -Wnonnull -Wstringop-truncation
$(BUILD)/hot.o: $(HOT)
	$(call say,LTO)
	$(Q)$(CC) $(BASE_CFLAGS) $(FLOW_WARNINGS) $(CFLAGS) $(LTO) -r -nostdlib -flinker-output=nolto-rel $^ -o $@

$(foreach room,base text sqlitefile trace analysis/numbers,build-asan/src/$(room)/%.o build-tsan/src/$(room)/%.o): OPTIMISE := -O1
$(foreach room,$(HOT_ROOMS),$(BUILD)/src/$(room)/%.o): OPTIMISE := $(LTO)
$(BUILD)/src/%.o: OPTIMISE := $(COLD)
$(BUILD)/src/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(CFLAGS) $(OPTIMISE) -c $< -o $@

$(BUILD)/src/%.o: $(BUILD)/together/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(CFLAGS) $(OPTIMISE) -c $< -o $@

# The style and the script of a page are files; they become strings of the program.
$(BUILD)/embedded/html_assets.c: $(wildcard src/report/html/*) tools/embed tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed report/html/html_assets.h html_style=src/report/html/page.css \
		html_script=src/report/html/page.js html_schema_style=src/report/html/schema.css \
		html_schema_script=src/report/html/schema.js \
		html_roofline_style=src/report/html/roofline.css >$@

# So do the maps of kernel names.
MAPS := $(sort $(wildcard maps/*.json))
$(BUILD)/embedded/category_maps.c: $(MAPS) tools/embed tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed analysis/categories/category_maps.h $(foreach m,$(MAPS),map_$(basename $(notdir $(m)))=$(m)) >$@

# And what the ranges of programs mean.
PRESETS := $(sort $(wildcard presets/*.json))
$(BUILD)/embedded/preset_files.c: $(PRESETS) tools/embed tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed analysis/ranks/preset_files.h $(foreach p,$(PRESETS),preset_$(basename $(notdir $(p)))=$(p)) >$@

# And what shells need to complete command lines.
$(BUILD)/embedded/completion_scripts.c: $(wildcard completions/*) tools/embed tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed cli/completion_scripts.h completion_bash=completions/gpuwhy.bash \
		completion_zsh=completions/gpuwhy.zsh completion_fish=completions/gpuwhy.fish >$@

# And the page of `gpuwhy web`.
$(BUILD)/embedded/page_files.c: $(wildcard web/* web/*/*) tools/embed-folder tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed-folder web >$@

# The same page as one file: its modules as one script.
VIEWER := $(BUILD)/embedded/viewer
$(BUILD)/embedded/viewer_assets.c: $(wildcard web/* web/*/*) tools/link-modules tools/embed tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/link-modules web/main.js >$(VIEWER).js
	$(Q)cat $(sort $(wildcard web/*.css)) >$(VIEWER).css
	$(Q)grep -v -e 'rel="stylesheet"' -e 'type="module"' web/index.html >$(VIEWER).html
	$(Q)tools/embed web/viewer_assets.h viewer_page=$(VIEWER).html viewer_style=$(VIEWER).css \
		viewer_script=$(VIEWER).js >$@

# And skills that no built-in analysis gives.
SKILLS := $(sort $(wildcard skills/*.sql))
$(BUILD)/embedded/skill_files.c: $(SKILLS) tools/embed tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed commands/skills/skill_files.h $(foreach s,$(SKILLS),skill_$(basename $(notdir $(s)))=$(s)) >$@

# And what agents may read of the answers' form.
$(BUILD)/embedded/answer_schema.c: docs/answer.schema.json tools/embed Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed mcp/answer_schema.h answer_schema=$< >$@

# And the guides, which `gpuwhy help TOPIC` shows.
GUIDES := $(sort $(wildcard docs/guides/*.md))
$(BUILD)/embedded/guide_files.c: $(GUIDES) tools/embed-guides tools/c-strings Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/embed-guides $(GUIDES) >$@

# And which words the program itself uses: names of a trace are not among what it sends where these are to stay.
$(BUILD)/embedded/own_words.c: $(SOURCES) tools/own-words Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)tools/own-words $(SOURCES) $(wildcard src/*/*.h src/*/*/*.h src/*/*.def src/*/*/*.def) >$@

$(BUILD)/embedded/%.o: $(BUILD)/embedded/%.c Makefile
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(CFLAGS) -c $< -o $@

# Of this a program takes only what it needs: most need little.
$(BUILD)/library.a: $(LIBRARY)
	$(call say,AR)
	$(Q)rm -f $@ && ar rcsT $@ $^

# Tests themselves have nothing to gain from -O3, which takes twice the time of -O1.
$(BUILD)/unit/%.o: tests/unit/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(CFLAGS) $(if $(LTO),-O1) -c $< -o $@

$(BUILD)/unit/tests: $(UNITS)
$(filter-out %/tests,$(TESTERS)): %: %.o
$(TESTERS): $(BUILD)/library.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) $(BUILD)/library.a $(LDLIBS) -lcmocka -o $@

$(BUILD)/fuzz/mutants $(BUILD)/fuzz/renamed: $(BUILD)/fuzz/%: tests/fuzz/%.c $(BUILD)/library.a
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(CFLAGS) $(LDFLAGS) $< $(BUILD)/library.a $(LDLIBS) -o $@

$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/library.a
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(BASE_CFLAGS) -Wno-missing-prototypes $(CFLAGS) -fsanitize=fuzzer \
		$(LDFLAGS) $< $(BUILD)/library.a $(LDLIBS) -o $@

-include $(OBJECTS:.o=.d) $(UNITS:.o=.d) $(TESTERS:=.d) $(FUZZERS:=.d) $(BUILD)/fuzz/mutants.d $(BUILD)/fuzz/renamed.d

# For users.

.PHONY: install demo clean help
SHARE = $(DESTDIR)$(PREFIX)/share
install: $(BUILD)/gpuwhy
	install -D -m 755 $(BUILD)/gpuwhy $(DESTDIR)$(PREFIX)/bin/gpuwhy
	install -D -m 644 completions/gpuwhy.bash $(SHARE)/bash-completion/completions/gpuwhy
	install -D -m 644 completions/gpuwhy.zsh $(SHARE)/zsh/site-functions/_gpuwhy
	install -D -m 644 completions/gpuwhy.fish $(SHARE)/fish/vendor_completions.d/gpuwhy.fish
	install -d $(SHARE)/doc/gpuwhy/guides $(SHARE)/man/man1
	install -m 644 $(wildcard docs/*.*) $(SHARE)/doc/gpuwhy
	install -m 644 $(GUIDES) $(SHARE)/doc/gpuwhy/guides
	$(BUILD)/gpuwhy man >$(SHARE)/man/man1/gpuwhy.1
	for command in $$($(BUILD)/gpuwhy complete '' | grep -v :); do \
		$(BUILD)/gpuwhy man $$command >$(SHARE)/man/man1/gpuwhy-$$command.1 || exit 1; done

demo:
	@tools/setup --build
	@$(MAKE) --no-print-directory -j$(JOBS) $(BUILD)/gpuwhy
	@mkdir -p $(BUILD)/demo
	@xz -dc tests/data/infer.sqlite.xz >$(BUILD)/demo/infer.sqlite
	@echo
	$(BUILD)/gpuwhy info $(BUILD)/demo/infer.sqlite
	@echo
	$(BUILD)/gpuwhy $(BUILD)/demo/infer.sqlite

clean:
	rm -rf build build-asan build-tsan build-check

help:
	@echo 'make              build/gpuwhy, the release build (BUILD=, CC=, CFLAGS=)'
	@echo 'make demo         set up, build, and look at a bundled trace'
	@echo 'make install      to PREFIX=$(PREFIX), under DESTDIR='
	@echo 'make check        what to run while working: a quick build, and the tests that are quick'
	@echo 'make test         set up and run every test on the release build'
	@echo 'make unit oracle sweep golden schema html report categories export explore ncu laws web mcp query mfu skills ask capture badinput synthetic diff fleet tui cli    one suite of tests'
	@echo 'make statistics   promises of comparisons in 2,000 trials of each kind, as a table; a minute or two'
	@echo 'make asan         the suites that run under AddressSanitizer, leaks included, and UBSan; by clang'
	@echo 'make races        no data race where several threads work, by ThreadSanitizer'
	@echo 'make fuzz         libFuzzer targets, FUZZ_SECONDS=$(FUZZ_SECONDS) each; make mutants: MUTANTS=$(MUTANTS), others each time; SEED= repeats'
	@echo 'make lint         clang-format and clang-tidy; make includes: include directions'
	@echo 'make valgrind     no value is used before it is set, in the unit tests'
	@echo 'make bench        the table of speed and memory; AGAINST=DIR: beside another build'

# Tests. Every suite is a program that ends with the line "N passed, N failed".

SUITES := unit includes oracle sweep golden schema html report categories export explore ncu laws web mcp query mfu skills ask capture badinput findings synthetic diff fleet tui cli
.PHONY: test check programs $(SUITES)
test:
	@tools/setup --test
	@$(MAKE) --no-print-directory -j$(JOBS) programs
	@BUILD=$(BUILD) tests/run

check:
	+@$(CHECK) -j$(JOBS) programs
	@STRANGERS=$${STRANGERS-2,$$(date +%s)} BUILD=build-check tests/run --quick

programs: $(BUILD)/gpuwhy $(TESTERS)

$(SUITES): programs
	@BUILD=$(BUILD) tests/run $@

# All trials, and their table; tests/run takes a sample.
.PHONY: statistics
statistics: $(BUILD)/unit/trials
	@BUILD=$(BUILD) tests/statistics/promises --full

.PHONY: asan asan-programs races fuzz fuzzers mutants valgrind
asan: asan-programs
	@BUILD=build-asan tests/run --asan

asan-programs:
	+@$(ASAN) -j$(JOBS) programs

races:
	+@$(TSAN) -j$(JOBS) build-tsan/gpuwhy
	@BUILD=build-tsan tests/check_races

fuzz:
	+@$(ASAN) -j$(JOBS) fuzzers
	@BUILD=build-asan FUZZ_SECONDS=$(FUZZ_SECONDS) tests/check_fuzz

fuzzers: $(FUZZERS)

mutants:
	+@$(ASAN) -j$(JOBS) build-asan/fuzz/mutants
	@ASAN_OPTIONS=detect_leaks=0 build-asan/fuzz/mutants $(if $(SEED),--seed $(SEED)) $(MUTANTS) \
		tests/fuzz/corpus/trace/*.sqlite

# Each column that the loader knows, renamed: all of them, or as many as COLUMNS_SECONDS allows.
COLUMNS_SECONDS ?= 0
COLUMNS_SEED ?= $(shell date +%s)
.PHONY: columns
columns:
	+@$(ASAN) -j$(JOBS) build-asan/fuzz/renamed
	@build-asan/fuzz/renamed $(COLUMNS_SECONDS) $(COLUMNS_SEED) \
		$(patsubst %,tests/fuzz/corpus/trace/%.sqlite,before-512 graphwhole-4096 train-1024)

valgrind: programs
	@BUILD=$(BUILD) tests/check_unit --valgrind

# clang-tidy takes its time: a file is looked at again when it, a file that it includes or the rules
# changed. Nearly all of it is the analyzer walking paths: it gives a function up after 12,000
# states: at the end of our twelve most branching functions, planted bugs were still found.
TIDY_STATES := -Xclang -analyzer-config -Xclang max-nodes=12000
LINTED := $(filter %.c,$(C_FILES))
# LINT_LOT=SEED: what changed lately, and a twentieth of the others by lot.
ifdef LINT_LOT
LINTED := $(sort $(filter $(LINTED),$(shell git log -10 --name-only --format= -- '*.c')) \
	$(shell printf '%s\n' $(LINTED) | awk -v seed=$(LINT_LOT) 'BEGIN { srand(seed) } rand() < 0.05'))
endif
TIDY := $(LINTED:%.c=build/lint/%.ok)
.PHONY: lint tidy format bench
lint:
	@clang-format --dry-run -Werror $(C_FILES)
	@$(MAKE) --no-print-directory -j$(JOBS) -k tidy

tidy: $(TIDY)

build/lint/%.ok: %.c .clang-tidy
	@mkdir -p $(@D)
	@clang-tidy --quiet $< -- -std=gnu11 -D_GNU_SOURCE -Isrc $(TIDY_STATES) 2>/dev/null
	@$(CC) -std=gnu11 -D_GNU_SOURCE -Isrc -MM -MP -MT $@ -MF $(@:.ok=.d) $<
	@touch $@

-include $(TIDY:.ok=.d)

format:
	clang-format -i $(C_FILES)

$(BUILD)/bench/read: bench/read.c $(BUILD)/library.a
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(BASE_CFLAGS) $(CFLAGS) $(LDFLAGS) $< $(BUILD)/library.a $(LDLIBS) -o $@

bench: $(BUILD)/gpuwhy $(BUILD)/bench/read
	@BUILD=$(BUILD) bench/run
