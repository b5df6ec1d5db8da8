// What a person sees while a run goes on, and what a program reads: a line for each table, or lines of JSON.

import type { Progress, RunSummary } from '../run/run.ts'

/** Where words go. */
export interface Output {
  /** For people: the standard error. */
  say(text: string): void
  /** For programs: the standard output. */
  print(line: string): void
  /** Whether a person looks on, so that a line may be written over. */
  readonly isTerminal: boolean
}

const NAME_WIDTH = 20
const NUMBER_WIDTH = 9
const MODES = { whole: 'all', updated: 'what changed', created: 'what is new' } as const

/** Tells a person: a line that counts, and stays when its table is done. */
export function tellPerson({ say, isTerminal }: Output, now: () => number): (progress: Progress) => void {
  let startedAt = now()
  return (progress) => {
    const { table, rows } = progress
    const seconds = Math.max(0.001, (now() - startedAt) / 1000)
    const line = `  ${table.padEnd(NAME_WIDTH)}${count(rows)} rows  ${count(Math.round(rows / seconds))}/s`
    if (progress.event === 'page') {
      if (isTerminal) say(`\r${line}`)
      return
    }
    const removed = progress.removed === 0 ? '' : `, ${progress.removed} removed`
    say(`${isTerminal ? '\r' : ''}${line}  ${MODES[progress.mode]}${removed}\n`)
    startedAt = now()
  }
}

/** Tells a program: one line of JSON for each table. */
export function tellProgram({ print }: Output): (progress: Progress) => void {
  return (progress) => {
    if (progress.event === 'table') print(JSON.stringify(progress))
  }
}

/** The last words of a run, for people. */
export function summaryText({ tables }: RunSummary, copy: string, ms: number): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const removed = tables.reduce((sum, table) => sum + table.removed, 0)
  const gone = removed === 0 ? '' : `, ${removed} removed`
  return `  ${copy} is up to date: ${rows.toLocaleString('en')} rows read${gone}, ${(ms / 1000).toFixed(1)} s\n`
}

function count(value: number): string {
  return value.toLocaleString('en').padStart(NUMBER_WIDTH)
}
