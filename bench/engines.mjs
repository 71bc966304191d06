// @ts-check
// Edictum and the engines a user could install instead, behind one shape: text in, a decision function out.
// The others live in bench/node_modules, installed when first needed, so that the workspace stays small.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

import {
  casbinModel,
  writeCasbinPolicy,
  writeCedarPolicies,
  writeCelPrograms,
  writeEdictumBundle,
  writeJsonRules,
} from './rules.mjs'

/**
 * @typedef {import('./rules.mjs').Rule} Rule
 * @typedef {import('./rules.mjs').Call} Call
 * @typedef {'allow' | 'deny'} Decision
 * @typedef {(call: Call) => Decision | Promise<Decision>} Decide
 * @typedef {object} Engine
 * @property {string} name
 * @property {string} version
 * @property {'synchronous' | 'asynchronous'} deciding
 * @property {'javascript heap' | 'webassembly'} memory
 * @property {string} note how it is used, and where its rules are weaker than the contracts
 * @property {(rules: readonly Rule[], edition?: number) => string} write
 * @property {(text: string) => Decide | Promise<Decide>} load
 */

const benchDirectory = fileURLToPath(new URL('.', import.meta.url))

// The default limit is 1 MiB, about 4,000 contracts of this mix.
const maxBundleBytes = 16 * 1024 * 1024

/** @returns {Promise<Engine>} */
export async function openEdictum() {
  const { Edictum, VERSION } = await import('../packages/edictum/dist/index.js')
  return {
    name: 'edictum',
    version: VERSION,
    deciding: 'synchronous',
    memory: 'javascript heap',
    note: 'guard.evaluate: verdict plus one record per evaluated contract',
    write: writeEdictumBundle,
    load: (text) => {
      const guard = Edictum.fromYamlString(text, { maxBundleBytes })
      return (call) => {
        const evaluation = guard.evaluate(call.tool, call.args, {
          principal: { role: call.role },
          environment: call.environment,
          output: call.output,
        })
        return evaluation.verdict === 'allow' ? 'allow' : 'deny'
      }
    },
  }
}

/**
 * @param {(line: string) => void} announce
 * @returns {Promise<Engine[]>} empty when the other engines cannot be installed
 */
export async function openOtherEngines(announce) {
  if (!isInstalled()) {
    announce('installing the engines to compare with: npm ci --prefix bench')
    const install = spawnSync('npm', ['ci', '--prefix', benchDirectory, '--ignore-scripts', '--no-audit'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
    if (install.status !== 0) {
      announce('the other engines could not be installed: only Edictum is measured')
      return []
    }
  }
  return [...(await openCel()), await openCasbin(), await openJsonRulesEngine(), await openCedar()]
}

function isInstalled() {
  const installed = `${benchDirectory}node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  return statSync(installed).mtimeMs >= statSync(`${benchDirectory}package-lock.json`).mtimeMs
}

/** @param {string} name */
function readVersion(name) {
  return JSON.parse(readFileSync(`${benchDirectory}node_modules/${name}/package.json`, 'utf8')).version
}

/** @returns {Promise<Engine[]>} */
async function openCel() {
  const { Environment } = await import('@marcbachmann/cel-js')
  const environment = new Environment()
    .registerVariable('tool', 'string')
    .registerVariable('args', 'map')
    .registerVariable('environment', 'string')
    .registerVariable('role', 'string')
    .registerVariable('output', 'string')
  const version = readVersion('@marcbachmann/cel-js')
  /** @type {Omit<Engine, 'name' | 'note' | 'load'>} */
  const common = { version, deciding: 'synchronous', memory: 'javascript heap', write: writeCelPrograms }
  return [
    {
      ...common,
      name: 'cel-js',
      note: 'one program per rule, each starts with a test of the tool name',
      load: (text) => {
        /** @type {[string, string][]} */
        const sources = JSON.parse(text)
        const programs = sources.map(([tool, condition]) =>
          environment.parse(`tool == ${JSON.stringify(tool)} && ${condition}`),
        )
        return (call) => {
          for (const program of programs) if (program(call)) return 'deny'
          return 'allow'
        }
      },
    },
    {
      ...common,
      name: 'cel-js + index',
      note: 'the same programs behind an index by tool name that the user writes by hand',
      load: (text) => {
        /** @type {[string, string][]} */
        const sources = JSON.parse(text)
        /** @type {Map<string, import('@marcbachmann/cel-js').ParseResult[]>} */
        const programsByTool = new Map()
        for (const [tool, condition] of sources) {
          const programs = programsByTool.get(tool) ?? []
          programs.push(environment.parse(condition))
          programsByTool.set(tool, programs)
        }
        return (call) => {
          for (const program of programsByTool.get(call.tool) ?? []) if (program(call)) return 'deny'
          return 'allow'
        }
      },
    },
  ]
}

/** @returns {Promise<Engine>} */
async function openCasbin() {
  const { newEnforcer, newModelFromString, StringAdapter } = await import('casbin')
  return {
    name: 'casbin',
    version: readVersion('casbin'),
    deciding: 'synchronous',
    memory: 'javascript heap',
    note: 'simplified: contains_any and in become regexMatch; enforceSync',
    write: writeCasbinPolicy,
    load: async (text) => {
      const enforcer = await newEnforcer(newModelFromString(casbinModel), new StringAdapter(text))
      return (call) => (enforcer.enforceSync(call.tool, call) ? 'allow' : 'deny')
    },
  }
}

/** @returns {Promise<Engine>} */
async function openJsonRulesEngine() {
  const { Engine } = await import('json-rules-engine')
  /** @type {Map<string, RegExp>} */
  const expressions = new Map()
  /** @param {string} pattern */
  const findExpression = (pattern) => {
    const known = expressions.get(pattern)
    if (known) return known
    const expression = new RegExp(pattern)
    expressions.set(pattern, expression)
    return expression
  }
  return {
    name: 'json-rules-engine',
    version: readVersion('json-rules-engine'),
    deciding: 'asynchronous',
    memory: 'javascript heap',
    note: 'contains_any and matches are custom operators over compiled patterns',
    write: writeJsonRules,
    load: (text) => {
      const engine = new Engine(JSON.parse(text))
      engine.addOperator('containsAny', (/** @type {string} */ value, /** @type {string[]} */ needles) =>
        needles.some((needle) => value.includes(needle)),
      )
      engine.addOperator('matches', (/** @type {string} */ value, /** @type {string} */ pattern) =>
        findExpression(pattern).test(value),
      )
      return async (call) => {
        const { events } = await engine.run({
          tool: call.tool,
          ...call.args,
          role: call.role,
          environment: call.environment,
          output: call.output,
        })
        return events.length === 0 ? 'allow' : 'deny'
      }
    },
  }
}

/** @returns {Promise<Engine>} */
async function openCedar() {
  // Node 20 aborts ("unreachable code" in the deoptimizer) when optimised code that has inlined a call into
  // WebAssembly is thrown away; the inlining makes no measurable difference to this engine.
  setFlagsFromString('--no-turbo-inline-js-wasm-calls')
  const cedar = await import('@cedar-policy/cedar-wasm/nodejs')
  let loaded = 0
  return {
    name: 'cedar-wasm',
    version: readVersion('@cedar-policy/cedar-wasm'),
    deciding: 'synchronous',
    memory: 'webassembly',
    note: 'simplified: no regular expressions, matches becomes like; policies parsed ahead',
    write: writeCedarPolicies,
    load: (text) => {
      const preparsedPolicySetId = `bench-${loaded++ % 4}`
      const parsed = cedar.preparsePolicySet(preparsedPolicySetId, { staticPolicies: text })
      if (parsed.type !== 'success') throw new Error(parsed.errors[0]?.message)
      return (call) => {
        const answer = cedar.statefulIsAuthorized({
          principal: { type: 'Agent', id: call.role },
          action: { type: 'Action', id: call.tool },
          resource: { type: 'Tool', id: call.tool },
          context: { ...call.args, role: call.role, environment: call.environment, output: call.output },
          preparsedPolicySetId,
          entities: [],
        })
        if (answer.type !== 'success') throw new Error(answer.errors[0]?.message)
        return answer.response.decision
      }
    },
  }
}
