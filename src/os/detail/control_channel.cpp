#include "os/detail/control_channel.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <type_traits>

namespace weighbridge::os::detail {
namespace {

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Reply>);

// The words of a request, one after the other, each closed by a NUL, which none can contain.
class WordWriter {
 public:
  void word(std::string_view text) { (bytes_ += text) += '\0'; }
  void number(std::uint64_t value) { word(std::to_string(value)); }
  void words(const std::vector<std::string>& list) {
    number(list.size());
    for (const std::string& each : list) word(each);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class WordReader {
 public:
  explicit WordReader(std::string_view bytes) : rest_(bytes) {}
  std::string word() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      whole_ = false;
      return {};
    }
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  std::uint64_t number() {
    const std::string text = word();
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  std::vector<std::string> words() {
    std::vector<std::string> list;
    for (std::uint64_t left = number(); left > 0 && whole_; --left) list.push_back(word());
    return list;
  }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  std::string_view rest_;
  bool whole_ = true;
};

bool write_all(const Fd& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

struct DescriptorSpace {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> bytes{};
};

bool send_bytes(int socket, const void* bytes, std::size_t length,
                const std::vector<int>& descriptors) {
  iovec part{const_cast<void*>(bytes), length};
  DescriptorSpace space;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const std::size_t size = descriptors.size() * sizeof(int);
    message.msg_control = space.bytes.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), descriptors.data(), size);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(length);
}

bool receive_bytes(int socket, void* bytes, std::size_t length, std::vector<Fd>* descriptors) {
  iovec part{bytes, length};
  DescriptorSpace space;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.bytes.data();
  message.msg_controllen = space.bytes.size();
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); received >= 0 && header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    std::array<int, kMaxDescriptors> numbers{};
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
    for (std::size_t i = 0; i < count; ++i) {
      Fd received_fd(numbers[i]);
      if (descriptors != nullptr) descriptors->push_back(std::move(received_fd));
    }
  }
  return received == static_cast<ssize_t>(length);
}

}  // namespace

void Reply::set_text(std::string_view words) {
  const std::size_t length = std::min(words.size(), text.size() - 1);
  std::copy_n(words.begin(), length, text.begin());
  text[length] = '\0';
}

Result<Fd> pack(const SpawnRequest& request) {
  WordWriter writer;
  writer.words(request.argv);
  writer.words(request.environment);
  writer.word(request.directory);
  writer.number(request.cpus.size());
  for (const int cpu : request.cpus) writer.number(static_cast<std::uint64_t>(cpu));
  writer.number(request.max_descriptors ? 1 : 0);
  writer.number(request.max_descriptors.value_or(0));
  Fd file(::memfd_create("weighbridge-spawn", MFD_CLOEXEC));
  if (!file.valid() || !write_all(file, writer.bytes()))
    return std::unexpected(system_error("cannot hand a command to the supervisor", errno));
  return file;
}

Result<SpawnWords> unpack(const Fd& words) {
  const off_t size = ::lseek(words.get(), 0, SEEK_END);
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  if (::pread(words.get(), bytes.data(), bytes.size(), 0) != size)
    return std::unexpected(system_error("cannot read a command from the driver", errno));
  WordReader reader(bytes);
  SpawnWords unpacked;
  unpacked.argv = reader.words();
  unpacked.environment = reader.words();
  unpacked.directory = reader.word();
  for (std::uint64_t left = reader.number(); left > 0 && reader.whole(); --left)
    unpacked.cpus.push_back(static_cast<int>(reader.number()));
  const bool limited = reader.number() == 1;
  const std::uint64_t limit = reader.number();
  if (limited) unpacked.max_descriptors = limit;
  if (!reader.whole() || unpacked.argv.empty())
    return fail(ErrorCode::malformed, "a command from the driver is cut short");
  return unpacked;
}

bool send_packet(int socket, const Request& request, const std::vector<int>& descriptors) {
  return send_bytes(socket, &request, sizeof request, descriptors);
}

bool send_packet(int socket, const Reply& reply) {
  return send_bytes(socket, &reply, sizeof reply, {});
}

bool receive_packet(int socket, Request& request, std::vector<Fd>& descriptors) {
  return receive_bytes(socket, &request, sizeof request, &descriptors);
}

bool receive_packet(int socket, Reply& reply) {
  return receive_bytes(socket, &reply, sizeof reply, nullptr);
}

}  // namespace weighbridge::os::detail
