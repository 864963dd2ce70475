"""The aggregates that a question may ask for, one file each.

An aggregate is asked for in SQL, planned, compared with `--within`, released and reported once it is imported here, by
one line: `ALL` is every aggregate of this list, and whoever reads, plans or answers questions asks it.
"""

from banister.release.aggregates.aggregate import Aggregate
from banister.release.aggregates.count import Count as Count
from banister.release.aggregates.covariance import Covariance as Covariance
from banister.release.aggregates.distinct import Distinct as Distinct
from banister.release.aggregates.mean import Mean as Mean
from banister.release.aggregates.people import People as People
from banister.release.aggregates.quantile import Quantile as Quantile
from banister.release.aggregates.sum import Sum as Sum
from banister.release.aggregates.variance import Variance as Variance

ALL = tuple(
    kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, Aggregate) and kind is not Aggregate
)
