// Whether two paths name the same file: a file that is written must not destroy one that is read.
#pragma once

#include <string>

namespace fugu {

/// Where writing to `path` puts a file: links are followed, also those to a file that is not there yet.
std::string path_written(const std::string& path);

/// By whatever names, also when the file is not there yet. An empty path, `-` for a standard stream, devices and pipes
/// are no files.
bool same_file(const std::string& a, const std::string& b);

}  // namespace fugu
