"""The shape of value networks that no file changes; `network_file` describes them."""

ROWS = 768  # the inputs of a king bucket: colour (own pieces first), kind and square of a piece

OUTPUT_BUCKETS, MEN_A_BUCKET = 8, 4

WIDTH_STEP = 32  # what each width is a multiple of

UNIT, OUTPUT_UNIT = 255, 64
"""What 1.0 is in the integers of a file: in the hidden layer, and in the weights of the output."""
