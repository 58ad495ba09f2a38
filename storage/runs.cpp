#include "storage/runs.h"

namespace lookalike {

std::int64_t begin_run(Connection& connection, std::string_view command, std::int64_t started_ns) {
  connection.execute("UPDATE runs SET outcome = 'killed' WHERE outcome = 'running'");
  Statement(connection,
            "INSERT INTO runs (command, started_ns, elapsed_seconds, outcome, document) "
            "VALUES (?, ?, 0, 'running', '')")
      .run(command, started_ns);
  return connection.last_insert_id();
}

void end_run(Connection& connection, const RunRecord& run) {
  Statement(connection,
            "UPDATE runs SET elapsed_seconds = ?, outcome = ?, document = ? WHERE id = ?")
      .run(run.elapsed_seconds, std::string_view(run.outcome), std::string_view(run.document),
           run.id);
}

std::vector<RunRecord> read_runs(const Connection& connection, std::size_t count) {
  Statement select(connection,
                   "SELECT id, command, started_ns, elapsed_seconds, outcome, document "
                   "FROM runs ORDER BY id DESC LIMIT ?");
  std::vector<RunRecord> runs;
  for (Rows rows = select.rows(count); rows.next();) {
    runs.push_back({rows.integer(0), std::string(rows.text(1)), rows.integer(2), rows.real(3),
                    std::string(rows.text(4)), std::string(rows.text(5))});
  }
  return runs;
}

}  // namespace lookalike
