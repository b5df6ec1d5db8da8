import { expect, it } from 'vitest'
import { clientEndpoints } from './client-source.ts'
import { ENDPOINTS, ids, one, page } from './endpoints.ts'
import { location } from './resources/location.ts'

it('the generated client has one method for each endpoint of the contract', () => {
  const source = clientEndpoints()
  const methods = source.match(/^ {2}(?:get|list|addresses|ids)\(/gm) ?? []
  expect(methods).toHaveLength(ENDPOINTS.length)
  for (const { path } of ENDPOINTS) expect(source).toContain(path.replace('{id}', `\${encodeURIComponent(id)}`))
})

it('if an endpoint is added to the contract, the generated client gets a method with the filters of the endpoint', () => {
  const added = [
    ...ENDPOINTS,
    page({ id: 'listOpeningHours', path: '/opening-hours', resource: location, filters: ['updated_since'] }),
    one({ id: 'getOpeningHours', path: '/opening-hours/{id}', resource: location }),
    ids({ id: 'listOpeningHoursIds', path: '/ids/opening-hours', resource: location }),
  ]
  const source = clientEndpoints({ endpoints: added })
  expect(source).toContain('readonly openingHours: OpeningHoursEndpoints')
  expect(source).toContain('export interface ListOpeningHoursOptions extends ListOptions')
  expect(source).toContain('readonly updatedSince?: Date | string')
  expect(source).toContain('list(options: ListOpeningHoursOptions = {}): PagedList<Location>')
  expect(source).toContain('get(id: Uuid, options: CallOptions = {}): Promise<Location>')
  expect(source).toContain("return this.#caller.idList<RowId>('/api/v1/ids/opening-hours', { ...options })")
})

it('because the generated client encodes parameters itself, its comments do not mention %2B', () => {
  expect(clientEndpoints()).not.toContain('%2B')
})
