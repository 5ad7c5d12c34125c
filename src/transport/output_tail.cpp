#include "transport/output_tail.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/words.h"
#include "transport/detail/read_buffer.h"

namespace weighbridge::transport {

class OutputTail::State final : public os::Poller::Handler {
 public:
  State(os::Poller& poller, os::Fd output) : poller_(poller), output_(std::move(output)) {
    ::fcntl(output_.get(), F_SETFL, ::fcntl(output_.get(), F_GETFL) | O_NONBLOCK);
    if (!poller_.add(output_.get(), EPOLLIN, *this)) output_.reset();
  }
  ~State() override { stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void on_ready(std::uint32_t /*events*/) override { read_once(); }

  /// False when nothing is left for now.
  bool read_once();

  [[nodiscard]] bool ended() const { return !output_.valid(); }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::string text() const { return ring_.substr(begin_) + ring_.substr(0, begin_); }

 private:
  void keep(std::string_view data);
  void stop() {
    if (output_.valid()) poller_.remove(output_.get());
    output_.reset();
  }

  os::Poller& poller_;
  os::Fd output_;
  std::uint64_t total_ = 0;
  // A ring once it is full, grown by need until then: most children write little.
  std::string ring_;
  std::size_t begin_ = 0;
};

bool OutputTail::State::read_once() {
  if (!output_.valid()) return false;
  const detail::ReadBuffer buffer;
  const ssize_t count = ::read(output_.get(), buffer.data(), detail::ReadBuffer::kSize);
  if (count > 0) {
    keep({buffer.data(), static_cast<std::size_t>(count)});
    return true;
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) stop();
  return false;
}

void OutputTail::State::keep(std::string_view data) {
  total_ += data.size();
  if (data.size() > kKeptBytes) data.remove_prefix(data.size() - kKeptBytes);
  const std::size_t growth = std::min(kKeptBytes - ring_.size(), data.size());
  ring_.append(data.substr(0, growth));
  data.remove_prefix(growth);
  while (!data.empty()) {
    const std::size_t fits = std::min(data.size(), ring_.size() - begin_);
    data.copy(ring_.data() + begin_, fits);
    begin_ = (begin_ + fits) % ring_.size();
    data.remove_prefix(fits);
  }
}

OutputTail::OutputTail(os::Poller& poller, os::Fd output)
    : state_(std::make_unique<State>(poller, std::move(output))) {}
OutputTail::~OutputTail() = default;

std::string OutputTail::tail() const {
  return state_->text();
}

std::vector<std::string> OutputTail::last_lines(std::size_t count) const {
  std::vector<std::string> lines = split(state_->text(), '\n');
  std::erase_if(lines, [](const std::string& line) { return trim(line).empty(); });
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  if (lines.size() > count)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

std::uint64_t OutputTail::total_bytes() const {
  return state_->total();
}

bool OutputTail::ended() const {
  return state_->ended();
}

void OutputTail::drain() {
  // Bounded, for a grandchild that still writes as fast as we read.
  constexpr int kMostReads = 64;
  for (int reads = 0; reads < kMostReads && state_->read_once(); ++reads) {
  }
}

}  // namespace weighbridge::transport
