-- Adds to a counter, which starts at 0.
--
-- KEYS[1]  values of the scope (hash)
-- ARGV[1]  field
-- ARGV[2]  amount
-- ARGV[3]  how long the scope is kept from now on, in ms
--
-- Returns the new value as text.
--@include count-at
--@include keep-for
local sum = countAt(ARGV[1]) + tonumber(ARGV[2])
if math.abs(sum) > 9007199254740991 then
  error('stored value of ' .. ARGV[1] .. ' would be too large to be counted exactly', 0)
end
local value = redis.call('HINCRBYFLOAT', KEYS[1], ARGV[1], ARGV[2])
keepFor(KEYS[1], tonumber(ARGV[3]))
return value
