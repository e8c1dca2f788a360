"""Connect Four solved: what is behind scripts/solve_connectfour."""
