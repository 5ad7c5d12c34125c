#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "os/poller.h"
#include "protocol/server_features.h"
#include "protocol/server_message.h"
#include "protocol/server_route.h"
#include "reference/exchange.h"
#include "reference/fixtures.h"
#include "reference/questions.h"
#include "reference/request_state.h"
#include "reference/subscriptions.h"

namespace weighbridge::reference {

/// All that is more than one question and one answer: prompts, completions, logging, subscriptions,
/// and tools that tell and ask on their way. There only with --fixtures, whose tools, prompts and
/// resources it offers; the ordinary server has none of it and pays nothing for it.
class Dialogue {
 public:
  using Key = std::uint64_t;
  using Done = std::function<void(Answer)>;

  explicit Dialogue(os::Poller& poller) : stage_{poller, questions_, subscriptions_, states_} {}
  Dialogue(const Dialogue&) = delete;
  Dialogue& operator=(const Dialogue&) = delete;

  static constexpr protocol::ServerFeatures features() {
    return {.prompts = true, .completions = true, .logging = true, .subscriptions = true};
  }

  /// Whether a request is answered here.
  [[nodiscard]] static bool takes(const protocol::ClientMessage& message);
  /// Why the headers of a tools/call do not fit its arguments, if so.
  [[nodiscard]] static std::optional<protocol::Refusal> check_headers(
      const protocol::ClientMessage& message, const protocol::RequestHeaders& headers);

  /// `done` is called exactly once, at once or later, unless the request is abandoned before.
  void serve(Key key, const protocol::ClientMessage& message, const protocol::Era& era,
             const Asker& asker, Done done);
  void abandon(Key key);
  /// A response of a client. False if it answers nothing that was asked.
  bool take_response(const protocol::ClientMessage& response, const Conversation* from) {
    return questions_.take(response, from);
  }
  /// A client has initialized.
  void opened(const std::shared_ptr<Conversation>& conversation) {
    subscriptions_.add(conversation);
  }
  /// Answers every subscriptions/listen, so that its stream ends.
  void end_listening();

  // What is offered beside the catalogue; objects joined by commas.
  [[nodiscard]] std::string tools() const { return render_fixture_tools(stage_); }
  [[nodiscard]] static std::string_view resources() { return fixture_resources(); }
  [[nodiscard]] static std::string_view templates() { return fixture_templates(); }

 private:
  void handle(const ExchangePtr& exchange, Key key, const protocol::ClientMessage& message);
  void read(const Exchange& exchange, const protocol::ClientMessage& message) const;
  static void set_level(const Exchange& exchange, const protocol::ClientMessage& message);
  static void watch(const Exchange& exchange, const protocol::ClientMessage& message);
  void listen(const Exchange& exchange, Key key, const protocol::ClientMessage& message);

  Questions questions_;
  Subscriptions subscriptions_;
  RequestState states_;
  FixtureStage stage_;
  std::unordered_map<Key, ExchangePtr> exchanges_;
};

}  // namespace weighbridge::reference
