"""How many of the entities annotators have marked: one family of estimators."""
