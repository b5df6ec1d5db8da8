// Runs connectors/google-sheets/Code.gs in a spreadsheet that stays between executions.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { FromWorker, Reply } from './apps-script-worker.ts'
import type { CellValue, Execution, ExecutionResult, GoogleState, SheetState } from './google-services.ts'

const CODE = path.join(import.meta.dirname, '..', 'google-sheets', 'Code.gs')

type ExecutionOptions = Partial<Omit<Execution, 'code' | 'handler'>>

export class Spreadsheet {
  state: GoogleState
  private readonly code: string
  /** Properties and triggers of persons who do not use the spreadsheet now. */
  private readonly others = new Map<string, Pick<GoogleState, 'userProperties' | 'triggers'>>()
  private person = 'first'

  private constructor(code: string) {
    this.code = code
    const empty = { sheets: [], documentProperties: {}, userProperties: {}, triggers: [] }
    this.state = { ...empty, nextId: 1, nowMs: Date.now() }
  }

  /**
   * Creates a spreadsheet with the script, and connects it to the service. `code` replaces Code.gs and must contain the
   * address, so that the script prompts only for the key. Rejects with the error of the script.
   */
  static async connect(url: string, key: string, code?: string): Promise<Spreadsheet> {
    const spreadsheet = new Spreadsheet(code ?? (await readFile(CODE, 'utf8')))
    const { error } = await spreadsheet.run('connect', { isInteractive: true, replies: code ? [key] : [url, key] })
    if (error !== null) throw new Error(error)
    return spreadsheet
  }

  /** Runs a function, and stores the state after it. An error of the function is in the result. */
  async run(handler: string, options: ExecutionOptions = {}): Promise<ExecutionResult> {
    const defaults = { isInteractive: false, replies: [], stopAtCall: null, slowness: 1, isLocked: false }
    const result = await runInWorker({ ...defaults, ...options, code: this.code, handler }, this.state)
    this.state = result.state
    return result
  }

  /** Runs the export, and its continuations. Returns the results of all executions. */
  async export(handler: string, options: ExecutionOptions = {}): Promise<ExecutionResult[]> {
    const results = [await this.run(handler, options)]
    while (this.state.triggers.some((trigger) => trigger.handler === 'continueExport')) {
      if (results.length === EXECUTIONS_MAX) throw new Error('the export does not end')
      results.push(await this.run('continueExport', { ...options, stopAtCall: null }))
    }
    return results
  }

  /** Lets a person use the spreadsheet. The first one has the name `first`. */
  use(person: string): void {
    const { userProperties, triggers } = this.state
    this.others.set(this.person, { userProperties, triggers })
    Object.assign(this.state, this.others.get(person) ?? { userProperties: {}, triggers: [] })
    this.person = person
  }

  /** Lets virtual time pass. */
  waitMs(ms: number): void {
    this.state.nowMs += ms
  }

  /** Returns a tab. Throws if there is no such tab. */
  sheet(name: string): SheetState {
    const found = this.state.sheets.find((sheet) => sheet.name === name)
    if (found === undefined) throw new Error(`no tab ${name}`)
    return found
  }

  /** Returns the rows of a tab by the names of its columns. Throws for an empty row or an ID that occurs twice. */
  rows(name: string): Record<string, CellValue>[] {
    const [header = [], ...rows] = this.sheet(name).rows
    const named = rows.map((row) => Object.fromEntries(header.map((column, place) => [column, row?.[place] ?? ''])))
    if (named.some(({ id }) => id === '')) throw new Error(`${name} has empty rows`)
    if (new Set(named.map(({ id }) => id)).size < named.length) throw new Error(`${name} has an ID twice`)
    return named
  }

  /** Returns the message of the tab "Store export". */
  message(): string {
    return String(this.sheet('Store export').rows[0]?.[0])
  }
}

const EXECUTIONS_MAX = 100

interface SharedWorker {
  readonly worker: Worker
  readonly port: MessagePort
  readonly responses: Int32Array
}

let shared: SharedWorker | undefined
let active: Promise<unknown> = Promise.resolve()

/** Runs a function in the thread that all spreadsheets share, because a new thread takes longer than the function. */
function runInWorker(execution: Execution, state: GoogleState): Promise<ExecutionResult> {
  const result = active.then(() => runNow(execution, state))
  active = result.catch(() => undefined)
  return result
}

async function runNow(execution: Execution, state: GoogleState): Promise<ExecutionResult> {
  shared ??= startWorker()
  const { worker, port, responses } = shared
  const ended = new AbortController()
  const failure = once(worker, 'error', { signal: ended.signal }).then(([error]) => Promise.reject(error))
  worker.ref()
  port.postMessage({ execution, state })
  try {
    while (true) {
      const [message] = (await Promise.race([once(port, 'message', { signal: ended.signal }), failure])) as [FromWorker]
      if ('result' in message) return message.result
      port.postMessage(await replyTo(message.url, message.headers))
      Atomics.add(responses, 0, 1)
      Atomics.notify(responses, 0)
    }
  } finally {
    failure.catch(() => undefined)
    ended.abort()
    // An idle thread does not keep the process running.
    worker.unref()
    port.unref()
  }
}

function startWorker(): SharedWorker {
  const { port1, port2 } = new MessageChannel()
  const responses = new Int32Array(new SharedArrayBuffer(4))
  const url = new URL('./apps-script-worker.ts', import.meta.url)
  const worker = new Worker(url, { workerData: { port: port2, responses }, transferList: [port2] })
  return { worker, port: port1, responses }
}

async function replyTo(url: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
  try {
    const response = await fetch(url, { headers, redirect: 'manual' })
    const { status } = response
    return { status, headers: Object.fromEntries(response.headers), text: await response.text() }
  } catch (error) {
    return { error: `Address unavailable: ${url} (${error})` }
  }
}
