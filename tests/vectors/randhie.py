"""How the bundled table was made: run it where statsmodels is installed, with the target file as argument.

The RAND Health Insurance Experiment as statsmodels carries it (public domain) has one row for each person and year, in
order, and no column that names the person. Neighbouring rows that agree in the insurance plan, the payment, the
number of chronic diseases and the physical limitation are taken for one person, five rows at most (the experiment ran
five years). The logarithms are turned back into dollars.
"""

import sys

if __name__ == "__main__":
    import duckdb
    import numpy as np
    import pandas as pd
    import statsmodels.api as sm

    raw = sm.datasets.randhie.load_pandas().data
    same = (raw[["lncoins", "idp", "lpi", "fmde", "physlm", "disea"]].diff().abs().sum(axis=1) == 0).to_numpy()
    person, year, people = [], 0, 0
    for again in same:
        year = year + 1 if again and year < 5 else 1
        people += year == 1
        person.append(people)
    plan = np.where(raw["idp"] == 1, "deductible", np.where(raw["lncoins"] == 0, "free", "shared"))
    worst = np.select([raw["hlthp"] == 1, raw["hlthf"] == 1, raw["hlthg"] == 1], ["poor", "fair", "good"], "excellent")
    rows = pd.DataFrame(
        {
            "person_id": np.array(person, dtype=np.int32),
            "visits": raw["mdvis"].astype(np.int16),
            "plan": plan,
            "payment": np.where(raw["lpi"] > 0, np.round(np.exp(raw["lpi"])), 0).astype(np.int16),
            "diseases": raw["disea"].round(1),
            "health": worst,
            "limited": raw["physlm"] > 0.5,
        }
    )
    duckdb.execute(f"COPY rows TO '{sys.argv[1]}' (FORMAT parquet, COMPRESSION zstd)")
