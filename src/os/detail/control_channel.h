#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "os/fd.h"
#include "os/supervisor.h"

// What driver and supervisor say to each other over their SOCK_SEQPACKET socket. Both ends are the
// same program file, so packets are plain structs.
namespace weighbridge::os::detail {

enum class RequestKind : std::int32_t {
  hello,   ///< descriptors: reap log, the driver's pidfd (may be missing). Answered by `ready`.
  spawn,   ///< descriptors: words, stdin, stdout, stderr. Answered by `spawned` or `refused`.
  signal,  ///< not answered
  end_all  ///< answered by a `survivor` each, then `ended`
};

struct Request {
  RequestKind kind{};
  std::int32_t pid = 0;
  std::int32_t signal = 0;
};

enum class ReplyKind : std::int32_t { ready, spawned, refused, survivor, ended };

/// The step of a launch that failed.
enum class LaunchStep : std::int32_t { words, fork, directory, descriptors, cpus, execute };

struct Reply {
  ReplyKind kind{};
  std::int32_t pid = 0;
  std::int32_t error = 0;  ///< errno of a refusal
  LaunchStep step{};
  std::int64_t before_spawn_ns = 0;
  std::int64_t exec_returned_ns = 0;
  std::array<char, 512> text{};  ///< survivor: command line; ready: cgroup directory, or empty

  void set_text(std::string_view words);
};

/// The part of a SpawnRequest that is words and numbers.
struct SpawnWords {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string directory;
  std::vector<int> cpus;
  std::optional<std::uint64_t> max_descriptors;
};

/// A memfd that holds the words of a request: arguments and environment may be megabytes, and a
/// packet may not.
Result<Fd> pack(const SpawnRequest& request);
Result<SpawnWords> unpack(const Fd& words);

constexpr std::size_t kMaxDescriptors = 4;

/// One packet each. False when the other side is gone.
bool send_packet(int socket, const Request& request, const std::vector<int>& descriptors = {});
bool send_packet(int socket, const Reply& reply);
bool receive_packet(int socket, Request& request, std::vector<Fd>& descriptors);
bool receive_packet(int socket, Reply& reply);

}  // namespace weighbridge::os::detail
