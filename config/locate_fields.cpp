#include "config/field_table.h"

namespace lookalike {
namespace {

void add_locate_range_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::locate;
  using Options = LocateOptions;
  to.push_back(field<kTable, &Options::min_turn_degrees>(
      "locate", "min_turn_degrees", Number{-360, 360}, "degrees",
      "Smallest turn that is searched, clockwise as seen."));
  to.push_back(field<kTable, &Options::max_turn_degrees>(
      "locate", "max_turn_degrees", Number{-360, 360}, "degrees",
      "Largest turn that is searched; not below min_turn_degrees."));
  to.push_back(field<kTable, &Options::turn_step_degrees>(
      "locate", "turn_step_degrees", Number{0.001, 90, "auto"}, "degrees",
      "Step of the coarsest search, halved with each finer level. \"auto\": a pixel at its rim."));
  to.push_back(field<kTable, &Options::min_scale>(
      "locate", "min_scale", Number{0.05, 20}, "",
      "Smallest scale that is searched: px of the scene per px of the object."));
  to.push_back(
      field<kTable, &Options::max_scale>("locate", "max_scale", Number{0.05, 20}, "",
                                         "Largest scale that is searched; not below min_scale."));
  to.push_back(field<kTable, &Options::scale_step>(
      "locate", "scale_step", Number{0.001, 1, "auto"}, "",
      "Relative step of the coarsest search. \"auto\": a pixel at the object's rim."));
}

}  // namespace

void add_locate_fields(std::vector<ConfigField>& to) {
  constexpr auto kTable = &RunConfig::locate;
  using Options = LocateOptions;
  to.push_back(field<kTable, &Options::method>(
      "locate", "method", Choice{{"auto", "features", "correlation"}}, "",
      "What finds the object. \"auto\": features, and correlation where these find nothing."));
  add_locate_range_fields(to);
  to.push_back(field<kTable, &Options::min_correlation>(
      "locate", "min_correlation", Number{0, 1}, "",
      "What correlation found is reported from this value on."));
  to.push_back(field<kTable, &Options::margin>(
      "locate", "margin", Number{0.001, 1, "auto"}, "",
      "By how much a candidate's score may be lower before its pose is exact. \"auto\": by the "
      "object."));
  to.push_back(field<kTable, &Options::polarity>(
      "locate", "polarity", Choice{{"same", "reversed", "either"}}, "",
      "Whether light and dark of the object may be exchanged."));
  to.push_back(field<kTable, &Options::max_overlap>(
      "locate", "max_overlap", Number{0, 1}, "intersection over union",
      "Of two hits that overlap by more, the better one is reported."));
  to.push_back(
      field<kTable, &Options::max_hits>("locate", "max_hits", WholeNumber{1, 10000}, "hits",
                                        "Of an object in a scene, the best are reported."));
}

}  // namespace lookalike
