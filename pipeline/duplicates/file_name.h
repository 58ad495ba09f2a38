#pragma once

#include <string_view>

// What a file's name says of its picture.
namespace lookalike {

struct NameRank {
  bool is_of_copy = false;
  int meaning = 0;
};

// Calls both functions below.
NameRank rank_of_name(std::string_view path);

// True for names that copying and editing make, as "a (1).jpg", "a - Copy.jpg", "Copy of a.jpg",
// "a~2.jpg" and "a-edited.jpg", also in other languages, and for names with characters that are not
// shown or bytes that are not UTF-8, in any folder of the path.
bool is_name_of_copy(std::string_view path);

// Returns how much a path says: 1 for a name with a word, as "Grandma 80th.jpg", that no camera or
// program writes ("IMG_0001.jpg", "WhatsApp Image"), and 1 for a folder that begins with a year.
int meaning_of_name(std::string_view path);

}  // namespace lookalike
