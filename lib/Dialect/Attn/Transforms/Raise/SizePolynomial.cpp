//===- SizePolynomial.cpp - Arithmetic of sizes ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "attn/Dialect/Attn/Transforms/Raise/Sizes.h"
#include <numeric>

using namespace mlir;

namespace attn::raise {

static int64_t addWrapping(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
static int64_t multiplyWrapping(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

Size Size::operator+(const Size &other) const {
  Size sum = *this;
  for (const auto &[unknowns, number] : other.terms) {
    int64_t &coefficient = sum.terms[unknowns];
    coefficient = addWrapping(coefficient, number);
    if (coefficient == 0)
      sum.terms.erase(unknowns);
  }
  return sum;
}

Size Size::operator*(const Size &other) const {
  Size product;
  for (const auto &[left, a] : terms)
    for (const auto &[right, b] : other.terms) {
      Size term;
      SmallVector<unsigned> unknowns(left);
      llvm::append_range(unknowns, right);
      llvm::sort(unknowns);
      if (int64_t number = multiplyWrapping(a, b))
        term.terms[unknowns] = number;
      product = product + term;
    }
  return product;
}

std::optional<Size> Size::divideBy(const Size &divisor) const {
  if (divisor.terms.size() != 1)
    return std::nullopt;
  const auto &[factors, number] = *divisor.terms.begin();
  Size quotient;
  for (const auto &[unknowns, coefficient] : terms) {
    if (coefficient % number != 0)
      return std::nullopt;
    SmallVector<unsigned> rest(unknowns);
    for (unsigned factor : factors) {
      auto it = llvm::find(rest, factor);
      if (it == rest.end())
        return std::nullopt;
      rest.erase(it);
    }
    quotient.terms[rest] = coefficient / number;
  }
  return quotient;
}

Size Size::substitute(unsigned id, const Size &value) const {
  Size result;
  for (const auto &[unknowns, number] : terms) {
    Size term(number);
    for (unsigned unknown : unknowns)
      term = term * (unknown == id ? value : Size::unknown(unknown));
    result = result + term;
  }
  return result;
}

Size Size::getPrimitive() const {
  if (terms.empty())
    return *this;
  uint64_t divisor = 0;
  SmallVector<unsigned> common(terms.begin()->first);
  for (const auto &[unknowns, number] : terms) {
    divisor = std::gcd(divisor, llvm::AbsoluteValue(number));
    SmallVector<unsigned> shared;
    std::set_intersection(common.begin(), common.end(), unknowns.begin(),
                          unknowns.end(), std::back_inserter(shared));
    common = shared;
  }
  Size factor;
  if (divisor > INT64_MAX)
    return *this;
  factor.terms[common] = static_cast<int64_t>(divisor);
  return *divideBy(factor);
}

int64_t Size::getCoefficient(unsigned id) const {
  auto it = terms.find({id});
  return it == terms.end() ? 0 : it->second;
}

std::optional<unsigned> Size::getSolvable() const {
  std::optional<unsigned> last;
  for (const auto &[unknowns, number] : terms) {
    if (unknowns.size() != 1 || (number != 1 && number != -1))
      continue;
    unsigned id = unknowns[0];
    bool isElsewhere = llvm::any_of(terms, [&](const auto &term) {
      return term.first.size() > 1 && llvm::is_contained(term.first, id);
    });
    if (!isElsewhere && (!last || id > *last))
      last = id;
  }
  return last;
}

} // namespace attn::raise
