// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/gradients.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace carryover {
namespace {

/// A point of a path through CIELAB; lightness is not in it: it is linear in t.
struct Knot {
  double t, a, b;
};

constexpr double darkest = 15, lightest = 91;

// Purple → blue → teal → green → yellow: hue falls from 305° to 100° while chroma stays inside sRGB at that lightness.
constexpr std::array viridis_knots = {Knot{0, 34, -31},   Knot{0.2, 17, -37},  Knot{0.4, -9, -22}, Knot{0.55, -28, -5},
                                      Knot{0.7, -43, 22}, Knot{0.85, -36, 58}, Knot{1, -12, 80}};
// Along blue–yellow only: red–green differences carry nothing.
constexpr std::array cividis_knots = {Knot{0, 5, -34}, Knot{0.25, 4, -20}, Knot{0.5, 0, 0}, Knot{0.75, -1, 34},
                                      Knot{1, -4, 74}};

// D65 white, as sRGB has it.
constexpr double white_x = 0.95047, white_z = 1.08883;
constexpr double lab_epsilon = 6.0 / 29;

double lab_inverse(double f) {
  return f > lab_epsilon ? f * f * f : 3 * lab_epsilon * lab_epsilon * (f - 4.0 / 29);
}

double to_srgb(double linear) {
  const double value = std::clamp(linear, 0.0, 1.0);
  return value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

double from_srgb(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

QColor from_lab(double lightness, double a, double b) {
  const double fy = (lightness + 16) / 116;
  const double x = white_x * lab_inverse(fy + a / 500), y = lab_inverse(fy), z = white_z * lab_inverse(fy - b / 200);
  return QColor::fromRgbF(static_cast<float>(to_srgb(3.2406 * x - 1.5372 * y - 0.4986 * z)),
                          static_cast<float>(to_srgb(-0.9689 * x + 1.8758 * y + 0.0415 * z)),
                          static_cast<float>(to_srgb(0.0557 * x - 0.2040 * y + 1.0570 * z)));
}

// A cubic through the knots with Catmull-Rom tangents: no kinks, which the eye would read as edges in the data.
double spline(std::span<const Knot> knots, std::size_t i, double t, double Knot::*part) {
  const auto tangent = [&](std::size_t k) {
    const Knot& before = knots[k == 0 ? 0 : k - 1];
    const Knot& after = knots[std::min(k + 1, knots.size() - 1)];
    return (after.*part - before.*part) / (after.t - before.t);
  };
  const double width = knots[i + 1].t - knots[i].t, u = (t - knots[i].t) / width;
  const double u2 = u * u, u3 = u2 * u;
  return (2 * u3 - 3 * u2 + 1) * (knots[i].*part) + (u3 - 2 * u2 + u) * width * tangent(i) +
         (3 * u2 - 2 * u3) * (knots[i + 1].*part) + (u3 - u2) * width * tangent(i + 1);
}

}  // namespace

QColor scale_colour(ColourScale scale, double t) {
  const std::span<const Knot> knots =
      scale == ColourScale::Viridis ? std::span<const Knot>(viridis_knots) : std::span<const Knot>(cividis_knots);
  t = std::clamp(t, 0.0, 1.0);
  std::size_t i = 0;
  while (i + 2 < knots.size() && t > knots[i + 1].t) ++i;
  return from_lab(darkest + (lightest - darkest) * t, spline(knots, i, t, &Knot::a), spline(knots, i, t, &Knot::b));
}

// Each arm is a straight line through CIELAB, from a grey near the page's (near, so that a zero is not taken for a
// blank) to a blue and an orange of the same lightness and chroma, which people who confuse red and green tell apart.
QColor diverging_colour(double t, bool on_dark) {
  struct End {
    double a, b;
  };
  constexpr End light_page[] = {{14, -50}, {27, 44}}, dark_page[] = {{-6, -38}, {20, 33}};
  const double page = on_dark ? 16 : 93, end = on_dark ? 72 : 44;
  t = std::clamp(t, -1.0, 1.0);
  const End& colour = (on_dark ? dark_page : light_page)[t > 0 ? 1 : 0];
  const double share = std::abs(t);
  return from_lab(page + (end - page) * share, colour.a * share, colour.b * share);
}

double cie_lightness(const QColor& colour) {
  const double y =
      0.2126 * from_srgb(colour.redF()) + 0.7152 * from_srgb(colour.greenF()) + 0.0722 * from_srgb(colour.blueF());
  const double cube = lab_epsilon * lab_epsilon * lab_epsilon;
  return 116 * (y > cube ? std::cbrt(y) : y / (3 * lab_epsilon * lab_epsilon) + 4.0 / 29) - 16;
}

}  // namespace carryover
