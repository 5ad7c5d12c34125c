#pragma once

#include "base/error.h"
#include "cli/words.h"
#include "modes/load_run.h"

namespace weighbridge::cli {

/// What `weighbridge load` asks for beside the server. ErrorCode::usage for words that make no
/// load: rates and weights of nothing, flags that contradict each other. Program and build are the
/// caller's to fill in.
Result<modes::LoadOptions> load_options_from_words(const LoadWords& words);

/// "500", "500/s", "30/min": calls a second, above zero.
Result<double> parse_rate(std::string_view text, const std::string& where);
/// "100:10s,100-500:30s": steps and ramps.
Result<std::vector<load::RateSegment>> parse_profile(std::string_view text);
/// "tools/list=1,tools/call:NAME=3"; a weight may be left out.
Result<std::vector<modes::MixEntry>> parse_mix(std::string_view text);

}  // namespace weighbridge::cli
