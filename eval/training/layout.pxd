cdef enum:
    MOST_PIECES = 32
    FIRST_PLY = 4
    LARGEST_SCORE = 1500
    START = 8               # bytes of a game before its start position
    BEFORE_PLIES = 40
    PLY_SIZE = 4
    CRC_SIZE = 4
    NO_SQUARE = 255
    NO_FILE = 15
    RECORD_WORDS = 4        # of 64 bits
    LONGEST_PLY = 255       # that a record can hold
    DRAWN = 1               # results
    WON = 2
