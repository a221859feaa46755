# Targets: all check bench lint install clean coverage. MODE=release|sanitize|coverage
MODE ?= release
B := build/$(MODE)
PREFIX ?= /usr/local
DESTDIR ?=

PACKAGES := libxml-2.0 libmd gsl
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
        -Wmissing-prototypes -Werror
FLAGS_release  := -O3
FLAGS_sanitize := -O1 -DNB_DEBUG -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_coverage := -O0 --coverage
ifeq ($(FLAGS_$(MODE)),)
$(error MODE=$(MODE) is not one of release, sanitize, coverage)
endif
CFLAGS ?= -g
override CFLAGS += $(FLAGS_$(MODE)) -std=c17 -ffp-contract=off -fopenmp $(WARN)
override CPPFLAGS += -D_GNU_SOURCE -Isrc -Itests -I$B/gen -MMD -MP \
                     $(shell pkg-config --cflags $(PACKAGES))
# GLPK has no .pc file on Debian.
LDLIBS += $(shell pkg-config --libs $(PACKAGES)) -lglpk -lm

SOURCES := $(shell find src -name '*.c')
MAIN := src/cli/main.c
OBJECTS := $(patsubst %.c,$B/%.o,$(filter-out $(MAIN),$(SOURCES))) \
           $(patsubst %,$B/gen/%.o,topology_kinds traffic_kinds routing_kinds commands)
SUPPORT := $(patsubst %.c,$B/%.o,$(wildcard tests/support/*.c))
TESTS := $(patsubst %.c,$B/%,$(shell find tests -name 'test_*.c'))
BENCHES := $(patsubst %.c,$B/%,$(wildcard bench/bench_*.c))

# V=1 shows the commands.
V ?= 0
ifeq ($V,0)
.SILENT:
say = @printf '  %-4s %s\n' $1 $2
endif

.PHONY: all check bench lint install clean coverage FORCE
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
$B/gen/commands.c: FORCE
	$(call registry,cli/command.h nb_command nb_command nb_commands $(sort $(wildcard src/cli/commands/*.c)))

$B/tests/%: $B/tests/%.o $(SUPPORT) $B/libnetbound.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@
$B/bench/%: $B/bench/%.o $(SUPPORT) $B/libnetbound.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

# Every test program, and the command-line transcripts; ends with the totals.
check: $(TESTS) build/netbound
	tools/check.sh build/netbound $(TESTS)

# Ratios in one run, never timed tests. BENCH_FLAGS go to the programs.
bench: $(BENCHES)
	for program in $(BENCHES); do $$program $(BENCH_FLAGS) || exit 1; done

lint:
	tools/lint.sh

coverage:
	$(MAKE) check MODE=coverage
	gcovr --root . --filter src/ build/coverage --print-summary

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib \
	    $(DESTDIR)$(PREFIX)/share/netbound/models \
	    $(DESTDIR)$(PREFIX)/share/netbound/data/published \
	    $(DESTDIR)$(PREFIX)/share/netbound/data/routing \
	    $(DESTDIR)$(PREFIX)/share/netbound/data/traffic
	install -m 755 build/netbound $(DESTDIR)$(PREFIX)/bin
	install -m 644 build/libnetbound.a $(DESTDIR)$(PREFIX)/lib
	install -m 644 models/*.xml models/*.xsd \
	    $(DESTDIR)$(PREFIX)/share/netbound/models
	install -m 644 data/published/*.csv \
	    $(DESTDIR)$(PREFIX)/share/netbound/data/published
	install -m 644 data/routing/*.csv \
	    $(DESTDIR)$(PREFIX)/share/netbound/data/routing
	install -m 644 data/traffic/*.csv \
	    $(DESTDIR)$(PREFIX)/share/netbound/data/traffic

clean:
	rm -rf build

.SECONDARY:
-include $(shell find $B -name '*.d' 2>/dev/null)
