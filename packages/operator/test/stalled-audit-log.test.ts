import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { logEvents } from '../../control/src/audit.ts'
import type { AuditRecorded } from '../../control/src/control-event.ts'
import { createControlDatabase } from '../../control/test/support/control-database.ts'
import { LineOutput } from '../src/line-output.ts'

/** Returns an output to a pipe, and `drain`, which reads and returns the written text. Nothing else reads the pipe. */
function stalledOutput() {
  const pipe = path.join(mkdtempSync(path.join(tmpdir(), 'audit-')), 'log')
  execFileSync('mkfifo', [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const fd = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
  onTestFinished(() => [reader, fd].forEach(closeSync))
  const output = new LineOutput({ fd, bytesMax: 200_000, lossLine: (lines) => `lost ${lines}\n` })
  const bytes = Buffer.alloc(65_536)
  const drain = () => {
    try {
      return bytes.toString('utf8', 0, readSync(reader, bytes, 0, bytes.length, null))
    } catch {
      return ''
    }
  }
  return { output, drain }
}

test("if the log can't be written for a while, each audit event is logged once afterwards", async () => {
  const control = await createControlDatabase()
  onTestFinished(() => control.drop())
  const { database } = control
  const { output, drain } = stalledOutput()
  for (let line = 0; line < 1000; line++) output.write(`${'x'.repeat(400)}\n`)
  const store = await control.store()
  const record = (event: AuditRecorded) => output.writeNow(`${JSON.stringify(event)}\n`)
  expect(await logEvents({ database, record })).toBe(0)
  let text = ''
  await expect.poll(() => (text += drain()), { timeout: 5000 }).toContain('lost ')
  await expect.poll(() => logEvents({ database, record }), { timeout: 5000 }).toBe(1)
  text += drain()
  expect(text.match(/\{.*"audit.recorded".*\}/g)).toEqual([expect.stringContaining(store.id)])
  expect(await logEvents({ database, record })).toBe(0)
})
