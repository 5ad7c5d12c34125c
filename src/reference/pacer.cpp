#include "reference/pacer.h"

#include <algorithm>
#include <utility>

#include "os/real_clock.h"

namespace weighbridge::reference {

Pacer::~Pacer() {
  for (const auto& [number, timer] : timers_) poller_.cancel(timer);
}

void Pacer::send(const transport::Body& body, Way way) {
  const auto number = next_++;
  Job& job = jobs_[number];
  for (const auto& piece : body.pieces()) job.text += *piece;
  job.way = std::move(way);
  if (plan_.first_byte > Duration(0)) return wait(number, plan_.first_byte, &Pacer::begin);
  job.way.begin();
  write_chunks(number);
}

void Pacer::wait(std::uint64_t number, Duration time, void (Pacer::*then)(std::uint64_t)) {
  jobs_[number].waiting_since = os::now();
  timers_[number] = poller_.at(os::now() + time, [this, number, then] {
    timers_.erase(number);
    (this->*then)(number);
  });
}

void Pacer::begin(std::uint64_t number) {
  Job& job = jobs_[number];
  stats_.first_bytes.add(os::now() - job.waiting_since);
  job.way.begin();
  write_chunks(number);
}

void Pacer::go_on(std::uint64_t number) {
  stats_.trickles.add(os::now() - jobs_[number].waiting_since);
  write_chunks(number);
}

void Pacer::write_chunks(std::uint64_t number) {
  Job& job = jobs_[number];
  const std::size_t most = plan_.chunk_bytes > 0 ? plan_.chunk_bytes : job.text.size();
  while (job.sent < job.text.size()) {
    const auto size = std::min<std::size_t>(most, job.text.size() - job.sent);
    ++stats_.chunks;
    job.way.write(job.text.substr(job.sent, size));
    job.sent += size;
    if (job.sent < job.text.size() && plan_.trickle > Duration(0))
      return wait(number, plan_.trickle, &Pacer::go_on);
  }
  const auto end = std::move(job.way.end);
  jobs_.erase(number);
  end();
}

transport::Body with_id_last(const transport::Body& message) {
  constexpr std::string_view kBefore = R"({"jsonrpc":"2.0",)";
  constexpr std::string_view kId = R"("id":)";
  const auto& pieces = message.pieces();
  if (pieces.empty()) return message;
  const std::string_view first = *pieces.front();
  if (!first.starts_with(kBefore) || !first.substr(kBefore.size()).starts_with(kId)) return message;
  // An id is a number or a string, and a string's quotes may be escaped within it.
  std::size_t at = kBefore.size() + kId.size();
  if (at < first.size() && first[at] == '"') {
    for (++at; at < first.size() && first[at] != '"'; ++at)
      if (first[at] == '\\') ++at;
    ++at;
  }
  const auto comma = first.find(',', at);
  if (comma == std::string_view::npos || !pieces.back()->ends_with('}')) return message;
  const auto member = first.substr(kBefore.size(), comma - kBefore.size());
  transport::Body moved(std::string(kBefore).append(first.substr(comma + 1)));
  for (std::size_t i = 1; i < pieces.size(); ++i) moved.add(pieces[i]);
  // The last brace is taken off by rendering the last piece anew; it is the small one.
  transport::Body whole;
  const auto& all = moved.pieces();
  for (std::size_t i = 0; i + 1 < all.size(); ++i) whole.add(all[i]);
  const std::string_view last = *all.back();
  return whole.add(
      std::string(last.substr(0, last.size() - 1)).append(",").append(member).append("}"));
}

}  // namespace weighbridge::reference
