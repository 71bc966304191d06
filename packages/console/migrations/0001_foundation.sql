-- Who uses the console, what agents share through it, and what they report.
-- One text for both dialects; `$serial` is written as each of them writes a growing integer key.
-- Times are milliseconds since 1970, JSON is text, hashes are base64url.

CREATE TABLE tenants (
  id $serial,
  public_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE settings (
  tenant BIGINT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (tenant, name)
);

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tenants (id),
  email TEXT NOT NULL UNIQUE,
  password TEXT,
  role TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  disabled_at BIGINT
);

CREATE TABLE login_links (
  token_hash TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  expires_at BIGINT NOT NULL
);

CREATE TABLE login_sessions (
  token_hash TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tenants (id),
  env TEXT NOT NULL,
  label TEXT,
  prefix TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  agent_pattern TEXT,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT,
  revoked_at BIGINT
);

CREATE TABLE operator_log (
  id $serial,
  tenant BIGINT NOT NULL,
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL
);
CREATE INDEX operator_log_by_tenant ON operator_log (tenant, id);

-- A value is a text, or a number that counts; never both.
CREATE TABLE session_values (
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  name TEXT NOT NULL,
  text TEXT,
  number DOUBLE PRECISION,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, env, name)
);
CREATE INDEX session_values_by_expiry ON session_values (expires_at);

-- Execution slots that are taken and not settled.
CREATE TABLE session_slots (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  session TEXT NOT NULL,
  tool TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX session_slots_by_session ON session_slots (tenant, env, session);
CREATE INDEX session_slots_by_expiry ON session_slots (expires_at);

-- Answers to requests that carried an Idempotency-Key.
CREATE TABLE remembered_answers (
  tenant BIGINT NOT NULL,
  caller TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, caller, idempotency_key)
);
CREATE INDEX remembered_answers_by_expiry ON remembered_answers (expires_at);

CREATE TABLE events (
  sequence $serial,
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  occurred_at BIGINT NOT NULL,
  received_at BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_id TEXT,
  tool_name TEXT NOT NULL,
  action TEXT NOT NULL,
  mode TEXT NOT NULL,
  content TEXT NOT NULL
);
-- The same event has the same time, so this is as strict as an index on the hash alone; but events arrive roughly in the
-- order of their times, so it grows at its end, where one on hashes would rewrite a page for every event.
CREATE UNIQUE INDEX events_once ON events (tenant, occurred_at, content_hash);
CREATE INDEX events_by_agent ON events (tenant, agent_id, occurred_at);
CREATE INDEX events_by_session ON events (tenant, session_id, occurred_at);

-- Events counted by minute, so that statistics never read the events themselves.
CREATE TABLE event_counts (
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  minute BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  action TEXT NOT NULL,
  mode TEXT NOT NULL,
  contract TEXT NOT NULL,
  events BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, env, minute, agent_id, tool_name, action, mode, contract)
);

-- Agents that have been heard of, by what they sent.
CREATE TABLE agents (
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  first_seen_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  policy_version TEXT,
  manifest TEXT,
  PRIMARY KEY (tenant, env, agent_id)
);

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  key_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  tool_args TEXT NOT NULL,
  args_hash TEXT NOT NULL,
  message TEXT NOT NULL,
  timeout_seconds DOUBLE PRECISION NOT NULL,
  timeout_effect TEXT NOT NULL,
  principal TEXT,
  metadata TEXT NOT NULL,
  session_id TEXT,
  decision_source TEXT,
  contract_name TEXT,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decided_by TEXT,
  decided_at BIGINT,
  decision_reason TEXT,
  decided_via TEXT
);
CREATE INDEX approvals_by_time ON approvals (tenant, created_at);
CREATE INDEX approvals_by_status ON approvals (tenant, status, expires_at);
