// The public surface of `edictum/isolation`.
export type { IsolatedTool } from './drivers/isolation/isolated-tool.js'
export { IsolationError, type IsolationErrorCode } from './drivers/isolation/isolation-error.js'
export { isolationDefaults, type IsolationOptions } from './drivers/isolation/isolation-options.js'
export { isolateInProcess } from './drivers/isolation/process.js'
export { isolateInWorker } from './drivers/isolation/worker.js'
