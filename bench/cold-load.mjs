// @ts-check
// Runs in a process of its own: what a program pays that starts, imports the library and loads one bundle.
import { readFileSync } from 'node:fs'

const text = readFileSync(0, 'utf8')
const start = performance.now()
const { Edictum } = await import('../packages/edictum/dist/index.js')
const imported = performance.now()
Edictum.fromYamlString(text)
console.log(JSON.stringify({ importing: imported - start, loading: performance.now() - imported }))
