// @ts-check
// Commands of 10 KB that are made to keep a reader busy. Every round is another text, so that nothing is remembered.

const length = 10 * 1024

/** @type {Readonly<Record<string, (round: number) => string>>} */
export const hostileCommands = {
  'open parentheses': (round) => fill('(', round),
  'open substitutions': (round) => fill('$(', round),
  'nested substitutions': (round) => `echo ${'$(echo '.repeat(900)}${round}${')'.repeat(900)}`,
  'substitutions in a row': (round) => `echo ${fill('$(ls) ', round)}`,
  'open braces': (round) => `echo ${fill('{a,', round)}`,
  'braces in one word': (round) => `echo ${fill('{a,b}', round)}`,
  'braces in many words': (round) => `echo ${fill('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} ', round)}`,
  ranges: (round) => `echo ${fill('{1..500} ', round)}`,
  backquotes: (round) => fill('`', round),
  'quoted words': (round) => `echo ${fill('"a" ', round)}`,
  'quotes in one word': (round) => `echo ${fill(`'a'"b"`, round)}`,
  'here-documents': (round) => fill('cat <<A\n', round),
  'a here-document with substitutions': (round) => `cat <<A\n${fill('$(ls) ', round)}\nA\n`,
  'commands in a row': (round) => fill('ls -l a b;', round),
  lines: (round) => fill('ls\n', round),
  pipes: (round) => `${fill('ls|', round)}ls`,
  cases: (round) => `case x in ${fill('a) ls;; ', round)} esac`,
  assignments: (round) => `${fill('A=b ', round)} ls`,
  variables: (round) => `git ${fill('$A ', round)}`,
  wrappers: (round) => fill('env ', round),
  'git configuration': (round) => `git ${fill('-c a=b ', round)}`,
  'find actions': (round) => `find ${fill('-exec ', round)}`,
  'awk text': (round) => `awk '${fill('/a|b/', round)}'`,
  'sed text': (round) => `sed '${fill('s/a/b/;', round)}'`,
  'the same word': (round) => `ls ${fill('a ', round)}`,
  words: (round) => `ls ${number(round, (name) => name)}`,
  'absolute paths': (round) => `ls ${number(round, (name) => `/a/${name}`)}`,
  'relative paths': (round) => `ls ${number(round, (name) => `bench/suites/${name}`)}`,
  'one path going up': (round) => `ls ${fill('../', round)}`,
  'one list of paths': (round) => `ls ${fill('a:/b', round)}`,
  patterns: (round) => `ls ${fill('* ', round)}`,
  'patterns of two levels': (round) => `ls ${number(round, (name) => `*/*${name}`)}`,
  'patterns of three levels': (round) => `ls ${number(round, (name) => `*/*/*${name}`)}`,
  'one pattern of many levels': (round) => `ls ${fill('*/', round)}`,
  'the same folder again': (round) => `tar ${fill('-C a ', round)}`,
  'folders to enter': (round) => `tar ${number(round, (name) => `-C ${name} x${name}`)}`,
  redirections: (round) => `ls ${fill('>a ', round)}`,
  URLs: (round) => `curl ${number(round, (name) => `http://${name}.example.com/`)}`,
}

/**
 * @param {string} piece
 * @param {number} round
 */
function fill(piece, round) {
  return `${piece.repeat(Math.floor(length / piece.length))}${round}`
}

/**
 * @param {number} round
 * @param {(name: string) => string} write
 */
function number(round, write) {
  let text = ''
  for (let index = round * 5_000; text.length < length; index++) text += `${write(index.toString(36))} `
  return text
}
