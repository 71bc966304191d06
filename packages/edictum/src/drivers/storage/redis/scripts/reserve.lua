-- Counts an attempt and takes an execution slot if the limits leave room.
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
--@include count-at
--@include keep-for
--@include server-time
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
