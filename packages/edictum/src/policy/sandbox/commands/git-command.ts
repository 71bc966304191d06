// git: configuration given in the line, options that name a program, transports, and subcommands that are not git's own.
import type { Invocation, Started } from './invocation.js'
import { readOption } from './option-scan.js'
import { isStatic, type ShellWord } from './shell-word.js'

/** Configuration that neither names a program nor brings in further configuration. git-config(1). */
const HARMLESS_KEYS =
  /^(?:user\.(?:name|email|signingkey|useconfigonly)|color\..*|advice\..*|column\..*|branch\..*|log\..*|status\..*|format\.(?:pretty|signoff)|grep\.(?!.*(?:pager))\w+|i18n\..*|gc\..*|pack\..*|index\..*|rerere\..*|commit\.(?:gpgsign|verbose|cleanup)|tag\.(?:gpgsign|sort|forcesignannotated)|init\.defaultbranch|pull\.\w+|push\.(?:default|autosetupremote|followtags|gpgsign)|rebase\.(?!instructionformat)\w+|merge\.(?:conflictstyle|ff|renames|renamelimit|stat|log|verbosity)|fetch\.\w+|diff\.(?:renames|renamelimit|noprefix|mnemonicprefix|context|algorithm|colormoved|ignoresubmodules|submodule|wserrorhighlight|relative|interhunkcontext)|core\.(?:abbrev|autocrlf|bare|bigfilethreshold|compression|eol|filemode|ignorecase|longpaths|packedgitlimit|precomposeunicode|protecthfs|protectntfs|quotepath|safecrlf|sharedrepository|symlinks|trustctime|untrackedcache|whitespace|checkstat|logallrefupdates|preloadindex|splitindex|commentchar|hidedotfiles)|http\.(?:sslverify|postbuffer|lowspeedlimit|lowspeedtime|version|useragent|followredirects)|protocol\.version|safe\.directory|checkout\.\w+|clone\.defaultremotename|feature\.\w+|blame\.(?!.*pager)\w+|stash\.\w+|submodule\.(?:recurse|fetchjobs)|transfer\.\w+|versionsort\..*|worktree\.\w+|remote\.pushdefault|receive\.deny\w+)$/i

/** Configuration whose value is a command line. git-config(1). */
const COMMAND_KEYS =
  /^(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|gui\.\w*cmd|diff\.external|diff\..+\.(?:command|textconv)|merge\..+\.driver|(?:mergetool|difftool|man|browser|guitool)\..+\.(?:cmd|path)|filter\..+\.(?:clean|smudge|process)|credential\.(?:.+\.)?helper|gpg\.(?:.+\.)?(?:program|defaultkeycommand)|interactive\.difffilter|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|sendemail\..*(?:cmd|smtpserver|sendmailcmd)|trailer\..+\.(?:command|cmd)|tar\..+\.command|submodule\..+\.update|web\.browser|help\.browser|instaweb\.(?:httpd|browser))$/i

const VALUED_GLOBALS = new Set([
  '-C',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--super-prefix',
  '--attr-source',
  '--shallow-file',
])
const GLOBAL_FLAGS =
  /^(?:-[pPvh]|--(?:paginate|no-pager|version|help|html-path|man-path|info-path|no-replace-objects|no-lazy-fetch|no-optional-locks|no-advice|bare|literal-pathspecs|glob-pathspecs|noglob-pathspecs|icase-pathspecs|exec-path|list-cmds=.*|(?:git-dir|work-tree|namespace|super-prefix|attr-source)=.*))$/s

interface GitOption {
  readonly subcommands: readonly string[]
  readonly options: readonly string[]
  readonly runs: 'shell' | 'unseen' | 'config'
  readonly except?: readonly string[]
  readonly source: string
}

const REMOTE = [
  'clone',
  'fetch',
  'pull',
  'ls-remote',
  'fetch-pack',
  'push',
  'send-pack',
  'archive',
  'remote',
  'submodule',
]

export const GIT_OPTIONS: readonly GitOption[] = [
  {
    subcommands: REMOTE,
    options: ['--upload-pack'],
    except: ['--u', '--update'],
    runs: 'shell',
    source: 'git-fetch(1), --upload-pack',
  },
  { subcommands: ['clone'], options: ['-u'], runs: 'shell', source: 'git-clone(1), -u' },
  { subcommands: REMOTE, options: ['--receive-pack'], runs: 'shell', source: 'git-push(1), --receive-pack' },
  {
    subcommands: ['push', 'send-pack', 'fetch-pack', 'archive', 'ls-remote', 'rebase', 'fetch', 'pull'],
    options: ['--exec'],
    runs: 'shell',
    source: 'git-rebase(1), --exec',
  },
  { subcommands: ['rebase'], options: ['-x'], runs: 'shell', source: 'git-rebase(1), -x' },
  { subcommands: ['clone'], options: ['-c', '--config'], runs: 'config', source: 'git-clone(1), --config' },
  {
    subcommands: ['clone', 'init'],
    options: ['--template'],
    runs: 'unseen',
    source: 'git-init(1), --template',
  },
  {
    subcommands: ['difftool'],
    options: ['-x', '--extcmd'],
    runs: 'shell',
    source: 'git-difftool(1), --extcmd',
  },
  {
    subcommands: ['difftool', 'mergetool'],
    options: ['-t', '--tool'],
    except: ['--tool-help'],
    runs: 'unseen',
    source: 'git-difftool(1), --tool',
  },
  {
    subcommands: ['grep'],
    options: ['-O', '--open-files-in-pager'],
    runs: 'unseen',
    source: 'git-grep(1), --open-files-in-pager',
  },
  {
    subcommands: ['filter-branch'],
    options: [
      '--setup',
      '--env-filter',
      '--tree-filter',
      '--index-filter',
      '--parent-filter',
      '--msg-filter',
      '--commit-filter',
      '--tag-name-filter',
    ],
    runs: 'shell',
    source: 'git-filter-branch(1)',
  },
  {
    subcommands: ['send-email'],
    options: ['--to-cmd', '--cc-cmd', '--header-cmd', '--sendmail-cmd', '--smtp-server'],
    runs: 'shell',
    source: 'git-send-email(1)',
  },
  {
    subcommands: ['instaweb'],
    options: ['-d', '--httpd', '-b', '--browser', '-m', '--module-path'],
    runs: 'shell',
    source: 'git-instaweb(1)',
  },
  {
    subcommands: ['web--browse', 'help'],
    options: ['-b', '--browser', '-c', '--config', '-t', '--tool'],
    runs: 'unseen',
    source: 'git-web--browse(1)',
  },
  {
    subcommands: ['daemon'],
    options: ['--access-hook'],
    runs: 'shell',
    source: 'git-daemon(1), --access-hook',
  },
  {
    subcommands: ['merge', 'rebase', 'pull', 'cherry-pick', 'revert'],
    options: ['-s', '--strategy'],
    except: ['--strategy-option', '--s'],
    runs: 'unseen',
    source: 'git-merge(1), --strategy runs git-merge-<name>',
  },
  {
    subcommands: ['interpret-trailers'],
    options: ['--trailer'],
    runs: 'unseen',
    source: 'git-interpret-trailers(1), trailer.<name>.cmd',
  },
]

/** Subcommands whose operands are a command for a shell. */
const COMMAND_OPERANDS: Readonly<Record<string, RegExp>> = {
  bisect: /^run$/,
  submodule: /^foreach$/,
}

/** Subcommands that run scripts, hooks or servers named by their operands. */
const UNSEEN_SUBCOMMANDS = new Set([
  'remote-ext',
  'remote-fd',
  'merge-index',
  'hook',
  'shell',
  'cvsserver',
  'upload-pack',
  'receive-pack',
  'http-backend',
  'p4',
  'svn',
  'cvsimport',
  'archimport',
  'daemon',
  'instaweb',
  'for-each-repo',
  'filter-branch',
  'mergetool',
  'difftool',
  'credential',
  'gui',
  'citool',
  'gitk',
  'send-email',
  'imap-send',
  'web--browse',
  'quiltimport',
  'fast-import',
  'sh-setup',
  'scalar',
  'bugreport',
  'diagnose',
  'maintenance',
  'upload-archive',
  'request-pull',
])

const OWN_SUBCOMMANDS = new Set(
  `add am annotate apply archive backfill bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-pairs diff-tree fast-export fetch fetch-pack fmt-merge-msg for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help index-pack init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit merge merge-base merge-file merge-one-file merge-tree mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog refs remote repack replace replay rerere reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree`.split(
    ' ',
  ),
)

export function readGit({ words, appends }: Invocation): readonly Started[] {
  const started: Started[] = []
  let index = 0
  for (; index < words.length; index++) {
    const text = words[index]?.text ?? ''
    if (!text.startsWith('-')) break
    if (text === '-c' || text === '--config-env') readSetting(words[++index]?.text, text, started)
    else if (text.startsWith('--config-env=')) readSetting(text.slice(13), '--config-env', started)
    else if (text.startsWith('--exec-path='))
      started.push({ kind: 'unseen', name: 'git --exec-path', via: 'git --exec-path' })
    else if (VALUED_GLOBALS.has(text)) index++
    else if (!GLOBAL_FLAGS.test(text)) return [...started, refuse('git has an option that is not known here')]
  }
  const subcommand = words[index]?.text
  if (subcommand === undefined) {
    if (appends) started.push(refuse('the subcommand of git comes from elsewhere'))
    return started
  }
  if (!isStatic(subcommand)) return [...started, refuse('the subcommand of git is only known at run time')]
  const rest = words.slice(index + 1)
  if (UNSEEN_SUBCOMMANDS.has(subcommand)) {
    started.push({ kind: 'unseen', name: `git ${subcommand}`, via: `git ${subcommand}` })
  } else if (!OWN_SUBCOMMANDS.has(subcommand)) {
    started.push({ kind: 'argv', words: [{ text: `git-${subcommand}`, splits: false }, ...rest], via: 'git' })
  }
  readSubcommand(subcommand, rest, started)
  return started
}

function readSubcommand(subcommand: string, rest: readonly ShellWord[], started: Started[]): void {
  if (subcommand === 'config') readConfig(rest, started)
  for (const entry of GIT_OPTIONS) {
    if (!entry.subcommands.includes(subcommand)) continue
    for (let index = 0; index < rest.length && rest[index]?.text !== '--'; index++) {
      const use = readOption(rest, index, {
        options: entry.options,
        except: entry.except ?? [],
        valuedLetters: 'mCFS',
      })
      if (use === undefined) continue
      const via = `git ${subcommand} ${entry.options[0] ?? ''}`
      const value = use.value?.text ?? ''
      if (entry.runs === 'config') readSetting(value, via.slice(4), started)
      else if (entry.runs === 'unseen') started.push({ kind: 'unseen', name: via, via })
      else started.push({ kind: 'shell', text: value, via })
    }
  }
  const operands = COMMAND_OPERANDS[subcommand]
  const place = operands === undefined ? -1 : rest.findIndex(({ text }) => operands.test(text))
  if (place !== -1) {
    const command = rest
      .slice(place + 1)
      .filter(({ text }, at, all) => !isForeachOption(text, all[at - 1]?.text, at))
    const via = `git ${subcommand} ${rest[place]?.text ?? ''}`
    started.push({ kind: 'shell', text: command.map(({ text }) => text).join(' '), via })
  }
  for (const { text } of rest) {
    const transport = /^([A-Za-z][\w+-]*)::(.*)$/s.exec(text)
    if (transport === null) continue
    const via = `git ${transport[1] ?? ''}::`
    if (transport[1] === 'ext')
      started.push({ kind: 'shell', text: (transport[2] ?? '').replaceAll('%', ''), via })
    else started.push({ kind: 'unseen', name: via, via })
  }
}

function isForeachOption(text: string, before: string | undefined, at: number): boolean {
  return /^--(?:recursive|quiet)$|^-q$/.test(text) && (at === 0 || before?.startsWith('-') === true)
}

function readConfig(words: readonly ShellWord[], started: Started[]): void {
  const texts = words.map(({ text }) => text)
  if (texts.some((text) => /^(?:-e|--edit|edit)$/.test(text))) {
    started.push({ kind: 'unseen', name: 'git config --edit', via: 'git config' })
  }
  if (texts.some((text) => /^(?:--get(?:-.*)?|--list|-l|--unset(?:-all)?|get|list|unset)$/.test(text))) return
  const place = texts.findIndex((text) => !text.startsWith('-') && text.includes('.'))
  const key = texts[place]
  if (key === undefined) {
    if (texts.some((text) => !isStatic(text)))
      started.push(refuse('git config sets a key that is only known at run time'))
    return
  }
  const value = texts.slice(place + 1).filter((text) => !text.startsWith('--'))
  if (value.length > 0) readSetting(`${key}=${value.join(' ')}`, 'config', started)
  // A file or blob named in front of the key has a dot as well: look at every key-like operand.
  for (const text of texts.slice(place + 1)) {
    if (COMMAND_KEYS.test(text))
      started.push({ kind: 'unseen', name: `git config ${text}`, via: 'git config' })
  }
}

function readSetting(setting: string | undefined, option: string, started: Started[]): void {
  if (setting === undefined) {
    started.push(refuse(`git ${option} has no value`))
    return
  }
  const equals = setting.indexOf('=')
  const key = equals === -1 ? setting : setting.slice(0, equals)
  if (!isStatic(key)) {
    started.push(refuse('git is given a configuration key that is only known at run time'))
    return
  }
  if (HARMLESS_KEYS.test(key)) return
  const via = `git ${option} ${key}`
  const value = setting.slice(equals + 1)
  if (option === '--config-env') started.push({ kind: 'unseen', name: via, via })
  else if (/^alias\./i.test(key)) readAlias(value, via, started)
  else if (COMMAND_KEYS.test(key)) {
    if (/^(?:|true|false|store|cache.*|osxkeychain|manager.*)$/.test(value)) return
    started.push({ kind: 'shell', text: value.replace(/^!/, ''), via })
  } else started.push({ kind: 'unseen', name: via, via })
}

function readAlias(value: string, via: string, started: Started[]): void {
  const text = value.trimStart()
  started.push({ kind: 'shell', text: text.startsWith('!') ? text.slice(1) : `git ${text}`, via })
}

function refuse(reason: string): Started {
  return { kind: 'refused', reason }
}
