#include "transport/detail/certificate.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <vector>

namespace weighbridge::transport::detail {
namespace {

constexpr const char* kUnchecked =
    "or measure without the check: --insecure (insecure = true in a plan)";

std::string day_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "a day that cannot be read";
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string address_of(const ASN1_OCTET_STRING* bytes) {
  char text[INET6_ADDRSTRLEN] = {};
  const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
  if (ASN1_STRING_length(bytes) != 4 && ASN1_STRING_length(bytes) != 16) return "?";
  inet_ntop(family, ASN1_STRING_get0_data(bytes), text, sizeof text);
  return text;
}

/// The names and addresses that a certificate is for.
std::vector<std::string> names_of(const X509* certificate) {
  const auto deleter = [](GENERAL_NAMES* names) { GENERAL_NAMES_free(names); };
  const std::unique_ptr<GENERAL_NAMES, decltype(deleter)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      deleter);
  std::vector<std::string> texts;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_IPADD) texts.push_back(address_of(name->d.iPAddress));
    if (name->type != GEN_DNS) continue;
    const auto* const data = ASN1_STRING_get0_data(name->d.dNSName);
    texts.emplace_back(reinterpret_cast<const char*>(data),
                       static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  return texts;
}

}  // namespace

int keep_refused(int accepted, X509_STORE_CTX* verification) {
  if (accepted == 1) return 1;
  auto* const ssl = static_cast<SSL*>(
      X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  X509* const certificate = X509_STORE_CTX_get_current_cert(verification);
  if (certificate == nullptr) return 0;
  X509_up_ref(certificate);
  static_cast<Refused*>(SSL_get_app_data(ssl))->reset(certificate);
  return 0;
}

std::optional<Error> why_refused(const SSL* ssl, const Refused& refused,
                                 const std::string& server) {
  const long verdict = SSL_get_verify_result(ssl);
  const X509* const certificate = refused.get();
  if (verdict == X509_V_OK || certificate == nullptr) return std::nullopt;
  Error error{ErrorCode::target, fmt::format("the certificate of {} ", server), {}, {}, 0};
  switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      error.what += "expired on " + day_of(X509_get0_notAfter(certificate));
      error.remedy = fmt::format("Have it renewed, {}", kUnchecked);
      return error;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      error.what += "is not valid before " + day_of(X509_get0_notBefore(certificate));
      error.remedy = fmt::format("Check this machine's clock, {}", kUnchecked);
      return error;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      error.what += "is self-signed";
      error.remedy = fmt::format(
          "Trust it with --ca-file FILE (ca_file in a plan), where FILE is that certificate, {}",
          kUnchecked);
      return error;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      error.what += "is signed by an authority that is not trusted here";
      error.remedy = fmt::format("Trust that authority with --ca-file FILE (ca_file in a plan), {}",
                                 kUnchecked);
      return error;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: {
      const auto names = names_of(certificate);
      error.what += names.empty() ? "is for no name at all"
                                  : fmt::format("is for {}", fmt::join(names, ", "));
      error.remedy = fmt::format("Write the name it is for in the URL, {}", kUnchecked);
      return error;
    }
    default:
      error.what += fmt::format("was not accepted: {}", X509_verify_cert_error_string(verdict));
      error.remedy = fmt::format("Have it replaced, {}", kUnchecked);
      return error;
  }
}

}  // namespace weighbridge::transport::detail
