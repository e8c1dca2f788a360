# For users of make and for OpenBench. The work is done by scripts/.
#
#   make                 compile in place: scripts/build
#   make EXE=NAME        make an executable file that does not need this folder: scripts/bundle
#   make EXE=NAME EVALFILE=FILE   the same with the network in FILE instead of the one in eval/weights
#   make check           scripts/check
#   make test            scripts/test
#   make clean           remove compiled modules, but not .venv
#
# CC, PYTHON and LOLLI_MARCH, on the command line or in the environment, are those of scripts/build.

.PHONY: all check test clean
EXE =

ifneq ($(EVALFILE),)
ifeq ($(EXE),)
$(error EVALFILE needs EXE: only an executable file can have a network of its own)
endif
NETWORK = --network "$(EVALFILE)"
endif

# With sh, because source archives unpacked by Python lose their permissions.
all:
ifeq ($(EXE),)
	sh scripts/build
else
	sh scripts/bundle $(NETWORK) "$(EXE)"
endif

check:
	scripts/check

test:
	scripts/test

clean:
	rm -rf build
	find engine eval -name '*.so' -exec rm -f {} +
