// Checks the systemd units in deploy/systemd with systemd-analyze, and compares them with the code.

import { globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runProgram, withWorkFolder } from '../../connectors/test/python-tool.ts'
import { readConfig } from '../../packages/operator/src/config.ts'
import { shutdownTimeoutMs } from '../../packages/operator/src/start-serving.ts'
import { commandProblems } from '../../scripts/markdown-claims.ts'
import { STORE_EXPORT } from '../../scripts/programs.ts'

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'deploy', 'systemd')
/** Maximum exposure that `systemd-analyze security` may compute, in tenths. Its scale ends at 100. */
const EXPOSURE_MAX = '20'

function unit(name: string): string {
  return readFileSync(path.join(FOLDER, name), 'utf8')
}

describe.each(globSync('*.service', { cwd: FOLDER }))('deploy/systemd/%s', (name) => {
  test('systemd accepts the unit file and rates its security exposure at 2.0 or less', async () => {
    await withWorkFolder(async (folder) => {
      const file = path.join(folder, name)
      // The program must exist on this machine, but Node can be in another folder.
      await writeFile(file, unit(name).replace('=/usr/bin/node ', `=${process.execPath} `))
      await runProgram('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', file])
      await runProgram('systemd-analyze', ['security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, file])
    })
  })

  test('the systemd unit runs a known command of store-export', () => {
    const [, command = ''] = /^ExecStart=\S+ (store-export\.js .*)$/m.exec(unit(name)) ?? []
    expect(command).not.toBe('')
    expect(commandProblems([STORE_EXPORT.program], command)).toEqual([])
  })
})

test('TimeoutStopSec of the systemd unit is at least the shutdown timeout of a node', () => {
  const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit('store-export.service')) ?? []
  expect(Number(seconds) * 1000).toBeGreaterThanOrEqual(shutdownTimeoutMs(readConfig({}).config))
})
