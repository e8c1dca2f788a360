# For users of make and for OpenBench. The work is done by scripts/.
#
#   make                 compile in place: scripts/build
#   make EXE=NAME        make an executable file that does not need this folder: scripts/bundle
#   make check           scripts/check
#   make test            scripts/test
#   make clean           remove compiled modules, but not .venv
#
# CC, PYTHON and LOLLI_MARCH, on the command line or in the environment, are those of scripts/build.

.PHONY: all check test clean
EXE =

ifdef EVALFILE
$(error EVALFILE is not supported: Lolli has no network)
endif

# With sh, because source archives unpacked by Python lose their permissions.
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
