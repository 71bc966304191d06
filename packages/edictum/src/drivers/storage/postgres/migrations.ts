// Written by scripts/generate.mjs from migrations/*.sql: a compiler copies no such files, and a bundler would lose them.
import type { Migration } from './migrate.js'

export const migrations: readonly Migration[] = [
  {
    number: 1,
    text: `-- Sessions, their values and the slots they hold; the steps of the storage port as functions.
-- {schema} stands for the schema of the backend.

CREATE TABLE {schema}.session (
  scope text PRIMARY KEY,
  expires_at timestamptz NOT NULL,
  -- What expires_at was before it was renewed: tells who renews a session whether it was over.
  renewed_from timestamptz
) WITH (fillfactor = 50);

-- Counters and other values, as text.
CREATE TABLE {schema}.session_value (
  scope text NOT NULL REFERENCES {schema}.session ON DELETE CASCADE,
  field text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (scope, field)
) WITH (fillfactor = 50);

-- Slots that are held, and those settled a short while ago: a settlement that is sent again must not count twice.
CREATE TABLE {schema}.session_slot (
  scope text NOT NULL REFERENCES {schema}.session ON DELETE CASCADE,
  id text NOT NULL,
  tool_field text NOT NULL,
  lease_ends_at timestamptz NOT NULL,
  settled_at timestamptz,
  PRIMARY KEY (scope, id)
);

CREATE INDEX session_slot_settled_at ON {schema}.session_slot (scope, settled_at);

-- Locks a session until the statement is over, so that whatever follows sees all that came before and nothing comes
-- between. Never shortens: a held slot may need the session for longer than it may stay idle. Returns the time.
CREATE FUNCTION {schema}.renew(p_scope text, p_keep interval) RETURNS timestamptz
LANGUAGE plpgsql AS $$
DECLARE
  v_renewed_from timestamptz;
  v_now timestamptz;
BEGIN
  INSERT INTO {schema}.session AS existing (scope, expires_at)
  VALUES (p_scope, clock_timestamp() + p_keep)
  ON CONFLICT (scope) DO UPDATE
  SET renewed_from = existing.expires_at,
      expires_at = GREATEST(existing.expires_at, clock_timestamp() + p_keep)
  RETURNING existing.renewed_from INTO v_renewed_from;
  -- After the lock: time has gone by while others held it.
  v_now := clock_timestamp();
  IF v_renewed_from <= v_now THEN
    DELETE FROM {schema}.session_value WHERE scope = p_scope;
    DELETE FROM {schema}.session_slot WHERE scope = p_scope;
  END IF;
  RETURN v_now;
END $$;

-- A counter that is not a number stops the call: reading it as zero would switch a limit off.
CREATE FUNCTION {schema}.count_at(p_scope text, p_field text) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
  v_stored text;
BEGIN
  SELECT value INTO v_stored FROM {schema}.session_value WHERE scope = p_scope AND field = p_field;
  IF v_stored IS NULL THEN
    RETURN 0;
  END IF;
  IF v_stored !~ '^-?[0-9]+([.][0-9]*)?$' THEN
    RAISE EXCEPTION 'stored value of % is not a number', p_field USING ERRCODE = 'invalid_text_representation';
  END IF;
  RETURN v_stored::numeric;
END $$;

CREATE FUNCTION {schema}.write_value(p_scope text, p_field text, p_value text) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO {schema}.session_value (scope, field, value)
  VALUES (p_scope, p_field, p_value)
  ON CONFLICT (scope, field) DO UPDATE SET value = EXCLUDED.value
$$;

CREATE FUNCTION {schema}.add_to(p_scope text, p_field text, p_amount numeric) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
  v_sum numeric := trim_scale({schema}.count_at(p_scope, p_field) + p_amount);
BEGIN
  IF abs(v_sum) > 9007199254740991 THEN
    RAISE EXCEPTION 'stored value of % would be too large to be counted exactly', p_field
      USING ERRCODE = 'numeric_value_out_of_range';
  END IF;
  PERFORM {schema}.write_value(p_scope, p_field, v_sum::text);
  RETURN v_sum;
END $$;

-- Returns the value, or no row.
CREATE FUNCTION {schema}.read_values(p_scopes text[], p_fields text[])
RETURNS TABLE (found_at bigint, found text)
LANGUAGE sql STABLE AS $$
  SELECT wanted.position, stored.value
  FROM unnest(p_scopes, p_fields) WITH ORDINALITY AS wanted (scope, field, position)
  JOIN {schema}.session_value AS stored USING (scope, field)
  JOIN {schema}.session AS session USING (scope)
  WHERE session.expires_at > clock_timestamp()
$$;

CREATE FUNCTION {schema}.set_value(p_scope text, p_field text, p_value text, p_keep interval) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM {schema}.renew(p_scope, p_keep);
  PERFORM {schema}.write_value(p_scope, p_field, p_value);
END $$;

CREATE FUNCTION {schema}.increment(p_scope text, p_field text, p_amount numeric, p_keep interval)
RETURNS numeric
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM {schema}.renew(p_scope, p_keep);
  RETURN {schema}.add_to(p_scope, p_field, p_amount);
END $$;

-- Counts an attempt and takes an execution slot if the limits leave room; a limit that is null is none.
-- p_attempt is 'count' or 'counted', p_slot 'take' or 'leave'; granted is 'taken', 'exhausted' or 'left'.
CREATE FUNCTION {schema}.reserve(
  p_scope text, p_tool_field text, p_attempt text, p_slot text, p_slot_id text,
  p_max_attempts numeric, p_max_executions numeric, p_max_tool_executions numeric,
  p_lease interval, p_keep interval,
  OUT attempts numeric, OUT executions numeric, OUT tool_executions numeric, OUT granted text
)
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := {schema}.renew(p_scope, GREATEST(p_keep, p_lease));
  v_held bigint;
  v_held_by_tool bigint;
BEGIN
  DELETE FROM {schema}.session_slot WHERE scope = p_scope AND settled_at IS NULL AND lease_ends_at <= v_now;
  SELECT count(*), count(*) FILTER (WHERE tool_field = p_tool_field) INTO v_held, v_held_by_tool
  FROM {schema}.session_slot WHERE scope = p_scope AND settled_at IS NULL;
  attempts := CASE p_attempt
    WHEN 'count' THEN {schema}.add_to(p_scope, 'attempts', 1)
    ELSE {schema}.count_at(p_scope, 'attempts')
  END;
  executions := {schema}.count_at(p_scope, 'execs') + v_held;
  tool_executions := {schema}.count_at(p_scope, p_tool_field) + v_held_by_tool;
  granted := CASE
    WHEN p_slot = 'leave' THEN 'left'
    -- Given back before it was taken: nobody waited for the answer any more.
    WHEN EXISTS (SELECT FROM {schema}.session_slot WHERE scope = p_scope AND id = p_slot_id) THEN 'exhausted'
    WHEN attempts > p_max_attempts THEN 'exhausted'
    WHEN executions >= p_max_executions THEN 'exhausted'
    WHEN tool_executions >= p_max_tool_executions THEN 'exhausted'
    ELSE 'taken'
  END;
  IF granted = 'taken' THEN
    INSERT INTO {schema}.session_slot (scope, id, tool_field, lease_ends_at)
    VALUES (p_scope, p_slot_id, p_tool_field, v_now + p_lease);
  END IF;
END $$;

-- Ends a slot. One that has outlived its lease is gone already, and what was executed counts all the same; one that is
-- settled already was counted then.
CREATE FUNCTION {schema}.settle(
  p_scope text, p_tool_field text, p_slot_id text, p_outcome text, p_keep interval, p_remember interval,
  OUT attempts numeric, OUT executions numeric, OUT tool_executions numeric
)
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := {schema}.renew(p_scope, p_keep);
BEGIN
  DELETE FROM {schema}.session_slot WHERE scope = p_scope AND settled_at <= v_now - p_remember;
  INSERT INTO {schema}.session_slot AS held (scope, id, tool_field, lease_ends_at, settled_at)
  VALUES (p_scope, p_slot_id, p_tool_field, v_now, v_now)
  ON CONFLICT (scope, id) DO UPDATE SET settled_at = v_now WHERE held.settled_at IS NULL;
  IF FOUND THEN
    IF p_outcome IN ('executed', 'uncertain') THEN
      PERFORM {schema}.add_to(p_scope, 'execs', 1);
      PERFORM {schema}.add_to(p_scope, p_tool_field, 1);
    END IF;
    IF p_outcome = 'executed' THEN
      DELETE FROM {schema}.session_value WHERE scope = p_scope AND field = 'consec_fail';
    ELSIF p_outcome IN ('failed', 'uncertain') THEN
      PERFORM {schema}.add_to(p_scope, 'consec_fail', 1);
    END IF;
  END IF;
  attempts := {schema}.count_at(p_scope, 'attempts');
  executions := {schema}.count_at(p_scope, 'execs');
  tool_executions := {schema}.count_at(p_scope, p_tool_field);
END $$;
`,
  },
]
