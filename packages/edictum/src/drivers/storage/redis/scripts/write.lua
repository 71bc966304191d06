-- Sets one value.
--
-- KEYS[1]  values of the scope (hash)
-- ARGV[1]  field
-- ARGV[2]  value
-- ARGV[3]  how long the scope is kept from now on, in ms
--
-- Returns nothing of interest.
--@include keep-for
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
keepFor(KEYS[1], tonumber(ARGV[3]))
return 1
