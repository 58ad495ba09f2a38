#include <cstdint>
#include <system_error>

#include "base/files.h"
#include "base/path_set.h"
#include "kernels/session/device.h"
#include "pipeline/device/open_session.h"
#include "tools/lookalike/commands.h"

namespace lookalike {
namespace {

constexpr int kNightlyNiceness = 10;
constexpr std::uint64_t kMostMib = 1048576;  // the limit of device.memory_limit_mib

struct InitArguments {
  explicit InitArguments(CLI::App& command) : verbosity(command) {
    add_value(command, "FOLDER DIR", folders, "Folders of photos to index")->required();
    add_value(command, "-o,--output FILE", output, "File to write; - for standard output")
        ->capture_default_str();
  }
  VerbosityArguments verbosity;
  std::vector<std::string> folders;
  std::string output = "lookalike.toml";
};

std::vector<std::string> existing_folders(const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    std::error_code error;
    if (!std::filesystem::is_directory(name, error)) {
      const bool exists = std::filesystem::exists(name, error);
      throw Error(ErrorKind::kInput, fmt::format("{}: {}", printable(name),
                                                 exists ? "not a folder" : "no such folder"));
    }
    folders.push_back(normal_path(name));
  }
  return folders;
}

// Formats a key with its value below its meaning and `here`, a comment about this machine.
std::string entry(const RunConfig& config, std::string_view name, const std::string& here = {}) {
  const ConfigField& field = config_field(name);
  return fmt::format("\n# {}\n{}{} = {}\n", field.meaning, here, field.key,
                     to_toml(field.rule, field.get(config)));
}

// Formats a key that stays at its default, with a value for the user to put in.
std::string suggestion(std::string_view name, std::string_view value) {
  const ConfigField& field = config_field(name);
  return fmt::format("\n# {}\n# {} = {}\n", field.meaning, field.key, value);
}

std::string device_comments(const std::vector<Device>& devices, std::size_t used) {
  if (devices.empty()) return "# No OpenCL device was found: see `lookalike devices`.\n";
  std::string text = "# This machine has:\n";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceInfo& info = devices[i].info;
    text += fmt::format("#   \"::{}\"  {} {}, {} MiB{}\n", i, to_string(info.kind),
                        printable(info.name), info.global_memory_bytes >> 20U,
                        i == used ? ", which is used" : "");
  }
  return text;
}

std::string configuration(RunConfig config, const std::string& file) {
  give_pocl_a_cache();
  const std::vector<Device> devices = list_devices();
  const std::size_t used = devices.empty() ? 0 : matching_devices(devices, "").front();
  std::string memory;
  // A CPU shares its memory with all other programs.
  if (!devices.empty() && devices[used].info.kind == DeviceKind::kCpu) {
    const std::uint64_t half_mib = devices[used].info.global_memory_bytes >> 21U;
    config.device.memory_limit_mib = static_cast<std::uint32_t>(std::min(half_mib, kMostMib));
    memory = "# Here half of what OpenCL offers, since the device is the CPU.\n";
  }
  config.run.niceness = kNightlyNiceness;
  std::string text = fmt::format(
      "# What lookalike indexes on this machine, and how:\n"
      "#   lookalike index --config {0}\n"
      "#   lookalike query --config {0} photo.jpg\n"
      "# Relative paths start at the folder of this file. `lookalike config` lists all keys.\n",
      file);
  text += "\n[images]\n" + entry(config, "images.folders") +
          suggestion("images.exclude", R"(["/private/", "*-small.jpg"])");
  text += "\n[store]\n" + entry(config, "store.database");
  text += "\n[device]\n" + entry(config, "device.choice", device_comments(devices, used)) +
          entry(config, "device.memory_limit_mib", memory);
  text += "\n[run]\n" + entry(config, "run.niceness") +
          suggestion("run.metrics", R"("lookalike.prom")");
  return text;
}

int init(const InitArguments& arguments) {
  arguments.verbosity.apply();
  const bool to_stdout = arguments.output == "-";
  const auto exists = [&] {
    return Error(ErrorKind::kUsage,
                 fmt::format("{}: exists and stays unchanged; name another file with --output",
                             printable(arguments.output)));
  };
  std::error_code error;
  if (!to_stdout && std::filesystem::symlink_status(arguments.output, error).type() !=
                        std::filesystem::file_type::not_found) {
    throw exists();
  }
  RunConfig config;
  config.images.folders = existing_folders(arguments.folders);
  config.store.database = "lookalike.db";
  const std::string text =
      configuration(std::move(config), to_stdout ? "FILE" : printable(arguments.output));
  if (to_stdout) {
    fmt::print("{}", text);
    return kExitDone;
  }
  AtomicFile file(arguments.output);
  file.write(bytes_of(text));
  if (!file.commit_new()) throw exists();
  spdlog::info("{0}: written; next: lookalike index --config {0}", printable(arguments.output));
  return kExitDone;
}

}  // namespace

void add_init_command(CLI::App& app, Action& action) {
  add_command(
      app, action, "init", "Write a configuration for this machine and these folders",
      "Output: a TOML file with the keys that are usually set, each explained: folders, index, "
      "device and memory. An existing file is never replaced.\n"
      "Example: lookalike init ~/photos --output photos.toml",
      init);
}

}  // namespace lookalike
