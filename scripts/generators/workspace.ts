// Runs the commands of one test of generators in a folder of its own, and writes their output to a log.

import { spawn } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..', '..')
const PROGRAMS = path.join(ROOT, 'test', 'generators')
const SHOWN_CHARACTERS_MAX = 2_000

/** A program with its arguments. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The OpenAPI documents of the live service, by version. */
export type DocumentName = 'openapi.json' | 'openapi-3.0.json' | 'swagger-2.0.json'

/** The folder of one test, and the folder with everything that the tests install. */
export class Workspace {
  /** Empty at first, except for the program of the test. */
  readonly folder: string
  readonly installed: string
  readonly log: string
  readonly #documents: Readonly<Record<DocumentName, string>>

  /** Creates the folder `name` with the files of `test/generators/NAME`. */
  constructor(name: string, root: string, documents: Readonly<Record<DocumentName, string>>) {
    this.folder = path.join(root, 'tests', name)
    this.installed = path.join(root, 'installed')
    this.log = path.join(root, 'logs', `${name}.log`)
    this.#documents = documents
    rmSync(this.folder, { recursive: true, force: true })
    for (const folder of [this.folder, this.installed, path.dirname(this.log)]) mkdirSync(folder, { recursive: true })
    const programs = path.join(PROGRAMS, name)
    if (existsSync(programs)) cpSync(programs, this.folder, { recursive: true })
    writeFileSync(this.log, '')
  }

  /** Writes a document into the folder, and returns its name. */
  document(name: DocumentName): string {
    writeFileSync(path.join(this.folder, name), this.#documents[name])
    return name
  }

  /** Runs a command and returns its standard output. Throws the end of its output if it fails. */
  async run(
    command: Command,
    { cwd = this.folder, timeoutMs = 900_000 }: { cwd?: string; timeoutMs?: number } = {},
  ): Promise<string> {
    const { program, args, env = {} } = command
    appendFileSync(this.log, `$ ${program} ${args.join(' ')}\n`)
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    })
    let [all, stdout] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      all += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      all += text
    })
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve)
    })
    appendFileSync(this.log, all)
    if (code === 0) return stdout
    const reason = code === null ? `did not end within ${timeoutMs / 1000} seconds` : `exited with ${code}`
    throw new Error(`${path.basename(program)} ${reason}\n${all.slice(-SHOWN_CHARACTERS_MAX)}`)
  }
}
