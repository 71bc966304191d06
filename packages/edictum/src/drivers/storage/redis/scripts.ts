// Written by scripts/generate.mjs from scripts/*.lua: a compiler copies no such files, and a bundler would lose them.
import type { RedisScript } from './redis-script.js'

export const incrementScript: RedisScript = {
  sha: 'bb80490394ad86ce32b0cafff59c2f1bbf3a91e0',
  text: `-- Adds to a counter, which starts at 0.
--
-- KEYS[1]  values of the scope (hash)
-- ARGV[1]  field
-- ARGV[2]  amount
-- ARGV[3]  how long the scope is kept from now on, in ms
--
-- Returns the new value as text.
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
-- Never shortens: a slot that is held may need the session for longer than it may stay idle.
local function keepFor(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, milliseconds) end
end
local sum = countAt(ARGV[1]) + tonumber(ARGV[2])
if math.abs(sum) > 9007199254740991 then
  error('stored value of ' .. ARGV[1] .. ' would be too large to be counted exactly', 0)
end
local value = redis.call('HINCRBYFLOAT', KEYS[1], ARGV[1], ARGV[2])
keepFor(KEYS[1], tonumber(ARGV[3]))
return value
`,
}

export const readScript: RedisScript = {
  sha: '430fc9e72a812f2da1f56f053b215c34b2fbe491',
  text: `-- Reads values of one scope.
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
`,
}

export const removeScript: RedisScript = {
  sha: 'ee684184337b3602759fa7b9f240c2aa896328a5',
  text: `-- Removes one value; a missing one is no error.
--
-- KEYS[1]  values of the scope (hash)
-- ARGV[1]  field
--
-- Returns how many values were removed.
return redis.call('HDEL', KEYS[1], ARGV[1])
`,
}

export const reserveScript: RedisScript = {
  sha: '1a6ec7754af36b4c9997c3fed9f74632a552b9c9',
  text: `-- Counts an attempt and takes an execution slot if the limits leave room.
--
-- KEYS[1]  counters of the session (hash)
-- KEYS[2]  slots held in the session (sorted set: slot id, end of its lease in ms)
-- KEYS[3]  slots held by the tool in the session (the same)
-- KEYS[4]  slots settled a short while ago (sorted set: slot id, time of settling in ms)
-- ARGV[1]  field of the tool's executions
-- ARGV[2]  'count' the attempt, or 'counted' before
-- ARGV[3]  'take' a slot, or 'leave' it
-- ARGV[4]  id of the slot to take
-- ARGV[5]  greatest number of attempts, or ''
-- ARGV[6]  greatest number of executions, or ''
-- ARGV[7]  greatest number of executions of the tool, or ''
-- ARGV[8]  length of the lease in ms
-- ARGV[9]  how long the session is kept from now on, in ms
--
-- Returns { attempts with this one, executions and slots of others, the same of the tool, 'taken' | 'exhausted' | 'left' }.
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
-- Never shortens: a slot that is held may need the session for longer than it may stay idle.
local function keepFor(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, milliseconds) end
end
-- The server's clock in milliseconds: those of the clients may disagree.
local function serverTime()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local counters, slots, toolSlots, settled = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, lease = ARGV[4], tonumber(ARGV[8])
local now = serverTime()

-- A script that fails half-way is not undone: everything that can fail is read before anything is written.
local attempts = countAt('attempts')
local executions = countAt('execs')
local toolExecutions = countAt(ARGV[1])

redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
redis.call('ZREMRANGEBYSCORE', toolSlots, '-inf', now)

-- Clients send a command again when its answer was lost: the slot may be taken already, or even given back.
local isHeld = redis.call('ZSCORE', slots, id)
local isSettled = redis.call('ZSCORE', settled, id)
executions = executions + redis.call('ZCARD', slots) - (isHeld and 1 or 0)
toolExecutions = toolExecutions + redis.call('ZCARD', toolSlots) - (isHeld and 1 or 0)

if ARGV[2] == 'count' and not isHeld and not isSettled then
  redis.call('HINCRBYFLOAT', counters, 'attempts', 1)
  attempts = attempts + 1
end

local function isOver(count, limit)
  return limit ~= '' and count > tonumber(limit)
end

local slot
if ARGV[3] == 'leave' then
  slot = 'left'
elseif isHeld then
  slot = 'taken'
elseif
  isSettled
  or isOver(attempts, ARGV[5])
  or isOver(executions + 1, ARGV[6])
  or isOver(toolExecutions + 1, ARGV[7])
then
  slot = 'exhausted'
else
  slot = 'taken'
  redis.call('ZADD', slots, now + lease, id)
  redis.call('ZADD', toolSlots, now + lease, id)
end

local keep = math.max(lease, tonumber(ARGV[9]))
keepFor(counters, keep)
keepFor(slots, keep)
keepFor(toolSlots, keep)
return { toText(attempts), toText(executions), toText(toolExecutions), slot }
`,
}

export const settleScript: RedisScript = {
  sha: '2d4ab5650f419ce9187c7d37c97efefb454dcf74',
  text: `-- Ends a slot: turns it into an execution, or gives it back.
--
-- KEYS[1]  counters of the session (hash)
-- KEYS[2]  slots held in the session (sorted set: slot id, end of its lease in ms)
-- KEYS[3]  slots held by the tool in the session (the same)
-- KEYS[4]  slots settled a short while ago (sorted set: slot id, time of settling in ms)
-- ARGV[1]  field of the tool's executions
-- ARGV[2]  id of the slot
-- ARGV[3]  'executed' | 'failed' | 'uncertain' | 'released'
-- ARGV[4]  how long the session is kept from now on, in ms
-- ARGV[5]  how long a settled slot is remembered, in ms
--
-- Returns { attempts, executions, executions of the tool } as they are afterwards.
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
-- Never shortens: a slot that is held may need the session for longer than it may stay idle.
local function keepFor(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, milliseconds) end
end
-- The server's clock in milliseconds: those of the clients may disagree.
local function serverTime()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local counters, slots, toolSlots, settled = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, outcome = ARGV[2], ARGV[3]
local now = serverTime()

-- A script that fails half-way is not undone: everything that can fail is read before anything is written.
local attempts = countAt('attempts')
local executions = countAt('execs')
local toolExecutions = countAt(ARGV[1])
countAt('consec_fail')

redis.call('ZREM', slots, id)
redis.call('ZREM', toolSlots, id)
redis.call('ZREMRANGEBYSCORE', settled, '-inf', now - tonumber(ARGV[5]))

-- A slot that is not held has outlived its lease, and what was executed counts all the same; or its settlement is being
-- sent again because the answer was lost, and was counted the first time.
if redis.call('ZADD', settled, 'NX', now, id) == 1 then
  if outcome == 'executed' or outcome == 'uncertain' then
    redis.call('HINCRBYFLOAT', counters, 'execs', 1)
    redis.call('HINCRBYFLOAT', counters, ARGV[1], 1)
    executions = executions + 1
    toolExecutions = toolExecutions + 1
  end
  if outcome == 'executed' then
    redis.call('HDEL', counters, 'consec_fail')
  elseif outcome ~= 'released' then
    redis.call('HINCRBYFLOAT', counters, 'consec_fail', 1)
  end
end

local keep = tonumber(ARGV[4])
keepFor(counters, keep)
keepFor(settled, tonumber(ARGV[5]))
return { toText(attempts), toText(executions), toText(toolExecutions) }
`,
}

export const writeScript: RedisScript = {
  sha: '74ca1985bed879e217ff971c890b6cc0ac17b3a8',
  text: `-- Sets one value.
--
-- KEYS[1]  values of the scope (hash)
-- ARGV[1]  field
-- ARGV[2]  value
-- ARGV[3]  how long the scope is kept from now on, in ms
--
-- Returns nothing of interest.
-- Never shortens: a slot that is held may need the session for longer than it may stay idle.
local function keepFor(key, milliseconds)
  if redis.call('PTTL', key) < milliseconds then redis.call('PEXPIRE', key, milliseconds) end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
keepFor(KEYS[1], tonumber(ARGV[3]))
return 1
`,
}
