// Runs connectors/google-sheets/Code.gs in a spreadsheet that stays between executions.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Reply } from './apps-script-worker.ts'
import type { CellValue, Execution, ExecutionResult, GoogleState, SheetState } from './google-services.ts'

const CODE = path.join(import.meta.dirname, '..', 'google-sheets', 'Code.gs')

/** Options of an execution, without the code and the function. */
type ExecutionOptions = Partial<Omit<Execution, 'code' | 'handler'>>

/** A spreadsheet with the script. */
export class Spreadsheet {
  state: GoogleState
  private readonly code: string

  private constructor(code: string) {
    this.code = code
    const empty = { sheets: [], documentProperties: {}, userProperties: {}, triggers: [] }
    this.state = { ...empty, nextId: 1, nowMs: Date.now() }
  }

  /** Creates a spreadsheet with the script, and connects it to the service. */
  static async connect(url: string, key: string, code?: string): Promise<Spreadsheet> {
    const spreadsheet = new Spreadsheet(code ?? (await readFile(CODE, 'utf8')))
    const { error } = await spreadsheet.run('connect', { isInteractive: true, replies: code ? [key] : [url, key] })
    if (error !== null) throw new Error(error)
    return spreadsheet
  }

  /** Runs a function. The spreadsheet then has the state after it. */
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

  /** The message of the tab "Store export". */
  message(): string {
    return String(this.sheet('Store export').rows[0]?.[0])
  }
}

const EXECUTIONS_MAX = 100

function runInWorker(execution: Execution, state: GoogleState): Promise<ExecutionResult> {
  const { port1, port2 } = new MessageChannel()
  const responses = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./apps-script-worker.ts', import.meta.url), {
    workerData: { execution, state, port: port2, responses },
    transferList: [port2],
  })
  return new Promise((resolve, reject) => {
    worker.on('error', reject)
    port1.on(
      'message',
      async (message: { url: string; headers: Record<string, string> } | { result: ExecutionResult }) => {
        if ('result' in message) {
          port1.close()
          return resolve(message.result)
        }
        port1.postMessage(await replyTo(message.url, message.headers))
        Atomics.add(responses, 0, 1)
        Atomics.notify(responses, 0)
      },
    )
  })
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
