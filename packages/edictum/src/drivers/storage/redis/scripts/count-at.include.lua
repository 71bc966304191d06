-- A counter that is not a number stops the call: reading it as zero would switch a limit off.
local function countAt(field)
  local stored = redis.call('HGET', KEYS[1], field)
  if not stored then return 0 end
  local count = string.match(stored, '^%-?%d+%.?%d*$') and tonumber(stored)
  if not count then error('stored value of ' .. field .. ' is not a number', 0) end
  return count
end

-- Numbers that Lua returns lose their fraction; text loses nothing.
local function toText(count)
  return string.format('%.17g', count)
end
