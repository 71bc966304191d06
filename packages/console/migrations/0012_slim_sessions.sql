-- A reservation has to reach the disk before it is answered, so what it writes is kept to two places: the counters and the
-- slots of a session lie together, in the order of their keys. `$clustered` says so where it has to be said.

CREATE TABLE slim_values (
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  name TEXT NOT NULL,
  text TEXT,
  number DOUBLE PRECISION,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, env, name)
) $clustered;
INSERT INTO slim_values (tenant, env, name, text, number, expires_at)
  SELECT tenant, env, name, text, number, expires_at FROM session_values;
DROP TABLE session_values;
ALTER TABLE slim_values RENAME TO session_values;
CREATE INDEX session_values_by_expiry ON session_values (expires_at);

-- Few at any time, so that those whose time is over are found by looking at all.
CREATE TABLE slim_slots (
  tenant BIGINT NOT NULL,
  env TEXT NOT NULL,
  session TEXT NOT NULL,
  id TEXT NOT NULL,
  tool TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, env, session, id)
) $clustered;
INSERT INTO slim_slots (tenant, env, session, id, tool, expires_at)
  SELECT tenant, env, session, id, tool, expires_at FROM session_slots;
DROP TABLE session_slots;
ALTER TABLE slim_slots RENAME TO session_slots;
