// One command with its arguments, and what such an invocation starts.
import type { ShellWord } from './shell-word.js'

export interface SimpleCommand {
  /** The command word as written after quote removal: `/bin/ls` stays `/bin/ls`. */
  readonly name: string
  /** Further words, quotes removed. What the shell fills in at run time stands between expansion marks. */
  readonly args: readonly string[]
  /** Why it is there: `direct`, or what would start it: `xargs`, `find -exec`, `bash -c`, `git -c core.pager`, … */
  readonly via: string
}

/** One thing a command starts, or one more thing to know about it. */
export type Started =
  | { readonly kind: 'shell'; readonly text: string; readonly via: string }
  | {
      readonly kind: 'argv'
      readonly words: readonly ShellWord[]
      readonly via: string
      readonly appends?: boolean
    }
  /** Listed as a command of this name, because what it runs is not in the line. */
  | { readonly kind: 'unseen'; readonly name: string; readonly via: string }
  /** The environment of the command, checked like an assignment. */
  | { readonly kind: 'assignment'; readonly name: string }
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }

export interface Invocation {
  readonly program: string
  readonly words: readonly ShellWord[]
  /** Text that the line itself feeds to the program, if it does. */
  readonly input: string | undefined
  /** Arguments from elsewhere follow the visible ones. */
  readonly appends: boolean
}

export type Reader = (invocation: Invocation) => readonly Started[]
