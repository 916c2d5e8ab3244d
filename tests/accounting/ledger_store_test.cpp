// The contract of a ledger's store, for every store there is.
#include "fugu/accounting/ledger_store.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fugu/accounting/ledger.hpp"
#include "support/ledger_stores.hpp"
#include "support/ledger_tools.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

/// A place that can hold a ledger.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::unique_ptr<LedgerStore> create(const LedgerFrame& first) = 0;
  virtual std::unique_ptr<LedgerStore> reopen() = 0;
  virtual std::unique_ptr<LedgerFrames> frames() = 0;
  virtual Result<LedgerWriter> begin(const LedgerHeader& header) = 0;
};

class FilePlace final : public Place {
 public:
  std::unique_ptr<LedgerStore> create(const LedgerFrame& first) override { return *create_ledger_file(path_, first); }
  std::unique_ptr<LedgerStore> reopen() override { return *open_ledger_file(path_); }
  std::unique_ptr<LedgerFrames> frames() override { return *read_ledger_file(path_); }
  Result<LedgerWriter> begin(const LedgerHeader& header) override { return LedgerWriter::create(path_, header); }

 private:
  TempDir dir_;
  std::string path_ = dir_ / "run.ledger";
};

class MemoryPlace final : public Place {
 public:
  std::unique_ptr<LedgerStore> create(const LedgerFrame& first) override {
    auto store = log_.store();
    EXPECT_TRUE(store->append(first.seal, first.payload));
    return store;
  }
  std::unique_ptr<LedgerStore> reopen() override { return log_.store(); }
  std::unique_ptr<LedgerFrames> frames() override { return log_.frames(); }
  Result<LedgerWriter> begin(const LedgerHeader& header) override { return LedgerWriter::create(log_.store(), header); }

 private:
  MemoryLog log_;
};

struct StoreCase {
  const char* name;
  std::unique_ptr<Place> (*make)();
};

LedgerFrame frame_of(const std::string& payload) { return {sha256({payload}), payload}; }

class LedgerStoreContract : public ::testing::TestWithParam<StoreCase> {
 protected:
  void append(LedgerStore& store, const LedgerFrame& frame) { ASSERT_TRUE(store.append(frame.seal, frame.payload)); }
  void expect_frames(const std::vector<LedgerFrame>& expected) {
    const auto frames = place_->frames();
    LedgerFrame frame;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(*frames->next(frame)) << i;
      EXPECT_EQ(frame.seal, expected[i].seal) << i;
      EXPECT_EQ(frame.payload, expected[i].payload) << i;
      EXPECT_EQ(*frames->at_end(), i + 1 == expected.size()) << i;
    }
    EXPECT_FALSE(*frames->next(frame));
    EXPECT_FALSE(frames->torn());
  }

  std::unique_ptr<Place> place_ = GetParam().make();
  LedgerFrame header_ = frame_of("header");
  LedgerFrame empty_ = frame_of("");
  LedgerFrame long_ = frame_of(std::string(300'000, 'x'));
};

TEST_P(LedgerStoreContract, FramesComeBackInOrder) {
  const auto store = place_->create(header_);
  expect_frames({header_});
  append(*store, long_);
  append(*store, empty_);
  ASSERT_TRUE(store->sync());
  expect_frames({header_, long_, empty_});
}

TEST_P(LedgerStoreContract, AReaderSeesWhatIsAppendedMeanwhile) {
  const auto store = place_->create(header_);
  const auto frames = place_->frames();
  LedgerFrame frame;
  ASSERT_TRUE(*frames->next(frame));
  EXPECT_FALSE(*frames->next(frame));
  append(*store, long_);
  ASSERT_TRUE(*frames->next(frame));
  EXPECT_EQ(frame.payload, long_.payload);
}

TEST_P(LedgerStoreContract, GoesOnAfterAPosition) {
  std::uint64_t after_header = 0;
  {
    const auto store = place_->create(header_);
    append(*store, long_);
    const auto frames = place_->frames();
    LedgerFrame frame;
    ASSERT_TRUE(*frames->next(frame));
    after_header = frames->position();
  }
  const auto store = place_->reopen();
  ASSERT_TRUE(store->keep(after_header));
  append(*store, empty_);
  append(*store, long_);
  expect_frames({header_, empty_, long_});
}

TEST_P(LedgerStoreContract, CarriesALedger) {
  auto writer = place_->begin(header_of(define(Protects::w_event, 1, 0, 4), expose_one(1)));
  ASSERT_TRUE(writer) << reason(writer);
  writer->append(LedgerRecord(SlotEnd{0, 0, 0}));
  ASSERT_TRUE(writer->commit());
  auto reader = LedgerReader::open(place_->frames());
  ASSERT_TRUE(reader) << reason(reader);
  ASSERT_TRUE((*reader->next()).has_value());
  EXPECT_FALSE((*reader->next()).has_value());
  EXPECT_EQ(reader->head(), writer->head());
  EXPECT_EQ(reader->head().frames, 2u);
  EXPECT_EQ(reader->head().slots, 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, LedgerStoreContract,
    ::testing::Values(StoreCase{"file", [] { return std::unique_ptr<Place>(std::make_unique<FilePlace>()); }},
                      StoreCase{"memory", [] { return std::unique_ptr<Place>(std::make_unique<MemoryPlace>()); }}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fugu::test
