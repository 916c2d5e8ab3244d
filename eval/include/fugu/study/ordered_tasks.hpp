// Tasks on all cores, results in order: what a study that writes rows needs.
//
//     run_in_order<Row>({.threads = 2, .from = file.rows().size()}, cells.size(),
//                       [&](std::size_t i) -> Result<Row> { return run_cell(cells[i]); },
//                       [&](std::size_t i, Row row) { return file.add(text_of(row)); });
//
// Guarantee: `take` is called from the calling thread, once for each task from `from` on, in order; after an error of a
// task, all tasks before it have been taken. What a task computes must not depend on the thread or on other tasks: then
// neither do the results.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "fugu/base/result.hpp"

namespace fugu {

struct TaskOptions {
  unsigned threads = 0;  ///< 0: as many as there are cores
  std::size_t from = 0;  ///< tasks before this one are done
  /// Called about ten times a second with the tasks that are done and all there are.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

template <class T>
class OrderedTasks {
 public:
  using Work = std::function<Result<T>(std::size_t)>;
  using Take = std::function<Result<void>(std::size_t, T)>;

  OrderedTasks(const TaskOptions& options, std::size_t count, const Work& work)
      : options_(options), end_(count), all_(count), work_(work), next_(options.from) {}

  Result<void> run(const Take& take) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < (options_.threads == 0 ? cores : options_.threads); ++i)
      threads.emplace_back([this] { work(); });
    auto taken = hand_out(take);
    {
      const std::lock_guard lock(mutex_);
      end_ = 0;  // no more tasks
    }
    for (std::thread& thread : threads) thread.join();
    return taken;
  }

 private:
  static constexpr auto kProgressInterval = std::chrono::milliseconds(100);

  void work() {
    while (true) {
      std::size_t task = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ >= end_) return;
        task = next_++;
      }
      Result<T> result = work_(task);
      const std::lock_guard lock(mutex_);
      if (!result) end_ = std::min(end_, task + 1);  // those before it are still worth finishing
      finished_.emplace(task, std::move(result));
      changed_.notify_one();
    }
  }

  Result<void> hand_out(const Take& take) {
    std::unique_lock lock(mutex_);
    for (std::size_t task = options_.from; task < all_;) {
      auto found = finished_.find(task);
      if (found == finished_.end()) {
        changed_.wait_for(lock, kProgressInterval);
        if (options_.progress) options_.progress(task + finished_.size(), all_);
        continue;
      }
      Result<T> result = std::move(found->second);
      finished_.erase(found);
      lock.unlock();
      if (!result) return std::move(result).error();
      FUGU_TRY(take(task, *std::move(result)));
      lock.lock();
      ++task;
    }
    return {};
  }

  const TaskOptions& options_;
  std::size_t end_;
  const std::size_t all_;
  const Work& work_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_;
  std::map<std::size_t, Result<T>> finished_;  // and not taken yet
};

/// See above.
template <class T>
Result<void> run_in_order(const TaskOptions& options, std::size_t count, const typename OrderedTasks<T>::Work& work,
                          const typename OrderedTasks<T>::Take& take) {
  return OrderedTasks<T>(options, count, work).run(take);
}

}  // namespace fugu
