"""What C compilers spell differently stands in portable.pxd: bits, prefetching, atomic numbers, clocks.

Plain Python needs none of it: its integers have methods, and `engine.clock` asks the standard library.
"""
