/** Counts of stretches of time as a stepped line needs them: the last stretch has an end too, or it would have no width. */
export function closeSteps(
  starts: readonly number[],
  values: readonly (readonly number[])[],
): { readonly times: readonly number[]; readonly lines: readonly (readonly number[])[] } {
  const last = starts.at(-1)
  const before = starts.at(-2)
  if (last === undefined || before === undefined) return { times: starts, lines: values }
  return {
    times: [...starts, last + (last - before)],
    lines: values.map((line) => [...line, line.at(-1) ?? 0]),
  }
}
