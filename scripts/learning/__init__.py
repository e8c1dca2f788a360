"""Learning the evaluation: what is behind scripts/selfplay, scripts/tune and scripts/fit_outcomes."""
