"""Random and damaged input for everything that takes input: see fuzz_command."""
