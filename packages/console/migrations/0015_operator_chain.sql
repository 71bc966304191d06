-- Each entry carries a hash over itself and the hash of the one before: what is changed or taken out later shows. Entries of
-- earlier versions have none; the chain begins behind them.
ALTER TABLE operator_log ADD COLUMN hash TEXT;
