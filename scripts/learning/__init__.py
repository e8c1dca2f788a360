"""Learning the evaluation: behind scripts/selfplay, scripts/tune, scripts/fit_outcomes, scripts/correlate."""
