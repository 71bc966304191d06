import { describe, expect, it } from 'vitest'
import { analyseCommand } from './command-line.js'
import { EXEC_OPTIONS, type ExecOption } from './exec-options.js'
import { GIT_OPTIONS } from './git-command.js'
import { WRAPPERS } from './wrappers.js'

/** For every command but the first: its name; `?` when the line is unresolvable. */
function startedBy(words: readonly string[]): readonly string[] {
  const analysis = analyseCommand(words)
  return analysis.kind === 'understood' ? analysis.commands.slice(1).map(({ name }) => name) : ['?']
}

/** A value of the required form, by the source note of the entry. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'tar(1), --checkpoint-action': ['exec=rm x'],
  'ssh_config(5), ProxyCommand': [
    'ProxyCommand=rm x',
    'proxycommand rm x',
    'LocalCommand=rm x',
    'KnownHostsCommand=rm x',
  ],
  'ssh_config(5)': ['Include=/tmp/x', 'SecurityKeyProvider=/tmp/x.so', 'ProxyUseFdpass=yes'],
  'ssh(1), -I pkcs11': ['/tmp/x.so'],
  'GNU make manual, Implicit Variables': ['SHELL=rm x', 'CC=rm x'],
  'GNU make manual, Overriding Variables': ['MAKEFLAGS=--eval=x', 'X!=rm x', 'X=$(shell rm x)', 'X=`rm x`'],
  'vim(1) +{command}, less(1) +cmd': ['+!rm x', '+:!rm x', '+|a rm x'],
  'more(1)': ['+!rm x'],
  'ed(1), !command': ['!rm x'],
  'java(1), OPTIONS': ['-javaagent:/tmp/x.jar', '-XX:OnError=rm'],
  'go help test, -exec': ['-exec=rm x', '--toolexec=rm x'],
  'cargo(1), --config': ['target.x.runner="rm"', 'build.rustc-wrapper="rm"'],
  'socat(1), EXEC and SYSTEM': ['EXEC:rm', 'system:rm'],
  'mysql(1), MYSQL COMMANDS': ['\\! rm x', 'select 1; system rm x', 'source x'],
  'psql(1), \\! and COPY PROGRAM': ['\\! rm x', "copy t from program 'rm x'"],
  'sqlite3(1), .shell': ['.shell rm x', '.system rm x', '.load x'],
  'sqlite3(1), load_extension': ["select load_extension('x')"],
  '7z manual, -sfx writes a program': ['-sfxx'],
  'hg(1), --config': ['hooks.x=rm'],
  'ImageMagick, delegates': ['msl:x', '|rm x'],
  'ffmpeg-protocols(1)': ['concat:a'],
  'npm-init(1), initializer': ['evil'],
  'npm-config(1)': ['set'],
  'zip(1), -TT in one word': ['-TTrm x'],
}

const cases = EXEC_OPTIONS.flatMap((entry) => entry.programs.flatMap((program) => linesFor(entry, program)))

function linesFor(
  entry: ExecOption,
  program: string,
): readonly { readonly words: readonly string[]; readonly entry: ExecOption }[] {
  const front = entry.subcommand === undefined ? [program] : [program, entry.subcommand]
  const values = VALUES[entry.source] ?? ['rm x']
  if (entry.operand !== undefined) return values.map((value) => ({ words: [...front, value], entry }))
  if (entry.options === undefined) {
    const rest = entry.matches === undefined ? ['rm', 'x'] : values
    return [{ words: [...front, ...rest], entry }]
  }
  return entry.options.flatMap((option) => {
    if (entry.value === 'rest') return [{ words: [...front, option, 'rm', 'x'], entry }]
    if (entry.value === 'end') return [{ words: [...front, 'a', option, 'rm', '{}', ';'], entry }]
    if (entry.value === 'none') return [{ words: [...front, option], entry }]
    return values.flatMap((value) => {
      const lines = [{ words: [...front, option, value], entry }]
      if (option.startsWith('--') && option.length > 2)
        lines.push({ words: [...front, `${option}=${value}`], entry })
      if (/^-[A-Za-z]$/.test(option)) lines.push({ words: [...front, option + value], entry })
      return lines
    })
  })
}

describe('options that start a program', () => {
  it.each(cases.map(({ words, entry }) => [words.join(' '), words, entry] as const))(
    'are seen in %j',
    (_line, words, entry) => {
      const started = startedBy(words)
      if (entry.runs === 'unseen')
        expect(started.some((name) => name === '?' || name.startsWith(`${words[0] ?? ''} `))).toBe(true)
      else expect(started.some((name) => name === 'rm' || name === '?')).toBe(true)
    },
  )

  it('say where each of them is described', () => {
    for (const { source } of [...EXEC_OPTIONS, ...WRAPPERS, ...GIT_OPTIONS]) {
      expect(source).toMatch(/\(\d\)|manual|help|config|readme|ImageMagick/)
    }
  })

  it('has a value of the right form for every entry that asks for one', () => {
    const asking = EXEC_OPTIONS.filter((entry) => entry.matches !== undefined || entry.operand !== undefined)
    expect(asking.filter(({ source }) => VALUES[source] === undefined)).toEqual([])
  })

  it.each([
    ['tar --checkpoint-act=exec=rm x.tar', 'rm'],
    ['tar --use-comp=rm -xf a', 'rm'],
    ['tar -xIrm -f a', 'rm'],
    ['tar xIf rm a', 'rm'],
    ['sort --compress-prog=rm a', 'rm'],
    ['rsync -ave "rm x" a b:', 'rm'],
    ['rsync --rs="rm x" a b:', 'rm'],
    ['ssh -vo ProxyCommand=rm host', 'rm'],
    ['ssh host rm x', 'rm'],
    ['ssh -p 22 host "cd x && rm y"', 'rm'],
    ['find . -name x -exec ls {} \\; -exec rm {} +', 'rm'],
    ['python3.11 -c "import os"', 'python -c'],
    ['python -W ignore -c "import os"', 'python -c'],
    ['/usr/bin/node -pe 1', 'node -e'],
    ['npm --prefix x exec rm', 'rm'],
    ['npm exec -- rm x', 'rm'],
    ['npx --yes evil', 'evil'],
    ['busybox rm x', 'rm'],
    ["script -qc 'rm x' /dev/null", 'rm'],
    ["flock /tmp/l -c 'rm x'", 'rm'],
    ['flock /tmp/l rm x', 'rm'],
    ["watch 'ls; rm x'", 'rm'],
    ["env -S 'rm x'", 'rm'],
    ['env -S"rm x"', 'rm'],
    ["su -c 'rm x' root", 'rm'],
    ['sudo -s rm x', 'rm'],
    ['xargs -0 -n 1 -I % rm %', 'rm'],
    ['xargs --replace rm {}', 'rm'],
    ['strace -f -o log rm x', 'rm'],
    ['ld-linux-x86-64.so.2 rm x', 'rm'],
    ['parallel rm ::: a b', 'rm'],
  ])('finds what %j starts', (line, expected) => {
    const analysis = analyseCommand(line)
    expect(
      analysis.kind === 'understood' ? analysis.commands.slice(1).map(({ name }) => name) : [],
    ).toContainEqual(expect.stringContaining(expected))
  })

  it('leaves the arguments of a script alone', () => {
    expect(startedBy(['python', 'x.py', '-c', 'y'])).toEqual([])
    expect(startedBy(['node', 'x.js', '--eval', 'y'])).toEqual([])
  })
})

describe('text of awk and sed programs', () => {
  it.each([
    `awk 'BEGIN{system("id")}'`,
    `awk 'BEGIN { system ("id") }'`,
    `awk '{print | "sh"}' a`,
    `awk '{ "id" | getline x }'`,
    `awk '{ print |& "sh" }'`,
    `awk 'BEGIN { f = "system"; @f("id") }'`,
    `awk -v x=1 'BEGIN{system(x)}'`,
    `awk -F: 'BEGIN{system(1)}'`,
    `awk -- 'BEGIN{system(1)}'`,
    `gawk -e 'BEGIN{system(1)}'`,
    `gawk --source='BEGIN{system(1)}'`,
    `awk '1 / 2; system("id") / 3'`,
    `awk '/a/ { x = "\\"" ; system("id") }'`,
    `awk "$X"`,
    `awk '@load "x"'`,
    `awk '{ print "x" > "/inet/tcp/0/evil/80" }'`,
    `sed -n '1e id' a`,
    `sed 's/a/b/e' a`,
    `sed 's/a/b/ge' a`,
    `sed 's|a|b|w /tmp/x\n1e id' a`,
    `sed -e p -e 'e id'`,
    `sed '/x/{e id\n}' a`,
    `sed '$!e id' a`,
    `sed --expression='e id'`,
    `sed -ne '1e id' a`,
    `sed -n '\\,x,e id' a`,
    `sed 'y/a/b/;e id' a`,
    `sed 's/a/b/;1e' a`,
    `sed -i '' 'e id' a`,
    `sed "s/a/$X/" a`,
    `sed -Ei '1e id' a`,
    `sed 'a\\\ntext\ne id'`,
  ])('is seen in %j', (line) => {
    const analysis = analyseCommand(line)
    expect(analysis.kind === 'unresolvable' || analysis.commands.length > 1).toBe(true)
  })
})

describe('wrappers', () => {
  const list = (text: string | undefined) =>
    text === undefined ? [] : text.split(' ').map((option) => option.replace('…', ''))
  const lines = WRAPPERS.flatMap((wrapper) =>
    wrapper.programs.flatMap((program) => {
      const command = [...Array<string>(wrapper.skip ?? 0).fill('1'), 'rm', 'x']
      return [
        [program, ...command],
        [program, '--', ...command],
        ...list(wrapper.flags).map((flag) => [program, flag, ...command]),
        ...list(wrapper.valued).map((option) => [program, option, '1', ...command]),
      ]
    }),
  )

  it.each(lines.map((words) => [words.join(' '), words] as const))('lists what %j starts', (_line, words) => {
    expect(startedBy(words).some((name) => name === 'rm' || name === '?')).toBe(true)
  })

  it.each(WRAPPERS.flatMap(({ programs }) => programs))(
    'does not guess at an unknown option of %s',
    (program) => {
      expect(startedBy([program, '--no-such-option', 'ls', 'rm', 'x'])).toContain('?')
    },
  )
})

describe('git', () => {
  const lines = GIT_OPTIONS.flatMap(({ subcommands, options, runs }) =>
    subcommands.flatMap((subcommand) =>
      options.map((option) => ({
        words: ['git', subcommand, option, runs === 'config' ? 'core.pager=rm x' : 'rm x'],
        runs,
      })),
    ),
  )

  it.each(lines.map(({ words, runs }) => [words.join(' '), words, runs] as const))(
    'starts something by %j',
    (_line, words, runs) => {
      const started = startedBy(words)
      if (runs === 'unseen') expect(started).toContainEqual(expect.stringMatching(/^git /))
      else expect(started).toContain('rm')
    },
  )

  it.each([
    'core.pager',
    'core.editor',
    'core.sshCommand',
    'CORE.SSHCOMMAND',
    'core.askPass',
    'core.fsmonitor',
    'core.gitProxy',
    'core.hooksPath',
    'core.attributesFile',
    'core.worktree',
    'pager.log',
    'sequence.editor',
    'diff.external',
    'diff.x.command',
    'diff.x.textconv',
    'merge.x.driver',
    'mergetool.x.cmd',
    'difftool.x.path',
    'filter.x.clean',
    'filter.x.smudge',
    'filter.x.process',
    'credential.helper',
    'credential.https://x.example.helper',
    'gpg.program',
    'gpg.ssh.program',
    'gpg.ssh.defaultKeyCommand',
    'interactive.diffFilter',
    'uploadpack.packObjectsHook',
    'remote.origin.uploadpack',
    'remote.origin.vcs',
    'url.ext::x.insteadOf',
    'include.path',
    'includeIf.x.path',
    'init.templateDir',
    'protocol.ext.allow',
    'submodule.x.update',
    'trailer.x.cmd',
    'tar.x.command',
    'browser.x.cmd',
    'man.x.cmd',
    'sendemail.smtpServer',
    'alias.x',
    'help.browser',
    'web.browser',
    'http.proxy',
  ])('counts the configuration %s as what it names', (key) => {
    expect(startedBy(['git', '-c', `${key}=!rm x`, 'log']).length).toBeGreaterThan(0)
    expect(startedBy(['git', 'config', '--global', key, '!rm x']).length).toBeGreaterThan(0)
    expect(startedBy(['git', 'clone', '-c', `${key}=!rm x`, 'a']).length).toBeGreaterThan(0)
  })

  it.each([
    'git --exec-path=/tmp/evil status',
    "git clone 'ext::sh -c id%'",
    'git clone foo::bar',
    'git bisect run sh -c id',
    'git submodule foreach id',
    'git submodule --quiet foreach --recursive id',
    'git filter-branch --tree-filter id HEAD',
    'git foo',
    'git --config-env=core.pager=X log',
    'git -C x -c core.pager=id log',
    'git rebase --exe id',
    'git rebase -i -x id',
    'git remote-ext x',
    'git config --edit',
    'git config set core.pager id',
    'git config --file .git/config core.pager id',
    'git -c alias.x="!id" x',
    'git -c alias.x="bisect run id" x',
  ])('starts something by %j', (line) => {
    const analysis = analyseCommand(line)
    expect(analysis.kind === 'unresolvable' || analysis.commands.length > 1).toBe(true)
  })
})
