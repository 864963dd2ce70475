"""After the noise is drawn: estimates that agree, intervals, words and the report."""
