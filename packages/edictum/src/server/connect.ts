// Everything an agent has on the console, opened and closed together.
import { join } from 'node:path'
import type { RedactionPolicy } from '../policy/redaction/redaction-policy.js'
import type { ReportProblem } from './problem.js'
import { ServerApprovalBackend } from './server-approval-backend.js'
import { ServerAuditSink, type ServerAuditSinkOptions } from './server-audit-sink.js'
import { ServerBackend, type ServerBackendOptions } from './server-backend.js'
import { EdictumServerClient, type ServerClientOptions } from './server-client.js'
import { ServerContractSource, type ServerContractSourceOptions } from './server-contract-source.js'
import { defaultStateFolder } from './state-folder.js'

export interface ServerConnectionOptions
  extends
    Omit<ServerClientOptions, 'baseUrl'>,
    Omit<ServerContractSourceOptions, 'cacheFolder' | 'onProblem'>,
    Pick<ServerBackendOptions, 'whenAway'> {
  /** Of the console. */
  readonly url: string
  /**
   * Where the audit spool and the last good bundle are kept; created for its owner alone.
   * @default a folder of the server, the environment and the agent in `~/.edictum/agents`
   */
  readonly stateFolder?: string
  readonly audit?: Omit<ServerAuditSinkOptions, 'spoolFolder' | 'onProblem'>
  /** Told of what goes wrong where nobody waits for an answer. @default a warning of the process */
  readonly onProblem?: ReportProblem
}

export interface ServerConnection {
  readonly client: EdictumServerClient
  readonly backend: ServerBackend
  readonly approvalBackend: ServerApprovalBackend
  readonly auditSink: ServerAuditSink
  readonly contractSource: ServerContractSource
  /** Everything but the audit sink, which closes last: with those who write to it. */
  readonly close: () => Promise<void>
}

/** @throws EdictumConfigError when an option cannot be used. Asks the server nothing yet. */
export function connectToServer(
  options: ServerConnectionOptions,
  redaction: RedactionPolicy | undefined,
): ServerConnection {
  const { url, stateFolder, audit, whenAway, onProblem, ...rest } = options
  const reporting = onProblem === undefined ? {} : { onProblem }
  const client = new EdictumServerClient({ ...rest, baseUrl: url })
  const folder = stateFolder ?? defaultStateFolder(client)
  const contractSource = new ServerContractSource(client, {
    ...rest,
    ...reporting,
    cacheFolder: join(folder, 'bundles'),
  })
  const backend = new ServerBackend(client, {
    ...reporting,
    ...(whenAway === undefined ? {} : { whenAway }),
  })
  return {
    client,
    backend,
    contractSource,
    approvalBackend: new ServerApprovalBackend(client, {
      ...reporting,
      ...(redaction === undefined ? {} : { redaction }),
    }),
    auditSink: new ServerAuditSink(client, { ...audit, ...reporting, spoolFolder: join(folder, 'spool') }),
    close: async () => {
      await contractSource.close()
      await backend.close()
    },
  }
}
