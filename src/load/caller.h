#pragma once

#include <optional>
#include <string>

#include "client/session.h"
#include "protocol/era.h"
#include "transport/stdio_channel.h"

namespace weighbridge::load {

/// One credential as the engine calls it: a session that somebody has opened, reduced to what its
/// requests are made of.
struct Caller {
  const protocol::Era* era = nullptr;
  std::optional<client::HttpAccess> http;  ///< over HTTP
  std::string session_id;                  ///< over HTTP, where the server gave one
  std::optional<transport::StdioEnds> stdio;
};

}  // namespace weighbridge::load
