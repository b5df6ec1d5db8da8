import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from './endpoints.ts'
import type { LiveExample } from './markdown.ts'
import { postmanCollection } from './postman-collection.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the collection as a tool without types does
type Node = any

const ID = '0199a7c4-3b52-7d10-a6e8-51c0f2b79d34'
const examples = Object.fromEntries(
  ENDPOINTS.map(({ id, path }): [string, LiveExample] => [
    id,
    { path: path.replace('{id}', ID), status: 200, body: {} },
  ]),
)
const collection: Node = postmanCollection(examples)
const requests: Node[] = collection.item.flatMap((group: Node) => group.item ?? []).map((item: Node) => item.request)

describe('postmanCollection', () => {
  it('the Postman collection has one request for each endpoint, and the :id variable of a request has the ID of its example', () => {
    const paths = requests.map(({ url }) => `/${url.path.join('/')}`)
    expect(paths.toSorted()).toEqual(ENDPOINTS.map(({ path }) => path.replace('{id}', ':id')).toSorted())
    for (const { url } of requests) {
      if (url.path.includes(':id')) expect(url.variable).toEqual([{ key: 'id', value: ID }])
    }
  })

  it('the Postman collection has every parameter of an endpoint, and each parameter is off by default', () => {
    for (const { path, parameters } of ENDPOINTS) {
      const request = requests.find(({ url }) => `/${url.path.join('/')}` === path.replace('{id}', ':id'))
      expect(request.url.query.map(({ key }: Node) => key)).toEqual(parameters)
      expect(request.url.query.every(({ disabled }: Node) => disabled)).toBe(true)
    }
  })

  it('the API key in the Postman collection is the variable apiKey, and the collection contains no key itself', () => {
    expect(collection.auth.apikey).toContainEqual({ key: 'value', value: '{{apiKey}}', type: 'string' })
    expect(JSON.stringify(collection)).not.toContain('sdx_')
  })
})
