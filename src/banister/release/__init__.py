"""Questions about a table: plan without data, then charge, draw and report.

    health = bn.open("health.toml")
    plan = health.plan("SELECT plan, COUNT(*) FROM data GROUP BY plan", epsilon=0.3)
    answers = health.release(plan)

`__init__.pyi` lists what is offered.
"""

from banister.doors import opened

__getattr__, __dir__, __all__ = opened(__name__, __file__)
