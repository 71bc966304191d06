// Numbers about this node in the text format Prometheus reads.

const bucketsMs = [1, 2, 5, 10, 25, 50, 100, 250, 1_000, 5_000] as const

interface Timings {
  readonly buckets: number[]
  count: number
  totalMs: number
}

interface Family {
  readonly help: string
  readonly values: Map<string, number>
}

export class Metrics {
  readonly #counters = new Map<string, Family>()
  readonly #gauges = new Map<string, { readonly help: string; readonly read: () => number }>()
  readonly #timings = new Map<string, Timings>()

  /** @param labels as they are written between the braces */
  count(
    name: string,
    options: { readonly help: string; readonly labels?: string; readonly by?: number },
  ): void {
    const { help, labels = '', by = 1 } = options
    const known = this.#counters.get(name)
    const family: Family = known ?? { help, values: new Map<string, number>() }
    if (known === undefined) this.#counters.set(name, family)
    family.values.set(labels, (family.values.get(labels) ?? 0) + by)
  }

  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.set(name, { help, read })
  }

  /** @param labels of the request: few and known in advance, never what a client made up */
  time(labels: string, milliseconds: number): void {
    let timings = this.#timings.get(labels)
    if (timings === undefined) {
      timings = { buckets: bucketsMs.map(() => 0), count: 0, totalMs: 0 }
      this.#timings.set(labels, timings)
    }
    timings.count++
    timings.totalMs += milliseconds
    for (let index = bucketsMs.length - 1; index >= 0 && milliseconds <= (bucketsMs[index] ?? 0); index--) {
      timings.buckets[index] = (timings.buckets[index] ?? 0) + 1
    }
  }

  toText(): string {
    const lines: string[] = []
    for (const [name, { help, values }] of this.#counters) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} counter`)
      for (const [labels, value] of values)
        lines.push(`${name}${labels === '' ? '' : `{${labels}}`} ${value}`)
    }
    for (const [name, { help, read }] of this.#gauges) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${read()}`)
    }
    const name = 'edictum_http_request_duration_seconds'
    lines.push(`# HELP ${name} Time from request to answer.`, `# TYPE ${name} histogram`)
    for (const [labels, { buckets, count, totalMs }] of this.#timings) {
      buckets.forEach((value, index) => {
        lines.push(`${name}_bucket{${labels},le="${(bucketsMs[index] ?? 0) / 1_000}"} ${value}`)
      })
      lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
      lines.push(`${name}_sum{${labels}} ${totalMs / 1_000}`, `${name}_count{${labels}} ${count}`)
    }
    return `${lines.join('\n')}\n`
  }
}
