-- Never shortens: a slot that is held may need the session for longer than it may stay idle.
local function keepFor(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, milliseconds) end
end
