"""Sizes and numbers in files of games and in records, for the modules that read and write them.

`game_file` and `positions` describe them.
"""

MOST_PIECES = 32

FIRST_PLY, LARGEST_SCORE = 4, 1500
"""Positions are worth keeping from this ply on, with a score below this in absolute value."""

START, BEFORE_PLIES, PLY_SIZE, CRC_SIZE = 8, 40, 4, 4
"""Bytes of a game: before its start position, before its plies, of a ply, and of the checksum at the end."""

NO_SQUARE, NO_FILE = 255, 15
"""What a start position has for no capture en passant, and for no rook that may castle."""

RECORD_WORDS, LONGEST_PLY = 4, 255
"""How many words of 64 bits a record has, and the largest ply that it can hold."""

DRAWN, WON = 1, 2
"""Results: in a game White's, in a record the mover's."""
