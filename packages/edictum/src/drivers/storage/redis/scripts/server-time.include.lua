-- The server's clock in milliseconds: those of the clients may disagree.
local function serverTime()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
