#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "standin/route_table.h"

namespace weighbridge::standin {

struct UpstreamOptions {
  std::vector<Route> routes = {};
  Duration delay{};  ///< before every answer, from the request's arrival
  /// A PRIVATE-TOKEN or bearer token that begins with this is answered 401. Empty: none is.
  std::string refused_token_prefix = {};
  /// Keep every request for take_requests(). For tests and checks: it grows until taken.
  bool record_requests = false;
};

/// Since the start or the last reset.
struct UpstreamCounters {
  std::uint64_t requests = 0;
  std::map<std::string, std::uint64_t> by_path;  ///< as asked, without the query
  std::uint64_t in_flight = 0;                   ///< now: arrived and not answered
  std::uint64_t peak_in_flight = 0;
  std::uint64_t held = 0;  ///< now: head sent, body kept back by hold(true)
};

/// One request as it came, without any secret: credentials are reduced to the fact that one came.
struct RecordedRequest {
  std::string method;
  std::string path;
  std::string query;  ///< values of private_token, access_token and job_token replaced by "***"
  std::string body;
  std::vector<std::string> header_names;  ///< as spelt
  bool had_credential = false;
};

/// What the target calls: an HTTP server that answers by script, at known cost and delay, on
/// loopback and on its own thread. A request without a route is answered 404, with JSON. All
/// methods may be called from any one other thread.
class Upstream {
 public:
  static Result<std::unique_ptr<Upstream>> start(UpstreamOptions options);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  /// "http://127.0.0.1:PORT", without a slash at its end.
  [[nodiscard]] std::string url() const;
  /// For requests that arrive from now on.
  void set_delay(Duration delay);
  /// From now on (true) a request gets its head at once and its body only after hold(false), or
  /// never, if the client leaves first. Delays do not add to it.
  void hold(bool on);

  [[nodiscard]] UpstreamCounters counters() const;
  /// Starts counting anew; the peak starts from what is in flight.
  void reset_counters();
  /// Hands over what was recorded since the last call.
  std::vector<RecordedRequest> take_requests();
  /// Processor time of the stand-in's thread so far.
  [[nodiscard]] Duration cpu() const;

 private:
  class State;
  explicit Upstream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace weighbridge::standin
