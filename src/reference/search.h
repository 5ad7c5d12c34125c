#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/catalogue.h"
#include "reference/text_index.h"

namespace weighbridge::reference {

/// The common beginning of a word's forms, in lower case: `Branches` and `branch` give `branch`,
/// `merging` and `merge` give `merg`. Light on purpose: what it cannot join, synonyms do.
class Stem {
 public:
  explicit Stem(std::string_view word);
  [[nodiscard]] std::string_view text() const { return {letters_.data(), size_}; }

 private:
  [[nodiscard]] bool ends(std::string_view ending) const { return text().ends_with(ending); }
  std::array<char, 32> letters_;
  std::uint8_t size_ = 0;
};

/// A word of a query and what it added to one action's score.
struct Reason {
  std::string_view word;
  float added = 0;
};

struct Hit {
  const Operation* operation = nullptr;
  float score = 0;
  std::vector<Reason> why;  ///< only when asked for
};

struct Found {
  std::vector<Hit> hits;  ///< best first; equal scores in the catalogue's order
  std::size_t total = 0;  ///< how many actions matched at all
};

/// Ranks the catalogue for a query in plain words: BM25 over fields of different weight (Robertson
/// and Zaragoza, 2009), then by how much of the query an action covers and how much of the action's
/// id the query covers, so that "list issues" gives issues.list before group_issues.list.
class SearchIndex {
 public:
  explicit SearchIndex(const Catalogue& catalogue);

  [[nodiscard]] Found find(std::string_view query, std::size_t limit, bool explain) const;

 private:
  /// One action in which a term stands. `in_id`: in its noun or verb.
  struct Posting {
    std::uint16_t action;
    std::uint16_t impact : 15;  ///< term's share of the score in 1/kImpactScale
    std::uint16_t in_id : 1;
  };
  struct Term {
    std::uint32_t text_begin;
    std::uint8_t text_size;
    std::uint32_t first = 0;  ///< of its postings
    std::uint32_t count = 0;
  };
  /// A word's place in one action while the index is built.
  struct Mention {
    std::uint16_t term;
    std::uint16_t action;
    float weight;
    bool in_id;
  };
  struct QueryTerm {
    std::uint16_t term;
    std::uint8_t word;  ///< which word of the query
    float weight;
  };
  struct Query {
    std::array<std::string_view, 32> words;
    std::size_t word_count = 0;
    std::vector<QueryTerm> terms;
  };

  void read(const Operation& operation, std::uint16_t action, std::vector<Mention>& mentions);
  void weigh(std::vector<Mention>& mentions);
  [[nodiscard]] int find_term(std::string_view stem) const;
  std::uint16_t term_of(std::string_view stem);
  [[nodiscard]] std::string_view text(const Term& term) const;
  [[nodiscard]] Query understand(std::string_view query) const;
  void explain(const Query& query, Hit& hit) const;

  const Catalogue& catalogue_;
  std::string texts_;
  std::vector<Term> terms_;
  TextIndex by_text_;
  std::vector<Posting> postings_;
  std::vector<std::uint8_t> id_terms_;  ///< how many different terms an action's id has
};

}  // namespace weighbridge::reference
