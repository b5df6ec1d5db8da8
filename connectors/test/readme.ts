// Runs the commands of a README, so that its first steps work.

import { readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { DemoStore } from './demo-store.ts'
import { runProgram, withWorkFolder } from './python-tool.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const HEADING = '## First rows in five minutes'
const BLOCK = /```sh\n(?<commands>[\s\S]*?)```/g

/**
 * Runs the commands of the first section of a connector's README with pinned packages, and returns their output. The
 * address and the key of the store replace those of the README, and `replaced` has more replacements. Prints how long
 * the commands took. Rejects if a command fails.
 */
export async function runReadme(
  folder: string,
  { url, key }: DemoStore,
  pins: readonly string[],
  replaced: Readonly<Record<string, string>> = {},
): Promise<string> {
  const text = await readFile(path.join(folder, 'README.md'), 'utf8')
  const section = text.split(HEADING)[1]?.split('\n## ')[0] ?? ''
  const blocks = [...section.matchAll(BLOCK)].map(({ groups }) => groups?.commands ?? '')
  if (blocks.length === 0) throw new Error(`${folder}: no commands under "${HEADING}"`)
  const values = { 'https://export.example.com': url, 'sdx_…': key, ...replaced }
  const commands = Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), blocks.join('\n'))
  return withWorkFolder(async (home) => {
    for (const name of ['connectors', 'packages', 'node_modules', 'package.json'])
      await symlink(path.join(ROOT, name), path.join(home, name))
    const constraints = path.join(home, 'constraints.txt')
    await writeFile(constraints, pins.map((pin) => pin.replace(/\[.*\]/, '')).join('\n'))
    const dlt = { DLT_DATA_DIR: path.join(home, '.dlt'), RUNTIME__DLTHUB_TELEMETRY: 'false' }
    const env = { HOME: home, PIP_CONSTRAINT: constraints, ...dlt }
    const startedAt = performance.now()
    const output = await runProgram('bash', ['-euc', commands], { cwd: home, env })
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.error(`the first steps in ${path.basename(folder)}/README.md took ${seconds} s, with the installation`)
    return output
  })
}
