#include "load/detail/message_text.h"

#include <utility>

namespace weighbridge::load::detail {

void MessageText::begin(bool even_long) {
  piece_ = {};
  kept_.reset();
  size_ = 0;
  even_long_ = even_long;
  edges_only_ = false;
}

void MessageText::push(std::string_view piece) {
  if (piece.empty()) return;
  if (size_ > 0) settle();
  size_ += piece.size();
  if (size_ == piece.size())
    piece_ = piece;
  else
    keep(piece);
}

void MessageText::settle() {
  if (piece_.empty()) return;
  keep(std::exchange(piece_, {}));
}

void MessageText::keep(std::string_view piece) {
  if (!kept_) kept_ = std::make_unique<std::string>();
  if (edges_only_ || (!even_long_ && kept_->size() + piece.size() > kWholeLimit))
    return keep_edges(piece);
  kept_->append(piece);
}

void MessageText::keep_edges(std::string_view piece) {
  std::string& kept = *kept_;
  edges_only_ = true;
  if (kept.size() < kEdge) {
    const auto missing = piece.substr(0, kEdge - kept.size());
    kept.append(missing);
    piece.remove_prefix(missing.size());
  }
  // Behind the first edge stand the latest bytes, at least the last edge of all that has come.
  if (piece.size() >= kEdge) {
    kept.resize(kEdge);
    kept.append(piece.substr(piece.size() - kEdge));
    return;
  }
  kept.append(piece);
  if (kept.size() > 4 * kEdge) kept.erase(kEdge, kept.size() - 2 * kEdge);
}

std::string_view MessageText::head() const {
  if (!kept_) return piece_;
  return edges_only_ ? std::string_view(*kept_).substr(0, kEdge) : std::string_view(*kept_);
}

std::string_view MessageText::tail() const {
  if (!kept_) return piece_;
  const std::string_view kept = *kept_;
  return edges_only_ ? kept.substr(kept.size() - kEdge) : kept;
}

}  // namespace weighbridge::load::detail
