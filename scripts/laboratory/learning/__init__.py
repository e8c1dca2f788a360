"""Learning the evaluation: self-play, tuning, the model of the outcome, correlation with another engine."""
