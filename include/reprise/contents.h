// How values become bytes and bytes values again: for shared<T> at level data, and for typed messages.
//
//   template <> struct reprise::contents<Point> {
//     static void save(std::string& bytes, const Point& point) { contents_save(bytes, point.x); contents_save(bytes,
//     point.y); } static bool load(std::string_view& bytes, Point& point) { return contents_load(bytes, point.x) &&
//     contents_load(bytes, point.y); }
//   };
//
// Trivially copyable types, std::string, pairs, tuples, optionals, arrays and the standard containers work as they are.
// Pointers do not: an address means nothing elsewhere.
//
// Trust   load() reads bytes that may come from anywhere: it says false when they do not hold a T, and never allocates
// more than a
//         small multiple of their length.
#pragma once

#include <reprise/detail/gate.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace reprise {

template <typename T>
struct contents;

// The bytes of `value` are appended.
template <typename T>
void contents_save(std::string& bytes, const T& value) {
  contents<T>::save(bytes, value);
}

// Takes a T from the front of `bytes`. False: they do not hold one.
template <typename T>
[[nodiscard]] bool contents_load(std::string_view& bytes, T& value) {
  return contents<T>::load(bytes, value);
}

namespace detail {

template <typename T>
concept plain_contents = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::view<T>;

template <typename T>
concept container_contents =
    std::ranges::sized_range<T> && !std::ranges::view<T> && std::is_default_constructible_v<T> &&
    (
        requires(T box, typename T::value_type item) { box.push_back(std::move(item)); } ||
        requires(T box, typename T::value_type item) { box.insert(std::move(item)); });

// A map's value_type has a constant key, which cannot be loaded into.
template <typename T>
struct Loadable {
  using type = T;
};
template <typename Key, typename Value>
struct Loadable<std::pair<const Key, Value>> {
  using type = std::pair<Key, Value>;
};

inline void save_size(std::string& bytes, std::size_t size) {
  const std::uint64_t wide = size;
  bytes.append(reinterpret_cast<const char*>(&wide), sizeof wide);
}
inline bool load_size(std::string_view& bytes, std::size_t& size) {
  std::uint64_t wide = 0;
  if (bytes.size() < sizeof wide) return false;
  std::memcpy(&wide, bytes.data(), sizeof wide);
  bytes.remove_prefix(sizeof wide);
  size = static_cast<std::size_t>(wide);
  return true;
}

}  // namespace detail

template <typename T>
requires detail::plain_contents<T>
struct contents<T> {
  static void save(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static bool load(std::string_view& bytes, T& value) {
    if (bytes.size() < sizeof value) return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return true;
  }
};

template <>
struct contents<std::string> {
  static void save(std::string& bytes, const std::string& value) {
    detail::save_size(bytes, value.size());
    bytes += value;
  }
  static bool load(std::string_view& bytes, std::string& value) {
    std::size_t size = 0;
    if (!detail::load_size(bytes, size) || size > bytes.size()) return false;
    value.assign(bytes.data(), size);
    bytes.remove_prefix(size);
    return true;
  }
};

template <typename T>
requires(!detail::plain_contents<T>) struct contents<std::optional<T>> {
  static void save(std::string& bytes, const std::optional<T>& value) {
    contents_save(bytes, value.has_value());
    if (value) contents_save(bytes, *value);
  }
  static bool load(std::string_view& bytes, std::optional<T>& value) {
    bool there = false;
    if (!contents_load(bytes, there)) return false;
    if (!there) {
      value.reset();
      return true;
    }
    return contents_load(bytes, value.emplace());
  }
};

template <typename First, typename Second>
requires(!detail::plain_contents<std::pair<First, Second>>) struct contents<std::pair<First, Second>> {
  static void save(std::string& bytes, const std::pair<First, Second>& value) {
    contents_save(bytes, value.first);
    contents_save(bytes, value.second);
  }
  static bool load(std::string_view& bytes, std::pair<First, Second>& value) {
    return contents_load(bytes, value.first) && contents_load(bytes, value.second);
  }
};

template <typename... Parts>
requires(!detail::plain_contents<std::tuple<Parts...>>) struct contents<std::tuple<Parts...>> {
  static void save(std::string& bytes, const std::tuple<Parts...>& value) {
    std::apply([&](const auto&... part) { (contents_save(bytes, part), ...); }, value);
  }
  static bool load(std::string_view& bytes, std::tuple<Parts...>& value) {
    return std::apply([&](auto&... part) { return (contents_load(bytes, part) && ...); }, value);
  }
};

template <typename T, std::size_t size>
requires(!detail::plain_contents<std::array<T, size>>) struct contents<std::array<T, size>> {
  static void save(std::string& bytes, const std::array<T, size>& value) {
    for (const T& item : value) contents_save(bytes, item);
  }
  static bool load(std::string_view& bytes, std::array<T, size>& value) {
    for (T& item : value) {
      if (!contents_load(bytes, item)) return false;
    }
    return true;
  }
};

template <typename T>
requires(detail::container_contents<T> && !detail::plain_contents<T>) struct contents<T> {
  using Item = typename detail::Loadable<typename T::value_type>::type;

  static void save(std::string& bytes, const T& value) {
    detail::save_size(bytes, static_cast<std::size_t>(std::ranges::size(value)));
    for (const auto& item : value) contents_save(bytes, Item(item));
  }
  static bool load(std::string_view& bytes, T& value) {
    std::size_t size = 0;
    if (!detail::load_size(bytes, size)) return false;
    value.clear();
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t before = bytes.size();
      Item item{};
      if (!contents_load(bytes, item) || bytes.size() == before) return false;
      if constexpr (requires { value.push_back(std::move(item)); }) {
        value.push_back(std::move(item));
      } else {
        value.insert(std::move(item));
      }
    }
    return true;
  }
};

namespace detail {

// At level data: what this thread found goes into the log, or is compared with what it found when recorded. A version
// that it knew already is what it was. Where it is replayed without the others, it finds what it found then.
template <typename T>
void keep_contents(T& value) {
  gate::Thread* thread = gate::current;
  if (thread == nullptr || !thread->keeps_contents || !thread->saw_news) return;
  std::string bytes;
  if (thread->is_detached) {
    if (!gate::take_contents(*thread, bytes)) return;
    std::string_view rest = bytes;
    // Another thread may have been in the midst of changing it: it is made anew, where it can be.
    if constexpr (std::is_default_constructible_v<T>) new (&value) T();
    if (!contents_load(rest, value)) thread->gate->differs(*thread, Kind::content, "the contents cannot be read back");
    return;
  }
  contents_save(bytes, value);
  gate::keep_or_compare(*thread, bytes);
}

}  // namespace detail

}  // namespace reprise
