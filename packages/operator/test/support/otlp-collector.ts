// Receives traces and metrics of nodes over OTLP with JSON.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A span with its attributes as an object. `kind` is 2 for a server, and 3 for a client. */
export interface ReceivedSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly name: string }[]
  /** `code` is 2 for an error. */
  readonly status: { readonly code: number }
}

/** A point of a histogram with its attributes as an object. */
export interface ReceivedPoint {
  readonly metric: string
  readonly unit: string
  readonly count: number
  readonly sum: number
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface Collector {
  readonly url: string
  /** The bodies that it received. */
  readonly bodies: readonly string[]
  spans(): ReceivedSpan[]
  points(): ReceivedPoint[]
  /** The attributes of the resource that sent the last metrics. */
  resource(): Readonly<Record<string, unknown>>
}

/** Starts a collector, which is closed after the test. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(await text(request))
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // biome-ignore lint/suspicious/noExplicitAny: the bodies have the structure of OTLP
  const received = (signal: string): any[] => bodies.flatMap((body) => JSON.parse(body)[signal] ?? [])
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () =>
      received('resourceSpans')
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, attributes: objectOf(span.attributes) })),
    points: () =>
      received('resourceMetrics')
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics)
        .flatMap(({ name, unit, histogram }) =>
          // biome-ignore lint/suspicious/noExplicitAny: the points have the structure of OTLP
          histogram.dataPoints.map((point: any) => ({
            ...{ metric: name, unit, count: Number(point.count), sum: point.sum },
            attributes: objectOf(point.attributes),
          })),
        ),
    resource: () => objectOf(received('resourceMetrics').at(-1).resource.attributes),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the attributes have the structure of OTLP
function objectOf(attributes: readonly any[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
