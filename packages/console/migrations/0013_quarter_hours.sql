-- Events counted by quarter of an hour and without their agents: a week of a large fleet is then few enough rows to sum up
-- while somebody waits. The time comes before the environment, because most look at all environments at once.

CREATE TABLE quarter_hour_counts (
  tenant BIGINT NOT NULL,
  start BIGINT NOT NULL,
  env TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  action TEXT NOT NULL,
  mode TEXT NOT NULL,
  contract TEXT NOT NULL,
  events BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, start, env, tool_name, action, mode, contract)
);

INSERT INTO quarter_hour_counts (tenant, start, env, tool_name, action, mode, contract, events, last_at)
SELECT tenant, minute - minute % 900000, env, tool_name, action, mode, contract, sum(events), max(last_at)
FROM event_counts
GROUP BY tenant, minute - minute % 900000, env, tool_name, action, mode, contract;
