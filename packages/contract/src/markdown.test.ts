import { describe, expect, it } from 'vitest'
import { CONTRACT, resourcesOf } from './contract.ts'
import { ERRORS } from './errors.ts'
import { errorPage, errorTable, fieldTable, headerTable, limitTable, referencePage } from './markdown.ts'
import { order } from './resources/order.ts'

describe('Markdown of the API reference', () => {
  it('the generated reference page lists every endpoint, field, error code, and schema version', () => {
    const reference = referencePage()
    for (const { path } of CONTRACT.endpoints) expect(reference).toContain(`### GET ${path}\n`)
    for (const each of resourcesOf(CONTRACT)) expect(reference).toContain(fieldTable(each))
    for (const code of Object.keys(ERRORS)) expect(reference).toContain(`[${code}](../errors/${code}.md)`)
    for (const { id, date } of CONTRACT.revisions) expect(reference).toContain(`| ${id} | ${date} |`)
    expect(reference).toContain(headerTable())
  })

  it('the reference page shows a response and a curl command only for an endpoint with an example response', () => {
    const example = { path: '/api/v1/store', status: 200, body: { data: { name: 'Linden & Loom' } } }
    const reference = referencePage(CONTRACT, { getStore: example })
    expect(reference).toContain('"$BASE_URL/api/v1/store"')
    expect(reference).toContain('"name": "Linden & Loom"')
    expect(referencePage()).not.toContain('curl')
  })

  it('if an error code has several statuses, the error table and the page of the code list each status', () => {
    expect(errorTable()).toContain('| 404 | [NOT_FOUND](../errors/NOT_FOUND.md) |')
    expect(errorTable()).toContain(
      '| 405 | [NOT_FOUND](../errors/NOT_FOUND.md) | The method is not GET or HEAD. | No. |',
    )
    expect(errorPage('NOT_FOUND', ERRORS.NOT_FOUND)).toContain('With status 405: The method is not GET or HEAD.')
  })

  it('the error table lists the statuses in ascending order', () => {
    const statuses = [...errorTable().matchAll(/^\| (\d+) /gm)].map(([, status]) => Number(status))
    expect(statuses.length).toBeGreaterThan(8)
    expect(statuses).toEqual([...statuses].sort((a, b) => a - b))
  })

  it('if only one status of an error code can be retried, the page of the code names this status', () => {
    expect(errorPage('INVALID_PARAM', ERRORS.INVALID_PARAM)).toContain('**Retry?** No. With status 408: yes.')
  })

  it('the reference page lists the possible statuses of orders and products', () => {
    expect(fieldTable(order)).toContain('`return_requested`')
    expect(referencePage()).toContain('`/api/v1/products`: `draft`, `active`, `archived`')
  })

  it('the table of limits shows the values of the rate limit, page size, rows per minute, and keys per store', () => {
    for (const value of ['120 per key', '1 to 250; 50', '30,000', '| 5, including keys that are turned off |'])
      expect(limitTable()).toContain(value)
  })
})
