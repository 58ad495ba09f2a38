#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/artefacts.h"
#include "config/options.h"
#include "pipeline/duplicates/file_name.h"
#include "pipeline/duplicates/lineage.h"
#include "pipeline/duplicates/pair.h"
#include "stages/decode/file_description.h"
#include "stages/decode/metadata.h"

// Which of several files with one picture stays, and why.
namespace lookalike {

// A file, and what the choice depends on.
struct KeepCandidate {
  SourceFile file;  // with the name of its page
  PictureSize size{};
  bool is_as_indexed = false;
  bool is_link = false;
  std::uint32_t pages = 1;
  std::size_t preference = 0;  // place of its folder among the preferred; their number for others
  NameRank name{};
  FileDescription description{};
  std::size_t companions = 0;  // files beside it that belong to it
  Metadata metadata{};
};

// The first rule by which two files differ.
struct KeepChoice {
  bool first_stays = false;
  std::string_view reason;  // said of the file that does not: "the other has more pixels"
};

// Compares two files by the rules in their order: as indexed, in a preferred folder, holds more,
// has more companions, colour, pixels, more than 256 colours, lossless, quality, says more, no
// link, earlier date taken, no name of a copy, a name that says more, older, shorter path, path.
KeepChoice choose(const KeepCandidate& a, const KeepCandidate& b);

// Returns the place of the first of the folders that holds a file; their number if none does.
std::size_t preference_of(const std::string& path, const std::vector<std::string>& folders);

// Reads what files hold and compares their pictures. Keeps the last few pictures in memory. For one
// thread.
class FileInspector {
 public:
  explicit FileInspector(ImagesOptions limits) : limits_(std::move(limits)) {}

  // Describes a file, and what is written into it; one that cannot be read holds something unknown.
  // An alpha channel that is opaque all over counts as none.
  void describe(KeepCandidate& file) const;

  // Returns whether a file was made from another of the same view: enlarged or saved again. kOther
  // of a file of the same size means that nothing of the other is lost in it but by quality.
  //   orientation  turns the other as the file is; see upright()
  Lineage lineage(const KeepCandidate& file, const KeepCandidate& from, int orientation);

  // True if an edge runs along a side of a crop's place in a larger picture: it stands in a frame.
  bool is_framed(const KeepCandidate& larger, const Quad& place);
  // True if edges run along all of its sides that lie inside the larger picture, at least two: it
  // is pasted in.
  bool is_pasted(const KeepCandidate& larger, const Quad& place);

 private:
  struct Pixels {
    std::string path;
    bool in_colour = false;
    int orientation = 1;  // turns them from what the file stores
    cv::Mat pixels{};     // empty if they cannot be read
  };
  const Pixels& read(const std::string& path, bool in_colour);
  const cv::Mat& pixels(const std::string& path, bool in_colour) {
    return read(path, in_colour).pixels;
  }
  Lineage compare(const KeepCandidate& file, const KeepCandidate& from, int orientation);
  Lineage compare_lossless(const KeepCandidate& file, const KeepCandidate& from, int orientation);
  bool can_be_saved_from(const KeepCandidate& file, const KeepCandidate& jpeg, int orientation);
  bool has_equal_pixels(const KeepCandidate& file, const KeepCandidate& other, int orientation);
  Source source_for(const KeepCandidate& file, const KeepCandidate& from, int orientation);
  cv::Mat gray_pixels(const KeepCandidate& file);
  cv::Mat stored_pixels(const KeepCandidate& file);
  int stored_orientation(const KeepCandidate& file) {
    return read(file.file.path, file.description.is_lossless).orientation;
  }

  ImagesOptions limits_;
  std::list<Pixels> recent_;  // latest first
  std::map<std::tuple<std::string, std::string, int>, Lineage> known_;
};

// True if a file was made from another one that shows the same, whole and perhaps turned.
//   relation  of the file to the other
bool was_made_from(const KeepCandidate& one, const KeepCandidate& other, const Relation& relation,
                   FileInspector& inspector);

// Returns in words what one file holds beside its picture that another one does not, so that it
// cannot go for that one, whatever the two show; nothing if there is nothing.
std::optional<std::string> lost_beside_picture(const KeepCandidate& one,
                                               const KeepCandidate& other);

// Returns in words what would be lost if a file went for another that stays; nothing if nothing
// would be.
//   relation  of the file to the other
std::optional<std::string> lost_without(const KeepCandidate& one, const KeepCandidate& other,
                                        const Relation& relation, FileInspector& inspector);

}  // namespace lookalike
