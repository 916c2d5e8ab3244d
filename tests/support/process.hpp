// Runs real programs: arguments, pipes, exit code.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "temp_dir.hpp"

namespace fugu::test {

/// The lines of a text; `whole_only` leaves out a last line without its end.
inline std::vector<std::string> lines_of(std::string_view text, bool whole_only = false) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && whole_only) break;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// How a program ended and what it said.
struct Finished {
  int exit_code = -1;  ///< −1 when a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

inline std::ostream& operator<<(std::ostream& out, const Finished& finished) {
  return out << "exit code " << finished.exit_code << ", signal " << finished.signal << "\n--- stdout\n"
             << finished.out.substr(0, 2000) << "\n--- stderr\n"
             << finished.err.substr(0, 4000);
}

struct ProcessOptions {
  std::filesystem::path directory = {};    ///< to run in
  std::function<void()> in_child = {};     ///< called before the program starts: limits, signals, …
  std::vector<std::string> environment{};  ///< NAME=value, added to ours
};

/// A running program with pipes to its three standard streams.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const ProcessOptions& options = {}) {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<std::array<int, 2>, 3> pipes{};
    for (auto& ends : pipes) {
      if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    }
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
      ::dup2(pipes[0][0], STDIN_FILENO);
      ::dup2(pipes[1][1], STDOUT_FILENO);
      ::dup2(pipes[2][1], STDERR_FILENO);
      std::signal(SIGPIPE, SIG_DFL);
      if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) ::_exit(126);
      for (const std::string& variable : options.environment) ::putenv(const_cast<char*>(variable.c_str()));
      if (options.in_child) options.in_child();
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(pipes[0][0]);
    ::close(pipes[1][1]);
    ::close(pipes[2][1]);
    input_ = pipes[0][1];
    outputs_ = {pipes[1][0], pipes[2][0]};
    ::fcntl(input_, F_SETFL, O_NONBLOCK);
    for (const int output : outputs_) ::fcntl(output, F_SETFL, O_NONBLOCK);
  }
  ~Process() {
    kill();
    wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Writes to its standard input, reading what it says meanwhile. False when it does not listen any more.
  bool feed(std::string_view bytes) {
    while (!bytes.empty() && input_ >= 0) {
      const ssize_t written = ::write(input_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno == EAGAIN) {
        pump(10, true);
      } else if (errno != EINTR) {
        close_input();
      }
    }
    return input_ >= 0;
  }
  void close_input() { close_one(input_); }
  void close_output() { close_one(outputs_[0]); }
  void kill(int signal = SIGKILL) {
    if (!reaped_) ::kill(pid_, signal);
  }

  /// What it wrote to standard output so far.
  const std::string& out() {
    pump(0, false);
    return result_.out;
  }
  const std::string& err() {
    pump(0, false);
    return result_.err;
  }
  /// Waits until `done` or for a number of seconds; whether it is done.
  bool wait_until(const std::function<bool()>& done, double seconds = 20) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      pump(1, false);
    }
    return true;
  }

  /// Closes its input, reads all it says and waits for its end.
  const Finished& wait() {
    if (reaped_) return result_;
    close_input();
    while (outputs_[0] >= 0 || outputs_[1] >= 0) pump(1000, false);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    return result_;
  }

 private:
  static void close_one(int& descriptor) {
    if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
  }

  // Reads what there is; waits for at most `wait_ms` for something to happen.
  void pump(int wait_ms, bool wants_to_write) {
    std::array<pollfd, 3> requests{pollfd{outputs_[0], POLLIN, 0}, pollfd{outputs_[1], POLLIN, 0},
                                   pollfd{wants_to_write ? input_ : -1, POLLOUT, 0}};
    ::poll(requests.data(), requests.size(), wait_ms);
    std::array<char, 1 << 16> block;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      while (outputs_[i] >= 0) {
        const ssize_t got = ::read(outputs_[i], block.data(), block.size());
        if (got > 0) {
          (i == 0 ? result_.out : result_.err).append(block.data(), static_cast<std::size_t>(got));
        } else if (got == 0) {
          close_one(outputs_[i]);
        } else if (errno == EAGAIN) {
          break;
        }
      }
    }
  }

  pid_t pid_ = -1;
  int input_ = -1;
  std::array<int, 2> outputs_{-1, -1};
  bool reaped_ = false;
  Finished result_;
};

/// Runs a program to its end.
inline Finished run(const std::vector<std::string>& arguments, std::string_view input = {},
                    const ProcessOptions& options = {}) {
  Process process(arguments, options);
  process.feed(input);
  return process.wait();
}

/// Splits at spaces; no quoting.
inline std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n\t");
    if (end != 0) result.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

#ifdef FUGU_BINARY
/// The command line `fugu <options>`, split at spaces.
inline std::vector<std::string> fugu_command(std::string_view options) {
  std::vector<std::string> arguments = words(options);
  arguments.insert(arguments.begin(), FUGU_BINARY);
  return arguments;
}

/// Runs `fugu <options>` in a folder.
inline Finished run_fugu(const TempDir& directory, std::string_view options, std::string_view input = {},
                         ProcessOptions process = {}) {
  process.directory = directory.path();
  return run(fugu_command(options), input, process);
}
#endif

}  // namespace fugu::test
