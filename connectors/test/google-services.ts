// Implements the part of Google Apps Script that connectors/google-sheets uses, with Google's limits. It is strict: an
// unknown call throws, and so does text that a real spreadsheet would read as a number, a date, or a formula. Time is
// virtual.

import vm from 'node:vm'

/** The value of a cell; '' if it is empty. */
export type CellValue = string | number | boolean

/** A tab. Its cells are values without the apostrophe of text. */
export interface SheetState {
  readonly id: number
  name: string
  rows: CellValue[][]
  maxRows: number
  maxColumns: number
  /** Number formats by row and column. */
  formats: string[][]
  /** Whether a person has protected the tab, so that the script cannot change it. */
  isProtected?: boolean
}

/** What Google stores between executions. */
export interface GoogleState {
  sheets: SheetState[]
  documentProperties: Record<string, string>
  /** Properties of the spreadsheet's current user. */
  userProperties: Record<string, string>
  /** Triggers of the spreadsheet's current user. */
  triggers: { readonly id: number; readonly handler: string; readonly kind: 'once' | 'hourly'; readonly at: number }[]
  nextId: number
  nowMs: number
}

export interface Execution {
  readonly code: string
  readonly handler: string
  /** Whether a person started it in the menu. Other executions have no user interface. */
  readonly isInteractive: boolean
  /** Replies to the prompts of the user interface. */
  readonly replies: readonly string[]
  /** Number of the call at which Google stops the execution; null for none. */
  readonly stopAtCall: number | null
  /** Factor of the time that calls take. */
  readonly slowness: number
  /** Whether another execution has the lock. */
  readonly isLocked: boolean
}

export interface ExecutionResult {
  readonly state: GoogleState
  /** Message of the error that the function threw; null if it returned. */
  readonly error: string | null
  readonly isStopped: boolean
  readonly calls: number
  /** Numbers of the calls that came next after Google stored something. */
  readonly callsAfterChange: readonly number[]
  readonly durationMs: number
  readonly sleptMs: readonly number[]
  readonly alerts: readonly string[]
}

export interface FetchedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Requests a URL without redirects, and returns when the response is complete. Throws if there is none. */
export type FetchNow = (url: string, headers: Readonly<Record<string, string>>) => FetchedResponse

const EXECUTION_MS_MAX = 6 * 60_000
const PROPERTY_BYTES_MAX = 9 * 1024
const PROPERTIES_BYTES_MAX = 500 * 1024
const CELLS_MAX = 10_000_000
const CELL_CHARACTERS_MAX = 50_000
const TRIGGERS_MAX = 20
const NEW_SHEET = { rows: 1000, columns: 26 }
/** Virtual durations of Google's calls in ms. */
const COSTS = { call: 5, fetch: 300, property: 20, trigger: 300, flush: 200, cellsPerMs: 200 }

export function execute(execution: Execution, before: GoogleState, fetchNow: FetchNow): ExecutionResult {
  const google = new Google(execution, before, fetchNow)
  const context = vm.createContext({ ...google.services(), console: {}, now: () => google.state.nowMs })
  vm.runInContext(CLOCK, context)
  let error: string | null = null
  try {
    vm.runInContext(`${execution.code}\n;${execution.handler}()`, context)
    if (!google.isStopped) google.flush()
  } catch (cause) {
    error = cause instanceof Error || hasMessage(cause) ? cause.message : String(cause)
    if (!google.isStopped) google.flush()
  }
  return google.result(error)
}

/** Lets the script see the virtual time. */
const CLOCK = `globalThis.Date = class extends Date {
  constructor(...given) { if (given.length === 0) super(now()); else super(...given) }
  static now() { return now() }
}`

/** Whether a thrown value has a message. An error of the script is no `Error` of this realm. */
function hasMessage(cause: unknown): cause is { readonly message: string } {
  return typeof cause === 'object' && cause !== null && 'message' in cause
}

class Google {
  readonly state: GoogleState
  isStopped = false
  private readonly execution: Execution
  private readonly fetchNow: FetchNow
  private readonly startedAt: number
  /** Tabs before their changes that were not flushed. */
  private readonly written = new Map<SheetState, SheetState>()
  private calls = 0
  private hasStored = false
  private readonly callsAfterChange: number[] = []
  private replies: string[]
  private readonly sleptMs: number[] = []
  private readonly alerts: string[] = []

  constructor(execution: Execution, before: GoogleState, fetchNow: FetchNow) {
    this.execution = execution
    this.fetchNow = fetchNow
    this.state = structuredClone(before)
    this.startedAt = before.nowMs
    this.replies = [...execution.replies]
  }

  result(error: string | null): ExecutionResult {
    const { isStopped, calls, callsAfterChange, sleptMs, alerts } = this
    // Changes of cells that were not flushed are lost if Google stops an execution.
    const state = { ...this.state, sheets: this.state.sheets.map((sheet) => this.written.get(sheet) ?? sheet) }
    const durationMs = state.nowMs - this.startedAt
    const counts = { calls, callsAfterChange, durationMs, sleptMs, alerts }
    return { state, error: isStopped ? null : error, isStopped, ...counts }
  }

  flush(): void {
    this.hasStored = true
    this.written.clear()
  }

  /** Remembers a tab as Google has stored it. Called before each change of the tab. Throws if the tab is protected. */
  private willChange(sheet: SheetState): void {
    if (sheet.isProtected) throw new Error('You are trying to edit a protected cell or object.')
    if (!this.written.has(sheet)) this.written.set(sheet, structuredClone(sheet))
  }

  services() {
    return {
      SpreadsheetApp: this.strict('SpreadsheetApp', {
        getActiveSpreadsheet: () => this.spreadsheet(),
        getUi: () => this.ui(),
        flush: () => {
          this.pass(COSTS.flush)
          this.flush()
        },
      }),
      PropertiesService: this.strict('PropertiesService', {
        getDocumentProperties: () => this.properties(this.state.documentProperties),
        getUserProperties: () => this.properties(this.state.userProperties),
      }),
      LockService: this.strict('LockService', {
        getDocumentLock: () =>
          this.strict('Lock', { tryLock: () => !this.execution.isLocked, releaseLock: () => undefined }),
      }),
      UrlFetchApp: this.strict('UrlFetchApp', {
        fetch: (url: string, options: FetchOptions) => this.fetch(url, options),
      }),
      Utilities: this.strict('Utilities', {
        sleep: (ms: number) => {
          this.sleptMs.push(ms)
          this.state.nowMs += ms
          this.pass(0)
        },
      }),
      ScriptApp: this.scriptApp(),
    }
  }

  /**
   * Returns an object that throws if the script uses a member outside of `members`. Each call of a member takes time,
   * and Google can stop the execution at it.
   */
  private strict<T extends Record<string, unknown>>(name: string, members: T): T {
    return new Proxy(members, {
      get: (target, key) => {
        if (typeof key === 'symbol') return undefined
        if (!(key in target)) throw new Error(`${name}.${key} is not implemented`)
        const member = target[key]
        if (typeof member !== 'function') return member
        return (...given: unknown[]) => {
          this.pass(COSTS.call)
          return member(...given)
        }
      },
    })
  }

  private pass(ms: number): void {
    if (this.isStopped) throw new Error('the execution was stopped')
    this.calls++
    if (this.hasStored) this.callsAfterChange.push(this.calls)
    this.hasStored = false
    this.state.nowMs += ms * this.execution.slowness
    const isTooLong = this.state.nowMs - this.startedAt > EXECUTION_MS_MAX
    if (!isTooLong && this.calls !== this.execution.stopAtCall) return
    this.isStopped = true
    throw new Error('the execution was stopped')
  }

  private fetch(url: string, options: FetchOptions) {
    if (!options.muteHttpExceptions || options.followRedirects) throw new Error('unexpected options of fetch')
    this.pass(COSTS.fetch)
    const { status, headers, text } = this.fetchNow(url, options.headers)
    return this.strict('HTTPResponse', {
      getResponseCode: () => status,
      getHeaders: () => headers,
      getContentText: (charset: string) => {
        if (charset !== 'UTF-8') throw new Error('without a character set, Google guesses one')
        return text
      },
    })
  }

  private properties(stored: Record<string, string>) {
    const set = (name: string, value: unknown) => {
      if (typeof value !== 'string') throw new Error(`the property ${name} is not a string`)
      if (Buffer.byteLength(value) > PROPERTY_BYTES_MAX) throw new Error(`Argument too large: value of ${name}`)
      stored[name] = value
      this.hasStored = true
      if (Buffer.byteLength(JSON.stringify(stored)) > PROPERTIES_BYTES_MAX) throw new Error('too many properties')
      this.pass(COSTS.property)
    }
    return this.strict('Properties', {
      getProperty: (name: string) => stored[name] ?? null,
      getProperties: () => ({ ...stored }),
      setProperty: set,
      setProperties: (values: Record<string, unknown>) => {
        for (const [name, value] of Object.entries(values)) set(name, value)
      },
      deleteProperty: (name: string) => {
        delete stored[name]
        this.hasStored = true
      },
    })
  }

  private scriptApp() {
    const create = (handler: string, kind: 'once' | 'hourly', at: number) => {
      this.pass(COSTS.trigger)
      if (this.state.triggers.length >= TRIGGERS_MAX) throw new Error('This script has too many triggers')
      const id = this.state.nextId++
      this.state.triggers.push({ id, handler, kind, at })
      this.hasStored = true
      return this.strict('Trigger', { getUniqueId: () => id })
    }
    return this.strict('ScriptApp', {
      getProjectTriggers: () =>
        this.state.triggers.map(({ id, handler }) =>
          this.strict('Trigger', { getHandlerFunction: () => handler, getUniqueId: () => id }),
        ),
      deleteTrigger: (trigger: { getUniqueId(): number }) => {
        const id = trigger.getUniqueId()
        this.state.triggers = this.state.triggers.filter((each) => each.id !== id)
        this.hasStored = true
      },
      newTrigger: (handler: string) =>
        this.strict('TriggerBuilder', {
          timeBased: () =>
            this.strict('ClockTriggerBuilder', {
              after: (ms: number) =>
                this.strict('ClockTriggerBuilder', {
                  create: () => create(handler, 'once', this.state.nowMs + ms),
                }),
              everyHours: (hours: number) =>
                this.strict('ClockTriggerBuilder', {
                  create: () => create(handler, 'hourly', this.state.nowMs + hours * 3_600_000),
                }),
            }),
        }),
    })
  }

  private ui() {
    if (!this.execution.isInteractive) throw new Error('Cannot call SpreadsheetApp.getUi() from this context.')
    const menu = this.strict('Menu', {
      addItem: (_: string, handler: string) => {
        if (!this.execution.code.includes(`function ${handler}(`)) throw new Error(`no function ${handler}`)
        return menu
      },
      addToUi: () => undefined,
    })
    return this.strict('Ui', {
      Button: { OK: 'ok', CANCEL: 'cancel' },
      ButtonSet: { OK_CANCEL: 'both' },
      createMenu: () => menu,
      alert: (text: string) => this.alerts.push(text),
      prompt: () => {
        const reply = this.replies.shift()
        return this.strict('PromptResponse', {
          getSelectedButton: () => (reply === undefined ? 'cancel' : 'ok'),
          getResponseText: () => reply ?? '',
        })
      },
    })
  }

  private spreadsheet() {
    const { sheets } = this.state
    return this.strict('Spreadsheet', {
      getSheets: () => sheets.map((sheet) => this.sheet(sheet)),
      getSheetByName: (name: string) => {
        const found = sheets.find((sheet) => sheet.name === name)
        return found === undefined ? null : this.sheet(found)
      },
      insertSheet: (name: string, place: number = sheets.length) => {
        if (sheets.some((sheet) => sheet.name === name))
          throw new Error(`A sheet with the name "${name}" already exists`)
        const sheet = { id: this.state.nextId++, name, rows: [], formats: [] }
        sheets.splice(place, 0, { ...sheet, maxRows: NEW_SHEET.rows, maxColumns: NEW_SHEET.columns })
        this.checkSize()
        // A new tab stays, even if Google stops the execution.
        this.flush()
        return this.sheet(sheets[place] as SheetState)
      },
    })
  }

  private checkSize(): void {
    const cells = this.state.sheets.reduce((sum, { maxRows, maxColumns }) => sum + maxRows * maxColumns, 0)
    if (cells > CELLS_MAX) throw new Error('This action would increase the number of cells above 10000000')
  }

  private sheet(sheet: SheetState) {
    const lastRow = () =>
      sheet.rows.findLastIndex((row) => row?.some((value) => value !== undefined && value !== '')) + 1
    const protection = this.strict('Protection', { setDescription: () => protection, setWarningOnly: () => protection })
    const shape = (change: () => void) => {
      this.willChange(sheet)
      change()
      this.checkSize()
    }
    return this.strict('Sheet', {
      getSheetId: () => sheet.id,
      getName: () => sheet.name,
      getLastRow: lastRow,
      getMaxRows: () => sheet.maxRows,
      getMaxColumns: () => sheet.maxColumns,
      protect: () => protection,
      setFrozenRows: (count: number) => {
        if (count >= sheet.maxRows) throw new Error("You can't freeze all visible rows.")
      },
      clear: () => shape(() => Object.assign(sheet, { rows: [], formats: [] })),
      insertRowsAfter: (row: number, count: number) => {
        if (row !== sheet.maxRows || !(count > 0)) throw new Error('rows are only added at the end')
        shape(() => (sheet.maxRows += count))
      },
      insertColumnsAfter: (column: number, count: number) => {
        if (column > sheet.maxColumns || !(count > 0)) throw new Error('Those columns are out of bounds.')
        shape(() => (sheet.maxColumns += count))
        const empty = Array.from({ length: count }, () => '')
        for (const row of sheet.rows) if (row !== undefined && row.length > column) row.splice(column, 0, ...empty)
        // New columns have the formats of the column before them.
        for (const row of sheet.formats)
          if (row?.[column - 1] !== undefined || (row?.length ?? 0) > column)
            row?.splice(column, 0, ...empty.map(() => row[column - 1] ?? ''))
      },
      deleteColumns: (column: number, count: number) => {
        if (column + count - 1 > sheet.maxColumns) throw new Error('Those columns are out of bounds.')
        shape(() => (sheet.maxColumns -= count))
        for (const row of [...sheet.rows, ...sheet.formats]) row?.splice(column - 1, count)
      },
      deleteRows: (row: number, count: number) => {
        if (row < 2 || row + count - 1 > sheet.maxRows || !(count > 0)) throw new Error('Those rows are out of bounds.')
        if (count >= sheet.maxRows - 1) throw new Error('it is not possible to delete all non-frozen rows')
        shape(() => (sheet.maxRows -= count))
        sheet.rows.splice(row - 1, count)
        sheet.formats.splice(row - 1, count)
      },
      getRange: (row: number, column: number, rows: number, columns: number) => {
        const isInside = row >= 1 && rows >= 1 && row + rows - 1 <= sheet.maxRows
        if (!isInside || column < 1 || columns < 1 || column + columns - 1 > sheet.maxColumns)
          throw new Error('The coordinates of the range are outside the dimensions of the sheet.')
        return this.range(sheet, { row, column, rows, columns })
      },
    })
  }

  private range(sheet: SheetState, { row, column, rows, columns }: Area) {
    const places = Array.from({ length: rows }, (_, place) => row - 1 + place)
    const across = Array.from({ length: columns }, (_, place) => column - 1 + place)
    const cost = (rows * columns) / COSTS.cellsPerMs
    return this.strict('Range', {
      getValues: () => {
        this.pass(cost)
        return places.map((at) =>
          across.map((each) => {
            const value = sheet.rows[at]?.[each] ?? ''
            if (typeof value === 'number' && sheet.formats[at]?.[each]?.includes('yyyy'))
              throw new Error('Google returns a date in the time zone of the spreadsheet')
            return value
          }),
        )
      },
      getDisplayValues: () => {
        this.pass(cost)
        return places.map((at) => across.map((each) => String(sheet.rows[at]?.[each] ?? '')))
      },
      setValues: (values: unknown[][]) => {
        this.pass(cost)
        if (values.length !== rows || values.some((each) => each.length !== columns))
          throw new Error('The number of rows or columns does not match the range')
        this.willChange(sheet)
        for (const [at, each] of values.entries())
          for (const [place, value] of each.entries()) put(sheet, row - 1 + at, column - 1 + place, stored(value))
      },
      clearContent: () => {
        this.willChange(sheet)
        for (const at of places) for (const each of across) put(sheet, at, each, '')
      },
      setNumberFormat: (format: string) => {
        this.willChange(sheet)
        for (const at of places) {
          sheet.formats[at] ??= []
          for (const each of across) (sheet.formats[at] as string[])[each] = format
        }
      },
      sort: (order: readonly { readonly column: number; readonly ascending: boolean }[]) => {
        this.pass(cost)
        this.willChange(sheet)
        const sorted = places.map((at) => sheet.rows[at] ?? []).sort((one, other) => compare(one, other, order))
        for (const [place, at] of places.entries()) sheet.rows[at] = sorted[place] ?? []
      },
    })
  }
}

interface Area {
  readonly row: number
  readonly column: number
  readonly rows: number
  readonly columns: number
}

interface FetchOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly muteHttpExceptions?: boolean
  readonly followRedirects?: boolean
}

function put(sheet: SheetState, row: number, column: number, value: CellValue): void {
  sheet.rows[row] ??= []
  ;(sheet.rows[row] as CellValue[])[column] = value
}

/** Returns the content of a cell after a value was set. */
function stored(value: unknown): CellValue {
  if (value === '' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'string') throw new Error(`a cell cannot have the value ${String(value)}`)
  if (!value.startsWith("'")) throw new Error(`Google would interpret the text ${value.slice(0, 50)}`)
  if (value.length > CELL_CHARACTERS_MAX)
    throw new Error('Your input contains more than the maximum of 50000 characters in a single cell.')
  return value.slice(1)
}

/** Compares two rows by these columns. Empty cells come last. */
function compare(one: CellValue[], other: CellValue[], order: readonly { readonly column: number }[]): number {
  for (const { column } of order) {
    const [left = '', right = ''] = [one[column - 1], other[column - 1]]
    if (left === right) continue
    if (left === '' || right === '') return left === '' ? 1 : -1
    return left < right ? -1 : 1
  }
  return 0
}
