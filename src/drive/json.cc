#include "drive/json.h"

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace reprise::drive {
namespace {

using Tree = nlohmann::ordered_json;

struct ToTree {
  Tree operator()(std::nullptr_t) const { return nullptr; }
  Tree operator()(bool value) const { return value; }
  Tree operator()(std::int64_t value) const { return value; }
  Tree operator()(std::uint64_t value) const { return value; }
  Tree operator()(double value) const { return value; }
  Tree operator()(const std::string& value) const { return value; }
  Tree operator()(const std::vector<Json>& items) const {
    Tree tree = Tree::array();
    for (const Json& item : items) tree.push_back(std::visit(*this, item.value()));
    return tree;
  }
  Tree operator()(const std::vector<Json::Member>& members) const {
    Tree tree = Tree::object();
    for (const auto& [name, value] : members) tree[name] = std::visit(*this, value.value());
    return tree;
  }
};

}  // namespace

Json& Json::add(std::string name, Json value) {
  auto* members = std::get_if<std::vector<Member>>(&value_);
  CHECK(members != nullptr, name);
  members->emplace_back(std::move(name), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  auto* items = std::get_if<std::vector<Json>>(&value_);
  CHECK(items != nullptr);
  items->push_back(std::move(value));
  return *this;
}

std::string Json::text(bool compact) const {
  return std::visit(ToTree{}, value_).dump(compact ? -1 : 2, ' ', false, Tree::error_handler_t::replace);
}

}  // namespace reprise::drive
