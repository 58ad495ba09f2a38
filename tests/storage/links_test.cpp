#include <gtest/gtest.h>

#include "base/files.h"
#include "storage/artefact_files.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"
#include "tests/storage/samples.h"

namespace lookalike {
namespace {

namespace fs = std::filesystem;

TEST(ResolvedPath, FollowsLinksAndKeepsWhatIsNotThereYet) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_symlink("real", folder / "link");
  EXPECT_EQ(resolved(folder / "link" / "new.db"), resolved(folder / "real" / "new.db"));
  EXPECT_TRUE(resolved("new.db").is_absolute());
}

TEST(ResolvedPath, LinksThatLeadInACircleAreAnInputError) {
  const TemporaryFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_EQ(error_of([&] { resolved(folder / "a"); }).kind(), ErrorKind::kInput);
  EXPECT_EQ(error_of([&] { read_codebook(folder / "a"); }).kind(), ErrorKind::kInput);
}

TEST(ResolvedPath, AnIndexAndAnArtefactMayBeNamedByALink) {
  const TemporaryFolder folder;
  { IndexWriter writer(folder / "index.db"); }
  write_codebook(OutputFile::unguarded(folder / "a.codebook"), sample_codebook());
  fs::create_symlink("index.db", folder / "link.db");
  fs::create_symlink("a.codebook", folder / "link.codebook");
  EXPECT_EQ(IndexReader(folder / "link.db").counts().images, 0U);
  EXPECT_EQ(read_codebook(folder / "link.codebook").size(), 16U);
}

}  // namespace
}  // namespace lookalike
