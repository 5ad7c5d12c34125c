#pragma once

#include <string>

#include "client/session.h"
#include "protocol/headers.h"

namespace weighbridge::client {

/// The bytes of a POST up to the digits of its Content-Length, exactly as a session would send
/// them: for whoever renders the same request a million times.
std::string post_head(const HttpAccess& access, const protocol::Era& era,
                      const protocol::HeaderFacts& facts);

}  // namespace weighbridge::client
