-- Every reservation and every settlement is remembered, and has to reach the disk: an answer lies with its key, not beside
-- an index of keys.

CREATE TABLE slim_answers (
  tenant BIGINT NOT NULL,
  caller TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  answer TEXT,
  expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, caller, idempotency_key)
) $clustered;
INSERT INTO slim_answers (tenant, caller, idempotency_key, fingerprint, answer, expires_at)
  SELECT tenant, caller, idempotency_key, fingerprint, answer, expires_at FROM remembered_answers;
DROP TABLE remembered_answers;
ALTER TABLE slim_answers RENAME TO remembered_answers;
CREATE INDEX remembered_answers_by_expiry ON remembered_answers (expires_at);
