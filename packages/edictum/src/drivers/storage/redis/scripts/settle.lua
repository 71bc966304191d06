-- Ends a slot: turns it into an execution, or gives it back.
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
--@include count-at
--@include keep-for
--@include server-time
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
