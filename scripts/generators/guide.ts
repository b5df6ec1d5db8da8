// Tests the first section of docs/api/generate-a-client.md by running its commands: the first block generates a client,
// and the second one reads the orders.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { GeneratorTest } from './generator-test.ts'
import { CLIENT_VERSION } from './python.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const PAGE = path.join(ROOT, 'docs', 'api', 'generate-a-client.md')
const HEADING = '## First rows in five minutes'
const BLOCK = /```sh\n(?<commands>[\s\S]*?)```/g

/** The test of the page. It installs the pinned version of the generator. */
export const GUIDE_TEST: GeneratorTest = {
  name: 'guide',
  version: `openapi-python-client ${CLIENT_VERSION}`,
  needs: ['bash', 'curl', 'python3'],
  build: async (workspace) => {
    const [generate, read] = commandsOfPage()
    if (generate === undefined || read === undefined) throw new Error(`${PAGE}: no two blocks under "${HEADING}"`)
    // curl reads the document from the folder of the test. HOME is this folder, so `~/store-client` is in it, too.
    workspace.document('openapi.json')
    const constraints = path.join(workspace.folder, 'constraints.txt')
    writeFileSync(constraints, `openapi-python-client==${CLIENT_VERSION}\n`)
    const env = { HOME: workspace.folder, PIP_CONSTRAINT: constraints }
    await workspace.run({
      ...bash(generate),
      env: { ...env, BASE_URL: pathToFileURL(workspace.folder).href },
    })
    return { ...bash(`. ~/store-client/bin/activate\n${read}`), env }
  },
}

/** Returns the commands of each block, without the lines that set the address and the key, which the test sets. */
function commandsOfPage(): string[] {
  const section = readFileSync(PAGE, 'utf8').split(HEADING)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(BLOCK)].map(({ groups }) => (groups?.commands ?? '').replace(/^(export|read) .*$/gm, ''))
}

function bash(commands: string): { program: string; args: string[] } {
  return { program: 'bash', args: ['-euc', `cd '${ROOT}'\n${commands}`] }
}
