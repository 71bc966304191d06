// Programs that talk to hosts given without a scheme, and where in their words those hosts stand.
import { withPlainPatterns } from './command-word.js'
import type { SimpleCommand } from './commands/command-line.js'

/** How a program names a host in an operand. */
type OperandForm =
  /** `example.org/x`: every operand is a URL, the scheme may be missing. */
  | 'url'
  /** `GET example.org name=value`: the first operand that is not a method. */
  | 'request'
  /** `user@example.org`: the first operand is the host, what follows belongs to the host. */
  | 'first'
  /** `example.org`: every operand that looks like a host is one. */
  | 'host'
  /** Only options name hosts. */
  | 'none'
  /** `user@example.org:path`: an operand with a colon before any slash is remote. */
  | 'remote-path'
  /** `example.org/name`: the first part is a host when it looks like one. */
  | 'image'

interface NetworkProgram {
  readonly form: OperandForm
  /** What the value of an option is; options that take none are not listed. */
  readonly options: ReadonlyMap<string, OptionValue>
}

type OptionValue =
  /** Neither a host nor a URL. */
  | 'other'
  /** Names hosts. */
  | 'host'
  /** Where to find out what to contact. */
  | 'hidden'

// An option that takes no value must not be listed as one that does: the host behind it would go unseen.
const programs = new Map<string, NetworkProgram>([
  ...programsOf('curl curlie', 'url', {
    other:
      '-o --output -H --header -d --data --data-raw --data-binary --data-urlencode --data-ascii --json -X --request ' +
      '-A --user-agent -u --user -F --form --form-string -T --upload-file -b --cookie -c --cookie-jar -w --write-out ' +
      '-m --max-time --connect-timeout --retry --retry-delay --retry-max-time -r --range -C --continue-at --cacert ' +
      '--cert -E --key --capath --ciphers -D --dump-header -e --referer --limit-rate -y -Y -z --time-cond -Q --quote ' +
      '--output-dir --max-redirs --max-filesize --stderr --trace --trace-ascii -t --telnet-option --tlsv --tls-max ' +
      '--unix-socket --aws-sigv4 --oauth2-bearer -U --proxy-user --pinnedpubkey --cert-type --key-type --pass -P --ftp-port ' +
      '--interface --mail-rcpt --mail-from',
    host:
      '-x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --connect-to --resolve --url --doh-url ' +
      '--dns-servers --proxy1.0',
    hidden: '-K --config --variable --expand-url',
  }),
  ...programsOf('wget wget2', 'url', {
    other:
      '-O --output-document -o --output-file -P --directory-prefix --header -U --user-agent -t --tries -T --timeout ' +
      '--post-data --post-file --user --password -a --append-output -A -R -D -l --level -Q -w --wait --method ' +
      '--body-data --ca-certificate --load-cookies --save-cookies',
    host: '-B --base --referer -e --execute',
    hidden: '-i --input-file --config',
  }),
  ...programsOf('http https xh xhs', 'request', {
    other: '-o --output -a --auth --timeout',
    host: '--proxy',
  }),
  ...programsOf('lynx w3m links elinks aria2c axel yt-dlp youtube-dl ab wrk hey siege', 'url', {
    other: '-o --output',
    host: '--proxy --all-proxy',
    hidden: '--input-file',
  }),
  ...programsOf('ssh mosh slogin autossh', 'first', {
    other: '-p -i -l -o -E -c -m -b -B -e -I -O -Q -S -w',
    host: '-J -W -L -R -D',
    hidden: '-F',
  }),
  ...programsOf('telnet', 'first', { other: '-l -n -b -e -S -X' }),
  ...programsOf('ftp tftp lftp ncftp mtr tracepath', 'first', {}),
  ...programsOf('nc ncat netcat', 'first', { other: '-p -w -s -i -q -X', host: '-x --proxy' }),
  ...programsOf('ping ping6', 'first', { other: '-c -i -I -s -W -w -t -m' }),
  ...programsOf('traceroute traceroute6', 'first', { other: '-m -q -w -p' }),
  ...programsOf('whois', 'first', { other: '-p', host: '-h' }),
  ...programsOf('nmap masscan dig host nslookup drill socat', 'host', {
    other: '-p -oN -oX -oG -oA',
    host: '-q -S',
    hidden: '-iL -f',
  }),
  ...programsOf('scp', 'remote-path', { other: '-P -i -o -c -l -S -D -X', host: '-J', hidden: '-F' }),
  ...programsOf('sftp', 'remote-path', {
    other: '-P -i -o -c -l -S -D -X -B -R -s',
    host: '-J',
    hidden: '-F -b',
  }),
  ...programsOf('rsync', 'remote-path', {
    other: '-e --rsh --exclude --include --port -B -f --filter -M -T --temp-dir --password-file',
    hidden: '--files-from',
  }),
  ...programsOf('openssl', 'none', { host: '-connect -proxy' }),
  ...programsOf('psql mysql mariadb mysqldump pg_dump redis-cli mongosh mongo', 'none', {
    host: '-h --host',
  }),
  ...programsOf('docker podman', 'image', {}),
])

const gitRemoteCommands: ReadonlySet<string> = new Set(
  'clone fetch pull push ls-remote remote submodule archive fetch-pack send-pack'.split(' '),
)
const pulling: ReadonlySet<string> = new Set(['pull', 'push', 'run', 'login', 'create'])

/** Texts that name hosts without a scheme; `unclear` when the program is told elsewhere what to contact. */
export interface NamedHosts {
  readonly hosts: readonly string[]
  readonly isHidden: boolean
}

const nothing: NamedHosts = Object.freeze({ hosts: Object.freeze([]), isHidden: false })

export function hostsOf(command: SimpleCommand): NamedHosts {
  const program = command.name.slice(command.name.lastIndexOf('/') + 1)
  if (program !== 'git' && !programs.has(program)) return nothing
  const args = command.args.map(withPlainPatterns)
  if (program === 'git') {
    const at = args.findIndex((word) => gitRemoteCommands.has(word))
    return at === -1 ? nothing : { hosts: gitRemotes(args.slice(at)), isHidden: false }
  }
  const rule = programs.get(program)
  if (rule === undefined) return nothing
  if (rule.form === 'image' && !pulling.has(args[0] ?? '')) return nothing
  return readWords(args, rule)
}

function readWords(args: readonly string[], rule: NetworkProgram): NamedHosts {
  const hosts: string[] = []
  const operands: string[] = []
  let isHidden = false
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? ''
    if (word.length < 2 || !word.startsWith('-')) {
      operands.push(word)
      continue
    }
    const { option, value } = splitOption(word, rule)
    const kind = rule.options.get(option)
    if (kind === 'hidden') {
      isHidden = true
      if (value === undefined) index++
    } else if (kind === 'host') hosts.push(...hostsInValue(value ?? args[++index] ?? ''))
    else if (kind === 'other') {
      const said = value ?? args[++index] ?? ''
      const redirected = /^\s*(?:HostName|ProxyJump)\s*[=\s]\s*(\S+)/i.exec(said)
      if (option === '-o' && redirected?.[1] !== undefined) hosts.push(redirected[1])
    }
  }
  return { hosts: [...hosts, ...hostsInOperands(operands, rule.form)], isHidden }
}

/** `--proxy=x`, `-xhost`, and the last letter of `-sSo` when it takes a value. */
function splitOption(
  word: string,
  rule: NetworkProgram,
): { readonly option: string; readonly value?: string } {
  const sign = word.indexOf('=')
  if (word.startsWith('--'))
    return sign === -1 ? { option: word } : { option: word.slice(0, sign), value: word.slice(sign + 1) }
  if (rule.options.has(word)) return { option: word }
  for (let at = 1; at < word.length; at++) {
    const option = `-${word[at] ?? ''}`
    if (rule.options.has(option))
      return at === word.length - 1 ? { option } : { option, value: word.slice(at + 1) }
  }
  return { option: word }
}

function hostsInOperands(operands: readonly string[], form: OperandForm): readonly string[] {
  switch (form) {
    case 'url':
      return withoutShortNumbers(operands).map(withoutScheme)
    case 'request':
      return operands
        .filter((word) => !/^[A-Z]+$/.test(word))
        .slice(0, 1)
        .map(withoutScheme)
    case 'first':
      return withoutShortNumbers(operands).slice(0, 1).map(withoutScheme)
    case 'host':
      return operands.flatMap(hostsInOperand)
    case 'none':
      return []
    case 'remote-path':
      return operands.flatMap((word) => remoteOf(word) ?? [])
    case 'image':
      return operands.flatMap((word) => {
        const [first = '', ...others] = word.split('/')
        return others.length > 0 && /[.:]|^localhost$/.test(first) ? [first] : []
      })
    default:
      return form satisfies never
  }
}

/** Ports to listen on, counts, seconds. */
function withoutShortNumbers(words: readonly string[]): readonly string[] {
  return words.filter((word) => !/^[1-9]\d{0,4}$/.test(word))
}

/** `dig @server name`, `socat TCP:host:port`, `openssl s_client`: a word with no dot, colon or sign is a keyword. */
function hostsInOperand(word: string): readonly string[] {
  if (word.startsWith('+')) return []
  if (word.startsWith('@')) return [word.slice(1)]
  const socket =
    /^(?:tcp|udp|ssl|openssl|sctp|socks4a?|proxy)[46]?(?:-connect|-sendto|-datagram)?:(.+)$/i.exec(word)
  if (socket !== null) return [(socket[1] ?? '').split(',', 1)[0] ?? '']
  return /[.:@]|^localhost|^0x|^\d{6,}$/i.test(word) ? [withoutScheme(word)] : []
}

/** `example.org:443:10.0.0.1`, `::example.org:443`, `http_proxy=example.org`: every part that is not a port. */
function hostsInValue(value: string): readonly string[] {
  const text = value.replace(/^\w+=/, '')
  if (text.includes('://') || text.includes('[')) return [withoutScheme(text)]
  return text.split(/[:,]/).filter((part) => part !== '' && !/^\d{1,5}$/.test(part))
}

/** The host of `user@host:path` or `host:path`; a colon after a slash belongs to a local name. */
function remoteOf(word: string): string | undefined {
  if (word.startsWith('-') || word.includes('://')) return undefined
  return /^((?:[^@/:\s]+@)?(?:\[[^\]]*\]|[^/:\s@]+)):/.exec(word)?.[1]
}

/** Only the first operand of a transfer is a remote: the others are `from:to` pairs of branches. */
function gitRemotes([subcommand = '', ...words]: readonly string[]): readonly string[] {
  const operands = words.filter((word) => !word.startsWith('-'))
  const isTransfer = /^(?:fetch|pull|push)/.test(subcommand)
  return (isTransfer ? operands.slice(0, 1) : operands).flatMap((word) => remoteOf(word) ?? [])
}

function withoutScheme(text: string): string {
  return text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
}

function programsOf(
  names: string,
  form: OperandForm,
  options: { readonly other?: string; readonly host?: string; readonly hidden?: string },
): (readonly [string, NetworkProgram])[] {
  const program: NetworkProgram = {
    form,
    options: new Map([
      ...optionsOf(options.other, 'other'),
      ...optionsOf(options.host, 'host'),
      ...optionsOf(options.hidden, 'hidden'),
    ]),
  }
  return names.split(' ').map((name) => [name, program] as const)
}

function optionsOf(names: string | undefined, value: OptionValue): (readonly [string, OptionValue])[] {
  return names === undefined ? [] : names.split(' ').map((name) => [name, value] as const)
}
