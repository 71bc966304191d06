// Bundles as they are uploaded, put into force and fetched.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { loadBundleString } from 'edictum'
import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalJson } from '../src/store/canonical-json.js'
import { contractBundle, ruleset } from './bundle-texts.js'
import { describeOnBothStores } from './dialects.js'
import type { Reply } from './test-console.js'

function isSigned(bytes: Uint8Array, { signature, public_key }: { signature: string; public_key: string }) {
  const x = Buffer.from(public_key, 'hex').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, bytes, key, Buffer.from(signature, 'base64'))
}

/** Nine levels of nine: a few hundred characters that stand for hundreds of millions of values. */
function aliasBomb(): string {
  const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const lines = levels.map((name, index) => {
    const item = index === 0 ? '1' : `*${levels[index - 1]}`
    return `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(', ')}]`
  })
  return lines.join('\n')
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describeOnBothStores('bundles', (consoleOf) => {
  let publisher: string
  beforeAll(async () => {
    publisher = (await consoleOf().makeKey({ env: 'production', scopes: ['publish'] })).key
  })

  const upload = (text: string): Promise<Reply> =>
    consoleOf().ask('/api/v1/bundles', { key: publisher, body: { yaml_content: text } })
  const deploy = (name: string, version: number, body: object = { env: 'production' }, headers = {}) =>
    consoleOf().ask(`/api/v1/bundles/${name}/${version}/deploy`, { key: publisher, body, headers })

  describe('are uploaded', () => {
    it('as version 1, 2, … and the same content again is the version it was', async () => {
      const first = await upload(contractBundle({ name: 'numbered', note: 'one' }))
      expect(first).toMatchObject({ status: 201, body: { name: 'numbered', version: 1, contract_count: 2 } })
      expect(await upload(contractBundle({ name: 'numbered', note: 'two' }))).toMatchObject({
        status: 201,
        body: { version: 2 },
      })
      expect(await upload(contractBundle({ name: 'numbered', note: 'one' }))).toMatchObject({
        status: 200,
        body: { version: 1, id: first.body.id },
      })
      const cookie = await consoleOf().logIn()
      const { body } = await consoleOf().ask('/api/v1/bundles/numbered', { cookie })
      expect(body.map(({ version }: { version: number }) => version)).toEqual([2, 1])
    })

    it('twenty times at once as twenty versions', async () => {
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => upload(contractBundle({ name: 'busy', note: `n${index}` }))),
      )
      const versions = replies.map(({ body }) => body.version).toSorted((a, b) => a - b)
      expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    })

    it('in the words of the second generation, by PUT and POST', async () => {
      const { ask } = consoleOf()
      const body = { yaml: ruleset('later') }
      expect(await ask('/v1/rulesets/later', { method: 'PUT', key: publisher, body })).toMatchObject({
        status: 201,
        body: { name: 'later', version: 1, kind: 'Ruleset', served_as: ['ContractBundle', 'Ruleset'] },
      })
      expect(await ask('/v1/rulesets', { key: publisher, body })).toMatchObject({ status: 200 })
      expect(await ask('/v1/rulesets/other', { method: 'PUT', key: publisher, body })).toMatchObject({
        status: 422,
        body: { code: 'invalid-bundle' },
      })
    })

    it('and refused with everything that is wrong, and where', async () => {
      const broken = contractBundle({ name: 'broken' })
        .replace('contains:', 'containz:')
        .replace('effect: approve', 'effect: aprove')
      const reply = await upload(broken)
      expect(reply).toMatchObject({ status: 422, body: { code: 'invalid-bundle' } })
      expect(reply.body.diagnostics).toMatchObject([
        { code: 'unknown-operator', line: 9, column: expect.any(Number), hint: expect.any(String) },
        { code: 'invalid-effect', line: 15 },
      ])
      const cookie = await consoleOf().logIn()
      expect((await consoleOf().ask('/api/v1/bundles/broken', { cookie })).status).toBe(404)
    })

    it.each([
      ['no YAML', 'a: [', 'yaml-syntax'],
      ['no mapping', '- a', 'bundle-not-mapping'],
      ['no contracts', 'apiVersion: edictum/v1\nkind: ContractBundle', 'missing-field'],
      ['a name that cannot be in an address', contractBundle({ name: '"a/b"' }), 'invalid-value'],
      ['a byte order mark', `\uFEFF${contractBundle({ name: 'bom' })}`, 'bundle-not-utf8'],
      ['half a character', contractBundle({ name: 'half', note: '\uD800' }), 'bundle-not-utf8'],
      [
        'more bytes than clients take',
        `${contractBundle({ name: 'big' })}#${'x'.repeat(524_288)}`,
        'bundle-too-large',
      ],
      ['an alias bomb', aliasBomb(), 'yaml-alias-limit'],
    ])('not with %s', async (_, text, code) => {
      const reply = await upload(text)
      expect(reply).toMatchObject({ status: 422, body: { code: 'invalid-bundle' } })
      expect(reply.body.diagnostics[0].code).toBe(code)
    })

    it.each([
      ['no body', undefined, 400],
      ['a list', [], 422],
      ['a number as text', { yaml_content: 7 }, 422],
      ['an empty text', { yaml_content: '' }, 422],
    ])('not with %s', async (_, body, status) => {
      const reply = await consoleOf().ask('/api/v1/bundles', { method: 'POST', key: publisher, body })
      expect([status, 422]).toContain(reply.status)
      expect(reply.body.code).toMatch(/invalid/)
    })

    it('not by the key of an agent, a viewer or an approver', async () => {
      const { ask, logInAs } = consoleOf()
      const body = { yaml_content: contractBundle({ name: 'forbidden' }) }
      expect(await ask('/api/v1/bundles', { body })).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      })
      for (const role of ['viewer', 'approver'])
        expect((await ask('/api/v1/bundles', { cookie: await logInAs(role), body })).status).toBe(403)
      expect((await ask('/api/v1/bundles', { cookie: await logInAs('publisher'), body })).status).toBe(201)
    })
  })

  it('are shown side by side', async () => {
    await upload(contractBundle({ name: 'sides', note: 'one' }))
    await upload(contractBundle({ name: 'sides', note: 'two' }).replace('id: ask-first', 'id: ask-later'))
    const reply = await consoleOf().ask('/api/v1/bundles/sides/diff?from=1&to=2', { key: publisher })
    expect(reply.body).toMatchObject({
      from: { version: 1, yaml: contractBundle({ name: 'sides', note: 'one' }) },
      to: { version: 2 },
      contracts_added: ['ask-later'],
      contracts_removed: ['ask-first'],
    })
  })

  describe('are deployed', () => {
    it('once: the same version again changes nothing unless it is forced', async () => {
      await upload(contractBundle({ name: 'once' }))
      const first = await deploy('once', 1)
      expect(first).toMatchObject({
        status: 201,
        body: { env: 'production', bundle_name: 'once', bundle_version: 1, sequence: 1 },
      })
      expect(await deploy('once', 1)).toMatchObject({ status: 200, body: { id: first.body.id } })
      expect(await deploy('once', 1, { env: 'production', force: true })).toMatchObject({
        status: 201,
        body: { sequence: 2 },
      })
    })

    it('once for one idempotency key, also when the request arrives twice', async () => {
      await upload(contractBundle({ name: 'retried' }))
      const headers = { 'Idempotency-Key': 'deploy-retried' }
      const forced = { env: 'production', force: true }
      const [one, two] = await Promise.all([
        deploy('retried', 1, forced, headers),
        deploy('retried', 1, forced, headers),
      ])
      expect(one.body.id).toBe(two.body.id)
      expect(await deploy('retried', 1, { env: 'staging' }, headers)).toMatchObject({ status: 403 })
    })

    it('one after the other, with a growing sequence, however many come at once', async () => {
      await upload(contractBundle({ name: 'race', note: 'one' }))
      await upload(contractBundle({ name: 'race', note: 'two' }))
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          deploy('race', (index % 2) + 1, { env: 'production', force: true }),
        ),
      )
      const sequences = replies.map(({ body }) => body.sequence).toSorted((a, b) => a - b)
      expect(sequences).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    })

    it('to environments with names of their own, but not with a key of another one', async () => {
      await upload(contractBundle({ name: 'elsewhere' }))
      expect(await deploy('elsewhere', 1, { env: 'eu-west.blue' })).toMatchObject({
        status: 403,
        body: { code: 'wrong-environment' },
      })
      const cookie = await consoleOf().logIn()
      const path = '/api/v1/bundles/elsewhere/1/deploy'
      expect((await consoleOf().ask(path, { cookie, body: { env: 'eu-west.blue' } })).status).toBe(201)
      expect((await consoleOf().ask(path, { cookie, body: { env: 'no/slash' } })).status).toBe(422)
    })

    it('and taken back', async () => {
      await upload(contractBundle({ name: 'back', note: 'one' }))
      await upload(contractBundle({ name: 'back', note: 'two' }))
      const rollback = () =>
        consoleOf().ask('/api/v1/bundles/back/rollback', { key: publisher, body: { env: 'production' } })
      await deploy('back', 1)
      expect(await rollback()).toMatchObject({ status: 409 })
      await deploy('back', 2)
      expect(await rollback()).toMatchObject({ status: 201, body: { bundle_version: 1, sequence: 3 } })
      const { body } = await consoleOf().ask('/api/v1/deployments?bundle_name=back', { key: publisher })
      expect(body.map((row: { bundle_version: number }) => row.bundle_version)).toEqual([1, 2, 1])
    })

    it.each([
      ['a version that is not there', 'once', '99', { env: 'production' }, 404],
      ['no version', 'once', 'x', { env: 'production' }, 404],
      ['a version below one', 'once', '-1', { env: 'production' }, 404],
      ['a bundle that is not there', 'nothing', '1', { env: 'production' }, 404],
      ['a path trick', '..%2f..%2fetc', '1', { env: 'production' }, 404],
      ['no environment', 'once', '1', {}, 422],
      ['a number as environment', 'once', '1', { env: 7 }, 422],
    ])('not with %s', async (_, name, version, body, status) => {
      const path = `/api/v1/bundles/${name}/${version}/deploy`
      const reply = await consoleOf().ask(path, { key: publisher, body })
      expect(reply.status).toBe(status)
      expect(reply.body).toMatchObject({ detail: expect.any(String), code: expect.any(String) })
    })
  })

  describe('are fetched', () => {
    const text = contractBundle({ name: 'fetched', note: 'ü 🙂' })
    beforeAll(async () => {
      await upload(text)
      await deploy('fetched', 1)
    })

    it('from /v1/rulesets/x/current without env: that of the key, yaml and yaml_bytes byte-equal, signed', async () => {
      const { status, body } = await consoleOf().ask('/v1/rulesets/fetched/current')
      expect(status).toBe(200)
      const bytes = Buffer.from(body.yaml_bytes, 'base64')
      expect(Buffer.from(body.yaml)).toEqual(bytes)
      expect(body.revision_hash).toBe(sha256(body.yaml))
      expect(body.signature).toMatch(/^[A-Za-z0-9+/]{86}==$/)
      expect(body.public_key).toMatch(/^[0-9a-f]{64}$/)
      expect(isSigned(bytes, body)).toBe(true)
      expect(isSigned(Buffer.concat([bytes, Buffer.from(' ')]), body)).toBe(false)
    })

    it('in the words of the generation that asks, with the same meaning', async () => {
      const { ask } = consoleOf()
      const early = (await ask('/api/v1/bundles/fetched/current?env=production')).body
      const later = (await ask('/v1/rulesets/fetched/current?env=production')).body
      expect(early.yaml).toBe(text)
      expect(later.yaml).toContain('kind: Ruleset')
      expect(later.yaml).toContain('# a comment that stays')
      expect(loadBundleString(later.yaml).bundle).toEqual(loadBundleString(text).bundle)
      expect(isSigned(Buffer.from(early.yaml_bytes, 'base64'), early)).toBe(true)
      expect(Buffer.from(early.signature_hex, 'hex').toString('base64')).toBe(early.signature)
    })

    it('by our own client with a manifest that names what was signed', async () => {
      const { body } = await consoleOf().ask('/api/edictum/v1/bundles/fetched/current')
      expect(body.manifest).toEqual({
        name: 'fetched',
        version: 1,
        env: 'production',
        sequence: 1,
        revision_hash: sha256(text),
        signed_at: expect.any(String),
        keys: [expect.stringMatching(/^[0-9a-f]{64}$/)],
      })
      expect(Buffer.from(body.yaml_bytes, 'base64').toString()).toBe(text)
      expect(isSigned(Buffer.from(canonicalJson(body.manifest)), body.signatures[0])).toBe(true)
      const forged = { ...body.manifest, env: 'staging' }
      expect(isSigned(Buffer.from(canonicalJson(forged)), body.signatures[0])).toBe(false)
    })

    it('with a sequence that grows also when an older version comes back', async () => {
      const manifest = async () =>
        (await consoleOf().ask('/api/edictum/v1/bundles/sequence/current')).body.manifest
      await upload(contractBundle({ name: 'sequence', note: 'one' }))
      await upload(contractBundle({ name: 'sequence', note: 'two' }))
      await deploy('sequence', 1)
      await deploy('sequence', 2)
      expect(await manifest()).toMatchObject({ version: 2, sequence: 2 })
      await deploy('sequence', 1)
      expect(await manifest()).toMatchObject({ version: 1, sequence: 3 })
    })

    it.each([
      ['/api/v1/bundles/fetched/current', 422, 'invalid-request'],
      ['/api/v1/bundles/fetched/current?env=staging', 403, 'wrong-environment'],
      ['/v1/rulesets/fetched/current?env=staging', 403, 'wrong-environment'],
      ['/api/v1/bundles/missing/current?env=production', 404, 'not-found'],
      ['/v1/rulesets/missing/current', 404, 'not-found'],
      ['/api/edictum/v1/bundles/missing/current', 404, 'not-found'],
      ['/api/v1/bundles/numbered/2/yaml', 404, 'not-found'],
    ])('GET %s by the key of an agent: %i %s', async (path, status, code) => {
      expect(await consoleOf().ask(path)).toMatchObject({ status, body: { code } })
    })

    it('as the very bytes that were uploaded', async () => {
      const reply = await consoleOf().ask('/api/v1/bundles/fetched/1/yaml')
      expect(reply.headers.get('Content-Type')).toContain('application/x-yaml')
      expect(reply.body).toBe(text)
    })

    it('and listed for an agent only as far as they are deployed in its environment', async () => {
      const { ask, makeKey } = consoleOf()
      const { key } = await makeKey({ env: 'empty' })
      expect((await ask('/api/v1/bundles', { key })).body).toEqual([])
      const names = (await ask('/api/v1/bundles')).body.map(({ name }: { name: string }) => name)
      expect(names).toContain('fetched')
      expect(names).not.toContain('numbered')
      expect((await ask('/v1/rulesets')).body.rulesets).toHaveLength(names.length)
    })
  })

  it('are signed by the new key and the one before it after a rotation, and by one alone when the overlap is over', async () => {
    const { ask, logIn } = consoleOf()
    const cookie = await logIn()
    const fetched = async () => (await ask('/v1/rulesets/fetched/current')).body
    const before = await fetched()
    const rotated = await ask('/api/v1/settings/rotate-signing-key', { method: 'POST', cookie })
    expect(rotated).toMatchObject({ status: 201, body: { public_key: expect.any(String) } })
    await expect.poll(async () => (await fetched()).public_key).toBe(rotated.body.public_key)
    const during = await fetched()
    expect(during.signatures.map(({ public_key }: { public_key: string }) => public_key)).toEqual([
      rotated.body.public_key,
      before.public_key,
    ])
    for (const signature of during.signatures)
      expect(isSigned(Buffer.from(during.yaml_bytes, 'base64'), signature)).toBe(true)
    await ask('/api/v1/settings/rotate-signing-key?overlap_days=0', { method: 'POST', cookie })
    await expect.poll(async () => (await fetched()).signatures.length).toBe(1)
    expect((await ask('/api/v1/signing-keys')).body.keys).toMatchObject([{ status: 'active' }])
  })

  it('have a private key nobody reads in the database', async () => {
    const { database } = consoleOf().running.services.store
    const rows = await database.all<{ private_key: string }>('SELECT private_key FROM signing_keys')
    expect(rows.length).toBeGreaterThan(0)
    for (const { private_key } of rows) {
      expect(private_key).not.toContain('PRIVATE')
      expect(Buffer.from(private_key, 'base64url').toString('latin1')).not.toContain('PRIVATE')
    }
  })

  it('leave a trace in the operator log and no error in the log', async () => {
    const { database } = consoleOf().running.services.store
    const rows = await database.all<{ action: string }>('SELECT DISTINCT action FROM operator_log')
    expect(rows.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['bundle.upload', 'bundle.deploy', 'signing-key.rotate']),
    )
    expect(consoleOf().errors).toEqual([])
  })
})
