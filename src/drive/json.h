// A JSON value to print: built by hand, written out by the library behind json.cc, the one file that includes it for
// output.
//
//   Json facts = Json::object({{"threads", 2}, {"name", "run"}});
//   console.print(facts.text());
//
// Cost      A tree of small values; for summaries and lines, not for a value of millions of nodes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace reprise::drive {

class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json() = default;
  Json(bool value) : value_(value) {}  // NOLINT(google-explicit-constructor): a literal is a value
  Json(int value) : value_(static_cast<std::int64_t>(value)) {}             // NOLINT(google-explicit-constructor)
  Json(std::int64_t value) : value_(value) {}                               // NOLINT(google-explicit-constructor)
  Json(std::uint32_t value) : value_(static_cast<std::uint64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  Json(std::uint64_t value) : value_(value) {}                              // NOLINT(google-explicit-constructor)
  Json(double value) : value_(value) {}                                     // NOLINT(google-explicit-constructor)
  Json(const char* value) : value_(std::string(value)) {}                   // NOLINT(google-explicit-constructor)
  Json(std::string_view value) : value_(std::string(value)) {}              // NOLINT(google-explicit-constructor)
  Json(std::string value) : value_(std::move(value)) {}                     // NOLINT(google-explicit-constructor)

  static Json object(std::vector<Member> members = {}) {
    Json json;
    json.value_ = std::move(members);
    return json;
  }
  static Json array(std::vector<Json> items = {}) {
    Json json;
    json.value_ = std::move(items);
    return json;
  }

  // REQUIRES an object, or an array.
  Json& add(std::string name, Json value);
  Json& push(Json value);

  // One line per member, indented by two; or, with `compact`, all in one line. Bytes that are no UTF-8 become U+FFFD.
  std::string text(bool compact = false) const;

  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<Json>,
                             std::vector<Member>>;
  const Value& value() const { return value_; }

 private:
  Value value_{nullptr};
};

}  // namespace reprise::drive
