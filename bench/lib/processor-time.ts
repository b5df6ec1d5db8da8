// Reads the processor time and the memory of processes from /proc of Linux.

import { readdir, readFile } from 'node:fs/promises'

/** A tick is 10 ms. Linux has no finer values for processes that have ended. */
const TICK_MILLISECONDS = 10
const NANOSECONDS_PER_MS = 1_000_000

/**
 * Returns the processor time of the live threads of the process in ms, with a resolution of nanoseconds. Rejects if the
 * process has ended.
 */
export async function processorTimeOf(processId: number): Promise<number> {
  const threads = await readdir(`/proc/${processId}/task`)
  const times = await Promise.all(threads.map((thread) => threadTime(`/proc/${processId}/task/${thread}`)))
  return sum(times)
}

/** Returns the processor time of a PostgreSQL server in ms, including its child processes and those that have ended. */
export async function processorTimeOfServer(processId: number): Promise<number> {
  const children = await readFile(`/proc/${processId}/task/${processId}/children`, 'utf8')
  const running = children.trim().split(' ').filter(Boolean).map(Number)
  // The time of a child that ends before it is read is in `timeOfEnded`.
  const times = await Promise.all([processId, ...running].map((id) => processorTimeOf(id).catch(() => 0)))
  return sum(times) + (await timeOfEnded(processId))
}

/** Returns the maximum resident memory since the start of the process, in MiB. */
export async function peakResidentMebibytes(processId: number): Promise<number> {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(await statusOf(processId))?.[1]) / 1024
}

/** Returns the current resident memory, in MiB. */
export async function residentMebibytes(processId: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await statusOf(processId))?.[1]) / 1024
}

function statusOf(processId: number): Promise<string> {
  return readFile(`/proc/${processId}/status`, 'utf8')
}

async function threadTime(folder: string): Promise<number> {
  // The time of a thread that ends between the listing and the read is lost. Few threads of the measured processes end.
  const text = await readFile(`${folder}/schedstat`, 'utf8').catch(() => '0')
  return Number(text.split(' ')[0]) / NANOSECONDS_PER_MS
}

async function timeOfEnded(processId: number): Promise<number> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8')
  // After the name, which may contain spaces, cutime and cstime are the 14th and 15th fields.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * TICK_MILLISECONDS
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
