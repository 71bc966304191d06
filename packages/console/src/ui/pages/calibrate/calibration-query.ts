import { withQuery } from '../../data/request.js'

/** What the address of a page asks to be counted: as the page says it, and where the server answers it. */
export function calibrationQuery(query: URLSearchParams): {
  readonly path: string
  readonly values: Readonly<Record<'since' | 'mode' | 'env' | 'agent_id', string>>
} {
  const values = {
    since: query.get('since') ?? '7d',
    mode: query.get('mode') ?? 'observe',
    env: query.get('env') ?? '',
    agent_id: query.get('agent_id') ?? '',
  }
  const mode = values.mode === 'observe' ? 'observe' : undefined
  return { path: withQuery('/api/edictum/v1/calibration', { ...values, mode }), values }
}
