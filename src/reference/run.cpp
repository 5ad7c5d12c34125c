#include "reference/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "os/interrupt.h"
#include "os/real_clock.h"
#include "reference/http_front.h"
#include "reference/options.h"
#include "reference/program.h"
#include "reference/service.h"
#include "reference/stats.h"
#include "reference/stdio_front.h"
#include "transport/openssl_tls.h"

namespace weighbridge::reference {
namespace {

constexpr int kDone = 0;
constexpr int kWrongWords = 2;
constexpr int kCannotStart = 3;

/// How long a server that is to end finishes what it has begun.
constexpr Duration kGrace = 5s;
constexpr Duration kTelemetryGrace = 2s;

int complain(const Error& error) {
  fmt::print(stderr, "reference-server: {}\n", describe(error));
  const bool of_words = error.code == ErrorCode::usage || error.code == ErrorCode::plan;
  return of_words ? kWrongWords : kCannotStart;
}

/// A block the size of a listing is given back to the kernel when it is freed. By default glibc
/// takes the first one's size for the new limit and keeps all later ones.
void return_large_blocks() {
  ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 512 * 1024);
}

/// TLS only where a URL asks for it: reading the system's certificates takes longer than everything
/// else that a start does.
Result<transport::Way> way_out(const Options& options) {
  transport::Way way;
  const bool encrypted = options.upstream.scheme == "https" ||
                         (options.telemetry && options.otlp_endpoint.starts_with("https:"));
  if (!encrypted) return way;
  WB_TRY(way.tls, transport::open_tls({.ca_file = options.upstream_ca_file}));
  return way;
}

/// Whoever starts a program with a standard descriptor closed gets the next file opened in its
/// place: a socket that is taken for stderr, say. So this comes before anything is opened.
Result<void> settle_standard_descriptors(bool speaks_on_stdio) {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    if (speaks_on_stdio && fd != STDERR_FILENO)
      return std::unexpected(
          system_error(fd == STDIN_FILENO ? "cannot read stdin" : "cannot write stdout", errno));
    if (::open("/dev/null", O_RDWR) < 0)
      return std::unexpected(system_error("cannot open /dev/null", errno));
  }
  return {};
}

const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before anything else runs
}

/// The parts of a running server, in the order in which they must go.
class Program {
 public:
  Program(os::Poller& poller, const Options& options, const transport::Way& way)
      : poller_(poller),
        options_(options),
        stats_(os::now()),
        service_(poller, options, way, stats_) {}

  Result<void> start() {
    service_.start();
    if (options_.stats) WB_CHECK(listen_for_stats());
    if (!options_.http) {
      stdio_ = std::make_unique<StdioFront>(poller_, service_, STDIN_FILENO, STDOUT_FILENO);
      return stdio_->start();
    }
    WB_TRY(http_, HttpFront::listen(poller_, service_, *options_.http));
    fmt::print(stderr, "reference-server: serving MCP at http://{}:{}/mcp\n",
               options_.http->address, http_->server().port());
    return {};
  }

  void run() {
    while (!os::interrupted() && !(stdio_ && stdio_->ended())) poller_.run_once(os::now() + 1h);
    if (http_) http_->drain();
    poller_.run_until([this] { return idle(); }, os::now() + kGrace);
    service_.flush_telemetry();
    poller_.run_until([this] { return service_.telemetry_idle(); }, os::now() + kTelemetryGrace);
  }

 private:
  [[nodiscard]] bool idle() const {
    if (stdio_) return stdio_->drained();
    return stats_.in_flight() == 0 && http_->server().connections() == 0;
  }

  Result<void> listen_for_stats() {
    transport::HttpServer::Options options;
    options.address = options_.stats->address;
    options.port = options_.stats->port;
    WB_TRY(stats_server_, transport::HttpServer::listen(
                              poller_, options, [this](auto&& /*request*/, const auto& reply) {
                                reply->send(200, {{"Content-Type", "application/json"}},
                                            stats_.render(surroundings()));
                              }));
    fmt::print(stderr, "reference-server: telling what it did at http://{}:{}/\n",
               options_.stats->address, stats_server_->port());
    return {};
  }

  [[nodiscard]] Stats::Surroundings surroundings() const {
    return {.surface = to_string(options_.surface),
            .transport = http_ ? "http" : "stdio",
            .now = os::now(),
            .connections_accepted = http_ ? http_->server().connections_accepted() : 0,
            .connections_open = http_ ? http_->server().connections() : 0,
            .upstream_connections_opened = service_.upstream_connections_opened()};
  }

  os::Poller& poller_;
  const Options& options_;
  Stats stats_;
  Service service_;
  std::unique_ptr<StdioFront> stdio_;
  std::unique_ptr<HttpFront> http_;
  std::unique_ptr<transport::HttpServer> stats_server_;
};

}  // namespace

int run(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
  const auto options = read_options(words, environment);
  if (!options) return complain(options.error());
  if (options->help) {
    fmt::print("{}", help_text());
    return kDone;
  }
  if (options->version) {
    fmt::print("reference-server {} {}\n", program_version(), program_commit());
    return kDone;
  }
  if (auto settled = settle_standard_descriptors(!options->http); !settled)
    return complain(settled.error());
  return_large_blocks();
  const os::InterruptGuard guard;
  auto poller = os::Poller::create();
  if (!poller) return complain(poller.error());
  const auto way = way_out(*options);
  if (!way) return complain(way.error());
  Program program(**poller, *options, *way);
  if (auto started = program.start(); !started) return complain(started.error());
  program.run();
  return kDone;
}

}  // namespace weighbridge::reference
