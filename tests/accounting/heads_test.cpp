// Heads of a ledger: kept in a file, signed by the operator, checked by the audit.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fugu/accounting/audit_heads.hpp"
#include "fugu/accounting/ledger.hpp"
#include "support/ledger_tools.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

TEST(Sha256, IsThatOfTheStandard) {
  // FIPS 180-2, appendix B.1
  const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(to_hex(sha256({"abc"})), abc);
  EXPECT_EQ(to_hex(sha256({"a", "", "bc"})), abc);
  EXPECT_EQ(digest_from_hex(abc), sha256({"abc"}));
  for (const std::string& text : {std::string(), abc.substr(1), abc + "0", "g" + abc.substr(1), "+" + abc.substr(1)})
    EXPECT_FALSE(digest_from_hex(text)) << text;
}

LedgerHead some_head(std::uint64_t number) { return {number, 10 * number, sha256({std::to_string(number)})}; }

TEST(HeadFile, RemembersTheLatestHead) {
  const TempDir dir;
  EXPECT_FALSE(HeadFile::read(dir / "head")->has_value());
  auto file = HeadFile::open(dir / "head", some_head(1));
  ASSERT_TRUE(file) << reason(file);
  EXPECT_EQ(**HeadFile::read(dir / "head"), some_head(1));
  for (const std::uint64_t number : {2ull, 17ull, ~0ull / 10}) {
    ASSERT_TRUE(file->write(some_head(number)));
    EXPECT_EQ(**HeadFile::read(dir / "head"), some_head(number));
  }
  ASSERT_TRUE(HeadFile::open(dir / "head", some_head(1))) << "it is taken over as it is";
  EXPECT_EQ(**HeadFile::read(dir / "head"), some_head(~0ull / 10));
}

TEST(HeadFile, WithAnythingElseInItIsRefused) {
  const TempDir dir;
  ASSERT_TRUE(HeadFile::open(dir / "head", some_head(3)));
  const std::string text = read_file(dir / "head");
  for (const std::string& other : {std::string(), text.substr(1), text.substr(0, text.size() - 1), text + "\n",
                                   std::string(text.size(), '\0'), std::string("time,load\n")}) {
    write_file(dir / "head", other);
    const auto read = HeadFile::read(dir / "head");
    ASSERT_FALSE(read) << other;
    EXPECT_EQ(read.error().cause, Cause::refused);
  }
  std::filesystem::create_symlink(dir / "elsewhere", dir / "link");
  write_file(dir / "elsewhere", text);
  EXPECT_FALSE(HeadFile::open(dir / "link", some_head(4)));
  EXPECT_EQ(read_file(dir / "elsewhere"), text);
}

TEST(OperatorKey, SignsWhatItsPublicHalfVerifies) {
  const TempDir dir;
  const auto made = OperatorKey::create(dir / "key");
  ASSERT_TRUE(made) << reason(made);
  EXPECT_EQ(std::filesystem::status(dir / "key").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto loaded = OperatorKey::load(dir / "key");
  const auto its_public = PublicKey::load(dir / "key.pub");
  ASSERT_TRUE(loaded && its_public);
  EXPECT_EQ(loaded->public_key().text(), its_public->text());
  const Digest head = sha256({"head"});
  Signature signature = loaded->sign(head);
  EXPECT_TRUE(its_public->verifies(head, signature));
  EXPECT_FALSE(its_public->verifies(sha256({"other"}), signature));
  EXPECT_FALSE(OperatorKey::create(dir / "another")->public_key().verifies(head, signature));
  signature[10] ^= 1;
  EXPECT_FALSE(its_public->verifies(head, signature));
}

TEST(OperatorKey, IsNeitherOverwrittenNorSharedNorGuessed) {
  const TempDir dir;
  ASSERT_TRUE(OperatorKey::create(dir / "key"));
  const std::string pem = read_file(dir / "key");
  EXPECT_EQ(OperatorKey::create(dir / "key").error().cause, Cause::usage);
  EXPECT_EQ(read_file(dir / "key"), pem);
  EXPECT_FALSE(OperatorKey::load(dir / "key.pub"));
  EXPECT_EQ(PublicKey::load(dir / "key").error().cause, Cause::bad_input);
  EXPECT_EQ(OperatorKey::load(dir / "nothing").error().cause, Cause::usage);
  EXPECT_TRUE((std::filesystem::status(dir / "key.pub").permissions() & std::filesystem::perms::others_read) !=
              std::filesystem::perms::none)
      << "an auditor reads it";
  std::filesystem::permissions(dir / "key", std::filesystem::perms::group_read, std::filesystem::perm_options::add);
  EXPECT_EQ(OperatorKey::load(dir / "key").error().cause, Cause::refused);
}

/// A ledger of four slots, each in a frame of its own, signed.
class Heads : public ::testing::Test {
 protected:
  void SetUp() override {
    write(path_, 1, key_);
    auto reader = LedgerReader::open(path_);
    while (*reader->next()) heads_.push_back(reader->head().seal);
  }
  /// Returns without a finish when `slots` is less than 4.
  static void write(const std::string& path, double epsilon, const OperatorKey& key, Slot slots = 4) {
    LedgerHeader header = header_of(define(Protects::w_event, epsilon, 0, 4), expose_one(1));
    header.facts["key"] = key.public_key().text();
    auto writer = LedgerWriter::create(path, header);
    writer->sign_heads_with(key);
    for (Slot slot = 0; slot < slots; ++slot) {
      writer->append(LedgerRecord(SlotEnd{slot, 0, 0}));
      ASSERT_TRUE(writer->commit());
      ASSERT_TRUE(writer->mark_delivered(slot));
    }
    if (slots == 4) {
      ASSERT_TRUE(writer->finish());
    }
  }
  static AuditReport audit(const std::string& path, const HeadQuestions& questions) {
    AuditReport report;
    EXPECT_TRUE(audit_heads(path, questions, report));
    return report;
  }

  TempDir dir_;
  std::string path_ = dir_ / "run.ledger";
  std::string copy_ = dir_ / "copy.ledger";
  OperatorKey key_ = *OperatorKey::create(dir_ / "key");
  std::vector<Digest> heads_;
};

TEST_F(Heads, OfEveryFrameAreInTheChain) {
  for (const Digest& head : heads_) EXPECT_TRUE(audit(path_, {.head = head}).holds());
  EXPECT_FALSE(audit(path_, {.head = sha256({"never"})}).holds());
  const auto record = audit_ledger(path_);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->holds()) << record->findings[0];
}

TEST_F(Heads, AnEarlierLedgerDoesNotContainLaterOnes) {
  write(copy_, 1, key_, 2);
  EXPECT_TRUE(audit(copy_, {.head = heads_.front()}).holds());
  EXPECT_FALSE(audit(copy_, {.head = heads_.back()}).holds());
}

TEST_F(Heads, ARewrittenLedgerIsRecognised) {
  write(copy_, 0.1, key_);
  for (const Digest& head : heads_) EXPECT_FALSE(audit(copy_, {.head = head}).holds());
  EXPECT_TRUE(audit(copy_, {.key = key_.public_key()}).holds()) << "the operator can sign what they like";
}

TEST_F(Heads, AreSignedByTheKeyOnly) {
  EXPECT_TRUE(audit(path_, {.key = key_.public_key()}).holds());
  const OperatorKey other = *OperatorKey::create(dir_ / "other");
  EXPECT_FALSE(audit(path_, {.key = other.public_key()}).holds());
  write(copy_, 1, other);
  EXPECT_FALSE(audit(copy_, {.key = key_.public_key()}).holds());
}

TEST_F(Heads, FramesAfterTheLastSignatureAreFound) {
  write(copy_, 1, key_, 3);
  EXPECT_TRUE(audit(copy_, {.key = key_.public_key()}).holds()) << "each mark of delivery carries a signature";
  {
    auto writer = LedgerWriter::reopen(copy_);
    auto reader = LedgerReader::open(copy_);
    while (*reader->next()) {
    }
    ASSERT_TRUE(writer->continue_after(*reader));
    writer->append(LedgerRecord(SlotEnd{3, 0, 0}));
    ASSERT_TRUE(writer->commit());
  }
  EXPECT_FALSE(audit(copy_, {.key = key_.public_key()}).holds());
  EXPECT_TRUE(audit(copy_, {.key = key_.public_key(), .open_ended = true}).holds());
}

/// Rewrites a ledger without the key: its first slot as it was, then `frame` with the signature that covers that slot.
void forge(const std::string& honest, const std::string& path, const std::vector<LedgerRecord>& frame) {
  auto reader = LedgerReader::open(honest);
  auto writer = LedgerWriter::create(path, reader->header());
  writer->append(**reader->next());
  ASSERT_TRUE(writer->commit());
  const auto signature = reader->next();
  ASSERT_TRUE(std::holds_alternative<SignedHead>(**signature));
  for (const LedgerRecord& record : frame)
    writer->append(std::holds_alternative<SignedHead>(record) ? **signature : record);
  ASSERT_TRUE(writer->commit());
}

TEST_F(Heads, ASignatureDoesNotCoverItsOwnFrame) {
  const std::vector<std::vector<LedgerRecord>> forgeries = {
      {SignedHead{}, SlotEnd{1, 0, 0}, StreamEnd{}},
      {SlotEnd{1, 0, 0}, StreamEnd{}, SignedHead{}},
      {SignedHead{}, Delivered{0}, StreamEnd{}},
      {SignedHead{}, Resumed{1}},
      {SignedHead{}, LeftOut{1, 5}},
      {Delivered{0}, Failed{1}, SignedHead{}},
  };
  for (const auto& frame : forgeries) {
    std::filesystem::remove(copy_);
    forge(path_, copy_, frame);
    for (const bool open_ended : {false, true}) {
      const AuditReport report = audit(copy_, {.key = key_.public_key(), .open_ended = open_ended});
      ASSERT_FALSE(report.holds()) << "a frame that begins with record " << frame[0].index();
      EXPECT_EQ(report.findings[0], "frame 3 holds a signature and records that no signature covers");
    }
  }
}

TEST_F(Heads, AFrameOfASignatureMayHoldTheMarkOfDelivery) {
  for (const auto& frame : std::vector<std::vector<LedgerRecord>>{{SignedHead{}}, {SignedHead{}, Delivered{0}}}) {
    std::filesystem::remove(copy_);
    forge(path_, copy_, frame);
    EXPECT_TRUE(audit(copy_, {.key = key_.public_key()}).holds()) << "an older ledger, which no signature shows";
  }
}

}  // namespace
}  // namespace fugu::test
