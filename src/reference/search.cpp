#include "reference/search.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <ranges>
#include <utility>

namespace weighbridge::reference {
namespace {

// Weights of the fields, BM25's constants and the synonym discount were set by hand on the queries
// of the unit test; the ranking is not sensitive to any of them by itself.
constexpr float kIdWeight = 4.0F;
constexpr float kTitleWeight = 2.0F;
constexpr float kPathWeight = 1.0F;
constexpr float kDomainWeight = 1.0F;
constexpr float kParameterWeight = 0.3F;
constexpr float kSaturation = 1.2F;        // k1
constexpr float kLengthInfluence = 0.55F;  // b
constexpr float kSynonymWeight = 0.35F;
constexpr float kImpactScale = 2000.0F;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Calls `use` for every word: a run of ASCII letters and digits.
template <typename Use>
void for_each_word(std::string_view text, Use use) {
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_letter(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    while (end < text.size() && is_letter(text[end])) ++end;
    use(text.substr(begin, end - begin));
    begin = end;
  }
}

std::uint32_t hash_stem(std::string_view stem) {
  return hash_text(stem, 0, [](char c) { return c; });
}

}  // namespace

Stem::Stem(std::string_view word) {
  for (const char c : word.substr(0, letters_.size()))
    letters_[size_++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (size_ > 4 && ends("ies")) {
    size_ -= 2;
    letters_[size_ - 1U] = 'y';
  } else if (size_ > 4 && (ends("sses") || ends("ches") || ends("shes") || ends("xes"))) {
    size_ -= 2;
  } else if (size_ > 3 && ends("s") && !ends("ss") && !ends("us") && !ends("is")) {
    size_ -= 1;
  }
  if (size_ > 5 && ends("ing"))
    size_ -= 3;
  else if (size_ > 4 && ends("ed"))
    size_ -= 2;
  const bool doubled = size_ > 3 && letters_[size_ - 1U] == letters_[size_ - 2U];
  if (doubled && !ends("ss") && !ends("ll")) size_ -= 1;  // running, but merge trains' "all"
  if (size_ > 4 && ends("e")) size_ -= 1;
}

SearchIndex::SearchIndex(const Catalogue& catalogue) : catalogue_(catalogue) {
  std::vector<Mention> mentions;
  mentions.reserve(40 * catalogue.operations().size());
  id_terms_.resize(catalogue.operations().size());
  std::uint16_t action = 0;
  for (const auto& operation : catalogue.operations()) read(operation, action++, mentions);
  weigh(mentions);
}

std::string_view SearchIndex::text(const Term& term) const {
  return std::string_view(texts_).substr(term.text_begin, term.text_size);
}

int SearchIndex::find_term(std::string_view stem) const {
  return by_text_.find(hash_stem(stem), [&](auto term) { return text(terms_[term]) == stem; });
}

std::uint16_t SearchIndex::term_of(std::string_view stem) {
  if (const int known = find_term(stem); known != TextIndex::kNone)
    return static_cast<std::uint16_t>(known);
  const auto number = static_cast<std::uint16_t>(terms_.size());
  terms_.push_back(
      {static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint8_t>(stem.size())});
  texts_ += stem;
  by_text_.insert(hash_stem(stem), number);
  return number;
}

void SearchIndex::read(const Operation& operation, std::uint16_t action,
                       std::vector<Mention>& mentions) {
  const auto first = mentions.size();
  const auto add = [&](std::string_view field, float weight, bool in_id) {
    for_each_word(field, [&](std::string_view word) {
      const auto term = term_of(Stem(word).text());
      const auto same = std::ranges::find(mentions.begin() + static_cast<std::ptrdiff_t>(first),
                                          mentions.end(), term, &Mention::term);
      if (same != mentions.end())
        same->weight += weight;
      else
        mentions.push_back({term, action, weight, in_id});
    });
  };
  add(operation.id, kIdWeight, true);
  id_terms_[action] = static_cast<std::uint8_t>(mentions.size() - first);
  add(operation.title, kTitleWeight, false);
  add(operation.path, kPathWeight, false);
  add(operation.domain, kDomainWeight, false);
  for (const auto& parameter : operation.parameters)
    if (parameter.place != Place::path) add(parameter.name, kParameterWeight, false);
}

void SearchIndex::weigh(std::vector<Mention>& mentions) {
  const auto actions = static_cast<float>(id_terms_.size());
  std::vector<float> lengths(id_terms_.size());
  for (const auto& mention : mentions) {
    lengths[mention.action] += mention.weight;
    ++terms_[mention.term].count;
  }
  float average = 0;
  for (const float length : lengths) average += length / actions;
  std::uint32_t first = 0;
  for (auto& term : terms_) {
    term.first = first;
    first += std::exchange(term.count, 0);
  }
  postings_.resize(mentions.size());
  std::vector<std::uint32_t> frequency(terms_.size());
  for (const auto& mention : mentions) ++frequency[mention.term];
  for (const auto& mention : mentions) {
    auto& term = terms_[mention.term];
    const auto held = static_cast<float>(frequency[mention.term]);
    const float rarity = std::log(1 + (actions - held + 0.5F) / (held + 0.5F));
    const float norm = 1 - kLengthInfluence + kLengthInfluence * lengths[mention.action] / average;
    const float impact =
        rarity * mention.weight * (kSaturation + 1) / (mention.weight + kSaturation * norm);
    const auto scaled = std::min(impact * kImpactScale, 32767.0F);
    postings_[term.first + term.count++] = {mention.action, static_cast<std::uint16_t>(scaled),
                                            mention.in_id};
  }
}

SearchIndex::Query SearchIndex::understand(std::string_view query) const {
  Query understood;
  const auto add = [&](std::string_view word, float weight) {
    const int term = find_term(Stem(word).text());
    if (term == TextIndex::kNone) return;
    const auto same =
        std::ranges::find(understood.terms, static_cast<std::uint16_t>(term), &QueryTerm::term);
    if (same == understood.terms.end())
      understood.terms.push_back({static_cast<std::uint16_t>(term),
                                  static_cast<std::uint8_t>(understood.word_count), weight});
    else if (same->weight < weight)
      *same = {same->term, static_cast<std::uint8_t>(understood.word_count), weight};
  };
  const auto& words = catalogue_.words();
  const auto* const idle = words.find(Words::Kind::synonym, "stopwords");
  for_each_word(query, [&](std::string_view word) {
    if (understood.word_count == understood.words.size()) return;
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    bool is_idle = false;
    if (idle != nullptr)
      for_each_word(idle->columns[0], [&](auto other) { is_idle |= other == lower; });
    if (is_idle) return;
    add(word, 1.0F);
    const auto* synonym = words.find(Words::Kind::synonym, lower);
    if (synonym == nullptr) synonym = words.find(Words::Kind::synonym, singular(lower));
    if (synonym != nullptr)
      for_each_word(synonym->columns[0], [&](auto other) { add(other, kSynonymWeight); });
    understood.words[understood.word_count++] = word;
  });
  return understood;
}

Found SearchIndex::find(std::string_view query_text, std::size_t limit, bool with_reasons) const {
  const Query query = understand(query_text);
  struct Tally {
    float score = 0;
    std::uint32_t words = 0;  // a bit for each word of the query that matched
    std::uint32_t in_id = 0;  // how many terms of the id the query names
  };
  std::vector<Tally> tallies(id_terms_.size());
  for (const auto& wanted : query.terms) {
    const Term& term = terms_[wanted.term];
    for (std::uint32_t i = term.first; i < term.first + term.count; ++i) {
      auto& tally = tallies[postings_[i].action];
      tally.score += wanted.weight * static_cast<float>(postings_[i].impact);
      tally.words |= 1U << wanted.word;
      tally.in_id += postings_[i].in_id;
    }
  }
  struct Candidate {
    float score;
    std::uint16_t action;
  };
  std::vector<Candidate> candidates;
  for (std::uint16_t action = 0; action < tallies.size(); ++action) {
    const auto& tally = tallies[action];
    if (tally.words == 0) continue;
    const float covered =
        static_cast<float>(std::popcount(tally.words)) / static_cast<float>(query.word_count);
    const float fitting =
        static_cast<float>(std::min<std::uint32_t>(tally.in_id, id_terms_[action])) /
        static_cast<float>(id_terms_[action]);
    const float score = tally.score / kImpactScale * covered * covered * (0.5F + 0.5F * fitting);
    candidates.push_back({score, action});
  }
  const auto better = [](const Candidate& left, const Candidate& right) {
    return left.score != right.score ? left.score > right.score : left.action < right.action;
  };
  const auto kept = std::min(limit, candidates.size());
  std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                            better);
  Found found{.hits = {}, .total = candidates.size()};
  found.hits.reserve(kept);
  for (const auto& candidate : candidates | std::views::take(kept)) {
    found.hits.push_back({&catalogue_.operations()[candidate.action], candidate.score, {}});
    if (with_reasons) explain(query, found.hits.back());
  }
  return found;
}

void SearchIndex::explain(const Query& query, Hit& hit) const {
  const auto action = static_cast<std::uint16_t>(hit.operation - catalogue_.operations().data());
  for (const auto& wanted : query.terms) {
    const Term& term = terms_[wanted.term];
    for (std::uint32_t i = term.first; i < term.first + term.count; ++i)
      if (postings_[i].action == action)
        hit.why.push_back(
            {text(term), wanted.weight * static_cast<float>(postings_[i].impact) / kImpactScale});
  }
}

}  // namespace weighbridge::reference
