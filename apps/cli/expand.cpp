#include "sarrus/io/expand.h"

#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "sarrus/io/load_model.h"

namespace sarrus::cli {

void add_expand(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ModelArguments>();
  CLI::App* command = app.add_subcommand(
      "expand", "Print a model with its parameters, expressions and repeats worked out");
  add_model_arguments(*command, *arguments);
  command->footer("Example: sarrus expand five-bar --set length=0.5 > longer.yaml");
  command->callback([arguments, &status] {
    print(expand(load_model_description(arguments->model, arguments->overrides())));
    status = kDone;
  });
}

}  // namespace sarrus::cli
