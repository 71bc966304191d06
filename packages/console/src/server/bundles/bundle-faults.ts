import type { Diagnostic } from 'edictum'
import { Problem } from '../routing/problem.js'

/** A bundle that does not load, with everything that is wrong with it and where. */
export function bundleProblem(diagnostics: readonly Diagnostic[]): Problem {
  const [first] = diagnostics
  const place = first?.line === undefined ? '' : `line ${first.line}, column ${first.column ?? 1}: `
  const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : ''
  return new Problem(422, 'invalid-bundle', {
    detail: `${place}${first?.message ?? 'the bundle does not load'}${more}`,
    errors: diagnostics.map(({ message, line, column }) => ({
      loc: ['body', 'yaml_content', ...(line === undefined ? [] : [line, column ?? 1])],
      msg: message,
    })),
    diagnostics,
  })
}
