import type { Value } from './database.js'

export interface Conditions {
  readonly sql: string
  readonly values: readonly Value[]
}

/** All of the conditions whose value is there. */
export function allOf(wanted: readonly (readonly [string, Value | undefined])[]): Conditions {
  const present = wanted.filter((entry): entry is readonly [string, Value] => entry[1] !== undefined)
  return {
    sql: present.map(([condition]) => condition).join(' AND '),
    values: present.map(([, value]) => value),
  }
}

export const always: Conditions = { sql: '', values: [] }

/** All of them at once. */
export function join(...conditions: readonly Conditions[]): Conditions {
  const present = conditions.filter(({ sql }) => sql !== '')
  return {
    sql: present.map(({ sql }) => sql).join(' AND '),
    values: present.flatMap(({ values }) => values),
  }
}
