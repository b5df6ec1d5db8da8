import { createHash } from 'node:crypto'
import { ENDPOINTS, ERRORS, type ErrorDeclaration, openapi30, swagger20 } from '@store-export/contract'
import { describe, expect, it } from 'vitest'
import { guideHtml } from './guide-html.ts'
import { GUIDES } from './guides.ts'
import type { ReferenceRoute } from './reference-route.ts'
import { referenceRoutes } from './reference-routes.ts'

const routes = new Map(referenceRoutes({ tryIt: false }).map((route) => [route.path, route]))

function textOf(path: string, from: ReadonlyMap<string, ReferenceRoute> = routes): string {
  const body = from.get(path)?.body
  if (typeof body !== 'string') throw new Error(`${path} has no text`)
  return body
}

describe('documents that the service publishes', () => {
  it('[R2] the published paths are the landing page, API reference, OpenAPI documents, llms.txt, error pages, guides, and files for crawlers', () => {
    expect([...routes.keys()]).toEqual([
      ...['/', '/openapi.json', '/openapi-3.0.json', '/swagger-2.0.json'],
      ...['/docs', '/docs/start.js', '/docs/reference.js', '/llms.txt', '/errors'],
      ...Object.keys(ERRORS).map((code) => `/errors/${code}`),
      '/guides',
      ...GUIDES.flatMap(({ name }) => [`/guides/${name}`, `/guides/${name}.md`]),
      ...['/robots.txt', '/.well-known/api-catalog', '/.well-known/security.txt'],
    ])
  })

  it('the landing page, /docs, and /errors link to /guides, and /guides and llms.txt link to every guide', () => {
    for (const path of ['/', '/docs', '/errors']) expect(textOf(path)).toContain('href="/guides"')
    for (const { name } of GUIDES) {
      expect(textOf('/guides')).toContain(`href="/guides/${name}"`)
      expect(textOf('/llms.txt')).toContain(`/guides/${name}.md)`)
    }
  })

  it('[GEN-5] each published document has no CORS headers, and its headers forbid framing and content sniffing', () => {
    for (const { headers } of routes.values()) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    }
  })

  it('no HTML page except guides contains an absolute URL, and no Content-Security-Policy allows another host', () => {
    for (const { path, contentType, headers } of routes.values()) {
      expect(headers['content-security-policy']).not.toMatch(/https?:|\*/)
      if (contentType.startsWith('text/html') && !path.startsWith('/guides/'))
        expect(textOf(path)).not.toMatch(/https?:\/\//)
    }
  })

  it("the Content-Security-Policy of /errors contains the SHA-256 hash of the page's inline style", () => {
    const style = /<style>([\s\S]*)<\/style>/.exec(textOf('/errors'))?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(routes.get('/errors')?.headers['content-security-policy']).toContain(`'sha256-${hash}'`)
  })

  it('[ERR-1] the page of each error code says when the error occurs, and lists common mistakes', () => {
    for (const [code, { condition, mistakes }] of Object.entries(ERRORS)) {
      const page = textOf(`/errors/${code}`)
      expect(page).toContain(`<h1>${code}</h1>`)
      expect(page).toContain(condition)
      for (const mistake of mistakes) expect(page).toContain(mistake)
    }
  })

  it('[R3] the status 405 is listed on /errors and on /errors/NOT_FOUND', () => {
    expect(textOf('/errors')).toContain('<tr><td>405</td><td><a href="/errors/NOT_FOUND">NOT_FOUND</a></td>')
    expect(textOf('/errors/NOT_FOUND')).toContain('<p>With status 405: The method is not GET or HEAD.</p>')
  })

  it('[ERR-1] if an error code is added to the contract, the service publishes a page for the code, with HTML characters escaped', () => {
    const strange: ErrorDeclaration = {
      status: 418,
      returnedBy: 'every',
      condition: '<b>"&',
      retry: 'No.',
      fix: 'Rest.',
      mistakes: ['None.'],
    }
    const added = referenceRoutes({ tryIt: false, errors: { ...ERRORS, TEAPOT: strange } })
    const page = textOf('/errors/TEAPOT', new Map(added.map((route) => [route.path, route])))
    expect(page).toContain('&#60;b&#62;&#34;&#38;')
    expect(page).not.toContain('<b>"')
  })

  it('if a base URL is set, llms.txt and the OpenAPI document have it, and llms.txt lists every endpoint and error code', () => {
    const from = new Map(
      referenceRoutes({ tryIt: false, baseUrl: 'https://export.example' }).map((route) => [route.path, route]),
    )
    const words = textOf('/llms.txt', from)
    for (const { path } of ENDPOINTS) expect(words).toContain(`- GET ${path}: `)
    for (const code of Object.keys(ERRORS)) expect(words).toContain(`[${code}](https://export.example/errors/${code})`)
    expect(words).toContain('Base URL: https://export.example')
    expect(JSON.parse(textOf('/openapi.json', from))).toMatchObject({ servers: [{ url: 'https://export.example' }] })
  })
})

describe('the server address in the OpenAPI document', () => {
  const serversOf = (options: Parameters<typeof referenceRoutes>[0], origin: string | null): unknown => {
    const route = referenceRoutes(options).find(({ path }) => path === '/openapi.json')
    const { body } = route?.at?.(origin) ?? route ?? {}
    return JSON.parse(String(body)).servers
  }
  const listensAt = 'http://127.0.0.1:8080'

  it("the OpenAPI server is the public URL if it is set and test requests are off, and otherwise the request's host or the listen address", () => {
    const publicly = { tryIt: false, baseUrl: 'https://export.example', listensAt }
    expect(serversOf(publicly, 'http://evil.example')).toMatchObject([{ url: 'https://export.example' }])
    expect(serversOf({ tryIt: false, listensAt }, 'http://10.0.0.7:8080')).toMatchObject([
      { url: 'http://10.0.0.7:8080' },
    ])
    expect(serversOf({ tryIt: false, listensAt }, null)).toMatchObject([{ url: listensAt }])
    const trying = { tryIt: true, baseUrl: 'https://export.example', listensAt }
    expect(serversOf(trying, 'http://localhost:8080')).toMatchObject([{ url: 'http://localhost:8080' }])
  })

  it('the OpenAPI 3.0 and Swagger 2.0 documents name the same server address as the OpenAPI 3.1 document', () => {
    const publicly = referenceRoutes({ tryIt: false, baseUrl: 'https://export.example' })
    const byOrigin = referenceRoutes({ tryIt: false, listensAt })
    for (const [from, url] of [
      [publicly, 'https://export.example'],
      [byOrigin, 'http://10.0.0.7:8080'],
    ] as const) {
      const documentAt = (path: string): unknown => {
        const route = from.find((each) => each.path === path)
        return JSON.parse(String((route?.at?.(url) ?? route)?.body))
      }
      expect(documentAt('/openapi-3.0.json')).toEqual(JSON.parse(JSON.stringify(openapi30({ baseUrl: url }))))
      expect(documentAt('/swagger-2.0.json')).toEqual(JSON.parse(JSON.stringify(swagger20({ baseUrl: url }))))
    }
  })

  it('if the OpenAPI document is requested under nine host names, the service caches only the documents of the last eight', () => {
    const [route] = referenceRoutes({ tryIt: false }).filter(({ path }) => path === '/openapi.json')
    const first = route?.at?.('http://a.example')
    expect(route?.at?.('http://a.example')).toBe(first)
    for (let n = 0; n < 8; n++) route?.at?.(`http://${n}.example`)
    expect(route?.at?.('http://a.example')).not.toBe(first)
  })
})

describe('the documents for crawlers and scanners', () => {
  const DAY_MS = 86_400_000

  it('[R45] security.txt has the security contact, its own public URL, and an expiry date 30 to 365 days after each request', () => {
    let now = Date.parse('2026-11-23T22:00:00Z')
    const options = { tryIt: false, baseUrl: 'https://export.example', now: () => now }
    const [route] = referenceRoutes({ ...options, securityContact: 'mailto:security@example.com' }).slice(-1)
    for (const days of [0, 1, 1000]) {
      now += days * DAY_MS
      const text = String(route?.at?.(null).body)
      const [contact, expires, canonical] = text.split('\n')
      expect(contact).toBe('Contact: mailto:security@example.com')
      expect(canonical).toBe('Canonical: https://export.example/.well-known/security.txt')
      expect(expires).toMatch(/^Expires: \d{4}-\d{2}-\d{2}T00:00:00\.000Z$/)
      const validDays = (Date.parse(String(expires).slice(9)) - now) / DAY_MS
      expect(validDays).toBeGreaterThan(30)
      expect(validDays).toBeLessThan(365)
    }
    expect(route?.at?.(null)).toBe(route?.at?.(null))
  })

  it("[R45] the API catalog links to the API and its documents under the public URL, or else the request's host or the listen address", () => {
    const linksAt = (options: Parameters<typeof referenceRoutes>[0], origin: string | null) => {
      const route = referenceRoutes(options).find(({ path }) => path === '/.well-known/api-catalog')
      return JSON.parse(String((route?.at?.(origin) ?? route)?.body)).linkset
    }
    const expected = (base: string) => [
      { anchor: `${base}/.well-known/api-catalog`, item: [{ href: `${base}/api/v1` }] },
      {
        anchor: `${base}/api/v1`,
        'service-desc': [{ href: `${base}/openapi.json`, type: 'application/json' }],
        'service-doc': [
          { href: `${base}/docs`, type: 'text/html' },
          { href: `${base}/llms.txt`, type: 'text/plain' },
        ],
      },
    ]
    const publicly = { tryIt: false, baseUrl: 'https://export.example', listensAt: 'http://127.0.0.1:8080' }
    expect(linksAt(publicly, 'http://evil.example')).toEqual(expected('https://export.example'))
    const { baseUrl, ...privately } = publicly
    expect(linksAt(privately, 'http://10.0.0.7:8080')).toEqual(expected('http://10.0.0.7:8080'))
    expect(linksAt(privately, null)).toEqual(expected('http://127.0.0.1:8080'))
  })
})

describe('the docs page', () => {
  it('if test requests are off (tryIt: false), the docs page hides the button that sends test requests', () => {
    const trying = new Map(referenceRoutes({ tryIt: true }).map((route) => [route.path, route]))
    expect(textOf('/docs/start.js')).toContain('"hideTestRequestButton": true')
    expect(textOf('/docs/start.js', trying)).toContain('"hideTestRequestButton": false')

    expect(textOf('/docs/start.js')).not.toContain('window.fetch')
  })

  it('the docs page is configured not to store the API key', () => {
    const trying = new Map(referenceRoutes({ tryIt: true }).map((route) => [route.path, route]))
    for (const from of [routes, trying]) expect(textOf('/docs/start.js', from)).toContain('"persistAuth": false')
  })

  it('the docs page loads scripts only from its own origin and has no inline scripts', () => {
    expect(routes.get('/docs')?.headers['content-security-policy']).toContain("script-src 'self';")
    expect(textOf('/docs')).not.toMatch(/<script(?![^>]*\ssrc="\/docs\/)/)
  })

  it('if the script of the docs page is requested again, the service returns the cached script', async () => {
    const body = routes.get('/docs/reference.js')?.body
    if (typeof body !== 'function') throw new Error('the script is not loaded on request')
    const script = await body()
    expect(script.length).toBeGreaterThan(1_000_000)
    expect(script.toString('latin1')).toContain('createApiReference')
    expect(await body()).toBe(script)
  })
})

describe('guideHtml', () => {
  it('guideHtml adds heading anchors, makes code and tables scrollable, and removes scripts and links to unpublished files', () => {
    const address = (target: string) => (target === 'sync.md#a' ? '/guides/store-sync#a' : null)
    const text = [
      '# Keep a copy: "always"',
      '[One](sync.md#a) and [two](decisions/1.md).',
      '```js\nif (a < b) {}\n```',
      '| A |\n| --- |\n| `<x>` |',
      '<script>alert(1)</script>',
    ].join('\n\n')
    const html = guideHtml(text, address)
    expect(html).toContain('<h1 id="keep-a-copy-always">')
    expect(html).toContain('<a href="/guides/store-sync#a">One</a> and two.')
    expect(html).toContain('<pre tabindex="0"><code>if (a &#60; b) {}</code></pre>')
    expect(html).toContain('<div class="wide"><table>')
    expect(html).not.toContain('<script')
  })
})
