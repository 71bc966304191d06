-- Contract bundles, where they are deployed, and the agents that are to run them.

-- The private key is sealed with the secret of the installation.
CREATE TABLE signing_keys (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tenants (id),
  public_key TEXT NOT NULL,
  private_key TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  valid_until BIGINT
);
CREATE INDEX signing_keys_by_tenant ON signing_keys (tenant, created_at);

-- A version never changes. `translation` is the same bundle in the other vocabulary.
CREATE TABLE bundle_versions (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tenants (id),
  name TEXT NOT NULL,
  version BIGINT NOT NULL,
  kind TEXT NOT NULL,
  revision_hash TEXT NOT NULL,
  content TEXT NOT NULL,
  translation TEXT,
  translation_hash TEXT,
  contracts TEXT NOT NULL,
  uploaded_by TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX bundle_versions_by_number ON bundle_versions (tenant, name, version);
CREATE UNIQUE INDEX bundle_versions_by_content ON bundle_versions (tenant, name, revision_hash);
CREATE INDEX bundle_versions_by_translation ON bundle_versions (tenant, translation_hash);
CREATE INDEX bundle_versions_by_hash ON bundle_versions (tenant, revision_hash);

CREATE TABLE deployments (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  bundle_name TEXT NOT NULL,
  bundle_version BIGINT NOT NULL,
  sequence BIGINT NOT NULL,
  deployed_by TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
-- One after the other: of two at once the second would take the same number.
CREATE UNIQUE INDEX deployments_in_order ON deployments (tenant, env, bundle_name, sequence);
CREATE INDEX deployments_by_time ON deployments (tenant, created_at);

-- What is in force: the last deployment of each bundle in each environment.
CREATE TABLE deployed_bundles (
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  bundle_name TEXT NOT NULL,
  bundle_version BIGINT NOT NULL,
  sequence BIGINT NOT NULL,
  deployment_id TEXT NOT NULL,
  deployed_by TEXT NOT NULL,
  deployed_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, env, bundle_name)
);

-- The last thing an agent said about a bundle it was given.
CREATE TABLE bundle_acknowledgements (
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  bundle_name TEXT NOT NULL,
  revision_hash TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT,
  at BIGINT NOT NULL,
  PRIMARY KEY (tenant, env, agent_id, bundle_name)
);

-- What is known about agents beside what they send: also of agents nobody has heard of yet.
CREATE TABLE agent_registrations (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  agent_id TEXT NOT NULL,
  display_name TEXT,
  tags TEXT NOT NULL,
  bundle_name TEXT,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX agent_registrations_by_agent ON agent_registrations (tenant, agent_id);

CREATE TABLE assignment_rules (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  priority BIGINT NOT NULL,
  pattern TEXT NOT NULL,
  tag_match TEXT,
  bundle_name TEXT NOT NULL,
  env TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX assignment_rules_by_priority ON assignment_rules (tenant, priority);

-- The bundle an agent asks for, since when a stream is open and when it was last seen to be, and the environment it
-- claims when that is not the one of its key.
ALTER TABLE agents ADD COLUMN bundle_name TEXT;
ALTER TABLE agents ADD COLUMN connected_at BIGINT;
ALTER TABLE agents ADD COLUMN stream_seen_at BIGINT;
ALTER TABLE agents ADD COLUMN claimed_env TEXT;
