#include "stages/match/verify/pose_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace lookalike {
namespace {

constexpr std::size_t kMaxParameters = 8;
constexpr int kIterations = 6;
constexpr double kConverged = 1e-4;  // relative to the spread of the points, far below a pixel
// A pivot below this share of its diagonal leaves the parameter undetermined: points whose spread
// across a line is under 3 % of their spread along it are taken to lie on that line.
constexpr double kMinPivotShare = 1e-3;

using Vector = std::array<double, kMaxParameters>;

// Brings points to mean 0 and a mean square distance of 2, which keeps the equations well scaled.
struct Normalisation {
  Homography to_normal;
  double scale = 1;
};

template <typename Member>
std::optional<Normalisation> normalisation(std::span<const PointPair> pairs, Member member) {
  const auto count = static_cast<double>(pairs.size());
  Point mean;
  for (const PointPair& pair : pairs) {
    mean.x += (pair.*member).x / count;
    mean.y += (pair.*member).y / count;
  }
  double square = 0;
  for (const PointPair& pair : pairs) {
    square +=
        (std::pow((pair.*member).x - mean.x, 2) + std::pow((pair.*member).y - mean.y, 2)) / count;
  }
  if (!(square > 0) || !std::isfinite(square)) return std::nullopt;
  const double scale = std::sqrt(2 / square);
  return Normalisation{{{scale, 0, -scale * mean.x, 0, scale, -scale * mean.y, 0, 0, 1}}, scale};
}

void apply_step(PoseModel model, const Vector& step, Homography& map) {
  if (model == PoseModel::kSimilarity) {
    const auto [a, b, x, y] = std::array{step[0], step[1], step[2], step[3]};
    const std::array<double, 6> change = {a, -b, x, b, a, y};
    for (std::size_t i = 0; i < change.size(); ++i) map.h[i] += change[i];
    return;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(model); ++i) map.h[i] += step[i];
}

// Normal equations of one Gauss-Newton step.
class Equations {
 public:
  explicit Equations(std::size_t parameters) : n_(parameters) {}

  // Adds the derivatives of a coordinate by the parameters in `columns`; those by others are 0.
  template <std::size_t kCount>
  void add(const std::array<std::size_t, kCount>& columns,
           const std::array<double, kCount>& derivatives, double residual, double weight) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double weighted = weight * derivatives[i];
      for (std::size_t j = 0; j <= i; ++j) {
        matrix_[columns[i]][columns[j]] += weighted * derivatives[j];
      }
      right_[columns[i]] += weighted * residual;
    }
  }

  // Solves by Cholesky decomposition; returns nothing if a pivot is too small.
  std::optional<Vector> solve() {
    for (std::size_t i = 0; i < n_; ++i) {
      const double diagonal = matrix_[i][i];
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = matrix_[i][j];
        for (std::size_t k = 0; k < j; ++k) sum -= matrix_[i][k] * matrix_[j][k];
        if (i != j) {
          matrix_[i][j] = sum / matrix_[j][j];
        } else {
          if (!(sum > kMinPivotShare * diagonal)) return std::nullopt;
          matrix_[i][i] = std::sqrt(sum);
        }
      }
    }
    return substitute();
  }

 private:
  Vector substitute() const {
    Vector solution = right_;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) solution[i] -= matrix_[i][k] * solution[k];
      solution[i] /= matrix_[i][i];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) solution[i] -= matrix_[k][i] * solution[k];
      solution[i] /= matrix_[i][i];
    }
    return solution;
  }

  std::size_t n_;
  std::array<Vector, kMaxParameters> matrix_{};  // the lower triangle
  Vector right_{};
};

// Adds a pair, with the weight that its distance under the map gives it.
template <PoseModel kModel>
void add_pair(const PointPair& pair, const Homography& map, double scale, Equations& equations) {
  const double w = kModel == PoseModel::kPerspective ? map.depth(pair.object) : 1;
  const Point mapped = map.apply(pair.object, w);
  const double x = pair.scene.x - mapped.x;
  const double y = pair.scene.y - mapped.y;
  const double root = 1 / (1 + (x * x + y * y) / (scale * scale));
  const double weight = root * root;
  const double u = pair.object.x / w;
  const double v = pair.object.y / w;
  if constexpr (kModel == PoseModel::kSimilarity) {  // a, b, shift x, shift y of (a -b; b a)
    equations.add<3>({0, 1, 2}, {u, -v, 1}, x, weight);
    equations.add<3>({0, 1, 3}, {v, u, 1}, y, weight);
  } else if constexpr (kModel == PoseModel::kAffine) {
    equations.add<3>({0, 1, 2}, {u, v, 1}, x, weight);
    equations.add<3>({3, 4, 5}, {u, v, 1}, y, weight);
  } else {
    equations.add<5>({0, 1, 2, 6, 7}, {u, v, 1 / w, -mapped.x * u, -mapped.x * v}, x, weight);
    equations.add<5>({3, 4, 5, 6, 7}, {u, v, 1 / w, -mapped.y * u, -mapped.y * v}, y, weight);
  }
}

// Returns one step on normalised pairs; nothing if it is not determined or runs away.
template <PoseModel kModel>
std::optional<Vector> gauss_newton_step(std::span<const PointPair> pairs, const Homography& map,
                                        double scale) {
  Equations equations(static_cast<std::size_t>(kModel));
  for (const PointPair& pair : pairs) add_pair<kModel>(pair, map, scale, equations);
  return equations.solve();
}

std::optional<Vector> gauss_newton_step(PoseModel model, std::span<const PointPair> pairs,
                                        const Homography& map, double scale) {
  switch (model) {
    case PoseModel::kSimilarity:
      return gauss_newton_step<PoseModel::kSimilarity>(pairs, map, scale);
    case PoseModel::kAffine:
      return gauss_newton_step<PoseModel::kAffine>(pairs, map, scale);
    case PoseModel::kPerspective:
      return gauss_newton_step<PoseModel::kPerspective>(pairs, map, scale);
  }
  return std::nullopt;
}

bool is_small(const Vector& step) {
  return std::all_of(step.begin(), step.end(), [](double v) { return std::abs(v) < kConverged; });
}

}  // namespace

std::optional<Homography> fit_pose(PoseModel model, std::span<const PointPair> pairs,
                                   const Homography& start, double scale_px) {
  if (2 * pairs.size() < static_cast<std::size_t>(model)) return std::nullopt;
  const auto object = normalisation(pairs, &PointPair::object);
  const auto scene = normalisation(pairs, &PointPair::scene);
  if (!object || !scene) return std::nullopt;
  std::vector<PointPair> normal(pairs.begin(), pairs.end());
  for (PointPair& pair : normal) {
    pair = {object->to_normal.apply(pair.object), scene->to_normal.apply(pair.scene)};
  }
  Homography map = scene->to_normal * start * object->to_normal.inverse();
  for (double& value : map.h) value /= map.h[8];
  for (int i = 0; i < kIterations; ++i) {
    const auto step = gauss_newton_step(model, normal, map, scale_px * scene->scale);
    if (!step) return std::nullopt;
    apply_step(model, *step, map);
    if (is_small(*step)) break;
  }
  map = scene->to_normal.inverse() * map * object->to_normal;
  for (double& value : map.h) value /= map.h[8];
  for (const double value : map.h) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return map;
}

}  // namespace lookalike
