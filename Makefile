# make help lists the targets. MODE=release|sanitize|threads|coverage|fuzz  MPI=1
# B=DIR builds in DIR; all, check and install then do not change this folder.
MODE ?= release
B := build/$(MODE)
# MPI=1: the program for several ranks (src/core/ranks.h).
PROGRAM := $B/$(if $(MPI),mpi/)netbound
# The finished program and libraries, under names that do not depend on the mode
# of the last build; with B=DIR, where they were linked.
OUT := $(if $(filter build/$(MODE),$B),build,$B)
NETBOUND := $(if $(filter $B,$(OUT)),$(PROGRAM),$(OUT)/netbound)
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
MPICC ?= mpicc
DESTDIR ?=

PACKAGES := libxml-2.0 libxslt nettle gsl yaml-0.1 jansson
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
        -Wmissing-prototypes -Werror
FLAGS_release  := -O1
FLAGS_sanitize := -O1 -DNB_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_threads  := -O2 -fsanitize=thread
FLAGS_coverage := -O0 --coverage
FLAGS_fuzz     := -O1 -DNB_DEBUG -DNB_FUZZ -fno-sanitize-recover=all \
                  -fsanitize=fuzzer-no-link,address,undefined
ifeq ($(FLAGS_$(MODE)),)
$(error MODE=$(MODE) is not one of release, sanitize, threads, coverage, fuzz)
endif
# Code that runs long; with -O1 the rest compiles in two thirds of the time.
KERNELS := core topology traffic routing load deadlock bounds queueing sim
KERNEL_FLAGS_release := -O3
CFLAGS ?= -g
# Both libraries share these objects; see src/core/public.h.
override CFLAGS += $(FLAGS_$(MODE)) -std=c17 -ffp-contract=off -pthread $(WARN) \
                   -fPIC -fvisibility=hidden -fno-semantic-interposition
override CPPFLAGS += -D_GNU_SOURCE -Isrc -Itests -I$B/gen -MMD -MP \
                     $(shell pkg-config --cflags $(PACKAGES))
# GLPK has no .pc file on Debian.
OTHER_LIBS := -lglpk -lm
VERSION := $(shell sed -n 's/^.define NB_VERSION "\(.*\)"/\1/p' src/core/version.h)
# Before 1.0 the binary interface may change from 0.x to 0.x + 1.
SONAME := libnetbound.so.$(basename $(VERSION))
LDLIBS += $(shell pkg-config --libs $(PACKAGES)) $(OTHER_LIBS)

SOURCES := $(shell find src -name '*.c')
MAIN := src/cli/main.c
OBJECTS := $(patsubst %.c,$B/%.o,$(filter-out $(MAIN),$(SOURCES))) \
           $(patsubst %,$B/gen/%.o,topology_kinds graph_formats traffic_kinds routing_kinds vc_rules commands styles schemas formulas citations questions completion)
SUPPORT := $(patsubst %.c,$B/%.o,$(wildcard tests/support/*.c))

# Reports that transcripts name.
named_reports = $(addprefix $B/reports/,$(shell \
    grep -oh '"$$reports"/[^ "]*\.xml' $(call transcripts,$1) /dev/null | \
    sed 's,"$$reports"/,,' | sort -u))

# One test program per folder of tests, from all its test_*.c, and transcripts
# of the command line (.test). Some in tests/slow take minutes.
parts = $(sort $(shell find tests/$1 -name 'test_*.c'))
transcripts = $(sort $(wildcard tests/$1/*.test))
TEST_FOLDERS := $(sort $(foreach file,$(call parts,.),$(word 2,$(subst /, ,$(patsubst tests/./%,tests/%,$(file))))))
# The longest first, so that no core waits for them at the end.
LONG_FOLDERS := sim queueing
TESTS := $(LONG_FOLDERS:%=$B/tests/test_%) \
         $(patsubst %,$B/tests/test_%,$(filter-out $(LONG_FOLDERS),$(TEST_FOLDERS))) \
         $(foreach folder,$(TEST_FOLDERS),$(call transcripts,$(folder)))
SLOW_TESTS := $(call transcripts,slow) README.md $(sort $(wildcard docs/guide/*.md))
BENCHES := $(patsubst %.c,$B/%,$(wildcard bench/bench_*.c))

# V=1 shows the commands.
V ?= 0
ifeq ($V,0)
.SILENT:
say = @printf '  %-4s %s\n' $1 $2
endif

.PHONY: all help check $(TEST_FOLDERS:%=check-%) check-all check-weekly reports notebooks bench fuzz corpus mutants lint install ldlibs deb clean coverage schema FORCE
#: all           the program build/netbound and both libraries
all: $(NETBOUND) $(OUT)/libnetbound.a $(OUT)/$(SONAME)

ifneq ($(OUT),$B)
$(OUT)/netbound: $(PROGRAM) FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }
$(OUT)/libnetbound.a: $B/libnetbound.a FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }
$(OUT)/$(SONAME): $B/$(SONAME) FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }
	@ln -sf $(SONAME) $(@D)/libnetbound.so
endif

$B/libnetbound.a: $(OBJECTS)
	@rm -f $@
	$(call say,AR,$@)
	$(AR) rcs $@ $^
$B/$(SONAME): $(OBJECTS)
	$(call say,LINK,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) $^ $(LDLIBS) -o $@
	@ln -sf $(SONAME) $(@D)/libnetbound.so
$B/netbound: $B/src/cli/main.o $B/libnetbound.a
	$(call say,LINK,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
# The program's ranks use MPI, the library's do not.
$B/mpi/netbound: $B/src/cli/main.o $B/mpi/ranks.o $B/libnetbound.a
	$(call say,LINK,$@)
	$(MPICC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
$B/mpi/ranks.o: src/core/ranks.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(MPICC) $(CFLAGS) $(CPPFLAGS) -DNB_MPI -c $< -o $@
# Other flags make other objects; a folder may have several spellings.
FLAGS := $(subst ','\'',$(filter-out -I%,$(CFLAGS) $(CPPFLAGS) $(KERNEL_FLAGS_$(MODE)) $(KERNELS)))
$B/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
$(KERNELS:%=$B/src/%/%.o): EXTRA_FLAGS = $(KERNEL_FLAGS_$(MODE))
$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(CFLAGS) $(EXTRA_FLAGS) $(CPPFLAGS) -c $< -o $@
$B/gen/%.o: $B/gen/%.c $B/flags
	$(CC) $(CFLAGS) $(CPPFLAGS) -c $< -o $@

# A registry is rewritten only when its set of files changes.
registry = @mkdir -p $(@D); tools/registry.sh $1 > $@.new; \
           if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$B/gen/topology_kinds.c: FORCE
	$(call registry,topology/topology.h nb_topology_kind nb_topology nb_topology_kinds $(sort $(wildcard src/topology/kinds/*.c)))
FORMATS := $(sort $(wildcard src/topology/formats/*.c))
$B/gen/graph_formats.c: FORCE
	@mkdir -p $(@D)
	@names=$$(echo $(basename $(notdir $(FORMATS))) | tr ' ' '|'); \
	{ tools/registry.sh topology/formats.h nb_graph_format nb_graph_format nb_graph_formats $(FORMATS); \
	  echo "const char nb_graph_format_choices[] = \"auto|$$names\";"; } > $@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$B/gen/traffic_kinds.c: FORCE
	$(call registry,traffic/traffic.h nb_traffic_kind nb_traffic nb_traffic_kinds $(sort $(wildcard src/traffic/patterns/*.c)))
$B/gen/routing_kinds.c: FORCE
	$(call registry,routing/routing.h nb_routing_kind nb_routing nb_routing_kinds $(sort $(wildcard src/routing/schemes/*.c)))
# A question's folder has a file of the same name.
QUESTIONS := $(sort $(foreach folder,$(wildcard src/questions/*),\
               $(wildcard $(folder)/$(notdir $(folder)).c)))
$B/gen/questions.c: FORCE
	$(call registry,ask/question.h nb_question_kind nb_question_kind nb_questions $(QUESTIONS))
$B/gen/vc_rules.c: FORCE
	$(call registry,routing/vc_classes.h nb_vc_rule nb_vc_rule nb_vc_rules $(sort $(wildcard src/routing/classes/*.c)))
$B/gen/commands.c: FORCE
	@mkdir -p $(@D); tools/commands.sh "$(QUESTIONS)" $(wildcard src/cli/commands/*.c) > $@.new; \
	    if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# Input files are checked against the schemas; each includes the next.
SCHEMAS := models/report.xsd models/model.xsd src/model/ask.xsd
$B/gen/schemas.c: $(SCHEMAS) tools/embed.sh
	@mkdir -p $(@D)
	tools/embed.sh nb_schemas $(SCHEMAS) > $@
# The schema of commands and options, for editors, from the option tables.
#: schema        models/ask.xsd, from the option tables
schema: $(NETBOUND)
	$(NETBOUND) schema --output models/ask.xsd
# The texts of --explain are part of the program, too.
$B/gen/formulas.c: data/formulas.txt tools/embed.sh
	@mkdir -p $(@D)
	tools/embed.sh nb_formula_files $< > $@
$B/gen/citations.c: data/references.bib tools/embed.sh
	@mkdir -p $(@D)
	tools/embed.sh nb_citation_files $< > $@


$B/gen/completion.c: $(addprefix src/cli/completion/,bash zsh fish) tools/embed.sh
	@mkdir -p $(@D)
	tools/embed.sh nb_completion_files $(filter src/%,$^) > $@

# The style sheets are part of the program, and their names are formats.
STYLES := $(sort $(wildcard notebooks-export/*.xsl))
$B/gen/styles.c: FORCE
	@mkdir -p $(@D)
	@names=$$(echo $(basename $(notdir $(STYLES))) | tr ' ' '|'); \
	{ echo '#include "export/export.h"'; \
	  tools/embed.sh nb_styles $(STYLES); \
	  tools/embed.sh nb_style_parts $(sort $(wildcard notebooks-export/parts/*.xsl)); \
	  echo "const char nb_export_choices[] = \"text|csv|json|$$names\";"; \
	  echo "const char nb_format_choices[] = \"text|csv|xml|json|$$names\";"; } > $@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# The main of tests/x/test_y.c becomes tests_x_test_y, declared before it is
# defined: several make one program, which has a table of them.
$B/tests/%.part.o: tests/%.c $B/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(CFLAGS) $(CPPFLAGS) -c $< -o $@ \
	    -D'main=$(subst /,_,$(<:.c=))(void); int $(subst /,_,$(<:.c=))'
$B/libtests.a: $(SUPPORT)
	@rm -f $@
	$(AR) rcs $@ $^
# Calls of every public function, from the headers.
$B/gen/contract.c: tests/contract/calls.py $(shell find src -name '*.h')
	@mkdir -p $(@D)
	python3 $< $(filter src/%.h,$(shell $(CC) -Isrc -MM src/netbound.h)) > $@
MADE_contract := $B/gen/contract.o
define test_program
$B/gen/tests/$1.c: FORCE
	@mkdir -p $$(@D)
	@tools/test_table.sh tests/$1 $$(call parts,$1) > $$@.new; \
	if cmp -s $$@.new $$@; then rm $$@.new; else mv $$@.new $$@; fi
$B/tests/test_$1: $B/gen/tests/$1.o $(MADE_$1) $$(patsubst %.c,$B/%.part.o,$$(call parts,$1)) \
    $B/libtests.a $B/libnetbound.a
	$$(call say,LINK,$$@)
	$$(CC) $$(CFLAGS) $$(LDFLAGS) $$^ $$(LDLIBS) -lcmocka -o $$@
check-$1: $B/tests/test_$1 $(NETBOUND) $$(call named_reports,$1)
	REPORTS=$B/reports tools/check.sh $(NETBOUND) $$(call transcripts,$1) $$<
endef
$(foreach folder,$(TEST_FOLDERS),$(eval $(call test_program,$(folder))))
$B/bench/%: $B/bench/%.o $B/libtests.a $B/libnetbound.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

# Each tests/fuzz/test_*.c for SECONDS with clang's libFuzzer; the inputs that it
# keeps become the corpus, which check-fuzz reads.
SECONDS := 60
FUZZERS := $(patsubst tests/fuzz/test_%.c,%,$(call parts,fuzz))
FUZZ_CC := clang
#: fuzz          SECONDS=60 of libFuzzer for each reader of files (FUZZERS="unit model")
#: corpus        the few inputs that check-fuzz tries, from what fuzz kept
fuzz corpus:
	$(MAKE) MODE=fuzz B=$(OUT)/fuzz CC='$(FUZZ_CC)' $(FUZZERS:%=$(OUT)/fuzz/targets/%)
	tools/fuzz.sh $(OUT)/fuzz/targets $(if $(filter fuzz,$@),$(SECONDS),0) $(FUZZERS)
$B/targets/%: $B/tests/fuzz/test_%.o $B/libtests.a $B/libnetbound.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -lcmocka -o $@

# The library that makes allocations fail in tests.
$B/tests/test_cli: | $B/tests/preload/failing.so
$B/tests/preload/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -O2 -fPIC -shared $(WARN) -D_GNU_SOURCE $< -o $@

# A report of every shipped model, which the tests verify and export in every
# format; the longest first, so that no core waits for them at the end.
# check-weekly makes those that take more than ten seconds.
MODELS := models/singh-table-c.1.xml \
          $(filter-out %/singh-table-c.1.xml,$(wildcard models/*.xml models/tables/*.xml))
reports_of = $(patsubst models/%.xml,$B/reports/%.xml,$1)
REPORTS := $(call reports_of,$(MODELS))
QUICK_REPORTS := $(call reports_of,$(filter-out \
    $(addprefix models/,$(shell cat tests/weekly/models.txt)),$(MODELS)))
#: reports       a report of every shipped model
reports: $(REPORTS)
$B/reports/%.xml: models/%.xml $B/netbound
	@mkdir -p $(@D)
	$(call say,RUN,$<)
	XDG_CACHE_HOME=$(abspath $B/cache) $B/netbound run $< --format xml --output $@

# A notebook for each chapter in the names of models.
CHAPTERS := $(shell tools/chapters.sh $(MODELS))
BOOKS := $(if $(filter $B,$(OUT)),$B/notebooks,notebooks-export)
NOTEBOOKS := $(patsubst %,$(BOOKS)/%.ipynb,$(CHAPTERS))
#: notebooks     a notebook per chapter, in notebooks-export/
notebooks: $(NOTEBOOKS)
$(NOTEBOOKS): $(BOOKS)/%.ipynb: $(REPORTS) $B/netbound
	@mkdir -p $(@D)
	$(call say,BOOK,$@)
	$B/netbound export --to ipynb --output $@ \
	    $(call reports_of,$(shell tools/chapters.sh --of $* $(MODELS)))

# Ends with the tests that took most processor time, and the totals.
#: check         the tests, two minutes on two cores (check-load: those of tests/load)
check: $(TESTS) all $(call named_reports,*)
	REPORTS=$B/reports tools/check.sh $(NETBOUND) $(TESTS)

# What check leaves out: every case of the tests that draw a sample, but not all
# of those that take minutes; all quick models, the README and the guide.
DRAWN_PARTS := $(shell tools/drawn_parts.sh $B/tests)
SLOW_NEEDS := $(SLOW_TESTS) all $(TESTS) $B/tests/preload/failing.so \
              $(if $(shell command -v $(MPICC)),$B/mpi/netbound)
check_slow = CASES=$1 REPORTS=$B/reports REPORTED='$(abspath $2)' \
             tools/check.sh $(NETBOUND) $(SLOW_TESTS) $(DRAWN_PARTS)
#: check-all     what check leaves out and CI runs: every case, quick models, guide
check-all: $(SLOW_NEEDS) $(QUICK_REPORTS)
	$(call check_slow,most,$(QUICK_REPORTS))

# Each week draws other mutants and lists the survivors. CONTRIBUTING.md has the
# last result.
#: check-weekly  what takes an hour or more: all models, faults, kills, packages, mutants
check-weekly: $(SLOW_NEEDS) $(REPORTS) $(call transcripts,weekly)
	FORGERIES=all $(call check_slow,all,$(REPORTS)) $(call transcripts,weekly)
	$(MAKE) mutants MUTANTS=2 LIMIT=30 SEED=$(shell date +%G%V)

# Ratios within one run, never tests of absolute times. The programs get
# BENCH_FLAGS.
#: bench         speed, as ratios (BENCH_FLAGS=quick: smaller)
bench: $(BENCHES)
	for program in $(BENCHES); do $$program $(BENCH_FLAGS) || exit 1; done

# Tests whether the tests notice a wrong operator in each of MUTANTS random lines
# per folder of src.
MUTANTS ?= 50
SEED ?= 1
LIMIT ?= 300
FOLDERS ?= $(patsubst src/%/,%,$(wildcard src/*/))
#: mutants       change operators in random lines and list what no test notices
mutants:
	tools/mutants.py $(MUTANTS) $(SEED) $(LIMIT) $(FOLDERS)

#: lint          layers, references, headers, format, cppcheck, clang
lint:
	tools/lint.sh

#: coverage      line coverage of all tests
coverage:
	$(MAKE) check check-all MODE=coverage B=$(OUT)/coverage
	gcovr --root . --filter src/ $(OUT)/coverage --print-summary

# Manual pages and completions, for the commands that the program lists.
$(OUT)/share.made: $(NETBOUND)
	@rm -rf $(OUT)/share
	@mkdir -p $(OUT)/share/man/man1 $(OUT)/share/bash-completion/completions \
	    $(OUT)/share/zsh/site-functions $(OUT)/share/fish/vendor_completions.d
	$(NETBOUND) man --output $(OUT)/share/man/man1/netbound.1
	$(NETBOUND) list commands | while read -r name rest; do \
	    $(NETBOUND) man $$name \
	        --output $(OUT)/share/man/man1/netbound-$$name.1 || exit 1; \
	done
	$(NETBOUND) completion bash \
	    --output $(OUT)/share/bash-completion/completions/netbound
	$(NETBOUND) completion zsh \
	    --output $(OUT)/share/zsh/site-functions/_netbound
	$(NETBOUND) completion fish \
	    --output $(OUT)/share/fish/vendor_completions.d/netbound.fish
	@touch $@

# The flags to compile and link programs with the library; with --static, also
# the archive's libraries.
PKG_CONFIG_FILE = 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' \
    'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' '' 'Name: netbound' \
    'Description: How much an interconnection network carries, exactly' \
    'Version: $(VERSION)' 'Requires.private: $(PACKAGES)' \
    'Cflags: -I$${includedir}' \
    'Libs: -L$${libdir} -lnetbound $(filter -fsanitize% --coverage,$(FLAGS_$(MODE)))' \
    'Libs.private: $(OTHER_LIBS) -pthread'

# The libraries that python/binding.py links in addition to the archive.
ldlibs:
	@echo $(LDLIBS)

#: install       into PREFIX=/usr/local and LIBDIR=PREFIX/lib, below DESTDIR
install: all $(OUT)/share.made
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 755 $(NETBOUND) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(OUT)/libnetbound.a $(OUT)/$(SONAME) $(DESTDIR)$(LIBDIR)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libnetbound.so
	printf '%s\n' $(PKG_CONFIG_FILE) \
	    >$(DESTDIR)$(LIBDIR)/pkgconfig/netbound.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/netbound.pc
	tools/install_headers.sh $(DESTDIR)$(PREFIX)/include src/netbound.h \
	    $$($(CC) -Isrc -MM src/netbound.h)
	find models data/references.bib data/published data/routing \
	    data/topologies data/traffic data/prices.csv -type f | while read -r file; do \
	    install -D -m 644 $$file \
	        $(DESTDIR)$(PREFIX)/share/netbound/$$file || exit 1; \
	done
	find $(OUT)/share -type f -printf '%P\n' | while read -r file; do \
	    install -D -m 644 $(OUT)/share/$$file \
	        $(DESTDIR)$(PREFIX)/share/$$file || exit 1; \
	done

#: deb           Debian packages of the tracked files, in build/deb
deb:
	tools/deb.sh $(VERSION)

#: help          this list
help:
	@sed -n 's/^#: //p' Makefile

#: clean         remove build/, or DIR with B=DIR
clean:
	rm -rf $(OUT)

.SECONDARY:
-include $(shell find $B -type f -name '*.d' 2>/dev/null)
