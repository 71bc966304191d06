// What runs around the tool on the other side. It is text, not a module: it works wherever this package ends up, in a
// bundle too, and what it sends is checked like anything else that comes from there.

const common = `
const describe = (thrown) => {
  try {
    if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) }
    const { name, message, stack, code, retryable } = thrown
    return {
      name: String(name),
      message: String(message),
      stack: String(stack),
      ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
      ...(typeof retryable === 'boolean' ? { retryable } : {}),
    }
  } catch {
    return { name: 'Error', message: 'the tool threw something that cannot be described' }
  }
}

const load = async ({ module, exportName }) => {
  const tool = (await import(module))[exportName]
  if (typeof tool === 'function') return tool
  throw Object.assign(new Error('the module exports no function of the name ' + exportName), { code: 'NO_SUCH_EXPORT' })
}

const serve = async (call, signal, send) => {
  let tool
  try {
    tool = await load(call)
  } catch (error) {
    return send({ kind: 'not-loaded', error: describe(error) })
  }
  let value
  try {
    value = await tool(call.args, { signal })
  } catch (error) {
    return send({ kind: 'threw', error: describe(error) })
  }
  try {
    send({ kind: 'returned', value })
  } catch (error) {
    send({ kind: 'not-cloneable', error: describe(error) })
  }
}

const controller = new AbortController()
const stop = () => controller.abort(new Error('the call was aborted'))
`

export const workerProgram = `
import { parentPort, workerData } from 'node:worker_threads'
${common}
parentPort.on('message', stop)
void serve(workerData, controller.signal, (answer) => parentPort.postMessage(answer))
`

export const processProgram = `'use strict'
${common}
const send = process.send.bind(process)
process.on('SIGTERM', stop)
// The caller is gone, and nobody else would end what was started here.
process.on('disconnect', () => process.platform === 'win32' ? process.exit(1) : process.kill(-process.pid, 'SIGKILL'))
process.on('uncaughtException', (error) => send({ kind: 'crashed', error: describe(error) }, () => process.exit(1)))
process.once('message', (call) => void serve(call, controller.signal, (answer) => send(answer)))
`
