#include "protocol/server_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "protocol/server_base64.h"

namespace weighbridge::protocol {
namespace {

std::string literal(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

TEST(ServerJson, EscapesWhatJsonMustEscapeAndNothingElse) {
  EXPECT_EQ(literal("plain / text é"), "\"plain / text é\"");
  EXPECT_EQ(literal("a\"b\\c\nd\re\tf"), R"("a\"b\\c\nd\re\tf")");
  EXPECT_EQ(literal(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
}

TEST(ServerJson, FindsASpecialByteAtEveryPlaceOfALongText) {
  for (const char special : {'"', '\\', '\n', '\x1f'}) {
    for (std::size_t at = 0; at < 40; ++at) {
      std::string text(40, 'x');
      text[at] = special;
      EXPECT_EQ(nlohmann::json::parse(literal(text)).get<std::string>(), text) << at;
    }
  }
}

TEST(ServerJson, LeavesBytesNextToTheSpecialOnesAlone) {
  std::string text;
  for (int c = 0x20; c < 0x7f; ++c)
    if (c != '"' && c != '\\') text += static_cast<char>(c);
  EXPECT_EQ(literal(text), '"' + text + '"');
}

TEST(ServerBase64, AgreesWithTheVectorsOfRfc4648) {
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encode_base64("\xff\xfe\xfd"), "//79");
}

TEST(ServerBase64, UndoesItselfForEveryByte) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
}

TEST(ServerBase64, ForgivesLineEndsButNothingElse) {
  EXPECT_EQ(decode_base64("Zm9v\r\nYmFy"), "foobar");
  EXPECT_EQ(decode_base64("Zm9v YmFy"), std::nullopt);
  EXPECT_EQ(decode_base64("Zm9_"), std::nullopt);
}

}  // namespace
}  // namespace weighbridge::protocol
