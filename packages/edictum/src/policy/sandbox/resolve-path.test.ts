import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collapsePath, PathResolver } from './resolve-path.js'

let root: string

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'resolve-path-')))
  mkdirSync(join(root, 'a/b/c'), { recursive: true })
  mkdirSync(join(root, 'outside/deep'), { recursive: true })
  writeFileSync(join(root, 'a/file'), '')
  symlinkSync('..', join(root, 'a/up'))
  symlinkSync(join(root, 'outside/deep'), join(root, 'a/away'))
  symlinkSync('b/c', join(root, 'a/in'))
  symlinkSync('in', join(root, 'a/chain'))
  symlinkSync('/', join(root, 'a/top'))
  symlinkSync(join(root, 'outside/missing'), join(root, 'a/dangling'))
  symlinkSync('loop', join(root, 'a/loop'))
  symlinkSync('../a//./b/../../outside/', join(root, 'a/crooked'))
})

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

function resolve(path: string, base = root): string | undefined {
  return new PathResolver().resolve(path, base)
}

/** A path that exists, made of entries of the folder each step leads to, of `..`, `.` and doubled slashes. */
function walk(picks: readonly number[]): string {
  const names: string[] = []
  let at = root
  for (const pick of picks) {
    const below = at.startsWith(root)
      ? readdirSync(at).filter((name) => !['dangling', 'loop', 'top', 'file'].includes(name))
      : root.slice(at.length).split('/').filter(Boolean).slice(0, 1)
    const options = [...below, ...below, '..', '.', './']
    const name = options[pick % options.length] ?? '.'
    names.push(name)
    at = realpathSync.native(`${at}/${name}`)
  }
  return names.join('/')
}

function quietly(action: () => unknown): void {
  try {
    action()
  } catch {
    // A link in the way: then this one is not made.
  }
}

/** The kernel's answer is where it leads, or, when nothing is there, where a file is when one was written to it. */
function compareWithKernel(tree: string, path: string): 'followed' | 'made' | 'refused' {
  const full = `${tree}/${path}`
  const resolved = resolve(path, tree)
  const isOurs = resolved?.startsWith(`${root}/`) !== false
  try {
    expect(resolved).toBe(realpathSync.native(full))
    return 'followed'
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    if (codeOf(error) === 'ELOOP') expect(resolved).toBeUndefined()
  }
  if (!isOurs) return 'refused'
  try {
    // The kernel has just said that there is no such file, so nothing is overwritten.
    writeFileSync(full, '')
  } catch {
    return 'refused'
  }
  const made = realpathSync.native(full)
  rmSync(made)
  expect(resolved).toBe(made)
  return 'made'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error && 'syscall' in error ? error.code : undefined
}

describe('resolving a path', () => {
  it('agrees with the kernel on every path the kernel can follow', () => {
    // Every step picks among what is really there, so that nearly every path can be followed.
    const choices = fc.array(fc.nat({ max: 997 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(choices, fc.boolean(), (picks, isAbsolute) => {
        const relative = walk(picks)
        const full = `${root}/${relative}`
        expect(resolve(isAbsolute ? full : relative)).toBe(realpathSync.native(full))
      }),
      { numRuns: 2_000 },
    )
  })

  it('agrees with the kernel in any tree of folders and links, also about files that are yet to be made', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const step = fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom('..', '.', ''))
    const path = fc
      .array(step, { minLength: 1, maxLength: 6 })
      .map((steps) => steps.join('/').replace(/^\/+/, ''))
    const link = fc.record({
      at: fc.array(name, { minLength: 1, maxLength: 3 }),
      to: path,
      isAbsolute: fc.boolean(),
    })
    const seen = { followed: 0, made: 0, refused: 0 }
    let trees = 0
    fc.assert(
      fc.property(
        fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
        fc.array(link, { maxLength: 5 }),
        fc.array(path, { minLength: 1, maxLength: 8 }),
        (folders, links, paths) => {
          const tree = join(root, `tree-${trees++}`)
          mkdirSync(tree)
          for (const folder of folders) quietly(() => mkdirSync(join(tree, ...folder), { recursive: true }))
          for (const { at, to, isAbsolute } of links)
            quietly(() => symlinkSync(isAbsolute ? join(tree, to) : to || '.', join(tree, ...at)))
          for (const one of paths) seen[compareWithKernel(tree, one)]++
          rmSync(tree, { recursive: true, force: true })
        },
      ),
      { numRuns: 400 },
    )
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
  })

  it('follows a link before it goes up', () => {
    expect(resolve('a/away/../x')).toBe(`${root}/outside/x`)
  })

  it('follows a dangling link to where a write would create the file', () => {
    expect(resolve('a/dangling')).toBe(`${root}/outside/missing`)
    expect(resolve('a/dangling/new')).toBe(`${root}/outside/missing/new`)
  })

  it('appends names that do not exist', () => {
    expect(resolve('a/none/x/../y')).toBe(`${root}/a/none/y`)
  })

  it('looks at links again after going up from a missing name', () => {
    expect(resolve('a/none/../away/x')).toBe(`${root}/outside/deep/x`)
  })

  it('does not climb above the root', () => {
    expect(resolve('/../../..')).toBe('/')
    expect(resolve('a/top/../..')).toBe('/')
  })

  it.each(['a/loop', 'a/loop/x'])('gives up on the loop %s', (path) => {
    expect(resolve(path)).toBeUndefined()
  })

  it('gives up on links that differ from process to process', () => {
    expect(resolve('/proc/self/cwd/x')).toBeUndefined()
  })

  it('ends on a link chain that grows', () => {
    const names = Array.from({ length: 45 }, () => 'a/up').join('/')
    expect(resolve(names)).toBeUndefined()
  })
})

describe('collapsing a path by its text', () => {
  it.each([
    ['a/../b', '/base', '/base/b'],
    ['/x//./y/..', '/base', '/x'],
    ['../../../..', '/base', '/'],
  ])('turns %s from %s into %s', (path, base, collapsed) => {
    expect(collapsePath(path, base)).toBe(collapsed)
  })
})
