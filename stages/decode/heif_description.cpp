#include "stages/decode/heif_description.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "stages/decode/boxes.h"

namespace lookalike {
namespace {

struct Item {
  std::string_view type;
  bool is_hidden = false;
};

constexpr std::array<std::string_view, 9> kPictures = {"hvc1", "hev1", "av01", "grid", "iovl",
                                                       "iden", "jpeg", "avc1", "j2k1"};

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::array<std::string_view, kCount>& known) {
  return std::ranges::find(known, text) != known.end();
}

bool contains(ByteSpan bytes, std::string_view text) {
  return has_any_text(bytes, {&text, 1});
}

class HeifFile {
 public:
  explicit HeifFile(ByteSpan file) : file_(file) {}

  FileDescription description() {
    const ByteSpan rest = for_each_box(file_, [&](auto type, ByteSpan box) { look_at(type, box); });
    if (!rest.empty()) found_.unknown = "bytes behind the last box";
    const auto is_shown = [&](const auto& item) {
      return is_one_of(item.second.type, kPictures) && !item.second.is_hidden &&
             !parts_.contains(item.first);
    };
    const auto shown = static_cast<std::size_t>(std::ranges::count_if(items_, is_shown));
    found_.pictures = std::max<std::size_t>(1, shown);
    if (entries_ > kMostEntries) found_.unknown = "a longer list than is read";
    return found_;
  }

 private:
  bool spend() { return ++entries_ <= kMostEntries; }

  void look_at(std::string_view type, ByteSpan box) {
    constexpr std::array<std::string_view, 4> kHarmless = {"mdat", "free", "skip", "wide"};
    if (type == "ftyp") {
      const bool is_av1 = has_text(box, 0, "avif") || has_text(box, 0, "avis") ||
                          contains(box, "avif") || contains(box, "avis");
      found_.codec = is_av1 ? Codec::kAvif : Codec::kHeic;
      if (has_text(box, 0, "avis") || has_text(box, 0, "msf1") || has_text(box, 0, "hevc")) {
        found_.frames = 0;
      }
    } else if (type == "meta") {
      look_at_items(from(box, 4));
    } else if (type == "moov") {
      found_.frames = 0;
    } else if (type == "mpvd") {
      found_.has_video = true;
    } else if (!is_one_of(type, kHarmless)) {
      found_.unknown = fmt::format("a box of type {}", printable(type));
    }
  }

  void look_at_items(ByteSpan meta) {
    constexpr std::array<std::string_view, 9> kKnown = {"hdlr", "pitm", "iinf", "iref", "iprp",
                                                        "iloc", "idat", "dinf", "grpl"};
    for_each_box(meta, [&](std::string_view type, ByteSpan box) {
      if (!spend()) return;
      if (type == "iinf") look_at_item_list(box);
      if (type == "iref") look_at_references(box);
      if (type == "iprp") look_at_properties(box);
      if (!is_one_of(type, kKnown) && type != "free") {
        found_.unknown = fmt::format("a box of type {}", printable(type));
      }
    });
    for_each_box(meta, [&](std::string_view type, ByteSpan box) {
      if (type == "iloc") look_at_locations(box);
    });
  }

  void look_at_item_list(ByteSpan box) {
    constexpr std::array<std::string_view, 4> kHarmless = {"Exif", "mime", "uri ", "tmap"};
    const std::size_t count_bytes = big_endian(box, 0, 1) == 0 ? 2 : 4;
    for_each_box(from(box, 4 + count_bytes), [&](std::string_view type, ByteSpan entry) {
      const std::size_t id_bytes = big_endian(entry, 0, 1) < 3 ? 2 : 4;
      const std::size_t name = 4 + id_bytes + 2;
      if (type != "infe" || name + 4 > entry.size() || !spend()) return;
      const std::string_view kind(reinterpret_cast<const char*>(entry.data()) + name, 4);
      items_[big_endian(entry, 4, id_bytes)] = {kind, (entry[3] & 1) != 0};
      if (kind == "tmap") found_.has_gain_map = true;
      if (!is_one_of(kind, kPictures) && !is_one_of(kind, kHarmless)) {
        found_.unknown = fmt::format("an item of type {}", printable(kind));
      }
    });
  }

  // Thumbnails and auxiliary pictures refer to the picture they belong to; a grid refers to its
  // tiles.
  void look_at_references(ByteSpan box) {
    const std::size_t id_bytes = big_endian(box, 0, 1) == 0 ? 2 : 4;
    for_each_box(from(box, 4), [&](std::string_view type, ByteSpan entry) {
      if (!spend()) return;
      if (type == "thmb" || type == "auxl") parts_.insert(big_endian(entry, 0, id_bytes));
      if (type != "dimg") return;
      const std::uint64_t count = big_endian(entry, id_bytes, 2);
      for (std::uint64_t i = 0; i < count && spend(); ++i) {
        parts_.insert(big_endian(entry, id_bytes + 2 + i * id_bytes, id_bytes));
      }
    });
  }

  void look_at_properties(ByteSpan properties) {
    for_each_box(properties, [&](std::string_view container, ByteSpan boxes) {
      if (container != "ipco") return;
      for_each_box(boxes, [&](std::string_view type, ByteSpan box) {
        if (!spend()) return;
        if (type == "auxC") look_at_auxiliary(from(box, 4));
        if (type == "pixi" && box.size() > 5) {
          channels_ = std::max(channels_, big_endian(box, 4, 1));
          found_.bits = std::max(found_.bits, std::uint32_t{box[5]});
          found_.has_colour = channels_ >= 3;
        }
      });
    });
  }

  void look_at_auxiliary(ByteSpan type) {
    if (has_text(type, 0, "urn:mpeg:hevc:2015:auxid:1") || contains(type, "auxiliary:alpha")) {
      found_.has_alpha = true;
    } else if (has_text(type, 0, "urn:mpeg:hevc:2015:auxid:2") || contains(type, "depth")) {
      found_.has_depth = true;
    } else if (contains(type, "gainmap")) {
      found_.has_gain_map = true;
    } else {
      found_.unknown = "an auxiliary picture";
    }
  }

  // Adds up the bytes of pictures and their parts.
  void look_at_locations(ByteSpan box) {
    LocationReader locations(box);
    for (auto found = locations.next_item(); found && spend(); found = locations.next_item()) {
      const auto item = items_.find(found->id);
      const bool is_picture = item != items_.end() && is_one_of(item->second.type, kPictures);
      for (std::uint64_t count = found->parts; count > 0 && spend(); --count) {
        const std::size_t length = locations.next_part().length;
        if (is_picture) found_.picture_bytes += std::min(length, file_.size());
      }
    }
  }

  ByteSpan file_;
  FileDescription found_;
  std::map<std::uint64_t, Item> items_;
  std::set<std::uint64_t> parts_;  // items that belong to others
  std::uint64_t channels_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

FileDescription describe_heif(ByteSpan file) {
  return HeifFile(file).description();
}

}  // namespace lookalike
