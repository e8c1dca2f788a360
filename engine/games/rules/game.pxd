# For C; game.py is never compiled.
cdef enum:
    CHANCE = -1
    OVER = -2
