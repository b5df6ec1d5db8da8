// Runs Schemathesis with all checks against the demo. It sends generated requests, valid and invalid, and compares the
// responses with the OpenAPI document.

import path from 'node:path'
import { startDemoService } from './demo-service.ts'
import { missingPrograms } from './missing-programs.ts'
import { virtualEnvironment } from './python.ts'
import type { Row } from './run-clients.ts'
import { type TestFolders, Workspace } from './workspace.ts'

const VERSION = '4.32.5'
/** Rate limit of the demo's keys. Schemathesis sends more than a thousand requests in a minute. */
const REQUESTS_PER_MINUTE = 1_000_000

/** Name and version of the tool in the table. */
export const SCHEMATHESIS = { name: 'schemathesis', version: VERSION } as const

/**
 * Runs Schemathesis with `examples` requests for each operation, and returns the row of the table. The row says
 * `failed` if a check or the installation fails. Rejects if the demo doesn't start.
 */
export async function runSchemathesis(folders: TestFolders, examples: number): Promise<Row> {
  const [missing] = missingPrograms(['python3'])
  if (missing !== undefined) {
    return {
      ...SCHEMATHESIS,
      result: 'not run',
      seconds: 0,
      note: `needs ${missing}, which this machine does not have`,
    }
  }
  console.log(`${SCHEMATHESIS.name} ${VERSION}`)
  const startedAt = performance.now()
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1000)
  // Schemathesis reads the document from the demo, so the workspace needs none.
  const workspace = new Workspace(SCHEMATHESIS.name, folders, {
    'openapi.json': '',
    'openapi-3.0.json': '',
    'swagger-2.0.json': '',
  })
  const demo = await startDemoService(folders.work, REQUESTS_PER_MINUTE)
  try {
    const bin = await virtualEnvironment(workspace, [`schemathesis==${VERSION}`, 'httpx==0.28.1'])
    const env = {
      BASE_URL: demo.url,
      STORE_EXPORT_KEY: demo.key,
      // The module test/generators/schemathesis/hooks.py, which is copied to the folder of the test.
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: workspace.folder,
    }
    const header = `x-api-key: ${demo.key}`
    const options = ['--checks', 'all', '--max-examples', String(examples), '--seed', '1', '--no-color']
    const args = ['run', `${demo.url}/openapi.json`, '-H', header, ...options]
    const output = await workspace.run({ program: path.join(bin, 'st'), args, env })
    const cases = /\d+ generated, \d+ passed/.exec(output)?.[0] ?? ''
    return { ...SCHEMATHESIS, result: 'passed', seconds: seconds(), note: `all checks, ${cases}` }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    console.error(`\n${SCHEMATHESIS.name}: ${message}\nLog: ${workspace.log}\n`)
    return { ...SCHEMATHESIS, result: 'failed', seconds: seconds(), note: message.split('\n')[0] ?? '' }
  } finally {
    await demo.stop()
  }
}
