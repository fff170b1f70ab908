// How figures are measured: pairs of two sides in alternating order, many short ones, the median of their ratios.
//
//   const Figure figure = measure_pairs(plain, gated, {.pairs = 101});    // each side: nanoseconds of one short run
//   figure.ratio; figure.noise;                                           // noise: the plain side against itself
//
// Why      A cloud guest drifts by tens of percent within seconds. Two runs next to each other drift alike, and the
// median of many
//          ratios forgets the pairs that were interrupted (101 short pairs: 0.987-1.016 against itself; eleven long
//          ones: 0.93-1.11).
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace bench {

inline double now_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}
inline double wall_ns() { return now_ns(CLOCK_MONOTONIC); }
inline double thread_ns() { return now_ns(CLOCK_THREAD_CPUTIME_ID); }

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Where the median lies with 95 % confidence, whatever the distribution: by ranks.
struct Interval {
  double low{0};
  double high{0};
};
inline Interval interval_of_median(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const auto reach = static_cast<std::size_t>(std::ceil(0.98 * std::sqrt(count)));
  const std::size_t middle = values.size() / 2;
  const std::size_t low = middle > reach ? middle - reach : 0;
  return {values[low], values[std::min(middle + reach, values.size() - 1)]};
}

// One short run of one side; returns what it took.
using Side = std::function<double()>;

struct Figure {
  double ratio{0};
  double noise{0};
  double plain_ns{0};  // median of the plain side's runs
};

// `side` against `plain`, and between those pairs `plain` against itself.
inline Figure measure_pairs(const Side& plain, const Side& side, int pairs) {
  std::vector<double> ratios;
  std::vector<double> noises;
  std::vector<double> plains;
  plain();
  side();
  for (int i = 0; i < pairs; ++i) {
    const bool swapped = i % 2 != 0;
    double first = swapped ? side() : plain();
    double second = swapped ? plain() : side();
    ratios.push_back(swapped ? first / second : second / first);
    first = plain();
    second = plain();
    plains.push_back(first);
    noises.push_back(swapped ? first / second : second / first);
  }
  return {median(ratios), median(noises), median(plains)};
}

// How many rounds of `run(rounds)` take about `wanted_ns`; `run` returns nanoseconds.
template <typename Run>
std::uint64_t rounds_for(double wanted_ns, Run run) {
  std::uint64_t rounds = 256;
  double took = run(rounds);
  while (took < wanted_ns / 4 && rounds < (std::uint64_t{1} << 32)) {
    rounds *= 2;
    took = run(rounds);
  }
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(rounds) * wanted_ns / took));
}

}  // namespace bench
