// Stores of ledgers in tests: one in memory, and one that tells what is done to it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fugu/accounting/ledger_store.hpp"

namespace fugu::test {

/// Frames in memory, as an ordered log would keep them: positions are numbers of frames, none is ever torn.
class MemoryLog {
 public:
  std::unique_ptr<LedgerStore> store() { return std::make_unique<Store>(frames_); }
  std::unique_ptr<LedgerFrames> frames() const { return std::make_unique<Frames>(frames_); }

 private:
  using Shared = std::shared_ptr<std::vector<LedgerFrame>>;

  class Store final : public LedgerStore {
   public:
    explicit Store(Shared frames) : frames_(std::move(frames)) {}
    Result<void> append(const Digest& seal, std::string_view payload) override {
      frames_->push_back({seal, std::string(payload)});
      return {};
    }
    Result<void> sync() override { return {}; }
    Result<void> keep(std::uint64_t position) override {
      frames_->resize(static_cast<std::size_t>(position));
      return {};
    }
    const std::string& name() const override { return name_; }

   private:
    Shared frames_;
    std::string name_ = "memory";
  };

  class Frames final : public LedgerFrames {
   public:
    explicit Frames(Shared frames) : frames_(std::move(frames)) {}
    Result<bool> next(LedgerFrame& frame) override {
      if (next_ == frames_->size()) return false;
      frame = (*frames_)[next_++];
      return true;
    }
    std::uint64_t position() const override { return next_; }
    Result<bool> at_end() override { return next_ == frames_->size(); }
    bool torn() const override { return false; }
    const std::string& name() const override { return name_; }

   private:
    Shared frames_;
    std::size_t next_ = 0;
    std::string name_ = "memory";
  };

  Shared frames_ = std::make_shared<std::vector<LedgerFrame>>();
};

/// Passes everything on to another store, and notes it.
class ObservedStore final : public LedgerStore {
 public:
  ObservedStore(std::unique_ptr<LedgerStore> store, std::vector<std::string>& events)
      : store_(std::move(store)), events_(events) {}
  Result<void> append(const Digest& seal, std::string_view payload) override {
    events_.emplace_back("append");
    return store_->append(seal, payload);
  }
  Result<void> sync() override {
    events_.emplace_back("sync");
    return store_->sync();
  }
  Result<void> keep(std::uint64_t position) override {
    events_.emplace_back("keep");
    return store_->keep(position);
  }
  const std::string& name() const override { return store_->name(); }

 private:
  std::unique_ptr<LedgerStore> store_;
  std::vector<std::string>& events_;
};

}  // namespace fugu::test
