#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace lookalike {

// Values that are dear to make, by key, kept while they fit into `limit_bytes`; when one more does
// not, all are forgotten. What was handed out lives on with who has it.
template <typename Key, typename Value>
class Kept {
 public:
  explicit Kept(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // The value of the key: the one that is kept, or what make() gives, of about size_of(value)
  // bytes.
  template <typename Make, typename SizeOf>
  std::shared_ptr<const Value> get(const Key& key, Make make, SizeOf size_of) {
    if (const auto found = values_.find(key); found != values_.end()) return found->second;
    auto value = std::make_shared<const Value>(make());
    const std::size_t size = sizeof(Value) + size_of(*value);
    if (size > limit_bytes_) return value;
    if (bytes_ + size > limit_bytes_) {
      values_.clear();
      bytes_ = 0;
    }
    bytes_ += size;
    values_.emplace(key, value);
    return value;
  }

 private:
  const std::size_t limit_bytes_;
  std::size_t bytes_ = 0;
  std::unordered_map<Key, std::shared_ptr<const Value>> values_;
};

}  // namespace lookalike
