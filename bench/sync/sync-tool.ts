// Runs store-sync as its users do, in a separate process, and reports its usage.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { BuiltTool } from './sync-build.ts'
import type { Usage } from './sync-usage-process.ts'

/** A run of `store-sync run`. */
export interface ToolRun {
  readonly tool: BuiltTool
  readonly url: string
  readonly key: string
  /** Value of `--to`. */
  readonly to: string
  readonly extraArguments?: readonly string[]
}

/** What a run of store-sync cost. */
export interface ToolUsage extends Usage {
  readonly wallMs: number
}

/** Runs the tool to its end. Rejects with its output if it fails. */
export async function runTool({ tool, url, key, to, extraArguments = [] }: ToolRun): Promise<ToolUsage> {
  const usageFile = `${tool.usage}.json`
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    [tool.command, 'run', '--url', url, '--to', 'env:BENCH_TO', ...extraArguments, '--json'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: `--import=${tool.usage}`,
        BENCH_USAGE_FILE: usageFile,
        STORE_EXPORT_KEY: key,
        BENCH_TO: to,
      },
    },
  )
  const [output] = await Promise.all([text(child.stderr), once(child, 'exit')])
  const wallMs = performance.now() - startedAt
  if (child.exitCode !== 0) throw new Error(`store-sync ended with ${child.exitCode ?? child.signalCode}: ${output}`)
  return { ...(JSON.parse(await readFile(usageFile, 'utf8')) as Usage), wallMs }
}
