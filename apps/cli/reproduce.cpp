#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/base/diagnostics.h"

extern char** environ;

namespace sarrus::cli {
namespace {

namespace fs = std::filesystem;

/// A study: a script that runs the program, and the page that it makes.
struct Study {
  std::string name;   ///< `augmented-dca`
  std::string title;  ///< of the page
  fs::path script;    ///< tools/studies/augmented_dca.py
};

// The tree that the program was built in, as long as it is still there: an installed program must
// not run scripts from where it was once built.
fs::path source_tree() {
  const char* chosen = std::getenv("SARRUS_SOURCE");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  const fs::path tree = SARRUS_SOURCE_DIRECTORY;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const auto [rest, end] = std::mismatch(tree.begin(), tree.end(), program.begin(), program.end());
  return rest == tree.end() ? tree : fs::path();
}

std::string title_of(const fs::path& page) {
  std::ifstream file(page);
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("# ")) return line.substr(2);
  return {};
}

// Scripts without a page are parts of others.
std::vector<Study> find_studies() {
  const fs::path tree = source_tree();
  std::error_code error;
  std::vector<Study> studies;
  for (const auto& entry : fs::directory_iterator(tree / "tools" / "studies", error)) {
    const fs::path& script = entry.path();
    const fs::path page = tree / "docs" / "studies" / (script.stem().string() + ".md");
    if (script.extension() != ".py" || !fs::exists(page)) continue;
    std::string name = script.stem().string();
    std::ranges::replace(name, '_', '-');
    studies.push_back({name, title_of(page), script});
  }
  if (studies.empty())
    throw UsageError(
        fmt::format("there are no studies{}: they come with the source tree, and are not "
                    "installed\n  hint: set SARRUS_SOURCE to where that is",
                    tree.empty() ? "" : fmt::format(" in '{}'", tree.string())));
  std::ranges::sort(studies, {}, &Study::name);
  return studies;
}

void list_studies() {
  for (const Study& study : find_studies())
    print(fmt::format("{:<16}  {}\n", study.name, study.title));
}

/// Signals that the program takes care of itself, as others know them.
class OrdinarySignals {
 public:
  OrdinarySignals() {
    sigset_t all;
    sigemptyset(&all);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT}) sigaddset(&all, signal);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~OrdinarySignals() { posix_spawnattr_destroy(&attributes_); }
  OrdinarySignals(const OrdinarySignals&) = delete;
  OrdinarySignals& operator=(const OrdinarySignals&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Runs it to its end and returns what waitpid() says of it. Ctrl-C is the script's to handle.
int run_script(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const OrdinarySignals signals;
  pid_t process = 0;
  const int failure =
      posix_spawnp(&process, arguments[0], nullptr, signals.get(), arguments.data(), environ);
  if (failure != 0)
    throw UsageError(fmt::format("cannot run {}, which studies are written for: {}", words[0],
                                 std::strerror(failure)));
  const auto interrupt = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, interrupt);
  return status;
}

struct ReproduceArguments {
  std::string name;
  std::string out;
  bool check = false;
};

int reproduce(const ReproduceArguments& arguments) {
  const std::vector<Study> studies = find_studies();
  const auto study = std::ranges::find(studies, arguments.name, &Study::name);
  if (study == studies.end()) {
    std::vector<std::string> names;
    for (const Study& known : studies) names.push_back(known.name);
    throw UsageError(fmt::format("there is no study '{}'\n  hint: {}", arguments.name,
                                 suggestion(arguments.name, names, "studies")));
  }
  std::vector<std::string> words = {"python3", study->script.string(), "--program",
                                    fs::read_symlink("/proc/self/exe").string()};
  if (arguments.check) words.emplace_back("--check");
  if (!arguments.out.empty()) words.insert(words.end(), {"--out", arguments.out});
  const int status = run_script(std::move(words));
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) return kInterrupted;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return kDone;
  complain(
      fmt::format("sarrus: the study '{}' {}\n", study->name,
                  arguments.check ? "is not found again as its page has it, or failed" : "failed"));
  return kNumbersFailed;
}

}  // namespace

void add_reproduce(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ReproduceArguments>();
  CLI::App* command =
      app.add_subcommand("reproduce", "Run a published study anew and make its page and figures");
  command->add_option("NAME", arguments->name, "The study; without it, they are listed")
      ->option_text(" ");
  command->add_flag("--check", arguments->check,
                    "Write nothing; are the numbers on its page found again?");
  command
      ->add_option("--out", arguments->out,
                   "Write page and figures there; default: into docs/ of the source tree")
      ->option_text("DIR");
  command->footer("Example: sarrus reproduce augmented-dca --out study");
  command->callback([arguments, &status] {
    status = kDone;
    if (arguments->name.empty() && (arguments->check || !arguments->out.empty()))
      throw UsageError(
          "reproduce needs the NAME of a study\n  hint: without anything it lists them");
    if (arguments->name.empty())
      list_studies();
    else
      status = reproduce(*arguments);
  });
}

}  // namespace sarrus::cli
