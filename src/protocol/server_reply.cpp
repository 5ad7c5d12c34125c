#include "protocol/server_reply.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "protocol/server_json.h"

namespace weighbridge::protocol {
namespace {

/// The set of tools changes with a new version only, so a client may keep what it found for long.
constexpr CacheHint kDiscoveryHint{.ttl_ms = 3'600'000, .is_public = true};

std::string render_capabilities(const ServerFeatures& features) {
  std::string text = R"("capabilities":{"tools":{)";
  if (features.subscriptions) text += R"("listChanged":true)";
  text += R"(},"resources":{)";
  if (features.subscriptions) text += R"("subscribe":true)";
  text += '}';
  if (features.prompts) text += R"(,"prompts":{"listChanged":true})";
  if (features.completions) text += R"(,"completions":{})";
  if (features.logging) text += R"(,"logging":{})";
  return text += '}';
}

}  // namespace

ReplyWriter::ReplyWriter(const ServerInfo& info, const ServerFeatures& features)
    : capabilities_(render_capabilities(features)) {
  info_ = R"({"name":)";
  append_quoted(info_, info.name);
  info_ += R"(,"title":)";
  append_quoted(info_, info.title);
  info_ += R"(,"version":)";
  append_quoted(info_, info.version);
  info_ += '}';
  append_quoted(instructions_, info.instructions);
}

std::string ReplyWriter::open(std::string_view id, const Era& era,
                              std::string_view result_type) const {
  std::string text;
  text.reserve(80 + id.size());
  text.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":{)");
  if (!era.handshake) text.append(R"("resultType":")").append(result_type).append("\",");
  return text;
}

std::string ReplyWriter::close(const Era& era, std::optional<CacheHint> hint, bool empty,
                               std::string_view meta) const {
  if (era.handshake) return "}}";
  std::string text;
  text.reserve(100 + info_.size());
  if (!empty) text += ',';
  if (hint && era.cache_hints)
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(R"("ttlMs":{},"cacheScope":"{}",)"),
                   hint->ttl_ms, hint->is_public ? "public" : "private");
  text.append(R"("_meta":{)").append(meta);
  if (!meta.empty()) text += ',';
  return text.append("\"").append(kMetaServerInfo).append("\":").append(info_).append("}}}");
}

std::string ReplyWriter::error(std::string_view id, const Refusal& refusal) {
  std::string text;
  fmt::format_to(std::back_inserter(text),
                 FMT_COMPILE(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":)"), id,
                 refusal.code);
  append_quoted(text, refusal.message);
  if (!refusal.data.empty()) text.append(R"(,"data":)").append(refusal.data);
  return text.append("}}");
}

std::string ReplyWriter::initialized(std::string_view id, const Era& era) const {
  std::string text = open(id, era);
  text.append(R"("protocolVersion":")").append(era.name).append("\",").append(capabilities_);
  text.append(R"(,"serverInfo":)").append(info_);
  text.append(R"(,"instructions":)").append(instructions_);
  return text.append(close(era));
}

std::string ReplyWriter::discovered(std::string_view id, const Era& era) const {
  // Handshake revisions are not listed: they are no versions of this form of request.
  std::string text = open(id, era);
  text.append(R"("supportedVersions":[")").append(newest_era().name).append(R"("],)");
  text.append(capabilities_).append(R"(,"instructions":)").append(instructions_);
  return text.append(close(era, kDiscoveryHint));
}

}  // namespace weighbridge::protocol
