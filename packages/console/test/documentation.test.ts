// The programs and commands in the documentation that need a console (```ts console), run with a real one.
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestConsole, type TestConsole } from './test-console.js'

interface Block {
  readonly language: string
  readonly words: readonly string[]
  readonly text: string
}

interface Page {
  readonly page: { readonly blocks: readonly Block[] }
}

interface Documentation {
  readonly readDocuments: () => Promise<readonly Page[]>
  readonly placeOf: (document: Page, block: Block) => string
  readonly tryBlock: (
    document: Page,
    block: Block,
    reader: { readonly environment: Record<string, string> },
  ) => Promise<string>
}

const scripts = new URL('../../../scripts/documentation.mjs', import.meta.url).href
const { readDocuments, placeOf, tryBlock } = (await import(scripts)) as Documentation

// The commands are for curl, which not every machine has; the programs need nothing but Node.
const hasCurl = spawnSync('curl', ['--version']).status === 0

const documents = await readDocuments()
const blocks = documents.flatMap((document) =>
  document.page.blocks
    .filter(({ language, words }) => words.includes('console') && (hasCurl || language !== 'sh'))
    .map((block) => ({ place: placeOf(document, block), document, block })),
)

describe('the documentation of the console', { timeout: 180_000 }, () => {
  let console_: TestConsole
  let environment: Record<string, string>

  beforeAll(async () => {
    console_ = await startTestConsole()
    const publisher = await console_.makeKey({ env: 'production', scopes: ['publish'] })
    environment = {
      CONSOLE: console_.url,
      COOKIE: await console_.logIn(),
      KEY: publisher.key,
      EDICTUM_URL: console_.url,
      EDICTUM_API_KEY: console_.key,
      EDICTUM_APPROVER_KEY: (await console_.makeKey({ env: 'production', scopes: ['approve', 'read'] })).key,
    }
  })

  afterAll(() => console_.stop())

  it.each(blocks)('does what it says in $place', async ({ document, block }) => {
    const bundle = document.page.blocks.find(({ words }) => words.includes('file=contracts.yaml'))
    if (bundle !== undefined) await deploy(bundle.text)
    expect(await tryBlock(document, block, { environment })).toBe('')
  })

  async function deploy(text: string): Promise<void> {
    const key = environment['KEY'] ?? ''
    const { body } = await console_.ask('/api/v1/bundles', { key, body: { yaml_content: text } })
    const path = `/api/v1/bundles/${body.name}/${body.version}/deploy`
    const { status } = await console_.ask(path, { key, body: { env: 'production' } })
    expect([200, 201]).toContain(status)
  }
})
