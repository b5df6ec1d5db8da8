// Runs the commands of one test of generators in a folder of its own, and writes their output to a log.

import { spawn } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '..', '..')
const PROGRAMS = path.join(ROOT, 'test', 'generators')
/** Maximum characters from the end of a failed command's output that the error message repeats. */
const SHOWN_CHARACTERS_MAX = 2_000

/** A program with its arguments. A relative path in `args` is relative to the folder of the test. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** File names of the OpenAPI documents that the live service returns, one for each version of the format. */
export type DocumentName = 'openapi.json' | 'openapi-3.0.json' | 'swagger-2.0.json'

/** The folders of a run of the tests. */
export interface TestFolders {
  /** Generated clients, logs, and the data of the demo. */
  readonly work: string
  /** Everything that the tests install. Later runs use it again. */
  readonly installed: string
}

/** Work that must not run twice at the same time, by name. */
const pending = new Map<string, Promise<unknown>>()

/** The folder of one test, and the folder with everything that the tests install. */
export class Workspace {
  /** Path of the test's folder. It contains only the program of the test at first. */
  readonly folder: string
  readonly installed: string
  /** Path of the log, which gets the output of each command at its end. */
  readonly log: string
  readonly #documents: Readonly<Record<DocumentName, string>>

  /**
   * Creates the folder `name` with the files of `test/generators/NAME`. Replaces the folder and the log of an earlier
   * run.
   */
  constructor(name: string, { work, installed }: TestFolders, documents: Readonly<Record<DocumentName, string>>) {
    this.folder = path.join(work, 'tests', name)
    this.installed = installed
    this.log = path.join(work, 'logs', `${name}.log`)
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

  /**
   * Calls `work` after all earlier work with this name, because Maven and pip must not write one folder at the same
   * time.
   */
  async exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = (pending.get(name) ?? Promise.resolve()).then(work)
    pending.set(
      name,
      result.catch(() => undefined),
    )
    return result
  }

  /**
   * Returns the folder `name` of the installed programs. Calls `install` with the empty folder, unless an earlier run
   * has installed the same packages.
   */
  async installOnce(
    name: string,
    packages: readonly string[],
    install: (folder: string) => Promise<void>,
  ): Promise<string> {
    const folder = path.join(this.installed, name)
    const marker = path.join(folder, 'packages.txt')
    const content = packages.join('\n')
    return this.exclusive(name, async () => {
      if (existsSync(marker) && readFileSync(marker, 'utf8') === content) return folder
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      await install(folder)
      writeFileSync(marker, content)
      return folder
    })
  }

  /**
   * Runs a command and returns its standard output. Rejects with the end of its output if it fails, or after
   * `timeoutMs` (15 minutes by default).
   */
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
    // A signal ended the command. `spawn` sends one at the time limit.
    const reason = code === null ? `did not end within ${timeoutMs / 1000} seconds` : `exited with ${code}`
    throw new Error(`${path.basename(program)} ${reason}\n${all.slice(-SHOWN_CHARACTERS_MAX)}`)
  }
}
