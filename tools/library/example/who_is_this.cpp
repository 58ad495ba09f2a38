// who_is_this INDEX FOLDER PHOTO: updates an index of the folder, and looks up a photo in it.
#include <iostream>
#include <lookalike.h>

int main(int count, char** words) try {
  if (count != 4) {
    std::cerr << "usage: who_is_this INDEX FOLDER PHOTO\n";
    return 2;
  }
  lookalike::update_index(words[1], {words[2]});
  for (const lookalike::Found& found : lookalike::Finder(words[1]).find(words[3])) {
    std::cout << found.decision << ' ' << found.probability << ' ' << found.path << '\n';
  }
} catch (const lookalike::Failure& failure) {
  std::cerr << failure.what() << '\n';
  return static_cast<int>(failure.kind());
}
