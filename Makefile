# Targets: all check check-all reports notebooks bench lint install clean coverage. MODE=release|sanitize|coverage
MODE ?= release
B := build/$(MODE)
PREFIX ?= /usr/local
DESTDIR ?=

PACKAGES := libxml-2.0 libxslt libmd gsl
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
        -Wmissing-prototypes -Werror
FLAGS_release  := -O3
FLAGS_sanitize := -O1 -DNB_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_coverage := -O0 --coverage
ifeq ($(FLAGS_$(MODE)),)
$(error MODE=$(MODE) is not one of release, sanitize, coverage)
endif
CFLAGS ?= -g
override CFLAGS += $(FLAGS_$(MODE)) -std=c17 -ffp-contract=off -pthread $(WARN)
override CPPFLAGS += -D_GNU_SOURCE -Isrc -Itests -I$B/gen -MMD -MP \
                     $(shell pkg-config --cflags $(PACKAGES))
# GLPK has no .pc file on Debian.
OTHER_LIBS := -lglpk -lm
LDLIBS += $(shell pkg-config --libs $(PACKAGES)) $(OTHER_LIBS)

SOURCES := $(shell find src -name '*.c')
MAIN := src/cli/main.c
OBJECTS := $(patsubst %.c,$B/%.o,$(filter-out $(MAIN),$(SOURCES))) \
           $(patsubst %,$B/gen/%.o,topology_kinds traffic_kinds routing_kinds vc_rules commands styles formulas citations)
SUPPORT := $(patsubst %.c,$B/%.o,$(wildcard tests/support/*.c))
# Programs and command-line transcripts; those of tests/slow take minutes.
programs = $(patsubst %.c,$B/%,$(shell find $1 -name 'test_*.c'))
SLOW_PROGRAMS := $(call programs,tests/slow)
TESTS := $(filter-out $(SLOW_PROGRAMS),$(call programs,tests)) \
         $(sort $(wildcard tests/cli/*.test))
SLOW_TESTS := $(SLOW_PROGRAMS) $(sort $(wildcard tests/slow/*.test)) README.md
BENCHES := $(patsubst %.c,$B/%,$(wildcard bench/bench_*.c))

# V=1 shows the commands.
V ?= 0
ifeq ($V,0)
.SILENT:
say = @printf '  %-4s %s\n' $1 $2
endif

.PHONY: all check check-all reports notebooks bench lint install clean coverage FORCE
all: build/netbound build/libnetbound.a

# The program's name does not depend on the mode of the last build.
build/netbound: $B/netbound FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }
build/libnetbound.a: $B/libnetbound.a FORCE
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }

$B/libnetbound.a: $(OBJECTS)
	@rm -f $@
	$(call say,AR,$@)
	$(AR) rcs $@ $^
$B/netbound: $B/src/cli/main.o $B/libnetbound.a
	$(call say,LINK,$@)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@
$B/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(CFLAGS) $(CPPFLAGS) -c $< -o $@
$B/gen/%.o: $B/gen/%.c
	$(CC) $(CFLAGS) $(CPPFLAGS) -c $< -o $@

# A registry is rewritten only when its set of files changes.
registry = @mkdir -p $(@D); tools/registry.sh $1 > $@.new; \
           if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$B/gen/topology_kinds.c: FORCE
	$(call registry,topology/topology.h nb_topology_kind nb_topology nb_topology_kinds $(sort $(wildcard src/topology/kinds/*.c)))
$B/gen/traffic_kinds.c: FORCE
	$(call registry,traffic/traffic.h nb_traffic_kind nb_traffic nb_traffic_kinds $(sort $(wildcard src/traffic/patterns/*.c)))
$B/gen/routing_kinds.c: FORCE
	$(call registry,routing/routing.h nb_routing_kind nb_routing nb_routing_kinds $(sort $(wildcard src/routing/schemes/*.c)))
$B/gen/vc_rules.c: FORCE
	$(call registry,routing/vc_classes.h nb_vc_rule nb_vc_rule nb_vc_rules $(sort $(wildcard src/routing/classes/*.c)))
$B/gen/commands.c: FORCE
	$(call registry,cli/command.h nb_command nb_command nb_commands $(sort $(wildcard src/cli/commands/*.c)))

# What --explain says is part of the program, too.
$B/gen/formulas.c: data/formulas.txt tools/embed.sh
	@mkdir -p $(@D)
	tools/embed.sh nb_formula_files $< > $@
$B/gen/citations.c: data/references.bib tools/embed.sh
	@mkdir -p $(@D)
	tools/embed.sh nb_citation_files $< > $@


# The style sheets are part of the program, and their names are formats.
STYLES := $(sort $(wildcard notebooks-export/*.xsl))
$B/gen/styles.c: FORCE
	@mkdir -p $(@D)
	@names=$$(echo $(basename $(notdir $(STYLES))) | tr ' ' '|'); \
	{ echo '#include "export/export.h"'; \
	  tools/embed.sh nb_styles $(STYLES); \
	  tools/embed.sh nb_style_parts $(sort $(wildcard notebooks-export/parts/*.xsl)); \
	  echo "const char nb_export_choices[] = \"csv|$$names\";"; \
	  echo "const char nb_format_choices[] = \"text|csv|xml|$$names\";"; } > $@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$B/tests/%: $B/tests/%.o $(SUPPORT) $B/libnetbound.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@
$B/bench/%: $B/bench/%.o $(SUPPORT) $B/libnetbound.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

# What the test of failing allocations runs the program with.
$B/tests/cli/test_out_of_memory: | $B/tests/preload/failing.so
$B/tests/preload/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(CC) -std=c17 -O2 -fPIC -shared $(WARN) -D_GNU_SOURCE $< -o $@

# A report of every shipped model, which the tests export in every format.
MODELS := $(wildcard models/*.xml models/tables/*.xml)
REPORTS := $(patsubst models/%.xml,$B/reports/%.xml,$(MODELS))
reports: $(REPORTS)
$B/reports/%.xml: models/%.xml $B/netbound
	@mkdir -p $(@D)
	$(call say,RUN,$<)
	XDG_CACHE_HOME=$(abspath $B/cache) $B/netbound run $< --format xml --output $@

# A notebook for each chapter that the models' names tell.
CHAPTERS := $(shell tools/chapters.sh $(MODELS))
NOTEBOOKS := $(patsubst %,notebooks-export/%.ipynb,$(CHAPTERS))
notebooks: $(NOTEBOOKS)
$(NOTEBOOKS): notebooks-export/%.ipynb: $(REPORTS) $B/netbound
	@mkdir -p $(@D)
	$(call say,BOOK,$@)
	$B/netbound export --to ipynb --output $@ \
	    $(patsubst models/%,$B/reports/%,$(shell tools/chapters.sh --of $* $(MODELS)))

# Ends with the ten slowest and the totals. Of the reports those that a test
# names.
NAMED_REPORTS := $(addprefix $B/reports,$(shell \
    grep -oh '"$$reports"/[^ "]*\.xml' tests/cli/*.test | sed 's,.*"/,/,' | sort -u))
check: $(TESTS) build/netbound $(NAMED_REPORTS)
	REPORTS=$B/reports tools/check.sh build/netbound $(TESTS)

# What check leaves out: what reads all models, the ledger, and the README.
check-all: $(SLOW_TESTS) build/netbound $(REPORTS) $(NOTEBOOKS)
	REPORTS=$B/reports tools/check.sh build/netbound $(SLOW_TESTS)

# Ratios in one run, never timed tests. BENCH_FLAGS go to the programs.
bench: $(BENCHES)
	for program in $(BENCHES); do $$program $(BENCH_FLAGS) || exit 1; done

lint:
	tools/lint.sh

coverage:
	$(MAKE) check check-all MODE=coverage
	gcovr --root . --filter src/ build/coverage --print-summary

# Manual pages and completions, of the commands that the program lists.
build/share.made: build/netbound
	@rm -rf build/share
	@mkdir -p build/share/man/man1 build/share/bash-completion/completions \
	    build/share/zsh/site-functions build/share/fish/vendor_completions.d
	build/netbound man --output build/share/man/man1/netbound.1
	build/netbound list commands | while read -r name rest; do \
	    build/netbound man $$name \
	        --output build/share/man/man1/netbound-$$name.1 || exit 1; \
	done
	build/netbound completion bash \
	    --output build/share/bash-completion/completions/netbound
	build/netbound completion zsh \
	    --output build/share/zsh/site-functions/_netbound
	build/netbound completion fish \
	    --output build/share/fish/vendor_completions.d/netbound.fish
	@touch $@

# What programs that use the library are compiled and linked with: all of it,
# since the library is an archive.
VERSION := $(shell sed -n 's/^.define NB_VERSION "\(.*\)"/\1/p' src/core/version.h)
PKG_CONFIG_FILE = 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' \
    'libdir=$${prefix}/lib' '' 'Name: netbound' \
    'Description: How much an interconnection network carries, exactly' \
    'Version: $(VERSION)' 'Requires: $(PACKAGES)' 'Cflags: -I$${includedir}' \
    'Libs: -L$${libdir} -lnetbound $(OTHER_LIBS) -pthread \
    $(filter -fsanitize% --coverage,$(FLAGS_$(MODE)))'

install: all build/share.made
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 755 build/netbound $(DESTDIR)$(PREFIX)/bin
	install -m 644 build/libnetbound.a $(DESTDIR)$(PREFIX)/lib
	printf '%s\n' $(PKG_CONFIG_FILE) \
	    >$(DESTDIR)$(PREFIX)/lib/pkgconfig/netbound.pc
	tools/install_headers.sh $(DESTDIR)$(PREFIX)/include src/netbound.h \
	    $$($(CC) -Isrc -MM $$(pkg-config --cflags $(PACKAGES)) src/netbound.h)
	find models data/references.bib data/published data/routing \
	    data/topologies data/traffic -type f | while read -r file; do \
	    install -D -m 644 $$file \
	        $(DESTDIR)$(PREFIX)/share/netbound/$$file || exit 1; \
	done
	find build/share -type f -printf '%P\n' | while read -r file; do \
	    install -D -m 644 build/share/$$file \
	        $(DESTDIR)$(PREFIX)/share/$$file || exit 1; \
	done

clean:
	rm -rf build

.SECONDARY:
-include $(shell find $B -name '*.d' 2>/dev/null)
