// `edictum completion`: what a shell needs to complete commands and options, made from the same table as the help.
import { type Command, UsageError } from './command.js'

const shells = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof shells)[number]

/** The table is handed in by a function, because it lists this command, too. */
export function completionOf(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print the completion script of a shell.',
    operands: 'SHELL',
    options: { json: { summary: 'Print commands and options in JSON instead.' } },
    run: ({ operands, options, terminal }) => {
      if (options.isSet('json')) {
        const words = Object.fromEntries(commands().map((one) => [one.name, optionsOf(one)]))
        terminal.say(JSON.stringify(words, null, 2))
        return 0
      }
      const shell = shells.find((name) => name === operands[0])
      if (shell === undefined || operands.length > 1)
        throw new UsageError(`completion needs a shell: ${shells.join(', ')}`)
      terminal.say(scripts[shell](commands()))
      return 0
    },
  }
}

function optionsOf({ options }: Command): readonly string[] {
  return [...Object.keys(options), 'help'].map((name) => `--${name}`)
}

const scripts: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: (commands) => `# In ~/.bashrc: source <(npx edictum completion bash)
_edictum() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${[...commands.map(({ name }) => name), 'help'].join(' ')}'
  elif [[ "$current" == -* ]]; then
    case "\${COMP_WORDS[1]}" in
${commands.map((one) => `      ${one.name}) words='${optionsOf(one).join(' ')}' ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _edictum edictum`,
  zsh: (commands) => `#compdef edictum
# In ~/.zshrc, after compinit: source <(npx edictum completion zsh)
_edictum() {
  if (( CURRENT == 2 )); then
    local -a names=(
${commands.map(({ name, summary }) => `      '${name}:${zshText(summary)}'`).join('\n')}
    )
    _describe command names
    return
  fi
  case "\${words[2]}" in
${commands.map((one) => `    ${one.name}) compadd -- ${optionsOf(one).join(' ')} ;;`).join('\n')}
  esac
  _files
}
compdef _edictum edictum`,
  fish: (commands) =>
    [
      '# In ~/.config/fish/config.fish: npx edictum completion fish | source',
      // A command comes first, not a file.
      'complete -c edictum -n __fish_use_subcommand -f',
      'complete -c edictum -l help',
      ...commands.flatMap(({ name, summary, options }) => [
        `complete -c edictum -n __fish_use_subcommand -a ${name} -d ${fishText(summary)}`,
        ...Object.entries(options).map(
          ([option, { value, summary: meaning }]) =>
            `complete -c edictum -n '__fish_seen_subcommand_from ${name}' -l ${option}${value === undefined ? '' : ' -r'} -d ${fishText(meaning)}`,
        ),
      ]),
    ].join('\n'),
}

/** Inside single quotes, behind a colon. */
function zshText(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(':', '\\:')
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
