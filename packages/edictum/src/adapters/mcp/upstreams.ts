// The servers behind a gateway, under the names the agent knows their tools by.

/** A connected `Client` of the SDK. */
export interface Upstream {
  request: (...args: never[]) => unknown
  onclose?: (() => void) | undefined
  fallbackNotificationHandler?: unknown
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { readonly progress: number; readonly total?: number }) => void
}

interface ToolCallParams extends Readonly<Record<string, unknown>> {
  readonly name: string
}

interface ListedTool {
  readonly name: string
}

type Send = (request: object, schema: object, options?: object) => Promise<Readonly<Record<string, unknown>>>

/** Results are passed on as they are; the agent's own client checks them. One schema for both versions of the SDK. */
const anything = {
  safeParse: (data: unknown) => ({ success: true, data }),
  '~standard': { version: 1, vendor: 'edictum', validate: (value: unknown) => ({ value }) },
}

/** How long a call takes is between the agent and the tool: when the agent gives up, the call is cancelled. */
const patienceMs = 2_147_483_647

const separator = '__'

export class Upstreams {
  readonly #upstreams: Map<string, Upstream>
  readonly #isPrefixed: boolean

  constructor(
    upstreams: Readonly<Record<string, Upstream>>,
    { onToolsChanged, onClosed }: { onToolsChanged: () => void; onClosed: (name: string) => void },
  ) {
    this.#upstreams = new Map(Object.entries(upstreams))
    this.#isPrefixed = this.#upstreams.size > 1
    for (const [name, upstream] of this.#upstreams) {
      if (!/^[A-Za-z0-9-]+$/.test(name))
        throw new Error(`the name \`${name}\` must be of letters, digits and hyphens`)
      const { onclose } = upstream
      upstream.onclose = () => {
        onclose?.call(upstream)
        this.#upstreams.delete(name)
        onClosed(name)
      }
      upstream.fallbackNotificationHandler = async ({ method }: { readonly method: string }) => {
        if (method === 'notifications/tools/list_changed') onToolsChanged()
      }
    }
  }

  async listTools(): Promise<readonly ListedTool[]> {
    const lists = [...this.#upstreams].map(async ([name, upstream]) => {
      const tools: ListedTool[] = []
      let cursor: unknown
      do {
        const params = cursor === undefined ? {} : { cursor }
        const page = await sendTo(upstream)({ method: 'tools/list', params }, anything)
        for (const { execution: _, ...tool } of page['tools'] as readonly (ListedTool & {
          execution?: unknown
        })[])
          // Without what it says about tasks: calls as tasks are not let through.
          tools.push(this.#isPrefixed ? { ...tool, name: `${name}${separator}${tool.name}` } : tool)
        cursor = page['nextCursor']
      } while (cursor !== undefined)
      return tools
    })
    return (await Promise.all(lists)).flat()
  }

  async callTool(params: ToolCallParams, options: CallOptions): Promise<unknown> {
    const { upstream, name } = this.#find(params.name)
    const request = { method: 'tools/call', params: { ...params, name } }
    return sendTo(upstream)(request, anything, { ...options, timeout: patienceMs })
  }

  #find(offered: string): { readonly upstream: Upstream; readonly name: string } {
    const end = offered.indexOf(separator)
    const [key, name] = this.#isPrefixed
      ? [offered.slice(0, Math.max(end, 0)), offered.slice(end + separator.length)]
      : [[...this.#upstreams.keys()][0] ?? '', offered]
    const upstream = this.#upstreams.get(key)
    if (upstream === undefined) throw new Error('the server of this tool is not there')
    return { upstream, name }
  }
}

function sendTo(upstream: Upstream): Send {
  return upstream.request.bind(upstream) as Send
}
