cdef enum:
    ROWS = 768              # of a king bucket
    OUTPUT_BUCKETS = 8
    MEN_A_BUCKET = 4
    WIDTH_STEP = 32
    UNIT = 255              # a hidden unit that is fully on, and a hidden weight of 1
    OUTPUT_UNIT = 64        # an output weight of 1
