"""Our tree search against another: what is behind scripts/match_mcts."""
