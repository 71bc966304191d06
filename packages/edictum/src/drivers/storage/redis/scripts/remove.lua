-- Removes one value; a missing one is no error.
--
-- KEYS[1]  values of the scope (hash)
-- ARGV[1]  field
--
-- Returns how many values were removed.
return redis.call('HDEL', KEYS[1], ARGV[1])
