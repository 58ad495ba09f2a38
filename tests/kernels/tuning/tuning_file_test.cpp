#include "kernels/tuning/tuning_file.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace lookalike {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

const TuningFile kExample = {
    .target = {.platform = "NVIDIA CUDA",
               .vendor = "NVIDIA Corporation",
               .device = "NVIDIA H200",
               .driver = "580.1",
               .kind = "GPU"},
    .measurements = {{"transpose", {{"height", 512}, {"width", 8192}}, "local", 0.3125},
                     {"surf", {}, "fused", 12.5}}};

std::string with_first_line(const std::string& rest) {
  return "lookalike tuning 1\n" + rest;
}

std::string error_of(const std::string& text) {
  try {
    parse_tuning_file(text, "file.txt");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

TEST(TuningFile, TextReadsBackTheSame) {
  EXPECT_EQ(parse_tuning_file(format_tuning_file(kExample), "example"), kExample);
}

TEST(TuningFile, IsOneLineForEachThing) {
  EXPECT_EQ(format_tuning_file(kExample),
            "lookalike tuning 1\n"
            "platform: NVIDIA CUDA\n"
            "vendor: NVIDIA Corporation\n"
            "device: NVIDIA H200\n"
            "driver: 580.1\n"
            "kind: GPU\n"
            "transpose height=512 width=8192 variant=local ms=0.3125\n"
            "surf variant=fused ms=12.5\n");
}

TEST(TuningFile, BlankLinesAndCommentsSayNothing) {
  const TuningFile file =
      parse_tuning_file(with_first_line("# by hand\n\nassign n=1 variant=cpu ms=2\n"), "file.txt");
  EXPECT_THAT(file.measurements, SizeIs(1));
}

TEST(TuningFile, AnotherVersionIsAnErrorOfLineOne) {
  EXPECT_EQ(error_of("lookalike tuning 2\n"),
            "file.txt:1: expected 'lookalike tuning 1', was 'lookalike tuning 2'");
  EXPECT_THAT(error_of(""), StartsWith("file.txt:1: expected"));
}

TEST(TuningFile, ErrorsNameTheLineAndSayWhatWasThere) {
  EXPECT_EQ(error_of(with_first_line("kind: GPU\nassign n=1.5 variant=cpu ms=2\n")),
            "file.txt:3: n must be a whole number, was 'assign n=1.5 variant=cpu ms=2'");
}

TEST(TuningFile, EveryKindOfBadLineIsRefused) {
  EXPECT_THAT(error_of(with_first_line("colour: red\n")), HasSubstr("unknown field"));
  EXPECT_THAT(error_of(with_first_line("kind: GPU\nkind: CPU\n")), HasSubstr("given twice"));
  EXPECT_THAT(error_of(with_first_line("assign n=1 ms=2\n")), HasSubstr("needs a variant"));
  EXPECT_THAT(error_of(with_first_line("assign n=1 variant=cpu\n")), HasSubstr("needs ms"));
  for (const char* ms : {"0", "-1", "inf", "nan", "fast", "1ms"}) {
    EXPECT_THAT(error_of(with_first_line("assign variant=cpu ms=" + std::string(ms))),
                HasSubstr("ms must be a number above 0"));
  }
  EXPECT_THAT(error_of(with_first_line("assign n=1 n=2 variant=cpu ms=2\n")),
              HasSubstr("n given twice"));
  EXPECT_THAT(error_of(with_first_line("assign variant=cpu variant=gpu1 ms=2\n")),
              HasSubstr("variant given twice"));
  EXPECT_THAT(error_of(with_first_line("assign n=-1 variant=cpu ms=2\n")),
              HasSubstr("n must be a whole number"));
  EXPECT_THAT(error_of(with_first_line("assign  n=1 variant=cpu ms=2\n")),
              HasSubstr("one space between"));
  EXPECT_THAT(error_of(with_first_line("assign n variant=cpu ms=2\n")),
              HasSubstr("expected name=value"));
}

}  // namespace
}  // namespace lookalike
