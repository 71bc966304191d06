// Real shells run generated lines with recording stubs on the path; whatever they start must be listed.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Edictum } from '../../../index.js'
import { analyseCommand } from './command-line.js'
import { WRAPPERS } from './wrappers.js'

const STUBS = ['evil', 'ls', 'git', 'cat', 'make', 'hello']
const REAL = [
  'env',
  'xargs',
  'find',
  'timeout',
  'nice',
  'nohup',
  'setsid',
  'stdbuf',
  'sh',
  'bash',
  'sort',
  'sed',
  'awk',
  'tar',
]
/** Wrappers that do no harm when they are tried, whatever option they are given. */
const HARMLESS_WRAPPERS = [
  ...['env', 'nohup', 'timeout', 'nice', 'ionice', 'chrt', 'taskset', 'prlimit', 'stdbuf', 'setsid', 'xargs'],
  ...['flock', 'setpriv', 'strace', 'busybox', 'unbuffer', 'tini', 'dumb-init'],
]
const SHELLS = ['bash', 'sh'].filter((shell) => existsSync(`/bin/${shell}`))

let root = ''

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'edictum-shell-'))
  for (const name of STUBS) {
    const stub = join(root, name)
    writeFileSync(stub, '#!/bin/sh\nprintf "%s\\n" "${0##*/}" >> "$STARTED"\n')
    chmodSync(stub, 0o755)
  }
  for (const name of new Set([...REAL, ...HARMLESS_WRAPPERS])) {
    const found = [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path))
    if (found !== undefined) symlinkSync(found, join(root, name))
  }
})

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

function startedBy(shell: string, line: string): ReadonlySet<string> {
  // A folder per run: what an earlier line left in the background writes to its own record.
  const work = mkdtempSync(join(root, 'work-'))
  const log = join(work, '.started')
  writeFileSync(log, '')
  spawnSync(`/bin/${shell}`, ['-c', line], {
    cwd: work,
    env: { PATH: root, STARTED: log, HOME: work },
    input: 'evil\n',
    timeout: 2_000,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return new Set(
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((name) => name !== ''),
  )
}

function sandboxFor(commands: readonly string[]): (command: string) => boolean {
  const guard = Edictum.fromYamlString(`
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: test }
defaults: { mode: enforce }
contracts:
  - { id: box, type: sandbox, tool: bash, allows: { commands: ${JSON.stringify(commands)} }, message: outside }
`)
  return (command) => guard.evaluate('bash', { command }).verdict === 'allow'
}

function missing(line: string, shells = SHELLS): readonly string[] {
  const analysis = analyseCommand(line)
  // A name with a blank stands for code that the line does not show, so nothing is claimed about it.
  if (analysis.kind === 'unresolvable' || analysis.commands.some(({ name }) => name.includes(' '))) return []
  const listed = new Set(analysis.commands.map(({ name }) => name.slice(name.lastIndexOf('/') + 1)))
  return shells.flatMap((shell) =>
    [...startedBy(shell, line)].filter((name) => !listed.has(name)).map((name) => `${shell}: ${name}`),
  )
}

const word = fc.constantFrom(
  'a',
  'x1',
  "'q r'",
  '"d e"',
  '-n',
  '$X',
  '"$X"',
  '*',
  'k=v',
  '\\;',
  "'evil'",
  '{a,b}',
  "$'t\\x41'",
  '""',
  '~',
)
const program = fc.constantFrom(
  'evil',
  'ls',
  'git',
  'cat',
  "'evil'",
  'e"vi"l',
  'ev\\il',
  "$'ev\\x69l'",
  '{evil,x}',
  'ev\\\nil',
  '$(echo evil)',
  '${X:-evil}',
)
const wrapper = fc.constantFrom(
  '',
  '',
  '',
  'env ',
  'env A=1 ',
  'env -u A ',
  'timeout 5 ',
  'timeout -k 1 5 ',
  'nice -n 3 ',
  'nohup ',
  'setsid -w ',
  'stdbuf -oL ',
  'command ',
  'exec ',
  'builtin ',
  'xargs -n1 ',
  'xargs -I{} ',
  'time ',
  '! ',
  'A=b ',
  '>out ',
  '2>&1 ',
  'coproc ',
  'eval ',
  'find . -maxdepth 0 -exec ',
)
const simple = fc
  .tuple(wrapper, program, fc.array(word, { maxLength: 3 }))
  .map(
    ([before, name, words]) =>
      `${before}${name} ${words.join(' ')}${before.startsWith('find') ? ' \\;' : ''}`,
  )

const { line } = fc.letrec<{ line: string; compound: string }>((tie) => ({
  line: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    fc
      .tuple(tie('compound'), fc.constantFrom(' ; ', ' && ', ' || ', ' | ', ' & ', '\n'), tie('line'))
      .map((parts) => parts.join('')),
    tie('compound'),
  ),
  compound: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    simple,
    tie('line').map((inner) => `(${inner}\n)`),
    tie('line').map((inner) => `{ ${inner}\n}`),
    tie('line').map((inner) => `hello "$(${inner}\n)"`),
    tie('line').map((inner) => `hello <(${inner}\n)`),
    tie('line').map((inner) => `hello \`${inner.replaceAll(/[\\`]/g, '\\$&')}\``),
    tie('line').map((inner) => `bash -c '${inner.replaceAll("'", "'\\''")}'`),
    tie('line').map((inner) => `sh -ec "${inner.replaceAll(/["\\$`]/g, '\\$&')}"`),
    tie('line').map((inner) => `sh <<'END'\n${inner}\nEND\n`),
    tie('line').map((inner) => `hello <<END\n$(${inner}\n)\nEND\n`),
    tie('line').map((inner) => `if ${inner}\nthen ${inner}\nelse ls; fi`),
    tie('line').map((inner) => `for i in 1 2; do ${inner}\ndone`),
    tie('line').map((inner) => `case x in x) ${inner}\n;; esac`),
    tie('line').map((inner) => `f() { ${inner}\n}; f`),
    tie('line').map((inner) => `X=$(${inner}\n)`),
    tie('line').map((inner) => `[[ -n $(${inner}\n) ]]`),
    tie('line').map((inner) => `hello \${Y:-$(${inner}\n)}`),
    tie('line').map((inner) => `trap '${inner.replaceAll("'", "'\\''")}' EXIT`),
  ),
}))

describe('against real shells', () => {
  // Each line does start the stub when its programs are installed, so the tables describe what really happens.
  it.each([
    'tar cf x.tar --checkpoint=1 --checkpoint-action=exec=evil .',
    'tar cf x.tar --checkpoint-act=exec=evil --checkpoint=1 .',
    'tar cf x.tar -I evil .',
    'tar cIf evil x.tar .',
    'tar --use-comp=evil -cf x.tar .',
    "sed '1e evil' .started; echo a | sed 'e evil'",
    "echo a | sed 's/a/evil/e'",
    `awk 'BEGIN { system("evil") }'`,
    `awk 'BEGIN { print "x" | "evil" }'`,
    `awk 'BEGIN { "evil" | getline x }'`,
    'find . -maxdepth 0 -exec evil {} +',
    'find . -maxdepth 0 -exec ls {} \\; -exec evil \\;',
    'echo a | xargs evil',
    'echo a | xargs --replace evil {}',
    'echo a | xargs -n 1 -- evil',
    "env -S 'evil a'",
    'env -i PATH="$PATH" STARTED="$STARTED" evil',
    'timeout -s KILL 5 evil',
    "bash -eo pipefail -c 'evil'",
    "x='a[$(evil)]'; echo $((x))",
    "printf -v 'a[$(evil)]' x",
    "x='$(evil)'; echo ${x@P}",
    'cat </dev/null; trap evil EXIT',
    '[[ a || evil ]]; [[ -z a && evil ]]',
    '((evil))',
  ])('sees that %j starts a program', (text) => {
    expect(missing(text)).toEqual([])
    const installed = REAL.filter((name) => existsSync(join(root, name))).length === REAL.length
    if (installed) expect(SHELLS.some((shell) => startedBy(shell, text).has('evil'))).toBe(true)
  })

  const tried = WRAPPERS.flatMap((wrapper) =>
    wrapper.programs
      .filter((name) => HARMLESS_WRAPPERS.includes(name) && existsSync(`/usr/bin/${name}`))
      .map((name) => [name, wrapper] as const),
  )

  // If the table were wrong about whether an option has a value, one of the two would start and not be listed.
  it.each(tried)('knows which options of %s have a value', { timeout: 60_000 }, (name, wrapper) => {
    const options = `${wrapper.flags ?? ''} ${wrapper.valued ?? ''}`
      .split(' ')
      .filter((option) => option !== '')
    const operands = '1 '.repeat(wrapper.skip ?? 0)
    const lines = options.map((option) => `${name} ${option.replace('…', '')} ${operands}ls evil`)
    expect(lines.flatMap((text) => missing(text, ['bash']).map((program) => `${text}: ${program}`))).toEqual(
      [],
    )
    // stdbuf starts nothing without an option.
    const plain = [`${name} ${operands}evil`, `${name} -oL evil`]
    expect(plain.some((text) => startedBy('bash', text).has('evil'))).toBe(true)
  })

  it('lists whatever bash and sh start for lines of the grammar', { timeout: 60_000 }, () => {
    let understood = 0
    fc.assert(
      fc.property(line, (text) => {
        if (analyseCommand(text).kind === 'understood') understood++
        expect(missing(text)).toEqual([])
      }),
      { numRuns: 120, seed: 7 },
    )
    expect(understood).toBeGreaterThan(40)
  })

  it('lets a sandbox allow no line that starts a program it does not list', { timeout: 120_000 }, () => {
    const allows = sandboxFor(['ls', 'git', 'cat', 'hello', 'echo', 'env', 'sh', 'bash', 'timeout'])
    const around = fc.array(
      fc.constantFrom(
        ...';|&$(){}<>\'"`\\ \n*?[]!#~=,-+:@%^'.split(''),
        ...[
          ' ',
          ' ',
          ' ',
          'ls ',
          'cat ',
          'env ',
          'timeout 1 ',
          "sh -c '",
          'bash -c "',
          'hello',
          'x=',
          '<<a\n',
          '\na\n',
        ],
      ),
      { maxLength: 8 },
    )
    let allowed = 0
    fc.assert(
      fc.property(around, around, (before, after) => {
        const text = `${before.join('')}evil${after.join('')}`
        if (!allows(text)) return
        allowed++
        expect(SHELLS.filter((shell) => startedBy(shell, text).has('evil'))).toEqual([])
      }),
      { numRuns: 2_000, seed: 5 },
    )
    expect(allowed).toBeGreaterThan(50)
  })

  it(
    'lists whatever bash and sh start for arbitrary strings of shell characters',
    { timeout: 60_000 },
    () => {
      const piece = fc.constantFrom(
        ...';|&$(){}<>\'"`\\ \n*?[]!#~=,-+:@%^'.split(''),
        ' ',
        ' ',
        'evil',
        'evil ',
        'ls ',
        'a',
        '$(',
        '${',
        "$'",
        '((',
        '[[ ',
        ' ]]',
        '<<a\n',
        '\na\n',
        '; ',
        'x=',
        'eval ',
        'do ',
        'in ',
        'if ',
        'then ',
        'fi',
        'case ',
        'esac',
      )
      fc.assert(
        fc.property(fc.array(piece, { minLength: 2, maxLength: 10 }), (pieces) => {
          expect(missing(`${pieces.join('')}evil`)).toEqual([])
        }),
        { numRuns: 300, seed: 11 },
      )
    },
  )
})
