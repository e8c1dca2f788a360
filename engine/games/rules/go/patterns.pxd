cdef unsigned char SHAPES[65536]  # by the eight neighbours: whether there is a pattern around the point
