"""Vectors over a finite field, as whole numbers, and the transform that adds up what is orthogonal to a direction.

A vector y is the number Σ_j y_j q^j of its coordinates in base q. With ω a root of unity, Σ_λ ω^(λ y·c) over all λ of
the field is q where y·c = 0 and 0 elsewhere, so weights of the vectors orthogonal to c are the mean of the transform
of the weights over the multiples λc.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from banister.core.programs.linear import Floats, Ints

Complexes = NDArray[np.complex128]
Spectrum = Floats | Complexes
PRIMES = (3, 5, 7, 11, 13, 23, 47)
_POLYNOMIALS = {2: 0x3, 4: 0x7, 8: 0xB, 16: 0x13, 32: 0x25, 64: 0x43, 128: 0x83, 256: 0x11B}
"""An irreducible polynomial for each field of characteristic 2, its bits from the highest power down."""
SIZES = tuple(sorted((*PRIMES, *_POLYNOMIALS)))
"""The fields that are offered: from one to the next the size grows by at most a factor 2, mostly by 1.5 or less."""
_RADIX = 6
"""So many bits of an index are transformed at once, as one product of matrices."""


class FiniteField(ABC):
    """A field, and vectors over it."""

    size: int

    @abstractmethod
    def products(self, one: Ints, other: Ints, length: int) -> Ints:
        """Inner products of vectors of so many coordinates."""

    @abstractmethod
    def moved(self, vectors: Ints, lead: Ints, products: Ints, wanted: Ints) -> Ints:
        """The vectors with wanted - product added to the coordinate `lead`."""

    @abstractmethod
    def multiple(self, factor: int, directions: Ints, length: int) -> Ints:
        """Where the character of `factor` times each direction stands in the spectrum."""

    @abstractmethod
    def spectrum(self, weights: Floats, length: int) -> Spectrum:
        """The transform of weights of all vectors."""

    @abstractmethod
    def character(self, factor: int, digits: Ints) -> Spectrum:
        """What `factor` times each element turns the spectrum by."""

    @abstractmethod
    def scaled(self, vectors: Ints, leading: Ints, length: int) -> Ints:
        """The vectors, divided by their leading coordinates."""

    def characters(self, weights: Floats, directions: Ints, length: int) -> Floats:
        """The sum of the transform over all multiples of each direction but 0: real, as λ and -λ are conjugate."""
        turned, total = self.spectrum(weights, length), np.zeros(directions.size)
        for factor in range(1, self.size):
            total += turned[self.multiple(factor, directions, length)].real
        return total

    def spread(self, law: Floats, directions: Ints, length: int) -> Floats:
        """Σ_c law_c Σ_λ ω^(λ c·y) for each vector y, over all multiples λ ≠ 0: the transpose of `characters`."""
        placed = np.zeros(self.size**length)
        for factor in range(1, self.size):
            placed[self.multiple(factor, directions, length)] = law
        return self.spectrum(placed, length).real

    def orthogonal(self, vectors: Ints, directions: Ints, length: int) -> Ints:
        """How many of the vectors are orthogonal to each direction.

        A vector and its multiples are orthogonal to the same directions, so each is divided by its leading
        coordinate, at j say; the j coordinates below it are free, and transforms are over q^j vectors: q times fewer
        than all.
        """
        lead = np.full(vectors.shape, -1)
        for j in range(length):
            lead += vectors >= self.size**j
        scaled = self.scaled(vectors, np.maximum(lead, 0), length)
        total = np.full(directions.size, np.count_nonzero(lead < 0), dtype=np.float64)
        for j in range(length):
            below = scaled[lead == j] - self.size**j
            digits = directions // self.size**j % self.size
            if j == 0 or not below.size:
                total += below.size * (digits == 0)
                continue
            turned = self.spectrum(np.bincount(below, minlength=self.size**j).astype(np.float64), j)
            low, found = directions % self.size**j, np.full(directions.size, float(below.size))
            for factor in range(1, self.size):
                found += (turned[self.multiple(factor, low, j)] * self.character(factor, digits)).real
            total += found / self.size
        counts: Ints = np.rint(total).astype(np.int64)
        return counts


@dataclass(frozen=True, slots=True)
class BinaryField(FiniteField):
    """The field of 2^m elements: addition is exclusive or, and the transform that of Walsh and Hadamard."""

    size: int

    @property
    def width(self) -> int:
        return self.size.bit_length() - 1

    def products(self, one: Ints, other: Ints, length: int) -> Ints:
        table, _ = binary_tables(self.size)
        mask = self.size - 1
        product = np.zeros(np.broadcast_shapes(one.shape, other.shape), dtype=np.int64)
        for shift in range(0, length * self.width, self.width):
            product ^= table[one >> shift & mask, other >> shift & mask]
        return product

    def moved(self, vectors: Ints, lead: Ints, products: Ints, wanted: Ints) -> Ints:
        result: Ints = vectors ^ ((products ^ wanted) << (lead * self.width))
        return result

    def multiple(self, factor: int, directions: Ints, length: int) -> Ints:
        table, trace = binary_tables(self.size)
        turned, places = trace[table[factor]], np.zeros(directions.size, dtype=np.int64)
        for shift in range(0, length * self.width, self.width):
            places |= turned[directions >> shift & (self.size - 1)] << shift
        return places

    def spectrum(self, weights: Floats, length: int) -> Floats:
        return walsh(weights)

    def character(self, factor: int, digits: Ints) -> Floats:
        table, trace = binary_tables(self.size)
        signs: Floats = 1.0 - 2.0 * (trace[table[factor]] & 1)
        return signs[digits]

    def scaled(self, vectors: Ints, leading: Ints, length: int) -> Ints:
        table, _ = binary_tables(self.size)
        inverse = np.append(0, np.argmax(table[1:] == 1, axis=1))
        by, result = inverse[vectors >> leading * self.width & (self.size - 1)], np.zeros_like(vectors)
        for shift in range(0, length * self.width, self.width):
            result |= table[by, vectors >> shift & (self.size - 1)] << shift
        return result


@dataclass(frozen=True, slots=True)
class PrimeField(FiniteField):
    """The numbers modulo a prime, and the Fourier transform."""

    size: int

    def products(self, one: Ints, other: Ints, length: int) -> Ints:
        product = np.zeros(np.broadcast_shapes(one.shape, other.shape), dtype=np.int64)
        for j in range(length):
            product += one // self.size**j % self.size * (other // self.size**j % self.size)
        product %= self.size
        return product

    def moved(self, vectors: Ints, lead: Ints, products: Ints, wanted: Ints) -> Ints:
        step = np.power(self.size, lead)
        digit = vectors // step % self.size
        result: Ints = vectors + ((digit + wanted - products) % self.size - digit) * step
        return result

    def multiple(self, factor: int, directions: Ints, length: int) -> Ints:
        places = np.zeros(directions.size, dtype=np.int64)
        for j in range(length):
            places += factor * (directions // self.size**j % self.size) % self.size * self.size**j
        return places

    def spectrum(self, weights: Floats, length: int) -> Complexes:
        turned: Complexes = np.fft.fftn(weights.reshape((self.size,) * length)).ravel()
        return turned

    def character(self, factor: int, digits: Ints) -> Complexes:
        turns: Complexes = np.exp(-2j * np.pi * (factor * np.arange(self.size) % self.size) / self.size)
        return turns[digits]

    def scaled(self, vectors: Ints, leading: Ints, length: int) -> Ints:
        inverse = np.array([pow(a, self.size - 2, self.size) for a in range(self.size)])
        by = inverse[vectors // np.power(self.size, leading) % self.size]
        result = np.zeros_like(vectors)
        for j in range(length):
            result += by * (vectors // self.size**j % self.size) % self.size * self.size**j
        return result


def field_of(size: int) -> FiniteField:
    """The field with so many elements."""
    return PrimeField(size) if size in PRIMES else BinaryField(size)


@cache
def binary_tables(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The multiplication table, and for each element a the bits tr(a xⁱ): so that χ(ab) = (-1)^popcount(bits & b)."""
    table = np.array([[_times(a, b, size) for b in range(size)] for a in range(size)])
    width = size.bit_length() - 1
    trace = np.arange(size)
    power = np.arange(size)
    for _ in range(width - 1):  # tr(a) = a + a² + a⁴ + ...
        power = table[power, power]
        trace = trace ^ power
    bits = np.zeros(size, dtype=np.int64)
    for i in range(width):
        bits |= trace[table[:, 1 << i]] << i
    return table, bits


def _times(a: int, b: int, size: int) -> int:
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & size:
            a ^= _POLYNOMIALS[size]
        b >>= 1
    return product


def walsh(values: Floats) -> Floats:
    """The Walsh-Hadamard transform, Σ_y (-1)^popcount(x & y) values_y, for a power-of-two length.

    Six bits of the index are transformed at once, by a product with the 64 x 64 matrix: a pass over the memory for
    six halvings.

    >>> walsh(np.array([1.0, 2.0]))
    array([ 3., -1.])
    """
    result = np.ascontiguousarray(values, dtype=np.float64)
    done = 1
    while done < values.size:
        bits = min(_RADIX, (values.size // done).bit_length() - 1)
        signs = _signs(bits)
        if done == 1:
            result = result.reshape(-1, 1 << bits) @ signs
        else:
            result = np.matmul(signs, result.reshape(-1, 1 << bits, done))
        done <<= bits
    return result.ravel().copy() if done == 1 else result.ravel()


@cache
def _signs(bits: int) -> Floats:
    """The Hadamard matrix of 2^bits rows."""
    signs = np.ones((1, 1))
    for _ in range(bits):
        signs = np.block([[signs, signs], [signs, -signs]])
    return signs
