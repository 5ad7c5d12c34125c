#pragma once

#include <string>
#include <vector>

#include "client/session.h"
#include "protocol/client_session.h"
#include "protocol/headers.h"

namespace weighbridge::client::detail {

/// Takes the answer to initialize: the server introduces itself, or the error says why not
/// (ErrorCode::target; closed and interrupted stay what they are). `where` names the server.
Result<void> settle_handshake(protocol::ClientSession& session, const Reply& reply, bool negotiable,
                              const std::string& where);

/// Why `reply` is no answer: ErrorCode::target (closed and interrupted stay what they are) with
/// `what` was asked and what came back, and the words a person needs next.
Error explain_reply(const Reply& reply, const std::string& what, const std::string& where);

/// Which revision a session asks for: the one it was given, else the newest that is opened by a
/// handshake.
const protocol::Era& era_to_ask_for(const SessionOptions& options);

/// Ours, then the plan's. A header that the plan gives replaces ours of that name: whoever writes
/// one wants to see what the server makes of it.
transport::Headers join_headers(std::vector<protocol::HeaderField> ours,
                                const transport::Headers& given);

/// The URL for error messages: without its query, which may carry a credential.
std::string name_of(const transport::Url& url);

ServerIdentity identity_of(const protocol::Introduction& introduction);

}  // namespace weighbridge::client::detail
