import { execFile } from 'node:child_process'
import { createHash, randomBytes, sign } from 'node:crypto'
import { renameSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import type { Socket } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeApiKey, revokeKey } from '@store-export/control'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { addMerchant, PlainBrowser, urlOf } from '../../../test/support/merchant.ts'
import { startPlatform, type TestPlatform, type TestStore } from '../../../test/support/platform.ts'
import { createKeysFile, type KeysFile, keysText, newScanner, type TestScanner } from '../../../test/support/scanner.ts'
import type { RunningService } from '../../operator/src/service.ts'
import { connectTo, type RawResponse, sendRequest } from './support/http.ts'
import { startNode } from './support/start-node.ts'

const PATH = '/leak-reports'
const PLACE_URL = 'https://github.com/octocat/shop/blob/1234560/.env'
const BODY_BYTES_MAX = 4 * 1024 * 1024

let scanner: TestScanner
let file: KeysFile
let platform: TestPlatform
let node: RunningService
let store: TestStore
beforeAll(async () => {
  scanner = newScanner()
  file = await createKeysFile(scanner)
  const settings = { LEAK_REPORT_KEYS_FILE: file.path }
  platform = await startPlatform(settings, { dashboard: true })
  const hasty = { ...settings, REQUEST_TIMEOUT_MS: '1000' }
  ;[node, store] = await Promise.all([startNode(platform, hasty), platform.provision()])
})
afterAll(async () => {
  await node.close()
  await platform.close()
  await file.remove()
})

const tokenOf = (token: string) => ({ token, type: 'store_export_key', url: PLACE_URL, source: 'content' })
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
const feedback = (token: string, label: string) => ({
  token_hash: hashOf(token),
  token_type: 'store_export_key',
  label,
})

/** Sends a body, with the signature of `by` unless `headers` replace it. */
function send(body: string | Buffer, { by = scanner, headers = {} as Record<string, string | string[]> } = {}) {
  return sendRequest(platform.service.url, {
    method: 'POST',
    path: PATH,
    headers: { ...by.headersFor(body), ...headers },
    body,
  })
}

const report = (tokens: readonly unknown[]) => send(JSON.stringify(tokens))
const statusOf = async (key: string, url = platform.service.url) =>
  (await sendRequest(url, { path: '/api/v1/store', headers: { 'x-api-key': key } })).status

/** Creates `count` keys of a new store, because a store can have at most five keys. */
async function newKeys(count: number): Promise<{ id: string; key: string }[]> {
  const { id, key, keyId } = await platform.provision()
  const more = Array.from({ length: count - 1 }, () => platform.newKey(id))
  return [{ id: keyId, key }, ...(await Promise.all(more))]
}

const revocationsOf = (keyId: string) => platform.controlSql`
  select actor, details from audit_events where key_id = ${keyId} and action = 'key.revoked'`

describe('[AUTH-5, R47] a report of leaked keys', () => {
  test('if a scanner reports active keys, the next request with each of these keys gets 401 on every node', async () => {
    const keys = await newKeys(3)
    for (const { key } of keys) expect([await statusOf(key), await statusOf(key, node.url)]).toEqual([200, 200])
    const response = await report(keys.map(({ key }) => tokenOf(key)))
    for (const { key } of keys) expect([await statusOf(key, node.url), await statusOf(key)]).toEqual([401, 401])
    expect(response.status).toBe(200)
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(response.json).toEqual(keys.map(({ key }) => feedback(key, 'true_positive')))
    for (const { key } of keys) expect(response.text).not.toContain(key.slice(0, 20))
    expect(platform.events).toContainEqual({
      event: 'leak_report.accepted',
      requestId: response.headers['x-request-id'],
      ...{ tokens: 3, knownKeys: 3, revokedKeys: 3 },
    })
    expect(await statusOf(store.key)).toBe(200)
  })

  test('if a leak report revokes a key, Settings > Activity names the leak report and the URL where the key was found', async () => {
    const shop = await platform.provision()
    const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, shop.id))
    await report([{ ...tokenOf(shop.key), source: 'pull_request_comment' }])
    const [first = ''] = (await visitor.get(`/stores/${shop.id}/settings/activity`)).text.split('<tbody').slice(1)
    const [row = ''] = first.split('</tr>')
    expect(row).toContain(`<a href="${PLACE_URL}" rel="noopener noreferrer">${PLACE_URL}</a> (pull request comment)`)
    expect(row.replace(/<[^>]*>/g, '')).toMatch(/Revoked the key test, because it was found in public:.*A leak report/s)
    expect(await revocationsOf(shop.keyId)).toEqual([
      { actor: 'leak report', details: { reason: 'leaked', url: PLACE_URL, source: 'pull_request_comment' } },
    ])
  })

  test('if the URL or source in a leak report has HTML, a script, or a key, Settings > Activity shows no script and no key', async () => {
    const shop = await platform.provision()
    const visitor = await new PlainBrowser(urlOf(platform)).signIn(await addMerchant(platform, shop.id))
    const others = [await platform.newKey(shop.id), await platform.newKey(shop.id)]
    const { key: hidden } = await platform.newKey(shop.id)
    await report([
      { ...tokenOf(shop.key), url: `https://example.com/?k=${shop.key}\n"><script>`, source: '<b>\u202e' },
      { ...tokenOf(others[0]?.key ?? ''), url: 'javascript:alert(1)', source: 7 },
      { ...tokenOf(others[1]?.key ?? ''), url: null, source: 'x'.repeat(5000) },
      // Without the zero-width space, the rest of the text is a key.
      { ...tokenOf(hidden), url: `https://example.com/?q=${hidden.slice(0, 4)}\u200b${hidden.slice(4)}` },
    ])
    const { text } = await visitor.get(`/stores/${shop.id}/settings/activity`)
    expect(text).toContain('https://example.com/?k=sdx_…&quot;&gt;&lt;script&gt;')
    for (const wrong of ['<script>', '<b>', 'javascript:', 'x'.repeat(101), shop.key.slice(12), hidden.slice(12)])
      expect(text).not.toContain(wrong)
    const audited = JSON.stringify(await platform.controlSql`select details from audit_events`)
    for (const key of [shop.key, hidden]) expect(audited).not.toContain(key.slice(12))
  })

  test('the bash commands of leaked-keys.md report a key, and the next request with this key gets 401', async () => {
    const page = await readFile(path.resolve(import.meta.dirname, '../../../docs/operate/leaked-keys.md'), 'utf8')
    const commands = [...page.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('')
    const [pattern = ''] = /^acme_\[.*$/m.exec(page) ?? []
    const [key] = await newKeys(1)
    onTestFinished(() => file.write(keysText(scanner)))
    const env = { ...process.env, KEY: key?.key ?? '', BASE_URL: platform.service.url }
    const { stdout } = await promisify(execFile)('bash', ['-euc', commands], { cwd: path.dirname(file.path), env })
    expect(JSON.parse(stdout)).toEqual([
      { token_hash: hashOf(key?.key ?? ''), token_type: 'acme_store_key', label: 'true_positive' },
    ])
    expect(await statusOf(key?.key ?? '')).toBe(401)
    for (let round = 0; round < 50; round += 1)
      expect(makeApiKey(randomBytes, 'acme_').reveal()).toMatch(new RegExp(`^${pattern}$`))
  })

  test('if a leak report is sent twice at once and again later, the service revokes the reported key only once', async () => {
    const [key] = await newKeys(1)
    const tokens = [tokenOf(key?.key ?? ''), tokenOf(key?.key ?? '')]
    const responses = [...(await Promise.all([report(tokens), report(tokens)])), await report(tokens)]
    for (const { json } of responses) expect(json).toEqual(tokens.map(({ token }) => feedback(token, 'true_positive')))
    expect(await revocationsOf(key?.id ?? '')).toHaveLength(1)
  })

  test('if a key in a leak report is already revoked or expired, the response labels it true_positive, and no audit event is added', async () => {
    const [revoked, expired] = await newKeys(2)
    await revokeKey({ database: platform.service.control, keyId: revoked?.id ?? '' })
    await platform.controlSql`update api_keys set expires_at = now() - interval '1 s' where id = ${expired?.id ?? ''}`
    const tokens = [revoked, expired].map((key) => key?.key ?? '')
    expect((await report(tokens.map(tokenOf))).json).toEqual(tokens.map((key) => feedback(key, 'true_positive')))
    expect(await revocationsOf(revoked?.id ?? '')).toEqual([{ actor: 'store-export control', details: {} }])
    expect(await revocationsOf(expired?.id ?? '')).toEqual([])
  })

  test('if a token in a leak report is not a key of this installation, the response labels it false_positive', async () => {
    const foreign = [makeApiKey(randomBytes).reveal(), makeApiKey(randomBytes, 'other_').reveal()]
    const broken = [
      store.key.slice(0, -1),
      `${store.key}x`,
      ` ${store.key}`,
      store.key.toUpperCase(),
      '',
      'sdx_',
      '\ud800',
    ]
    const tokens = [...foreign, ...broken]
    expect((await report(tokens.map(tokenOf))).json).toEqual(tokens.map((token) => feedback(token, 'false_positive')))
    expect(await statusOf(store.key)).toBe(200)
    expect((await report([])).json).toEqual([])
  })

  test('if a leak report has 10,000 tokens and one of them is a key, the service revokes this key', async () => {
    const [key] = await newKeys(1)
    const foreign = Array.from({ length: 9999 }, () => tokenOf(makeApiKey(randomBytes).reveal()))
    const { status, json } = await report([...foreign, tokenOf(key?.key ?? '')])
    expect([status, json.length, json.at(-1)]).toEqual([200, 10_000, feedback(key?.key ?? '', 'true_positive')])
    expect(json.filter(({ label }: { label: string }) => label === 'true_positive')).toHaveLength(1)
    expect(await statusOf(key?.key ?? '')).toBe(401)
  })

  test('if the tokens of a leak report are random strings, the response labels each token false_positive', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 })
    const token = fc.record({ token: text, type: text, url: text, source: text })
    await fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 20 }), async (tokens) => {
        const { status, json } = await report(tokens)
        expect([status, json.map(({ label }: { label: string }) => label)]).toEqual([
          200,
          tokens.map(() => 'false_positive'),
        ])
      }),
      { numRuns: 60 },
    )
  })

  test('if the control database fails, a leak report gets 502, and repeating the report later revokes the key', async () => {
    const [key] = await newKeys(1)
    await platform.controlSql`alter table audit_events rename to audit_events_away`
    const failed = await report([tokenOf(key?.key ?? '')])
    await platform.controlSql`alter table audit_events_away rename to audit_events`
    expect([failed.status, failed.json.error.code]).toEqual([502, 'STORE_DB_ERROR'])
    expect(platform.events.findLast(({ event }) => event === 'control.query_failed')).toBeDefined()
    expect(await statusOf(key?.key ?? '')).toBe(200)
    expect((await report([tokenOf(key?.key ?? '')])).status).toBe(200)
    expect(await statusOf(key?.key ?? '')).toBe(401)
  })
})

describe('[R47] the signature of a report', () => {
  const rejected = (response: RawResponse) => [response.status, response.json.error.message]
  const REJECTED = [403, 'the report has no valid signature of a configured public key']

  test('if a leak report has no valid signature, the service returns the same 403 for keys and other tokens, and revokes nothing', async () => {
    const other = newScanner()
    const p521 = newScanner({ curve: 'secp521r1' })
    const name = 'github-public-key-signature'
    for (const token of [store.key, makeApiKey(randomBytes).reveal(), 'x']) {
      const body = JSON.stringify([tokenOf(token)])
      const { [name]: valid = '', 'github-public-key-identifier': id = '' } = scanner.headersFor(body)
      const raw = sign('sha256', Buffer.from(body), { key: scanner.privateKey, dsaEncoding: 'ieee-p1363' })
      for (const headers of [
        { [name]: other.headersFor(body)[name] ?? '' },
        { [name]: p521.headersFor(body)[name] ?? '' },
        { [name]: scanner.headersFor(`${body}\n`)[name] ?? '' },
        { [name]: raw.toString('base64') },
        { [name]: `${valid.slice(0, 20)}AAAA${valid.slice(24)}` },
        { [name]: 'not base64!' },
        { [name]: '' },
        { [name]: [valid, valid] },
        { 'github-public-key-identifier': other.entry.key_identifier },
        { 'github-public-key-identifier': '' },
        { 'github-public-key-identifier': '__proto__' },
        { 'github-public-key-identifier': [id, id] },
      ])
        expect(rejected(await send(body, { headers }))).toEqual(REJECTED)
      const unsigned = await sendRequest(platform.service.url, { method: 'POST', path: PATH, body })
      expect(rejected(unsigned)).toEqual(REJECTED)
      expect(rejected(await send(body, { by: other }))).toEqual(REJECTED)
    }
    expect(await statusOf(store.key)).toBe(200)
    const reasons = platform.events.filter(({ event }) => event === 'leak_report.rejected')
    expect(new Set(reasons.map((event) => 'reason' in event && event.reason))).toEqual(
      new Set(['unknown_key', 'wrong_signature']),
    )
  })

  test('if an empty or malformed leak report is signed with an unknown key, the response is the same 403 as for an unsigned leak report', async () => {
    for (const body of ['', '{', '[]', 'x'.repeat(100_000)])
      expect(rejected(await send(body, { by: newScanner() }))).toEqual(REJECTED)
  })

  test('if the file of leak-report keys changes, the service checks the signature of the next leak report with the new keys', async () => {
    const next = newScanner({ isCurrent: false })
    const body = '[]'
    onTestFinished(() => file.write(keysText(scanner)))
    file.write(keysText(next, scanner))
    expect((await send(body, { by: next })).status).toBe(200)
    file.write(keysText(next))
    expect([(await send(body)).status, (await send(body, { by: next })).status]).toEqual([403, 200])
  })

  test('if the file of leak-report keys becomes invalid or missing, reports signed with an earlier key are still accepted, and a warning gives the reason', async () => {
    const warnings = () => platform.events.flatMap((event) => (event.event === 'warning.raised' ? [event.message] : []))
    onTestFinished(() => file.write(keysText(scanner)))
    expect((await send('[]')).status).toBe(200)
    for (const [text, message] of [
      ['{"public_keys": [', 'must be a JSON file'],
      ['null', 'must be a file with at least one ECDSA P-256 key'],
      [keysText(newScanner({ curve: 'secp384r1' })), 'must be a file with at least one ECDSA P-256 key'],
    ] as const) {
      const before = warnings().length
      file.write(text)
      expect([(await send('[]')).status, (await send('[]')).status]).toEqual([200, 200])
      expect(warnings().slice(before)).toEqual([expect.stringContaining(message)])
    }
    renameSync(file.path, `${file.path}.away`)
    const before = warnings().length
    expect([(await send('[]')).status, (await send('[]')).status]).toEqual([200, 200])
    expect(warnings().slice(before)).toEqual([expect.stringContaining('cannot read')])
  })
})

describe('[R47] the request of a report', () => {
  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])(
    'if the method of a leak report is %s, the response is 405',
    async (method) => {
      const { status, headers } = await sendRequest(platform.service.url, { method, path: PATH })
      expect([status, headers.allow]).toEqual([405, 'POST'])
    },
  )

  test('if the operator sets no file of leak-report keys, /leak-reports returns 404 with and without an API key', async () => {
    const plain = await startNode(platform)
    onTestFinished(() => plain.close())
    for (const method of ['GET', 'POST'])
      for (const headers of [{}, { 'x-api-key': store.key }]) {
        const body = method === 'POST' ? '[]' : ''
        const sent = { method, path: PATH, headers: { ...scanner.headersFor(body), ...headers }, body }
        const { status, json } = await sendRequest(plain.url, sent)
        expect([status, json.error.code]).toEqual([404, 'NOT_FOUND'])
      }
    const other = await sendRequest(platform.service.url, { method: 'POST', path: `${PATH}/`, body: '[]' })
    expect(other.status).toBe(401)
  })

  test.each([
    ['not JSON', 'leak'],
    ['empty', ''],
    ['truncated JSON', '[{"token":'],
    ['an object', '{"token":"x"}'],
    ['null', 'null'],
    ['an array of strings', '["x"]'],
    ['an array with null', '[null]'],
    ['an array with an object without a token', '[{"type":"x"}]'],
    ['an array with a token that is a number', '[{"token":1,"type":"x"}]'],
    ['an array with an inherited token', '[{"__proto__":{"token":"x","type":"x"},"type":"x"}]'],
    ['a deeply nested array', '['.repeat(500_000)],
    ['not UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])],
    ['an array of 10,001 tokens', JSON.stringify(Array.from({ length: 10_001 }, () => tokenOf('x')))],
  ])(
    'if the signed body of a leak report is %s, the response is 400, and the error says that a JSON array is required',
    async (_, body) => {
      const { status, json } = await send(body)
      expect([status, json.error.code]).toEqual([400, 'INVALID_PARAM'])
      expect(json.error.message).toMatch(/^body: must be a JSON array/)
    },
  )

  test('if one object of a leak report is invalid, the service revokes no key of the report', async () => {
    expect((await report([tokenOf(store.key), { token: 1 }])).status).toBe(400)
    expect(await statusOf(store.key)).toBe(200)
  })

  test('if the body of a leak report exceeds 4 MiB, the response is 413, whether or not the request declares the length', async () => {
    const body = Buffer.alloc(BODY_BYTES_MAX + 1, ' ')
    expect((await send(body)).status).toBe(413)
    expect((await send(body, { headers: { 'transfer-encoding': 'chunked' } })).status).toBe(413)
    expect((await send(body.subarray(1))).status).toBe(400)
  })

  test('if the body of a leak report does not arrive before REQUEST_TIMEOUT_MS, the response is 408', async () => {
    const socket = await sendPart(1, 10, node.url)
    expect(await receivedBy(socket)).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('if nine leak reports of 4 MiB arrive at once, one gets 429 because of the 32 MiB limit, and the others are checked', async () => {
    const responses: string[] = []
    // Eight of these bodies have less than 32 MiB together.
    const sockets = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const socket = await sendPart(BODY_BYTES_MAX - 1, BODY_BYTES_MAX)
        return socket.once('data', (response) => responses.push(String(response)))
      }),
    )
    await expect.poll(() => responses, { timeout: 10_000 }).toEqual([expect.stringMatching(/^HTTP\/1\.1 429 /)])
    for (const socket of sockets) socket.write(' ')
    const others = Array.from({ length: 8 }, () => expect.stringMatching(/^HTTP\/1\.1 403 /))
    await expect.poll(() => responses.slice(1), { timeout: 10_000 }).toEqual(others)
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await send('[]')).status).toBe(200)
  })

  test('if the client of a leak report waits for 100 Continue, the service sends 100 Continue before the final 200', async () => {
    const body = JSON.stringify([tokenOf('x')])
    const { hostname, port } = new URL(platform.service.url)
    const headers = { ...scanner.headersFor(body), expect: '100-continue', 'content-length': body.length }
    const status = await new Promise((resolve, reject) => {
      const request = http.request({ hostname, port, path: PATH, method: 'POST', headers })
      request.on('continue', () => request.end(body))
      request.on('response', (response) => resolve(response.resume().statusCode))
      request.on('error', reject)
      request.flushHeaders()
    })
    expect(status).toBe(200)
  })

  test('if the body of a leak report ends early, the response is 400; if the client resets the connection, request.completed has status 499', async () => {
    platform.events.length = 0
    const half = await sendPart(10, 100)
    half.end()
    expect(await receivedBy(half)).toMatch(/^HTTP\/1\.1 400 /)
    const reset = await sendPart(10, 100)
    reset.resetAndDestroy()
    await expect
      .poll(() => platform.events)
      .toContainEqual(expect.objectContaining({ event: 'request.completed', endpoint: PATH, status: 499 }))
  })
})

function receivedBy(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (part) => {
      text += part
    })
    socket.on('close', () => resolve(text))
  })
}

/** Sends the headers of a report with `length` bytes, and `bytes` of its body. Resolves when they are written. */
async function sendPart(bytes: number, length: number, url = platform.service.url): Promise<Socket> {
  const headers = Object.entries(scanner.headersFor('')).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connectTo(url)
  socket.on('error', () => undefined)
  const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\n${headers.join('')}content-length: ${length}\r\n\r\n`
  await new Promise<void>((resolve) => socket.write(head + ' '.repeat(bytes), () => resolve()))
  return socket
}
