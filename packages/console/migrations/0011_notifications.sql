-- Where people are told about approvals, and what was sent there. The configuration is sealed: addresses are often secrets.

CREATE TABLE notification_channels (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL REFERENCES tenants (id),
  name TEXT NOT NULL,
  channel_type TEXT NOT NULL,
  config TEXT NOT NULL,
  enabled BIGINT NOT NULL,
  filters TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_test_at BIGINT,
  last_test_ok BIGINT
);
CREATE INDEX notification_channels_by_tenant ON notification_channels (tenant);

CREATE TABLE notification_deliveries (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  channel_id TEXT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  detail TEXT,
  created_at BIGINT NOT NULL,
  delivered_at BIGINT
);
-- Every node sees every change; one of them gets to say it.
CREATE UNIQUE INDEX notification_deliveries_once ON notification_deliveries (channel_id, event, subject);
CREATE INDEX notification_deliveries_due ON notification_deliveries (status, next_at);
CREATE INDEX notification_deliveries_by_time ON notification_deliveries (created_at);
