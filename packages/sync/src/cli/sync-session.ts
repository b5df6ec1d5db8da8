// Connects the client of a command with the progress reporter, so that pauses and rate limits appear in the progress.

import { type ClientOptions, StoreExportClient } from '@store-export/client'
import { parseExactJson } from '../exact-json.ts'
import { readApiKey } from './api-key.ts'
import type { CliContext } from './cli-context.ts'
import { printEvent } from './cli-output.ts'
import { CommandLineError } from './command-line-error.ts'
import { parseRequestsPerMinute, rejectPlainHttp } from './parse-options.ts'
import { ProgressReporter } from './progress-reporter.ts'
import { RequestMeter } from './request-meter.ts'

/** The unparsed options that `run` and `verify` share. */
export interface SessionOptions {
  readonly url: string
  readonly insecureHttp?: true
  readonly requestsPerMinute?: string
  readonly json?: true
}

/** The client of a command, and what reports its requests. */
export interface SyncSession {
  readonly client: StoreExportClient
  readonly meter: RequestMeter
  readonly reporter: ProgressReporter
}

/** Returns the time of a monotonic clock in ms. It measures durations, because the system's clock can be set back. */
export function now(): number {
  return performance.now()
}

/**
 * How long the client retries a refused connection before the first response, in ms, if `--every` is not given. It is
 * short, so that a wrong port ends the command soon.
 */
export const REFUSED_FOR_MS = 5000

/**
 * Returns a session; sends no request. Prompts for the key if no environment variable gives it. Rejects with
 * `CommandLineError` for an invalid or unencrypted URL, an invalid `--requests-per-minute`, and an invalid or missing
 * key. Checks the options before it prompts, but the key and the form of the URL afterwards.
 */
export async function createSession(
  options: SessionOptions,
  context: CliContext,
  settings: Pick<ClientOptions, 'retryRefusedForMs'>,
): Promise<SyncSession> {
  const { output } = context
  if (options.insecureHttp !== true) rejectPlainHttp(options.url)
  const { requestsPerMinute } = options
  const pace = requestsPerMinute === undefined ? {} : { requestsPerMinute: parseRequestsPerMinute(requestsPerMinute) }
  const key = await readApiKey(context)
  const meter = new RequestMeter(now)
  const reporter = new ProgressReporter({ output, meter, now })
  try {
    const client = new StoreExportClient({
      url: options.url,
      key,
      ...settings,
      ...pace,
      parse: parseExactJson,
      onResponse: (response) => meter.record(response),
      onPause: (pause) => {
        if (options.json) printEvent(output, { event: 'pause', reason: pause.reason, ms: pause.ms })
        else reporter.pause(pause)
      },
    })
    return { client, meter, reporter }
  } catch (error) {
    // The client's message begins with its option, such as `url: must …`, which has the same name as here.
    throw new CommandLineError(`--${error instanceof Error ? error.message : String(error)}`)
  }
}
