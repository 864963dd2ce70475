"""Mutants of the exact draws that are made of others: choices, cut staircases, whole vectors, histograms."""

from tests.mutants.mutant import Mutant

_GAUSSIAN = ("tests/sampling/test_gaussian.py",)
_CHOICE = ("tests/sampling/test_choice.py",)
_LATTICE = ("tests/sampling/test_lattice.py",)
_HISTOGRAMS = ("tests/sampling/test_histograms.py",)
_CUT = ("tests/sampling/test_cut.py",)

MUTANTS = (
    Mutant(
        name="gaussian-keeps-twice-as-far",
        file="sampling/gaussian.py",
        old="return lambda: exp_ball(-((size - self.variance / self._scale) ** 2) / (2 * self.variance))",
        new="return lambda: exp_ball(-((size - self.variance / self._scale) ** 2) / self.variance)",
        tests=_GAUSSIAN,
    ),
    Mutant(
        name="gaussian-centre-forgotten",
        file="sampling/gaussian.py",
        old="nearly = np.exp(-0.5 * ((sizes - self._centre) / self._spread) ** 2)",
        new="nearly = np.exp(-0.5 * (sizes / self._spread) ** 2)",
        tests=_GAUSSIAN,
    ),
    Mutant(
        name="choice-takes-the-last-kept",
        file="sampling/choice.py",
        old="return int(places[kept[0]])",
        new="return int(places.min())",
        tests=_CHOICE,
    ),
    Mutant(
        name="choice-first-heads-in-given-order",
        file="sampling/choice.py",
        old="return int(heads[uniform_below(heads.size, bits)])",
        new="return int(heads[0])",
        tests=_CHOICE,
    ),
    Mutant(
        name="choice-forgets-the-rate",
        file="sampling/choice.py",
        old="exponent = -rate * gap(int(places[draw]))",
        new="exponent = -gap(int(places[draw]))",
        tests=_CHOICE,
    ),
    Mutant(
        name="cut-keeps-the-whole-edge",
        file="sampling/cut.py",
        old="if abs(value) < self.edge or (abs(value) == self.edge and self._coin.draw(bits)):",
        new="if abs(value) <= self.edge:",
        tests=_CUT,
    ),
    Mutant(
        name="cut-vector-keeps-the-whole-edge",
        file="sampling/cut.py",
        old="        kept[at_edge] = self._coin.draw_many(at_edge.size, bits)\n",
        new="        kept[at_edge] = True\n",
        tests=_CUT,
    ),
    Mutant(
        name="cut-level-road-forgets-the-edge",
        file="sampling/cut.py",
        old="return inside * self._keep_edge() if size == self.edge else inside",
        new="return inside",
        tests=_CUT,
    ),
    Mutant(
        name="cut-level-vector-forgets-the-edge",
        file="sampling/cut.py",
        old="            nearly[sizes == self.edge] *= float(self._keep_edge())\n",
        new="",
        tests=_CUT,
    ),
    Mutant(
        name="lattice-one-geometric-too-few",
        file="sampling/lattice.py",
        old="sum(self._geometric.draw(bits) for _ in range(terms + 1))",
        new="sum(self._geometric.draw(bits) for _ in range(terms))",
        tests=_LATTICE,
    ),
    Mutant(
        name="lattice-vector-one-geometric-too-few",
        file="sampling/lattice.py",
        old="places = np.flatnonzero(terms >= term)",
        new="places = np.flatnonzero(terms > term)",
        tests=_LATTICE,
    ),
    Mutant(
        name="lattice-subset-is-not-uniform",
        file="sampling/lattice.py",
        old="        drawn = uniform_below(last, bits) + 1\n",
        new="        drawn = uniform_below(top, bits) + 1\n",
        tests=_LATTICE,
    ),
    Mutant(
        name="lattice-vector-subset-is-not-uniform",
        file="sampling/lattice.py",
        old="drawn = uniform_below_each(last, bits, word=word) + 1",
        new="drawn = uniform_below_each(tops[rows], bits, word=word) + 1",
        tests=_LATTICE,
    ),
    Mutant(
        name="lattice-ball-one-wider",
        file="sampling/lattice.py",
        old="return uniform_in_ball(self.step - 1 + periods * self.period, self.dimension, bits)",
        new="return uniform_in_ball(self.step + periods * self.period, self.dimension, bits)",
        tests=_LATTICE,
    ),
    Mutant(
        name="lattice-close-calls-left-to-doubles",
        file="sampling/lattice.py",
        old="<= FILTER_MARGIN + 2.0**-word, axis=1)",
        new="< 0, axis=1)",
        tests=_LATTICE,
    ),
    Mutant(
        name="histogram-keeps-every-total",
        file="sampling/histograms.py",
        old="            if bernoulli(keep_chance(self.cells, self.rate, total, self._mode), bits):",
        new="            if True:",
        tests=_HISTOGRAMS,
    ),
    Mutant(
        name="histogram-geometric-at-another-rate",
        file="sampling/histograms.py",
        old="GeometricDraw(rate / 2, glance=glance, word=word)",
        new="GeometricDraw(rate * 2 / 3, glance=glance, word=word)",
        tests=_HISTOGRAMS,
    ),
    Mutant(
        name="histogram-mask-not-repaired",
        file="sampling/histograms.py",
        old="surplus = _by_sorting(chosen.size, chosen.size - size, bits)",
        new="surplus = np.arange(chosen.size - size)",
        tests=_HISTOGRAMS,
    ),
    Mutant(
        name="histogram-drops-the-last-places",
        file="sampling/histograms.py",
        old="return np.delete(distinct, _by_sorting(distinct.size, distinct.size - size, bits))",
        new="return distinct[:size]",
        tests=_HISTOGRAMS,
    ),
    Mutant(
        name="normals-without-sign",
        file="sampling/normals.py",
        old="    np.negative(values, out=values, where=(words & np.uint64(1)).astype(np.bool_))\n",
        new="",
        tests=("tests/publish/sketches/test_sketches.py::test_near_normals_are_normal",),
    ),
)
