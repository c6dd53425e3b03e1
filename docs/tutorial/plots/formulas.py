# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What theory says beside the measurements: integrals and equations, in f64.

Written from the mathematics, without a look at the compiler: where a line of a
figure and a kernel agree, two programs agree.
"""

import math

import numpy as np

_Z = np.linspace(-14.0, 14.0, 28001)
_DENSITY = np.exp(-_Z * _Z / 2) / math.sqrt(2 * math.pi) * (_Z[1] - _Z[0])
_erf = np.vectorize(math.erf)

SELU_LAMBDA, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772

FUNCTIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "selu": lambda x: SELU_LAMBDA * np.where(x > 0, x, SELU_ALPHA * np.expm1(np.minimum(x, 0))),
    "gelu": lambda x: x * (0.5 + 0.5 * _erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "softplus": lambda x: np.logaddexp(0, x),
}


def moments(function, variance=1.0):
    """E f(x) and E f(x)^2 for x ~ N(0, variance)."""
    y = FUNCTIONS[function](math.sqrt(variance) * _Z)
    return float(np.sum(_DENSITY * y)), float(np.sum(_DENSITY * y * y))


def sensitivity(function):
    """d log E f(sigma z)^2 / d log sigma^2 at sigma = 1."""
    step = 1e-3
    return (math.log(moments(function, 1 + step)[1]) - math.log(moments(function, 1 - step)[1])) / (2 * step)


def moment_over_depth(function, layers, gain=1.0, center=0.0):
    """Second moments of x_0 ... x_layers, x <- gain (f(x W) - center), from 1."""
    values = [1.0]
    for _ in range(layers):
        mean, second = moments(function, values[-1])
        values.append(gain * gain * (second - 2 * center * mean + center * center))
    return values


def solve(function, low, high):
    """Roots of increasing functions of an array, by bisection."""
    for _ in range(100):
        middle = (low + high) / 2
        above = function(middle) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


def alpha_normal(n):
    """Where alpha (1 - exp(alpha^2) / n) has its maximum."""
    n = np.asarray(n, float)
    return solve(lambda a: a * a + np.log1p(2 * a * a) - np.log(n), np.zeros_like(n), np.sqrt(np.log(n)))


def cosine_log_moment(d, a):
    """log E e^(a s) and its derivative, s the cosine of random directions in d dimensions."""
    angle = (np.arange(4000) + 0.5) * math.pi / 4000
    exponent = np.multiply.outer(np.asarray(a, float), np.cos(angle)) + (d - 2) * np.log(np.sin(angle))
    top = exponent.max(axis=-1, keepdims=True)
    weight = np.exp(exponent - top)
    total = weight.sum(axis=-1)
    norm = np.log(np.exp((d - 2) * np.log(np.sin(angle))).sum())
    return np.log(total) + top[..., 0] - norm, (weight * np.cos(angle)).sum(axis=-1) / total


def alpha_cosine(d, n):
    """Where alpha (1 - g(2 alpha) / (n g(alpha)^2)) has its maximum."""

    def excess(a):
        (one, slope_one), (two, slope_two) = cosine_log_moment(d, a), cosine_log_moment(d, 2 * a)
        return two - 2 * one + np.log1p(2 * a * (slope_two - slope_one)) - np.log(n)

    n = np.asarray(n, float)
    return solve(excess, np.zeros_like(n), np.full_like(n, 400.0))


def entropy_cosine(d, n, a):
    """log n + log g(a) - a g'(a) / g(a): the entropy if sums were expectations."""
    value, slope = cosine_log_moment(d, a)
    return math.log(n) + value - np.asarray(a) * slope


def slope_through_origin(x, y):
    """The least-squares c of y = c x."""
    return float(np.dot(x, y) / np.dot(x, x))


def main():
    """Prints what an activation does to the second moment: python3 -m plots.formulas"""
    print(f"{'f':<10}{'E f':>9}{'E f^2':>9}{'gain':>9}{'slope':>9}")
    for function in FUNCTIONS:
        mean, second = moments(function)
        print(f"{function:<10}{abs(mean):9.4f}{second:9.4f}{second**-0.5:9.3f}{sensitivity(function):9.2f}")


if __name__ == "__main__":
    main()
