#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weighbridge::protocol {

/// One wire transcript of a real server (tools/capture_transcripts.py), step by step.
inline std::vector<nlohmann::json> read_transcript(const std::string& name) {
  std::ifstream file(std::string(WEIGHBRIDGE_SOURCE_DIR) + "/tests/fixtures/wire/" + name +
                     ".jsonl");
  std::vector<nlohmann::json> steps;
  for (std::string line; std::getline(file, line);) steps.push_back(nlohmann::json::parse(line));
  return steps;
}

/// A request and what came back for it.
struct Exchange {
  nlohmann::json request;  ///< the JSON-RPC message, parsed by another library
  std::string request_text;
  std::vector<std::string> answers;  ///< stdio lines; the whole body over HTTP
  int status = 0;
  bool sse = false;
};

/// The exchanges of a transcript whose request was POSTed or written; DELETE is left out.
inline std::vector<Exchange> exchanges_of(const std::string& name) {
  std::vector<Exchange> exchanges;
  for (const nlohmann::json& step : read_transcript(name)) {
    if (step.contains("received")) {
      exchanges.back().answers.push_back(step["received"]);
      continue;
    }
    Exchange exchange;
    if (step.contains("request")) {
      if (step["request"]["method"] != "POST") continue;
      exchange.request_text = step["request"]["body"];
      exchange.status = step["response"]["status"];
      exchange.answers.push_back(step["response"]["body"]);
      const auto& headers = step["response"]["headers"];
      exchange.sse = headers.value("content-type", "").starts_with("text/event-stream");
    } else {
      exchange.request_text = step["sent"];
    }
    exchange.request = nlohmann::json::parse(exchange.request_text);
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

inline const std::vector<std::string> kTranscripts{"everything-stdio-2025-11-25",
                                                   "everything-http-2025-11-25",
                                                   "filesystem-stdio-2025-11-25",
                                                   "context7-stdio-2025-11-25",
                                                   "context7-stdio-2026-07-28",
                                                   "context7-http-2025-11-25",
                                                   "context7-http-2026-07-28",
                                                   "sdk-go-http-2025-11-25",
                                                   "sdk-go-http-2026-07-28",
                                                   "sdk-go-stdio-2025-11-25",
                                                   "sdk-go-stdio-2026-07-28",
                                                   "sdk-java-http-2025-11-25",
                                                   "sdk-java-stdio-2025-11-25",
                                                   "sdk-python-http-2025-11-25",
                                                   "sdk-python-http-2026-07-28",
                                                   "sdk-python-stdio-2025-11-25",
                                                   "sdk-python-stdio-2026-07-28",
                                                   "sdk-rust-http-2025-11-25",
                                                   "sdk-rust-http-2026-07-28",
                                                   "sdk-rust-stdio-2025-11-25",
                                                   "sdk-rust-stdio-2026-07-28",
                                                   "sdk-typescript-v1-http-2025-11-25",
                                                   "sdk-typescript-v1-stdio-2025-11-25",
                                                   "sdk-typescript-v2-http-2025-11-25",
                                                   "sdk-typescript-v2-http-2026-07-28",
                                                   "sdk-typescript-v2-stdio-2025-11-25",
                                                   "sdk-typescript-v2-stdio-2026-07-28"};

}  // namespace weighbridge::protocol
