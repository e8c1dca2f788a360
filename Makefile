# For those who are used to make, and for OpenBench; scripts/ does the work.
#
#   make                 compile in place, as scripts/build does
#   make EXE=NAME        one executable file that needs nothing of this folder any more, as scripts/bundle does
#   make check, make test
#   make clean           what was compiled goes; .venv stays
#
# CC, PYTHON and LOLLI_MARCH, on the command line or in the environment, mean what they mean to scripts/build.

.PHONY: all check test clean
EXE =

ifdef EVALFILE
$(error EVALFILE: Lolli has no network to build in)
endif

# By way of sh: a source archive that was unpacked by Python has lost its permissions.
all:
ifeq ($(EXE),)
	sh scripts/build
else
	sh scripts/bundle "$(EXE)"
endif

check:
	scripts/check

test:
	scripts/test

clean:
	rm -rf build
	find engine eval -name '*.so' -exec rm -f {} +
