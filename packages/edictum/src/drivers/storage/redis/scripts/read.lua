-- Reads values of one scope.
--
-- KEYS[1]   values of the scope (hash)
-- ARGV[1…]  fields
--
-- Returns the values in the order of the fields; nil for one that does not exist.
local values = {}
for position, field in ipairs(ARGV) do
  values[position] = redis.call('HGET', KEYS[1], field)
end
return values
