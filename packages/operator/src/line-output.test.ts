import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LineOutput } from './line-output.ts'

const LINE = `${'x'.repeat(99)}\n`
const lossLine = (lines: number) => `lost ${lines}\n`

function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'line-output-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A pipe that only the test reads. Its writing end blocks, as in a shell. */
function makePipe() {
  const file = path.join(makeFolder(), 'pipe')
  expect(spawnSync('mkfifo', [file]).status).toBe(0)
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  const fd = openSync(file, constants.O_WRONLY)
  onTestFinished(() => {
    closeSync(reader)
    closeSync(fd)
  })
  const buffer = Buffer.alloc(65_536)
  const readAll = (): string => {
    let text = ''
    try {
      for (let size = 1; size > 0; text += buffer.toString('latin1', 0, size)) size = readSync(reader, buffer)
    } catch {
      // EAGAIN means that the pipe is empty.
    }
    return text
  }
  return { fd, readAll }
}

test('if the reader of the log pauses, LineOutput drops the lines that exceed its buffer, and one line reports their number', async () => {
  const { fd, readAll } = makePipe()
  const output = new LineOutput({ fd, bytesMax: 50_000, lossLine })
  for (let line = 0; line < 2000; line++) output.write(LINE)
  const dropped = output.takeDropped()
  expect(dropped).toBeGreaterThan(500)
  expect(output.takeDropped()).toBe(0)
  let text = ''
  await expect
    .poll(() => {
      text += readAll()
      return text
    })
    .toMatch(/lost \d+\n$/)
  const lines = text.split('\n').slice(0, -1)
  expect(lines.at(-1)).toBe(`lost ${dropped}`)
  expect(lines.slice(0, -1)).toHaveLength(2000 - dropped)
  expect(new Set(lines.slice(0, -1))).toEqual(new Set([LINE.trim()]))
  output.write('next\n')
  expect(readAll()).toBe('next\n')
})

test('if the disk of the log is full, LineOutput buffers the lines and writes them when there is space again', async () => {
  const folder = makeFolder()
  // Only root can mount a file system.
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0) return
  onTestFinished(() => void spawnSync('umount', [folder]))
  const filler = path.join(folder, 'filler')
  writeFileSync(filler, Buffer.alloc(40_960))
  const file = path.join(folder, 'log')
  const fd = openSync(file, 'a')
  const output = new LineOutput({ fd, lossLine })
  for (let line = 0; line < 400; line++) output.write(LINE)
  expect(readFileSync(file).length).toBeLessThan(400 * LINE.length)
  rmSync(filler)
  await expect.poll(() => readFileSync(file, 'latin1')).toBe(LINE.repeat(400))
  expect(output.takeDropped()).toBe(0)
  closeSync(fd)
})

test('if the reader of the log has exited, LineOutput throws no error and drops the lines that exceed its buffer', () => {
  const file = path.join(makeFolder(), 'pipe')
  spawnSync('mkfifo', [file])
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  const fd = openSync(file, constants.O_WRONLY)
  const output = new LineOutput({ fd, bytesMax: 1000, lossLine })
  closeSync(reader)
  for (let line = 0; line < 30; line++) output.write(LINE)
  expect(output.takeDropped()).toBe(20)
  closeSync(fd)
})
